//! Transformations of functions: `vmap`, `jvp`, `vjp`, `grad` and kin, custom derivatives, `checkpoint`.
//!
//! A transformation first traces its function into an IR function ([`stage`]), then evaluates that function again with
//! other values in the place of tiles: lanes ([`batch`]), pairs of a value and its tangent ([`derive::jvp`]), or forwards
//! and then backwards ([`derive::vjp`]). The evaluation applies operations through [`crate::context::Context::bind`], so
//! what comes out is computed, typed or staged like anything else, and transformations nest.
//!
//! Rules are tables by family: `batch/` says what an op does to lanes, `derive/` what its derivatives are.

mod api;
pub mod batch;
#[cfg(test)]
mod coverage;
pub mod custom;
pub mod derive;
pub mod eval;
pub mod flow;
pub mod known;
pub mod loops;
pub mod named;
pub mod stage;
pub mod walk;

pub(crate) use api::wrapped_attribute;
pub use api::{MODULES, SHARD_MAP, TABLES};
