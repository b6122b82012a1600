"""The attention of `attention.py`, each query with the keys up to its own place."""

import functools

import attention
from harness import main

main(attention.inputs, functools.partial(attention.launch, causal=True),
     functools.partial(attention.reference, causal=True), tolerance=1e-3,
     operations=functools.partial(attention.operations, causal=True))
