"""Runs tests: sets them up, calls them, takes down, and judges what became of them."""

import contextlib
import enum
import io
import os
import sys
import time

import _assertions
import _tests
from pytest import conditions, outcomes, results
from pytest.collection import Module, hook
from pytest.events import Events
from pytest.fixtures import Setup
from pytest.options import Options
from pytest.report import Report
from pytest.results import Outcome
from pytest.selection import Selection


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
        self.adopted = []
        self._defaults = {}

    def adopt(self, conftest):
        """Asks a conftest.py for its options and lets it configure."""
        if conftest in self.adopted:
            return
        self.adopted.append(conftest)
        if hasattr(conftest, "pytest_addoption"):
            hook(conftest.pytest_addoption, parser=self, pluginmanager=self)
        if hasattr(conftest, "pytest_configure"):
            hook(conftest.pytest_configure, config=self)

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
        return self.option.settings.get(name) or self._defaults.get(name, "")


def main(args=None, plugins=None):
    """Runs the tests that arguments name. How it ended."""
    if _tests.analysed():
        return ExitCode.OK
    args = sys.argv[1:] if args is None else [os.fspath(each) for each in args]
    try:
        return Session(Options(args)).run()
    except outcomes.UsageError as error:
        print(f"ERROR: {error}\n", file=sys.stderr)
        return ExitCode.USAGE_ERROR


