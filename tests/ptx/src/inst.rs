//! Instructions as they are executed: operands are registers, modifiers are decided.

use crate::asynchronous::{Bulk, Claim, Phase, Product};
use crate::module::Reg;
use crate::ops::products::Matrices;
use crate::tensor_memory::Tensor;
use crate::types::{Space, Type};
use std::fmt;

/// A value of each lane of a warp.
pub(crate) type Lanes = [u64; 32];

/// What a lane computes from up to four operands, for all lanes.
pub(crate) type Map = Box<dyn Fn(&mut Lanes, [&Lanes; 4]) + Send + Sync>;

/// An instruction with its place.
pub(crate) struct Inst {
    pub(crate) op: Op,
    /// The registers that it reads or writes, but for the predicate.
    pub(crate) regs: Box<[Reg]>,
    /// The predicate, and whether it is negated.
    pub(crate) guard: Option<(Reg, bool)>,
    /// Line of the PTX.
    pub(crate) line: u32,
    /// File and line of the source.
    pub(crate) source: Option<(u32, u32)>,
    /// As it is written.
    pub(crate) name: Box<str>,
}

impl fmt::Debug for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.name)
    }
}

impl Inst {
    /// Why it cannot be executed.
    pub(crate) fn unknown(&self) -> Option<&str> {
        match &self.op {
            Op::Unknown(why) => Some(why),
            _ => None,
        }
    }
}

/// An address: a register and what is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) space: Space,
    pub(crate) base: Reg,
    pub(crate) offset: i64,
}

/// Registers in braces, `None` for `_`.
pub(crate) type Regs = Box<[Option<Reg>]>;

/// What an atomic operation does (PTX ISA 9.7.13.5, `atom`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    And,
    Or,
    Xor,
    Exchange,
    CompareAndSwap,
    Add,
    Inc,
    Dec,
    Min,
    Max,
}

/// How lanes choose whom they read (PTX ISA 9.7.9.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Up,
    Down,
    Butterfly,
    Index,
}

/// What lanes agree on (PTX ISA 9.7.13.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vote {
    All,
    Any,
    Uniform,
    Ballot,
}

/// What a barrier combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierKind {
    Sync,
    Arrive,
    And,
    Or,
    Count,
}

/// What is executed.
pub(crate) enum Op {
    /// One result, lane by lane.
    Map {
        to: Reg,
        from: [Reg; 4],
        map: Map,
    },
    /// `mov` of parts to a whole.
    Pack {
        to: Reg,
        from: Box<[Reg]>,
        bits: u32,
    },
    /// `mov` of a whole to parts.
    Unpack {
        to: Regs,
        from: Reg,
        bits: u32,
    },
    /// A clock.
    Clock {
        to: Reg,
        bits: u32,
    },
    Load {
        to: Regs,
        at: Address,
        ty: Type,
    },
    Store {
        at: Address,
        from: Box<[Reg]>,
        ty: Type,
    },
    Atomic {
        to: Option<Reg>,
        at: Address,
        combine: Combine,
        ty: Type,
        values: [Reg; 2],
    },
    /// To several elements.
    ReduceVector {
        to: Regs,
        at: Address,
        combine: Combine,
        ty: Type,
        values: Box<[Reg]>,
    },
    Branch {
        to: u32,
    },
    BranchIndexed {
        index: Reg,
        to: Box<[u32]>,
    },
    Call {
        function: usize,
        params: Box<[Reg]>,
        results: Box<[Reg]>,
    },
    Printf {
        result: Option<Reg>,
        params: Box<[Reg]>,
    },
    AssertFail {
        params: Box<[Reg]>,
    },
    Return,
    Exit,
    Trap,
    Nothing,
    /// Others may go on first.
    Yield,
    Barrier {
        kind: BarrierKind,
        aligned: bool,
        which: Reg,
        count: Option<Reg>,
        value: Option<(Reg, bool)>,
        to: Option<Reg>,
    },
    WarpSync {
        members: Reg,
    },
    Shuffle {
        way: Way,
        to: Option<Reg>,
        found: Option<Reg>,
        from: Reg,
        lane: Reg,
        clamp: Reg,
        members: Reg,
    },
    Vote {
        vote: Vote,
        to: Reg,
        from: (Reg, bool),
        members: Reg,
    },
    /// `match.any`, or `match.all` with its predicate.
    Match {
        all: bool,
        to: Reg,
        found: Option<Reg>,
        from: Reg,
        bits: u32,
        members: Reg,
    },
    Redux {
        combine: Combine,
        ty: Type,
        to: Reg,
        from: Reg,
        members: Reg,
    },
    Elect {
        to: Option<Reg>,
        found: Reg,
        members: Reg,
    },
    ActiveMask {
        to: Reg,
    },
    CopyAsync {
        to: Address,
        from: Address,
        bytes: u32,
        given: Option<Reg>,
    },
    CommitCopies,
    WaitCopies {
        pending: Option<u32>,
    },
    LoadMatrix {
        to: Box<[Reg]>,
        at: Address,
        turned: bool,
    },
    StoreMatrix {
        at: Address,
        from: Box<[Reg]>,
        turned: bool,
    },
    Multiply(Box<Matrices>),
    ClusterArrive,
    ClusterWait,
    Phase(Phase),
    Bulk(Box<Bulk>),
    Claim(Claim),
    Product(Box<Product>),
    Tensor(Box<Tensor>),
    /// Not known here, and why.
    Unknown(Box<str>),
}
