"""Which tests are run: `JAX_TEST_TARGETS` and `JAX_EXCLUDE_TEST_TARGETS` are patterns of names. One thread runs them."""

import contextlib
import os
import re
import unittest

from absl.testing import absltest
from jax._src import config

_TEST_TARGETS = config.string_flag("test_targets", os.getenv("JAX_TEST_TARGETS", ""), "Which tests to run.")
_EXCLUDE_TEST_TARGETS = config.string_flag(
    "exclude_test_targets", os.getenv("JAX_EXCLUDE_TEST_TARGETS", ""), "Which tests not to run."
)
TEST_NUM_THREADS = config.int_flag("jax_test_num_threads", 0, help="Threads that run tests.")


@contextlib.contextmanager
def thread_unsafe_test(condition=True):
    """Marks a test that must run alone; they all do."""
    yield


def thread_unsafe_test_class(condition=True):
    """Marks a class whose tests must run alone; they all do."""

    def decorate(cls):
        cls.thread_hostile = condition
        return cls

    return decorate


class JaxTestSuite(unittest.TestSuite):
    """Tests of JAX."""

    def __init__(self, suite):
        super().__init__(list(suite))


class JaxTestLoader(absltest.TestLoader):
    """Finds tests of JAX."""

    suiteClass = JaxTestSuite

    def getTestCaseNames(self, testCaseClass):
        names = super().getTestCaseNames(testCaseClass)
        wanted, unwanted = _TEST_TARGETS.value, _EXCLUDE_TEST_TARGETS.value
        full = lambda name: f"{testCaseClass.__name__}.{name}"
        if wanted:
            names = [name for name in names if re.search(wanted, full(name))]
        if unwanted:
            names = [name for name in names if not re.search(unwanted, full(name))]
        return names
