"""A mixture of experts for decoding in one kernel: weights streamed through a ring, sums passed between eight ranks."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh, PartitionSpec

from tokamax._src.ops.experimental.fused_moe_decode import fused_moe_decode_kernel as decode

RANKS, TOKENS, HIDDEN, INNER, SHARED, EXPERTS, TOPK = 8, 16, 1024, 256, 128, 64, 10


def array(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def weights(*shape):
    return array(*shape, dtype=jnp.float8_e4m3fn)


mesh = AbstractMesh((RANKS,), ("d",), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
operands = (
    array(RANKS, dtype=jnp.int32),
    array(TOKENS, HIDDEN, dtype=jnp.bfloat16),
    weights(EXPERTS, HIDDEN, 2 * INNER),
    weights(EXPERTS, INNER, HIDDEN),
    array(EXPERTS, 1, 1, 2 * INNER),
    array(EXPERTS, 1, 1, HIDDEN),
    weights(HIDDEN, 2 * SHARED),
    array(1, 2 * SHARED),
    weights(SHARED, HIDDEN),
    array(1, HIDDEN),
    array(HIDDEN, 1, dtype=jnp.bfloat16),
    array(TOKENS, TOPK),
    array(TOKENS, TOPK, dtype=jnp.int32),
)


def run(out_specs, **options):
    layer = jax.shard_map(
        functools.partial(decode.fused_moe_decode, n_ranks=RANKS, **options),
        mesh=mesh,
        in_specs=(PartitionSpec("d"),) + (PartitionSpec(),) * 12,
        out_specs=out_specs,
        check_vma=False,
    )
    jax.eval_shape(layer, *operands)


with jax.sharding.use_abstract_mesh(mesh):
    run(PartitionSpec())
    # Every rank keeps its own rows only; and experts too wide to stream whole, in two blocks each.
    run(PartitionSpec("d"), scatter_rows=True)
    run(PartitionSpec(), i_block=128)
