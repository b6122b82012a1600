"""Writes engine/tensor/tests/data/operations.json: array operations as JAX computes them on the CPU.

Run from the repository root with Python 3.11, JAX 0.10.2:
    JAX_PLATFORMS=cpu python tests/goldens/operations.py
A case is an operation's name, its parameters, its operands and its results, all as bits. Results that
are `near` depend on the processor or on an order of additions that we do not follow.
"""

import json
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
RNG = np.random.default_rng(7)
cases = []


def packed(array):
    array = np.asarray(array, order="C")  # ascontiguousarray would make scalars one-dimensional
    if array.dtype == bool:
        bits = array.ravel().astype("u1")
    elif array.dtype in (np.dtype("int4"), np.dtype("uint4")):
        bits = array.ravel().astype("i4") & 15
    else:
        bits = array.ravel().view({1: "u1", 2: "u2", 4: "u4", 8: "u8"}[array.dtype.itemsize])
    return {"dtype": array.dtype.name, "shape": list(array.shape), "bits": bits.tolist()}


def add(op, function, *operands, near=False, **parameters):
    try:
        results = function(*operands)
    except (TypeError, NotImplementedError, jax.errors.JaxRuntimeError) as error:
        print("left out:", op, parameters, operands[0].dtype, str(error)[:60].replace("\n", " "))
        return
    if not isinstance(results, (list, tuple)):
        results = [results]
    cases.append({
        "op": op,
        "parameters": parameters,
        "near": near,
        "operands": [packed(np.asarray(operand)) for operand in operands],
        "results": [packed(np.asarray(result)) for result in results],
    })


def cast(values, dtype):
    with np.errstate(all="ignore"):
        return jnp.asarray(np.asarray(values).astype(dtype))


nan, inf = np.nan, np.inf
FLOATS = ["float32", "bfloat16", "float16", "float64"]
FLOAT8 = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz"]
INTS = ["int4", "int8", "int16", "int32", "int64", "uint4", "uint8", "uint16", "uint32", "uint64"]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 100.0, 1e-3, 1e30, -1e30, 1e-40, inf, -inf, nan]


def floats(dtype, count=23):
    # 64 elements: what is left over from whole vectors XLA computes by other instructions.
    scale = 3.0 if dtype.startswith("float8") else 10.0
    return cast(np.concatenate([SPECIAL, RNG.standard_normal(count) * scale, RNG.uniform(-1, 1, count)]), dtype)


def integers(dtype, count=23):
    info = jnp.iinfo(dtype)
    edges = [int(info.min), int(info.max), 0, 1, 2, 3, 5, 7, int(info.max) - 1]
    if info.min < 0:
        edges += [-1, -2, -3, -7]
    values = edges + [int(v) for v in RNG.integers(max(int(info.min), -100), min(int(info.max), 100), count)]
    return jnp.asarray(np.array(values, dtype="object").astype("int64" if info.min < 0 else "uint64").astype(dtype))


# Arithmetic that is defined to the last bit.
EXACT = ["neg", "sign", "abs", "floor", "ceil", "sqrt", "is_finite", "square"]
for dtype in FLOATS + FLOAT8:
    x = floats(dtype)
    for name in EXACT:
        add("unary", getattr(lax, name), x, name=name)
    add("unary", lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), x, name="round")
    add("unary", lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), x, name="round_even")
    add("unary", lambda x: lax.reciprocal(x), x, name="reciprocal")
    for exponent in [-3, -1, 0, 1, 2, 3, 7, 10]:
        add("integer_pow", lambda x: lax.integer_pow(x, exponent), x, exponent=exponent)
for dtype in INTS:
    x = integers(dtype)
    names = ["neg", "sign", "square", "population_count", "clz"] + ([] if dtype.startswith("u") else ["abs"])
    for name in names:
        add("unary", getattr(lax, name), x, name=name)
    add("unary", lax.bitwise_not, x, name="not")
    for exponent in [0, 1, 2, 3, 7]:
        add("integer_pow", lambda x: lax.integer_pow(x, exponent), x, exponent=exponent)
