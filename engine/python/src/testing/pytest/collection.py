"""Which tests there are: files are imported, and functions and classes called `test...` and `Test...` taken from them in the order
in which they stand there; one test for each set of parameters."""

import importlib
import inspect
import os
import sys
import unittest

from pytest import fixtures, provided
from pytest.items import Case, Function
from pytest.marks import Cases, marks_of
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
        namespaces = [self.module, *reversed(self.conftests), provided]
        found = []
        for name, value in list(vars(self.module).items()):
            if inspect.isclass(value):
                if issubclass(value, unittest.TestCase):
                    found += self._cases(value)
                elif self.config.option.names("python_classes", name):
                    found += self._class(value, namespaces, [name], [])
            elif self.config.option.names("python_functions", name) and _is_test(value):
                found += self._function(name, value, None, namespaces, [], [])
        return found

    def _class(self, cls, namespaces, names, marks):
        if "__init__" in vars(cls) or getattr(cls, "__test__", True) is False:
            return []
        marks = marks_of(cls) + marks
        namespaces = [cls, *namespaces]
        found = []
        for name in _in_order(cls):
            value = inspect.getattr_static(cls, name)
            if self.config.option.names("python_functions", name):
                static = isinstance(value, staticmethod)
                function = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
                if _is_test(function):
                    found += self._function(name, function, cls, namespaces, names, marks, static)
            elif inspect.isclass(value) and self.config.option.names("python_classes", name):
                found += self._class(value, namespaces, [*names, name], marks)
        return found

    def _cases(self, cls):
        if getattr(cls, "__test__", True) is False:
            return []
        names = unittest.defaultTestLoader.getTestCaseNames(cls)
        marks = marks_of(cls) + marks_of(self.module)
        return [Case(self, name, cls, marks_of(getattr(cls, name)) + marks) for name in names]

    def _function(self, name, function, cls, namespaces, names, marks, static=False):
        own = marks_of(function)
        outer = marks + marks_of(self.module)
        places = fixtures.Places(namespaces)
        is_method = cls is not None and not static
        arguments = fixtures.wanted(function, is_method)
        asked = self.config.option.settings["usefixtures"].split()
        asked += [each for mark in own + outer if mark.name == "usefixtures" for each in mark.args]
        closure = _closure(places.autouse() + asked + arguments, places)
        parametrized = [mark for mark in own + outer if mark.name == "parametrize"]
        cases = [Cases(*mark.args, **mark.kwargs) for mark in parametrized]
        cases += self._generated(name, function, cls, closure)
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
        made = [self, name, function, cls, names]
        given = [places, arguments, closure]
        return [Function(*made, own + chosen.marks + outer, *given, chosen, static) for chosen in sets]

    def _generated(self, name, function, cls, closure):
        """What `pytest_generate_tests` asks for, of the files called conftest.py and of the module."""
        asked = Metafunc(self, name, function, cls, closure)
        for each in [*self.conftests, self.module, *([cls()] if hasattr(cls, "pytest_generate_tests") else [])]:
            if hasattr(each, "pytest_generate_tests"):
                hook(each.pytest_generate_tests, metafunc=asked)
        return asked.cases


class Metafunc:
    """What `pytest_generate_tests` is told of a function, and what it asks for."""

    def __init__(self, module, name, function, cls, fixturenames):
        self.module = module.module
        self.config = module.config
        self.function = function
        self.cls = cls
        self.fixturenames = list(fixturenames)
        self.cases = []

    def parametrize(self, argnames, argvalues, indirect=False, ids=None, scope=None):
        self.cases.append(Cases(argnames, argvalues, indirect, ids, scope))


def hook(function, **available):
    """Calls a hook with what it asks for by name."""
    wanted = inspect.signature(function).parameters
    return function(**{name: value for name, value in available.items() if name in wanted})


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
