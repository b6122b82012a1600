"""typing_extensions: what newer versions of typing have."""

from typing import *
import typing as _typing


def override(method):
    """The method itself."""
    return method


def deprecated(message, *, category=None, stacklevel=1):
    """The function itself."""
    return lambda function: function


def __getattr__(name):
    return getattr(_typing, name)
