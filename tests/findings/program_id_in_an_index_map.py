# An index map has the program ids as parameters. Interpret mode lets it ask for them, a TPU does not compile that.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((512, 128))
pl.pallas_call(
    copy,
    grid=(4,),
    in_specs=[pl.BlockSpec((128, 128), lambda i: (pl.program_id(0), 0))],
#                                                 ^ PL113 warning "index map's own parameter"
    out_specs=pl.BlockSpec((128, 128), lambda i: (i, 0)),
    out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
    interpret=True,
)(x)
