"""Tests generated from parameters: the methods of a class are made when the class is."""

import collections.abc
import functools
import itertools
import re
import types
import unittest

from absl.testing import absltest

_ADDRESS = re.compile(r"\<([a-zA-Z0-9_\-\.]+) object at 0x[a-fA-F0-9]+\>")


class NoTestsError(Exception):
    """A decorator without parameters."""


class DuplicateTestNameError(Exception):
    """Two tests of a class have the same name."""

    def __init__(self, test_class_name, new_test_name, original_test_name):
        super().__init__(
            f"Duplicate parameterized test name in {test_class_name}: generated test name {new_test_name!r} "
            f"(generated from {original_test_name!r}) already exists. Consider using named_parameters() to give your "
            "tests unique names and/or renaming the conflicting test method."
        )


def _repr(value):
    return _ADDRESS.sub(r"<\1>", repr(value))


def _is_listing(value):
    return isinstance(value, collections.abc.Iterable) and not isinstance(value, (str, bytes))


def _shown(parameters):
    if isinstance(parameters, collections.abc.Mapping):
        return ", ".join(f"{name}={_repr(value)}" for name, value in parameters.items())
    if _is_listing(parameters):
        return ", ".join(map(_repr, parameters))
    return _repr(parameters)


class _ParameterizedTestIter:
    """A test method with its parameters: iterates over the methods to be generated."""

    def __init__(self, test_method, testcases, is_named, original_name=None):
        self._test_method = test_method
        self.testcases = testcases
        self._is_named = is_named
        self._original_name = original_name or test_method.__name__
        self.__name__ = "_ParameterizedTestIter"

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "You appear to be running a parameterized test case without having inherited from parameterized.TestCase. "
            "This is bad because none of your test cases are actually being run. You may also be using another "
            "decorator before the parameterized one, in which case you should reverse the order."
        )

    def __iter__(self):
        return (self._bound(parameters) for parameters in self.testcases)

    def _bound(self, parameters):
        method = self._test_method
        name = None
        if self._is_named:
            name, parameters = self._split_name(parameters)
        elif isinstance(parameters, types.GeneratorType):
            parameters = tuple(parameters)

        @functools.wraps(method)
        def bound_param_test(self):
            if isinstance(parameters, collections.abc.Mapping):
                return method(self, **parameters)
            if _is_listing(parameters):
                return method(self, *parameters)
            return method(self, parameters)

        if self._is_named:
            bound_param_test.__x_use_name__ = True
            bound_param_test.__name__ = self._full_name(name)
        else:
            bound_param_test.__x_params_repr__ = f"({_shown(parameters)})"
        bound_param_test.__doc__ = f"{bound_param_test.__name__}({_shown(parameters)})"
        if method.__doc__:
            bound_param_test.__doc__ += f"\n{method.__doc__}"
        return bound_param_test

    def _full_name(self, name):
        snake = self._original_name.startswith("test_") and name and not name.startswith("_")
        return self._original_name + ("_" if snake else "") + str(name)

    def _split_name(self, parameters):
        if isinstance(parameters, collections.abc.Mapping):
            if "testcase_name" not in parameters:
                raise RuntimeError('Dict for named tests must contain key "testcase_name"')
            rest = {name: value for name, value in parameters.items() if name != "testcase_name"}
            return parameters["testcase_name"], rest
        if _is_listing(parameters):
            if not isinstance(parameters[0], str):
                raise RuntimeError(
                    "The first element of named test parameters is the test name suffix and must be a string"
                )
            return parameters[0], parameters[1:]
        raise RuntimeError("Named tests must be passed a dict or non-string iterable.")


def _add_tests(class_name, namespace, reprs, name, methods):
    """Puts the generated methods of `name` into a class's namespace."""
    for index, method in enumerate(methods):
        if not callable(method):
            raise AssertionError(f"Test generators must yield callables, got {method!r}")
        is_named = getattr(method, "__x_use_name__", False)
        shown = getattr(method, "__x_params_repr__", "")
        if not is_named and not shown:
            raise RuntimeError(
                f"{class_name}.{name} generated a test function without using the parameterized decorators. "
                "Only tests generated using the decorators are supported."
            )
        original = method.__name__ if is_named else name
        new_name = original if is_named else f"{name}{index}"
        if new_name in namespace:
            raise DuplicateTestNameError(class_name, new_name, original)
        namespace[new_name] = method
        reprs[new_name] = shown


