"""Top-k experts of a router: tokamax's two selection kernels, with whole and partial blocks of rows."""

import functools

import jax
import jax.numpy as jnp

from tokamax._src.ops.experimental.fused_moe import router_ops
from tokamax._src.ops.router_topk import pallas_mosaic_tpu_kernel as router_topk

scores = jax.ShapeDtypeStruct((1000, 512), jnp.float32)
jax.eval_shape(functools.partial(router_topk.select, topk=10), scores)

scores = jax.ShapeDtypeStruct((1024, 256), jnp.float32)
jax.eval_shape(functools.partial(router_ops.pallas_select, topk=8), scores)
jax.eval_shape(lambda s, w: router_ops.pallas_select(s, topk=8, weight_scores=w), scores, scores)
