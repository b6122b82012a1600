"""Writes engine/interpret/tests/cases/*.case: launches in text IR with inputs, and the outputs that JAX's interpret mode
gives for the same kernel. Run with JAX 0.10.2: python tests/goldens/interpret.py"""

import pathlib
import warnings

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plgpu
from jax._src.state.primitives import ref_addupdate

warnings.simplefilter("ignore")
FOLDER = pathlib.Path(__file__).parents[2] / "engine/interpret/tests/cases"
SHORT = {"float32": "f32", "int32": "i32", "bool": "bool", "uint32": "u32", "int8": "i8", "bfloat16": "bf16", "float16": "f16"}


def element(x):
    if isinstance(x, (bool, np.bool_)):
        return "true" if x else "false"
    if isinstance(x, (int, np.integer)):
        return str(x)
    x = float(x)
    if x != x:
        return "nan"
    if x in (float("inf"), float("-inf")):
        return "inf" if x > 0 else "-inf"
    return repr(x)


def nested(a):
    if a.ndim == 0:
        return element(a.item() if a.dtype != jnp.bfloat16 else float(a))
    return "[" + ", ".join(nested(x) for x in a) + "]"


def constants(name, arrays):
    lines = [f"func @{name}() {{"]
    for i, a in enumerate(arrays):
        a = np.asarray(a)
        shape = ",".join(map(str, a.shape))
        lines.append(f"  %{i} = constant dense<{nested(a)}> : {SHORT[a.dtype.name]}[{shape}]")
    lines.append("  yield " + ", ".join(f"%{i}" for i in range(len(arrays))))
    lines.append("}")
    return "\n".join(lines)


def case(name, ir, call, *inputs):
    outputs = call(*inputs)
    if not isinstance(outputs, (list, tuple)):
        outputs = [outputs]
    empty = "func @inputs() { }"
    parts = [constants("inputs", inputs) if inputs else empty, constants("outputs", outputs), ir.strip()]
    (FOLDER / f"{name}.case").write_text("\n---\n".join(parts) + "\n")


