//! `jax.lax`: thin functions over the ops, without promotion, and structured control flow.

pub mod control;
