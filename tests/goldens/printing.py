"""Writes engine/tensor/tests/data/printing.json: how numpy and JAX print arrays and scalars.

Run from the repository root with Python 3.11, JAX 0.10.2, numpy 2.4:
    python tests/goldens/printing.py
Each case holds the elements' bits, so that nothing depends on reading decimals back; an array with
more elements than bits repeats them.
"""

import json
import pathlib

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

jax.config.update("jax_enable_x64", True)
RNG = np.random.default_rng(20)
cases = []


def bits(array):
    if array.dtype == bool:
        return array.ravel().astype("u1").tolist()
    if array.dtype in (np.dtype("int4"), np.dtype("uint4")):
        return (array.ravel().astype("i4") & 15).tolist()
    return array.ravel().view({1: "u1", 2: "u2", 4: "u4", 8: "u8"}[array.dtype.itemsize]).tolist()


PERIOD = 97  # large arrays repeat that many elements, so that the file stays small


def add(array, **options):
    array = np.asarray(array)
    if array.size > PERIOD:
        array = np.resize(array.ravel()[:PERIOD], array.shape)
    with np.printoptions(**options):
        on_device = jnp.asarray(array)
        assert on_device.dtype == array.dtype, array.dtype
        cases.append({
            "dtype": array.dtype.name,
            "shape": list(array.shape),
            "bits": bits(array)[:PERIOD],
            "options": options,
            "str": str(array),
            "repr": repr(array),
            "jax_str": str(on_device),
            "jax_repr": repr(on_device),
        })


FLOATS = ["float32", "float64", "float16", "bfloat16"]
FLOAT8 = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz"]
INTS = ["int4", "int8", "int16", "int32", "int64", "uint4", "uint8", "uint16", "uint32", "uint64"]
ALL = FLOATS + FLOAT8 + INTS + ["bool"]


def cast(values, dtype):
    with np.errstate(all="ignore"):
        return np.asarray(values).astype(dtype)


nan, inf = np.nan, np.inf
VALUE_LISTS = [
    [0.1, 1.5, -2.25, 3, 1000.123],
    [1.0, 2.0, 3.0],
    [0.0, -0.0],
    [nan, 1.0, -2.0],
    [inf, 1.0], [-inf, 1.0], [nan, nan], [inf, -inf, nan], [-inf],
    [nan, inf, 0.001],
    [1e-5, 1.0], [1e-4, 0.5], [9.9e-5, 0.5], [0.001, 1.0], [0.0005, 0.6],
    [1e8, 1.0], [99999999.0, 1.0], [123456.7, 200000.0], [1e6, 5e6], [999999.0, 12345.0],
    [1e30, 1e-30], [1e-45, 1.0], [6.1e-5, 5.9e-8],
    [1 / 3, 2 / 3, 1e3 / 7], [1 / 3], [16777216.0, 16777217.0], [3.1415926535, -2.718281828],
    [100.0, 0.25], [1.0, 1001.0], [1.0, 1000.0], [0.5, 512.0, 499.0], [65504.0], [2.0**-14, 1.0],
    [1.000000001, 1.0], [123.456789012345, 0.5], [0.30000000000000004, 0.3],
    [1e100, 2e200], [5e-324, 1e308], [1e-10], [-1e-10, 1e-9], [7.0], [-7.0], [1e16, 1e15],
]
for dtype in FLOATS + FLOAT8:
    for values in VALUE_LISTS:
        array = cast(values, dtype)
        add(array)
        if dtype in FLOATS:
            for scalar in array:
                add(np.asarray(scalar))

