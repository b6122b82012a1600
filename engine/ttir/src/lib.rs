//! A launch as Triton IR (TTIR): the text of an MLIR module that Triton compiles. Refs become pointers, subscripts become
//! tiles of offsets, ops become those of Triton, as JAX's own lowering does it, so that the two can be compared.
//!
//! Nothing is compiled or run here, and nothing is optimised: what Triton's passes do anyway is left to them.

mod emit;
mod launch;
mod lower;
mod ops;
mod place;
mod types;

pub use launch::{Module, lower};

use pallas_ir::Location;

/// Why a launch has no Triton IR: what Triton, or JAX's lowering to it, does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// What is not there, and what to do instead where there is something.
    pub message: String,
    /// The op, where one is to blame.
    pub location: Option<Location>,
}

impl Refusal {
    /// A refusal of no op in particular.
    fn new(message: impl Into<String>) -> Self {
        Refusal { message: message.into(), location: None }
    }

    /// The same, said of an op unless it is said of one already.
    fn at(mut self, location: &Location) -> Self {
        self.location.get_or_insert_with(|| location.clone());
        self
    }
}