def _decorate_class(cls, testcases, is_named):
    if getattr(cls, "_test_params_reprs", None):
        raise AssertionError(
            f"Cannot add parameters to {cls}. Either it already has parameterized methods, or its super class is also "
            "a parameterized class."
        )
    cls._test_params_reprs = reprs = {}
    for name, method in dict(cls.__dict__).items():
        if name.startswith(unittest.TestLoader.testMethodPrefix) and isinstance(method, types.FunctionType):
            delattr(cls, name)
            generated = {}
            methods = _ParameterizedTestIter(method, testcases, is_named, name)
            _add_tests(cls.__name__, generated, reprs, name, methods)
            for new_name, new_method in generated.items():
                setattr(cls, new_name, new_method)


def _decorator(is_named, testcases):
    if (
        len(testcases) == 1
        and not isinstance(testcases[0], tuple)
        and not isinstance(testcases[0], collections.abc.Mapping)
    ):
        if not _is_listing(testcases[0]):
            raise AssertionError("Single parameter argument must be a non-string non-Mapping iterable")
        testcases = testcases[0]
    if not isinstance(testcases, collections.abc.Sequence):
        testcases = list(testcases)
    if not testcases:
        raise NoTestsError(
            "parameterized test decorators did not generate any tests. Make sure you specify non-empty parameters, "
            "and do not reuse generators more than once."
        )

    def apply(item):
        if isinstance(item, type):
            _decorate_class(item, testcases, is_named)
            return item
        return _ParameterizedTestIter(item, testcases, is_named)

    return apply


def parameters(*testcases):
    """One test for each set of arguments; they are numbered."""
    return _decorator(False, testcases)


def named_parameters(*testcases):
    """One test for each set of arguments; the first one, or `testcase_name`, is its name."""
    return _decorator(True, testcases)


def product(*kwargs_seqs, **testgrid):
    """One test for each combination of the values."""
    for name, values in testgrid.items():
        if not isinstance(values, (list, tuple)):
            raise AssertionError(f"Values of {name} must be given as list or tuple, found {type(values)}")
    taken = set()
    for sequence in kwargs_seqs:
        if not isinstance(sequence, (list, tuple)) or not all(isinstance(one, dict) for one in sequence):
            raise AssertionError(f"Positional parameters must be a sequence of keyword argdicts, found {sequence}")
        if sequence:
            names = set(sequence[0])
            if not all(set(one) == names for one in sequence):
                raise AssertionError(
                    "Keyword argument dicts within a single parameter must all have the same keys, "
                    f"found {sequence}"
                )
            if names & taken:
                raise AssertionError(
                    "Keyword argument dict sequences must all have distinct argument names, "
                    f"found duplicate(s) {sorted(names & taken)}"
                )
            taken |= names
    if taken & set(testgrid):
        raise AssertionError(
            "Arguments supplied in kwargs dicts in positional parameters must not overlap with arguments supplied as "
            f"named parameters; found duplicate argument(s) {sorted(taken & set(testgrid))}"
        )
    grid = [*kwargs_seqs, *([{name: value} for value in values] for name, values in testgrid.items())]
    testcases = []
    for combination in itertools.product(*grid):
        merged = {}
        for one in combination:
            merged.update(one)
        testcases.append(merged)
    return _decorator(False, testcases)


class TestGeneratorMetaclass(type):
    """Replaces parameterised methods by the tests that they stand for."""

    def __new__(mcs, class_name, bases, dct):
        reprs = dct.setdefault("_test_params_reprs", {})
        for name, item in list(dct.items()):
            if name.startswith(unittest.TestLoader.testMethodPrefix) and _is_listing(item):
                if isinstance(item, _ParameterizedTestIter):
                    item._original_name = name
                methods = iter(item)
                dct.pop(name)
                _add_tests(class_name, dct, reprs, name, methods)
        for base in bases:
            inherited = getattr(base, "_test_params_reprs", None)
            if inherited and issubclass(base, TestCase):
                for name, shown in inherited.items():
                    reprs.setdefault(name, shown)
        return type.__new__(mcs, class_name, bases, dct)


class TestCase(absltest.TestCase, metaclass=TestGeneratorMetaclass):
    """What classes with parameterised methods derive from."""

    def _get_params_repr(self):
        return self._test_params_reprs.get(self._testMethodName, "")

    def __str__(self):
        shown = self._get_params_repr()
        name = f"{self._testMethodName} {shown}" if shown else self._testMethodName
        return f"{name} ({unittest.util.strclass(self.__class__)})"

    def id(self):
        """The name with the parameters."""
        base = super().id()
        shown = self._get_params_repr()
        return f"{base} {shown}" if shown else base


def CoopTestCase(other_base_class):
    """A base for tests that also derive from a class with a metaclass of its own."""
    if type(other_base_class) is type:

        class CoopTestCaseBase(other_base_class, TestCase):
            pass

    else:

        class CoopMetaclass(type(other_base_class), TestGeneratorMetaclass):
            pass

        class CoopTestCaseBase(other_base_class, TestCase, metaclass=CoopMetaclass):
            pass

    return CoopTestCaseBase
