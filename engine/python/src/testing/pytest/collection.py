"""Which tests there are: files are imported, and functions and classes called `test...` and `Test...` taken from them in the order
in which they stand there; one test for each set of parameters."""

import importlib
import inspect
import os
import sys
import unittest

from pytest import fixtures
from pytest.marks import Cases, Mark, MarkDecorator, marks_of
from pytest.outcomes import UsageError


class Module:
    """A file of tests."""

    def __init__(self, path, config):
        self.path = path
        self.config = config
        self.shown = os.path.normpath(path)
        self.conftests = [_import(each) for each in _conftests(path)]
        for conftest in self.conftests:
            config.adopt(conftest)
        self.module = _import(path)

    def items(self):
        namespaces = [self.module, *reversed(self.conftests), fixtures]
        found = []
        for name, value in list(vars(self.module).items()):
            if inspect.isclass(value):
                if issubclass(value, unittest.TestCase):
                    found += self._cases(value)
                elif name.startswith("Test"):
                    found += self._class(value, namespaces, [name], [])
            elif name.startswith("test") and _is_test(value):
                found += self._function(name, value, None, namespaces, [], [])
        return found

    def _class(self, cls, namespaces, names, marks):
        if "__init__" in vars(cls) or getattr(cls, "__test__", True) is False:
            return []
        marks = marks + marks_of(cls)
        namespaces = [cls, *namespaces]
        found = []
        for name in _in_order(cls):
            value = inspect.getattr_static(cls, name)
            if name.startswith("test"):
                static = isinstance(value, staticmethod)
                function = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
                if _is_test(function):
                    found += self._function(name, function, cls, namespaces, names, marks, static)
            elif inspect.isclass(value) and name.startswith("Test"):
                found += self._class(value, namespaces, [*names, name], marks)
        return found

    def _cases(self, cls):
        if getattr(cls, "__test__", True) is False:
            return []
        names = unittest.defaultTestLoader.getTestCaseNames(cls)
        marks = marks_of(self.module) + marks_of(cls)
        return [Case(self, name, cls, marks + marks_of(getattr(cls, name))) for name in names]

    def _function(self, name, function, cls, namespaces, names, marks, static=False):
        # Those nearest to the function come first.
        own = marks_of(function)
        all_marks = marks_of(self.module) + marks + own
        places = fixtures.Places(namespaces)
        is_method = cls is not None and not static
        arguments = fixtures.wanted(function, is_method)
        asked = [each for mark in all_marks if mark.name == "usefixtures" for each in mark.args]
        closure = _closure(places.autouse() + asked + arguments, places)
        parametrized = [mark for mark in own + list(reversed(marks_of(self.module) + marks)) if mark.name == "parametrize"]
        cases = [Cases(*mark.args, **mark.kwargs) for mark in parametrized]
        direct = {each for case in cases for each in case.names}
        sets = [Choice()]
        for each in closure:
            definitions = places.all_named(each)
            if each in direct or not definitions or definitions[0].cases is None:
                continue
            sets = [chosen.with_fixture(each, case, id) for chosen in sets for case, id in definitions[0].cases]
        for each in cases:
            missing = [name for name in each.names if name not in closure and name not in arguments]
            if missing:
                raise UsageError(f"In {name}: function uses no argument '{missing[0]}'")
            sets = [chosen.with_case(each, case, id) for chosen in sets for case, id in each]
        return [Function(self, name, function, cls, names, all_marks, places, arguments, closure, chosen, static) for chosen in sets]


class Choice:
    """The parameters of one test."""

    def __init__(self, params=None, indirect=(), fixture_params=None, ids=(), marks=()):
        self.params = params or {}
        self.indirect = set(indirect)
        self.fixture_params = fixture_params or {}
        self.ids = list(ids)
        self.marks = list(marks)

    def with_case(self, cases, case, id):
        params = {**self.params, **dict(zip(cases.names, case))}
        indirect = self.indirect | set(cases.indirect)
        return Choice(params, indirect, self.fixture_params, [*self.ids, id], [*self.marks, *case.marks])

    def with_fixture(self, name, case, id):
        made = {**self.fixture_params, name: case[0]}
        return Choice(self.params, self.indirect, made, [*self.ids, id], [*self.marks, *case.marks])


