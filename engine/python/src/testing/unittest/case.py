"""One instance per test: its life from setUp to the cleanups, and how the outcome is told."""

import contextlib
import functools
import inspect
import sys
import types

from . import result as _result
from .assertions import Assertions
from .util import safe_repr, strclass


class SkipTest(Exception):
    """Raised in a test to skip it."""


class _UnexpectedSuccess(Exception):
    """A test marked with `expectedFailure` passed."""


_module_cleanups = []


def addModuleCleanup(function, /, *args, **kwargs):
    """Calls the function when the tests of the module are done."""
    _module_cleanups.append((function, args, kwargs))


def enterModuleContext(cm):
    """Enters a context manager until the tests of the module are done."""
    return _enter(cm, addModuleCleanup)


def doModuleCleanups():
    """Runs what `addModuleCleanup` was given, last in first out."""
    errors = []
    while _module_cleanups:
        function, args, kwargs = _module_cleanups.pop()
        try:
            function(*args, **kwargs)
        except Exception as error:
            errors.append(error)
    if errors:
        raise errors[0]


def _enter(cm, add_cleanup):
    cls = type(cm)
    if not hasattr(cls, "__enter__") or not hasattr(cls, "__exit__"):
        raise TypeError(
            f"'{cls.__module__}.{cls.__qualname__}' object does not support the context manager protocol"
        )
    value = cls.__enter__(cm)
    add_cleanup(cls.__exit__, cm, None, None, None)
    return value


def skip(reason):
    """Skips the decorated test or class."""

    def decorator(item):
        if not isinstance(item, type):

            @functools.wraps(item)
            def skipping(*args, **kwargs):
                raise SkipTest(reason)

            item = skipping
        item.__unittest_skip__ = True
        item.__unittest_skip_why__ = reason
        return item

    if isinstance(reason, types.FunctionType):
        item = reason
        reason = ""
        return decorator(item)
    return decorator


def _unchanged(item):
    return item


def skipIf(condition, reason):
    """Skips the decorated test or class where the condition holds."""
    return skip(reason) if condition else _unchanged


def skipUnless(condition, reason):
    """Skips the decorated test or class unless the condition holds."""
    return _unchanged if condition else skip(reason)


def expectedFailure(test_item):
    """The decorated test should fail; that it does counts as success."""
    test_item.__unittest_expecting_failure__ = True
    return test_item


class _Outcome:
    """What became of a running test so far."""

    def __init__(self, result=None):
        self.result = result
        self.success = True
        self.expecting_failure = False
        self.expected_failure = None
        self.tells_subtests = hasattr(result, "addSubTest")

    @contextlib.contextmanager
    def part(self, case, subtest=False):
        """Runs a part of a test; what it raises is told to the result."""
        before = self.success
        self.success = True
        try:
            yield
        except KeyboardInterrupt:
            raise
        except SkipTest as skipped:
            self.success = False
            _add_skip(self.result, case, str(skipped))
        except _StopTest:
            pass
        except BaseException:
            self.success = False
            info = sys.exc_info()
            if self.expecting_failure:
                self.expected_failure = info
            elif subtest:
                self.result.addSubTest(case.test_case, case, info)
            else:
                _add_error(self.result, case, info)
        else:
            if subtest and self.success:
                self.result.addSubTest(case.test_case, case, None)
        finally:
            self.success = self.success and before


class _StopTest(Exception):
    """Ends a test whose failing subtest is enough (failfast)."""


def _add_skip(result, case, reason):
    add = getattr(result, "addSkip", None)
    if add is not None:
        add(case, reason)
    else:
        result.addSuccess(case)


def _add_error(result, case, info):
    if issubclass(info[0], case.failureException):
        result.addFailure(case, info)
    else:
        result.addError(case, info)


