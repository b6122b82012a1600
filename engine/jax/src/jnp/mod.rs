//! `jax.numpy`: functions with numpy's promotion and broadcasting over the ops.

pub mod arithmetic;
pub mod products;
