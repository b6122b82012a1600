"""Arrays from Python values and ranges: dtypes, weak types, formulas of floats, errors."""
import jax.numpy as jnp
import numpy as np


def attempt(label, function):
  try:
    print(label, repr(function()))
  except Exception as error:
    print(label, type(error).__name__, error)


for label, function in {
    "list": lambda: jnp.array([1, 2]), "mixed": lambda: jnp.array([1, 2.5]), "bools": lambda: jnp.array([True, 1]), "nested": lambda: jnp.array([[1, 2], (3, 4)]),
    "empty": lambda: jnp.array([]), "empties": lambda: jnp.array([[], []]), "weak": lambda: jnp.array(3), "float": lambda: jnp.array(2.5), "strong": lambda: jnp.array([2.5]),
    "arrays": lambda: jnp.array([jnp.arange(2), np.arange(2)]), "int8s": lambda: jnp.array([jnp.int8(1), 2]), "uint32": lambda: jnp.array([0xFFFFFFFF], jnp.uint32),
    "cast": lambda: jnp.array([1.7, -1.7], int), "bf16": lambda: jnp.array([1, 2.5], "bfloat16"), "ndmin": lambda: jnp.array(1, ndmin=2), "np": lambda: jnp.array(np.float32(2)),
    "np64": lambda: jnp.asarray(np.arange(3.0)), "range": lambda: jnp.array(range(3)), "copy": lambda: jnp.copy(jnp.arange(2)), "ragged": lambda: jnp.array([[1, 2], [3]]),
    "none": lambda: jnp.array(None), "string": lambda: jnp.array("abc"), "range int8": lambda: jnp.array(300, jnp.int8), "range int32": lambda: jnp.array([2**40]),
    "zeros": lambda: jnp.zeros((2, 0)), "zeros int": lambda: jnp.zeros(2, int), "full": lambda: jnp.full((2,), 7), "full arr": lambda: jnp.full((2, 2), jnp.arange(2)), "full i8": lambda: jnp.full(2, 300, jnp.int8),
    "full weak": lambda: jnp.full((), 1.5), "full inf": lambda: jnp.full((2,), jnp.inf, jnp.bfloat16), "like": lambda: jnp.zeros_like(jnp.arange(3, dtype=jnp.int8)), "like weak": lambda: jnp.ones_like(jnp.asarray(1.0)),
    "like shape": lambda: jnp.full_like(jnp.arange(2), 1.5, shape=(3,)), "like dtype": lambda: jnp.zeros_like(jnp.arange(2), dtype=jnp.bool_), "forgot": lambda: jnp.zeros(2, 3), "negative": lambda: jnp.ones((2, -1)), "float shape": lambda: jnp.zeros(2.0),
    "eye": lambda: jnp.eye(2, 3, k=1, dtype=int), "tri": lambda: jnp.tri(2, 3, -1), "tril": lambda: jnp.tril(jnp.arange(8).reshape(2, 2, 2)), "triu": lambda: jnp.triu(jnp.ones((2, 3), bool), 1), "tril 1d": lambda: jnp.tril(jnp.arange(2)),
    "diag": lambda: jnp.diag(jnp.array([1, 2]), -1), "diag of": lambda: jnp.diag(jnp.arange(6).reshape(2, 3), 1), "diagonal": lambda: jnp.diagonal(jnp.arange(8).reshape(2, 2, 2)), "diagflat": lambda: jnp.diagflat(jnp.array([[1, 2]]), 1),
}.items():
  attempt(label, function)
for label, function in {
    "arange": lambda: jnp.arange(5), "arange 2": lambda: jnp.arange(2, 6), "arange 3": lambda: jnp.arange(10, 0, -3), "arange f": lambda: jnp.arange(0, 1, 0.1), "arange f2": lambda: jnp.arange(0.5, 3), "arange bf": lambda: jnp.arange(0, 2, 0.3, dtype=jnp.bfloat16),
    "arange neg": lambda: jnp.arange(-3), "arange i8": lambda: jnp.arange(3, dtype=jnp.int8), "arange u8": lambda: jnp.arange(jnp.uint8(3)), "arange arr": lambda: jnp.arange(jnp.array(3), jnp.array(7)), "arange 0": lambda: jnp.arange(1, 3, 0), "arange list": lambda: jnp.arange([3]),
    "arange vec": lambda: jnp.arange(jnp.arange(2)), "arange int f": lambda: jnp.arange(2.5, 7), "linspace": lambda: jnp.linspace(0, 1, 11), "linspace 2": lambda: jnp.linspace(-1, 1, 4), "linspace n": lambda: jnp.linspace(0, 10, 4, endpoint=False), "linspace int": lambda: jnp.linspace(0, 10, 4, dtype=int),
    "linspace step": lambda: jnp.linspace(0, 3, 4, retstep=True), "linspace one": lambda: jnp.linspace(2, 3, 1), "linspace none": lambda: jnp.linspace(2, 3, 0), "linspace arr": lambda: jnp.linspace(jnp.array([0, 10]), jnp.array([1, 20]), 3), "linspace axis": lambda: jnp.linspace(jnp.array([0, 10]), 20, 3, axis=1),
    "logspace": lambda: jnp.logspace(0, 3, 4), "logspace b": lambda: jnp.logspace(0, 4, 5, base=2), "meshgrid": lambda: jnp.meshgrid(jnp.arange(2), jnp.arange(3)), "meshgrid s": lambda: jnp.meshgrid(jnp.arange(2), jnp.arange(3), sparse=True, indexing="ij"),
    "indices": lambda: jnp.indices((2, 3)), "indices s": lambda: jnp.indices((2, 3), sparse=True), "mgrid": lambda: jnp.mgrid[0:2, 1:3], "mgrid f": lambda: jnp.mgrid[0:1:3j], "ogrid": lambda: jnp.ogrid[0:2, 0:3:2], "ix": lambda: jnp.ix_(jnp.arange(2), jnp.arange(3)),
    "vander": lambda: jnp.vander(jnp.array([1, 2, 3]), 2), "vander i": lambda: jnp.vander(jnp.array([1.0, 2.0]), increasing=True), "tril_indices": lambda: jnp.tril_indices(3, -1), "triu_indices": lambda: jnp.triu_indices(2, m=3), "diag_indices": lambda: jnp.diag_indices(2), "fromfunction": lambda: jnp.fromfunction(lambda i, j: i * 2 + j, (2, 2)),
}.items():
  attempt(label, function)
