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
        /// How many registers are one access; see [`Op::Store`].
        vector: u32,
    },
    /// Operands: index, value, mask?. No results. Two threads never store different values to one place.
    Store {
        /// To what.
        memory: MemoryId,
        /// Whether a mask follows the value.
        masked: bool,
        /// Whether no two threads have an index in common.
        private: bool,
        /// How many registers are one access, a power of two: their indices follow each other, the first is divisible by their
        /// number, and they have one mask.
        vector: u32,
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
    /// What threads of the team did to memory before is seen by all of them after.
    Barrier,
    /// Sums of products on tensor cores, by each warp for itself. Operands: a, b, c.
    Mma(Mma),
    /// Pieces of 16 bytes from shared memory, eight rows of one at a time, dealt to a warp's lanes as [`Op::Mma`] wants them
    /// (`ldmatrix`). Operand: where pieces begin, of which lanes `8 * w` to `8 * w + 7` say those of word `w`. Result, for each
    /// register of the operand, words one after the other: lane `l` gets, of word `w`, the `l % 4`th word of the piece that lane
    /// `8 * w + l / 4` said; or, `trans`, the `l / 4`th elements of the pieces that lanes `8 * w + l % 4 * 2` and the next said.
    LoadMatrix {
        /// Of what.
        memory: MemoryId,
        /// Whether rows and columns change places; only of elements of two bytes.
        trans: bool,
        /// Words for each register of the operand: 2 or 4.
        words: u32,
    },
    /// Starts copies from an array of the launch to shared memory, of whole vectors of registers (see [`Op::Store`]) of 4, 8 or 16
    /// bytes. Operands: index there, index here, mask. What is here meanwhile is neither old nor new.
    CopyAhead {
        /// From what.
        from: MemoryId,
        /// To what.
        memory: MemoryId,
        /// How many registers are one copy.
        vector: u32,
    },
    /// Ends a group of copies: all that were started since the last. It may be empty.
    CommitAhead,
    /// Waits until no more than so many groups are under way, the last ones. The thread that waits sees its own copies; others see
    /// them after a barrier.
    WaitAhead(u32),
    /// The number of the team, `i32`. No operands, one register.
    Team,
    /// All threads of the team arrive at a phase barrier; who waits for the phase sees what they did before. Operands: which of the
    /// array's barriers (uniform `i32`), in which block of the cluster?
    Arrive {
        /// The barriers.
        phases: MemoryId,
        /// Whether the first thread arrives for the team, and tells only of itself and of what came before the last
        /// [`Op::Barrier`]: so it counts an engine's work.
        alone: bool,
        /// Whether it is the barrier of the block whose number in the cluster (uniform `i32`) comes last.
        across: bool,
    },
    /// The phase that is under way does not end before so many more bytes have come that engines bring for it. Operand: which
    /// barrier.
    Expect {
        /// The barriers.
        phases: MemoryId,
        /// How many.
        bytes: usize,
    },
    /// Waits for the phase after the one that the team waited for last at this barrier, of all the first one. Operand: which.
    Await {
        /// The barriers.
        phases: MemoryId,
    },
    /// Whether a wait would be over at once (`bool`, the same in all threads). Operand: which.
    Arrived {
        /// The barriers.
        phases: MemoryId,
    },
    /// The first thread has an engine copy a box to shared memory; the phase that is under way does not end before it has come.
    /// What lies outside of the array comes as zeros. Operands: where the box begins along each dimension, where it goes, which
    /// barrier, and what [`Share`] says; all uniform `i32`.
    BringBox {
        /// The box, by its number in [`Kernel::maps`](super::Kernel::maps).
        map: usize,
        /// Where to.
        memory: MemoryId,
        /// The barriers.
        phases: MemoryId,
        /// Whom it comes to.
        share: Share,
    },
    /// The first thread has an engine copy from shared memory to a box; what lies outside of the array stays as it is. Operands: where
    /// it comes from, where the box begins along each dimension; all uniform `i32`.
    SendBox {
        /// Where from.
        memory: MemoryId,
        /// The box.
        map: usize,
        /// What becomes of old and new; [`Combine::Exchange`]: new.
        combine: Combine,
    },
    /// Ends a group of boxes sent. It may be empty.
    CommitSent,
    /// The first thread waits until no more than so many groups that it sent are under way; others know it after a barrier.
    WaitSent {
        /// How many.
        pending: u32,
        /// Whether it is enough that they were read.
        read: bool,
    },
    /// What a thread has in its registers there. Products into them have to be over.
    Take(MemoryId),
    /// Operand: what a thread has in its registers there from now on. Products into them have to be over.
    Keep(MemoryId),
    /// Starts a product. Operands: the left factor, its registers or where it begins (uniform `i32`), and where the right one begins.
    /// Neither may be written before the product is over.
    Multiply(super::Product),
    /// Waits until no more than so many products of the team are under way, the last ones.
    WaitProducts(u32),
    /// The first thread starts a product into tensor memory; those that it starts are done one after the other. Operands: the first
    /// column, where the left and the right factor begin (uniform `i32`), whether to add to what is there (uniform `bool`).
    MultiplyTensor(super::TensorProduct),
    /// The first thread starts a copy into tensor memory, which is done in turn with its products. Operands: the first column, where
    /// the source begins (uniform `i32`).
    CopyTensor(super::TensorCopy),
    /// Arrives at a phase barrier for the team, when all products into tensor memory are over that its first thread started.
    /// Operands: which, and the number of the first of two blocks?
    ArriveTensor {
        /// The barriers.
        phases: MemoryId,
        /// Whether at the barriers of two blocks of the cluster, whose first one comes last (uniform `i32`).
        pair: bool,
    },
    /// Columns of tensor memory, a register for each; thread `t` gets those of lane `t`. Operand: the first column (uniform `i32`).
    LoadTensor(MemoryId),
    /// Threads write their lanes' columns. Operands: the first column (uniform `i32`), a register for each.
    StoreTensor(MemoryId),
    /// The first thread asks for the blocks of a cluster that has not begun: those at hand do their work in their place. The answer, of
    /// [`Op::CLAIM`] bytes, comes to the same place in all blocks of the cluster, each of whose barriers counts it; the bytes are expected
    /// by [`Op::Expect`]. Operands: where it goes, which barrier.
    Claim {
        /// Where to.
        memory: MemoryId,
        /// The barriers.
        phases: MemoryId,
    },
    /// What an answer says: the number of the first of those blocks (`i32`), and whether there was one (`bool`). Operand: where it is.
    Claimed(MemoryId),
    /// Threads of the team have so many registers from now on: fewer, if negative.
    SetRegisters(i32),
    /// What the threads wrote to shared memory is seen by engines that are sent there later, by whoever knows of it.
    Publish,
    /// Operands: lower, upper (uniform, one register, one integer dtype), carries.... Region `(i, carries...)`.
    For,
    /// Operands: carries.... Regions `(carries...)`: a uniform bool, and the next carries.
    While,
    /// Operand: which region (uniform `i32`, in range). Regions without parameters.
    Switch,
    /// Each warp of the team goes its own way through the region, and threads see what was done before it, and all of it after. What is
    /// said of a team there is said of a warp, and of its first thread; an arrival counts as one of a team. Values are scalars.
    /// Region `(warp)`, an `i32`.
    Warps,
    /// Tells of what is wrong, in words, where its first operand, a bool, is true; the second is the program's number, uniform `i32`.
    /// Nothing else changes.
    Check(Doubt, String),
    /// Tells, in words, of elements that another block has written. Operands: index, the program's number, mask?. Nothing else
    /// changes.
    Owned {
        /// An array of the launch.
        memory: MemoryId,
        /// Whether the block writes there itself.
        writes: bool,
        /// Whether a mask follows the program's number.
        masked: bool,
        /// What is told.
        words: String,
    },
    /// Notes what is stored to one element, of whatever else. Operands: index, value, the program's number, mask?. Nothing else changes.
    Witness {
        /// An array of the launch.
        memory: MemoryId,
        /// Which element.
        element: i32,
        /// Whether a mask follows the program's number.
        masked: bool,
    },
    /// The first thread of the block notes the time, and what this number says in [`Kernel::marks`](super::Kernel::marks). Operands:
    /// a number and a slot, uniform `i32`.
    Mark(u32),
    /// Prints a line: pieces of text between operands. By the first thread of the block, where all operands are uniform; or for each register
    /// and thread that a mask names, the last operand.
    Print {
        /// The text before each operand, and behind the last one.
        pieces: Vec<String>,
        /// Whether a mask follows the operands.
        masked: bool,
    },
}

