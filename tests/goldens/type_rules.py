"""Writes engine/ir/tests/rules.txt: ops on operand types, with the result types or the error that JAX 0.10.2's abstract
evaluation gives. Each block is a function in text IR; `// problem:` is JAX's message.
Run with JAX 0.10.2: python tests/goldens/type_rules.py"""

import pathlib
import re

import numpy as np
import jax
from jax._src.core import ShapedArray
from jax._src.lax import lax as L, slicing as S, special as P
from jax._src.lax.control_flow import loops

TARGET = pathlib.Path(__file__).parents[2] / "engine/ir/tests/rules.txt"
LONG = {"f32": "float32", "i32": "int32", "bool": "bool", "u32": "uint32", "i8": "int8", "bf16": "bfloat16", "f16": "float16", "i4": "int4"}
SHORT = {v: k for k, v in LONG.items()}
blocks = []


def aval(text):
    dtype, shape, weak = re.fullmatch(r"(\w+)\[([\d,]*)\](\*?)", text).groups()
    shape = tuple(int(d) for d in shape.split(",") if d)
    return ShapedArray(shape, jax.numpy.dtype(LONG[dtype]), weak_type=bool(weak))


def text(a):
    return f"{SHORT[a.dtype.name]}[{','.join(map(str, a.shape))}]{'*' if a.weak_type else ''}"


def rule(primitive, attributes, *types, name=None, **params):
    name = name or primitive.name
    try:
        result = primitive.abstract_eval(*map(aval, types), **params)[0]
        result = result if isinstance(result, (list, tuple)) else [result]
        results, problem = [text(r) for r in result], None
    except Exception as error:  # every kind that a rule raises
        results, problem = ["f32[]"], str(error)
    letters = "abcdef"
    operands = ", ".join(f"%{letters[i]}" for i in range(len(types)))
    head = ", ".join(f"%{letters[i]}: {t}" for i, t in enumerate(types))
    left = ", ".join(f"%{i}" for i in range(len(results)))
    mark = f"// problem: @f op 0 ({name}): {problem}\n" if problem else ""
    line = " ".join(filter(None, [left, "=", name, operands, attributes, ":", ", ".join(results)]))
    blocks.append(f"{mark}func @f({head}) {{\n  {line}\n}}")


dt = lambda name: np.dtype(name)
unary = "neg sign floor ceil exp exp2 expm1 log log1p sqrt rsqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh logistic is_finite abs not population_count clz square".split()
for name in unary:
    primitive = getattr(L, name + "_p")
    params = {}
    if name in ("exp", "exp2", "log", "expm1", "log1p", "sqrt", "rsqrt", "cbrt", "sin", "cos", "tan", "tanh", "logistic"):
        params = {"accuracy": None}
    for t in ("f32[4]", "f32[]*", "bf16[2,3]", "i32[4]", "bool[4]", "u32[4]"):
        if name == "abs" and t in ("i32[4]", "u32[4]", "bool[4]") and t != "i32[4]":
            continue  # the message lists a Python set in no fixed order
        rule(primitive, "", t, **params)
for name in ("erf", "erfc", "erf_inv", "lgamma", "digamma"):
    for t in ("f32[4]", "i32[4]"):
        rule(getattr(P, name + "_p"), "", t)
for name in "add sub mul div rem max min atan2 and or xor shift_left shift_right_logical shift_right_arithmetic nextafter pow eq ne lt le gt ge".split():
    primitive = getattr(L, name + "_p")
    for types in (("f32[4]", "f32[4]"), ("f32[4]*", "f32[4]*"), ("f32[4]", "f32[4]*"), ("i32[4]", "i32[4]"), ("bool[4]", "bool[4]"),
                  ("f32[4]", "f32[3]"), ("f32[2,4]", "f32[4]"), ("f32[4]", "bf16[4]"), ("i32[4]", "u32[4]"), ("f32[4]", "i32[4]"), ("i32[4]", "f32[4]")):
        if any(t.startswith("bool") for t in types) and name in ("max", "min", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "xor"):
            rule(primitive, "", *types)
        else:
            rule(primitive, "", *types)
