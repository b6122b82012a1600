"""`auto_axes` and `explicit_axes`, and attributes that a registry puts on JAX's functions."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P
from jax.sharding import auto_axes, explicit_axes


@auto_axes
def add(x, y):
    return {"sum": x + y}


try:
    explicit_axes(lambda x: x, in_sharding=P("x"))(1)
except ValueError as error:
    print(error)

jax.set_mesh(jax.make_mesh((1,), ("x",)))


@functools.partial(auto_axes, out_sharding=P("x"))
def double(x):
    return x * 2


@functools.partial(explicit_axes, in_sharding=P("x"))
def increment(x):
    return x + 1


print(double(jnp.arange(4.0)), jax.jit(double)(jnp.ones(8)).sum())
print(add(jnp.arange(4.0), 1.0, out_sharding={"sum": P("x")}))
print(increment(jnp.arange(4)))
try:
    add(1, 2)
except TypeError as error:
    print(error)

setattr(jax.nn.silu, "__registered_name__", "silu")
print(jax.nn.silu.__registered_name__, hasattr(jax.nn.relu, "__registered_name__"))