impl Op {
    /// Bytes of the answer to [`Op::Claim`].
    pub const CLAIM: usize = 16;
}

/// Whom a box comes to that an engine brings, and whose barrier counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Share {
    /// To the block that asks for it. Its barrier expects the bytes.
    Own,
    /// To the same place in all blocks of the cluster whose bits are set in one more operand, each of whose barriers counts it. The
    /// bytes are expected by [`Op::Expect`].
    All,
    /// To the block that asks for it, but the barrier of the block counts whose number in the cluster is one more operand. The bytes
    /// are expected there by [`Op::Expect`].
    Leader,
}

/// What a check is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Doubt {
    /// A position outside of a Ref.
    Outside,
    /// A number that is none, on its way to an output.
    NotANumber,
    /// Elements that another block has written, too.
    Race,
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

/// A product of tensor cores, `mma.sync.aligned.m16n8k..`, once for every pair of a tile of 16 rows and one of 8 columns: the
/// result is `c + a * b`, summed up in `f32`, or in `i32` for integers.
///
/// Tiles stand one behind the other in a value's registers, those of `c` row by row. `a` and `b` come in *words* of four bytes,
/// each of several terms next to each other. What a lane holds of a tile is what the instruction wants: with `g` the lane without
/// its lowest two bits and `t` those two, word `w`, bit by bit, of
/// - `a` (4 words): row `g + 8 * w0`, terms from word `t + 4 * w1` of the row on;
/// - `b` (2 words): column `g`, terms from word `t + 4 * w0` of the column on;
/// - and register `r` of `c` (16 x 8, 4 registers): row `g + 8 * r1`, column `2 * t + r0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mma {
    /// Of `a` and `b`: `bf16`, `f16`, floats and integers of eight bits, or `f32` without its lower mantissa (`tf32`).
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

    /// Terms in a word.
    pub fn per_word(self) -> u32 {
        (4 / self.dtype.size_bytes()).max(1) as u32
    }

    /// Terms that are summed up.
    pub fn terms(self) -> usize {
        8 * self.per_word() as usize
    }

    /// Registers of a tile of `a`, `b` and `c`.
    pub fn registers(self) -> [u32; 3] {
        [4 * self.per_word(), 2 * self.per_word(), 4]
    }

    /// What is summed up in.
    pub fn sums(self) -> DType {
        if self.dtype.is_float() { DType::F32 } else { DType::I32 }
    }
}
