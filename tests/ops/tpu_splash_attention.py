"""Splash attention: masks of every kind, several heads and one, segment ids, sinks; and its backward kernels, fused or not."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas.ops.tpu import splash_attention as splash
from values import show, waves

HEADS, LENGTH, SIZE = 2, 256, 128
q, k, v = (waves(HEADS, LENGTH, SIZE, step=s) for s in (0.37, 0.91, 1.3))
q = q * 0.1
weights = waves(HEADS, LENGTH, SIZE, step=0.05)
ids = jnp.array([0] * 100 + [1] * 156)
square = (LENGTH, LENGTH)
blocks = dict(block_q=128, block_kv=128, block_q_dkv=128, block_kv_dkv=128)
split = splash.BlockSizes(**blocks, block_q_dq=128, block_kv_dq=128)
fused = splash.BlockSizes(**blocks, use_fused_bwd_kernel=True)
scattered = np.arange(LENGTH)[:, None] % 7 >= np.arange(LENGTH)[None] % 5

MASKS = {
    "causal": splash.CausalMask(square),
    "local": splash.LocalMask(square, (50, 20), 0),
    "full": splash.FullMask(square),
    "numbers": splash.NumpyMask(scattered | np.eye(LENGTH, dtype=bool)),
    "both": splash.CausalMask(square) & splash.LocalMask(square, (100, None), 0),
}


def make(mask, sizes, **options):
    heads = splash.MultiHeadMask([mask] * HEADS)
    return splash.make_splash_mha(heads, block_sizes=sizes, head_shards=1, q_seq_shards=1, interpret=True, **options)


for name, mask in MASKS.items():
    kernel = make(mask, split)
    show(f"{name} forward", kernel(q, k, v))
    show(f"{name} segments", kernel(q, k, v, splash.SegmentIds(ids, ids)))
for sizes, name in ((split, "split"), (fused, "fused")):
    kernel = make(MASKS["causal"], sizes, attn_logits_soft_cap=5.0)
    gradient = jax.grad(lambda q, k, v: jnp.sum(kernel(q, k, v) * weights), argnums=(0, 1, 2))
    show(f"{name} gradient", gradient(q, k, v))
out, residuals = make(MASKS["local"], split, save_residuals=True)(q, k, v)
show("with residuals", (out, residuals))
halves = [a.astype("bfloat16") for a in (q, k, v)]
show("bfloat", make(MASKS["causal"], split)(*halves))

mixed = splash.MultiHeadMask([MASKS["causal"], MASKS["local"]])
options = dict(block_sizes=split, head_shards=1, q_seq_shards=1, interpret=True)
show("a mask for each head", splash.make_splash_mha(mixed, **options)(q, k, v))
show("one head of keys", splash.make_splash_mqa(mixed, **options)(q, k[0], v[0]))
show("sinks", make(MASKS["causal"], split)(q, k, v, sinks=jnp.array([0.3, -0.2])))
dynamic = splash.make_splash_mha(jnp.stack([jnp.tri(LENGTH, dtype=bool)] * HEADS), **options)
show("computed mask", dynamic(q, k, v))
batched = jax.vmap(make(MASKS["causal"], split))
show("batched", batched(*(jnp.stack([a, 0.5 * a]) for a in (q, k, v))))
info = make(MASKS["numbers"], split).fwd_mask_info
show("mask blocks", [part for part in info if part is not None and not isinstance(part, bool)])
