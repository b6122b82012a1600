from . import cycle_a
from .cycle_a import value
