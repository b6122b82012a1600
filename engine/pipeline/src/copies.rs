//! Copies of one operand: consecutive programs that use the same block share it, as the Pallas pipeline does ("Buffer
//! Revisiting" in the software pipelining guide): no copy is issued while the block index stays the same.

use crate::moves::{Moves, Order, is_copied};
use pallas_ir::{Launch, Operand};
use pallas_tensor::DType;

/// The copies of an operand over a whole launch, in row-major order of its programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copies {
    /// How many blocks are copied: into the kernel for inputs, back for outputs.
    pub count: usize,
    /// Bytes of all of them, padding of partial blocks included.
    pub bytes: u128,
}

/// The copies of `operand`, one of the launch's own. `None` where its index map or the grid depends on data, or the map
/// is no formula and the grid too large to evaluate it for every program.
pub fn copies(launch: &Launch, operand: &Operand) -> Option<Copies> {
    if !is_copied(operand.space) {
        return Some(Copies { count: 0, bytes: 0 });
    }
    let (moves, assumed) = Moves::of(launch, operand);
    if assumed.is_some() {
        return None;
    }
    let count = moves.copies(&Order::new(&launch.grid));
    Some(Copies { count, bytes: block_bytes(operand).saturating_mul(count as u128) })
}

/// Bytes of one block on a device, elements of less than a byte packed.
pub fn block_bytes(operand: &Operand) -> u128 {
    packed(operand.array.dtype, operand.block.iter().map(|dim| dim.size()))
}

/// Bytes of so many elements, packed.
pub(crate) fn packed(dtype: DType, extents: impl IntoIterator<Item = usize>) -> u128 {
    let elements = extents.into_iter().fold(1u128, |n, extent| n.saturating_mul(extent as u128));
    match dtype.bits() {
        bits @ (2 | 4) => elements.saturating_mul(u128::from(bits)).div_ceil(8),
        _ => elements.saturating_mul(dtype.size_bytes() as u128),
    }
}