class Session:
    """One run of tests."""

    def __init__(self, options):
        self.options = options
        self.config = Config(options)
        self.selection = Selection(options)
        self.setup = Setup()
        self.report = Report(options)
        self.events = Events(options.tells_events)
        self.outcomes = []
        self.durations = []
        self.deselected = 0
        for option in options.unknown:
            print(f"addopts: {option} is not known here, and is passed over", file=sys.stderr)

    def run(self):
        started = time.perf_counter()
        _assertions.explain()
        self.report.begin()
        items, failed = self.collect()
        self.events.collected(items, failed, self.deselected)
        stopped = None
        if self.options.collect_only:
            self.list(items, failed)
        elif failed and not self.options.continue_on_collection_errors:
            self.outcomes += failed
            stopped = f"Interrupted: {len(failed)} error{'s' if len(failed) > 1 else ''} during collection"
        else:
            self.outcomes += failed
            stopped = self.run_all(items)
        seconds = time.perf_counter() - started
        if not self.options.collect_only:
            self.report.end(self, stopped, seconds)
        exit = self.exit(items, failed)
        self.events.ended(exit, seconds, self.counts(), stopped)
        return exit

    def exit(self, items, failed):
        if failed:
            return ExitCode.INTERRUPTED
        if any(each.is_bad for each in self.outcomes):
            return ExitCode.TESTS_FAILED
        found = items if self.options.collect_only else self.outcomes
        return ExitCode.OK if found else ExitCode.NO_TESTS_COLLECTED

    def list(self, items, failed):
        """What --collect-only prints."""
        for item in items:
            print(item.nodeid)
        if failed:
            self.outcomes += failed
            self.report.tracebacks(failed)
            self.report.summary(failed)

    def counts(self):
        """How many tests ended in which way."""
        found = {}
        for kind in ["failed", "passed", "skipped", "deselected", "xfailed", "xpassed", "error", "subtests passed"]:
            count = len([each for each in self.outcomes if each.kind == kind])
            found[kind] = self.deselected if kind == "deselected" else count
        return {kind: count for kind, count in found.items() if count}

    def collect(self):
        """The tests that are meant, and the files that cannot be imported."""
        items, failed = [], []
        for path in self.selection.files():
            shown = os.path.normpath(path)
            try:
                items += self.selection.named_in(path, Module(path, self.config).items())
            except outcomes.Skipped as skipped:
                place = results.places(skipped)
                self.outcomes.append(Outcome("skipped", phase="collect", reason=str(skipped), places=place))
                self.outcomes[-1].file = shown
            except (Exception, SystemExit) as error:
                if isinstance(error, outcomes.UsageError) and str(error).startswith("not found: "):
                    raise
                outcome = results.of_problem("error", error, None, "collect", f"ERROR collecting {shown}")
                outcome.file = shown
                failed.append(outcome)
        found = len(items)
        items = [item for item in items if self.selection.wants(item)]
        items, note = self.selection.failed_last(items)
        for conftest in self.config.adopted:
            if hasattr(conftest, "pytest_collection_modifyitems"):
                hook(conftest.pytest_collection_modifyitems, session=self, config=self.config, items=items)
        self.deselected = found - len(items)
        self.report.collected(found, failed, len(items), note)
        return items, failed

    def run_all(self, items):
        """Runs tests. Why not all were run, if so."""
        bad, stopped = 0, None
        for at, item in enumerate(items):
            following = items[at + 1] if at + 1 < len(items) else None
            self.report.test(item, at, len(items))
            self.events.started(item)
            try:
                found = self.run_one(item, following)
            except outcomes.Exit as end:
                stopped = f"_pytest.outcomes.Exit: {end.msg}"
                break
            for outcome in found:
                self.outcomes.append(outcome)
                if outcome.part is None:
                    self.events.finished(outcome)
                    bad += outcome.is_bad
            self.report.results(item, found, at + 1, len(items))
            if self.options.most_failures and bad >= self.options.most_failures:
                stopped = f"stopping after {bad} failure{'s' if bad > 1 else ''}"
                self.setup.take_down("session")
                break
        self.report.end_line(len(items), len(items))
        return stopped

    def run_one(self, item, following):
        """What became of a test: one outcome, and another if taking down went wrong."""
        own = [(item.file.shown, item.lines[0], item.originalname)]
        try:
            skipped = conditions.skipped(item)
            expected = conditions.expected_failure(item)
        except outcomes.UsageError as error:
            return [Outcome("error", item, "setup", "", f"ERROR at setup of {item.name}", str(error), results.short(error), "", own)]
        if skipped is not None:
            return [Outcome("skipped", item, "setup", skipped, places=own)]
        if expected is not None and expected.kwargs.get("run") is False:
            return [Outcome("xfailed", item, "setup", "[NOTRUN] " + expected.kwargs.get("reason", ""))]
        printed = io.StringIO()
        started = time.perf_counter()
        with self.captured(printed):
            phase, problem = "setup", None
            item.parts = []
            try:
                item.set_up(self.setup)
                called = time.perf_counter()
                phase = "call"
                item.call()
            except outcomes.Exit:
                raise
            except (Exception, SystemExit, outcomes.OutcomeException) as error:
                problem = error
        ended = time.perf_counter()
        if phase == "call":
            self.durations += [(called - started, "setup", item.nodeid), (ended - called, "call", item.nodeid)]
        else:
            self.durations.append((ended - started, "setup", item.nodeid))
        result = self.judge(item, phase, problem, expected or conditions.expected_failure(item), printed)
        result.seconds = ended - started
        parts = [results.of_part(item, *each) for each in item.parts]
        result.failed_parts = [each for each in parts if each.is_bad]
        if result.failed_parts and result.kind == "passed" and item.fails_with_parts:
            count = len(result.failed_parts)
            result.kind = "failed"
            result.title = item.title
            result.text = result.short = f"contains {count} failed subtest{'s' if count > 1 else ''}"
        with self.captured(printed):
            errors = self.setup.take_down(_scope_that_ends(item, following))
        self.durations.append((time.perf_counter() - ended, "teardown", item.nodeid))
        found = [*parts, result]
        for error in errors:
            title = f"ERROR at teardown of {item.name}"
            found.append(results.of_problem("error", error, item, "teardown", title, printed.getvalue()))
        return found

    def judge(self, item, phase, problem, expected, printed):
        """What an exception, or none, means for a test."""
        said = printed.getvalue()
        above, own = [[(item.file.shown, line, item.originalname)] for line in item.lines[:2]]
        if isinstance(problem, outcomes.Skipped) or type(problem).__name__ == "SkipTest":
            return Outcome("skipped", item, phase, str(problem), printed=said, places=results.places(problem) or above)
        if isinstance(problem, outcomes.XFailed):
            return Outcome("xfailed", item, phase, str(problem), printed=said)
        if expected is not None:
            reason = expected.kwargs.get("reason", "")
            raises = expected.kwargs.get("raises")
            if problem is None:
                if expected.kwargs.get("strict", self.options.is_set("xfail_strict")):
                    text = f"[XPASS(strict)] {reason}"
                    return Outcome("failed", item, phase, "", item.title, f"{text}\n", text.strip(), said, own)
                return Outcome("xpassed", item, phase, reason, printed=said)
            if raises is None or isinstance(problem, raises):
                return Outcome("xfailed", item, phase, reason, printed=said)
        if problem is None:
            return Outcome("passed", item, phase, printed=said)
        if phase == "setup":
            return results.of_problem("error", problem, item, phase, f"ERROR at setup of {item.name}", said)
        return results.of_problem("failed", problem, item, phase, item.title, said)

    @contextlib.contextmanager
    def captured(self, printed):
        if not self.options.captures:
            yield
            return
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            yield


def _scope_that_ends(item, following):
    """The outermost scope whose last test this is."""
    if following is None:
        return "session"
    if following.module is not item.module:
        return "module"
    return "class" if following.cls is not item.cls else "function"
