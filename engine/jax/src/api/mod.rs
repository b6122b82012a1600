//! `jax` itself: transformations, trees, devices, and what else stands at the top of the package.

pub mod jit;
