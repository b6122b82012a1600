"""A mixture of experts in one kernel that writes its rows to other chips as they are, not as eight-bit floats."""

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh, PartitionSpec

from tokamax._src.ops.experimental.fused_moe_rs import gmm_fused_rs_nodedup as fused

CHIPS, TOKENS, HIDDEN, INNER, EXPERTS, TOPK = 8, 512, 1024, 512, 64, 8


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


def table(*shape):
    return array(*shape, dtype=jnp.int32)


def layer(x, w1, w2, sizes, rows, slots, first, tiles, received):
    return fused.gmm_v2_fused_rs(
        x,
        w1,
        w2,
        sizes,
        rows,
        rows,
        group_offset=first,
        output_size=TOKENS,
        topk_indices=slots,
        ep_size=CHIPS,
        ep_axis_name="expert",
        max_num_gm=tiles[0],
        total_recv_count=received,
        top_k=TOPK,
        fp8_direct_write=False,
    )


mesh = AbstractMesh((CHIPS,), ("expert",), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
split, whole = PartitionSpec("expert"), PartitionSpec()
specs = (whole, split, split, whole, whole, whole, split, whole, split)
with jax.sharding.use_abstract_mesh(mesh):
    jax.eval_shape(
        jax.shard_map(layer, mesh=mesh, in_specs=specs, out_specs=split, check_vma=False),
        array(TOKENS, HIDDEN),
        array(EXPERTS, HIDDEN, 2 * INNER),
        array(EXPERTS, INNER, HIDDEN),
        table(EXPERTS),
        table(TOKENS * TOPK),
        table(TOKENS * TOPK),
        table(CHIPS),
        table(1),
        table(CHIPS),
    )
