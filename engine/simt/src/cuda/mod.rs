//! CUDA C++ from the SIMT IR: one `extern "C" __global__` function without headers, readable, with the Pallas source of each
//! line in a table. A value of many registers is an array and a loop that is unrolled; the compiler makes registers of it.

mod accesses;
mod begins;
mod control;
mod coordinate;
mod engines;
mod expression;
mod inst;
mod matrix;
mod prelude;
mod printer;
mod products;
mod small;
mod tensor;
mod tensor_copies;
mod told;
mod types;

use crate::ir::{ALIGNMENT, Kernel, MemoryId, Op, Space};
use crate::{Check, LineEntry, Refusal};
use pallas_syntax::Span;

/// Source text with its table of lines.
#[derive(Clone, Debug)]
pub struct Printed {
    /// CUDA C++.
    pub source: String,
    /// By line.
    pub lines: Vec<LineEntry>,
    /// What checks say, by number.
    pub checks: Vec<Check>,
    /// The Pallas source of stores that are noted, by number.
    pub stores: Vec<Span>,
}

/// Prints a kernel.
///
/// # Errors
/// Scalar ops and dtypes that have no words in CUDA C++ yet.
pub fn print(kernel: &Kernel) -> Result<Printed, Refusal> {
    printer::Printer::new(kernel).print()
}

/// Bytes of dynamic shared memory of a block.
pub fn shared_bytes(kernel: &Kernel) -> usize {
    let end = places(kernel, is_shared).1;
    // Where tensor memory begins, the device says in shared memory.
    let has_tensor = kernel.memories.iter().any(|memory| memory.space == Space::Tensor);
    if has_tensor { end + ALIGNMENT } else { end }
}

/// Bytes of memory of the device that each block works in.
pub fn workspace_bytes(kernel: &Kernel) -> usize {
    places(kernel, |space| *space == Space::Workspace).1
}

/// Arrays whose elements have owners, each with the place behind its last owner in their table.
pub(crate) fn owned(kernel: &Kernel) -> Vec<(MemoryId, usize)> {
    let mut arrays: Vec<(MemoryId, usize)> = Vec::new();
    kernel.body.walk(&mut |inst| {
        if let Op::Owned { memory, writes: true, .. } = inst.op
            && !arrays.iter().any(|(other, _)| *other == memory)
        {
            let before = arrays.last().map_or(0, |(_, end)| *end);
            arrays.push((memory, before + kernel.memory(memory).len));
        }
    });
    arrays
}

/// Columns of tensor memory that arrays have.
pub(crate) fn columns(kernel: &Kernel) -> usize {
    tensor::places(kernel).1
}

fn is_shared(space: &Space) -> bool {
    matches!(space, Space::Shared | Space::Team | Space::Phases { .. })
}

/// Where arrays of some space begin, where it was said or one behind the other, and where the last one ends.
fn places(kernel: &Kernel, is_there: impl Fn(&Space) -> bool) -> (Vec<(MemoryId, usize)>, usize) {
    let (mut places, mut end) = (Vec::new(), 0_usize);
    for (id, memory) in kernel.memories().filter(|(_, memory)| is_there(&memory.space) && memory.len > 0) {
        let at = memory.at.unwrap_or_else(|| end.next_multiple_of(memory.align));
        places.push((id, at));
        end = end.max(at.saturating_add(kernel.bytes(id)).next_multiple_of(ALIGNMENT));
    }
    (places, end)
}
