"""How tests with parameters are called, and which there are."""
import enum

import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore")


class Mode(enum.Enum):
    FAST = 1


@pytest.mark.parametrize("x", [0, 1.5, None, True, "text", b"bytes", Mode.FAST, np.float32, int, (1, 2), [3], {"a": 1}, len])
def test_ids(x):
    pass


@pytest.mark.parametrize("m,n", [(8, 128), pytest.param(16, 256, id="big"), pytest.param(1, 1, marks=pytest.mark.skip(reason="small"))])
@pytest.mark.parametrize("dtype", [np.float32, np.int8], ids=["f32", None])
def test_stacked(m, n, dtype):
    assert np.zeros((m, n), dtype).size == m * n


@pytest.mark.parametrize(["a"], [(1,), (1,), (2,)])
def test_repeated(a):
    pass


@pytest.mark.parametrize("value", [3, 4], ids=lambda value: f"v{value}" if value == 3 else None)
def test_named_by_a_function(value):
    assert value in (3, 4)


@pytest.fixture(params=[2, pytest.param(5, id="five"), "b"])
def base(request):
    return request.param


@pytest.fixture
def doubled(base):
    return base * 2


@pytest.mark.parametrize("k", [1, 2])
def test_with_a_fixture(doubled, k):
    assert doubled in (4, 10, "bb")


@pytest.mark.parametrize("base", [7], indirect=True)
def test_indirect(doubled):
    assert doubled == 14


@pytest.mark.parametrize("base", [9])
def test_in_the_place_of_a_fixture(doubled):
    assert doubled == 18


@pytest.mark.parametrize("n", [1, 2])
class TestClass:
    @pytest.mark.parametrize("m", [3])
    def test_method(self, m, n):
        assert m > n

    def test_other(self, n):
        assert n == 1


@pytest.mark.parametrize("none", [])
def test_no_values(none):
    pass
