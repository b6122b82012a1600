//! Programs with `jax.numpy` and with numpy, against what JAX and numpy printed.

mod jnp;
mod numpy;
mod support;
