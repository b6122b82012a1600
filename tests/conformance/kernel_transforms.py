"""Kernels under jvp and vmap: tangents beside values, lanes as a grid axis."""
import jax, jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl

x = jnp.arange(1.0, 9.0)

def cube(x_ref, o_ref):
    o_ref[...] = x_ref[...] ** 3

def call(kernel, n=1, **kw):
    spec = pl.BlockSpec((4,), lambda i: (i,))
    return pl.pallas_call(kernel, grid=(2,), in_specs=[spec] * n, out_specs=spec,
                          out_shape=jax.ShapeDtypeStruct((8,), jnp.float32), interpret=True, **kw)

print(jax.jvp(call(cube), (x,), (jnp.ones(8),)))

def scaled(a_ref, b_ref, o_ref):
    i = pl.program_id(0)
    o_ref[...] = jnp.zeros_like(o_ref)
    def body(k, acc):
        return acc + a_ref[k] * b_ref[k]
    total = lax.fori_loop(0, 4, body, 0.0)
    o_ref[0] = total
    @pl.when(i == 1)
    def _():
        o_ref[1] = jnp.sin(a_ref[1])


def dot(a_ref, b_ref, o_ref):
    o_ref[...] = jnp.zeros_like(o_ref)
    o_ref[0] = lax.fori_loop(0, 4, lambda k, acc: acc + a_ref[k] * b_ref[k], 0.0)


print(jax.jvp(call(dot, 2), (x, x * 2), (jnp.ones(8), jnp.arange(8.0))))


def masked(x_ref, o_ref):
    idx = jnp.arange(4)
    v = x_ref[pl.ds(0, 4)]
    o_ref[...] = jnp.where(idx < 2, v * v, jnp.exp(-v))

print(jax.jvp(call(masked), (x,), (jnp.full(8, 0.5),)))
try:
    print(jax.grad(lambda a: call(cube)(a).sum())(x))
except Exception as e:
    print(type(e).__name__, e)

# lanes
xs = jnp.arange(24.0).reshape(3, 8)
print(jax.vmap(call(cube))(xs))
print(jax.vmap(call(scaled, 2), in_axes=(0, None))(xs, x))
print(jax.vmap(call(scaled, 2), in_axes=(None, 1), out_axes=1)(x, xs.T))
print(jax.vmap(jax.vmap(call(cube)))(xs.reshape(3, 1, 8)).shape)
whole = pl.pallas_call(cube, out_shape=jax.ShapeDtypeStruct((8,), jnp.float32), interpret=True)
print(jax.vmap(whole)(xs))
def ids(o_ref):
    o_ref[...] = jnp.full_like(o_ref, pl.program_id(0) * 10 + pl.num_programs(0))
print(jax.vmap(lambda _: pl.pallas_call(ids, grid=(2,), out_specs=pl.BlockSpec((2,), lambda i: (i,)),
      out_shape=jax.ShapeDtypeStruct((4,), jnp.int32), interpret=True)(), axis_size=3)(jnp.arange(3)))

# derivatives inside of a kernel
def inside(x_ref, o_ref):
    o_ref[...] = jax.grad(lambda v: jnp.sum(jnp.sin(v) * v))(x_ref[...])
print(call(inside)(x))
def inside_vjp(x_ref, o_ref):
    y, back = jax.vjp(lambda v: v ** 2, x_ref[...])
    (g,) = back(y)
    o_ref[...] = g
print(call(inside_vjp)(x))
def inside_vmap(x_ref, o_ref):
    o_ref[...] = jax.vmap(lambda v: v * 2 + jnp.sum(v))(x_ref[...].reshape(2, 2)).reshape(4)
print(call(inside_vmap)(x))
