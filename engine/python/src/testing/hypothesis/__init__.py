"""Tests over many generated examples. Examples are the same in every run; failing ones are reported, not made smaller."""

from . import errors, strategies
from ._settings import HealthCheck, Phase, Verbosity, settings
from .core import HypothesisHandle, assume, event, example, find, given, note, reject, seed, target
from . import core

__version__ = "6.136.9"
