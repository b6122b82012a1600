"""Pipelines that are divided among the cores of a chip, semaphores in scopes, and the memory spaces of a core."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

CHIP = jax.sharding.AbstractMesh((), (), abstract_device=jax.sharding.AbstractDevice("TPU v6e", 1, "tpu"))
DEVICE = pltpu.InterpretParams()
F32 = jnp.float32
x = jnp.arange(8 * 128, dtype=F32).reshape(8, 128)
REGULAR, DMA = pltpu.SemaphoreType.REGULAR, pltpu.SemaphoreType.DMA


# Each core has its part of a parallel axis.
def divided(cores, **options):
    def body(x_ref, o_ref):
        def inner(a, b):
            b[...] = a[...] * 2 + lax.axis_index("core").astype(F32)

        block = pl.BlockSpec((1, 128), lambda i: (i, 0))
        pltpu.emit_pipeline(inner, grid=(8,), in_specs=[block], out_specs=[block], **options)(x_ref, o_ref)

    mesh = pltpu.create_tensorcore_mesh("core", num_cores=cores)
    return pl.kernel(body, out_type=jax.ShapeDtypeStruct((8, 128), F32), mesh=mesh, interpret=DEVICE)(x)[:, 0]


with jax.sharding.use_abstract_mesh(CHIP):
    for cores in (1, 2, 4):
        print(cores, divided(cores, core_axis_name="core", dimension_semantics=(pltpu.PARALLEL,)))
    for options in (dict(), dict(dimension_semantics=(pltpu.PARALLEL, pltpu.ARBITRARY))):
        try:
            divided(2, core_axis_name="core", **options)
        except (NotImplementedError, ValueError) as error:
            print(type(error).__name__, error)


# Scratch in each space, by copies.
def through(x_ref, o_ref, memory):
    pltpu.sync_copy(x_ref, memory)
    pltpu.sync_copy(memory, o_ref)


ANY = pl.BlockSpec(memory_space=pl.ANY)
for space in (pltpu.VMEM, pltpu.SMEM, pltpu.CMEM, pltpu.VMEM_SHARED):
    copied = pl.pallas_call(
        through,
        out_shape=jax.ShapeDtypeStruct((8, 128), F32),
        in_specs=[ANY],
        out_specs=ANY,
        scratch_shapes=[space((8, 128), F32)],
        interpret=DEVICE,
    )(x)
    print(space, bool((copied == x).all()))


# One semaphore, an array of them, and two for copies, all in a scope.
def scope(x_ref, o_ref):
    def body(one, many, copied):
        for i in range(2):
            for j in range(3):
                pl.semaphore_signal(many.at[i, j], i * 3 + j + 1)
        for i in range(2):
            for j in range(3):
                pl.semaphore_wait(many.at[i, j], i * 3 + j + 1)
        pl.semaphore_signal(one, 4)
        pl.semaphore_wait(one, 1)
        pl.semaphore_wait(one, 3)
        copies = [pltpu.make_async_copy(x_ref.at[i], o_ref.at[7 - i], copied.at[i % 2]) for i in range(8)]
        for copy in copies:
            copy.start()
        for copy in copies:
            copy.wait()

    pl.run_scoped(body, REGULAR, REGULAR((2, 3)), DMA((2,)))


turned = pl.pallas_call(scope, out_shape=jax.ShapeDtypeStruct((8, 128), F32), interpret=DEVICE)(x)
print(bool((turned == x[::-1]).all()))
