"""Where the Triton surface has its compiler parameters from."""

from jax.experimental.pallas.triton import CompilerParams
