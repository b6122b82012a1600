"""Runs tests, and prints what became of them as pytest does."""

import contextlib
import enum
import inspect
import io
import os
import sys
import time
import traceback

import _assertions
from pytest import outcomes
from pytest.collection import Module
from pytest.fixtures import Setup
from pytest.marks import marks_of
from pytest.selection import Selection

WIDTH = 80


class ExitCode(enum.IntEnum):
    """How a session ended."""

    OK = 0
    TESTS_FAILED = 1
    INTERRUPTED = 2
    INTERNAL_ERROR = 3
    USAGE_ERROR = 4
    NO_TESTS_COLLECTED = 5


class Config:
    """What the command line says, and what files called conftest.py add to it."""

    def __init__(self, options):
        self.option = options
        self._defaults = {}
        self._adopted = []

    def adopt(self, conftest):
        """Asks a conftest.py for its options and lets it configure."""
        if conftest in self._adopted:
            return
        self._adopted.append(conftest)
        if hasattr(conftest, "pytest_addoption"):
            conftest.pytest_addoption(self)
        if hasattr(conftest, "pytest_configure"):
            conftest.pytest_configure(self)

    def getgroup(self, name, description="", after=None):
        return self

    def addoption(self, *names, default=None, action=None, dest=None, **kwargs):
        long = next((name for name in names if name.startswith("--")), names[0])
        key = dest or long.lstrip("-").replace("-", "_")
        self._defaults[key] = False if action == "store_true" and default is None else default

    def addini(self, name, help="", type=None, default=None):
        self._defaults[name] = default

    def addinivalue_line(self, name, line):
        """Marks need not be registered."""

    def getoption(self, name, default=None, skip=False):
        key = name.lstrip("-").replace("-", "_")
        if key in self._defaults:
            return self._defaults[key]
        return getattr(self.option, key, default)

    def getini(self, name):
        return self._defaults.get(name, "")


class Outcome:
    """What became of one test, or of one file that could not be collected."""

    def __init__(self, kind, letter, title="", text="", line="", printed=""):
        self.kind = kind
        self.letter = letter
        self.title = title
        self.text = text
        self.line = line
        self.printed = printed


PASSED = Outcome("passed", ".")


def main(args=None, plugins=None):
    """Runs the tests that arguments name. How it ended."""
    args = sys.argv[1:] if args is None else [os.fspath(each) for each in args]
    try:
        return Session(Selection(args)).run()
    except outcomes.UsageError as error:
        print(f"ERROR: {error}\n", file=sys.stderr)
        return ExitCode.USAGE_ERROR


