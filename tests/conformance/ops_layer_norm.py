"""Layer norm of rows whose length is no multiple of the block: masked loads, loops in kernels, lanes through vmap, and
backward kernels behind custom_vjp."""

import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

BLOCK = 8


def columns_of(step, length):
    columns = step * BLOCK + jnp.arange(BLOCK)
    return columns, columns < length


def forward_kernel(x_ref, weight_ref, bias_ref, o_ref, mean_ref=None, scale_ref=None, *, eps):
    length = x_ref.shape[0]
    steps = pl.cdiv(length, BLOCK)

    def load(ref, step, other=0.0):
        columns, mask = columns_of(step, length)
        return plgpu.load(ref.at[columns], mask=mask, other=other)

    def add(step, sums):
        x = load(x_ref, step)
        return sums[0] + x, sums[1] + x * x

    total, squares = lax.fori_loop(0, steps, add, (jnp.zeros(BLOCK), jnp.zeros(BLOCK)))
    mean = total.sum() / length
    scale = lax.rsqrt(squares.sum() / length - mean * mean + eps)
    if mean_ref is not None:
        mean_ref[...] = mean
        scale_ref[...] = scale

    @pl.loop(0, steps)
    def _(step):
        columns, mask = columns_of(step, length)
        out = (load(x_ref, step) - mean) * scale * load(weight_ref, step) + load(bias_ref, step)
        plgpu.store(o_ref.at[columns], out, mask=mask)


def backward_kernel(x_ref, weight_ref, do_ref, mean_ref, scale_ref, dx_ref):
    length = x_ref.shape[0]
    hat = (x_ref[...] - mean_ref[...]) * scale_ref[...]
    slope = weight_ref[...] * do_ref[...]
    dx_ref[...] = (slope - hat * (hat * slope).sum() / length - slope.sum() / length) * scale_ref[...]


def parameters_kernel(x_ref, do_ref, mean_ref, scale_ref, dw_ref, db_ref):
    rows, length = x_ref.shape
    columns, mask = columns_of(pl.program_id(0), length)

    def add(row, sums):
        x = plgpu.load(x_ref.at[row, columns], mask=mask, other=0.0)
        do = plgpu.load(do_ref.at[row, columns], mask=mask, other=0.0)
        return sums[0] + do * (x - mean_ref[row]) * scale_ref[row], sums[1] + do

    dw, db = lax.fori_loop(0, rows, add, (jnp.zeros(BLOCK), jnp.zeros(BLOCK)))
    plgpu.store(dw_ref.at[columns], dw, mask=mask)
    plgpu.store(db_ref.at[columns], db, mask=mask)


def forward(x, weight, bias, eps, residuals):
    one = jax.ShapeDtypeStruct((x.shape[-1],), x.dtype)
    scalar = jax.ShapeDtypeStruct((), x.dtype)
    call = pl.pallas_call(
        functools.partial(forward_kernel, eps=eps),
        out_shape=[one, scalar, scalar] if residuals else one,
        grid=(),
        compiler_params=plgpu.CompilerParams(num_warps=1, num_stages=2),
        interpret=True,
    )
    return jax.vmap(call, in_axes=(0, None, None))(x, weight, bias)


@functools.partial(jax.custom_vjp, nondiff_argnums=(3,))
@jax.jit(static_argnames=["eps"])
def layer_norm(x, weight, bias, eps=1e-5):
    return forward(x, weight, bias, eps, False)


def layer_norm_forward(x, weight, bias, eps):
    out, mean, scale = forward(x, weight, bias, eps, True)
    return out, (x, weight, mean, scale)


def layer_norm_backward(eps, residuals, do):
    x, weight, mean, scale = residuals
    one = jax.ShapeDtypeStruct((x.shape[1],), x.dtype)
    dx = jax.vmap(pl.pallas_call(backward_kernel, out_shape=one, interpret=True), in_axes=(0, None, 0, 0, 0))(
        x, weight, do, mean, scale
    )
    grid = (pl.cdiv(x.shape[1], BLOCK),)
    dw, db = pl.pallas_call(parameters_kernel, out_shape=[one, one], grid=grid, interpret=True)(x, do, mean, scale)
    return dx, dw, db


layer_norm.defvjp(layer_norm_forward, layer_norm_backward)


def plain(x, weight, bias, eps=1e-5):
    mean = x.mean(axis=1, keepdims=True)
    return (x - mean) * lax.rsqrt(x.var(axis=1, keepdims=True) + eps) * weight + bias


def show(name, x):
    print(name, x.shape, *(f"{float(n):.3f}" for n in x.reshape(-1)[:: max(1, x.size // 8)]))


x = jnp.sin(jnp.arange(5 * 20) * 0.37).reshape(5, 20)
weight, bias = 1 + 0.5 * jnp.sin(jnp.arange(20) * 0.9), jnp.sin(jnp.arange(20) * 1.7)
show("forward", layer_norm(x, weight, bias))
show("by keyword", layer_norm(bias=bias, weight=weight, x=x, eps=1e-3))
print(bool(jnp.allclose(layer_norm(x, weight, bias), plain(x, weight, bias), atol=1e-5)))
loss = lambda norm, *parameters: jnp.sum(norm(*parameters) * jnp.cos(jnp.arange(100.0) * 0.3).reshape(5, 20))
value, gradients = jax.value_and_grad(functools.partial(loss, layer_norm), argnums=(0, 1, 2))(x, weight, bias)
expected = jax.grad(functools.partial(loss, plain), argnums=(0, 1, 2))(x, weight, bias)
print(f"{float(value):.3f}")
for name, gradient, other in zip(("dx", "dw", "db"), gradients, expected):
    show(name, gradient)
    print(bool(jnp.allclose(gradient, other, atol=1e-4)))
