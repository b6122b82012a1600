"""What each option of `pltpu.InterpretParams` does to values, and what its constructor refuses."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

P = pltpu.InterpretParams
F32 = jnp.float32


def attempt(what, function):
    try:
        print(what, function())
    except Exception as error:
        print(what, type(error).__name__, str(error).splitlines()[0])


# Defaults, and what is refused.
print(P())
print(P(dma_execution_mode="eager", random_seed=3) == P(random_seed=3, dma_execution_mode="eager"), P() == P(detect_races=True))
print(P(num_cores_or_threads=2).num_cores_per_device, P(vector_clock_size=9).get_vector_clock_size(4), P().get_vector_clock_size(3))
attempt("cores", lambda: P(num_cores_or_threads=0))
attempt("clock", lambda: P(vector_clock_size=0))
attempt("small clock", lambda: P(vector_clock_size=4).get_vector_clock_size(4))
attempt("positional", lambda: P("eager"))


# uninitialized_memory: what nobody has written.
def unwritten(x_ref, o_ref, n_ref, b_ref, u_ref):
    o_ref[0] = x_ref[0]


def fresh(kind):
    return pl.pallas_call(
        unwritten,
        out_shape=[
            jax.ShapeDtypeStruct((2, 2), F32),
            jax.ShapeDtypeStruct((2,), jnp.int32),
            jax.ShapeDtypeStruct((2,), jnp.bool_),
            jax.ShapeDtypeStruct((2,), jnp.uint8),
        ],
        interpret=P(uninitialized_memory=kind),
    )(jnp.ones((2, 2), F32))


for kind in ("nan", "zero"):
    for array in fresh(kind):
        print(kind, np.asarray(array).tolist())


# dma_execution_mode: when what is copied is read.
def late(x_ref, o_ref, slot, sem):
    slot[...] = x_ref[...]
    copy = pltpu.make_async_copy(slot, o_ref, sem)
    copy.start()
    slot[...] = slot[...] + 100
    copy.wait()


for mode in ("eager", "on_wait"):
    call = pl.pallas_call(
        late,
        out_shape=jax.ShapeDtypeStruct((4,), F32),
        scratch_shapes=[pltpu.VMEM((4,), F32), pltpu.SemaphoreType.DMA],
        interpret=P(dma_execution_mode=mode),
    )
    print(mode, call(jnp.arange(4.0)))


# The last copy first, on one semaphore.
def both(x_ref, o_ref, sem):
    first = pltpu.make_async_copy(x_ref.at[0], o_ref, sem)
    second = pltpu.make_async_copy(x_ref.at[1], o_ref, sem)
    first.start()
    second.start()
    first.wait()
    second.wait()


for mode in ("eager", "on_wait"):
    call = pl.pallas_call(
        both, out_shape=jax.ShapeDtypeStruct((4,), F32), scratch_shapes=[pltpu.SemaphoreType.DMA], interpret=P(dma_execution_mode=mode)
    )
    print(mode, call(jnp.arange(8.0).reshape(2, 4)))


# out_of_bounds_reads, and blocks that reach past the end.
def shifted(x_ref, o_ref):
    o_ref[...] = x_ref[pl.ds(pl.program_id(0) * 4, 8)]


def outside(option, grid=2):
    call = pl.pallas_call(
        shifted,
        grid=(grid,),
        in_specs=[pl.BlockSpec((10,), lambda i: (0,))],
        out_specs=pl.BlockSpec((8,), lambda i: (i,)),
        out_shape=jax.ShapeDtypeStruct((8 * grid,), F32),
        interpret=P(out_of_bounds_reads=option),
    )
    return call(jnp.arange(10.0))


print("uninitialized", outside("uninitialized"))
print("inside", outside("raise", 1))


# skip_floating_point_ops: floats are infinite, integers are computed.
def mixed(x_ref, n_ref, o_ref, m_ref):
    o_ref[...] = x_ref[...] * 2 + 1
    m_ref[...] = n_ref[...] * 2 + 1


call = pl.pallas_call(
    mixed,
    out_shape=(jax.ShapeDtypeStruct((4,), F32), jax.ShapeDtypeStruct((4,), jnp.int32)),
    interpret=P(skip_floating_point_ops=True),
)
print(call(jnp.arange(4.0), jnp.arange(4)))


# num_cores_or_threads, random_seed and grid_point_recorder: who runs what, in which order.
def number(o_ref):
    o_ref[...] = jnp.full_like(o_ref, pl.program_id(0) * 10 + pl.program_id(1))


def recorded(cores, seed, semantics, grid):
    seen = []

    def recorder(token, point, core):
        seen.append((tuple(int(p) for p in point), int(core)))
        return token

    out = pl.pallas_call(
        number,
        grid=grid,
        out_specs=pl.BlockSpec((1, 1), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct(grid, jnp.int32),
        compiler_params=pltpu.CompilerParams(dimension_semantics=semantics),
        interpret=P(num_cores_or_threads=cores, random_seed=seed, grid_point_recorder=recorder),
    )()
    per_core = [[point for point, core in seen if core == c] for c in range(cores)]
    return np.asarray(out).tolist(), per_core


for cores in (1, 2, 3):
    for seed in (None, 7):
        print(cores, seed, *recorded(cores, seed, ("parallel", "arbitrary"), (4, 2)))
print(*recorded(2, 11, ("parallel", "parallel"), (3, 2)))
print(*recorded(2, None, ("arbitrary", "arbitrary"), (2, 2)))
for semantics in (("parallel",), ("parallel", "arbitrary", "arbitrary")):
    attempt("semantics", lambda: recorded(1, None, semantics, (2, 2)))


# allow_hbm_allocation_in_run_scoped.
def scoped(x_ref, o_ref):
    def body(main):
        pltpu.sync_copy(x_ref, main)
        pltpu.sync_copy(main, o_ref)

    pl.run_scoped(body, pltpu.HBM((4,), F32))


call = pl.pallas_call(
    scoped, out_shape=jax.ShapeDtypeStruct((4,), F32), interpret=P(allow_hbm_allocation_in_run_scoped=True)
)
print(call(jnp.arange(4.0)))
call = pl.pallas_call(scoped, out_shape=jax.ShapeDtypeStruct((4,), F32), interpret=P())
attempt("main memory", lambda: call(jnp.arange(4.0)))

# Options as a context, and for everything.
with pltpu.force_tpu_interpret_mode(P(uninitialized_memory="zero")):
    print(pl.pallas_call(unwritten, out_shape=[jax.ShapeDtypeStruct((2, 2), F32)] * 4)(jnp.ones((2, 2), F32))[1])
pltpu.set_tpu_interpret_mode(P())
print(pl.pallas_call(unwritten, out_shape=[jax.ShapeDtypeStruct((2, 2), F32)] * 4)(jnp.ones((2, 2), F32))[1])
pltpu.set_tpu_interpret_mode(None)