add("unary", lax.bitwise_not, jnp.array([True, False]), name="not")

# Elementary functions of all float types.
FUNCTIONS = ["exp", "exp2", "expm1", "log", "log1p", "rsqrt", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan",
             "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "logistic", "erf", "erfc", "erf_inv", "lgamma", "digamma"]
for dtype in FLOATS + FLOAT8:
    x = floats(dtype)
    for name in FUNCTIONS:
        add("function", getattr(lax, name), x, near=dtype == "float64", name=name)

for dtype in FLOATS + FLOAT8:
    x = floats(dtype)
    y = x[RNG.permutation(x.size)]
    for name in ["add", "sub", "mul", "div", "rem", "max", "min", "nextafter"]:
        add("binary", getattr(lax, name), x, y, name=name)
    for name in ["pow", "atan2"]:
        add("function2", getattr(lax, name), x, y, near=dtype == "float64", name=name)
    for name in ["eq", "ne", "lt", "le", "gt", "ge"]:
        add("compare", getattr(lax, name), x, y, name=name)
    add("clamp", lambda a, b, c: lax.clamp(a, b, c), cast(-0.5, dtype), x, cast(1.5, dtype))
for dtype in INTS:
    x = integers(dtype)
    for _ in range(2):
        y = x[RNG.permutation(x.size)]
        for name in ["add", "sub", "mul", "div", "rem", "max", "min"]:
            add("binary", getattr(lax, name), x, y, name=name)
        for name in ["and", "or", "xor"]:
            add("binary", getattr(lax, "bitwise_" + name), x, y, name=name)
    for name in ["eq", "ne", "lt", "le", "gt", "ge"]:
        add("compare", getattr(lax, name), x, y, name=name)
    width = jnp.iinfo(dtype).bits
    amounts = [int(RNG.integers(0, width)) for _ in range(x.size - 3)] + [width - 1, min(width, 7), min(width + 1, 7)]
    y = jnp.asarray(np.array(amounts, dtype="int64").astype(dtype))
    for name in ["shift_left", "shift_right_logical", "shift_right_arithmetic"]:
        add("binary", getattr(lax, name), x, y, name=name)
    if width >= 8:
        add("binary", jnp.power, x, y, name="pow")
x, y = jnp.array([True, True, False, False]), jnp.array([True, False, True, False])
for name, function in [("and", lax.bitwise_and), ("or", lax.bitwise_or), ("xor", lax.bitwise_xor), ("max", lax.max), ("min", lax.min)]:
    add("binary", function, x, y, name=name)
for name in ["eq", "ne", "lt", "le", "gt", "ge"]:
    add("compare", getattr(lax, name), x, y, name=name)

EVERY = FLOATS + FLOAT8 + INTS + ["bool"]
for source in EVERY:
    if source == "bool":
        x = jnp.array([True, False])
    elif source in INTS:
        x = integers(source, 40)
    else:
        x = jnp.concatenate([floats(source), cast([127.5, 128.0, -128.5, 300.7, -300.7, 7.9, -8.9, 15.5, 1e20, -1e20, 448.0,
            464.0, 465.0, 57344.0, 61440.0, 65519.0, 65520.0, 1 + 2.0**-4 + 2.0**-40, 1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-11 + 2.0**-40], source)])
    for target in EVERY:
        add("convert", lambda x: lax.convert_element_type(x, np.dtype(target)), x, dtype=target)
add("convert", lambda x: lax.convert_element_type(x, np.dtype("bfloat16")), jnp.array([(1 << 29) + (1 << 21) + 1, 257, 65535 * 3], "int32"), dtype="bfloat16")
add("convert", lambda x: lax.convert_element_type(x, np.dtype("float32")), jnp.array([(1 << 53) + (1 << 29) + 1, 2**62 - 1], "int64"), dtype="float32")
for source, target in [("float32", "int32"), ("float32", "uint8"), ("uint16", "uint32"), ("bfloat16", "int16"), ("uint8", "int4"), ("int64", "float32"), ("uint4", "int8")]:
    n = max(jnp.dtype(target).itemsize * (1 if "4" not in target[-1:] or "64" in target else 1), 1)
    x = integers(source, 27)[:32] if "int" in source else floats(source)[:32]
    wide = lax.convert_element_type(x, source)
    bits_from = {"uint4": 4, "int4": 4}.get(source, jnp.dtype(source).itemsize * 8)
    bits_to = {"uint4": 4, "int4": 4}.get(target, jnp.dtype(target).itemsize * 8)
    if bits_to > bits_from:
        wide = wide.reshape(-1, bits_to // bits_from)
    add("bitcast", lambda x: lax.bitcast_convert_type(x, np.dtype(target)), wide, dtype=target)

REDUCE = {"sum": jnp.sum, "prod": jnp.prod, "max": jnp.max, "min": jnp.min}
for dtype in ["float32", "float64", "bfloat16", "float16", "int32", "uint8", "int4", "float8_e4m3fn"]:
    for shape, axes in [((7,), [0]), ((32,), [0]), ((33,), [0]), ((64,), [0]), ((100,), [0]), ((1000,), [0]), ((3000,), [0]), ((3, 5), [0]), ((3, 5), [1]),
                        ((3, 5), [0, 1]), ((8, 64), [1]), ((8, 64), [0]), ((64, 8), [0]), ((2, 3, 4), [0, 2]), ((4, 40), [0, 1]), ((40, 40), [0, 1]), ((2, 3, 4), [1]), ((0, 3), [0])]:
        if np.prod(shape) > 200 and dtype not in ("float32", "bfloat16"):
            continue
        values = RNG.standard_normal(shape) * (3 if "int" in dtype else 1)
        x = cast(values, "int32").astype(dtype) if "int" in dtype else cast(values, dtype)
        for name in ["sum", "prod", "max", "min"]:
            if np.prod(shape) > 200 and name != "sum":
                continue
            if name in ("prod",) and shape[0] > 40 and "int" not in dtype:
                continue
            init = {"sum": 0, "prod": 1}.get(name)
            if init is None:
                info = jnp.iinfo(dtype) if "int" in dtype else jnp.finfo(dtype)
                infinite = "float8_e4m3fn" != dtype and "int" not in dtype
                init = {"max": -inf if infinite else info.min, "min": inf if infinite else info.max}[name]
            computation = {"sum": lax.add, "prod": lax.mul, "max": lax.max, "min": lax.min}[name]
            add("reduce", lambda x: jax.jit(lambda x: lax.reduce(x, cast(init, dtype), computation, axes))(x), x, near=shape == (40, 40), name=name, axes=axes)
        if len(axes) == 1 and 0 < x.size < 200:
            add("argmax", lambda x: lax.argmax(x, axes[0], np.int32), x, axis=axes[0])
            add("argmin", lambda x: lax.argmin(x, axes[0], np.int32), x, axis=axes[0])
x = jnp.array([[1.0, nan, 3.0, nan], [3.0, 3.0, -inf, inf]], "float32")
for name, function in [("max", jnp.max), ("min", jnp.min)]:
    add("reduce", lambda x: function(x, axis=1), x, name=name, axes=[1])
add("argmax", lambda x: lax.argmax(x, 1, np.int32), x, axis=1)
add("argmin", lambda x: lax.argmin(x, 1, np.int32), x, axis=1)
for name, function in [("and", jnp.all), ("or", jnp.any)]:
    add("reduce", lambda x: function(x, axis=0), jnp.array([[True, False], [True, True]]), name=name, axes=[0])

for dtype in ["float32", "float64", "bfloat16", "float16", "int32", "int8"]:
    for shape, axis in [((5,), 0), ((16,), 0), ((50,), 0), ((3, 40), 1), ((20, 3), 0), ((200,), 0)]:
        values = RNG.standard_normal(shape) * (3 if "int" in dtype else 1)
        x = cast(values, "int32").astype(dtype) if "int" in dtype else cast(values, dtype)
        if np.prod(shape) > 100 and dtype not in ("float32", "bfloat16"):
            continue
        for name in ["cumsum", "cummax", "cummin", "cumprod"] + (["cumlogsumexp"] if "int" not in dtype else []):
            if name == "cumprod" and "int" not in dtype and x.size > 60:
                continue
            for reverse in [False, True]:
                add("cumulative", lambda x: getattr(lax, name)(x, axis=axis, reverse=reverse), x, near=dtype == "float64" and name == "cumlogsumexp", name=name, axis=axis, reverse=reverse)

for dtype, output in [("float32", "float32"), ("float64", "float64"), ("bfloat16", "bfloat16"), ("bfloat16", "float32"), ("float16", "float16"), ("float16", "float32"),
                      ("int32", "int32"), ("int8", "int32"), ("int8", "int8"), ("uint8", "uint8"), ("float8_e4m3fn", "float32")]:
    for left, right, contracting, batch in [((2, 5), (5, 3), ([1], [0]), ([], [])), ((4, 8), (8, 4), ([1], [0]), ([], [])), ((16, 16), (16, 16), ([1], [0]), ([], [])),
                                            ((32, 32), (32, 32), ([1], [0]), ([], [])), ((2, 3, 4), (2, 4, 5), ([2], [1]), ([0], [0])), ((3, 4), (3, 4), ([0, 1], [0, 1]), ([], [])),
                                            ((4, 3), (5, 4), ([0], [1]), ([], [])), ((6,), (6,), ([0], [0]), ([], [])), ((2, 3), (4,), ([], []), ([], [])), ((3, 0), (0, 2), ([1], [0]), ([], []))]:
        make = lambda shape: cast(RNG.standard_normal(shape) * (5 if "int" in dtype else 1), "int32").astype(dtype) if "int" in dtype else cast(RNG.standard_normal(shape), dtype)
        add("dot", lambda x, y: lax.dot_general(x, y, (contracting, batch), preferred_element_type=np.dtype(output)), make(left), make(right),
            near=dtype == "float64" or (dtype, output) == ("bfloat16", "float32"), contracting=contracting, batch=batch, dtype=output)

for dtype in ["float32", "bfloat16", "int32", "uint8", "float64"]:
    x = (floats(dtype) if "float" in dtype else integers(dtype))[:30].reshape(5, 6)
    for axis in [0, 1]:
        add("sort", lambda x: lax.sort(x, dimension=axis), x, axis=axis, keys=1)
        add("argsort", lambda x: jnp.argsort(x, axis=axis), x, axis=axis, descending=False)
        add("argsort", lambda x: jnp.argsort(x, axis=axis, descending=True), x, axis=axis, descending=True)
    add("top_k", lambda x: lax.top_k(x, 3), x, count=3)
    keys = jnp.asarray(RNG.integers(0, 3, x.shape).astype("int32"))
    add("sort", lambda k, x: lax.sort((k, x), dimension=1, num_keys=1), keys, x, axis=1, keys=1)
    add("sort", lambda k, x: lax.sort((k, x), dimension=1, num_keys=2), keys, x, axis=1, keys=2)

for shape, padding in [((4,), [(1, 2, 1)]), ((4,), [(-1, -2, 0)]), ((4,), [(-2, 3, 2)]), ((3, 3), [(1, -1, 1), (0, 2, 0)]), ((3,), [(0, -5, 2)]), ((0,), [(2, 1, 0)]), ((2, 3), [(-1, 0, 3), (-2, 1, 1)])]:
    x = jnp.arange(int(np.prod(shape)), dtype="int32").reshape(shape) + 1
    add("pad", lambda x, v: lax.pad(x, v, padding), x, jnp.int32(-1), padding=[list(p) for p in padding])

path = pathlib.Path(__file__).parents[2] / "engine/tensor/tests/data/operations.json"
lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
path.write_text(f"[\n{lines}\n]\n")
print(len(cases), "cases", path.stat().st_size)
