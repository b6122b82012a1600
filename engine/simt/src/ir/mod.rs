//! The SIMT IR: what each thread of a block does, and the definition of the machine that does it.
//!
//! **Threads.** A [`Kernel`] is run by blocks of [`Kernel::threads`] threads, a power of two and whole warps of 32. Blocks know
//! nothing of each other. The threads of a block run in lockstep: an instruction is done by all of them before the next
//! begins, and control flow is the same for all (conditions, bounds and counters are *uniform*: equal in all threads).
//! Hardware keeps this promise only between barriers, so whatever two threads do to one place in memory must have a
//! [`Op::Barrier`] between, unless both read; the simulator reports what has not.
//!
//! **Teams.** A block may have several teams of that many threads ([`Kernel::teams`]). All that is said of the threads of a block holds
//! for those of a team; teams run apart, each its own way through the kernel, and meet at *phase barriers* ([`Space::Phases`]):
//! teams and engines arrive there, and when as many as are needed have come, a phase is over. A team waits for one phase after the
//! other. Who waits then sees all that was done before the arrivals.
//!
//! **Clusters.** Blocks whose numbers follow each other run at the same time, so many ([`Kernel::cluster`]). They have shared memory of
//! their own each, but a team may arrive at another block's barriers, and engines may bring a box to several of them.
//!
//! **Engines** copy boxes of arrays and multiply while the threads go on. What they bring is there when the phase is over that they
//! arrive for; what they read may be written again when their team has waited for them. They do not see what threads wrote to
//! shared memory before [`Op::Publish`].
//!
//! **Values.** A value is a row of registers in each thread: [`Ty::regs`] scalars of one dtype. Instructions are in SSA form
//! and act on each register by itself; what moves data between registers ([`Op::Pick`]), lanes of a warp
//! ([`Op::ShuffleXor`]) and threads (memory) says so.
//!
//! **Scalar arithmetic** is the kernel IR's: [`Op::Scalar`] names an elementwise op of `pallas_ir::ops` and means, register by
//! register, what that op means for elements. There is one definition of every function, dtype by dtype.
//!
//! **Memory** is a table of arrays ([`Memory`]): parameters of the kernel in global memory, arrays that the threads of a block
//! have in common, and constants. Addresses are indices of elements, `i32`. A masked-off register touches nothing; a
//! masked-off load gives its `other` operand, or zero.

mod build;
mod op;
mod product;
mod sparse;
mod tensor_copy;
mod tensor_map;
mod text;
mod verify;

pub use build::Builder;
pub use op::{Combine, Doubt, Mma, Op, Share};
pub use product::{Factor, LeftFactor, Product, TensorProduct};
pub use sparse::Places;
pub use tensor_copy::{Scales, TensorCopy, TensorSource};
pub use tensor_map::TensorMap;
pub use verify::{Wrong, verify};

use crate::marks::Site;
use pallas_syntax::Span;
use pallas_tensor::{Array, DType, Scalar};
use smallvec::SmallVec;

/// Bytes that arrays of a block begin at a multiple of, unless more is asked for.
pub const ALIGNMENT: usize = 16;

/// Threads of a warp.
pub const WARP: u32 = 32;

/// Names a value of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// Names an array of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryId(pub u32);

/// What each thread holds of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ty {
    /// Of each register.
    pub dtype: DType,
    /// How many registers, at least one.
    pub regs: u32,
}

/// An array.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// What people call it.
    pub name: String,
    /// Of its elements.
    pub dtype: DType,
    /// How many elements; of what a block has for itself, per block.
    pub len: usize,
    /// Where it is.
    pub space: Space,
    /// Bytes that it begins at a multiple of.
    pub align: usize,
    /// The byte of its space that it begins at, for what a block has for itself; `None`: behind the others. Arrays that are never
    /// needed at the same time may have bytes in common.
    pub at: Option<usize>,
    /// Scopes of the kernel that it is allocated in, by number, outer ones first. What scopes have that do not lie in each other is
    /// never needed at the same time.
    pub scopes: Vec<u32>,
    /// What its elements are when a block begins, where somebody wants to know; `None`: what was there.
    pub begins: Option<Scalar>,
}

impl Memory {
    /// Whether another array belongs to a scope that has ended before this one's begins, or the other way round.
    pub fn is_apart(&self, other: &Memory) -> bool {
        let common = self.scopes.len().min(other.scopes.len());
        self.scopes[..common] != other.scopes[..common]
    }
}

