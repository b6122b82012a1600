//! Launches as CUDA Tile IR: tiles, partition views of arrays, and a token for the order of what is done to memory, in
//! NVIDIA's bytecode. Which axes of the grid are loops is the SIMT lowering's decision; how threads share a tile, what is
//! copied ahead and which instructions multiply is left to `tileiras`.
//!
//! Nothing is compiled or launched here. [`run`] computes what a module means, so that it is tested without any of that.

mod access;
mod emit;
mod kept;
mod launch;
mod lower;
mod number;
mod ops;
mod print;
mod program;
mod relay;
pub mod run;
mod types;
mod view;

pub use pallas_simt::{Initial, Param, ParamKind, Refusal};
pub use program::{Program, compile};

use pallas_syntax::Span;

/// A refusal of no op in particular; whoever knows the op says which.
fn no(message: impl Into<String>) -> Refusal {
    Refusal::new(message, Span::default())
}
