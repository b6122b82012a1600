"""Weak types: how they arise, how they go, and what they promote to."""
import jax
import jax.numpy as jnp

values = {
    "asarray(1)": jnp.asarray(1),
    "asarray(1.0)": jnp.asarray(1.0),
    "array([1])": jnp.array([1]),
    "float32(1)": jnp.float32(1),
    "int32(1)": jnp.int32(1),
    "ones(())": jnp.ones(()),
    "full((), 2)": jnp.full((), 2),
    "full((), 2, f32)": jnp.full((), 2, jnp.float32),
    "asarray(1) + 1": jnp.asarray(1) + 1,
    "asarray(1) + 1.5": jnp.asarray(1) + 1.5,
    "asarray(1) + int8(1)": jnp.asarray(1) + jnp.int8(1),
    "asarray(1.0) * bf16": jnp.asarray(1.0) * jnp.bfloat16(3),
    "arange(3)[0]": jnp.arange(3)[0],
    "where(True, 1, 2)": jnp.where(True, 1, 2),
    "where(True, 1, 2.0)": jnp.where(True, 1, 2.0),
    "exp(1)": jnp.exp(1),
    "sum(1)": jnp.sum(jnp.asarray(1)),
    "maximum(1, 2)": jnp.maximum(1, 2),
    "astype": jnp.asarray(1).astype("int32"),
    "zeros_like": jnp.zeros_like(jnp.asarray(1.0)),
    "convert": jax.lax.convert_element_type(1, jnp.float32),
    "negative": -jnp.asarray(2.5),
    "power": jnp.asarray(2) ** 3,
    "true divide": jnp.asarray(3) / 2,
}
for name, value in values.items():
  print(f"{name:22} {value!r}")
print(jnp.result_type(1, 2.0), jnp.result_type(jnp.int8(1), 2.0), jnp.result_type("int16", "float16"), jnp.result_type(1))
print(jnp.array(1).weak_type, jnp.asarray(1).weak_type, jnp.array(1.5).aval, jnp.asarray(2).aval, jnp.ones((2, 3)).aval)
