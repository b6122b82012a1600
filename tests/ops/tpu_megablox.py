"""Grouped matrix products: groups of every size, also empty ones; transposed; existing outputs; gradients."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.tpu.megablox import gmm as backend_gmm
from jax.experimental.pallas.ops.tpu.megablox import ops
from values import show, waves
import importlib

backend = importlib.import_module("jax.experimental.pallas.ops.tpu.megablox.gmm")

lhs, rhs = waves(64, 24), waves(4, 24, 32, step=0.9)
sizes = jnp.array([10, 0, 38, 16], dtype=jnp.int32)
tiling = (16, 16, 16)


def product(name, *arguments, **options):
    show(name, backend.gmm(*arguments, tiling=tiling, interpret=True, **options))


product("gmm", lhs, rhs, sizes)
product("transposed", lhs, rhs.swapaxes(1, 2), sizes, transpose_rhs=True)
product("bfloat", lhs.astype("bfloat16"), rhs.astype("bfloat16"), sizes, preferred_element_type=jnp.bfloat16)
product("existing", lhs, rhs[1:3], sizes, group_offset=jnp.array(1, jnp.int32), existing_out=waves(64, 32))
show("one group", backend.gmm(lhs, rhs[1:3], sizes, tiling=tiling, group_offset=jnp.array(1, jnp.int32), interpret=True))
show("tgmm", backend.tgmm(lhs.T, waves(64, 32, step=1.7), sizes, tiling=tiling, interpret=True))
metadata, tiles = backend.make_group_metadata(
    group_sizes=sizes, m=64, tm=16, start_group=jnp.array(0), num_nonzero_groups=4, visit_empty_groups=False
)
show("metadata", metadata)
show("tiles", tiles)


def loss(lhs, rhs):
    out = backend_gmm(lhs, rhs, sizes, jnp.float32, tiling, None, None, False, True)
    return jnp.sum(out * waves(64, 32, step=0.05))


show("gradient", jax.grad(loss, argnums=(0, 1))(lhs, rhs))


def turned(lhs, rhs):
    out = ops.gmm(lhs, rhs, sizes, jnp.float32, tiling, None, None, True, True)
    return jnp.sum(out * waves(64, 32, step=0.05))


show("gradient of the transposed", jax.grad(turned, argnums=(0, 1))(lhs, rhs.swapaxes(1, 2)))
