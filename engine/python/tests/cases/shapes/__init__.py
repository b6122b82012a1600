"""Relative imports of every form."""
from . import flat
from .flat import area, square
from .flat.square import SIDE as side
import shapes.circle as circle
from .rename import rename

__all__ = ["area", "flat", "late"]
hidden = "not listed"


def __getattr__(name):
    if name == "lazy":
        return "made when asked for"
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
