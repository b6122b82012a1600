# A module that is nowhere.
# jax: ModuleNotFoundError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

import no_such_company.layouts as layouts
#^ PL002 warning "no_such_company"


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((8, 128))
print(pl.pallas_call(copy, out_shape=x, interpret=True)(x))
