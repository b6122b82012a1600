"""Decode attention of grouped queries over pages that a table names, with prefetched lengths."""
import functools
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

BATCH, HEADS, GROUP, DIM, PAGE, PAGES, TOTAL = 3, 2, 4, 16, 8, 4, 14


def kernel(lengths_ref, table_ref, q_ref, k_ref, v_ref, o_ref, m_ref, l_ref, acc_ref, *, scale):
    b, i = pl.program_id(0), pl.program_id(2)

    @pl.when(i == 0)
    def _():
        m_ref[...] = jnp.full_like(m_ref, -jnp.inf)
        l_ref[...] = jnp.zeros_like(l_ref)
        acc_ref[...] = jnp.zeros_like(acc_ref)

    @pl.when(i * PAGE < lengths_ref[b])
    def _():
        s = pl.dot(q_ref[...], k_ref[...], trans_b=True) * scale
        place = i * PAGE + jax.lax.broadcasted_iota(jnp.int32, s.shape, 1)
        s = jnp.where(place < lengths_ref[b], s, -jnp.inf)
        m = jnp.maximum(m_ref[...], s.max(axis=1, keepdims=True))
        alpha, p = jnp.exp(m_ref[...] - m), jnp.exp(s - m)
        l_ref[...] = alpha * l_ref[...] + p.sum(axis=1, keepdims=True)
        acc_ref[...] = alpha * acc_ref[...] + pl.dot(p, v_ref[...])
        m_ref[...] = m

    @pl.when(i == pl.num_programs(2) - 1)
    def _():
        o_ref[...] = acc_ref[...] / l_ref[...]


pages = pl.BlockSpec((None, None, PAGE, DIM), lambda b, h, i, lengths, table: (table[b, i], h, 0, 0))
queries = pl.BlockSpec((None, None, GROUP, DIM), lambda b, h, i, *_: (b, h, 0, 0))
grid_spec = pltpu.PrefetchScalarGridSpec(
    num_scalar_prefetch=2, grid=(BATCH, HEADS, PAGES), in_specs=[queries, pages, pages], out_specs=queries,
    scratch_shapes=[pltpu.VMEM((GROUP, n), jnp.float32) for n in (1, 1, DIM)])
ks = jax.random.split(jax.random.key(0), 3)
q = jax.random.normal(ks[0], (BATCH, HEADS, GROUP, DIM))
k, v = (jax.random.normal(key, (TOTAL, HEADS, PAGE, DIM)) for key in ks[1:])
table = (jnp.arange(BATCH * PAGES) * 5 % TOTAL).reshape(BATCH, PAGES).astype(jnp.int32)
lengths = jnp.array([1, 17, 32], jnp.int32)
out = pl.pallas_call(
    functools.partial(kernel, scale=DIM**-0.5), grid_spec=grid_spec, out_shape=q, interpret=True)(
        lengths, table, q, k, v)
whole = lambda x: x[table].transpose(0, 2, 1, 3, 4).reshape(BATCH, HEADS, PAGES * PAGE, DIM)
s = jnp.einsum("bhgd,bhsd->bhgs", q, whole(k)) * DIM**-0.5
s = jnp.where(jnp.arange(PAGES * PAGE) < lengths[:, None, None, None], s, -jnp.inf)
print(out.shape, bool(jnp.allclose(out, jnp.einsum("bhgs,bhsd->bhgd", jax.nn.softmax(s), whole(v)), atol=1e-5)))
print(bool(jnp.array_equal(out[0, :, 0], whole(v)[0, :, 0])))
