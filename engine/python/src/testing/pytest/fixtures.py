"""What tests are given: functions marked with `fixture`, made when a test asks for them by name and taken down at the end of
their scope. Parameters of fixtures multiply tests."""

import functools
import inspect

from pytest.marks import Cases

SCOPES = ("function", "class", "module", "package", "session")


class FixtureLookupError(LookupError):
    """A test asks for what nobody makes."""


class Definition:
    """A fixture as it is declared."""

    def __init__(self, function, name=None, scope="function", params=None, ids=None, autouse=False):
        self.function = function
        self.name = name or function.__name__
        self.scope = scope
        self.cases = None if params is None else Cases(self.name, params, ids=ids)
        self.autouse = autouse

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            f'Fixture "{self.name}" called directly. Fixtures are not meant to be called directly,\n'
            "but are created automatically when test functions request them as parameters."
        )


def fixture(fixture_function=None, *, scope="function", params=None, autouse=False, ids=None, name=None):
    """Makes a function a fixture."""
    if callable(scope):
        scope = scope(fixture_name=name, config=None)
    if scope not in SCOPES:
        raise ValueError(f"Unexpected scope {scope!r}: one of {', '.join(SCOPES)}")

    def decorate(function):
        return Definition(function, name, scope, params, ids, autouse)

    return decorate if fixture_function is None else decorate(fixture_function)


def wanted(function, is_method):
    """The names of the fixtures that a function asks for."""
    if isinstance(function, functools.partial):
        given = set(function.keywords)
        return [name for name in wanted(function.func, is_method) if name not in given]
    parameters = list(inspect.signature(function).parameters.values())
    if is_method:
        parameters = parameters[1:]
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = [each.name for each in parameters if each.kind in kinds and each.default is inspect.Parameter.empty]
    # What `unittest.mock.patch` gives comes first.
    return names[_patched(function) :]


def _patched(function):
    if not hasattr(function, "patchings"):
        return 0
    from unittest import mock

    return len([each for each in function.patchings if each.new is mock.DEFAULT and not each.attribute_name])


class Places:
    """Where fixtures are looked for: the class of a test, its module, files called conftest.py, and those built in."""

    def __init__(self, namespaces):
        self.namespaces = [_definitions(each) for each in namespaces]

    def all_named(self, name):
        """The definitions of a name, the nearest first: a fixture may ask for the one that it replaces."""
        return [namespace[name] for namespace in self.namespaces if name in namespace]

    def autouse(self):
        """The names of those that every test gets, from the outside in."""
        names = []
        for namespace in reversed(self.namespaces):
            names += [name for name, each in namespace.items() if each.autouse and name not in names]
        return sorted(names, key=lambda name: -SCOPES.index(self.all_named(name)[0].scope))


def _definitions(namespace):
    if inspect.isclass(namespace):
        found = {}
        for cls in reversed(namespace.__mro__):
            found.update(_definitions(dict(cls.__dict__)))
        return found
    names = namespace if isinstance(namespace, dict) else vars(namespace)
    return {each.name: each for each in list(names.values()) if isinstance(each, Definition)}


class FixtureRequest:
    """What a fixture, or a test, can ask about the test that it is made for."""

    def __init__(self, setup, item, definition=None, param=None, has_param=False):
        self._setup = setup
        self.node = item
        self._definition = definition
        self.fixturename = definition.name if definition else None
        self.scope = definition.scope if definition else "function"
        self._finalizers = []
        if has_param:
            self.param = param

    function = property(lambda self: self.node.function)
    cls = property(lambda self: self.node.cls)
    instance = property(lambda self: self.node.instance)
    module = property(lambda self: self.node.module)
    keywords = property(lambda self: self.node.keywords)
    config = property(lambda self: self.node.config)
    fixturenames = property(lambda self: list(self.node.fixturenames))

    def getfixturevalue(self, argname):
        return self._setup.value(argname, self.node)

    def addfinalizer(self, finalizer):
        self._finalizers.append(finalizer)

    def applymarker(self, marker):
        self.node.add_marker(marker)


class Setup:
    """The fixtures that are made: each once in its scope. Scopes are taken down in the opposite order."""

    def __init__(self):
        self.made = {}
        self.stacks = {scope: [] for scope in SCOPES}
        self.making = []

    def value(self, name, item):
        """The value of a fixture for a test."""
        if name in item.params and name not in item.indirect:
            return item.params[name]
        if name == "request":
            return FixtureRequest(self, item)
        definitions = item.places.all_named(name)
        # One that asks for its own name means the one that it replaces.
        definitions = definitions[len([each for each in self.making if each[0] == name]) :]
        if not definitions:
            known = sorted({each for namespace in item.places.namespaces for each in namespace} | {"request"})
            raise FixtureLookupError(f"fixture '{name}' not found\navailable fixtures: {', '.join(known)}")
        definition = definitions[0]
        has_param = name in item.params or name in item.fixture_params
        param = item.params[name] if name in item.params else item.fixture_params.get(name)
        key = (definition, item.scope_key(definition.scope))
        if key in self.made:
            value, made_for = self.made[key]
            if made_for is param or made_for == param:
                return value
            self.take_down_one(definition.scope, key)
        value = self.make(definition, item, name, param, has_param, key)
        self.made[key] = (value, param)
        return value

    def make(self, definition, item, name, param, has_param, key):
        request = FixtureRequest(self, item, definition, param, has_param)
        self.making.append((name, definition))
        try:
            is_method = bool(item.cls) and definition in _definitions(item.cls).values()
            function = definition.function
            is_static = isinstance(function, staticmethod)
            if isinstance(function, (staticmethod, classmethod)):
                function = function.__func__
            arguments = {}
            for each in wanted(function, is_method and not is_static):
                arguments[each] = request if each == "request" else self.value(each, item)
        finally:
            self.making.pop()
        if is_method and not is_static:
            owner = item.cls if isinstance(definition.function, classmethod) else item.instance
            function = functools.partial(function, owner if owner is not None else item.cls())
        stack = self.stacks[definition.scope]
        stack.append((key, lambda: self._finish(request._finalizers)))
        value = function(**arguments)
        if inspect.isgeneratorfunction(definition.function):
            generator, value = value, next(value)
            request._finalizers.append(lambda: _end(generator, definition.name))
        return value

    def _finish(self, finalizers):
        while finalizers:
            finalizers.pop()()

    def take_down_one(self, scope, key):
        """Takes down one fixture and those that were made after it."""
        stack = self.stacks[scope]
        while stack:
            last, finish = stack.pop()
            self.made.pop(last, None)
            finish()
            if last == key:
                return

    def take_down(self, scope):
        """Takes down all fixtures of a scope, and of those inside. The exceptions on the way."""
        errors = []
        for inner in SCOPES[: SCOPES.index(scope) + 1]:
            stack = self.stacks[inner]
            while stack:
                key, finish = stack.pop()
                self.made.pop(key, None)
                try:
                    finish()
                except (Exception, SystemExit) as error:
                    errors.append(error)
        return errors


def _end(generator, name):
    try:
        next(generator)
    except StopIteration:
        return
    raise ValueError(f"fixture function has more than one 'yield': {name}")
