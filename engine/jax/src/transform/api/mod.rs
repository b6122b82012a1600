//! The functions of `jax` that transform functions, one file each family.

mod axes;
mod checkpoint;
mod closure;
mod custom_batching;
mod custom_jvp;
mod custom_vjp;
mod grad;
mod jacobian;
mod modules;
mod object;
mod pushforward;
mod resolve;
mod reverse;
mod shard_map;
mod split;
mod vmap;

pub use modules::MODULES;
pub(crate) use object::wrapped_attribute;

use pallas_python::native::NativeDef;

pub use shard_map::FUNCTIONS as SHARD_MAP;

/// Tables of rows of `jax`.
pub static TABLES: &[&[NativeDef]] = &[
    vmap::FUNCTIONS,
    grad::FUNCTIONS,
    reverse::FUNCTIONS,
    pushforward::FUNCTIONS,
    jacobian::FUNCTIONS,
    checkpoint::FUNCTIONS,
    custom_jvp::FUNCTIONS,
    custom_vjp::FUNCTIONS,
    closure::FUNCTIONS,
];
