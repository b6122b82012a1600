"""Suites: tests in an order, with the setup of their classes and modules around them."""

import sys

from . import case
from .util import strclass


class BaseTestSuite:
    """Tests in an order."""

    def __init__(self, tests=()):
        self._tests = []
        self.addTests(tests)

    def __repr__(self):
        return f"<{strclass(self.__class__)} tests={list(self)}>"

    def __eq__(self, other):
        if not isinstance(other, self.__class__):
            return NotImplemented
        return list(self) == list(other)

    def __iter__(self):
        return iter(self._tests)

    def countTestCases(self):
        return sum(test.countTestCases() for test in self)

    def addTest(self, test):
        if not callable(test):
            raise TypeError(f"{test!r} is not callable")
        if isinstance(test, type) and issubclass(test, (case.TestCase, TestSuite)):
            raise TypeError("TestCases and TestSuites must be instantiated before passing them to addTest()")
        self._tests.append(test)

    def addTests(self, tests):
        if isinstance(tests, str):
            raise TypeError("tests must be an iterable of tests, not a string")
        for test in tests:
            self.addTest(test)

    def run(self, result):
        for test in self:
            if result.shouldStop:
                break
            test(result)
        return result

    def __call__(self, *args, **kwargs):
        return self.run(*args, **kwargs)

    def debug(self):
        for test in self:
            test.debug()


class _Fixture:
    """Stands in reports for a class or module whose setup failed."""

    failureException = AssertionError

    def __init__(self, description):
        self.description = description

    def id(self):
        return self.description

    def shortDescription(self):
        return None

    def __str__(self):
        return self.description

    def countTestCases(self):
        return 0


class TestSuite(BaseTestSuite):
    """Tests in an order; classes and modules are set up before their first test and torn down after their last."""

    def run(self, result, debug=False):
        outermost = not getattr(result, "_in_run", False)
        if outermost:
            result._in_run = True
            result._class = None
            result._module_failed = False
        for test in self:
            if result.shouldStop:
                break
            if not isinstance(test, BaseTestSuite):
                self._change_class(type(test), result)
                if result._module_failed or getattr(type(test), "_classSetupFailed", False):
                    continue
            test(result)
        if outermost:
            self._change_class(None, result)
            result._in_run = False
        return result

    def _change_class(self, cls, result):
        before = result._class
        if cls is before:
            return
        if before is not None:
            self._tear_down_class(before, result)
        module_before = getattr(before, "__module__", None)
        module = getattr(cls, "__module__", None)
        if module != module_before:
            self._leave_module(module_before, result)
            result._module_failed = False
            self._enter_module(module, result)
        result._class = cls
        if cls is not None and not result._module_failed:
            self._set_up_class(cls, result)

    def _set_up_class(self, cls, result):
        if getattr(cls, "__unittest_skip__", False):
            return
        set_up = getattr(cls, "setUpClass", None)
        if set_up is None:
            return
        cls._classSetupFailed = False
        try:
            set_up()
        except Exception as error:
            cls._classSetupFailed = True
            self._failed(result, f"setUpClass ({strclass(cls)})", error)
            cls.doClassCleanups()

    def _tear_down_class(self, cls, result):
        failed = getattr(cls, "_classSetupFailed", False)
        if failed or result._module_failed or getattr(cls, "__unittest_skip__", False):
            return
        tear_down = getattr(cls, "tearDownClass", None)
        if tear_down is None:
            return
        try:
            tear_down()
        except Exception as error:
            self._failed(result, f"tearDownClass ({strclass(cls)})", error)
        cls.doClassCleanups()
        for info in cls.tearDown_exceptions:
            self._failed(result, f"tearDownClass ({strclass(cls)})", info[1])

    def _enter_module(self, name, result):
        set_up = getattr(sys.modules.get(name), "setUpModule", None)
        if set_up is not None:
            try:
                set_up()
            except Exception as error:
                result._module_failed = True
                self._failed(result, f"setUpModule ({name})", error)

    def _leave_module(self, name, result):
        if name is None or result._module_failed:
            return
        tear_down = getattr(sys.modules.get(name), "tearDownModule", None)
        try:
            if tear_down is not None:
                tear_down()
            case.doModuleCleanups()
        except Exception as error:
            self._failed(result, f"tearDownModule ({name})", error)

    def _failed(self, result, description, error):
        fixture = _Fixture(description)
        if isinstance(error, case.SkipTest):
            result.addSkip(fixture, str(error))
        else:
            result.addError(fixture, (type(error), error, error.__traceback__))
