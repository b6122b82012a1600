# Objects with configuration that nothing says more of than what is read of them: an object of the file's, an instance of a class of its
# own, or one made of the names alone. Each function is reached, and its grid is wrong.
# jax: not run
import dataclasses

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...]


@dataclasses.dataclass(frozen=True)
class Tiles:
    rows: int = 8
    columns: int = 128


@dataclasses.dataclass(frozen=True)
class Depth:
    stages: int
    slots: int = 2

    @property
    def rows(self):
        return self.stages * self.slots


DEEP = Depth(stages=4)


def by_class(x, tiles):
    m, n = x.shape
    block = pl.BlockSpec((tiles.rows, tiles.columns), lambda i, j: (i, 0))
#                                                     ^ PL106 error "called with 1 program id"
    return pl.pallas_call(kernel, grid=(m // tiles.rows,), in_specs=[block], out_shape=x)(x)


def by_instance(x, depth):
    m, n = x.shape
    block = pl.BlockSpec((depth.rows, n), lambda i, j: (i, 0))
#                                         ^ PL106 error "called with 1 program id"
    return pl.pallas_call(kernel, grid=(m // depth.rows,), in_specs=[block], out_shape=x)(x)


def by_names(x, options):
    m, n = x.shape
    if options.use_padding:
        x = jnp.pad(x, ((0, options.block_m), (0, 0)))
    block = pl.BlockSpec((options.block_m, n), lambda i, j: (i, 0))
#                                              ^ PL106 error "called with 1 program id"
    return pl.pallas_call(kernel, grid=(m // options.block_m,), in_specs=[block], out_shape=x)(x)


def passed_on(x, sizes):
    return launched(x, rows=sizes.row_block)


def launched(x, *, rows):
    m, n = x.shape
    block = pl.BlockSpec((rows, n), lambda i, j: (i, 0))
#                                   ^ PL106 error "called with 1 program id"
    return pl.pallas_call(kernel, grid=(m // rows,), in_specs=[block], out_shape=x)(x)