class Session:
    """One run of tests."""

    def __init__(self, options):
        self.options = options
        self.config = Config(options)
        self.setup = Setup()
        self.outcomes = []
        self.column = 0

    def run(self):
        started = time.perf_counter()
        _assertions.explain()
        self.rule("test session starts")
        items, failed = self.collect()
        if self.options.collect_only:
            for item in items:
                print(item.nodeid)
            return ExitCode.OK if items else ExitCode.NO_TESTS_COLLECTED
        stopped = None
        if failed and not self.options.continue_on_collection_errors:
            stopped = f"Interrupted: {len(failed)} error{'s' if len(failed) > 1 else ''} during collection"
            self.outcomes += failed
        else:
            stopped = self.run_all(items)
        self.details()
        if stopped:
            self.rule(stopped, "!")
        self.rule(f"{self.counts()} in {time.perf_counter() - started:.2f}s")
        if failed:
            return ExitCode.INTERRUPTED
        if any(each.kind in ("failed", "error") for each in self.outcomes):
            return ExitCode.TESTS_FAILED
        return ExitCode.OK if self.outcomes else ExitCode.NO_TESTS_COLLECTED

    def collect(self):
        items, failed = [], []
        for path in self.options.files():
            try:
                module = Module(path, self.config)
                items += module.items()
            except outcomes.Skipped as skipped:
                self.outcomes.append(Outcome("skipped", "s", text=str(skipped)))
            except (Exception, SystemExit) as error:
                text = error.args[0] if isinstance(error, outcomes.UsageError) else _traceback(error)
                failed.append(Outcome("error", "E", f"ERROR collecting {path}", text, f"ERROR {path} - {_short(error)}"))
        found = len(items)
        items = [item for item in items if self.options.wants(item)]
        words = f"collected {found} item{'' if found == 1 else 's'}"
        if failed:
            words += f" / {len(failed)} error{'s' if len(failed) > 1 else ''}"
        if len(items) < found:
            words += f" / {found - len(items)} deselected / {len(items)} selected"
        print(words)
        self.deselected = found - len(items)
        if not failed:
            print()
        return items, failed

    def run_all(self, items):
        """Runs tests. Why not all were run, if so."""
        file, bad = None, 0
        stopped = None
        for at, item in enumerate(items):
            following = items[at + 1] if at + 1 < len(items) else None
            if item.file is not file and not self.options.verbose:
                self.end_line(at, len(items))
                file = item.file
                self.write(f"{file.shown} ")
            if self.options.verbose:
                self.write(f"{item.nodeid} ")
            try:
                results = self.run_one(item, following)
            except outcomes.Exit as end:
                stopped = f"_pytest.outcomes.Exit: {end.msg}"
                break
            for number, outcome in enumerate(results):
                self.outcomes.append(outcome)
                if number and self.options.verbose:
                    self.end_line(at + 1, len(items))
                    self.write(f"{item.nodeid} ")
                word = WORDS[outcome.letter]
                if outcome.kind in ("skipped", "xfailed", "xpassed") and outcome.text:
                    word += f" ({outcome.text})"
                self.write(word if self.options.verbose else outcome.letter)
                bad += outcome.kind in ("failed", "error")
            if self.options.verbose or self.column >= WIDTH - 7:
                self.end_line(at + 1, len(items))
            if self.options.most_failures and bad >= self.options.most_failures:
                stopped = f"stopping after {bad} failure{'s' if bad > 1 else ''}"
                self.setup.take_down("session")
                break
        self.end_line(len(self.outcomes), len(items))
        return stopped

    def run_one(self, item, following):
        """What became of a test: one outcome, and another if taking down went wrong."""
        try:
            skipped = _skipped(item)
            expected = _expected_failure(item)
        except outcomes.UsageError as error:
            title, line = f"ERROR at setup of {item.name}", f"ERROR {item.nodeid} - {_short(error)}"
            return [Outcome("error", "E", title, str(error), line)]
        if skipped is not None:
            return [Outcome("skipped", "s", text=skipped)]
        if expected is not None and expected.kwargs.get("run") is False:
            return [Outcome("xfailed", "x", text="[NOTRUN]")]
        printed = io.StringIO()
        with self.captured(printed):
            phase = "setup"
            try:
                item.set_up(self.setup)
                phase = "call"
                item.call()
                problem = None
            except outcomes.Exit:
                raise
            except (Exception, SystemExit, outcomes.OutcomeException) as error:
                problem = error
        result = self.judge(item, phase, problem, expected or _expected_failure(item), printed)
        with self.captured(printed):
            errors = self.setup.take_down(_scope_that_ends(item, following))
        results = [result]
        for error in errors:
            title = f"ERROR at teardown of {item.name}"
            line = f"ERROR {item.nodeid} - {_short(error)}"
            results.append(Outcome("error", "E", title, _traceback(error), line, printed.getvalue()))
        return results

    def judge(self, item, phase, problem, expected, printed):
        if isinstance(problem, outcomes.Skipped) or type(problem).__name__ == "SkipTest":
            return Outcome("skipped", "s", text=str(problem))
        if isinstance(problem, outcomes.XFailed):
            return Outcome("xfailed", "x", text=str(problem))
        if expected is not None:
            reason = expected.kwargs.get("reason", "")
            raises = expected.kwargs.get("raises")
            if problem is None and expected.kwargs.get("strict"):
                text = f"[XPASS(strict)] {reason}\n"
                return Outcome("failed", "F", item.name, text, f"FAILED {item.nodeid} - {text.strip()}", printed.getvalue())
            if problem is None:
                return Outcome("xpassed", "X", text=reason)
            if raises is None or isinstance(problem, raises):
                return Outcome("xfailed", "x", text=reason)
        if problem is None:
            return PASSED
        if isinstance(problem, outcomes.Failed) and not problem.pytrace:
            text = f"{problem}\n"
        else:
            text = _traceback(problem)
        if phase == "setup":
            title, line = f"ERROR at setup of {item.name}", f"ERROR {item.nodeid} - {_short(problem)}"
            return Outcome("error", "E", title, text, line, printed.getvalue())
        title = item.name if item.cls is None else f"{item.cls.__name__}.{item.name}"
        return Outcome("failed", "F", title, text, f"FAILED {item.nodeid} - {_short(problem)}", printed.getvalue())

    @contextlib.contextmanager
    def captured(self, printed):
        if not self.options.captures:
            yield
            return
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            yield

    # What is printed.

    def write(self, text):
        self.column += len(text)
        print(text, end="", flush=True)

    def end_line(self, done, count):
        if self.column:
            share = f"[{done * 100 // max(count, 1):3d}%]"
            print(share.rjust(max(WIDTH - self.column, len(share) + 1)))
        self.column = 0

    def rule(self, words, mark="="):
        print(f" {words} ".center(WIDTH, mark))

    def details(self):
        for kind, heading in [("error", "ERRORS"), ("failed", "FAILURES")]:
            found = [each for each in self.outcomes if each.kind == kind]
            if found and self.options.shows_tracebacks:
                print()
                self.rule(heading)
                for each in found:
                    self.rule(each.title, "_")
                    print(each.text.rstrip("\n"))
                    if each.printed:
                        self.rule("Captured output", "-")
                        print(each.printed.rstrip("\n"))
        lines = [each.line for each in self.outcomes if each.line]
        if lines:
            self.rule("short test summary info")
            for line in lines:
                print(line)
        elif self.outcomes:
            print()

    def counts(self):
        kinds = ["failed", "passed", "skipped", "deselected", "xfailed", "xpassed", "error"]
        words = []
        for kind in kinds:
            count = len([each for each in self.outcomes if each.kind == kind])
            if kind == "deselected":
                count = self.deselected
            if count:
                words.append(f"{count} {kind}{'s' if kind == 'error' and count > 1 else ''}")
        return ", ".join(words) or "no tests ran"


