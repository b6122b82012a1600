"""Evaluated by the runner: collects the cases of a test file, and tells how each one ends, one line per event.

Arguments: module, pattern of case names (may be empty), number of the first case to run, `list` or `run`.
"""

import importlib
import json
import re
import sys
import traceback
import unittest


def tell(*fields):
    sys.stdout.write("\x1e" + json.dumps(fields) + "\n")


def cases(suite):
    for test in suite:
        if isinstance(test, unittest.TestCase):
            yield test
        else:
            yield from cases(test)


def name_of(test):
    return f"{type(test).__name__}.{test._testMethodName}"


class Result(unittest.TestResult):
    """Keeps the first thing that went wrong with the case that runs."""

    outcome = None

    def begin(self):
        self.outcome = ("passed", "", "", "")

    def _failed(self, err):
        if self.outcome[0] != "failed":
            text = "".join(traceback.format_exception(*err))
            places = re.findall(r'File "([^"]*)", line (\d+)', text)
            place = ":".join(places[-1]) if places else ""
            self.outcome = ("failed", f"{err[0].__name__}: {err[1]}", place, text)

    def addError(self, test, err):
        self._failed(err)

    def addFailure(self, test, err):
        self._failed(err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._failed(err)

    def addSkip(self, test, reason):
        if self.outcome[0] == "passed":
            self.outcome = ("skipped", reason, "", "")

    def addUnexpectedSuccess(self, test):
        self.outcome = ("failed", "unexpected success", "", "")


def main():
    _, module_name, pattern, first, mode = sys.argv
    module = importlib.import_module(module_name)
    loader = unittest.TestLoader()
    found = [test for test in cases(loader.loadTestsFromModule(module)) if re.search(pattern, name_of(test))]
    tell("count", len(found))
    result = Result()
    for index, test in enumerate(found):
        if index < int(first):
            continue
        tell("start", index, name_of(test))
        if mode == "list":
            continue
        result.begin()
        test.run(result)
        tell("end", index, *result.outcome)
    tell("done")


main()
