"""Attention as kernels are published: an online softmax over key blocks, its own backward kernels behind custom_vjp, and
lanes through vmap."""

import functools
import math

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl

BLOCK = 8


def masked(scores, row, column, causal):
    if not causal:
        return scores
    rows = row * BLOCK + lax.broadcasted_iota(jnp.int32, scores.shape, 0)
    columns = column * BLOCK + lax.broadcasted_iota(jnp.int32, scores.shape, 1)
    return jnp.where(rows >= columns, scores, -1e30)


def forward_kernel(q_ref, k_ref, v_ref, o_ref, lse_ref, *, scale, causal):
    row = pl.program_id(0)
    q = q_ref[...] * scale

    def step(column, carry):
        out, top, total = carry
        here = pl.ds(column * BLOCK, BLOCK)
        scores = masked(q @ k_ref[here, :].T, row, column, causal)
        new = jnp.maximum(top, scores.max(axis=1))
        weights = jnp.exp(scores - new[:, None])
        shrink = jnp.exp(top - new)
        return out * shrink[:, None] + weights @ v_ref[here, :], new, total * shrink + weights.sum(axis=1)

    blocks = row + 1 if causal else k_ref.shape[0] // BLOCK
    start = jnp.zeros(o_ref.shape, jnp.float32), jnp.full((BLOCK,), -jnp.inf), jnp.zeros((BLOCK,))
    out, top, total = lax.fori_loop(0, blocks, step, start)
    o_ref[...] = out / total[:, None]
    lse_ref[...] = top + jnp.log(total)


def backward_kernel(q_ref, k_ref, v_ref, do_ref, lse_ref, delta_ref, dq_ref, dk_ref, dv_ref, *, scale, causal):
    here = pl.program_id(0)
    mine = pl.ds(here * BLOCK, BLOCK)
    k, v = k_ref[mine, :], v_ref[mine, :]

    def weights(rows, row, k, column):
        scores = masked(q_ref[rows, :] @ k.T * scale, row, column, causal)
        return jnp.exp(scores - lse_ref[rows][:, None])

    def over_queries(row, carry):
        dk, dv = carry
        rows = pl.ds(row * BLOCK, BLOCK)
        p = weights(rows, row, k, here)
        ds = p * (do_ref[rows, :] @ v.T - delta_ref[rows][:, None]) * scale
        return dk + ds.T @ q_ref[rows, :], dv + p.T @ do_ref[rows, :]

    zeros = jnp.zeros(k.shape, jnp.float32)
    first = here if causal else 0
    dk_ref[...], dv_ref[...] = lax.fori_loop(first, q_ref.shape[0] // BLOCK, over_queries, (zeros, zeros))

    def over_keys(column, dq):
        columns = pl.ds(column * BLOCK, BLOCK)
        k, v = k_ref[columns, :], v_ref[columns, :]
        ds = weights(mine, here, k, column) * (do_ref[mine, :] @ v.T - delta_ref[mine][:, None])
        return dq + ds @ k * scale

    last = here + 1 if causal else k_ref.shape[0] // BLOCK
    dq_ref[...] = lax.fori_loop(0, last, over_keys, zeros)


def specs(length, size):
    block = pl.BlockSpec((BLOCK, size), lambda i: (i, 0))
    whole = pl.BlockSpec((length, size), lambda i: (0, 0))
    return block, whole, pl.BlockSpec((length,), lambda i: (0,))


@functools.partial(jax.jit, static_argnames=("causal",))
def forward(q, k, v, causal):
    length, size = q.shape
    block, whole, _ = specs(length, size)
    return pl.pallas_call(
        functools.partial(forward_kernel, scale=1 / math.sqrt(size), causal=causal),
        grid=(length // BLOCK,),
        in_specs=[block, whole, whole],
        out_specs=[block, pl.BlockSpec((BLOCK,), lambda i: (i,))],
        out_shape=[jax.ShapeDtypeStruct.like(q), jax.ShapeDtypeStruct((length,), jnp.float32)],
        interpret=True,
        name="attention_forward",
    )(q, k, v)


@functools.partial(jax.custom_vjp, nondiff_argnums=(3,))
def attention(q, k, v, causal=False):
    return forward(q, k, v, causal)[0]


def attention_forward(q, k, v, causal):
    out, lse = forward(q, k, v, causal)
    return out, (q, k, v, out, lse)


def attention_backward(causal, residuals, do):
    q, k, v, out, lse = residuals
    length, size = q.shape
    block, whole, vector = specs(length, size)
    delta = jnp.sum(out * do, axis=1)
    return tuple(
        pl.pallas_call(
            functools.partial(backward_kernel, scale=1 / math.sqrt(size), causal=causal),
            grid=(length // BLOCK,),
            in_specs=[whole, whole, whole, whole, vector, vector],
            out_specs=[block] * 3,
            out_shape=[jax.ShapeDtypeStruct(q.shape, q.dtype)] * 3,
            interpret=True,
            name="attention_backward",
        )(q, k, v, do, lse, delta)
    )


attention.defvjp(attention_forward, attention_backward)


def plain(q, k, v, causal=False):
    scores = q @ k.T / math.sqrt(q.shape[1])
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape, bool)), scores, -1e30)
    return jax.nn.softmax(scores, axis=1) @ v


def show(name, x):
    x = jnp.asarray(x)
    print(name, x.shape, *(f"{float(n):.3f}" for n in x.reshape(-1)[:: max(1, x.size // 6)]))


q, k, v = (jnp.sin(jnp.arange(24 * 4) * step).reshape(24, 4) for step in (0.37, 0.91, 1.3))
target = jnp.cos(jnp.arange(24 * 4) * 0.2).reshape(24, 4)
for causal in (False, True):
    show(f"causal={causal}", attention(q, k, v, causal))
    print(bool(jnp.allclose(attention(q, k, v, causal), plain(q, k, v, causal), atol=1e-5)))

    def loss(function, q, k, v):
        return jnp.sum((function(q, k, v, causal) - target) ** 2)

    gradients = jax.grad(functools.partial(loss, attention), argnums=(0, 1, 2))(q, k, v)
    expected = jax.grad(functools.partial(loss, plain), argnums=(0, 1, 2))(q, k, v)
    for name, gradient, other in zip("qkv", gradients, expected):
        show(f"d{name}", gradient)
        print(bool(jnp.allclose(gradient, other, atol=1e-4)))

heads = jax.vmap(attention)(jnp.stack([q, k]), jnp.stack([k, v]), jnp.stack([v, q]))
show("heads", heads)
print(bool(jnp.allclose(heads[1], plain(k, v, q), atol=1e-5)))
