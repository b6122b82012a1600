"""Runs a test on its examples."""

import functools
import inspect
import unittest

from . import errors
from ._settings import settings
from ._source import Source
from .strategies import SearchStrategy

# Examples that do not count are made up for, up to this many times as many.
_RETRIES = 10


class HypothesisHandle:
    """What a decorated test carries."""

    def __init__(self, inner_test, given_kwargs):
        self.inner_test = inner_test
        self._given_kwargs = given_kwargs


def given(*given_arguments, **given_kwargs):
    """Calls the test for many values of the strategies. Positional ones belong to the last parameters."""
    if not given_arguments and not given_kwargs:
        raise errors.InvalidArgument("given must be called with at least one argument")
    for strategy in (*given_arguments, *given_kwargs.values()):
        if not isinstance(strategy, SearchStrategy):
            raise errors.InvalidArgument(f"Expected a SearchStrategy but got {strategy!r}")

    def decorator(test):
        strategies = dict(given_kwargs)
        if given_arguments:
            names = [
                name
                for name, parameter in inspect.signature(test).parameters.items()
                if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
            ]
            strategies.update(zip(names[len(names) - len(given_arguments) :], given_arguments))
        handle = HypothesisHandle(test, strategies)

        @functools.wraps(test)
        def run(*args, **kwargs):
            _run(run, handle, args, kwargs)

        run.hypothesis = handle
        run.is_hypothesis_test = True
        return run

    return decorator


def _run(run, handle, args, kwargs):
    chosen = getattr(run, "_hypothesis_settings", None)
    if chosen is None:
        chosen = getattr(handle.inner_test, "_hypothesis_settings", None) or settings.default
    for explicit in reversed(getattr(run, "_hypothesis_examples", ())):
        handle.inner_test(*args, **kwargs, **explicit)
    wanted = chosen.max_examples
    name = f"{run.__module__}.{run.__qualname__}"
    done = 0
    for index in range(wanted * _RETRIES):
        if done == wanted:
            break
        source = Source(name, index)
        drawn = {}
        try:
            for parameter, strategy in handle._given_kwargs.items():
                drawn[parameter] = strategy.do_draw(source)
            handle.inner_test(*args, **kwargs, **drawn)
        except errors.UnsatisfiedAssumption:
            continue
        except unittest.SkipTest:
            raise
        except Exception as error:
            shown = ", ".join(f"{parameter}={value!r}" for parameter, value in drawn.items())
            error.add_note(f"Falsifying example: {run.__name__}({shown})")
            raise
        done += 1
    if done == 0:
        raise errors.Unsatisfiable(f"Unable to satisfy assumptions of {run.__name__}")


def example(*args, **kwargs):
    """Also runs the test with these values."""

    def decorator(test):
        values = dict(kwargs)
        if args:
            handle = getattr(test, "hypothesis", None)
            inner = handle.inner_test if handle is not None else test
            names = list(inspect.signature(inner).parameters)
            values.update(zip(names[len(names) - len(args) :], args))
        test._hypothesis_examples = (*getattr(test, "_hypothesis_examples", ()), values)
        return test

    return decorator


def assume(condition):
    """The example counts only if the condition holds."""
    if not condition:
        raise errors.UnsatisfiedAssumption()
    return True


def reject():
    """The example does not count."""
    raise errors.UnsatisfiedAssumption()


def note(value):
    """Shown for failing examples; not kept here."""


def event(value, payload=""):
    """Counted for statistics; not kept here."""


def target(observation, *, label=""):
    """Guides the search; there is none here."""
    return observation


def seed(value):
    """Examples are the same in every run anyway."""
    return lambda test: test


def find(specifier, condition, **kwargs):
    """A value with the condition."""
    for index in range(settings.default.max_examples * _RETRIES):
        value = specifier.do_draw(Source("find", index))
        if condition(value):
            return value
    raise errors.NoSuchExample(f"No examples found of condition {condition}")
