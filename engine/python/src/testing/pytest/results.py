"""What became of a test, and how an exception is told: as text, in a few words, and where it was."""

import os

import _assertions
import _tests
import traceback

from pytest import outcomes

WORDS = {
    "passed": (".", "PASSED"),
    "failed": ("F", "FAILED"),
    "error": ("E", "ERROR"),
    "skipped": ("s", "SKIPPED"),
    "xfailed": ("x", "XFAIL"),
    "xpassed": ("X", "XPASS"),
}

# The letters of subtests, which pytest counts among tests unless they passed.
LETTERS_OF_PARTS = {"subtests passed": "u", "failed": "u", "skipped": "-", "xfailed": "y"}


class Outcome:
    """What became of one test, of its taking down, or of one file that could not be collected."""

    def __init__(self, kind, item=None, phase="call", reason="", title="", text="", short="", printed="", places=()):
        self.kind = kind
        self.item = item
        self.phase = phase
        self.reason = reason
        self.title = title
        self.text = text
        self.short = short
        self.printed = printed
        # (file, line, function), outermost first.
        self.places = list(places)
        self.seconds = 0.0
        # The file of the test, or the one that could not be collected.
        self.file = item.file.shown if item else None
        # What a subtest is called; None for a test.
        self.part = None
        # Its subtests that failed.
        self.failed_parts = []

    @property
    def letter(self):
        return WORDS[self.kind][0] if self.part is None else LETTERS_OF_PARTS[self.kind]

    @property
    def word(self):
        if self.part is None:
            return WORDS[self.kind][1]
        return f"SUB{'PASSED' if self.kind == 'subtests passed' else WORDS[self.kind][1]}{self.part}"

    is_bad = property(lambda self: self.kind in ("failed", "error"))

    def place(self):
        """The innermost place in the file of the test, or anywhere: where a reader begins to look."""
        own = [each for each in self.places if each[0] == self.file]
        return next(reversed(own or self.places), None)


def of_problem(kind, problem, item=None, phase="call", title="", printed=""):
    """The outcome of a test that an exception has ended."""
    if isinstance(problem, outcomes.Failed) and not problem.pytrace:
        text = f"{problem}\n"
    elif isinstance(problem, outcomes.UsageError):
        text = str(problem)
    else:
        text = as_text(problem)
    return Outcome(kind, item, phase, "", title, text, short(problem), printed, places(problem))


def of_part(item, name, problem):
    """The outcome of a subtest."""
    if problem is None:
        found = Outcome("subtests passed", item)
    elif type(problem).__name__ == "SkipTest":
        # Of unittest's, pytest names the test.
        found = Outcome("skipped", item, reason=str(problem), places=[(item.file.shown, item.lines[0], item.originalname)])
    elif isinstance(problem, outcomes.Skipped):
        found = Outcome("skipped", item, reason=str(problem), places=places(problem))
    elif isinstance(problem, outcomes.XFailed):
        found = Outcome("xfailed", item, reason=str(problem))
    else:
        found = of_problem("failed", problem, item, title=f"{item.title} {name}")
    found.part = name
    return found


def places(problem):
    """Where an exception has been; a mistake in what is written says where by itself."""
    found = [(os.path.normpath(file), line, function) for file, line, function in _tests.places(problem)]
    if isinstance(problem, SyntaxError) and getattr(problem, "filename", None):
        found.append((os.path.normpath(problem.filename), problem.lineno, "<module>"))
    return found


def as_text(problem):
    """An exception with its traceback, and with what an assertion without words has compared."""
    text = "".join(traceback.format_exception(type(problem), problem, problem.__traceback__))
    if isinstance(problem, outcomes.Failed):
        return text.replace("pytest.outcomes.Failed: ", "Failed: ")
    said = compared(problem)
    return text if said is None else text.rstrip("\n") + f": {said}\n"


def compared(problem):
    """What an assertion without a message has compared."""
    return _assertions.explanation(problem) if isinstance(problem, AssertionError) and not str(problem) else None


def short(problem):
    """An exception in one line."""
    words = str(problem).strip().split("\n")[0]
    said = compared(problem)
    if said is not None:
        return _cut(said.split("\n")[0])
    if isinstance(problem, outcomes.UsageError):
        return _cut(words)
    kind = "Failed" if isinstance(problem, outcomes.Failed) else type(problem).__name__
    return _cut(f"{kind}: {words}" if words else kind)


def _cut(line):
    return line if len(line) <= 140 else line[:137] + "..."
