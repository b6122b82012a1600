//! `jax.experimental.pallas` and its targets' modules: launches, specs, Refs' helpers, memory spaces.

pub mod call;
pub mod launch;
pub mod memory;
pub mod program;
pub mod slice;
pub mod spec;
