# Which numbers are picked is not known before the program runs, but how many there are is: what is launched on them is checked.
# jax: runs
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

levels = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0], dtype=np.float32)
picked = np.asarray(jax.random.randint(jax.random.key(0), (256, 128), 0, 8))
x = levels[picked]
scale = np.arange(512, dtype=np.float32).reshape(4, 128)[picked[0, 0] % 4, None]


def kernel(x_ref, scale_ref, o_ref):
    o_ref[...] = x_ref[...] * scale_ref[...]


pl.pallas_call(
    kernel,
    grid=(4,),
    in_specs=[pl.BlockSpec((64, 128), lambda i: (i + 1, 0)), pl.BlockSpec((1, 128), lambda i: (0, 0))],
#                                     ^ PL120 error "program (3,): rows 256..320 of x_ref, which has 256"
    out_specs=pl.BlockSpec((64, 128), lambda i: (i, 0)),
    out_shape=jax.ShapeDtypeStruct(x.shape, jnp.float32),
    interpret=True,
)(x, scale)
