"""The gated delta rule of ejkernel on TPU: one step of decoding, chunks of a prompt, gradients, and ragged batches."""

import jax
import jax.numpy as jnp

from ejkernel.kernels._pallas.tpu.gated_delta_rule import gated_delta_rule
from ejkernel.kernels._pallas.tpu.gated_delta_rule._pallas_impl_fwd import _chunk_gdr_fwd_pallas_chunk
from ejkernel.kernels._pallas.tpu.ragged_gated_delta_rule import ragged_gated_delta_rule

BATCH, LENGTH, HEADS, DIM, SLOTS = 2, 256, 4, 128, 8


def shape(*dims, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(dims, dtype)


def prompt(length):
    heads = shape(BATCH, length, HEADS, DIM)
    gate = shape(BATCH, length, HEADS)
    return heads, heads, heads, gate, gate


def step(q, k, v, beta, decay, state):
    return gated_delta_rule(q, k, v, beta, decay, initial_state=state)


def chunks(q, k, v, beta, decay):
    return gated_delta_rule(q, k, v, beta, decay, chunk_size=64)


def chunks_without_decay(q, k, v, beta, _):
    return gated_delta_rule(q, k, v, beta, chunk_size=64)


def loss(*args):
    return chunks(*args)[0].sum()


def step_loss(*args):
    return step(*args)[0].sum()


# The package has kernels for chunks that its public function does not use at present.
def chunk_kernels(q, k, v, beta, decay):
    return _chunk_gdr_fwd_pallas_chunk(q, k, v, beta, decay, 64, None, True)


def chunk_kernels_loss(*args):
    return chunk_kernels(*args)[0].sum()


state = shape(BATCH, HEADS, DIM, DIM)
print(jax.eval_shape(step, *prompt(1), state))
print(jax.eval_shape(jax.grad(step_loss, argnums=(0, 1, 2, 5)), *prompt(1), state))
print(jax.eval_shape(chunks, *prompt(LENGTH)))
print(jax.eval_shape(chunks_without_decay, *prompt(LENGTH)))
print(jax.eval_shape(jax.grad(loss, argnums=(0, 1, 2, 3, 4)), *prompt(LENGTH)))

heads_first = shape(BATCH, HEADS, LENGTH, DIM)
gates_first = shape(BATCH, HEADS, LENGTH)
chunked = (heads_first, heads_first, heads_first, gates_first, gates_first)
print(jax.eval_shape(chunk_kernels, *chunked))
print(jax.eval_shape(jax.grad(chunk_kernels_loss, argnums=(0, 1, 2, 3, 4)), *chunked))

tokens = shape(SLOTS, HEADS, DIM)
gates = shape(SLOTS, HEADS)
starts = shape(SLOTS + 1, dtype=jnp.int32)
slots = shape(SLOTS, dtype=jnp.int32)
print(
    jax.eval_shape(
        ragged_gated_delta_rule, tokens, tokens, tokens, gates, gates, shape(SLOTS, HEADS, DIM, DIM), starts, slots
    )
)
