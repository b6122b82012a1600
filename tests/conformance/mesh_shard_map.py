"""shard_map over simulated devices: layouts, collectives, derivatives, kernels."""

import functools
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, shard_map
from jax.experimental import pallas as pl
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

line = Mesh(np.array(jax.devices()), ("i",))
grid = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))
v = jnp.arange(8.0)
a = jnp.arange(32.0).reshape(8, 4)
b = jnp.arange(24.0).reshape(4, 6)


def over(f, i=P("i"), o=P("i"), mesh=line, **options):
    return shard_map(f, mesh=mesh, in_specs=i, out_specs=o, **options)


print(over(lambda x: x * 2)(v))
print(over(lambda x: x + lax.axis_index("i"))(v))
print(over(lambda x: x)(a).sharding)
print(over(lambda x: lax.psum(x, "i"), o=P())(v))
print(over(lambda x: lax.psum(x, "i"), P(), P())(v))
print(over(lambda x: x, P(), P("i"))(jnp.arange(3.0)))
print(over(lambda x: x, o=P(), check_vma=False)(v))
print(jax.jit(over(lambda x: lax.pmean(x.sum(), "i"), o=P()))(a))

# A ring, step by step.
ring = [(i, (i + 1) % 8) for i in range(8)]


@functools.partial(shard_map, mesh=line, in_specs=P("i"), out_specs=P("i"))
def prefix(x):
    total, moving = x, x
    for _ in range(7):
        moving = lax.ppermute(moving, "i", ring)
        total = total + moving
    return total


print(prefix(v))

# Products of matrices.
gathered = over(lambda x, w: lax.all_gather(x, "y", axis=1, tiled=True) @ w, (P("x", "y"), P()), P("x"), grid, check_vma=False)
print(jnp.allclose(gathered(a, b), a @ b))
summed = over(lambda x, w: lax.psum(x @ w, "y"), (P("x", "y"), P("y", None)), P("x"), grid)
print(jnp.allclose(summed(a, b), a @ b), summed(a, b).sharding)
scattered = over(
    lambda x, w: lax.psum_scatter(x @ w, "i", scatter_dimension=0, tiled=True), (P(None, "i"), P("i", None)), P("i"),
    Mesh(np.array(jax.devices()[:4]), ("i",)),
)
print(jnp.allclose(scattered(a, b), a @ b))
print(over(lambda x: lax.all_to_all(x, "i", 1, 0, tiled=True))(jnp.arange(64).reshape(8, 8)).shape)
print(over(lambda x: lax.all_to_all(x, "i", 1, 0, tiled=True), P("i"), P(None, "i"))(jnp.arange(64).reshape(8, 8))[:2])

# Two axes.
print(over(lambda x: lax.axis_index(("x", "y"))[None] + 0 * x.astype(int), P(("x", "y")), P(("x", "y")), grid)(v))
print(over(lambda x: lax.axis_index("x")[None] * 10 + lax.axis_index("y") + 0 * x.astype(int), P(("y", "x")), P(("y", "x")), grid)(v))
print(over(lambda x: lax.psum(x, ("x", "y")), P(("x", "y")), P(), grid)(v))
print(over(lambda x: lax.all_gather(x, ("x", "y"), tiled=True), P(("x", "y")), P(), grid, check_vma=False)(v))
print(over(lambda x: x.T, P("x", "y"), P("y", "x"), grid)(a))
print(over(lambda x: lax.pmax(x, "x"), P("x", "y"), P(None, "y"), grid)(a))
print(over(lambda t: {"s": t[0] + 1, "p": lax.psum(t[1], "i")}, ((P("i"), P("i")),), {"s": P("i"), "p": P()})((v, v)))

# Derivatives, outside and inside.
print(jax.grad(lambda x: over(lambda x: lax.psum((x**2).sum(), "i"), o=P())(x))(v))
print(jax.grad(lambda x: over(lambda x: lax.psum((x**2).sum(), "i"), o=P(), check_vma=False)(x))(v))
print(jax.grad(lambda w: (summed(a, w) ** 2).sum())(b))
print(over(jax.grad(lambda x: lax.psum((x**2).sum(), "i")))(v))
print(over(jax.grad(lambda x: lax.psum((x**2).sum(), "i")), check_vma=False)(v))
print(over(jax.grad(lambda w, x: (w * x).sum()), (P(), P("i")), P())(2.0, v))
print(over(jax.grad(lambda w, x: lax.pmean((w * x).sum(), "i")), (P(), P("i")), P())(2.0, v))
print(over(lambda w, x: lax.pmean(jax.grad(lambda w: (w * x).sum())(w), "i"), (P(), P("i")), P(), check_vma=False)(2.0, v))


# Kernels on shards.
def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2 + pl.program_id(0)


def doubled(x):
    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(2,),
        in_specs=[pl.BlockSpec((x.shape[0] // 2, x.shape[1]), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((x.shape[0] // 2, x.shape[1]), lambda i: (i, 0)),
        interpret=True,
    )(x)


print(over(doubled, P("x", "y"), P("x", "y"), grid, check_vma=False)(a))
print(jax.jit(over(lambda x: lax.psum(doubled(x), "y"), P("x", "y"), P("x"), grid, check_vma=False))(a))
