"""Tests: functions and methods, and those of `unittest.TestCase`; how each is set up and called."""

import inspect
import pathlib
import sys
import unittest

import _tests
from pytest import fixtures
from pytest.marks import Mark, MarkDecorator
from pytest.outcomes import skip


class Item:
    """A test."""

    # Whether a subtest that fails is a failure of the test, too.
    fails_with_parts = True

    def __init__(self, module, name, cls, marks, class_names, function):
        self.file = module
        self.module = module.module
        self.config = module.config
        self.name = name
        self.cls = cls
        self.instance = None
        # Those of the function first, then those of what it stands in, from the inside out.
        self.marks = list(marks)
        self.class_names = list(class_names)
        # What it is made from: a name that stands in the file, and its lines (first decorator, itself, end).
        function = inspect.unwrap(getattr(function, "func", function))
        self.originalname = getattr(function, "__name__", name)
        self.lines = _tests.lines(function) or (1, 1, 1)
        # Its subtests: what each is called, and what ended it, if not its end.
        self.parts = []

    def add_marker(self, marker):
        self.marks.insert(0, marker.mark if isinstance(marker, MarkDecorator) else Mark(marker))

    def iter_markers(self, name=None):
        return (each for each in self.marks if name is None or each.name == name)

    def get_closest_marker(self, name, default=None):
        return next(self.iter_markers(name), default)

    @property
    def title(self):
        return ".".join([*self.class_names, self.name])

    @property
    def location(self):
        return (self.file.shown, self.lines[0] - 1, self.title)

    @property
    def path(self):
        return pathlib.Path(self.file.shown)

    fspath = path

    @property
    def keywords(self):
        names = [self.name, self.file.shown, *self.nodeid.split("::")[1:-1], *[each.name for each in self.marks]]
        return {each: True for each in names}

    def __repr__(self):
        return f"<{type(self).__name__} {self.name}>"


class Function(Item):
    """A function, or a method of a class of tests."""

    def __init__(self, module, name, function, cls, names, marks, places, arguments, closure, chosen, static):
        super().__init__(module, name, cls, marks, names, function)
        self.originalname = name
        if chosen.ids:
            self.name = f"{name}[{'-'.join(chosen.ids)}]"
        self.nodeid = "::".join([module.shown, *names, self.name])
        self.function = self.obj = function
        self.static = static
        self.places = places
        self.arguments = arguments
        self.fixturenames = closure
        self.params = chosen.params
        self.indirect = chosen.indirect
        self.fixture_params = chosen.fixture_params

    def scope_key(self, scope):
        if scope == "function":
            return id(self)
        if scope == "class":
            return id(self.cls) if self.cls else id(self)
        return id(self.module) if scope == "module" else None

    def set_up(self, setup):
        """Makes what the test is given."""
        if self.cls is not None:
            self.instance = self.cls()
        # What holds longer is made first.
        for scope in reversed(fixtures.SCOPES):
            _old_style(setup, self, scope)
            for name in self.fixturenames:
                definitions = self.places.all_named(name)
                if definitions and definitions[0].scope == scope and (name not in self.params or name in self.indirect):
                    setup.value(name, self)
        self.funcargs = {name: setup.value(name, self) for name in self.arguments}

    def call(self):
        if self.cls is None or self.static:
            self.function(**self.funcargs)
        else:
            getattr(self.instance, self.originalname)(**self.funcargs)


class Case(Item):
    """A test of a `unittest.TestCase`."""

    fixturenames = ()
    fails_with_parts = False

    def __init__(self, module, name, cls, marks):
        super().__init__(module, name, cls, marks, [cls.__name__], getattr(cls, name))
        self.nodeid = f"{module.shown}::{cls.__name__}::{name}"

    def scope_key(self, scope):
        return id(self.cls) if scope == "class" else id(self)

    def set_up(self, setup):
        key = ("setUpClass", id(self.cls))
        if key not in setup.made:
            setup.made[key] = None
            setup.stacks["class"].append((key, self._tear_down_class))
            self.cls.setUpClass()

    def _tear_down_class(self):
        self.cls.tearDownClass()
        self.cls.doClassCleanups()

    def call(self):
        result = _Raising(self)
        self.cls(self.name)(result)
        result.tell()


class _Raising(unittest.TestResult):
    """Keeps the first thing that went wrong, to raise it again."""

    problem = None
    reason = None

    def __init__(self, item):
        super().__init__()
        self._item = item

    def addError(self, test, err):
        self.problem = self.problem or err[1]

    addFailure = addError

    def addSubTest(self, test, subtest, err):
        self._item.parts.append((subtest._description_of_parameters(), err[1] if err else None))

    def addSkip(self, test, reason):
        if hasattr(test, "_description_of_parameters"):
            self._item.parts.append((test._description_of_parameters(), sys.exc_info()[1]))
        else:
            self.reason = reason

    def addExpectedFailure(self, test, err):
        self.reason = "expected failure"

    def addUnexpectedSuccess(self, test):
        self.problem = AssertionError("Unexpected success")

    def tell(self):
        if self.problem is not None:
            raise self.problem
        if self.reason is not None:
            skip(self.reason)


def _old_style(setup, item, scope):
    """`setup_module`, `setup_class`, `setup_method`, `setup_function`, and what takes down after them."""

    def once(scope, key, owner, begin, end, *args):
        if key in setup.made:
            return
        setup.made[key] = None
        if hasattr(owner, end):
            setup.stacks[scope].append((key, lambda: _call(getattr(owner, end), *args)))
        if hasattr(owner, begin):
            _call(getattr(owner, begin), *args)

    if scope == "module":
        once(scope, ("setup_module", id(item.module)), item.module, "setup_module", "teardown_module", item.module)
    elif scope == "class" and item.cls is not None:
        once(scope, ("setup_class", id(item.cls)), item.cls, "setup_class", "teardown_class")
    elif scope == "function" and item.cls is not None:
        method = getattr(item.instance, item.originalname)
        once(scope, ("setup_method", id(item)), item.instance, "setup_method", "teardown_method", method)
    elif scope == "function":
        key = ("setup_function", id(item))
        once(scope, key, item.module, "setup_function", "teardown_function", item.function)


def _call(function, *args):
    """With as many arguments as it takes."""
    count = len(inspect.signature(function).parameters)
    return function(*args[:count])