/// Where an array is.
#[derive(Clone, Debug, PartialEq)]
pub enum Space {
    /// Global memory, handed in as the operand of the launch with this number. `constant`: nothing writes it.
    Operand {
        /// Which.
        operand: usize,
        /// Whether nothing writes it.
        constant: bool,
    },
    /// Shared memory of a block.
    Shared,
    /// Shared memory that each team of a block has for itself.
    Team,
    /// Phase barriers, in shared memory of a block.
    Phases {
        /// Arrivals that end a phase: of whole teams, and of engines.
        arrivals: u32,
    },
    /// Registers of each thread: so many for each. Products go on there while the thread does.
    Registers,
    /// Tensor memory of a block: 128 lanes of so many columns, each of four bytes.
    Tensor,
    /// Global memory that each block has for itself, for what shared memory has no room for.
    Workspace,
    /// Known values.
    Constant(Array),
}

/// An instruction in place.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// What it does.
    pub op: Op,
    /// What it takes.
    pub operands: SmallVec<[Value; 4]>,
    /// What it gives.
    pub results: SmallVec<[Value; 1]>,
    /// Bodies of control flow.
    pub regions: Vec<Region>,
    /// The Pallas source that it comes from.
    pub span: Span,
}

/// A list of instructions with parameters, ending in what it yields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Region {
    /// Parameters.
    pub params: Vec<Value>,
    /// Instructions in order.
    pub insts: Vec<Inst>,
    /// What it yields.
    pub yields: Vec<Value>,
}

/// What the threads of a block do.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Its name in CUDA.
    pub name: String,
    /// Threads of a team: a power of two, and whole warps.
    pub threads: u32,
    /// Teams of a block.
    pub teams: u32,
    /// Blocks of a cluster, which run at the same time: those whose numbers follow each other.
    pub cluster: u32,
    /// How many blocks there are.
    pub blocks: usize,
    /// Types of values.
    pub values: Vec<Ty>,
    /// Arrays.
    pub memories: Vec<Memory>,
    /// Boxes of arrays that engines copy.
    pub maps: Vec<TensorMap>,
    /// What is done.
    pub body: Region,
    /// Where it notes the time, by number; see [`Op::Mark`].
    pub marks: Vec<Site>,
    /// What is to be said of how it was made.
    pub notes: Vec<Note>,
}

/// Something that people want to know of how a kernel was made: where a faster way was not taken, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// In words.
    pub message: String,
    /// The Pallas source that it is about.
    pub span: Span,
}

impl Kernel {
    /// A value's type.
    pub fn ty(&self, value: Value) -> Ty {
        self.values[value.0 as usize]
    }

    /// An array.
    pub fn memory(&self, id: MemoryId) -> &Memory {
        &self.memories[id.0 as usize]
    }

    /// Arrays with their ids.
    pub fn memories(&self) -> impl Iterator<Item = (MemoryId, &Memory)> {
        self.memories.iter().enumerate().map(|(id, memory)| (MemoryId(id as u32), memory))
    }

    /// Threads of a block.
    pub fn block_threads(&self) -> u32 {
        self.threads.saturating_mul(self.teams)
    }

    /// Bytes of an array, of each element as it lies in memory; of all teams of a block.
    pub fn bytes(&self, id: MemoryId) -> usize {
        let memory = self.memory(id);
        let bytes = memory.len.saturating_mul(memory.dtype.size_bytes());
        if memory.space == Space::Team { bytes.next_multiple_of(memory.align) * self.teams as usize } else { bytes }
    }
}

impl Kernel {
    /// The bytes of shared memory, or of each lane of tensor memory, that an array has, if that was decided.
    fn shared_range(&self, id: MemoryId, space: &Space) -> Option<std::ops::Range<usize>> {
        let memory = self.memory(id);
        let at = memory.at.filter(|_| memory.space == *space && memory.len > 0)?;
        Some(at..at + self.bytes(id))
    }

    /// For each array those that have bytes of shared or of tensor memory in common with it.
    pub fn sharing(&self) -> Vec<Vec<MemoryId>> {
        let [shared, tensor] = [Space::Shared, Space::Tensor].map(|space| self.sharing_of(&space));
        shared.into_iter().zip(tensor).map(|(shared, tensor)| if shared.is_empty() { tensor } else { shared }).collect()
    }

    fn sharing_of(&self, space: &Space) -> Vec<Vec<MemoryId>> {
        let ranges: Vec<_> = self.memories().map(|(id, _)| self.shared_range(id, space)).collect();
        let others = |(number, range): (usize, &Option<std::ops::Range<usize>>)| {
            let Some(range) = range else { return Vec::new() };
            let meets = |other: &std::ops::Range<usize>| other.start < range.end && range.start < other.end;
            let others = ranges.iter().enumerate();
            let others = others.filter(|(other, there)| *other != number && there.as_ref().is_some_and(meets));
            others.map(|(other, _)| MemoryId(other as u32)).collect()
        };
        ranges.iter().enumerate().map(others).collect()
    }
}

impl Region {
    /// Every instruction, those of regions inside included, outer ones first.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Inst)) {
        for inst in &self.insts {
            visit(inst);
            for region in &inst.regions {
                region.walk(visit);
            }
        }
    }
}
