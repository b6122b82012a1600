//! What the evaluator offers under `jax`, `jax.numpy`, `jax.lax`, `jax.nn`, `jax.random`, `numpy` and pallas; traces
//! kernels to IR. Runs no kernels itself: a [`state::Executor`] does.
//!
//! Every array function takes a [`context::Context`] (whose rules apply) and [`tile::Tile`]s (data, types only, or traced
//! values), and ends in [`context::Context::bind`], the one place where an op is staged, computed, or only typed.

pub mod api;
pub mod array;
mod blame;
pub mod context;
pub mod convert;
pub mod dtype;
pub mod errors;
mod held;
mod indexer;
pub mod indexing;
pub mod jaxpr;
pub mod jnp;
pub mod kept;
pub mod lax;
pub mod modules;
pub mod names;
pub mod nn;
pub mod numpy;
pub mod pallas;
pub mod primitive;
pub mod python_types;
pub mod random;
pub mod ref_index;
mod ref_type;
pub mod refs;
pub mod sharding;
pub mod state;
pub mod support;
pub mod testing;
pub mod text;
pub mod third_party;
pub mod tile;
pub mod trace;
pub mod transform;
pub mod tree;
pub mod uncalled;
pub mod written;

pub use context::Context;
pub use modules::install;
pub use state::{ExecutionError, Executor, JaxState, LaunchObserver, SomeDevice, World};
pub use tile::Tile;
