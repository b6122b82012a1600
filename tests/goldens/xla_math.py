"""Golden values of XLA's elementary functions on the CPU, for engine/tensor/tests/math.rs.

    /path/to/python-with-jax-0.10.2 tests/goldens/xla_math.py

Writes, little endian, into engine/tensor/tests/data:

  math_f32.bin  per function: name (8 bytes, zero-padded), arity (u32), count (u32), the bits of
                the arguments (u32, `arity` runs of `count`), the bits of the results (u32).
  math_16.bin   per type and function: type and name (8 bytes each), then for the bit patterns
                0, STRIDE, 2 * STRIDE ... the bits of the results (u16).
  math_sum.bin  per sum: the number of axes, their sizes, a bit per reduced axis (u32 each), then
                the bits of the sums (u32). Element k of every array is `element(k)`.

Results depend on the processor: they were made on an AMD Zen 4 (FMA and AVX-512). Without FMA
nearly all differ in places; on Intel, `rsqrt` does.
"""

import os
import pathlib
import struct

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

DATA = pathlib.Path(__file__).resolve().parents[2] / "engine/tensor/tests/data"
COUNT = 1200
STRIDE = 131

# The interval from which a third of each function's arguments is drawn.
UNARY = {
    "exp": (-95, 95), "exp2": (-135, 135), "expm1": (-2, 2), "log": (0, 20), "log1p": (-1, 1),
    "sqrt": (0, 100), "rsqrt": (0, 100), "cbrt": (-50, 50), "sin": (-20, 20), "cos": (-20, 20),
    "tan": (-20, 20), "asin": (-1, 1), "acos": (-1, 1), "atan": (-5, 5), "sinh": (-5, 5),
    "cosh": (-5, 5), "tanh": (-10, 10), "asinh": (-10, 10), "acosh": (1, 50), "atanh": (-1, 1),
    "logistic": (-20, 20), "erf": (-4, 4), "erfc": (-10, 10), "erf_inv": (-1, 1),
    "lgamma": (-20, 50), "digamma": (-20, 50), "square": (-20, 20),
}
SPECIAL = np.array(
    [0, -0.0, 1, -1, 2, -2, 0.5, -0.5, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 5e-39, 2.0**-126,
     -(2.0**-126), 3.4028235e38, -3.4028235e38, 1e-20, -1e-20, 3, 10, 88.7, 88.8, -87.3, -103, 120,
     1e9], np.float32)


def arguments(generator, low, high):
    third = (COUNT - len(SPECIAL)) // 3
    rest = COUNT - len(SPECIAL) - 2 * third
    patterns = generator.integers(0, 2**32, third, dtype=np.uint64).astype(np.uint32)
    magnitudes = np.exp(generator.uniform(-20, 12, rest)) * generator.choice([-1, 1], rest)
    return np.concatenate([
        SPECIAL, generator.uniform(low, high, third).astype(np.float32),
        patterns.view(np.float32), magnitudes.astype(np.float32)]).astype(np.float32)


def apply(name, *values):
    return np.asarray(jax.jit(getattr(lax, name))(*values))


def single():
    generator = np.random.default_rng(20)
    with open(DATA / "math_f32.bin", "wb") as out:
        def record(name, *values):
            out.write(struct.pack("<8sII", name.encode(), len(values), len(values[0])))
            for value in (*values, apply(name, *values)):
                out.write(value.view(np.uint32).tobytes())

        for name, interval in UNARY.items():
            record(name, arguments(generator, *interval))
        base = np.abs(arguments(generator, 0, 10))
        base[::4] *= -1
        power = arguments(generator, -10, 10)
        power[::3] = np.round(generator.uniform(-16, 16, len(power[::3]))) / 2
        record("pow", base, generator.permutation(power))
        record("atan2", arguments(generator, -3, 3), generator.permutation(arguments(generator, -3, 3)))


def narrow():
    patterns = np.arange(0, 65536, STRIDE, dtype=np.uint16)
    with open(DATA / "math_16.bin", "wb") as out:
        for label, dtype in (("bf16", ml_dtypes.bfloat16), ("f16", np.float16)):
            for name in UNARY:
                out.write(struct.pack("<8s8s", label.encode(), name.encode()))
                out.write(apply(name, patterns.view(dtype)).view(np.uint16).tobytes())


def element(k):
    """A number in [-0.5, 0.5) that the test computes the same way, exactly."""
    return ((k * 2654435761 % 2**32) >> 8).astype(np.float32) * np.float32(2.0**-24) - np.float32(0.5)


SUMS = [
    ((8,), (0,)), ((32,), (0,)), ((33,), (0,)), ((100,), (0,)), ((1000,), (0,)), ((1024,), (0,)),
    ((4095,), (0,)), ((4096,), (0,)), ((5000,), (0,)), ((20000,), (0,)), ((8, 128), (1,)),
    ((8, 128), (0,)), ((8, 128), (0, 1)), ((100, 33), (0,)), ((2, 4, 8), (0, 2)), ((2, 500, 3), (1,)),
    ((64, 100), (1,)), ((8, 2048), (1,)), ((8, 1700), (1,)), ((3, 5000), (1,)), ((64, 64), (0, 1)),
    ((100, 100), (0, 1)), ((64, 100), (0,)), ((127, 64), (0,)), ((300, 64), (0,)), ((5000, 3), (0,)),
    ((2, 300, 8), (1,)), ((16, 16, 16), (1, 2)),
]


def sums():
    with open(DATA / "math_sum.bin", "wb") as out:
        for shape, axes in SUMS:
            array = element(np.arange(np.prod(shape), dtype=np.uint64)).reshape(shape)
            result = np.asarray(jax.jit(lambda x: jnp.sum(x, axis=axes))(array))
            reduced = sum(1 << axis for axis in axes)
            out.write(struct.pack(f"<{len(shape) + 2}I", len(shape), *shape, reduced))
            out.write(result.view(np.uint32).tobytes())


if __name__ == "__main__":
    DATA.mkdir(parents=True, exist_ok=True)
    single()
    narrow()
    sums()
