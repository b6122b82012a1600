"""`unittest.main`: runs the tests of a program, and ends it with the status that says how they went."""

import sys

from . import loader, runner


class TestProgram:
    """Reads the command line, loads, runs, exits."""

    def __init__(
        self,
        module="__main__",
        defaultTest=None,
        argv=None,
        testRunner=None,
        testLoader=loader.defaultTestLoader,
        exit=True,
        verbosity=1,
        failfast=None,
        catchbreak=None,
        buffer=None,
        warnings=None,
        *,
        tb_locals=False,
    ):
        self.module = sys.modules[module] if isinstance(module, str) else module
        self.testLoader = testLoader
        self.testRunner = testRunner
        self.verbosity = verbosity
        self.failfast = bool(failfast)
        self.buffer = bool(buffer)
        self.exit = exit
        self.progName = (argv or sys.argv)[0]
        names = self.parseArgs(list(argv if argv is not None else sys.argv)[1:])
        if not names and defaultTest is not None:
            names = [defaultTest] if isinstance(defaultTest, str) else list(defaultTest)
        if names:
            self.test = testLoader.loadTestsFromNames(names, self.module)
        else:
            self.test = testLoader.loadTestsFromModule(self.module)
        self.runTests()

    def parseArgs(self, arguments):
        """Takes the options that are known; what is left are names of tests."""
        names = []
        arguments = iter(arguments)
        for argument in arguments:
            if argument in ("-v", "--verbose"):
                self.verbosity = 2
            elif argument in ("-q", "--quiet"):
                self.verbosity = 0
            elif argument in ("-f", "--failfast"):
                self.failfast = True
            elif argument in ("-b", "--buffer"):
                self.buffer = True
            elif argument == "-k":
                pattern = next(arguments, "")
                pattern = pattern if "*" in pattern else f"*{pattern}*"
                self.testLoader.testNamePatterns = [*(self.testLoader.testNamePatterns or []), pattern]
            elif not argument.startswith("-"):
                names.append(argument)
        return names

    def runTests(self):
        test_runner = self.testRunner or runner.TextTestRunner
        if isinstance(test_runner, type):
            test_runner = test_runner(verbosity=self.verbosity, failfast=self.failfast, buffer=self.buffer)
        self.result = test_runner.run(self.test)
        if self.exit:
            sys.exit(not self.result.wasSuccessful())


main = TestProgram
