"""Functions over the blocks and threads of a GPU (pl.core_map over plgpu.Mesh), as JAX's GPU interpreter runs them."""

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

interpret = InterpretGPUParams()


@pl.run_state
def numbers(o_ref):
    mesh = plgpu.Mesh(grid=(2, 3), grid_names=("i", "j"), num_threads=2, thread_name="wg")

    @pl.core_map(mesh, interpret=interpret)
    def _():
        i, j, thread = (lax.axis_index(name) for name in ("i", "j", "wg"))
        o_ref[i, j, thread] = 100 * i + 10 * j + thread


print(numbers(jnp.zeros((2, 3, 2), jnp.int32)))


@jax.jit
def doubled(x):
    """A thread brings blocks, another uses them: both Refs are from outside."""

    def stateful(refs):
        x_ref, o_ref = refs
        mesh = plgpu.Mesh(grid=(4,), grid_names=("i",), num_threads=2, thread_name="wg")

        @pl.core_map(mesh, interpret=interpret)
        def _():
            block = pl.ds(lax.axis_index("i") * 64, 64)

            def body(smem, filled):
                @pl.when(lax.axis_index("wg") == 0)
                def _():
                    plgpu.copy_gmem_to_smem(x_ref.at[block], smem, filled)

                @pl.when(lax.axis_index("wg") == 1)
                def _():
                    plgpu.barrier_wait(filled)
                    o_ref[block] = smem[...] * 2

            pl.run_scoped(body, plgpu.SMEM((64,), jnp.float32), plgpu.Barrier(), collective_axes="wg")

    return pl.run_state(stateful)((x, jnp.zeros_like(x)))[1]


x = jnp.arange(256, dtype=jnp.float32)
print(doubled(x)[60:70], doubled(x).sum())


@jax.jit
def twice(x):
    """Two functions one after the other over one Ref: the second sees what the first has left."""
    ref = jax.new_ref(x)
    mesh = plgpu.Mesh(grid=(2,), grid_names=("i",))

    @pl.core_map(mesh, interpret=interpret)
    def _():
        at = lax.axis_index("i")
        ref[at] = ref[at] + 1

    @pl.core_map(mesh, interpret=interpret)
    def _():
        at = lax.axis_index("i")
        ref[at] = ref[at] * (at + 10)

    return jax.freeze(ref)


print(twice(jnp.arange(8.0).reshape(2, 4)))


@jax.jit
def pipelined(x):
    """A pipeline in each block, over a part of a Ref from outside."""
    x_ref, o_ref = jax.new_ref(x), jax.new_ref(jnp.zeros_like(x))

    @pl.core_map(plgpu.Mesh(grid=(2,), grid_names=("i",)), interpret=interpret)
    def _():
        first = lax.axis_index("i") * 4

        def body(indices, x_smem):
            o_ref[pl.ds(first + 2 * indices[0], 2)] = x_smem[...] + 1.0

        plgpu.emit_pipeline(
            body,
            in_specs=[plgpu.BlockSpec((2, 64), lambda step: (step, 0))],
            grid=(2,),
            max_concurrent_steps=2,
        )(x_ref.at[pl.ds(first, 4)])

    return jax.freeze(o_ref)


x = jnp.arange(8 * 64, dtype=jnp.float32).reshape(8, 64)
print(jnp.array_equal(pipelined(x), x + 1.0), pipelined(x)[:, 0])


def over_a_mesh(x_ref, o_ref):
    o_ref[lax.axis_index("i")] = x_ref[lax.axis_index("i")] * 3


kernel = pl.kernel(
    over_a_mesh,
    out_type=jax.ShapeDtypeStruct((2, 4), jnp.float32),
    mesh=plgpu.Mesh(grid=(2,), grid_names=("i",)),
    interpret=interpret,
)
print(kernel(jnp.arange(8.0).reshape(2, 4)))