class TestCase(Assertions):
    """A test; a class of them shares setUp and tearDown."""

    failureException = AssertionError
    longMessage = True
    maxDiff = 80 * 8
    _classSetupFailed = False

    def __init_subclass__(cls, *args, **kwargs):
        cls._class_cleanups = []
        super().__init_subclass__(*args, **kwargs)

    def __init__(self, methodName="runTest"):
        self._testMethodName = methodName
        self._outcome = None
        self._testMethodDoc = "No test"
        self._cleanups = []
        self._subtest = None
        self._type_equality = self._default_type_equality()
        try:
            method = getattr(self, methodName)
        except AttributeError:
            if methodName != "runTest":
                raise ValueError(f"no such test method in {self.__class__}: {methodName}")
        else:
            self._testMethodDoc = method.__doc__

    def setUp(self):
        """Before each test."""

    def tearDown(self):
        """After each test."""

    @classmethod
    def setUpClass(cls):
        """Before the tests of the class."""

    @classmethod
    def tearDownClass(cls):
        """After the tests of the class."""

    def countTestCases(self):
        return 1

    def defaultTestResult(self):
        return _result.TestResult()

    def shortDescription(self):
        """The first line of the test's docstring."""
        doc = self._testMethodDoc
        return doc.strip().split("\n")[0].strip() if doc else None

    def id(self):
        return f"{strclass(self.__class__)}.{self._testMethodName}"

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return self._testMethodName == other._testMethodName

    def __hash__(self):
        return hash((type(self), self._testMethodName))

    def __str__(self):
        return f"{self._testMethodName} ({strclass(self.__class__)}.{self._testMethodName})"

    def __repr__(self):
        return f"<{strclass(self.__class__)} testMethod={self._testMethodName}>"

    def addCleanup(self, function, /, *args, **kwargs):
        """Calls the function after tearDown, last in first out."""
        self._cleanups.append((function, args, kwargs))

    def enterContext(self, cm):
        """Enters a context manager until the test is done."""
        return _enter(cm, self.addCleanup)

    @classmethod
    def addClassCleanup(cls, function, /, *args, **kwargs):
        """Calls the function after tearDownClass."""
        cls._class_cleanups.append((function, args, kwargs))

    @classmethod
    def enterClassContext(cls, cm):
        """Enters a context manager until the tests of the class are done."""
        return _enter(cm, cls.addClassCleanup)

    def skipTest(self, reason):
        """Skips this test."""
        raise SkipTest(reason)

    def fail(self, msg=None):
        """Fails at once."""
        raise self.failureException(msg)

    @contextlib.contextmanager
    def subTest(self, msg=None, **params):
        """A part of a test that is reported on its own; the test goes on after its failure."""
        if self._outcome is None or not self._outcome.tells_subtests:
            yield
            return
        parent = self._subtest
        if parent is not None:
            params = {**parent.params, **params}
        self._subtest = _SubTest(self, msg, params)
        try:
            with self._outcome.part(self._subtest, subtest=True):
                yield
            if not self._outcome.success:
                result = self._outcome.result
                if result is not None and getattr(result, "failfast", False):
                    raise _StopTest
            elif self._outcome.expected_failure:
                raise _StopTest
        finally:
            self._subtest = parent

    def run(self, result=None):
        """Runs the test and tells `result` what became of it."""
        owns_result = result is None
        if owns_result:
            result = self.defaultTestResult()
            start = getattr(result, "startTestRun", None)
            if start is not None:
                start()
        result.startTest(self)
        try:
            method = getattr(self, self._testMethodName)
            marked = [item for item in (self.__class__, method) if getattr(item, "__unittest_skip__", False)]
            if marked:
                reasons = (getattr(item, "__unittest_skip_why__", "") for item in (self.__class__, method))
                _add_skip(result, self, next((reason for reason in reasons if reason), ""))
                return result
            expecting = getattr(self, "__unittest_expecting_failure__", False) or getattr(
                method, "__unittest_expecting_failure__", False
            )
            outcome = _Outcome(result)
            try:
                self._outcome = outcome
                with outcome.part(self):
                    self._callSetUp()
                if outcome.success:
                    outcome.expecting_failure = expecting
                    with outcome.part(self):
                        self._callTestMethod(method)
                    outcome.expecting_failure = False
                    with outcome.part(self):
                        self._callTearDown()
                self.doCleanups()
                if outcome.success:
                    if not expecting:
                        result.addSuccess(self)
                    elif outcome.expected_failure:
                        result.addExpectedFailure(self, outcome.expected_failure)
                    else:
                        result.addUnexpectedSuccess(self)
                elif expecting and outcome.expected_failure:
                    result.addExpectedFailure(self, outcome.expected_failure)
                return result
            finally:
                self._outcome = None
        finally:
            result.stopTest(self)
            if owns_result:
                stop = getattr(result, "stopTestRun", None)
                if stop is not None:
                    stop()

    def _callSetUp(self):
        self.setUp()

    def _callTestMethod(self, method):
        method()

    def _callTearDown(self):
        self.tearDown()

    def _callCleanup(self, function, /, *args, **kwargs):
        function(*args, **kwargs)

    def doCleanups(self):
        """Runs the cleanups; normally done after tearDown."""
        outcome = self._outcome or _Outcome()
        while self._cleanups:
            function, args, kwargs = self._cleanups.pop()
            with outcome.part(self):
                self._callCleanup(function, *args, **kwargs)
        return outcome.success

    @classmethod
    def doClassCleanups(cls):
        """Runs the cleanups of the class; normally done after tearDownClass."""
        cls.tearDown_exceptions = []
        while cls._class_cleanups:
            function, args, kwargs = cls._class_cleanups.pop()
            try:
                function(*args, **kwargs)
            except Exception:
                cls.tearDown_exceptions.append(sys.exc_info())

    def __call__(self, *args, **kwargs):
        return self.run(*args, **kwargs)

    def debug(self):
        """Runs the test without a result: exceptions go through."""
        method = getattr(self, self._testMethodName)
        for item in (self.__class__, method):
            if getattr(item, "__unittest_skip__", False):
                raise SkipTest(getattr(item, "__unittest_skip_why__", ""))
        self._callSetUp()
        self._callTestMethod(method)
        self._callTearDown()
        while self._cleanups:
            function, args, kwargs = self._cleanups.pop()
            self._callCleanup(function, *args, **kwargs)


