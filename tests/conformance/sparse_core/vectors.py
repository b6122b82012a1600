"""Each operation on vectors of sixteen lanes, in a kernel over the vector subcores of one SparseCore."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc
from jax.sharding import AbstractDevice, AbstractMesh

LANES = 16
lanes = np.arange(LANES, dtype=np.int32)
mask = lanes % 3 == 0
data = ((lanes * 7) % 5).astype(np.int32)


def on_lanes(function, *outputs):
    """What a function of Refs writes: the data, the mask as integers, and its outputs."""
    types = [jax.ShapeDtypeStruct((LANES,), jnp.int32) for _ in range(outputs[0] if outputs else 1)]
    mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore", num_cores=1, num_subcores=1)

    def kernel(x_ref, mask_ref, *refs):
        for ref in refs:
            ref[...] = jnp.full((LANES,), -1, jnp.int32)
        function(x_ref, mask_ref[...] != 0, *refs)

    results = pl.kernel(kernel, out_type=types, mesh=mesh, interpret=True)(data, mask.astype(np.int32))
    return [np.asarray(result) for result in results]


def is_same(found, expected):
    np.testing.assert_array_equal(found, np.asarray(expected))


with jax.sharding.use_abstract_mesh(AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))):
    info = plsc.get_sparse_core_info()
    assert (info.num_cores, info.num_subcores, info.num_lanes) == (2, 16, LANES)
    try:
        plsc.ScalarSubcoreMesh(axis_name="core", num_cores=3)
        raise SystemExit("a mesh of three cores on a chip with two")
    except ValueError as error:
        assert str(error) == "Mesh has 3 cores, but the current TPU chip has only 2 SparseCores", error

    chosen = data[mask]

    def stored(x_ref, under, o_ref):
        plsc.store_compressed(o_ref, x_ref[...], mask=under)

    (found,) = on_lanes(stored)
    is_same(found, [*chosen, *([-1] * (LANES - len(chosen)))])

    def added(x_ref, under, o_ref):
        plsc.addupdate_compressed(o_ref, x_ref[...], mask=under)
        plsc.addupdate(o_ref, x_ref[...])

    (found,) = on_lanes(added)
    is_same(found, data - 1 + np.concatenate([chosen, np.zeros(LANES - len(chosen), np.int32)]))

    def expanded(x_ref, under, o_ref):
        o_ref[...] = jnp.where(under, plsc.load_expanded(x_ref, mask=under), -1)

    (found,) = on_lanes(expanded)
    is_same(found[mask], data[: len(chosen)])
    is_same(found[~mask], -1)

    def gathered(x_ref, under, o_ref):
        o_ref[...] = plsc.load_gather(x_ref, [15 - lax_iota()])

    def lax_iota():
        return jax.lax.iota(jnp.int32, LANES)

    (found,) = on_lanes(gathered)
    is_same(found, data[::-1])

    def scattered(x_ref, under, one_ref, sum_ref):
        plsc.store_scatter(one_ref, [15 - lax_iota()], x_ref[...], mask=under)
        plsc.addupdate_scatter(sum_ref, [lax_iota() // 4], jnp.full((LANES,), 2, jnp.int32))

    one, sums = on_lanes(scattered, 2)
    is_same(one, np.where(mask, data, -1)[::-1])
    is_same(sums, [7] * 4 + [-1] * 12)

    def counted(x_ref, under, sum_ref, max_ref, count_ref, last_ref):
        sum_ref[...] = plsc.cumsum(x_ref[...], mask=under)
        max_ref[...] = plsc.cummax(x_ref[...], mask=lax_iota() >= 3)
        count_ref[...], last = plsc.scan_count(x_ref[...])
        last_ref[...] = last.astype(jnp.int32)

    sums, maxima, counts, last = on_lanes(counted, 4)
    is_same(sums, np.cumsum(np.where(mask, data, 0)))
    is_same(maxima, [*data[:3], *np.maximum.accumulate(data[3:])])
    is_same(counts, [list(data[: i + 1]).count(data[i]) for i in range(LANES)])
    is_same(last, [data[i] not in data[i + 1 :] for i in range(LANES)])

    def reduced(x_ref, under, count_ref, first_ref, none_ref):
        count_ref[...] = plsc.all_reduce_population_count(under)
        first_ref[...] = plsc.all_reduce_ffs(lax_iota() > 4)
        none_ref[...] = plsc.all_reduce_ffs(lax_iota() > 99)

    counts, first, none = on_lanes(reduced, 3)
    is_same(counts, mask.sum())
    is_same(first, 5)
    is_same(none, LANES)

    def ordered(x_ref, under, key_ref, value_ref, masked_ref):
        key_ref[...], value_ref[...] = plsc.sort_key_val(x_ref[...], lax_iota(), descending=True)
        masked_ref[...], _, valid = plsc.sort_key_val(x_ref[...], lax_iota(), mask=under)

    keys, values, masked = on_lanes(ordered, 3)
    is_same(keys, np.sort(data)[::-1])
    is_same(data[values], keys)
    is_same(masked[: len(chosen)], np.sort(chosen))

    def packed(x_ref, under, one_ref, other_ref, bits_ref):
        both = plsc.pack(x_ref[...], x_ref[...] + 1, format=plsc.PackFormat.INTERLEAVED)
        assert both.shape == (2 * LANES,) and both.dtype == jnp.int16
        one_ref[...], other_ref[...] = plsc.unpack(both, format=plsc.PackFormat.INTERLEAVED)
        halves = plsc.bitcast(x_ref[...], jnp.int16)
        assert halves.shape == (2 * LANES,)
        bits_ref[...] = plsc.bitcast(halves, jnp.int32)

    one, other, bits = on_lanes(packed, 3)
    is_same(one, data)
    is_same(other, data + 1)
    is_same(bits, data)

    def looped(x_ref, under, o_ref, total_ref):
        @plsc.parallel_loop(0, LANES, step=4)
        def _(i):
            o_ref[pl.ds(i, 4)] = x_ref[pl.ds(i, 4)] * 2

        total = plsc.parallel_loop(1, 8, step=3, carry=jnp.int32(0))(lambda i, carry: carry + i)
        total_ref[...] = jnp.full((LANES,), total)

    doubled, total = on_lanes(looped, 2)
    is_same(doubled, data * 2)
    is_same(total, 1 + 4 + 7)

print("as documented")
