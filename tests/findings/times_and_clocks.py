# What a clock says is known when the program runs: nothing is divided by a time of zero before.
# jax: runs
import time
import timeit

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((8, 128))
launch = pl.pallas_call(kernel, out_shape=x, interpret=True)
start = time.perf_counter()
launch(x)
seconds = time.perf_counter() - start
print(f"{x.size / seconds:.1f} elements a second")
best = min(timeit.repeat(lambda: launch(x), number=1, repeat=2))
print("at best", x.size / best, x.size // timeit.timeit(lambda: launch(x), number=1))
if time.time() > 0:
    print("later")