def out(shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def pc(kernel, **kw):
    return pl.pallas_call(kernel, interpret=True, **kw)


f = lambda n: jnp.arange(n, dtype=jnp.float32)

# Blocks -------------------------------------------------------------------------------------------------------------


def add_one(x_ref, o_ref):
    o_ref[...] = x_ref[...] + 1


def copy_launch(shape_in, shape_out, ref_in, ref_out, block_in, block_out, map_in, map_out, grid, body=None, dtype="f32", params="%i: i32[]"):
    colons = ", ".join(":" * len(ref_in.split(",")) if ref_in else "")
    dims = lambda s: ", ".join(":" for _ in s.split(",")) if s else ""
    body = body or f"""
    %0 = load %x_ref[{dims(ref_in)}] : {dtype}[{ref_in}]
    %1 = constant 1.0 : {dtype}[{ref_in}]
    %2 = add %0, %1 : {dtype}[{ref_in}]
    store %o_ref[{dims(ref_out)}], %2"""
    return f"""launch grid=[{grid}] {{
  input @x: {dtype}[{shape_in}] block=[{block_in}] map @index_map({params}) {{ {map_in} }}
  output @o: {dtype}[{shape_out}] block=[{block_out}] map @index_map({params}) {{ {map_out} }}
  kernel @kernel(%x_ref: ref<{dtype}[{ref_in}]>, %o_ref: ref<{dtype}[{ref_out}]>) {{{body}
  }}
}}"""


same = lambda i: (i,)
case(
    "ragged_blocks",
    copy_launch("10", "10", "4", "4", "4", "4", "yield %i", "yield %i", "3"),
    pc(add_one, grid=(3,), in_specs=[pl.BlockSpec((4,), same)], out_specs=pl.BlockSpec((4,), same), out_shape=out((10,))),
    f(10),
)
case(
    "blocks_beyond_the_end",
    copy_launch("10", "10", "4", "4", "4", "4", "%1 = constant 1 : i32[] %2 = add %i, %1 : i32[] yield %2", "yield %i", "4"),
    pc(add_one, grid=(4,), in_specs=[pl.BlockSpec((4,), lambda i: (i + 1,))], out_specs=pl.BlockSpec((4,), same), out_shape=out((10,))),
    f(10),
)
case(
    "blocks_before_the_start",
    copy_launch("10", "12", "4", "4", "4", "4", "%1 = constant -5 : i32[] %2 = add %i, %1 : i32[] yield %2", "yield %i", "3"),
    pc(add_one, grid=(3,), in_specs=[pl.BlockSpec((4,), lambda i: (i - 5,))], out_specs=pl.BlockSpec((4,), same), out_shape=out((12,))),
    f(10),
)
case(
    "an_index_map_that_is_not_affine",
    copy_launch("8", "8", "2", "2", "2", "2", "%1 = mul %i, %i : i32[] %2 = constant 4 : i32[] %3 = rem %1, %2 : i32[] yield %3", "yield %i", "4"),
    pc(add_one, grid=(4,), in_specs=[pl.BlockSpec((2,), lambda i: (lax.rem(i * i, 4),))], out_specs=pl.BlockSpec((2,), same), out_shape=out((8,))),
    f(8),
)
case(
    "squeezed_rows",
    copy_launch("3,5", "3,5", "5", "5", "squeezed, 5", "squeezed, 5", "%0 = constant 0 : i32[] yield %i, %0", "%0 = constant 0 : i32[] yield %i, %0", "3"),
    pc(add_one, grid=(3,), in_specs=[pl.BlockSpec((None, 5), lambda i: (i, 0))], out_specs=pl.BlockSpec((None, 5), lambda i: (i, 0)), out_shape=out((3, 5))),
    f(15).reshape(3, 5),
)
case(
    "elements_with_virtual_padding",
    copy_launch("8", "12", "4", "4", "element(4, 1, 2)", "4", "%1 = constant 3 : i32[] %2 = mul %i, %1 : i32[] yield %2", "yield %i", "3"),
    pc(add_one, grid=(3,), in_specs=[pl.BlockSpec((pl.Element(4, (1, 2)),), lambda i: (i * 3,))], out_specs=pl.BlockSpec((4,), same), out_shape=out((12,))),
    f(8),
)
for dtype, short in [("float32", "f32"), ("int32", "i32"), ("bool", "bool"), ("uint32", "u32"), ("int8", "i8"), ("bfloat16", "bf16")]:
    case(
        f"never_written_{dtype}",
        f"""launch grid=[2] {{
  output @o: {short}[5] block=[2] map @index_map(%i: i32[]) {{ yield %i }}
  kernel @kernel(%o_ref: ref<{short}[2]>) {{ }}
}}""",
        pc(lambda o_ref: None, grid=(2,), out_specs=pl.BlockSpec((2,), same), out_shape=out((5,), dtype)),
    )


def partly(x_ref, o_ref):
    o_ref[0] = x_ref[1]


case(
    "partly_written_blocks",
    copy_launch("6", "6", "2", "2", "2", "2", "yield %i", "yield %i", "2", body="""
    %0 = load %x_ref[1] : f32[]
    store %o_ref[0], %0"""),
    pc(partly, grid=(2,), in_specs=[pl.BlockSpec((2,), same)], out_specs=pl.BlockSpec((2,), same), out_shape=out((6,))),
    f(6),
)


def revisits(x_ref, o_ref):
    o_ref[...] = o_ref[...] + x_ref[...]


case(
    "an_aliased_output_that_is_revisited",
    """launch grid=[2, 3] {
  input @x: f32[4] block=[2] map @m(%i: i32[], %j: i32[]) { yield %i }
  output @o: f32[4] block=[2] map @m(%i: i32[], %j: i32[]) { yield %i }
  alias 0 -> 0
  kernel @kernel(%x_ref: ref<f32[2]>, %o_ref: ref<f32[2]>) {
    %0 = load %o_ref[:] : f32[2]
    %1 = load %x_ref[:] : f32[2]
    %2 = add %0, %1 : f32[2]
    store %o_ref[:], %2
  }
}""",
    pc(revisits, grid=(2, 3), in_specs=[pl.BlockSpec((2,), lambda i, j: (i,))], out_specs=pl.BlockSpec((2,), lambda i, j: (i,)), out_shape=out((4,)), input_output_aliases={0: 0}),
    f(4),
)


def writes_input(x_ref, o_ref):
    x_ref[...] = x_ref[...] * 2
    o_ref[...] = x_ref[...]


case(
    "writes_to_an_input_stay",
    """launch grid=[2, 2] {
  input @x: f32[4] block=[2] map @m(%i: i32[], %j: i32[]) { yield %j }
  output @o: f32[2,4] block=[squeezed, 2] map @m(%i: i32[], %j: i32[]) { yield %i, %j }
  kernel @kernel(%x_ref: ref<f32[2]>, %o_ref: ref<f32[2]>) {
    %0 = load %x_ref[:] : f32[2]
    %1 = add %0, %0 : f32[2]
    store %x_ref[:], %1
    %2 = load %x_ref[:] : f32[2]
    store %o_ref[:], %2
  }
}""",
    pc(writes_input, grid=(2, 2), in_specs=[pl.BlockSpec((2,), lambda i, j: (j,))], out_specs=pl.BlockSpec((None, 2), lambda i, j: (i, j)), out_shape=out((2, 4))),
    f(4) + 1,
)


def with_scratch(x_ref, o_ref, acc_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += x_ref[...]
    o_ref[...] = acc_ref[...]


case(
    "scratch_lives_across_programs",
    """launch grid=[3] {
  input @x: f32[6] block=[2] map @m(%i: i32[]) { yield %i }
  output @o: f32[6] block=[2] map @m(%i: i32[]) { yield %i }
  scratch ref<f32[2], vmem>
  kernel @kernel(%x_ref: ref<f32[2]>, %o_ref: ref<f32[2]>, %acc_ref: ref<f32[2], vmem>) {
    %0 = program_id axis=0 : i32[]
    %1 = constant 0 : i32[]
    %2 = eq %0, %1 : bool[]
    cond %2 { } {
      %3 = constant 0.0 : f32[]
      %4 = broadcast_in_dim %3 shape=[2] dims=[] : f32[2]
      store %acc_ref[:], %4
    }
    %5 = load %acc_ref[:] : f32[2]
    %6 = load %x_ref[:] : f32[2]
    %7 = add %5, %6 : f32[2]
    store %acc_ref[:], %7
    %8 = load %acc_ref[:] : f32[2]
    store %o_ref[:], %8
  }
}""",
    pc(with_scratch, grid=(3,), in_specs=[pl.BlockSpec((2,), same)], out_specs=pl.BlockSpec((2,), same), out_shape=out((6,)), scratch_shapes=[pltpu.VMEM((2,), jnp.float32)]),
    f(6),
)


def matmul(x_ref, y_ref, o_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += jnp.dot(x_ref[...], y_ref[...])


case(
    "matmul_over_blocks",
    """launch grid=[2, 2, 2] {
  input @x: f32[4,6] block=[2, 3] map @m(%i: i32[], %j: i32[], %k: i32[]) { yield %i, %k }
  input @y: f32[6,4] block=[3, 2] map @m(%i: i32[], %j: i32[], %k: i32[]) { yield %k, %j }
  output @o: f32[4,4] block=[2, 2] map @m(%i: i32[], %j: i32[], %k: i32[]) { yield %i, %j }
  kernel @kernel(%x_ref: ref<f32[2,3]>, %y_ref: ref<f32[3,2]>, %o_ref: ref<f32[2,2]>) {
    %0 = program_id axis=2 : i32[]
    %1 = constant 0 : i32[]
    %2 = eq %0, %1 : bool[]
    cond %2 { } {
      %3 = constant 0.0 : f32[2,2]
      store %o_ref[:, :], %3
    }
    %4 = load %o_ref[:, :] : f32[2,2]
    %5 = load %x_ref[:, :] : f32[2,3]
    %6 = load %y_ref[:, :] : f32[3,2]
    %7 = dot_general %5, %6 contracting=[[1], [0]] batch=[[], []] : f32[2,2]
    %8 = add %4, %7 : f32[2,2]
    store %o_ref[:, :], %8
  }
}""",
    pc(
        matmul,
        grid=(2, 2, 2),
        in_specs=[pl.BlockSpec((2, 3), lambda i, j, k: (i, k)), pl.BlockSpec((3, 2), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((2, 2), lambda i, j, k: (i, j)),
        out_shape=out((4, 4)),
    ),
    f(24).reshape(4, 6),
    f(24).reshape(6, 4) - 11,
)


def prefetching(lengths_ref, x_ref, o_ref):
    o_ref[...] = x_ref[...] + lengths_ref[pl.program_id(0)]
    lengths_ref[0] = 7


case(
    "prefetched_scalars_steer_blocks",
    """launch grid=[3] {
  prefetch @s: i32[3] block=[3] space=smem
  input @x: i32[8] block=[2] map @m(%i: i32[], %s: ref<i32[3], smem>) {
    %0 = load %s[%i] : i32[]
    yield %0
  }
  output @o: i32[6] block=[2] map @m(%i: i32[], %s: ref<i32[3], smem>) { yield %i }
  kernel @kernel(%s: ref<i32[3], smem>, %x_ref: ref<i32[2]>, %o_ref: ref<i32[2]>) {
    %0 = program_id axis=0 : i32[]
    %1 = load %s[%0] : i32[]
    %2 = load %x_ref[:] : i32[2]
    %3 = broadcast_in_dim %1 shape=[2] dims=[] : i32[2]
    %4 = add %2, %3 : i32[2]
    store %o_ref[:], %4
    %5 = constant 7 : i32[]
    store %s[0], %5
  }
}""",
    pc(
        prefetching,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1,
            grid=(3,),
            in_specs=[pl.BlockSpec((2,), lambda i, s: (s[i],))],
            out_specs=pl.BlockSpec((2,), lambda i, s: (i,)),
        ),
        out_shape=out((6,), jnp.int32),
    ),
    jnp.array([2, 0, 3], jnp.int32),
    jnp.arange(8, dtype=jnp.int32),
)


def ids(o_ref):
    o_ref[0, 0] = pl.program_id(0) * 100 + pl.program_id(1) * 10 + pl.num_programs(1)


case(
    "program_ids",
    """launch grid=[2, 3] {
  output @o: i32[2,3] block=[1, 1] map @m(%i: i32[], %j: i32[]) { yield %i, %j }
  kernel @kernel(%o_ref: ref<i32[1,1]>) {
    %0 = program_id axis=0 : i32[]
    %1 = program_id axis=1 : i32[]
    %2 = num_programs axis=1 : i32[]
    %3 = constant 100 : i32[]
    %4 = constant 10 : i32[]
    %5 = mul %0, %3 : i32[]
    %6 = mul %1, %4 : i32[]
    %7 = add %5, %6 : i32[]
    %8 = add %7, %2 : i32[]
    store %o_ref[0, 0], %8
  }
}""",
    pc(ids, grid=(2, 3), out_specs=pl.BlockSpec((1, 1), lambda i, j: (i, j)), out_shape=out((2, 3), jnp.int32)),
)

# Subscripts ---------------------------------------------------------------------------------------------------------


def whole(name, inputs, outputs, body, kernel):
    """One program over whole arrays; inputs as (name, array), outputs as (name, shape)."""
    types = [(n, f"{SHORT[np.asarray(a).dtype.name]}[{','.join(map(str, a.shape))}]", a.shape) for n, a in inputs]
    outs = [(n, f"f32[{','.join(map(str, s))}]", s) for n, s in outputs]
    lines = ["launch grid=[] {"]
    for role, group in (("input", types), ("output", outs)):
        for n, t, s in group:
            lines.append(f"  {role} @{n}: {t} block=[{', '.join(map(str, s))}]")
    params = ", ".join(f"%{n}: ref<{t}>" for n, t, _ in types + outs)
    lines.append(f"  kernel @kernel({params}) {{")
    lines += ["    " + line.strip() for line in body.strip().splitlines()]
    lines += ["  }", "}"]
    shapes = [out(s) for _, s in outputs]
    call = pc(kernel, out_shape=shapes)
    case(name, "\n".join(lines), call, *[a for _, a in inputs])


positions = jnp.array([0, 3, 7, 8, 11, -1, -8, -9, -20], jnp.int32)


def scalar_loads(i, x, o):
    for k in range(9):
        o[k] = x[i[k]]


whole(
    "scalar_positions_outside_read",
    [("i", positions), ("x", f(8))],
    [("o", (9,))],
    "\n".join(f"%i{k} = load %i[{k}] : i32[]\n%x{k} = load %x[%i{k}] : f32[]\nstore %o[{k}], %x{k}" for k in range(9)),
    scalar_loads,
)


def scalar_stores(i, x, o):
    o[...] = x[...]
    for k in range(9):
        o[k, i[k]] = 100.0 + k


whole(
    "scalar_positions_outside_write",
    [("i", positions), ("x", f(72).reshape(9, 8))],
    [("o", (9, 8))],
    "%all = load %x[:, :] : f32[9,8]\nstore %o[:, :], %all\n"
    + "\n".join(f"%i{k} = load %i[{k}] : i32[]\n%x{k} = constant {100.0 + k} : f32[]\nstore %o[{k}, %i{k}], %x{k}" for k in range(9)),
    scalar_stores,
)


def slice_loads(i, x, o):
    for k in range(9):
        o[k, :] = x[pl.ds(i[k], 3)]


whole(
    "slices_outside_read",
    [("i", positions), ("x", f(8))],
    [("o", (9, 3))],
    "\n".join(f"%i{k} = load %i[{k}] : i32[]\n%x{k} = load %x[ds(%i{k}, 3)] : f32[3]\nstore %o[{k}, :], %x{k}" for k in range(9)),
    slice_loads,
)


def slice_stores(i, x, o):
    o[...] = x[...]
    for k in range(9):
        o[k, pl.ds(i[k], 3)] = jnp.full((3,), 100.0 + k)


whole(
    "slices_outside_write",
    [("i", positions), ("x", f(72).reshape(9, 8))],
    [("o", (9, 8))],
    "%all = load %x[:, :] : f32[9,8]\nstore %o[:, :], %all\n"
    + "\n".join(f"%i{k} = load %i[{k}] : i32[]\n%x{k} = constant {100.0 + k} : f32[3]\nstore %o[{k}, ds(%i{k}, 3)], %x{k}" for k in range(9)),
    slice_stores,
)


def padded_loads(i, x, o):
    for k in range(9):
        o[k, :] = plgpu.load(x.at[pl.ds(i[k], 3)])


whole(
    "padded_slices_outside_read",
    [("i", positions), ("x", f(8))],
    [("o", (9, 3))],
    "\n".join(f"%i{k} = load %i[{k}] : i32[]\n%x{k} = load %x[ds(%i{k}, 3)] padded=true : f32[3]\nstore %o[{k}, :], %x{k}" for k in range(9)),
    padded_loads,
)


def padded_stores(i, x, o):
    o[...] = x[...]
    for k in range(9):
        plgpu.store(o.at[i[k] * 0 + k, pl.ds(i[k], 3)], jnp.full((3,), 100.0 + k))


whole(
    "padded_slices_outside_write",
    [("i", positions), ("x", f(72).reshape(9, 8))],
    [("o", (9, 8))],
    "%all = load %x[:, :] : f32[9,8]\nstore %o[:, :], %all\n"
    + "\n".join(f"%i{k} = load %i[{k}] : i32[]\n%x{k} = constant {100.0 + k} : f32[3]\nstore %o[{k}, ds(%i{k}, 3)], %x{k} padded=true" for k in range(9)),
    padded_stores,
)


def masked(x, o, p, q):
    mask = x[...] > 2.0
    o[...] = plgpu.load(x.at[...], mask=mask, other=-1.0)
    p[...] = jnp.full((6,), 5.0)
    plgpu.store(p.at[...], x[...], mask=mask)
    q[...] = plgpu.load(x.at[...], mask=mask)


whole(
    "masks",
    [("x", f(6))],
    [("o", (6,)), ("p", (6,)), ("q", (6,))],
    """%x0 = load %x[:] : f32[6]
    %two = constant 2.0 : f32[]
    %twos = broadcast_in_dim %two shape=[6] dims=[] : f32[6]
    %mask = gt %x0, %twos : bool[6]
    %none = constant -1.0 : f32[]
    %0 = load %x[:] mask %mask other %none padded=true : f32[6]
    store %o[:], %0
    %five = constant 5.0 : f32[6]
    store %p[:], %five
    store %p[:], %x0 mask %mask padded=true
    %1 = load %x[:] mask %mask padded=true : f32[6]
    store %q[:], %1""",
    masked,
)

rows = jnp.array([2, 0, 5, -1, -7, 2], jnp.int32)


def array_loads(i, x, o, p):
    o[...] = x[i[...], :]
    p[...] = x[:, i[...] - 1]


whole(
    "index_arrays_read",
    [("i", rows), ("x", f(20).reshape(4, 5))],
    [("o", (6, 5)), ("p", (4, 6))],
    """%0 = load %i[:] : i32[6]
    %1 = load %x[[%0], :] : f32[6,5]
    store %o[:, :], %1
    %2 = constant 1 : i32[6]
    %3 = sub %0, %2 : i32[6]
    %4 = load %x[:, [%3]] : f32[4,6]
    store %p[:, :], %4""",
    array_loads,
)


def array_stores(i, x, o):
    o[...] = x[...]
    o[i[...], 1:3] = f(12).reshape(6, 2) + 100


whole(
    "index_arrays_write",
    [("i", rows), ("x", f(20).reshape(4, 5))],
    [("o", (4, 5))],
    """%all = load %x[:, :] : f32[4,5]
    store %o[:, :], %all
    %0 = load %i[:] : i32[6]
    %1 = constant dense<[[100.0, 101.0], [102.0, 103.0], [104.0, 105.0], [106.0, 107.0], [108.0, 109.0], [110.0, 111.0]]> : f32[6,2]
    store %o[[%0], 1:3], %1""",
    array_stores,
)


def apart(i, x, o, p):
    o[...] = x[i[...], :, i[...]]
    p[...] = x[1, :, i[...]]


whole(
    "index_arrays_apart_stand_in_front",
    [("i", jnp.array([1, 0, 2, 1], jnp.int32)), ("x", f(24).reshape(3, 2, 4))],
    [("o", (4, 2)), ("p", (4, 2))],
    """%0 = load %i[:] : i32[4]
    %1 = load %x[[%0], :, [%0]] : f32[4,2]
    store %o[:, :], %1
    %2 = load %x[1, :, [%0]] : f32[4,2]
    store %p[:, :], %2""",
    apart,
)


def grids(i, x, o):
    o[...] = x[i[...][:, None], i[...][None, :]]


whole(
    "index_arrays_broadcast",
    [("i", jnp.array([1, 0, 2], jnp.int32)), ("x", f(12).reshape(3, 4))],
    [("o", (3, 3))],
    """%0 = load %i[:] : i32[3]
    %1 = broadcast_in_dim %0 shape=[3, 1] dims=[0] : i32[3,1]
    %2 = broadcast_in_dim %0 shape=[1, 3] dims=[1] : i32[1,3]
    %3 = load %x[[%1], [%2]] : f32[3,3]
    store %o[:, :], %3""",
    grids,
)


def strides(x, o, p):
    o[...] = x[1::3]
    p[...] = x[...]
    p[pl.ds(0, 4, stride=2)] = jnp.full((4,), 50.0)


whole(
    "strides",
    [("x", f(9))],
    [("o", (3,)), ("p", (9,))],
    """%0 = load %x[1:8:3] : f32[3]
    store %o[:], %0
    %1 = load %x[:] : f32[9]
    store %p[:], %1
    %2 = constant 50.0 : f32[4]
    store %p[0:7:2], %2""",
    strides,
)


def dynamic_strides(i, x, o, p):
    p[...] = x[...]
    for k in range(4):
        o[k, :] = x[pl.ds(i[k], 3, stride=2)]
        p[pl.ds(i[k], 3, stride=2)] = jnp.full((3,), 50.0 + k)


whole(
    "strides_outside",
    [("i", jnp.array([1, 5, -3, 9], jnp.int32)), ("x", f(9))],
    [("o", (4, 3)), ("p", (9,))],
    "%all = load %x[:] : f32[9]\nstore %p[:], %all\n"
    + "\n".join(
        f"%i{k} = load %i[{k}] : i32[]\n%x{k} = load %x[ds(%i{k}, 3, 2)] : f32[3]\nstore %o[{k}, :], %x{k}\n%c{k} = constant {50.0 + k} : f32[3]\nstore %p[ds(%i{k}, 3, 2)], %c{k}"
        for k in range(4)
    ),
    dynamic_strides,
)


def views(i, x, o):
    o[...] = x[...]
    row = o.at[i[0]]
    row[1:3] = jnp.full((2,), 70.0)
    part = o.at[pl.ds(i[1], 2), 1:4]
    part[i[2], pl.ds(i[3], 2)] = jnp.full((2,), 80.0)


whole(
    "views",
    [("i", jnp.array([1, 3, -1, 5], jnp.int32)), ("x", f(20).reshape(4, 5))],
    [("o", (4, 5))],
    """%all = load %x[:, :] : f32[4,5]
    store %o[:, :], %all
    %i0 = load %i[0] : i32[]
    %row = view %o[%i0, :] : ref<f32[5]>
    %s = constant 70.0 : f32[2]
    store %row[1:3], %s
    %i1 = load %i[1] : i32[]
    %i2 = load %i[2] : i32[]
    %i3 = load %i[3] : i32[]
    %part = view %o[ds(%i1, 2), 1:4] : ref<f32[2,3]>
    %e = constant 80.0 : f32[2]
    store %part[%i2, ds(%i3, 2)], %e""",
    views,
)


def adding(i, x, o, p):
    o[...] = x[...]
    ref_addupdate(o, (i[...],), jnp.full((6,), 10.0))
    ref_addupdate(o, (pl.ds(i[2], 2),), jnp.full((2,), 100.0))
    p[...] = x[...]
    p[...] = p[...] + plgpu.atomic_max(o, (i[0],), x[0] * 0 + 11.0)


whole(
    "atomics",
    [("i", jnp.array([2, 0, 2, 2, 9, -1], jnp.int32)), ("x", f(5))],
    [("o", (5,)), ("p", (5,))],
    """%all = load %x[:] : f32[5]
    store %o[:], %all
    %0 = load %i[:] : i32[6]
    %ten = constant 10.0 : f32[6]
    %1 = atomic %o[[%0]], %ten combine="add" accumulate=true : f32[6]
    %i2 = load %i[2] : i32[]
    %hundred = constant 100.0 : f32[2]
    %2 = atomic %o[ds(%i2, 2)], %hundred combine="add" accumulate=true : f32[2]
    store %p[:], %all
    %i0 = load %i[0] : i32[]
    %eleven = constant 11.0 : f32[]
    %3 = atomic %o[%i0], %eleven combine="max" : f32[]
    %4 = load %p[:] : f32[5]
    %5 = broadcast_in_dim %3 shape=[5] dims=[] : f32[5]
    %6 = add %4, %5 : f32[5]
    store %p[:], %6""",
    adding,
)

# Control flow -------------------------------------------------------------------------------------------------------


def loops(n, x, o):
    def body(k, carry):
        total, last = carry
        value = x[k]
        o[k] = total
        return total + value, value

    total, last = lax.fori_loop(0, n[0], body, (0.0, -1.0))
    o[6] = total
    o[7] = last


whole(
    "a_loop_with_carries",
    [("n", jnp.array([4], jnp.int32)), ("x", f(8) + 1)],
    [("o", (8,))],
    """%n0 = load %n[0] : i32[]
    %zero = constant 0 : i32[]
    %start = constant 0.0 : f32[]
    %minus = constant -1.0 : f32[]
    %total, %last = for %zero, %n0, %start, %minus (%k: i32[], %t: f32[], %l: f32[]) {
      %value = load %x[%k] : f32[]
      store %o[%k], %t
      %next = add %t, %value : f32[]
      yield %next, %value
    } : f32[], f32[]
    store %o[6], %total
    store %o[7], %last""",
    loops,
)


def whiles(x, o):
    def body(carry):
        k, value = carry
        o[k] = value
        return k + 1, value * 2

    k, value = lax.while_loop(lambda c: c[1] < 50.0, body, (0, x[0]))
    o[7] = value


whole(
    "a_while_loop",
    [("x", f(1) + 3)],
    [("o", (8,))],
    """%x0 = load %x[0] : f32[]
    %zero = constant 0 : i32[]
    %one = constant 1 : i32[]
    %two = constant 2.0 : f32[]
    %fifty = constant 50.0 : f32[]
    %k, %v = while %zero, %x0 (%k0: i32[], %v0: f32[]) {
      %go = lt %v0, %fifty : bool[]
      yield %go
    } (%k1: i32[], %v1: f32[]) {
      store %o[%k1], %v1
      %k2 = add %k1, %one : i32[]
      %v2 = mul %v1, %two : f32[]
      yield %k2, %v2
    } : i32[], f32[]
    store %o[7], %v""",
    whiles,
)


def branches(i, x, o):
    for k in range(5):
        o[k] = lax.switch(i[k], [lambda: x[0], lambda: x[1] * 10, lambda: x[2] * 100])
    o[5] = lax.cond(i[0] > 0, lambda: x[1], lambda: x[2])


whole(
    "branches",
    [("i", jnp.array([1, 0, 2, 7, -3], jnp.int32)), ("x", f(3) + 1)],
    [("o", (6,))],
    "%ten = constant 10.0 : f32[]\n%hundred = constant 100.0 : f32[]\n"
    + "\n".join(
        f"""%i{k} = load %i[{k}] : i32[]
    %c{k} = cond %i{k} {{ %a = load %x[0] : f32[] yield %a }} {{ %a = load %x[1] : f32[] %b = mul %a, %ten : f32[] yield %b }} {{ %a = load %x[2] : f32[] %b = mul %a, %hundred : f32[] yield %b }} : f32[]
    store %o[{k}], %c{k}"""
        for k in range(5)
    )
    + """
    %zero = constant 0 : i32[]
    %flag = gt %i0, %zero : bool[]
    %last = cond %flag { %a = load %x[2] : f32[] yield %a } { %a = load %x[1] : f32[] yield %a } : f32[]
    store %o[5], %last""",
    branches,
)


def scoped(x, o, p):
    def inner(tmp):
        o[0:4] = tmp[...]
        tmp[...] = x[...] * 2
        p[...] = tmp[...]
        return tmp[1] + 1

    o[4] = pl.run_scoped(inner, pltpu.VMEM((4,), jnp.float32))


whole(
    "scoped_memory_starts_uninitialised",
    [("x", f(4) + 1)],
    [("o", (5,)), ("p", (4,))],
    """%r = scoped (%tmp: ref<f32[4], vmem>) {
      %0 = load %tmp[:] : f32[4]
      store %o[0:4], %0
      %1 = load %x[:] : f32[4]
      %2 = constant 2.0 : f32[4]
      %3 = mul %1, %2 : f32[4]
      store %tmp[:], %3
      %4 = load %tmp[:] : f32[4]
      store %p[:], %4
      %5 = load %tmp[1] : f32[]
      %6 = constant 1.0 : f32[]
      %7 = add %5, %6 : f32[]
      yield %7
    } : f32[]
    store %o[4], %r""",
    scoped,
)


print("cases written:", len(list(FOLDER.glob("*.case"))))
