"""Subtests: pytest's own, and those of `unittest`."""
import unittest

import pytest


def test_all_parts_pass(subtests):
    for i in range(2):
        with subtests.test("part", i=i):
            assert i < 2


def test_some_parts_fail(subtests):
    for i in range(3):
        with subtests.test(msg="even", i=i):
            assert i % 2 == 0
    with subtests.test():
        pytest.skip("not here")
    with subtests.test("known"):
        pytest.xfail("it is")


def test_fails_after_a_part(subtests):
    with subtests.test(i=1):
        raise ValueError("in the part")
    assert 1 == 2


@pytest.mark.parametrize("n", [1, 2])
def test_parts_and_parameters(n, subtests):
    with subtests.test(n=n):
        assert n == 1


class CaseWithParts(unittest.TestCase):
    def test_parts(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertEqual(i % 2, 0)
        self.assertTrue(True)

    def test_skipped_part(self):
        with self.subTest("first"):
            self.skipTest("no")
        with self.subTest("second"):
            pass
