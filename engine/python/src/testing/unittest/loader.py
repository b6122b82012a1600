"""Finds tests in classes and modules."""

import functools
import sys
import types

from . import case, suite


class TestLoader:
    """Makes suites of what it finds."""

    testMethodPrefix = "test"
    sortTestMethodsUsing = staticmethod(lambda first, second: (first > second) - (first < second))
    testNamePatterns = None
    suiteClass = suite.TestSuite

    def __init__(self):
        self.errors = []

    def getTestCaseNames(self, testCaseClass):
        """The names of the test methods, sorted."""

        def is_test(name):
            if not name.startswith(self.testMethodPrefix) or not callable(getattr(testCaseClass, name)):
                return False
            full = f"{testCaseClass.__module__}.{testCaseClass.__qualname__}.{name}"
            patterns = self.testNamePatterns
            return patterns is None or any(_matches(full, pattern) for pattern in patterns)

        names = [name for name in dir(testCaseClass) if is_test(name)]
        if self.sortTestMethodsUsing:
            names.sort(key=functools.cmp_to_key(self.sortTestMethodsUsing))
        return names

    def loadTestsFromTestCase(self, testCaseClass):
        """One test for each method."""
        if issubclass(testCaseClass, suite.TestSuite):
            raise TypeError("Test cases should not be derived from TestSuite. Maybe you meant to derive from TestCase?")
        names = self.getTestCaseNames(testCaseClass)
        if not names and hasattr(testCaseClass, "runTest"):
            names = ["runTest"]
        return self.suiteClass(map(testCaseClass, names))

    def loadTestsFromModule(self, module, *, pattern=None):
        """The tests of every test class of a module."""
        tests = []
        for name in dir(module):
            item = getattr(module, name)
            if (
                isinstance(item, type)
                and issubclass(item, case.TestCase)
                and item not in (case.TestCase, case.FunctionTestCase)
            ):
                tests.append(self.loadTestsFromTestCase(item))
        tests = self.suiteClass(tests)
        load_tests = getattr(module, "load_tests", None)
        return load_tests(self, tests, pattern) if load_tests is not None else tests

    def loadTestsFromName(self, name, module=None):
        """The tests that a dotted name stands for: a module, a class, a method, or a callable that makes tests."""
        parts = name.split(".")
        if module is None:
            for end in range(len(parts), 0, -1):
                try:
                    module = _import(".".join(parts[:end]))
                except ImportError:
                    if end == 1:
                        raise
                    continue
                parts = parts[end:]
                break
        item = module
        parent = None
        for part in parts:
            parent, item = item, getattr(item, part)
        if isinstance(item, types.ModuleType):
            return self.loadTestsFromModule(item)
        if isinstance(item, type) and issubclass(item, case.TestCase):
            return self.loadTestsFromTestCase(item)
        if isinstance(parent, type) and issubclass(parent, case.TestCase):
            return self.suiteClass([parent(parts[-1])])
        if isinstance(item, suite.TestSuite):
            return item
        if callable(item):
            test = item()
            if isinstance(test, suite.TestSuite):
                return test
            if isinstance(test, case.TestCase):
                return self.suiteClass([test])
            raise TypeError(f"calling {item} returned {test}, not a test")
        raise TypeError(f"don't know how to make test from: {item}")

    def loadTestsFromNames(self, names, module=None):
        """One suite of all the names."""
        return self.suiteClass([self.loadTestsFromName(name, module) for name in names])


def _import(name):
    module = __import__(name)
    return sys.modules.get(name, module)


def _matches(name, pattern):
    """Shell patterns: `*` and `?`."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(_matches(name[start:], pattern[1:]) for start in range(len(name) + 1))
    return bool(name) and pattern[0] in ("?", name[0]) and _matches(name[1:], pattern[1:])


defaultTestLoader = TestLoader()
