"""Prints arrays so that two recordings can be compared number by number.

One line per array: its name, dtype and shape, then up to 24 values evenly spread over it, then its sum and the sum of its
absolute values.  Integers are summed modulo 2**32, so that every bit of every element counts.
"""

import jax
import numpy as np

SAMPLES = 24


def numbers(array):
    """The values that stand for an array, as text."""
    flat = np.asarray(array).reshape(-1)
    if flat.dtype == np.bool_ or np.issubdtype(flat.dtype, np.integer):
        picked = [str(int(v)) for v in spread(flat)]
        total = int(np.sum(flat.astype(np.uint64) & np.uint64(0xFFFFFFFF)))
        return picked + ["sum", str(total % 2**32)]
    flat = flat.astype(np.float32).astype(np.float64)
    picked = ["%.6g" % v for v in spread(flat)]
    return picked + ["sum", "%.6g" % flat.sum(), "%.6g" % np.abs(flat).sum()]


def spread(flat):
    """Up to SAMPLES elements, the first and the last among them."""
    if flat.size <= SAMPLES:
        return list(flat)
    return [flat[(flat.size - 1) * i // (SAMPLES - 1)] for i in range(SAMPLES)]


def show(name, value):
    """Prints every array of a tree of arrays."""
    leaves = jax.tree.leaves(value)
    for index, leaf in enumerate(leaves):
        label = name if len(leaves) == 1 else f"{name}.{index}"
        shape = ",".join(str(n) for n in leaf.shape)
        print(f"{label} {leaf.dtype}[{shape}]", *numbers(leaf))


def waves(*shape, dtype="float32", step=0.37, phase=0.0):
    """An array of given shape whose elements differ: a sine sampled at uneven places."""
    count = int(np.prod(shape))
    return jax.numpy.sin(jax.numpy.arange(count) * step + phase).reshape(shape).astype(dtype)
