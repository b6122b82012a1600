"""Runs tests and prints the report that the standard library prints."""

import sys
import time

from . import result


class TextTestResult(result.TestResult):
    """Prints a mark for each test as it ends."""

    separator1 = "=" * 70
    separator2 = "-" * 70

    def __init__(self, stream, descriptions, verbosity):
        super().__init__(stream, descriptions, verbosity)
        self.stream = stream
        self.showAll = verbosity > 1
        self.dots = verbosity == 1
        self.descriptions = descriptions
        self._at_line_start = True

    def getDescription(self, test):
        first_line = test.shortDescription()
        if self.descriptions and first_line:
            return f"{test}\n{first_line}"
        return str(test)

    def startTest(self, test):
        super().startTest(test)
        if self.showAll:
            self.stream.write(f"{self.getDescription(test)} ... ")
            self._at_line_start = False

    def _mark(self, word, dot, test=None):
        if self.showAll:
            if self._at_line_start and test is not None:
                self.stream.write(f"{self.getDescription(test)} ... ")
            self.stream.write(f"{word}\n")
            self._at_line_start = True
        elif self.dots:
            self.stream.write(dot)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            failed = issubclass(err[0], subtest.failureException)
            if self.showAll:
                if not self._at_line_start:
                    self.stream.write("\n")
                    self._at_line_start = True
                self.stream.write(f"  {self.getDescription(subtest)} ... ")
                self.stream.write("FAIL\n" if failed else "ERROR\n")
            elif self.dots:
                self.stream.write("F" if failed else "E")
        super().addSubTest(test, subtest, err)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._mark("ok", ".")

    def addError(self, test, err):
        super().addError(test, err)
        self._mark("ERROR", "E", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._mark("FAIL", "F", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._mark(f"skipped {reason!r}", "s", test)

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self._mark("expected failure", "x")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._mark("unexpected success", "u")

    def printErrors(self):
        if self.dots or self.showAll:
            self.stream.write("\n")
        self.printErrorList("ERROR", self.errors)
        self.printErrorList("FAIL", self.failures)
        if self.unexpectedSuccesses:
            self.stream.write(f"{self.separator1}\n")
            for test in self.unexpectedSuccesses:
                self.stream.write(f"UNEXPECTED SUCCESS: {self.getDescription(test)}\n")

    def printErrorList(self, flavour, errors):
        for test, text in errors:
            self.stream.write(f"{self.separator1}\n{flavour}: {self.getDescription(test)}\n{self.separator2}\n")
            self.stream.write(f"{text}\n")


class TextTestRunner:
    """Runs a test and prints what became of it."""

    resultclass = TextTestResult

    def __init__(
        self,
        stream=None,
        descriptions=True,
        verbosity=1,
        failfast=False,
        buffer=False,
        resultclass=None,
        warnings=None,
        *,
        tb_locals=False,
    ):
        self.stream = stream if stream is not None else sys.stderr
        self.descriptions = descriptions
        self.verbosity = verbosity
        self.failfast = failfast
        self.buffer = buffer
        self.tb_locals = tb_locals
        self.warnings = warnings
        if resultclass is not None:
            self.resultclass = resultclass

    def _makeResult(self):
        return self.resultclass(self.stream, self.descriptions, self.verbosity)

    def run(self, test):
        outcome = self._makeResult()
        outcome.failfast = self.failfast
        outcome.buffer = self.buffer
        started = time.perf_counter()
        start = getattr(outcome, "startTestRun", None)
        if start is not None:
            start()
        try:
            test(outcome)
        finally:
            stop = getattr(outcome, "stopTestRun", None)
            if stop is not None:
                stop()
        taken = time.perf_counter() - started
        outcome.printErrors()
        run = outcome.testsRun
        self.stream.write(f"{'-' * 70}\nRan {run} test{'' if run == 1 else 's'} in {taken:.3f}s\n\n")
        self.stream.write(_verdict(outcome) + "\n")
        return outcome


def _verdict(outcome):
    if outcome.wasSuccessful():
        word = "OK"
        counts = []
    else:
        word = "FAILED"
        counts = [("failures", len(outcome.failures)), ("errors", len(outcome.errors))]
    counts += [
        ("skipped", len(outcome.skipped)),
        ("expected failures", len(outcome.expectedFailures)),
        ("unexpected successes", len(outcome.unexpectedSuccesses)),
    ]
    shown = ", ".join(f"{name}={count}" for name, count in counts if count)
    return f"{word} ({shown})" if shown else word
