//! What the evaluator offers under jax, jax.numpy, jax.lax, pallas and numpy; traces kernels to IR.
