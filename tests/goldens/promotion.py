"""Writes engine/tensor/tests/data/promotion.json: the dtypes of mixed operands in JAX and in numpy.

Run from the repository root with Python 3.11, JAX 0.10.2, numpy 2.4:
    JAX_PLATFORMS=cpu python tests/goldens/promotion.py
"""

import itertools
import json
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import dtypes

NAMES = ["bool", "int4", "int8", "int16", "int32", "int64", "uint4", "uint8", "uint16", "uint32", "uint64",
         "float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz",
         "bfloat16", "float16", "float32", "float64"]


def operand(name, weak):
    if weak:
        array = jnp.asarray(1.0 if "float" in name else 1)
        assert array.dtype == name and array.weak_type
        return array
    return jnp.zeros((), name)


def jax_result(operands, x64):
    """What lattice_result_type gives for operands of these dtypes and weak flags, or None."""
    try:
        dtype, weak = dtypes.lattice_result_type(*[operand(name, weak) for name, weak in operands])
    except (ValueError, TypeError):
        return None
    return [np.dtype(dtype).name, bool(weak)]


result = {"jax": {}, "numpy": [], "can_cast": []}
for x64 in [False, True]:
    with jax.enable_x64(x64):
        canonical = [name for name in NAMES if x64 or name not in ("int64", "uint64", "float64")]
        nodes = [(name, False) for name in canonical] + [(name, True) for name in canonical if name in (("int64", "float64") if x64 else ("int32", "float32"))]
        rows = []
        for a, b in itertools.product(nodes, nodes):
            rows.append([list(a), list(b), jax_result([a, b], x64)])
        for a in nodes:
            rows.append([list(a), list(a), jax_result([a], x64)])
        triples = [(("int8", False), ("uint8", False), ("float16", False)), (("int32", True), ("float32", True), ("bfloat16", False)),
                   (("uint32", False), ("int8", False), ("int32", True)), (("bool", False), ("int32", True), ("uint8", False))]
        result["jax"]["x64" if x64 else "x32"] = rows
        result["jax"]["triples_x64" if x64 else "triples_x32"] = [[[list(n) for n in t], jax_result(t, x64)] for t in triples if not x64]

PYTHON = {"bool": True, "int": 1, "float": 1.0}
for a in NAMES:
    for b in NAMES:
        try:
            promoted = np.promote_types(a, b).name
        except TypeError:
            promoted = None
        result["numpy"].append([a, b, promoted])
        result["can_cast"].append([a, b, [bool(np.can_cast(a, b, casting)) for casting in ("safe", "same_kind")]])
    for kind, value in PYTHON.items():
        try:
            promoted = np.result_type(np.dtype(a), value).name
        except TypeError:
            promoted = None
        result["numpy"].append([a, "python " + kind, promoted])

path = pathlib.Path(__file__).parents[2] / "engine/tensor/tests/data/promotion.json"
path.write_text(json.dumps(result, separators=(",", ":")) + "\n")
print({k: len(v) for k, v in result["jax"].items()}, len(result["numpy"]))
