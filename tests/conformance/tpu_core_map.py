"""Kernels over a mesh of TensorCores: pl.kernel, pl.core_map, and pipelines divided among cores."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

CHIP = jax.sharding.AbstractMesh((), (), abstract_device=jax.sharding.AbstractDevice("TPU v6e", 1, "tpu"))
DEVICE = pltpu.InterpretParams()
F32 = jnp.float32
X = jnp.arange(32 * 128, dtype=F32).reshape(32, 128)


# Each core works on its rows; operands stay in main memory, so that the kernel copies them.
def launched(cores, interpret):
    mesh = pltpu.create_tensorcore_mesh("core", num_cores=cores)
    rows = 32 // cores

    def body(x_hbm, o_hbm, buffer, sem):
        core = lax.axis_index("core")
        part = pl.ds(core * rows, rows)
        pltpu.async_copy(x_hbm.at[part], buffer, sem).wait()
        buffer[...] = buffer[...] * 2 + core.astype(F32)
        pltpu.async_copy(buffer, o_hbm.at[part], sem).wait()

    return pl.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((32, 128), F32),
        mesh=mesh,
        scratch_types=[pltpu.VMEM((rows, 128), F32), pltpu.SemaphoreType.DMA],
        interpret=interpret,
    )(X)


print(launched(1, DEVICE)[::8, 1])
print(launched(2, DEVICE)[::8, 1])
print(launched(4, pltpu.InterpretParams(dma_execution_mode="eager"))[::8, 1])


# As a decorator, with several results and scratch by name.
MESH = pltpu.create_tensorcore_mesh("c", num_cores=2)


@pl.kernel(
    mesh=MESH,
    out_type=(jax.ShapeDtypeStruct((2, 8, 128), F32), jax.ShapeDtypeStruct((2,), jnp.int32)),
    scratch_types=dict(buffer=pltpu.VMEM((8, 128), F32), number=pltpu.SMEM((1,), jnp.int32)),
    interpret=DEVICE,
)
def decorated(x_hbm, y_hbm, n_hbm, *, buffer, number):
    core = lax.axis_index("c")
    pltpu.sync_copy(x_hbm.at[pl.ds(core * 8, 8)], buffer)
    buffer[...] += 1
    pltpu.sync_copy(buffer, y_hbm.at[core])
    number[0] = core + 10 * lax.axis_size("c")
    pltpu.sync_copy(number, n_hbm.at[pl.ds(core, 1)])


y, n = decorated(X)
print(y[:, 0, 2], n)


# A pipeline of which each core runs a part.
def divided(steps):
    def body(x_hbm, o_hbm):
        def step(x_ref, o_ref):
            o_ref[...] = x_ref[...] + 1000 * pl.program_id(0).astype(F32)

        pltpu.emit_pipeline(
            step,
            grid=(steps,),
            in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
            out_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
            core_axis_name="core",
            dimension_semantics=(pltpu.PARALLEL,),
        )(x_hbm, o_hbm)

    x = jnp.arange(steps * 8 * 128, dtype=F32).reshape(steps * 8, 128)
    with jax.sharding.use_abstract_mesh(CHIP):
        return pl.kernel(
            body,
            out_type=jax.ShapeDtypeStruct(x.shape, F32),
            mesh=pltpu.create_tensorcore_mesh("core", num_cores=2),
            interpret=DEVICE,
        )(x)


print(divided(4)[::8, 3])
print(divided(5)[::8, 3])


# A function of Refs around it.
def doubled(cores):
    def copied(x_ref, o_ref):
        rows = 32 // lax.axis_size("core")
        part = pl.ds(lax.axis_index("core") * rows, rows)

        def body(buffer, sem):
            pltpu.async_copy(x_ref.at[part], buffer.at[pl.ds(0, rows)], sem).wait()
            buffer[...] = buffer[...] + 1
            pltpu.async_copy(buffer.at[pl.ds(0, rows)], o_ref.at[part], sem).wait()

        pl.run_scoped(body, pltpu.VMEM((32, 128), F32), pltpu.SemaphoreType.DMA)

    @jax.jit
    def run(x):
        def stateful(refs):
            x_ref, o_ref = refs

            @pl.core_map(pltpu.create_tensorcore_mesh("core", num_cores=cores), interpret=DEVICE)
            def _():
                copied(x_ref, o_ref)

        _, out = pl.run_state(stateful)((x, jnp.zeros_like(x)))
        return out * 2

    return run(X)


for cores in (1, 2):
    print(doubled(cores)[::8, 5])
