"""Products of kernels that do not say what warpgroups do, and that go by warpgroups on Hopper."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def numbers(shape, dtype=jnp.bfloat16):
  size = 1
  for extent in shape:
    size *= extent
  return ((jnp.arange(size, dtype=jnp.int32).reshape(shape) * 7) % 11 - 5).astype(dtype)


def dot(x, y):
  return jnp.dot(x, y, preferred_element_type=jnp.float32)


# Copied ahead, and a round's product under way while the next round begins.
def rounds(x_ref, y_ref, o_ref):
  def step(k, acc):
    return acc + dot(x_ref[:, pl.ds(k * 64, 64)], y_ref[pl.ds(k * 64, 64), :])

  o_ref[...] = jax.lax.fori_loop(0, x_ref.shape[1] // 64, step, jnp.zeros(o_ref.shape, jnp.float32))


for dtype, shape in [(jnp.bfloat16, (128, 128)), (jnp.float16, (64, 256)), (jnp.bfloat16, (128, 32))]:
  x, y = numbers((2 * shape[0], 448), dtype), numbers((448, 2 * shape[1]), dtype)
  print(pl.pallas_call(
      rounds, grid=(2, 2),
      in_specs=[pl.BlockSpec((shape[0], 448), lambda i, j: (i, 0)), pl.BlockSpec((448, shape[1]), lambda i, j: (0, j))],
      out_specs=pl.BlockSpec(shape, lambda i, j: (i, j)),
      out_shape=jax.ShapeDtypeStruct((2 * shape[0], 2 * shape[1]), jnp.float32))(x, y).sum())


# No rounds, and one: what is left under way there is waited for all the same.
def few(n_ref, x_ref, y_ref, o_ref):
  def step(k, acc):
    return acc + dot(x_ref[:, pl.ds(k * 32, 32)], y_ref[pl.ds(k * 32, 32), :])

  o_ref[...] = jax.lax.fori_loop(0, n_ref[0], step, jnp.ones(o_ref.shape, jnp.float32))


for count in (0, 1, 3):
  print(pl.pallas_call(few, out_shape=jax.ShapeDtypeStruct((64, 64), jnp.float32))(
      jnp.array([count], jnp.int32), numbers((64, 96)), numbers((96, 64))).sum())


# Two sums in one loop, of one left factor; one of them begins with what the other does not.
def two(x_ref, y_ref, z_ref, o_ref, p_ref):
  def step(k, carry):
    x = x_ref[:, pl.ds(k * 32, 32)]
    return carry[0] + dot(x, y_ref[pl.ds(k * 32, 32), :]), dot(x, z_ref[pl.ds(k * 32, 32), :]) + carry[1]

  zeros = jnp.zeros(o_ref.shape, jnp.float32)
  o_ref[...], p_ref[...] = jax.lax.fori_loop(0, 5, step, (zeros, zeros + 1))


sums = [jax.ShapeDtypeStruct((128, 64), jnp.float32)] * 2
print([o.sum() for o in pl.pallas_call(two, out_shape=sums)(numbers((128, 160)), numbers((160, 64)), numbers((160, 64)))])


# Sums that somebody looks at in each round, and factors that are computed before they are multiplied.
def looked_at(x_ref, y_ref, o_ref):
  def step(k, acc):
    x = jnp.maximum(x_ref[:, pl.ds(k * 64, 64)], 0)
    return jnp.minimum(acc + dot(x, y_ref[pl.ds(k * 64, 64), :]), 500)

  o_ref[...] = jax.lax.fori_loop(0, 4, step, jnp.zeros(o_ref.shape, jnp.float32))


print(pl.pallas_call(looked_at, out_shape=jax.ShapeDtypeStruct((128, 64), jnp.float32))(
    numbers((128, 256)), numbers((256, 64))).sum())


# A factor from before the loop, in every round; the other one turned, both ways.
def turned(x_ref, y_ref, z_ref, o_ref):
  x = x_ref[...]

  def step(k, acc):
    acc = acc + dot(x, y_ref[pl.ds(k * 64, 64), :].T)
    return acc + dot(z_ref[pl.ds(k * 32, 32), :].T, y_ref[pl.ds(k * 64, 64), :32].T)

  o_ref[...] = jax.lax.fori_loop(0, 3, step, jnp.zeros(o_ref.shape, jnp.float32))


print(pl.pallas_call(turned, out_shape=jax.ShapeDtypeStruct((128, 64), jnp.float32))(
    numbers((128, 128)), numbers((192, 128)), numbers((96, 128))).sum())


# A matrix with itself, floats of eight bits, a result of 16 bits.
def itself(x_ref, y_ref, o_ref, p_ref):
  x, y = x_ref[...], y_ref[...]
  o_ref[...] = jnp.dot(x, x.T).astype(o_ref.dtype)
  p_ref[...] = dot(y, y.T)


both = [jax.ShapeDtypeStruct((64, 64), jnp.bfloat16), jax.ShapeDtypeStruct((64, 64), jnp.float32)]
small = numbers((64, 64)) % 3
print([o.sum() for o in pl.pallas_call(itself, out_shape=both)(small, numbers((64, 64), jnp.float8_e4m3fn))])


# Attention: the second product has its left factor in registers, and what it is added to is scaled in each round.
def attention(q_ref, k_ref, v_ref, o_ref):
  q = q_ref[...]

  def step(j, carry):
    acc, m, l = carry
    k, v = k_ref[pl.ds(j * 64, 64), :], v_ref[pl.ds(j * 64, 64), :]
    s = dot(q, k.T) * 0.01
    new = jnp.maximum(m, jnp.max(s, axis=1))
    p, alpha = jnp.exp(s - new[:, None]), jnp.exp(m - new)
    return acc * alpha[:, None] + dot(p.astype(v.dtype), v), new, l * alpha + jnp.sum(p, axis=1)

  start = jnp.zeros(o_ref.shape, jnp.float32), jnp.full((q.shape[0],), -jnp.inf), jnp.zeros((q.shape[0],), jnp.float32)
  acc, _, l = jax.lax.fori_loop(0, k_ref.shape[0] // 64, step, start)
  o_ref[...] = (acc / l[:, None]).astype(o_ref.dtype)


for queries, features in [(64, 64), (128, 32)]:
  rest = numbers((256, features))
  print(pl.pallas_call(attention, out_shape=jax.ShapeDtypeStruct((queries, features), jnp.bfloat16))(
      numbers((queries, features)), rest, rest).astype(jnp.float32).sum())
