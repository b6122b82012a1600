# Nobody calls these functions. What is wrong with every argument is found; what may be an argument's fault is not.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def element_offsets(x: jax.Array):
    n, = x.shape
    return pl.pallas_call(
        copy,
        grid=(n // 128,),
        in_specs=[pl.BlockSpec((128,), lambda i: (i * 128,))],
#                                      ^ PL120 warning "program (1,)"
        out_specs=pl.BlockSpec((128,), lambda i: (i,)),
        out_shape=jax.ShapeDtypeStruct((n,), x.dtype),
    )(x)


def too_few_results(x: jax.Array):
    return pl.pallas_call(
        copy,
        grid=(2, 2),
        in_specs=[pl.BlockSpec((8, 128), lambda i, j: (i,))],
#                                        ^ PL107 error "returns 1 block index"
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
    )(x)


def misspelled(x):
    y = jnp.zeross_like(x)
#       ^ PL312 error "zeross_like"
    return pl.pallas_call(copy, out_shape=y)(x)


# Which lengths and ranks its arguments have is not known: there may be some that fit.
def of_other_ranks(x, w):
    return pl.pallas_call(copy, out_shape=x)(jnp.dot(x, w.reshape(3, 5, 7)))
