# Python values made from arrays: analysis does not know them, and says nothing of them.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

import numpy as np


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def launch(x, n, block):
    spec = pl.BlockSpec((block,), lambda i: (i,))
    return pl.pallas_call(copy, grid=(pl.cdiv(n, block),), out_shape=x, in_specs=[spec], out_specs=spec, interpret=True)(x)


key = jax.random.key(0)
lengths = jax.random.randint(key, (8,), 100, 128)
n = int(jnp.max(lengths)) // 128 + 128
x = jnp.arange(128.0)
y = launch(x, n, 32)
print(f"{y.sum():.3f} {float(y[3]):8.2f} {y.mean().item():g} {y[0]:>6}")
if jnp.allclose(x, y):
    print("equal")
elif y[0] > 3:
    raise ValueError("the first element is wrong")
assert jnp.array_equal(x, y)
assert bool((x == y).all()), "differs"
np.testing.assert_allclose(np.asarray(y), np.arange(128.0))
steps = 0
while float(jnp.abs(x).max()) > 1.0:
    x = x / 2.0
    steps += 1
rows = [row for row in range(int(lengths[0])) if row % 2 == 0]
table = {int(length): index for index, length in enumerate(lengths)}
print(len(rows) > 0, len(table) > 0, y.tolist()[0], steps > 0, x.shape[0] // max(steps, 1) > 0)