class Item:
    """A test."""

    def __init__(self, module, name, cls, marks):
        self.file = module
        self.module = module.module
        self.config = module.config
        self.name = name
        self.cls = cls
        self.instance = None
        self.marks = list(marks)

    def add_marker(self, marker):
        self.marks.append(marker.mark if isinstance(marker, MarkDecorator) else Mark(marker))

    def iter_markers(self, name=None):
        return (each for each in reversed(self.marks) if name is None or each.name == name)

    def get_closest_marker(self, name, default=None):
        return next(self.iter_markers(name), default)

    @property
    def keywords(self):
        names = [self.name, self.file.shown, *self.nodeid.split("::")[1:-1], *[each.name for each in self.marks]]
        return {each: True for each in names}

    def __repr__(self):
        return f"<{type(self).__name__} {self.name}>"


class Function(Item):
    """A function, or a method of a class of tests."""

    def __init__(self, module, name, function, cls, names, marks, places, arguments, closure, chosen, static):
        super().__init__(module, name, cls, marks + chosen.marks)
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

    def __init__(self, module, name, cls, marks):
        super().__init__(module, name, cls, marks)
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
        result = _Raising()
        self.cls(self.name)(result)
        result.tell()


class _Raising(unittest.TestResult):
    """Keeps the first thing that went wrong, to raise it again."""

    problem = None
    reason = None

    def addError(self, test, err):
        self.problem = self.problem or err[1]

    addFailure = addError

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.addError(test, err)

    def addSkip(self, test, reason):
        self.reason = reason

    def addExpectedFailure(self, test, err):
        self.reason = "expected failure"

    def addUnexpectedSuccess(self, test):
        self.problem = AssertionError("Unexpected success")

    def tell(self):
        from pytest.outcomes import skip

        if self.problem is not None:
            raise self.problem
        if self.reason is not None:
            skip(self.reason)


def _closure(names, places):
    """The fixtures that are made for a test, with those that they ask for, in order and without repeats."""
    found = []

    def add(name):
        if name not in found:
            found.append(name)
        for definition in places.all_named(name)[:1]:
            function = getattr(definition.function, "__func__", definition.function)
            for each in inspect.signature(function).parameters:
                if each not in found and (places.all_named(each) or each == "request"):
                    add(each)

    for name in names:
        add(name)
    return found


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


def _is_test(value):
    return inspect.isfunction(value) or hasattr(value, "__wrapped__") or type(value).__name__ == "partial"


def _in_order(cls):
    names = []
    for each in reversed(cls.__mro__):
        names += [name for name in vars(each) if name not in names]
    return names


def _conftests(path):
    """Files called conftest.py beside a test and above it, the outermost first. Where this was started is the end of a path from
    there; of other paths, what belongs to no package and has no conftest.py."""
    found = []
    folder = os.path.dirname(path)
    while True:
        conftest = os.path.join(folder, "conftest.py")
        has_one = os.path.exists(conftest)
        if has_one:
            found.append(conftest)
        parent = os.path.dirname(folder)
        goes_on = not os.path.isabs(path) or has_one or os.path.exists(os.path.join(folder, "__init__.py"))
        if parent == folder or not goes_on:
            return list(reversed(found))
        folder = parent


_imported = {}


def _import(path):
    """The module of a file, imported as part of its package, or by its name with its folder in front of the others."""
    path = os.path.normpath(path)
    if path in _imported:
        return _imported[path]
    folder, name = os.path.dirname(path), os.path.basename(path)[: -len(".py")]
    while folder and os.path.exists(os.path.join(folder, "__init__.py")):
        name = f"{os.path.basename(folder)}.{name}"
        folder = os.path.dirname(folder)
    if name in sys.modules:
        sys.modules.pop(name)
    # Of modules of one name in several folders, that of this folder is meant.
    sys.path[:] = [folder or ".", *[each for each in sys.path if each != (folder or ".")]]
    _imported[path] = importlib.import_module(name)
    return _imported[path]
