"""JAX's interpreter of kernels."""