WORDS = {".": "PASSED", "F": "FAILED", "E": "ERROR", "s": "SKIPPED", "x": "XFAIL", "X": "XPASS"}


def _scope_that_ends(item, following):
    """The outermost scope whose last test this is."""
    if following is None:
        return "session"
    if following.module is not item.module:
        return "module"
    return "class" if following.cls is not item.cls else "function"


def _skipped(item):
    for mark in item.marks:
        if mark.name == "skip":
            return mark.kwargs.get("reason", mark.args[0] if mark.args else "unconditional skip")
        if mark.name == "skipif" and _holds(mark, item):
            return mark.kwargs.get("reason", "")
    return None


def _expected_failure(item):
    for mark in item.marks:
        if mark.name == "xfail" and (not (mark.args or "condition" in mark.kwargs) or _holds(mark, item)):
            return mark
    return None


def _holds(mark, item):
    conditions = mark.args or (mark.kwargs.get("condition", True),)
    for each in conditions:
        if isinstance(each, str):
            # The evaluator runs no code made from text.
            raise outcomes.UsageError(f"a condition as text is not evaluated here: write {each} without quotes")
        if each:
            return True
    return False


def _traceback(error):
    if isinstance(error, outcomes.Failed):
        lines = traceback.format_exception(type(error), error, error.__traceback__)
        return "".join(lines).replace("pytest.outcomes.Failed: ", "Failed: ")
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    compared = _compared(error)
    return text if compared is None else text.rstrip("\n") + f": {compared}\n"


def _compared(error):
    """What an assertion without a message has compared."""
    return _assertions.explanation(error) if isinstance(error, AssertionError) and not str(error) else None


def _short(error):
    words = str(error).strip().split("\n")[0]
    kind = type(error).__name__
    compared = _compared(error)
    if compared is not None:
        return _cut(compared.split("\n")[0])
    if isinstance(error, outcomes.Failed):
        kind = "Failed"
    return _cut(f"{kind}: {words}" if words else kind)


def _cut(line):
    return line if len(line) <= 140 else line[:137] + "..."