for types in (("bool[4]", "f32[4]", "f32[4]"), ("bool[]", "f32[4]", "f32[4]*"), ("i32[4]", "f32[4]*", "f32[4]*", "f32[4]*"), ("f32[4]", "f32[4]", "f32[4]"),
              ("bool[4]", "f32[4]", "f32[4]", "f32[4]"), ("bool[3]", "f32[4]", "f32[4]"), ("bool[4]", "f32[4]", "f32[3]"), ("bool[4]", "f32[4]", "i32[4]")):
    rule(L.select_n_p, "", *types)
for types in (("f32[]", "f32[4]", "f32[]"), ("f32[4]*", "f32[4]*", "f32[4]*"), ("f32[3]", "f32[4]", "f32[]"), ("f32[]", "f32[4]", "f32[2]"), ("f32[]", "f32[4]", "i32[]")):
    rule(L.clamp_p, "", *types)
for name in "sum prod max min and or xor".split():
    primitive = getattr(L, f"reduce_{name}_p")
    extra = {"out_sharding": None} if name in ("sum",) else {}
    if name in ("max", "min"):
        extra = {"out_sharding": None}
    for t, axes in (("f32[4,5]", (0,)), ("f32[4,5]*", (0, 1)), ("i32[4]", (0,)), ("bool[4]", (0,)), ("f32[4]", (1,)), ("f32[4]", (0, 0))):
        if name in ("and", "or", "xor") and axes in ((1,), (0, 0)):
            continue
        rule(primitive, f"axes={list(axes)}", t, axes=axes, **extra)
for name in ("argmax", "argmin"):
    for t, axis, d in (("f32[4,5]", 1, "i32"), ("f32[4]*", 0, "i32"), ("f32[0]", 0, "i32"), ("f32[4]", 1, "i32"), ("f32[4]", 0, "f32")):
        rule(getattr(L, name + "_p"), f"axis={axis} dtype={d}", t, axes=(axis,), index_dtype=dt(LONG[d]))
for name in ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"):
    for t, axis in (("f32[4]*", 0), ("f32[4]", 1), ("bool[4]", 0), ("f32[4]", -1)):
        rule(getattr(loops, name + "_p"), f"axis={axis} reverse=false", t, axis=axis, reverse=False)
dots = [
    ("f32[4,5]", "f32[5,6]", ((1,), (0,)), ((), ()), None),
    ("f32[2,4,5]*", "f32[2,5,6]*", ((2,), (1,)), ((0,), (0,)), None),
    ("bf16[4,5]", "bf16[5,6]", ((1,), (0,)), ((), ()), "f32"),
    ("bf16[4,5]", "f32[5,6]", ((1,), (0,)), ((), ()), None),
    ("f16[4,5]", "bf16[5,6]", ((1,), (0,)), ((), ()), None),
    ("i8[4,5]", "i8[5,6]", ((1,), (0,)), ((), ()), "i32"),
    ("i32[4,5]", "i32[5,6]", ((1,), (0,)), ((), ()), "i8"),
    ("i32[4,5]", "f32[5,6]", ((1,), (0,)), ((), ()), None),
    ("f32[4,5]", "f32[4,6]", ((1,), (0,)), ((), ()), None),
    ("f32[2,4,5]", "f32[3,5,6]", ((2,), (1,)), ((0,), (0,)), None),
    ("f32[4,5]", "f32[5,6]", ((2,), (0,)), ((), ()), None),
    ("f32[4,5]", "f32[5,6]", ((1, 1), (0, 0)), ((), ()), None),
    ("f32[4,5]", "f32[5,6]", ((1,), (0,)), ((1,), (0,)), None),
    ("f32[4,5]", "f32[5,6]", ((1,), (0,)), ((0,), ()), None),
]
for lhs, rhs, contracting, batch, wish in dots:
    lists = lambda pair: str([list(p) for p in pair])
    rule(L.dot_general_p, f"contracting={lists(contracting)} batch={lists(batch)}" + (f" dtype={wish}" if wish else ""), lhs, rhs,
         dimension_numbers=(contracting, batch), precision=None, preferred_element_type=wish and dt(LONG[wish]), out_sharding=None)
for t, shape, dims in (("f32[4]", (2, 4), (1,)), ("f32[]*", (3,), ()), ("f32[1]", (5,), (0,)), ("f32[4]", (2, 3), (1,)), ("f32[4]", (2, 4), (2,)), ("f32[4]", (4,), ()), ("f32[4,4]", (4,), (0, 1))):
    rule(L.broadcast_in_dim_p, f"shape={list(shape)} dims={list(dims)}", t, shape=shape, broadcast_dimensions=dims, sharding=None)
