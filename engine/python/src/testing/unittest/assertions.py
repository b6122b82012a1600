"""What a test can claim. The differences that messages show are made in `differences`."""

import logging
import re
import sys
import warnings

from . import differences
from .util import count_differences, safe_repr, shortened, strclass


class _Raising:
    """`assertRaises` and its kin as context managers."""

    def __init__(self, expected, case, expected_regex=None):
        self.expected = expected
        self.test_case = case
        self.msg = None
        self.obj_name = None
        self.expected_regex = re.compile(expected_regex) if isinstance(expected_regex, (str, bytes)) else expected_regex

    def handle(self, name, args, kwargs):
        """With a callable: calls it; without: is the context manager."""
        if not _is_class_tuple(self.expected, self._base):
            raise TypeError(f"{name}() arg 1 must be {self._base_words}")
        if not args:
            self.msg = kwargs.pop("msg", None)
            if kwargs:
                raise TypeError(f"{next(iter(kwargs))!r} is an invalid keyword argument for this function")
            return self
        function, *args = args
        self.obj_name = getattr(function, "__name__", str(function))
        with self:
            function(*args, **kwargs)

    def _fail(self, standard):
        raise self.test_case.failureException(self.test_case._formatMessage(self.msg, standard))

    def _name(self):
        expected = self.expected
        return getattr(expected, "__name__", None) or str(expected)


def _is_class_tuple(expected, base):
    if isinstance(expected, tuple):
        return all(_is_class_tuple(one, base) for one in expected)
    return isinstance(expected, type) and issubclass(expected, base)


class _AssertRaises(_Raising):
    _base = BaseException
    _base_words = "an exception type or tuple of exception types"

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is None:
            by = f" by {self.obj_name}" if self.obj_name else ""
            self._fail(f"{self._name()} not raised{by}")
        if not issubclass(kind, self.expected):
            return False
        self.exception = error
        if self.expected_regex is not None and not self.expected_regex.search(str(error)):
            self._fail(f'"{self.expected_regex.pattern}" does not match "{error}"')
        return True


class _AssertWarns(_Raising):
    _base = Warning
    _base_words = "a warning type or tuple of warning types"

    def __enter__(self):
        self._recorder = warnings.catch_warnings(record=True)
        self.warnings = self._recorder.__enter__()
        warnings.simplefilter("always", self.expected if isinstance(self.expected, type) else Warning)
        return self

    def __exit__(self, kind, error, traceback):
        self._recorder.__exit__(kind, error, traceback)
        if kind is not None:
            return
        first = None
        for caught in self.warnings:
            if not isinstance(caught.message, self.expected):
                continue
            if first is None:
                first = caught.message
            if self.expected_regex is not None and not self.expected_regex.search(str(caught.message)):
                continue
            self.warning = caught.message
            self.filename = caught.filename
            self.lineno = caught.lineno
            return
        if first is not None:
            self._fail(f'"{self.expected_regex.pattern}" does not match "{first}"')
        by = f" by {self.obj_name}" if self.obj_name else ""
        self._fail(f"{self._name()} not triggered{by}")


class _Records:
    def __init__(self):
        self.records = []
        self.output = []


class _Capture(logging.Handler):
    def __init__(self, text_format):
        super().__init__()
        self.setFormatter(logging.Formatter(text_format))
        self.watcher = _Records()

    def emit(self, record):
        self.watcher.records.append(record)
        self.watcher.output.append(self.format(record))


class _AssertLogs:
    """`assertLogs` and `assertNoLogs`."""

    LOGGING_FORMAT = "%(levelname)s:%(name)s:%(message)s"

    def __init__(self, case, logger, level, no_logs):
        self.test_case = case
        self.no_logs = no_logs
        self.logger = logger if isinstance(logger, logging.Logger) else logging.getLogger(logger)
        level = logging.INFO if level is None else level
        self.level = getattr(logging, level) if isinstance(level, str) else level

    def __enter__(self):
        logger = self.logger
        self._capture = _Capture(self.LOGGING_FORMAT)
        self._capture.setLevel(self.level)
        self._before = (logger.handlers[:], logger.level, logger.propagate)
        logger.handlers = [self._capture]
        logger.setLevel(self.level)
        logger.propagate = False
        return None if self.no_logs else self._capture.watcher

    def __exit__(self, kind, error, traceback):
        logger = self.logger
        logger.handlers, level, logger.propagate = self._before
        logger.setLevel(level)
        if kind is not None:
            return False
        watcher = self._capture.watcher
        level = logging.getLevelName(self.level)
        if self.no_logs and watcher.records:
            self._fail(f"Unexpected logs found: {watcher.output!r}")
        if not self.no_logs and not watcher.records:
            self._fail(f"no logs of level {level} or higher triggered on {self.logger.name}")

    def _fail(self, message):
        raise self.test_case.failureException(self.test_case._formatMessage(None, message))


