//! CUDA C++ from the SIMT IR: one `extern "C" __global__` function without headers, readable, with the Pallas source of each
//! line in a table. A value of many registers is an array and a loop that is unrolled; the compiler makes registers of it.

mod expression;
mod inst;
mod matrix;
mod prelude;
mod types;

use crate::ir::{Kernel, Space};
use crate::lower;
use crate::{LineEntry, Refusal};
use pallas_syntax::Span;

/// Source text with its table of lines.
#[derive(Clone, Debug)]
pub struct Printed {
    /// CUDA C++.
    pub source: String,
    /// By line.
    pub lines: Vec<LineEntry>,
    /// What checks say, by number.
    pub checks: Vec<(String, Span)>,
}

/// Prints a kernel.
///
/// # Errors
/// Scalar ops and dtypes that have no words in CUDA C++ yet.
pub fn print(kernel: &Kernel) -> Result<Printed, Refusal> {
    inst::Printer::new(kernel).print()
}

/// Bytes of dynamic shared memory of a block.
pub fn shared_bytes(kernel: &Kernel) -> usize {
    own_bytes(kernel, &Space::Shared)
}

/// Bytes of memory of the device that each block works in.
pub fn workspace_bytes(kernel: &Kernel) -> usize {
    own_bytes(kernel, &Space::Workspace)
}

fn own_bytes(kernel: &Kernel, space: &Space) -> usize {
    let own = kernel.memories().filter(|(_, memory)| memory.space == *space);
    own.map(|(id, _)| kernel.bytes(id).next_multiple_of(lower::ALIGNMENT)).sum()
}
