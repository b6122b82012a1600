"""Whether a test is to be run, and whether it is expected to fail: what the marks skip, skipif and xfail say."""

import os
import platform
import sys

import _tests
from pytest.outcomes import UsageError


def skipped(item):
    """Why a test is not run, if it is not."""
    for mark in item.iter_markers("skipif"):
        held = _held(mark, item)
        if held is not None:
            return mark.kwargs.get("reason") or f"condition: {held}"
    for mark in item.iter_markers("skip"):
        return mark.kwargs.get("reason", mark.args[0] if mark.args else "unconditional skip")
    return None


def expected_failure(item):
    """The mark that says that a test fails."""
    for mark in item.iter_markers("xfail"):
        if not mark.args and "condition" not in mark.kwargs:
            return mark
        if _held(mark, item) is not None:
            return mark
    return None


def _held(mark, item):
    """The condition of a mark that holds."""
    for each in mark.args or (mark.kwargs.get("condition", True),):
        if isinstance(each, str):
            if _of_text(mark, each, item):
                return each
        else:
            if mark.name == "skipif" and "reason" not in mark.kwargs:
                raise UsageError(
                    f"Error evaluating '{mark.name}': you need to specify reason=STRING when using booleans as conditions."
                )
            if each:
                return each
    return None


def _of_text(mark, text, item):
    """The value of a condition that is an expression as text, with the names of the test's module."""
    names = {"os": os, "sys": sys, "platform": platform, "config": item.config, **vars(item.module)}
    try:
        return _tests.condition(text, **names)
    except Exception as error:
        kind = type(error).__name__
        raise UsageError(f"Error evaluating '{mark.name}' condition\n    {text}\n{kind}: {error}") from None
