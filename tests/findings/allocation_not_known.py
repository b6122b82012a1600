# An allocation of a kind that is not known is no mistake of the program; its kernel is left alone.
# jax: NotImplementedError
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

buffers = jnp.fromfile(3.5)
#         ^ PL005 warning "not provided by Pallas Workbench yet"


def kernel(x_ref, o_ref):
    @pl.with_scoped(buffers)
    def run(ref):
        o_ref[...] = x_ref[...]

    run()
#   ^ PL005 warning "what is allocated here is not known"


pl.pallas_call(kernel, out_shape=jnp.ones((8, 128)))(jnp.ones((8, 128)))
