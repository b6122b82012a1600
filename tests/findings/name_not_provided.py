# Names that JAX has, and that are not provided: what depends on them is unknown, the rest is checked.
# jax: NotImplementedError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.numpy import fromfile
#^ PL005 warning "jax.numpy.fromfile"


def kernel(x_ref, o_ref):
    o_ref[0] = x_ref[0]


weights = jnp.fromfile(3.5, dtype=jnp.float32)
#         ^ PL005 warning "not provided by Pallas Workbench yet"
more = fromfile(2.5) + weights
size = more.shape[0] if hasattr(jnp, "fromfile") else 2
pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((1,), jnp.float32), interpret=True)(weights)
