"""The ways in which tests end."""
import sys
import unittest
import warnings

import numpy as np
import pytest


def test_passes():
    assert True


def test_fails():
    assert 1 == 2


def test_fails_by_word():
    pytest.fail("said so")


def test_raises_something():
    raise ValueError("bad")


def test_skips():
    pytest.skip("not here")


@pytest.mark.skip(reason="never")
def test_marked():
    raise AssertionError


@pytest.mark.skipif(sys.version_info >= (3,), reason="not on 3")
def test_conditional():
    raise AssertionError


@pytest.mark.xfail(reason="known")
def test_expected():
    assert 0


@pytest.mark.xfail
def test_unexpected():
    pass


@pytest.mark.xfail(strict=True, reason="must fail")
def test_strict():
    pass


@pytest.mark.xfail(raises=ZeroDivisionError)
def test_other_exception():
    raise KeyError("x")


def test_xfail_inside():
    pytest.xfail("gives up")


def test_unknown_fixture(nothing_of_the_kind):
    pass


def test_exceptions():
    with pytest.raises(ValueError, match=r"a.c") as info:
        raise ValueError("abc")
    assert info.type is ValueError and str(info.value) == "abc"
    with pytest.raises((KeyError, TypeError)):
        {}["k"]
    assert pytest.raises(ZeroDivisionError, lambda x: 1 / x, 0).typename == "ZeroDivisionError"


def test_does_not_raise():
    with pytest.raises(ValueError):
        pass


def test_raises_another():
    with pytest.raises(ValueError):
        raise KeyError


def test_does_not_match():
    with pytest.raises(ValueError, match="x"):
        raise ValueError("y")


def test_warns():
    with pytest.warns(UserWarning, match="care"):
        warnings.warn("take care")


def test_near():
    assert 0.1 + 0.2 == pytest.approx(0.3)
    assert [0.1 + 0.2, 1] == pytest.approx([0.3, 1])
    assert {"a": 1.0000001} == pytest.approx({"a": 1})
    assert np.array([0.1 + 0.2, 1]) == pytest.approx(np.array([0.3, 1]))
    assert 1.1 != pytest.approx(1) and 1.1 == pytest.approx(1, rel=0.2) and 105 == pytest.approx(100, abs=5)
    assert float("nan") != pytest.approx(float("nan")) and float("nan") == pytest.approx(float("nan"), nan_ok=True)


def test_not_near():
    assert 1.5 == pytest.approx(1)


class TestPlain(unittest.TestCase):
    def setUp(self):
        self.x = 3

    def test_one(self):
        self.assertEqual(self.x, 3)

    def test_two(self):
        self.assertEqual(self.x, 4)

    @unittest.skip("later")
    def test_three(self):
        pass


class Helper:
    def test_is_not_collected(self):
        raise AssertionError


@pytest.mark.slow
def test_marked_slow():
    pass