class Assertions:
    """The `assert...` methods of a test."""

    def _formatMessage(self, msg, standardMsg):
        if not self.longMessage:
            return msg or standardMsg
        return standardMsg if msg is None else f"{standardMsg} : {msg}"

    def _claim(self, holds, msg, standard):
        if not holds:
            raise self.failureException(self._formatMessage(msg, standard()))

    def _truncateMessage(self, message, diff):
        if self.maxDiff is None or len(diff) <= self.maxDiff:
            return message + diff
        return message + f"\nDiff is {len(diff)} characters long. Set self.maxDiff to None to see it."

    def _default_type_equality(self):
        return {
            dict: "assertDictEqual",
            list: "assertListEqual",
            tuple: "assertTupleEqual",
            set: "assertSetEqual",
            frozenset: "assertSetEqual",
            str: "assertMultiLineEqual",
        }

    def addTypeEqualityFunc(self, typeobj, function):
        """assertEqual uses the function for two values of exactly this type."""
        self._type_equality[typeobj] = function

    def assertTrue(self, expr, msg=None):
        self._claim(expr, msg, lambda: f"{safe_repr(expr)} is not true")

    def assertFalse(self, expr, msg=None):
        self._claim(not expr, msg, lambda: f"{safe_repr(expr)} is not false")

    def assertEqual(self, first, second, msg=None):
        if type(first) is type(second) and type(first) in self._type_equality:
            compare = self._type_equality[type(first)]
            compare = getattr(self, compare) if isinstance(compare, str) else compare
            compare(first, second, msg=msg)
        else:
            self._claim(first == second, msg, lambda: "{} != {}".format(*shortened(first, second)))

    def assertNotEqual(self, first, second, msg=None):
        self._claim(first != second, msg, lambda: f"{safe_repr(first)} == {safe_repr(second)}")

    def assertIs(self, expr1, expr2, msg=None):
        self._claim(expr1 is expr2, msg, lambda: f"{safe_repr(expr1)} is not {safe_repr(expr2)}")

    def assertIsNot(self, expr1, expr2, msg=None):
        self._claim(expr1 is not expr2, msg, lambda: f"unexpectedly identical: {safe_repr(expr1)}")

    def assertIsNone(self, obj, msg=None):
        self._claim(obj is None, msg, lambda: f"{safe_repr(obj)} is not None")

    def assertIsNotNone(self, obj, msg=None):
        self._claim(obj is not None, msg, lambda: "unexpectedly None")

    def assertIn(self, member, container, msg=None):
        self._claim(member in container, msg, lambda: f"{safe_repr(member)} not found in {safe_repr(container)}")

    def assertNotIn(self, member, container, msg=None):
        self._claim(
            member not in container, msg, lambda: f"{safe_repr(member)} unexpectedly found in {safe_repr(container)}"
        )

    def assertIsInstance(self, obj, cls, msg=None):
        self._claim(isinstance(obj, cls), msg, lambda: f"{safe_repr(obj)} is not an instance of {cls!r}")

    def assertNotIsInstance(self, obj, cls, msg=None):
        self._claim(not isinstance(obj, cls), msg, lambda: f"{safe_repr(obj)} is an instance of {cls!r}")

    def assertLess(self, a, b, msg=None):
        self._claim(a < b, msg, lambda: f"{safe_repr(a)} not less than {safe_repr(b)}")

    def assertLessEqual(self, a, b, msg=None):
        self._claim(a <= b, msg, lambda: f"{safe_repr(a)} not less than or equal to {safe_repr(b)}")

    def assertGreater(self, a, b, msg=None):
        self._claim(a > b, msg, lambda: f"{safe_repr(a)} not greater than {safe_repr(b)}")

    def assertGreaterEqual(self, a, b, msg=None):
        self._claim(a >= b, msg, lambda: f"{safe_repr(a)} not greater than or equal to {safe_repr(b)}")

    def assertAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        if first == second:
            return
        close, standard = self._closeness(first, second, places, delta)
        self._claim(close, msg, lambda: standard.format("!=", "within"))

    def assertNotAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        close, standard = self._closeness(first, second, places, delta)
        self._claim(not (first == second) and not close, msg, lambda: standard.format("==", "within"))

    def _closeness(self, first, second, places, delta):
        if delta is not None and places is not None:
            raise TypeError("specify delta or places not both")
        difference = abs(first - second)
        shown = f"{safe_repr(first)} {{}} {safe_repr(second)} {{}} "
        if delta is not None:
            return difference <= delta, f"{shown}{safe_repr(delta)} delta ({safe_repr(difference)} difference)"
        places = 7 if places is None else places
        return round(difference, places) == 0, f"{shown}{places!r} places ({safe_repr(difference)} difference)"

    def assertSequenceEqual(self, seq1, seq2, msg=None, seq_type=None):
        name = "sequence"
        if seq_type is not None:
            name = seq_type.__name__
            for position, sequence in (("First", seq1), ("Second", seq2)):
                if not isinstance(sequence, seq_type):
                    raise self.failureException(f"{position} sequence is not a {name}: {safe_repr(sequence)}")
        differing = differences.of_sequences(seq1, seq2, name)
        if differing is not None:
            message, diff = differing
            self.fail(self._formatMessage(msg, self._truncateMessage(message, "\n" + diff)))

    def assertListEqual(self, list1, list2, msg=None):
        self.assertSequenceEqual(list1, list2, msg, seq_type=list)

    def assertTupleEqual(self, tuple1, tuple2, msg=None):
        self.assertSequenceEqual(tuple1, tuple2, msg, seq_type=tuple)

    def assertSetEqual(self, set1, set2, msg=None):
        try:
            left, right = set1.difference(set2), set2.difference(set1)
        except TypeError as error:
            self.fail(f"invalid type when attempting set difference: {error}")
        except AttributeError as error:
            self.fail(f"first argument does not support set difference: {error}")
        lines = []
        for name, only in (("first", left), ("second", right)):
            if only:
                lines.append(f"Items in the {name} set but not the {'second' if name == 'first' else 'first'}:")
                lines.extend(repr(item) for item in only)
        self._claim(not lines, msg, lambda: "\n".join(lines))

    def assertDictEqual(self, d1, d2, msg=None):
        self.assertIsInstance(d1, dict, "First argument is not a dictionary")
        self.assertIsInstance(d2, dict, "Second argument is not a dictionary")
        if d1 != d2:
            message = "{} != {}".format(*shortened(d1, d2))
            diff = differences.of_dicts(d1, d2)
            self.fail(self._formatMessage(msg, self._truncateMessage(message, "\n" + diff)))

    def assertMultiLineEqual(self, first, second, msg=None):
        self.assertIsInstance(first, str, "First argument is not a string")
        self.assertIsInstance(second, str, "Second argument is not a string")
        if first != second:
            message = "{} != {}".format(*shortened(first, second))
            diff = differences.of_texts(first, second)
            self.fail(self._formatMessage(msg, self._truncateMessage(message, "\n" + diff)))

    def assertCountEqual(self, first, second, msg=None):
        differing = count_differences(first, second)
        if differing:
            lines = [f"First has {left}, Second has {right}:  {item!r}" for left, right, item in differing]
            message = self._truncateMessage("Element counts were not equal:\n", "\n".join(lines))
            self.fail(self._formatMessage(msg, message))

    def assertRaises(self, expected_exception, *args, **kwargs):
        return _AssertRaises(expected_exception, self).handle("assertRaises", args, kwargs)

    def assertRaisesRegex(self, expected_exception, expected_regex, *args, **kwargs):
        return _AssertRaises(expected_exception, self, expected_regex).handle("assertRaisesRegex", args, kwargs)

    def assertWarns(self, expected_warning, *args, **kwargs):
        return _AssertWarns(expected_warning, self).handle("assertWarns", args, kwargs)

    def assertWarnsRegex(self, expected_warning, expected_regex, *args, **kwargs):
        return _AssertWarns(expected_warning, self, expected_regex).handle("assertWarnsRegex", args, kwargs)

    def assertLogs(self, logger=None, level=None):
        return _AssertLogs(self, logger, level, no_logs=False)

    def assertNoLogs(self, logger=None, level=None):
        return _AssertLogs(self, logger, level, no_logs=True)

    def assertRegex(self, text, expected_regex, msg=None):
        pattern = re.compile(expected_regex) if isinstance(expected_regex, (str, bytes)) else expected_regex
        self._claim(
            pattern.search(text), msg, lambda: f"Regex didn't match: {pattern.pattern!r} not found in {text!r}"
        )

    def assertNotRegex(self, text, unexpected_regex, msg=None):
        pattern = re.compile(unexpected_regex) if isinstance(unexpected_regex, (str, bytes)) else unexpected_regex
        match = pattern.search(text)
        self._claim(
            not match, msg, lambda: f"Regex matched: {match.group()!r} matches {pattern.pattern!r} in {text!r}"
        )
