"""Modules of Python that a program imports and does not use, a digest of its settings, and operators on bits."""

import csv
import gzip
import hashlib
import xml.etree.ElementTree as ET

import jax.numpy as jnp

print(csv.__name__, gzip.__name__, ET.__name__)
print(hashlib.sha256(repr({"block": 128}).encode()).hexdigest()[:16])
a, b, c = jnp.arange(4), jnp.array([3, 1, 7, 5]), jnp.array([2, 6, 1, 3])
print(a & b ^ c, a ^ b & c, a & b ^ ~a & c, a & b ^ a & c ^ b & c, (a ^ b) & c, a & (b ^ c))
print(6 & 3 ^ 5, 6 ^ 3 & 5, 6 & 3 | 8 & 12 ^ 4)
