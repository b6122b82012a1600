# The accumulator is set where another axis begins than the one that it is summed along; blocks are as large as people take them.
# jax: runs
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

in_order = pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "parallel", "arbitrary"))


def scores_kernel(axis):
    def kernel(q_ref, k_ref, v_ref, o_ref, acc_ref):
        @pl.when(pl.program_id(axis) == 0)
        def _():
            acc_ref[...] = jnp.zeros_like(acc_ref)

        scores = lax.dot_general(q_ref[0, 0], k_ref[0, 0], (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32)
        weights = jax.nn.sigmoid(scores * 0.1) + jnp.tanh(scores) * 0.5
        acc_ref[...] += jnp.dot(weights.astype(v_ref.dtype), v_ref[0, 0], preferred_element_type=jnp.float32)
#       ^ PL125 error "under `@pl.when(pl.program_id(3) == 0)`"
#       ^ PL129 warning "what program (0, 0, 0, 0) stores reaches no output"

        @pl.when(pl.program_id(3) == pl.num_programs(3) - 1)
        def _():
            o_ref[0, 0] = acc_ref[...].astype(o_ref.dtype)

    return kernel


def attend(q, k, v, axis, block=128):
    b, h, n, d = q.shape
    rows = pl.BlockSpec((1, 1, block, d), lambda b, h, i, j: (b, h, i, 0))
    keys = pl.BlockSpec((1, 1, block, d), lambda b, h, i, j: (b, h, j, 0))
    return pl.pallas_call(
        scores_kernel(axis),
        grid=(b, h, n // block, n // block),
        in_specs=[rows, keys, keys],
        out_specs=rows,
        out_shape=jax.ShapeDtypeStruct(q.shape, q.dtype),
        scratch_shapes=[pltpu.VMEM((block, d), jnp.float32)],
        compiler_params=in_order,
    )(q, k, v)


x = jax.ShapeDtypeStruct((4, 8, 1024, 128), jnp.bfloat16)
jax.eval_shape(lambda x: attend(x, x, x, axis=3), x)
jax.eval_shape(lambda x: attend(x, x, x, axis=2), x)