class FunctionTestCase(TestCase):
    """A test made of functions."""

    def __init__(self, testFunc, setUp=None, tearDown=None, description=None):
        super().__init__()
        self._set_up = setUp
        self._tear_down = tearDown
        self._function = testFunc
        self._description = description

    def setUp(self):
        if self._set_up is not None:
            self._set_up()

    def tearDown(self):
        if self._tear_down is not None:
            self._tear_down()

    def runTest(self):
        self._function()

    def id(self):
        return self._function.__name__

    def __str__(self):
        return f"{strclass(self.__class__)} ({self._function.__name__})"

    def shortDescription(self):
        if self._description is not None:
            return self._description
        doc = self._function.__doc__
        return doc.split("\n")[0].strip() if doc else None


class _SubTest(TestCase):
    """A subtest in reports."""

    def __init__(self, test_case, message, params):
        super().__init__()
        self.test_case = test_case
        self.params = params
        self._message = message
        self.failureException = test_case.failureException

    def runTest(self):
        raise NotImplementedError("subtests cannot be run directly")

    def _description_of_parameters(self):
        parts = []
        if self._message is not None:
            parts.append(f"[{self._message}]")
        if self.params:
            shown = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
            parts.append(f"({shown})")
        return " ".join(parts) or "(<subtest>)"

    def id(self):
        return f"{self.test_case.id()} {self._description_of_parameters()}"

    def shortDescription(self):
        return self.test_case.shortDescription()

    def __str__(self):
        return f"{self.test_case} {self._description_of_parameters()}"
