# What only accelerators say of themselves, masks that are found again in a dictionary, shapes of what is not known: analysis
# does not know them, and says nothing of them.
# jax: AttributeError
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu


@dataclasses.dataclass(frozen=True)
class Mask:
    array: np.ndarray

    def __eq__(self, other):
        return isinstance(other, Mask) and np.array_equal(self.array, other.array)

    def __hash__(self):
        return hash((type(self), self.array.tobytes()))


@dataclasses.dataclass(frozen=True)
class Sizes:
    total: int


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


mask = Mask(np.tri(8, dtype=np.bool_))
places = {mask: 0, Sizes(int(jnp.arange(3.0).sum())): 1}
print(places[mask], mask in places, len({mask, mask}) > 0)
scratch = plgpu.SMEM((8, 128), jnp.float32, transforms=())
cores = jax.devices()[0].core_count or jax.local_devices()[0].num_cores
x = jnp.arange(128.0)
y = pl.pallas_call(copy, grid=(cores,), out_shape=x, interpret=True)(x)
unknown = jax.eval_shape(lambda x: (x, jnp.fromfile(3.5)), x)
#                                      ^ PL005 warning "not provided by Pallas Workbench yet"
print(unknown[0].shape, unknown[1].shape, jax.eval_shape(jnp.sin, unknown[1]))
print(jax.devices()[0].cores)
#     ^ PL312 error "has no attribute 'cores'"
