"""What became of the tests of a run."""

import sys
import traceback


class TestResult:
    """Collects outcomes."""

    def __init__(self, stream=None, descriptions=None, verbosity=None):
        self.failfast = False
        self.failures = []
        self.errors = []
        self.testsRun = 0
        self.skipped = []
        self.expectedFailures = []
        self.unexpectedSuccesses = []
        self.shouldStop = False
        self.buffer = False
        self.tb_locals = False

    def printErrors(self):
        """For results that print."""

    def startTest(self, test):
        self.testsRun += 1

    def startTestRun(self):
        """Before the first test."""

    def stopTest(self, test):
        """After a test."""

    def stopTestRun(self):
        """After the last test."""

    def _stop_if_failfast(self):
        if self.failfast:
            self.stop()

    def addError(self, test, err):
        self._stop_if_failfast()
        self.errors.append((test, self._text_of(err)))

    def addFailure(self, test, err):
        self._stop_if_failfast()
        self.failures.append((test, self._text_of(err)))

    def addSubTest(self, test, subtest, err):
        if err is None:
            return
        self._stop_if_failfast()
        listing = self.failures if issubclass(err[0], test.failureException) else self.errors
        listing.append((subtest, self._text_of(err)))

    def addSuccess(self, test):
        """The test passed."""

    def addSkip(self, test, reason):
        self.skipped.append((test, reason))

    def addExpectedFailure(self, test, err):
        self.expectedFailures.append((test, self._text_of(err)))

    def addUnexpectedSuccess(self, test):
        self._stop_if_failfast()
        self.unexpectedSuccesses.append(test)

    def wasSuccessful(self):
        return not (self.failures or self.errors or self.unexpectedSuccesses)

    def stop(self):
        self.shouldStop = True

    def _text_of(self, err):
        return "".join(traceback.format_exception(err[0], err[1], err[2]))

    def __repr__(self):
        return (
            f"<unittest.result.TestResult run={self.testsRun} errors={len(self.errors)} failures={len(self.failures)}>"
        )