for dtype in ALL:
    for shape in [(), (1,), (7,), (3, 4), (2, 3, 4), (1, 1), (2, 1, 2, 2), (40,), (5, 18), (1001,), (32, 40),
                  (11, 12, 13), (3, 700), (700, 2), (0,), (0, 3), (2, 0), (1200, 1), (2, 2, 2, 300)]:
        values = RNG.integers(0, 100, shape)
        add(cast(values - 50 * (RNG.random() < 0.5), dtype))
        if dtype in FLOATS:
            add(cast(RNG.standard_normal(shape), dtype))
            add(cast(RNG.standard_normal(shape) * 10.0 ** RNG.integers(-3, 8), dtype))
        if dtype in ("int32", "int64", "uint32"):
            add(cast(RNG.integers(0, 2**31 - 1, shape), dtype))
    add(cast([True, False], dtype))
    add(cast(np.arange(24).reshape(2, 3, 4) % 7, dtype))

OPTIONS = [
    {"precision": 3}, {"precision": 0}, {"precision": 2, "suppress": True}, {"suppress": True},
    {"linewidth": 40}, {"linewidth": 20}, {"linewidth": 200}, {"linewidth": 8},
    {"threshold": 5}, {"threshold": 5, "edgeitems": 1}, {"threshold": 5, "edgeitems": 2, "linewidth": 50},
    {"sign": "+"}, {"sign": " "}, {"floatmode": "fixed"}, {"floatmode": "unique"},
    {"floatmode": "maxprec_equal"}, {"floatmode": "fixed", "precision": 2}, {"nanstr": "NA", "infstr": "infinity"},
    {"precision": 4, "suppress": True, "linewidth": 120},
]
for options in OPTIONS:
    for dtype in ["float32", "float64", "float16", "bfloat16", "int32", "bool"]:
        for shape in [(6,), (4, 9), (2, 3, 8)]:
            add(cast(RNG.standard_normal(shape) * 10, dtype), **options)
            if dtype.startswith("float"):
                array = cast(RNG.standard_normal(shape) * 10.0 ** RNG.integers(-9, 9), dtype)
                array.flat[0] = nan
                array.flat[-1] = -inf
                add(array, **options)
                add(cast([0.0, 6e-9, 1.5e-8, 0.123456789012, -4e-9], dtype), **options)

scalars = []
for dtype in FLOATS + FLOAT8:
    with np.errstate(all="ignore"):
        values = 10.0 ** RNG.uniform(-12, 18, 60) * RNG.choice([-1, 1], 60)
        values = np.concatenate([values, RNG.standard_normal(20), [1e16, 1e-4, 999999.0, 1e6, 1e3, 999.5, nan, inf, -inf, -0.0]])
    for value in cast(values, dtype):
        array = np.asarray(value)
        scalars.append({"dtype": dtype, "bits": bits(array)[0], "str": str(value), "repr": repr(value),
                        "python": repr(float(value))})
for dtype in INTS + ["bool"]:
    for value in cast([0, 1, 5], dtype):
        array = np.asarray(value)
        scalars.append({"dtype": dtype, "bits": bits(array)[0], "str": str(value), "repr": repr(value), "python": ""})

weak = []
for value in [3, 0.5, 1e10, -2]:
    array = jnp.asarray(value)
    weak.append({"dtype": array.dtype.name, "bits": bits(np.asarray(array))[0], "jax_repr": repr(array)})

key = jax.random.key(3)
keys = [{"shape": list(k.shape), "words": np.asarray(jax.random.key_data(k)).ravel().tolist(), "str": str(k), "repr": repr(k)}
        for k in [key, jax.random.split(key, 2), jax.random.split(key, (2, 3))]]

path = pathlib.Path(__file__).parents[2] / "engine/tensor/tests/data/printing.json"
lines = ",\n".join(json.dumps(case, allow_nan=False, separators=(",", ":")) for case in cases)
scalar_lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in scalars)
path.write_text(f'{{"arrays": [\n{lines}\n],\n"scalars": [\n{scalar_lines}\n],\n"weak": {json.dumps(weak)},\n"keys": {json.dumps(keys)}}}\n')
print(len(cases), "arrays", len(scalars), "scalars")
