"""absl's tests with parameters, found as tests of `unittest`."""
from absl.testing import absltest, parameterized


class SumTest(parameterized.TestCase):
    @parameterized.parameters((1, 2), (3, 4))
    def test_pairs(self, a, b):
        self.assertLess(a, b)

    @parameterized.named_parameters(("small", 1), ("large", 100))
    def test_named(self, n):
        self.assertLess(n, 10)

    @parameterized.product(m=[1, 2], n=[3])
    def test_product(self, m, n):
        if m == 2:
            self.skipTest("not two")


class Derived(SumTest):
    pass


if __name__ == "__main__":
    absltest.main()
