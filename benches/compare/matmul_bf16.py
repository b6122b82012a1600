"""The matrix product of `matmul.py` with bfloat16 operands."""

import jax.numpy as jnp

import matmul
from harness import main

matmul.DTYPE = jnp.bfloat16
main(matmul.inputs, matmul.launch, matmul.reference, matmul.in_numpy, tolerance=2e-3, operations=matmul.operations)
