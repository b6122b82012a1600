//! The instructions. Each says what it takes, what it gives, and what it means.

use super::MemoryId;
use crate::layout::Layout;
use pallas_ir::Attributes;
use pallas_tensor::{DType, Scalar};

/// What an instruction does.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// The same number in every register. No operands.
    Const(Scalar),
    /// The number of the block, `i32`. No operands, one register.
    Block,
    /// Where along a dimension of a tile the element stands that the register holds, `i32`. No operands.
    Coord {
        /// How the tile is dealt to threads and registers.
        layout: Layout,
        /// The dimension.
        dim: usize,
    },
    /// Whether the thread is the first of those that hold the same elements. No operands, one register.
    Owner(Layout),
    /// An elementwise op of the kernel IR. Operands have one length.
    Scalar(pallas_ir::Op, Attributes),
    /// Register `r` of the result is register `table[r]` of the operand.
    Pick(Vec<u32>),
    /// What the thread whose lane differs in the bits of this mask holds in the same register.
    ShuffleXor(u32),
    /// Operands: index, mask?, other?. Result: the elements there.
    Load {
        /// Of what.
        memory: MemoryId,
        /// Whether a mask follows the index.
        masked: bool,
        /// Whether what masked-off registers get follows the mask.
        other: bool,
        /// Whether no two threads have an index in common.
        private: bool,
    },
    /// Operands: index, value, mask?. No results. Two threads never store different values to one place.
    Store {
        /// To what.
        memory: MemoryId,
        /// Whether a mask follows the value.
        masked: bool,
        /// Whether no two threads have an index in common.
        private: bool,
    },
    /// `memory[index] = combine(memory[index], value)`, indivisible. Operands: index, value, mask?. Result: what was there.
    Atomic {
        /// Where.
        memory: MemoryId,
        /// What becomes of old and new.
        combine: Combine,
        /// Whether a mask follows the value.
        masked: bool,
    },
    /// What threads of the block did to memory before is seen by all of them after.
    Barrier,
    /// Sums of products on tensor cores, by each warp for itself. Operands: a, b, c.
    Mma(Mma),
    /// Operands: lower, upper (uniform, one register, one integer dtype), carries.... Region `(i, carries...)`.
    For,
    /// Operands: carries.... Regions `(carries...)`: a uniform bool, and the next carries.
    While,
    /// Operand: which region (uniform `i32`, in range). Regions without parameters.
    Switch,
    /// Prints by the first thread of the block: pieces of text between operands, all uniform.
    Print(Vec<String>),
}

/// What an atomic does with old and new.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    /// New.
    Exchange,
    /// Sum.
    Add,
    /// The larger.
    Max,
    /// The smaller.
    Min,
    /// Bits of both.
    And,
    /// Bits of either.
    Or,
    /// Bits of one.
    Xor,
}

impl Combine {
    /// With the word of the text form, which is the attribute of the kernel IR's atomics.
    pub const ALL: [(&'static str, Combine); 7] = [
        ("xchg", Combine::Exchange),
        ("add", Combine::Add),
        ("max", Combine::Max),
        ("min", Combine::Min),
        ("and", Combine::And),
        ("or", Combine::Or),
        ("xor", Combine::Xor),
    ];

    /// As in the text form.
    pub fn name(self) -> &'static str {
        Combine::ALL.iter().find(|(_, combine)| *combine == self).map_or("", |(name, _)| name)
    }

    /// The op of the kernel IR that says what it computes.
    pub fn op(self) -> Option<pallas_ir::Op> {
        match self {
            Combine::Exchange => None,
            _ => pallas_ir::ops::find(self.name()),
        }
    }
}

/// A product of tensor cores, `mma.sync.aligned.m16n8k16`, once for every pair of a tile of 16 rows and one of 8 columns: the
/// result is `c + a * b`, summed up in `f32`.
///
/// Tiles stand one behind the other in a value's registers, those of `c` row by row. What a lane holds of a tile is what the
/// instruction wants: with `g` the lane without its lowest two bits and `t` those two, register `r`, bit by bit, of
/// - `a` (16 x 16, 8 registers): row `g + 8 * r1`, column `2 * t + r0 + 8 * r2`;
/// - `b` (16 x 8, 4 registers): row `2 * t + r0 + 8 * r1`, column `g`;
/// - `c` (16 x 8, 4 registers): row `g + 8 * r1`, column `2 * t + r0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mma {
    /// Of `a` and `b`: `bf16` or `f16`.
    pub dtype: DType,
    /// Tiles of rows that each warp has.
    pub rows: u32,
    /// Tiles of columns that each warp has.
    pub columns: u32,
}

impl Mma {
    /// Rows of a tile.
    pub const M: usize = 16;
    /// Columns of a tile.
    pub const N: usize = 8;
    /// Terms that are summed up.
    pub const K: usize = 16;
    /// Registers of a tile of `a`, `b` and `c`.
    pub const REGISTERS: [u32; 3] = [8, 4, 4];
}
