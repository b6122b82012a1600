# Functions that are given something unknown do not refuse it, files and the machine are unknown; what Python code raises is
# still said.
# jax: NotImplementedError
import os
import tempfile

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

n = jnp.fromfile(3.5).shape[0]
#   ^ PL005 warning "not provided by Pallas Workbench yet"
rows = [jax.ShapeDtypeStruct((4, n), jnp.float32), pltpu.VMEM((n, 4), jnp.float32)]
iota = jax.lax.broadcasted_iota(jnp.int32, (n, 3), 0)
folder = os.path.join(tempfile.gettempdir(), "outputs")
size = os.path.getsize(folder) + os.stat(folder).st_size


def double(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


x = jnp.ones((8, 128))
if pltpu.is_tpu_device():
    x = pl.pallas_call(double, out_shape=x)(x)


def refuses(size, limit):
    if limit < 3:
        raise TypeError(f"{limit} is too small")
#       ^ PL001 error "2 is too small"
    return size


refuses(n, 2)
