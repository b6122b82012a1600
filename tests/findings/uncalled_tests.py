# Tests: what `parametrize` gives them is what they are analysed with, and nothing is made up in its place.
# jax: not run
import jax
import jax.numpy as jnp
import pytest
from jax.experimental import pallas as pl

SIZES = [(16, 128), (32, 256)]


def sum_kernel(flag_ref, x_ref, o_ref):
    # A number, as `flag` is one; of an array that is made up it would be none.
    @pl.when(flag_ref[0] > 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] = x_ref[...]


class TestSum:
    @pytest.mark.parametrize("flag", [1, 2])
    def test_of_ones(self, flag):
        x = jnp.ones((8, 128))
        sums = pl.pallas_call(sum_kernel, out_shape=x)(jnp.array([flag - 1.0]), x)
        assert sums.shape == (8, 128)


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


@pytest.mark.parametrize("block", [8, pytest.param(3, marks=pytest.mark.skip)])
@pytest.mark.parametrize(["rows", "columns"], SIZES)
def test_right(block, rows, columns):
    x = jnp.ones((rows, columns))
    spec = pl.BlockSpec((block, columns), lambda i: (i, 0))
    pl.pallas_call(copy, out_shape=x, grid=(rows // block,), in_specs=[spec], out_specs=spec)(x)


@pytest.mark.parametrize(argnames="extra", argvalues=[0, 1])
def test_wrong(extra):
    x = jnp.ones((64, 256))
    spec = pl.BlockSpec((16, 256), lambda i: (i, 0))
#                                  ^ PL120 error "a block that lies outside x_ref"
    pl.pallas_call(copy, out_shape=x, grid=(4 + extra,), in_specs=[spec], out_specs=spec)(x)


@pytest.mark.parametrize("block", [16])
def test_with_a_fixture(block, rows):
    x = jnp.ones((rows, 128))
    spec = pl.BlockSpec((block, 128), lambda i: (i, 0))
    pl.pallas_call(copy, out_shape=x, grid=(rows // block,), in_specs=[spec], out_specs=spec)(x)
