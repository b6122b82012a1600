//! `jax.random`'s bits: the threefry generator and the samplers that kernels' inputs come from.
//!
//! Bit for bit what JAX 0.10.2 gives with its default settings (`jax_threefry_partitionable`):
//! jax/_src/random/threefry2x32.py and core.py. Samplers that are plain compositions of these and
//! of array operations (gumbel, exponential, categorical) are left to the caller.

mod samples;
mod threefry;

pub use samples::{bernoulli, normal, permutation, randint, shuffle, uniform};
pub use threefry::{bits, fold_in, seed, split, threefry_2x32, threefry_block};
