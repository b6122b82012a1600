//! Tensor memory and the tensor cores of Blackwell (PTX ISA 9.7.16, `tcgen05`). Here is what the instructions mean: descriptors, where
//! elements lie, and whom an access may meet. `machine/tensor` says when they are done.
//!
//! Not known here, and said so by whoever executes it: loads and stores of other shapes than `.32x32b`, `.ws`, `tcgen05.shift`, factors of
//! four and six bits in `kind::f8f6f4` and `kind::mxf8f6f4`, sparse ones of four bits, masks of lanes, left factors of 64 rows in tensor
//! memory.

pub(crate) mod cells;
pub(crate) mod descriptor;
pub(crate) mod layout;
pub(crate) mod order;

use crate::inst::Address;
use crate::module::Reg;
use descriptor::Kind;

/// Lanes of a block's tensor memory.
pub(crate) const LANES: usize = 128;
/// Columns of four bytes.
pub(crate) const COLUMNS: usize = 512;

/// What a copy from shared memory brings (PTX ISA 9.7.16.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CopyShape {
    pub(crate) rows: usize,
    /// Bytes of a row.
    pub(crate) bytes: usize,
    /// How many times the rows are written, one after the other.
    pub(crate) times: usize,
}

/// An instruction.
#[derive(Debug)]
pub(crate) enum Tensor {
    /// Asks for columns; their address goes to shared memory.
    Ask {
        to: Address,
        columns: Reg,
        group: usize,
    },
    GiveBack {
        at: Reg,
        columns: Reg,
        group: usize,
    },
    AskNoMore {
        group: usize,
    },
    /// A register for each column of the warp's lanes.
    Load {
        to: Box<[Reg]>,
        at: Address,
    },
    Store {
        at: Address,
        from: Box<[Reg]>,
    },
    WaitLoads,
    WaitStores,
    /// What was done before is ordered before what synchronises threads from here on.
    Before,
    /// What comes is ordered behind what has synchronised threads.
    After,
    Copy {
        group: usize,
        to: Address,
        from: Reg,
        shape: CopyShape,
    },
    Multiply(Box<Multiply>),
    /// An arrival at a barrier, of several blocks if there is a mask, once what the thread has started is done.
    Commit {
        group: usize,
        at: Address,
        blocks: Option<Reg>,
    },
}

/// A product's left factor.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Left {
    /// In shared memory, where a descriptor says.
    Described(Reg),
    InTensor(Address),
}

/// A product (PTX ISA 9.7.16.10.9).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Multiply {
    pub(crate) group: usize,
    pub(crate) kind: Kind,
    pub(crate) sums: Address,
    pub(crate) left: Left,
    pub(crate) right: Reg,
    pub(crate) said: Reg,
    /// Whether it is added to what is there.
    pub(crate) adds: (Reg, bool),
    /// Where the places of a sparse left factor are.
    pub(crate) places: Option<Address>,
    /// Where the scales of both factors are.
    pub(crate) scales: Option<[Address; 2]>,
    /// How many scales a row has.
    pub(crate) vector: usize,
}
