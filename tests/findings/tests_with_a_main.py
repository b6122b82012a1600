# A file of tests that runs itself: its tests are analysed one by one, and what one of them takes is not the others'.
# jax: not run
import sys

import jax.numpy as jnp
import pytest
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


@pytest.mark.parametrize("seed", range(2))
def test_that_takes_long(seed):
    total = seed
    while total < 10**9:
        total += 1


def test_that_is_wrong():
    x = jnp.ones((64, 256))
    spec = pl.BlockSpec((16, 256), lambda i: (i, 0))
#                                  ^ PL120 error "a block that lies outside x_ref"
    pl.pallas_call(copy, out_shape=x, grid=(5,), in_specs=[spec], out_specs=spec, interpret=True)(x)


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))
