//! 64-bit Arm processors: four lanes, masks as vectors, no operand of arithmetic in memory. The processor's mode for subnormal numbers
//! flushes results before it rounds them, so that it is not asked for: operands are flushed where that decides something.

mod assembler;
mod frame;
mod neon;

pub(super) use frame::function;
pub(super) use neon::Neon;
