"""Products of operands with different dtypes: the wider one wins, or what is asked for; nothing is promoted."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

NUMBERS = (((1,), (0,)), ((), ()))
PAIRS = [
    (jnp.float32, jnp.bfloat16),
    (jnp.int8, jnp.float32),
    (jnp.bfloat16, jnp.float8_e4m3fn),
    (jnp.float8_e4m3fn, jnp.float8_e5m2),
    (jnp.float16, jnp.bfloat16),
    (jnp.int8, jnp.int16),
    (jnp.uint8, jnp.int8),
]

for left, right in PAIRS:
    a = jnp.arange(6).reshape(2, 3).astype(left)
    b = jnp.ones((3, 4), right)
    for wish in (None, jnp.float32):
        result = jax.lax.dot_general(a, b, NUMBERS, preferred_element_type=wish)
        print(a.dtype, b.dtype, wish and wish.__name__, result.dtype, result[:, 0].astype(jnp.float32))


def kernel(x_ref, y_ref, o_ref):
    o_ref[...] = jax.lax.dot_general(x_ref[...], y_ref[...], NUMBERS, preferred_element_type=jnp.float32)


x = jnp.arange(64.0).reshape(8, 8).astype(jnp.bfloat16)
y = jnp.eye(8).astype(jnp.float8_e4m3fn)
out = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 8), jnp.float32), interpret=True)(x, y)
print(out[1])
