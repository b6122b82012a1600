//! The text form of functions and launches: printed for people and snapshots, read back for tests and tools.
//!
//! ```text
//! func @add(%x_ref: ref<f32[8]>, %o_ref: ref<f32[8]>) {
//!   %0 = load %x_ref[:] : f32[8]
//!   %1 = constant 1.0 : f32[8]
//!   %2 = add %0, %1 : f32[8]
//!   store %o_ref[:], %2
//! }
//! ```
//!
//! An op is `results = name operands attributes regions : types`. Attributes are `name=value`. A region is
//! `(parameters) { ops; yield values }`. Subscripts are written after the Ref: `3` and `%i` are positions, `0:8`,
//! `0:8:2`, `:` and `ds(%i, 8)` slices, `[%indices]` integer arrays. `//` begins a comment. Spans are not kept.
//!
//! Reading checks words and names, not types: [`crate::verify`] does that.

mod element;
mod lex;
mod parse;
mod parse_attribute;
mod parse_launch;
mod pipeline;
mod print;
mod print_launch;
mod words;

pub use parse::parse_function;
pub use parse_launch::parse_launch;
pub use print::print_function;
pub use print_launch::print_launch;
pub use words::ParseError;

use crate::{Function, Launch};
use std::fmt;

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_function(self))
    }
}

impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_launch(self))
    }
}
