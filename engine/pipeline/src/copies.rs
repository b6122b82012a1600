//! Copies of one operand: consecutive programs that use the same block share it, as the Pallas pipeline does ("Buffer
//! Revisiting" in the software pipelining guide): no copy is issued while the block index stays the same.

use pallas_ir::{BlockMap, Launch, Operand};

/// Grids with more programs than this are not walked.
const MOST_PROGRAMS: usize = 1 << 20;

/// The copies of an operand over a whole launch, in row-major order of its programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copies {
    /// How many blocks are copied: into the kernel for inputs, back for outputs.
    pub count: usize,
    /// Bytes of all of them, padding of partial blocks included.
    pub bytes: u128,
}

/// The copies of `operand`, one of the launch's own. `None` where its index map or the grid depends on data, or the grid
/// is too large to walk.
pub fn copies(launch: &Launch, operand: &Operand) -> Option<Copies> {
    let block = operand
        .block
        .iter()
        .fold(operand.array.dtype.size_bytes() as u128, |bytes, dim| bytes.saturating_mul(dim.size() as u128));
    let count = count(launch, operand)?;
    Some(Copies { count, bytes: block.saturating_mul(count as u128) })
}

fn count(launch: &Launch, operand: &Operand) -> Option<usize> {
    let programs = launch.programs();
    let map = BlockMap::new(operand, launch.grid.len());
    let still = |axis| map.depends_on(axis) == Some(false);
    if programs == 0 {
        return Some(0);
    }
    if (0..launch.grid.len()).all(still) {
        return Some(1);
    }
    if programs > MOST_PROGRAMS || !map.is_known() || !launch.dynamic.is_empty() {
        return None;
    }
    let mut last = None;
    let mut count = 0;
    for number in 0..programs {
        let indices = map.indices(&launch.program(number))?;
        if last.as_ref() != Some(&indices) {
            count += 1;
            last = Some(indices);
        }
    }
    Some(count)
}
