"""absl.testing.parameterized: which tests it makes, what they are called, and what it refuses."""

import unittest

from absl.testing import absltest, parameterized


class Sums(parameterized.TestCase):
    @parameterized.parameters((1, 2, 3), (2, 2, 5), {"a": 0, "b": 0, "total": 0})
    def test_sum(self, a, b, total):
        self.assertEqual(a + b, total)

    @parameterized.parameters(1, 2)
    def test_single(self, value):
        self.assertGreater(value, 0)

    @parameterized.named_parameters(("small", 1), ("_large", 100), {"testcase_name": "dict", "value": 3})
    def test_named(self, value):
        self.assertLess(value, 50)

    @parameterized.product(a=[1, 2], b=("x", "y"))
    def test_product(self, a, b):
        self.assertLen(b * a, a)

    @parameterized.product([dict(a=1, b=2), dict(a=3, b=4)], c=[5, 6])
    def test_product_of_dicts(self, a, b, c):
        self.assertBetween(c, a, 6)

    def test_plain(self):
        self.assertEmpty([])


@parameterized.parameters((1,), (2,))
class Everywhere(parameterized.TestCase):
    def test_positive(self, value):
        self.assertGreater(value, 0)


class Derived(Sums):
    def test_plain(self):
        self.assertNotEmpty([1])


for cls in (Sums, Everywhere, Derived):
    suite = unittest.TestLoader().loadTestsFromTestCase(cls)
    for test in suite:
        result = unittest.TestResult()
        test.run(result)
        print(test._testMethodName, "|", test, "|", test.id(), "|", result.wasSuccessful())

print(Sums("test_sum0").shortDescription())
for make in (
    lambda: parameterized.parameters(),
    lambda: parameterized.parameters(7),
    lambda: parameterized.product(a=3),
    lambda: parameterized.product([dict(a=1)], a=[2]),
):
    try:
        make()
    except Exception as error:
        print(type(error).__name__, error)
try:

    class Twice(parameterized.TestCase):
        @parameterized.named_parameters(("same", 1), ("same", 2))
        def test_it(self, value):
            pass

except Exception as error:
    print(type(error).__name__, error)


class Absl(absltest.TestCase):
    pass


case = Absl()
for name, args in [
    ("assertLen", ([1, 2], 3)),
    ("assertEmpty", ([1],)),
    ("assertStartsWith", ("text", "x")),
    ("assertBetween", (5, 1, 2)),
    ("assertNoCommonElements", ([1], [1, 2])),
]:
    try:
        getattr(case, name)(*args)
    except AssertionError as error:
        print(name, str(error).splitlines()[0])
