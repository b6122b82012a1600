"""Test cases, their collection, and the report of a run, as the standard library has them."""

from .case import (
    FunctionTestCase,
    SkipTest,
    TestCase,
    addModuleCleanup,
    doModuleCleanups,
    enterModuleContext,
    expectedFailure,
    skip,
    skipIf,
    skipUnless,
)
from .loader import TestLoader, defaultTestLoader
from .main import TestProgram, main
from .result import TestResult
from .runner import TextTestResult, TextTestRunner
from .suite import BaseTestSuite, TestSuite
from . import case, loader, mock, result, runner, suite, util

__all__ = [
    "BaseTestSuite",
    "FunctionTestCase",
    "SkipTest",
    "TestCase",
    "TestLoader",
    "TestProgram",
    "TestResult",
    "TestSuite",
    "TextTestResult",
    "TextTestRunner",
    "addModuleCleanup",
    "defaultTestLoader",
    "doModuleCleanups",
    "enterModuleContext",
    "expectedFailure",
    "main",
    "skip",
    "skipIf",
    "skipUnless",
]
