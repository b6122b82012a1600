"""unittest: what cases, subtests, skips, fixtures and assertions report, word by word."""

import io
import re
import unittest
from unittest import mock


class Fixtures(unittest.TestCase):
    log = []

    @classmethod
    def setUpClass(cls):
        cls.log.append("class up")

    @classmethod
    def tearDownClass(cls):
        cls.log.append("class down")

    def setUp(self):
        self.log.append(f"up {self._testMethodName}")
        self.addCleanup(self.log.append, "cleaned")

    def tearDown(self):
        self.log.append("down")

    def test_one(self):
        self.log.append("one")

    def test_two(self):
        """Has a docstring."""
        self.skipTest("not today")


class Outcomes(unittest.TestCase):
    def test_equal(self):
        self.assertEqual([1, 2, 3], [1, 2, 4])

    def test_error(self):
        {}["missing"]

    def test_subtests(self):
        for n in range(4):
            with self.subTest("even", n=n):
                self.assertEqual(n % 2, 0)

    @unittest.skip("always")
    def test_skipped(self):
        raise AssertionError

    @unittest.skipIf(True, "condition holds")
    def test_skipped_if(self):
        raise AssertionError

    @unittest.expectedFailure
    def test_expected(self):
        self.fail("on purpose")

    @unittest.expectedFailure
    def test_unexpected(self):
        pass


def report(*classes, verbosity=2):
    loader = unittest.TestLoader()
    suite = unittest.TestSuite([loader.loadTestsFromTestCase(cls) for cls in classes])
    stream = io.StringIO()
    result = unittest.TextTestRunner(stream=stream, verbosity=verbosity).run(suite)
    text = re.sub(r"in [0-9.]+s", "in TIME", stream.getvalue())
    print(re.sub(r'File ".*/', 'File "', text))
    print(result.testsRun, len(result.failures), len(result.errors), result.wasSuccessful())


report(Fixtures)
print(Fixtures.log)
report(Outcomes)
report(Fixtures, Outcomes, verbosity=1)


class Claims(unittest.TestCase):
    pass


case = Claims()
print(case, case.id(), repr(Outcomes("test_equal")), Outcomes("test_equal"))


def claim(name, *args, **kwargs):
    try:
        getattr(case, name)(*args, **kwargs)
        print(name, "holds")
    except AssertionError as error:
        print(f"{name}: {error}")


claim("assertTrue", 0)
claim("assertFalse", [1], "with words")
claim("assertEqual", 1, 2)
claim("assertEqual", (1, 2), (1, 2, 3))
claim("assertEqual", {"a": 1}, {"a": 2})
claim("assertEqual", {1, 2}, {2, 3})
claim("assertEqual", "same\nfirst\n", "same\nsecond\n")
claim("assertNotEqual", 1, 1)
claim("assertIs", None, 1)
claim("assertIsNone", 1)
claim("assertIsNotNone", None)
claim("assertIn", 1, [2])
claim("assertNotIn", 2, [2])
claim("assertIsInstance", 1, str)
claim("assertLess", 2, 1)
claim("assertGreaterEqual", 1, 2)
claim("assertAlmostEqual", 1.0, 1.1)
claim("assertAlmostEqual", 1.0, 1.1, delta=0.5)
claim("assertCountEqual", [1, 1, 2], [1, 2, 2])
claim("assertRegex", "text", "no+")
claim("assertRaises", ValueError, int, "7")
claim("assertRaises", ValueError, int, "x")
with case.assertRaisesRegex(ZeroDivisionError, "division") as caught:
    1 / 0
print(caught.exception)
try:
    with case.assertRaisesRegex(ValueError, "never"):
        raise ValueError("something else")
except AssertionError as error:
    print(error)
with case.assertLogs("somewhere", level="WARNING") as logs:
    import logging

    logging.getLogger("somewhere").warning("careful %d", 7)
print(logs.output)


class Target:
    value = 1

    def method(self):
        return "real"


with mock.patch.object(Target, "value", 2):
    print(Target.value)
with mock.patch.object(Target, "method", return_value="fake") as method:
    print(Target().method(1, a=2), method.call_count, method.call_args)
print(Target.value, Target().method())
fake = mock.MagicMock(side_effect=[1, ValueError("second")])
print(fake())
try:
    fake()
except ValueError as error:
    print(error, fake.call_count)
