"""Random bits by kernels: Threefry against JAX's own bits, and Philox, also as generators that JAX knows by name."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas.ops.tpu.random import philox, prng_utils, threefry
from values import show

key = jnp.array([0x12345678, 0x9ABCDEF0], dtype=jnp.uint32)
with pltpu.force_tpu_interpret_mode():
    show("threefry", threefry.threefry_2x32_count(key, (16, 16), (16, 16), (8, 16)))
    show("threefry padded", threefry.plthreefry_random_bits(key, 32, (5, 7)))
    show("threefry row", threefry.plthreefry_random_bits(key, 32, (9,)))
    show("philox", philox.philox_4x32_kernel(key, (16, 16), (16, 16), (8, 16)))
    show("philox of rank three", philox.philox_4x32_kernel(key, (2, 8, 16), (2, 8, 16), (8, 8)))
    show("philox halves", philox.philox_4x32_count(key, (3,), offset=7, fuse_output=False))
    show("philox split", philox.philox_split(key, (2,)))
    show("philox folded", philox.philox_fold_in(key, jnp.uint32(3)))

    for impl in (philox.plphilox_prng_impl, threefry.plthreefry_prng_impl):
        words = impl.fold_in(impl.seed(jnp.int32(7)), jnp.uint32(2))
        show(f"{impl.name} bits", impl.random_bits(words, 32, (2, 3)))
        show(f"{impl.name} keys", impl.split(words, (3,)))

show("jax bits", jax.random.bits(jax.random.wrap_key_data(key), (5, 7)))
show("iota", prng_utils.blocked_iota((2, 3), (4, 5)))
show("offset", jnp.asarray(prng_utils.compute_scalar_offset((1, 2), (4, 5), (2, 3))))
