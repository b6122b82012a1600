"""Custom derivatives inside of mapped functions: their rules ask for the axes that the function was mapped over."""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def weighted(x, axis):
    return x * (lax.axis_index(axis) + 1)


def forward(x, axis):
    return weighted(x, axis), lax.axis_index(axis)


def backward(axis, index, g):
    return (g * (index + 1) * lax.axis_size(axis) + 0 * lax.psum(g, axis),)


weighted.defvjp(forward, backward)
x = jnp.arange(8.0)
mesh = Mesh(jax.devices(), ("i",))
sharded = jax.shard_map(lambda x: weighted(x, "i"), mesh=mesh, in_specs=P("i"), out_specs=P("i"), check_vma=False)
print(sharded(x))
print(jax.grad(lambda x: sharded(x).sum())(x))
print(jax.eval_shape(jax.grad(lambda x: sharded(x).sum()), x))
mapped = jax.vmap(lambda x: weighted(x, "i"), axis_name="i")
print(mapped(x[:3]))


@jax.custom_jvp
def scaled(x):
    return x * lax.axis_size("i")


scaled.defjvp(lambda primals, tangents: (scaled(*primals), tangents[0] * (lax.axis_index("i") + 1)))
mapped = jax.vmap(scaled, axis_name="i")
print(jax.jvp(mapped, (x[:3],), (jnp.ones(3),)))
print(jax.grad(lambda x: mapped(x).sum())(x[:3]))
