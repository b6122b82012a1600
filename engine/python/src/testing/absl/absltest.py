"""Test cases with more assertions than `unittest`'s."""

import collections.abc
import contextlib
import itertools
import re
import sys
import unittest
from unittest import SkipTest, TestSuite, TextTestResult, TextTestRunner, mock
from unittest import expectedFailure, skip, skipIf, skipUnless
from unittest.util import safe_repr

from absl.testing import files


def skipThisClass(reason):
    """Skips the tests of the decorated class itself, not those of its subclasses."""

    def decorator(cls):
        if not issubclass(cls, TestCase):
            raise TypeError("Decorated class must be a subclass of absltest.TestCase")

        def set_up_class(class_, *args, **kwargs):
            if class_ is cls:
                raise SkipTest(reason)
            return super(cls, class_).setUpClass(*args, **kwargs)

        cls.setUpClass = classmethod(set_up_class)
        return cls

    return decorator


class TestCase(unittest.TestCase):
    """A test, with the assertions of absl."""

    maxDiff = 80 * 20
    longMessage = True

    def enter_context(self, manager):
        """Enters a context manager until the test is done."""
        return self.enterContext(manager)

    @classmethod
    def enter_context_class(cls, manager):
        """Enters a context manager until the tests of the class are done."""
        return cls.enterClassContext(manager)

    def create_tempdir(self, name=None, cleanup=None):
        """A folder of the test."""
        return files.folder_of(self).mkdir(name)

    def create_tempfile(self, file_path=None, content=None, mode="w", encoding="utf8", errors="strict", cleanup=None):
        """A file of the test, in a folder of its own."""
        return files.folder_of(self).create_file(file_path, content, mode, encoding, errors)

    def shortDescription(self):
        """The test's id, then the first line of its docstring."""
        description = self.id().removeprefix("__main__.")
        doc = super().shortDescription()
        return f"{description}\n{doc}" if doc else description

    def assertStartsWith(self, actual, expected_start, msg=None):
        if not actual.startswith(expected_start):
            self.fail(self._formatMessage(msg, f"{actual!r} does not start with {expected_start!r}"))

    def assertNotStartsWith(self, actual, unexpected_start, msg=None):
        if actual.startswith(unexpected_start):
            self.fail(self._formatMessage(msg, f"{actual!r} does start with {unexpected_start!r}"))

    def assertEndsWith(self, actual, expected_end, msg=None):
        if not actual.endswith(expected_end):
            self.fail(self._formatMessage(msg, f"{actual!r} does not end with {expected_end!r}"))

    def assertNotEndsWith(self, actual, unexpected_end, msg=None):
        if actual.endswith(unexpected_end):
            self.fail(self._formatMessage(msg, f"{actual!r} does end with {unexpected_end!r}"))

    def assertSequenceStartsWith(self, prefix, whole, msg=None):
        prefix, whole = list(prefix), list(whole)
        if not prefix:
            self.fail(self._formatMessage(msg, "Prefix length is 0."))
        if whole[: len(prefix)] != prefix:
            self.fail(self._formatMessage(msg, f"prefix: {prefix} not found at start of whole: {whole}."))

    def assertEmpty(self, container, msg=None):
        self._need_sized(container)
        if len(container):
            self.fail(self._formatMessage(msg, f"{container!r} has length of {len(container)}."))

    def assertNotEmpty(self, container, msg=None):
        self._need_sized(container)
        if not len(container):
            self.fail(self._formatMessage(msg, f"{container!r} has length of 0."))

    def assertLen(self, container, expected_len, msg=None):
        self._need_sized(container)
        if len(container) != expected_len:
            shown = safe_repr(container)
            self.fail(
                self._formatMessage(msg, f"{shown} has length of {len(container)}, expected {expected_len}.")
            )

    def _need_sized(self, container):
        if not isinstance(container, collections.abc.Sized):
            self.fail(f"Expected a Sized object, got: {type(container).__name__!r}")

    def assertSequenceAlmostEqual(self, expected_seq, actual_seq, places=None, msg=None, delta=None):
        if len(expected_seq) != len(actual_seq):
            self.fail(
                f"Sequence size mismatch: {len(expected_seq)} vs {len(actual_seq)} : {msg}"
                if msg
                else f"Sequence size mismatch: {len(expected_seq)} vs {len(actual_seq)}"
            )
        wrong = []
        for index, (expected, actual) in enumerate(zip(expected_seq, actual_seq)):
            try:
                self.assertAlmostEqual(expected, actual, places=places, msg=msg, delta=delta)
            except self.failureException as error:
                wrong.append(f"At index {index}: {error}")
        if wrong:
            self.fail("\n".join(wrong[:30] + (["... and more"] if len(wrong) > 30 else [])))

    def assertContainsSubset(self, expected_subset, actual_set, msg=None):
        missing = set(expected_subset) - set(actual_set)
        if missing:
            self.fail(
                self._formatMessage(
                    msg,
                    f"Missing elements {missing}\nExpected: {expected_subset}\nActual: {actual_set}",
                )
            )

    def assertNoCommonElements(self, expected_seq, actual_seq, msg=None):
        common = set(expected_seq) & set(actual_seq)
        if common:
            self.fail(
                self._formatMessage(
                    msg, f"Common elements {common}\nExpected: {expected_seq}\nActual: {actual_seq}"
                )
            )

    def assertItemsEqual(self, expected_seq, actual_seq, msg=None):
        self.assertCountEqual(expected_seq, actual_seq, msg)

    def assertSameElements(self, expected_seq, actual_seq, msg=None):
        for argument in (expected_seq, actual_seq):
            if isinstance(argument, str):
                self.fail("assertSameElements: Passing string as argument is not allowed")
        missing = [item for item in expected_seq if item not in actual_seq]
        unexpected = [item for item in actual_seq if item not in expected_seq]
        lines = []
        if missing:
            lines.append(f"Expected, but missing:\n  {missing!r}")
        if unexpected:
            lines.append(f"Unexpected, but present:\n  {unexpected!r}")
        if lines:
            self.fail(self._formatMessage(msg, "\n".join(lines) + "\n"))

    def assertContainsExactSubsequence(self, container, subsequence, msg=None):
        container, subsequence = list(container), list(subsequence)
        size = len(subsequence)
        if not any(container[at : at + size] == subsequence for at in range(len(container) - size + 1)):
            self.fail(self._formatMessage(msg, f"{subsequence!r} not found in {container!r}"))

    def assertContainsSubsequence(self, container, subsequence, msg=None):
        rest = iter(container)
        found = []
        for element in subsequence:
            if element not in rest:
                self.fail(
                    self._formatMessage(msg, f"{subsequence!r} not a subsequence of {container!r}: after {found!r}")
                )
            found.append(element)

    def assertContainsInOrder(self, strings, target, msg=None):
        if isinstance(strings, str):
            strings = (strings,)
        at, last = 0, None
        for string in strings:
            index = target.find(string, at)
            if index == -1 and at == 0:
                self.fail(self._formatMessage(msg, f'Did not find "{string}" in "{target}"'))
            elif index == -1:
                self.fail(self._formatMessage(msg, f'Did not find "{string}" after "{last}" in "{target}"'))
            at, last = index, string

    def assertBetween(self, value, minv, maxv, msg=None):
        msg = self._formatMessage(msg, f'"{value!r}" unexpectedly not between "{minv!r}" and "{maxv!r}"')
        self.assertLessEqual(minv, value, msg)
        self.assertGreaterEqual(maxv, value, msg)

    def assertRegexMatch(self, actual_str, regexes, message=None):
        if isinstance(regexes, (str, bytes)):
            self.fail("regexes is string or bytes; use assertRegex for single regexes.")
        if not regexes:
            self.fail("No regexes specified.")
        if not any(re.search(regex, actual_str, re.MULTILINE) for regex in regexes):
            self.fail(self._formatMessage(message, f'"{actual_str}" does not match any of {regexes!r}'))

    def assertRaisesWithPredicateMatch(self, expected_exception, predicate, callable_obj=None, *args, **kwargs):
        context = _Predicate(self, expected_exception, predicate)
        if callable_obj is None:
            return context
        with context:
            callable_obj(*args, **kwargs)

    def assertRaisesWithLiteralMatch(
        self, expected_exception, expected_exception_message, callable_obj=None, *args, **kwargs
    ):
        def matches(error):
            actual = str(error)
            self.assertTrue(
                expected_exception_message == actual,
                f"Exception message does not match.\nExpected: {expected_exception_message!r}\nActual: {actual!r}",
            )
            return True

        return self.assertRaisesWithPredicateMatch(expected_exception, matches, callable_obj, *args, **kwargs)

    def assertDictEqual(self, a, b, msg=None):
        self.assertIsInstance(a, dict, msg or "First argument is not a dictionary")
        self.assertIsInstance(b, dict, msg or "Second argument is not a dictionary")
        if a == b:
            return
        first, second = set(a), set(b)
        lines = [f"{safe_repr(a)} != {safe_repr(b)}{f' ({msg})' if msg else ''}"]
        changed = [key for key in a if key in second and a[key] != b[key]]
        for title, keys, show in (
            ("Unexpected, but present entries:", [key for key in a if key not in second], lambda k: a[k]),
            ("Missing entries:", [key for key in b if key not in first], lambda k: b[k]),
        ):
            if keys:
                lines.append(title)
                lines.extend(f"{safe_repr(key)}: {safe_repr(show(key))}" for key in keys)
        if changed:
            lines.append("repr() of differing entries:")
            lines.extend(f"{safe_repr(key)}: {safe_repr(a[key])} != {safe_repr(b[key])}" for key in changed)
        self.fail("\n".join(lines))

    def assertDictContainsSubset(self, subset, dictionary, msg=None):
        self.assertDictEqual({**dictionary, **subset}, dict(dictionary), msg)

    def assertTotallyOrdered(self, *groups, **kwargs):
        msg = kwargs.get("msg")
        for first, second in itertools.combinations(groups, 2):
            for a in first:
                for b in second:
                    self.assertLess(a, b, msg)
        for group in groups:
            for a in group:
                for b in group:
                    self.assertEqual(a, b, msg)

    def assertNotEquals(self, first, second, msg=None):
        self.assertNotEqual(first, second, msg)


class _Predicate:
    """`assertRaisesWithPredicateMatch` as a context manager."""

    def __init__(self, case, expected, predicate):
        self.case = case
        self.expected = expected
        self.predicate = predicate

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.case.assertTrue(kind, f"{self.expected} not raised")
        if not issubclass(kind, self.expected):
            return False
        self.exception = error
        self.case.assertTrue(self.predicate(error), f"{error!r} does not match predicate {self.predicate!r}")
        return True


class TestLoader(unittest.TestLoader):
    """Refuses generator tests, which would never run."""


def main(*args, **kwargs):
    """Runs the tests of the program and ends it."""
    kwargs.setdefault("testLoader", TestLoader())
    unittest.main(*args, **kwargs)


def get_default_test_tmpdir():
    """Where tests may write; nothing is written here."""
    return "/tmp/absl_testing"
