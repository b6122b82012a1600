"""Finds the width of every layer of numpy's normal generator by watching real numpy, and writes them as a Rust table.

A normal is `rabs * width[layer]`, where layer and rabs are bits of a word that `random_raw` shows. Enough draws leave one
double for each layer. What else the method needs follows from the widths.

  python tests/goldens/ziggurat.py > engine/jax/src/numpy/random/widths.rs

Run it with the Python that has numpy 2.4.6.
"""

import math
import struct

import numpy as np
from numpy.random import PCG64, Generator


def draws(seed, count):
    """(layer, rabs, value) of every draw that took one word; of layer 1, which is always tested, two."""
    bits = PCG64(seed)
    generator = Generator(bits)
    for _ in range(count):
        before = bits.state
        word = int(bits.random_raw())
        if word & 0xFF == 1:
            bits.random_raw()
        after = bits.state["state"]["state"]
        bits.state = before
        value = abs(float(generator.standard_normal()))
        if bits.state["state"]["state"] == after:
            yield word & 0xFF, word >> 9 & 0x000FFFFFFFFFFFFF, value


def main():
    seen = [[] for _ in range(256)]
    for layer, rabs, value in draws(1, 150_000):
        seen[layer].append((rabs, value))
    widths = []
    for layer, pairs in enumerate(seen):
        rabs, value = max(pairs)
        guess = value / rabs
        near = [guess]
        for direction in (0.0, math.inf):
            step = guess
            for _ in range(4):
                step = math.nextafter(step, direction)
                near.append(step)
        fits = [width for width in near if all(rabs * width == value for rabs, value in pairs)]
        if len(fits) != 1:
            raise SystemExit(f"layer {layer}: {len(fits)} candidates from {len(pairs)} draws")
        widths.append(fits[0])
    print("//! The widths of the layers of numpy's normal generator over 2**52, as bits of doubles.")
    print("//! Made by tests/goldens/ziggurat.py from what numpy 2.4.6 draws.")
    print()
    print("/// Bits of the width of each layer.")
    print("pub(super) static WIDTHS: [u64; 256] = [")
    for layer in range(0, 256, 4):
        row = (struct.unpack("<Q", struct.pack("<d", width))[0] for width in widths[layer:layer + 4])
        print("    " + " ".join(f"0x{bits:016x}," for bits in row))
    print("];")


if __name__ == "__main__":
    main()
