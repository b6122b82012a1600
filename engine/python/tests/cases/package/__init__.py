"""A package."""
from .first import one
from . import second
__all__ = ["one", "second"]
print("package loaded", __name__, __package__)
hidden = 1
