"""A selective scan: a state in scratch memory that goes along the sequence from program to program."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

BATCH, SEQUENCE, DIM, STATE, CHUNK, BLOCK = 2, 32, 64, 8, 8, 32


def kernel(x_ref, dt_ref, a_ref, b_ref, c_ref, y_ref, h_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        h_ref[...] = jnp.zeros_like(h_ref)

    def step(t, h):
        dt = jax.nn.softplus(dt_ref[t, :])
        h = jnp.exp(dt[:, None] * a_ref[...]) * h + (dt * x_ref[t, :])[:, None] * b_ref[t, :][None, :]
        y_ref[t, :] = jnp.sum(h * c_ref[t, :][None, :], axis=1)
        return h

    h_ref[...] = jax.lax.fori_loop(0, CHUNK, step, h_ref[...])


channels = pl.BlockSpec((None, CHUNK, BLOCK), lambda n, d, s: (n, s, d))
shared = pl.BlockSpec((None, CHUNK, STATE), lambda n, d, s: (n, s, 0))
ks = jax.random.split(jax.random.key(0), 5)
x, dt = (jax.random.normal(key, (BATCH, SEQUENCE, DIM)) for key in ks[:2])
b, c = (jax.random.normal(key, (BATCH, SEQUENCE, STATE)) for key in ks[2:4])
a = -jnp.exp(jax.random.normal(ks[4], (DIM, STATE)))
y = pl.pallas_call(
    kernel,
    grid=(BATCH, DIM // BLOCK, SEQUENCE // CHUNK),
    in_specs=[channels, channels, pl.BlockSpec((BLOCK, STATE), lambda n, d, s: (d, 0)), shared, shared],
    out_specs=channels,
    out_shape=jax.ShapeDtypeStruct(x.shape, jnp.float32),
    scratch_shapes=[pltpu.VMEM((BLOCK, STATE), jnp.float32)],
    compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "arbitrary")),
    interpret=True,
)(x, dt, a, b, c)


def sequence(x, dt, b, c):
    def step(h, inputs):
        x, dt, b, c = inputs
        dt = jax.nn.softplus(dt)
        h = jnp.exp(dt[:, None] * a) * h + (dt * x)[:, None] * b
        return h, (h * c).sum(1)

    return jax.lax.scan(step, jnp.zeros((DIM, STATE)), (x, dt, b, c))


(last, expected) = jax.vmap(sequence)(x, dt, b, c)
print(y.shape, last.shape, bool(jnp.allclose(y, expected, atol=1e-5)))