for t, perm in (("f32[2,3]*", (1, 0)), ("f32[2,3]", (0, 0)), ("f32[2,3]", (0,))):
    rule(L.transpose_p, f"permutation={list(perm)}", t, permutation=perm)
for t, axes in (("f32[1,3]*", (0,)), ("f32[2,3]", (0,)), ("f32[1]", (1,)), ("f32[1]", (0, 0))):
    rule(L.squeeze_p, f"axes={list(axes)}", t, dimensions=axes)
for t, axes in (("f32[2,3]*", (0, 1)), ("f32[2]", (0, 0)), ("f32[2]", (1,))):
    rule(L.rev_p, f"axes={list(axes)}", t, dimensions=axes)
for types, axis in ((("f32[2]", "f32[3]"), 0), (("f32[2,3]*", "f32[2,1]*"), 1), (("f32[2]", "f32[2,1]"), 0), (("f32[2,3]", "f32[3,3]"), 1), (("f32[2]", "i32[2]"), 0), (("f32[2]", "f32[2]"), 1)):
    rule(L.concatenate_p, f"axis={axis}", *types, dimension=axis)
for t, start, limit, strides in (("f32[8]*", (2,), (8,), (3,)), ("f32[8,4]", (0, 1), (8, 2), None), ("f32[8]", (0,), (9,), None), ("f32[8]", (-1,), (3,), None), ("f32[8]", (5,), (3,), None), ("f32[8]", (0, 0), (3,), None)):
    rule(S.slice_p, f"start={list(start)} limit={list(limit)} strides={list(strides or [])}", t, start_indices=start, limit_indices=limit, strides=strides)
for types, sizes in ((("f32[8]*", "i32[]"), (3,)), (("f32[8]", "i32[]"), (9,)), (("f32[8]", "f32[]"), (3,))):
    rule(S.dynamic_slice_p, f"sizes={list(sizes)}", *types, slice_sizes=sizes)
for types in (("f32[8]", "f32[3]", "i32[]"), ("f32[8]", "f32[9]", "i32[]"), ("f32[8]", "i32[3]", "i32[]"), ("f32[8]", "f32[3,1]", "i32[]")):
    rule(S.dynamic_update_slice_p, "", *types)
for types, low, high, interior in ((("f32[4]*", "f32[]*"), 1, 2, 1), (("f32[4]", "f32[]"), -1, -1, 0), (("f32[4]", "f32[]*"), 0, 0, 2), (("f32[4]", "i32[]"), 0, 0, 0)):
    rule(L.pad_p, f"low=[{low}] high=[{high}] interior=[{interior}]", *types, padding_config=((low, high, interior),))
for t, d in (("f32[4]", "i32"), ("f32[4]", "f16"), ("i8[3,4]", "f32"), ("i8[3,2]", "f32"), ("bool[4]", "i8"), ("f32[4]*", "f32")):
    rule(L.bitcast_convert_type_p, f"dtype={d}", t, new_dtype=dt(LONG[d]))
for t, d, weak in (("f32[4]*", "i32", False), ("i32[]", "f32", True)):
    rule(L.convert_element_type_p, f"dtype={d} weak={str(weak).lower()}", t, new_dtype=dt(LONG[d]), weak_type=weak, sharding=None)
for t in ("f32[4]*", "i32[4]"):
    rule(L.reduce_precision_p, "exponent_bits=5 mantissa_bits=10", t, exponent_bits=5, mantissa_bits=10)
for t, y in (("f32[4]*", 3), ("i32[4]", 2), ("f32[4]", -2)):
    rule(L.integer_pow_p, f"y={y}", t, y=y)
for t, k in (("f32[4]*", 2), ("f32[4]", 5), ("f32[]", 1)):
    rule(L.top_k_p, f"k={k}", t, k=k, axis=max(len(aval(t).shape) - 1, 0))
for types in (("f32[4]*", "i32[4]"), ("f32[4]", "f32[3]")):
    rule(L.sort_p, "axis=0 num_keys=1 stable=true", *types, dimension=0, num_keys=1, is_stable=True)

TARGET.write_text("\n---\n".join(blocks) + "\n")
print(len(blocks), "rules written")
