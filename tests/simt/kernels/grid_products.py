"""Products whose terms are an axis of the grid, as kernels for TPUs have them: what the first or the last round does goes out of the
loop, and what cannot go stays."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def numbers(shape, dtype=jnp.bfloat16):
  size = 1
  for extent in shape:
    size *= extent
  return ((jnp.arange(size, dtype=jnp.int32).reshape(shape) * 7) % 11 - 5).astype(dtype)


def dot(x, y):
  return jnp.dot(x, y, preferred_element_type=jnp.float32)


rows = lambda m, k: pl.BlockSpec((m, k), lambda i, j, k: (i, k))
columns = lambda k, n: pl.BlockSpec((k, n), lambda i, j, k: (k, j))
tile = lambda m, n: pl.BlockSpec((m, n), lambda i, j, k: (i, j))
ROUND, LAST = lambda: pl.program_id(2), lambda: pl.num_programs(2) - 1


# The sum in scratch memory. Two warpgroups, one, none for want of rows, and no tensor cores; one round, two and more.
def product(x_ref, y_ref, o_ref, sum_ref):
  @pl.when(ROUND() == 0)
  def _():
    sum_ref[...] = jnp.zeros_like(sum_ref)

  sum_ref[...] += dot(x_ref[...], y_ref[...])

  @pl.when(ROUND() == LAST())
  def _():
    o_ref[...] = sum_ref[...].astype(o_ref.dtype)


for dtype, (m, n), rounds in [
    (jnp.bfloat16, (128, 64), 3), (jnp.float16, (64, 64), 5), (jnp.bfloat16, (64, 64), 1), (jnp.bfloat16, (64, 32), 2),
    (jnp.bfloat16, (32, 32), 4), (jnp.float32, (32, 32), 3)]:
  x, y = numbers((2 * m, 32 * rounds), dtype), numbers((32 * rounds, 2 * n), dtype)
  print(pl.pallas_call(
      product, grid=(2, 2, rounds), in_specs=[rows(m, 32), columns(32, n)], out_specs=tile(m, n),
      scratch_shapes=[pltpu.VMEM((m, n), jnp.float32)],
      out_shape=jax.ShapeDtypeStruct((2 * m, 2 * n), dtype))(x, y).astype(jnp.float32).sum())

# All axes in order: blocks are loops, too.
print(pl.pallas_call(
    product, grid=(2, 1, 3), in_specs=[rows(64, 32), columns(32, 64)], out_specs=tile(64, 64),
    scratch_shapes=[pltpu.VMEM((64, 64), jnp.float32)], out_shape=jax.ShapeDtypeStruct((128, 64), jnp.float32),
    compiler_params=pltpu.CompilerParams(dimension_semantics=("arbitrary",) * 3))(
        numbers((128, 96)), numbers((96, 64))).sum())


# The sum in the output; the first round is said in another way.
def in_output(x_ref, y_ref, o_ref):
  @pl.when(jnp.logical_not(ROUND() > 0))
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)

  o_ref[...] += dot(x_ref[...], y_ref[...])


print(pl.pallas_call(
    in_output, grid=(1, 2, 4), in_specs=[rows(64, 32), columns(32, 32)], out_specs=tile(64, 32),
    out_shape=jax.ShapeDtypeStruct((64, 64), jnp.float32))(numbers((64, 128)), numbers((128, 64))).sum())


# The first round sets the sum and others add to it: two branches, in the output and in scratch memory, converted; one branch with two
# ways; selections; the sum on the right; and one that only begins with 0 where others look at it.
def set_and_add(x_ref, y_ref, o_ref):
  p = dot(x_ref[...], y_ref[...])

  @pl.when(ROUND() == 0)
  def _():
    o_ref[...] = p.astype(o_ref.dtype)

  @pl.when(ROUND() > 0)
  def _():
    o_ref[...] += p.astype(o_ref.dtype)


def set_and_add_in_scratch(x_ref, y_ref, o_ref, sum_ref):
  set_and_add(x_ref, y_ref, sum_ref)

  @pl.when(ROUND() == LAST())
  def _():
    o_ref[...] = sum_ref[...].astype(o_ref.dtype)


def set_or_add(x_ref, y_ref, o_ref):
  p = dot(x_ref[...], y_ref[...])
  o_ref[...] = jax.lax.cond(ROUND() == 0, lambda: p, lambda: p + o_ref[...])


def selected(x_ref, y_ref, o_ref):
  p = dot(x_ref[...], y_ref[...])
  o_ref[...] = jnp.where(ROUND() == 0, p, o_ref[...] + p)


def selected_zero(x_ref, y_ref, o_ref):
  o_ref[...] = jnp.where(ROUND() > 0, o_ref[...], 0) + dot(x_ref[...], y_ref[...])


for kernel, dtype in [(set_and_add, jnp.float32), (set_and_add, jnp.bfloat16), (set_and_add_in_scratch, jnp.bfloat16),
                      (set_or_add, jnp.float32), (selected, jnp.float32), (selected_zero, jnp.float32)]:
  for factors, (m, n), rounds in [(jnp.bfloat16, (64, 64), 3), (jnp.bfloat16, (32, 32), 2), (jnp.float32, (32, 32), 4),
                                  (jnp.bfloat16, (64, 32), 1)]:
    x, y = numbers((m, 32 * rounds), factors), numbers((32 * rounds, 2 * n), factors)
    scratch = [pltpu.VMEM((m, n), jnp.float32)] if kernel is set_and_add_in_scratch else []
    print(pl.pallas_call(
        kernel, grid=(1, 2, rounds), in_specs=[rows(m, 32), columns(32, n)], out_specs=tile(m, n), scratch_shapes=scratch,
        out_shape=jax.ShapeDtypeStruct((m, 2 * n), dtype))(x, y).astype(jnp.float32).sum())


# The same of what is no product, whose zeros keep their signs, and of integers; of products of zeros, whose sums are 0 and not -0.
def each(x_ref, o_ref):
  @pl.when(ROUND() == 0)
  def _():
    o_ref[...] = x_ref[...]

  @pl.when(ROUND() > 0)
  def _():
    o_ref[...] += x_ref[...]


for zeros in (-0.0 * jnp.ones((16, 32)), jnp.arange(16 * 32, dtype=jnp.int32).reshape(16, 32)):
  o = pl.pallas_call(
      each, grid=(1, 1, 2), in_specs=[pl.BlockSpec((8, 32), lambda i, j, k: (k, j))], out_specs=tile(8, 32),
      out_shape=jax.ShapeDtypeStruct((8, 32), zeros.dtype))(zeros)
  print(o.sum(), jnp.signbit(o.astype(jnp.float32)).all())
for m in (64, 32):
  o = pl.pallas_call(
      set_and_add, grid=(1, 1, 2), in_specs=[rows(m, 32), columns(32, 32)], out_specs=tile(m, 32),
      out_shape=jax.ShapeDtypeStruct((m, 32), jnp.float32))(jnp.zeros((m, 64), jnp.bfloat16), -jnp.ones((64, 32), jnp.bfloat16))
  print(jnp.signbit(o).any())


# A sum that the first round sets while it looks at what was there, and one that others add something else to.
def set_otherwise(x_ref, y_ref, o_ref, p_ref, s_ref, t_ref):
  p = dot(x_ref[...], y_ref[...])

  @pl.when(ROUND() == 0)
  def _():
    s_ref[...] = p
    t_ref[...] = p

  @pl.when(ROUND() > 0)
  def _():
    s_ref[...] += p * 2
    t_ref[...] += p

  @pl.when(ROUND() == 1)
  def _():
    t_ref[...] = -t_ref[...]

  o_ref[...], p_ref[...] = s_ref[...], t_ref[...]


print([o.sum() for o in pl.pallas_call(
    set_otherwise, grid=(1, 1, 3), in_specs=[rows(64, 32), columns(32, 64)], out_specs=[tile(64, 64)] * 2,
    scratch_shapes=[pltpu.VMEM((64, 64), jnp.float32)] * 2,
    out_shape=[jax.ShapeDtypeStruct((64, 64), jnp.float32)] * 2)(numbers((64, 96)), numbers((96, 64)))])


# The products themselves in the branches; the same, of another factor later, after a write to what is multiplied, and with what is stored
# beside it.
def in_branches(x_ref, y_ref, o_ref):
  @pl.when(ROUND() == 0)
  def _():
    o_ref[...] = dot(x_ref[...], y_ref[...])

  @pl.when(ROUND() > 0)
  def _():
    o_ref[...] += dot(x_ref[...], y_ref[...])


def in_one_branch(x_ref, y_ref, o_ref):
  product = lambda: dot(x_ref[...], y_ref[...])
  o_ref[...] = jax.lax.cond(ROUND() == 0, product, lambda: product() + o_ref[...])


def of_others(x_ref, y_ref, o_ref):
  @pl.when(ROUND() == 0)
  def _():
    o_ref[...] = dot(x_ref[...], y_ref[...])

  @pl.when(ROUND() > 0)
  def _():
    o_ref[...] += dot(x_ref[...] + x_ref[...], y_ref[...])


for kernel in (in_branches, in_one_branch, of_others):
  for factors, m, rounds in [(jnp.bfloat16, 64, 3), (jnp.bfloat16, 32, 2), (jnp.float32, 32, 4)]:
    x, y = numbers((m, 32 * rounds), factors), numbers((32 * rounds, 64), factors)
    print(pl.pallas_call(
        kernel, grid=(1, 2, rounds), in_specs=[rows(m, 32), columns(32, 32)], out_specs=tile(m, 32),
        out_shape=jax.ShapeDtypeStruct((m, 64), jnp.float32))(x, y).sum())


def written_between(x_ref, y_ref, o_ref, p_ref, s_ref):
  @pl.when(ROUND() == 0)
  def _():
    s_ref[...] = x_ref[...]
    o_ref[...] = dot(s_ref[...], y_ref[...])
    p_ref[...] = o_ref[...]

  s_ref[...] = s_ref[...] + x_ref[...]

  @pl.when(ROUND() > 0)
  def _():
    o_ref[...] += dot(s_ref[...], y_ref[...])
    p_ref[...] = o_ref[...] * 2


print([o.sum() for o in pl.pallas_call(
    written_between, grid=(1, 1, 3), in_specs=[rows(64, 32), columns(32, 64)], out_specs=[tile(64, 64)] * 2,
    scratch_shapes=[pltpu.VMEM((64, 32), jnp.bfloat16)],
    out_shape=[jax.ShapeDtypeStruct((64, 64), jnp.float32)] * 2)(numbers((64, 96)), numbers((96, 64)))])


# What is multiplied is written between the branches; the branches fill different memory with the same. Halves are written one by one, so
# that both lie in memory.
HALVES = (slice(0, 32), slice(32, 64))


def halves_between(x_ref, y_ref, o_ref, p_ref, s_ref, t_ref):
  for half in HALVES:
    s_ref[half, :] = x_ref[half, :]

  @pl.when(ROUND() == 0)
  def _():
    o_ref[...] = dot(s_ref[...], y_ref[...])

  s_ref[HALVES[0], :] = x_ref[HALVES[0], :] * 2

  @pl.when(ROUND() > 0)
  def _():
    o_ref[...] += dot(s_ref[...], y_ref[...])

  p_ref[...] = o_ref[...]


def halves_beside(x_ref, y_ref, o_ref, p_ref, s_ref, t_ref):
  for half in HALVES:
    s_ref[half, :] = x_ref[half, :] + 1
    t_ref[half, :] = x_ref[half, :] - 2

  @pl.when(ROUND() == 0)
  def _():
    s_ref[...] = x_ref[...]
    o_ref[...] = dot(x_ref[...], y_ref[...])

  @pl.when(ROUND() > 0)
  def _():
    t_ref[...] = x_ref[...]
    o_ref[...] += dot(x_ref[...], y_ref[...])

  for half in HALVES:
    p_ref[half, :32] = s_ref[half, :].astype(jnp.float32) * 3 + t_ref[half, :].astype(jnp.float32)


for kernel in (halves_between, halves_beside):
  print([o[:, :32].sum() for o in pl.pallas_call(
      kernel, grid=(1, 1, 3), in_specs=[rows(64, 32), columns(32, 64)], out_specs=[tile(64, 64)] * 2,
      scratch_shapes=[pltpu.VMEM((64, 32), jnp.bfloat16)] * 2,
      out_shape=[jax.ShapeDtypeStruct((64, 64), jnp.float32)] * 2)(numbers((64, 96)), numbers((96, 64)))])


# Loops in a kernel, whose first round looks at what they begin with: stores it, and carries it on.
def looked_at_first(x_ref, o_ref, p_ref, q_ref):
  x = x_ref[...]

  def stores(k, s):
    @pl.when(k == 0)
    def _():
      p_ref[...] = s

    return jnp.where(k == 0, x, s + x)

  def carries(k, carry):
    s, m = carry
    return jnp.where(k == 0, x, s + x), jnp.where(k == 0, s, m)

  o_ref[...] = jax.lax.fori_loop(0, 3, stores, x * 5)
  s, m = jax.lax.fori_loop(0, 4, carries, (x * 7, x))
  q_ref[...] = s + m * 10


print([o.sum() for o in pl.pallas_call(
    looked_at_first, out_shape=[jax.ShapeDtypeStruct((8, 32), jnp.float32)] * 3)(numbers((8, 32), jnp.float32))])


# A bias to begin with; behind the sum a function, a product with a third matrix, and the last block of the left factor again.
def layer(x_ref, y_ref, b_ref, w_ref, o_ref, p_ref, sum_ref):
  k = ROUND()

  @pl.when(k == 0)
  def _():
    sum_ref[...] = jnp.broadcast_to(b_ref[...].astype(jnp.float32), sum_ref.shape)

  x = x_ref[...]
  sum_ref[...] += dot(x, y_ref[...])

  @pl.when(k == LAST())
  def _():
    h = jnp.maximum(sum_ref[...], 0)
    o_ref[...] = dot(h.astype(jnp.bfloat16), w_ref[...]) * 0.125
    p_ref[...] = x + k.astype(jnp.bfloat16)


print([o.astype(jnp.float32).sum() for o in pl.pallas_call(
    layer, grid=(2, 1, 3),
    in_specs=[rows(64, 32), columns(32, 64), pl.BlockSpec((1, 64), lambda i, j, k: (0, j)),
              pl.BlockSpec((64, 32), lambda i, j, k: (0, 0))],
    out_specs=[pl.BlockSpec((64, 32), lambda i, j, k: (i, 0))] * 2,
    scratch_shapes=[pltpu.VMEM((64, 64), jnp.float32)],
    out_shape=[jax.ShapeDtypeStruct((128, 32), jnp.float32), jax.ShapeDtypeStruct((128, 32), jnp.bfloat16)])(
        numbers((128, 96)) % 3, numbers((96, 64)) % 3, numbers((1, 64)), numbers((64, 32)) % 2)])


# Sums that somebody looks at in between: in the second round, in each round, and after the round that would be the last one.
def looked_at(x_ref, y_ref, o_ref, sum_ref, most_ref):
  k = ROUND()

  @pl.when(k == 0)
  def _():
    sum_ref[...] = jnp.zeros_like(sum_ref)
    most_ref[...] = jnp.full_like(most_ref, -1000)

  @pl.when(k == 1)
  def _():
    sum_ref[...] = sum_ref[...] * 2

  sum_ref[...] += dot(x_ref[...], y_ref[...])
  most_ref[...] = jnp.maximum(most_ref[...], sum_ref[...])

  @pl.when(k == LAST())
  def _():
    sum_ref[...] = most_ref[...] - sum_ref[...]

  o_ref[...] = sum_ref[...]


print(pl.pallas_call(
    looked_at, grid=(1, 1, 4), in_specs=[rows(64, 32), columns(32, 64)], out_specs=tile(64, 64),
    scratch_shapes=[pltpu.VMEM((64, 64), jnp.float32)] * 2,
    out_shape=jax.ShapeDtypeStruct((64, 64), jnp.float32))(numbers((64, 128)), numbers((128, 64))).sum())


# What the first round does with what it has read before, and what others read behind the last one.
def order(x_ref, o_ref, p_ref, s_ref):
  k = ROUND()
  s_ref[...] = x_ref[...] + jnp.where(k > 0, s_ref[...], 0)

  @pl.when(k == 0)
  def _():
    s_ref[...] = s_ref[...] + 7

  @pl.when(k == LAST())
  def _():
    o_ref[...] = s_ref[...]

  s_ref[...] = s_ref[...] * 2
  p_ref[...] = s_ref[...]


print([o.sum() for o in pl.pallas_call(
    order, grid=(1, 2, 3), in_specs=[pl.BlockSpec((8, 32), lambda i, j, k: (k, j))],
    out_specs=[tile(8, 32)] * 2, scratch_shapes=[pltpu.VMEM((8, 32), jnp.float32)],
    out_shape=[jax.ShapeDtypeStruct((8, 64), jnp.float32)] * 2)(numbers((24, 64), jnp.float32))])


# Attention, whose keys are the last axis of the grid.
def attention(q_ref, k_ref, v_ref, o_ref, m_ref, l_ref, acc_ref):
  j = ROUND()

  @pl.when(j == 0)
  def _():
    m_ref[...] = jnp.full_like(m_ref, -jnp.inf)
    l_ref[...] = jnp.zeros_like(l_ref)
    acc_ref[...] = jnp.zeros_like(acc_ref)

  s = dot(q_ref[...], k_ref[...].T) * 0.01
  new = jnp.maximum(m_ref[...], jnp.max(s, axis=1, keepdims=True))
  p, alpha = jnp.exp(s - new), jnp.exp(m_ref[...] - new)
  l_ref[...] = l_ref[...] * alpha + jnp.sum(p, axis=1, keepdims=True)
  acc_ref[...] = acc_ref[...] * alpha + dot(p.astype(jnp.bfloat16), v_ref[...])
  m_ref[...] = new

  @pl.when(j == LAST())
  def _():
    o_ref[...] = (acc_ref[...] / l_ref[...]).astype(o_ref.dtype)


keys = pl.BlockSpec((None, 64, 64), lambda h, i, j: (h, j, 0))
queries = pl.BlockSpec((None, 64, 64), lambda h, i, j: (h, i, 0))
print(pl.pallas_call(
    attention, grid=(2, 2, 3), in_specs=[queries, keys, keys], out_specs=queries,
    scratch_shapes=[pltpu.VMEM((64, 1), jnp.float32)] * 2 + [pltpu.VMEM((64, 64), jnp.float32)],
    out_shape=jax.ShapeDtypeStruct((2, 128, 64), jnp.bfloat16))(
        numbers((2, 128, 64)), numbers((2, 192, 64)), numbers((2, 192, 64))).astype(jnp.float32).sum())


# Blocks in bands: so many that the rest of a band is one, of batches, and around a loop.
def small(x_ref, y_ref, o_ref):
  o_ref[...] = dot(x_ref[...], y_ref[...])


x, y = numbers((2, 88, 8), jnp.float32), numbers((2, 8, 264), jnp.float32)
print(pl.pallas_call(
    small, grid=(11, 33), in_specs=[pl.BlockSpec((8, 8), lambda i, j: (i, 0)), pl.BlockSpec((8, 8), lambda i, j: (0, j))],
    out_specs=pl.BlockSpec((8, 8), lambda i, j: (i, j)), out_shape=jax.ShapeDtypeStruct((88, 264), jnp.float32))(
        x[0], y[0]).sum())
print(pl.pallas_call(
    small, grid=(2, 8, 33),
    in_specs=[pl.BlockSpec((None, 8, 8), lambda b, i, j: (b, i, 0)), pl.BlockSpec((None, 8, 8), lambda b, i, j: (b, 0, j))],
    out_specs=pl.BlockSpec((None, 8, 8), lambda b, i, j: (b, i, j)),
    out_shape=jax.ShapeDtypeStruct((2, 64, 264), jnp.float32))(x[:, :64], y).sum())
print(pl.pallas_call(
    product, grid=(9, 32, 2), in_specs=[rows(8, 4), columns(4, 8)], out_specs=tile(8, 8),
    scratch_shapes=[pltpu.VMEM((8, 8), jnp.float32)], out_shape=jax.ShapeDtypeStruct((72, 256), jnp.float32))(
        x[0, :72], y[0, :, :256]).sum())
