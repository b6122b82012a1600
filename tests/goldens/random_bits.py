"""Writes engine/tensor/tests/data/random.json: jax.random's keys and samples, as bits.

Run from the repository root with Python 3.11, JAX 0.10.2:
    JAX_PLATFORMS=cpu python tests/goldens/random_bits.py
"""

import json
import pathlib

import jax
import jax.numpy as jnp
import numpy as np

cases = []


def packed(array):
    array = np.asarray(array, order="C")
    if array.dtype == bool:
        bits = array.ravel().astype("u1")
    else:
        bits = array.ravel().view({1: "u1", 2: "u2", 4: "u4", 8: "u8"}[array.dtype.itemsize])
    return {"dtype": array.dtype.name, "shape": list(array.shape), "bits": bits.tolist()}


def words(key):
    return np.asarray(jax.random.key_data(key)).ravel().tolist()


def add(op, key, result, **parameters):
    if jnp.issubdtype(result.dtype, jax.dtypes.prng_key):
        result = jax.random.key_data(result)
    cases.append({"op": op, "key": words(key), "parameters": parameters, "result": packed(result)})


seeds = []
for seed in [0, 1, 42, 123456789, 2**31 - 1, -1, -5, 2**32 + 7, 2**40]:
    for x64 in [False, True]:
        with jax.enable_x64(x64):
            try:
                seeds.append({"seed": seed, "x64": x64, "words": words(jax.random.key(seed))})
            except OverflowError:
                print("overflow", seed, x64)

with jax.enable_x64(True):
    for key in [jax.random.key(0), jax.random.key(42), jax.random.wrap_key_data(jnp.array([0x13198A2E, 0x3707344], "uint32"))]:
        for shape in [(2,), (5,), (2, 3), (0,), ()]:
            add("split", key, jax.random.split(key, shape), shape=list(shape))
        for data in [0, 1, 12345, 2**32 - 1]:
            add("fold_in", key, jax.random.fold_in(key, data), data=data)
        for width in [8, 16, 32, 64]:
            for shape in [(), (7,), (3, 5)]:
                add("bits", key, jax.random.bits(key, shape, f"uint{width}"), width=width, shape=list(shape))
        for dtype in ["float32", "float64", "bfloat16", "float16", "float8_e4m3fn"]:
            for low, high in [(0.0, 1.0), (-1.0, 1.0), (-3.5, 10.0), (0.1, 0.7)]:
                add("uniform", key, jax.random.uniform(key, (4, 16), dtype, low, high), dtype=dtype, low=low, high=high)
        for dtype in ["float32", "bfloat16", "float16"]:
            for shape in [(), (3,), (64,), (4, 33), (16, 16)]:
                add("normal", key, jax.random.normal(key, shape, dtype), dtype=dtype, shape=list(shape))
        for dtype in ["int32", "int8", "uint8", "int16", "uint32", "int64"]:
            for low, high in [(0, 10), (-5, 5), (0, 256), (3, 3), (0, 100), (7, 2), (-128, 128), (0, 2**31)]:
                if dtype.startswith("u") and low < 0:
                    continue
                add("randint", key, jax.random.randint(key, (3, 7), low, high, dtype), dtype=dtype, low=low, high=high)
        for p in [0.5, 0.1, 0.0, 1.0]:
            add("bernoulli", key, jax.random.bernoulli(key, jnp.float32(p), (50,)), p=p)
        for shape, axis in [((10,), 0), ((1,), 0), ((0,), 0), ((300,), 0), ((3000,), 0), ((5, 4), 0), ((5, 4), 1), ((2, 3, 4), 1)]:
            x = jnp.arange(int(np.prod(shape)), dtype="int32").reshape(shape)
            add("permutation", key, jax.random.permutation(key, x, axis), shape=list(shape), axis=axis)

path = pathlib.Path(__file__).parents[2] / "engine/tensor/tests/data/random.json"
lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
path.write_text(f'{{"seeds": {json.dumps(seeds)},\n"samples": [\n{lines}\n]}}\n')
print(len(cases), "cases", path.stat().st_size)
