//! What kinds of x86-64 processors have in common: what general registers are for, and where operands are.

use super::Kind;
use super::assembler::{Assembler, at, element};
use super::machine::{Machine, Operand};
use crate::isa::brings_to_the_second_cache;
use iced_x86::{Code, MemoryOperand, Register};

/// The argument of the function.
pub(super) const CALL: Register = Register::RDI;
/// The constants.
pub(super) const CONSTANTS: Register = Register::RSI;
/// The column.
pub(super) const COLUMN: Register = Register::RAX;
/// What is needed for a moment.
pub(super) const SCRATCH: Register = Register::R11;
/// Registers for addresses. Those from the fourth on are the caller's.
pub(super) const ADDRESSES: [Register; 8] = [
    Register::R8,
    Register::R9,
    Register::R10,
    Register::RBX,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
];

/// A kind of x86-64 processor.
pub(super) trait X86: Machine {
    /// Bytes of a register of lanes.
    const WIDTH: i64 = 4 * Self::LANES as i64;

    fn assembler(&mut self) -> &mut Assembler;

    /// Has all columns go through.
    fn all_columns(&mut self);

    /// Has as many columns go through as a register says: at least one, and fewer than lanes.
    fn some_columns(&mut self, count: Register);

    /// What is behind the function.
    fn behind(&mut self);

    /// The bytes; none if something could not be encoded.
    fn finish(self) -> Option<Vec<u8>>;

    /// Where a value waits.
    fn slot(slot: usize) -> MemoryOperand {
        at(Register::RSP, slot as i64 * Self::WIDTH)
    }

    /// The address of an operand in a register.
    fn address(&mut self, operand: Operand) -> Register {
        match operand.register {
            Some(number) => ADDRESSES[number],
            None => {
                self.assembler().load(Code::Mov_r64_rm64, SCRATCH, at(CALL, operand.place));
                SCRATCH
            }
        }
    }

    /// Asks for the lines of an operand that are read next, from an address that is in a register or in a place: for so many columns
    /// as go through at once. What comes soon goes to the innermost cache, and what comes with the next block to the second one, where
    /// it is in nobody's way, if the processor does as it is told.
    fn ask(&mut self, (place, register): (i64, Option<Register>), kind: &Kind, writes: bool, times: usize) {
        let address = register.unwrap_or_else(|| {
            self.assembler().load(Code::Mov_r64_rm64, SCRATCH, at(CALL, place));
            SCRATCH
        });
        let code = match (writes, kind.is_far) {
            (true, _) => Code::Prefetchw_m8,
            (false, true) if brings_to_the_second_cache() => Code::Prefetcht1_m8,
            (false, _) => Code::Prefetcht0_m8,
        };
        for time in 0..times {
            self.assembler().memory(code, element(address, COLUMN, kind.size, (time * Self::LANES) as u32));
        }
    }
}
