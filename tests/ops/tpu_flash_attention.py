"""Flash attention on blocks of 128: one step or several, causal, segment ids, a bias; and its backward kernels."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas.ops.tpu import flash_attention as fa
from values import show, waves

q, k, v = (waves(1, 2, 256, 32, step=s) for s in (0.37, 0.91, 1.3))
bias = waves(1, 2, 256, 256, step=0.03)
ids = jnp.array([[0] * 100 + [1] * 156])
segments = fa.SegmentIds(ids, ids)
weights = waves(1, 2, 256, 32, step=0.05)

CASES = {
    "plain": dict(),
    "causal": dict(causal=True),
    "segments": dict(segment_ids=segments),
    "bias": dict(ab=bias),
    "all": dict(ab=bias, segment_ids=segments, causal=True),
}

with pltpu.force_tpu_interpret_mode():
    for name, options in CASES.items():
        options = dict(options)
        ab = options.pop("ab", None)

        def run(q, k, v, ab):
            return fa.flash_attention(q, k, v, ab, sm_scale=0.2, **options)

        show(f"{name} forward", run(q, k, v, ab))
        which = (0, 1, 2) if ab is None else (0, 1, 2, 3)
        gradient = jax.grad(lambda q, k, v, ab: jnp.sum(run(q, k, v, ab) * weights), argnums=which)
        show(f"{name} gradient", gradient(q, k, v, ab))
        reference = fa.mha_reference(q, k, v, ab, sm_scale=0.2, **options)
        show(f"{name} reference", reference)

    sizes = fa.BlockSizes(block_q=128, block_k_major=256, block_k=256, block_b=1)
    show("one step", fa.flash_attention(q, k, v, sm_scale=0.2, block_sizes=sizes))
    show("one causal step", fa.flash_attention(q, k, v, causal=True, sm_scale=0.2, block_sizes=sizes))
    halves = [a.astype("bfloat16") for a in (q, k, v)]
    show("bfloat", fa.flash_attention(*halves, causal=True, sm_scale=0.2))
    try:
        fa.flash_attention(q[:, :, :100], k, v, block_sizes=sizes)
    except ValueError as error:
        print(error)
