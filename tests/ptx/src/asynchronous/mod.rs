//! What engines do beside the threads of a block: phase barriers, bulk copies of boxes, products of warpgroups, claims of blocks that have
//! not begun. Here is what they mean; `machine/engines.rs` says when they are done. Tensor memory is elsewhere (`tensor_memory`).

pub(crate) mod boxes;
pub(crate) mod panels;
pub(crate) mod phases;

use crate::inst::{Address, Combine};
use crate::module::Reg;
use crate::types::Type;

/// An operation on a phase barrier (PTX ISA 9.7.13.15).
#[derive(Debug)]
pub(crate) enum Phase {
    Init {
        at: Address,
        count: Reg,
    },
    Invalidate {
        at: Address,
    },
    /// Arrives, and before that says how many more bytes are awaited.
    Arrive {
        at: Address,
        to: Option<Reg>,
        count: Option<Reg>,
        bytes: Option<Reg>,
    },
    /// Says how many more bytes are awaited, or have come.
    Bytes {
        at: Address,
        bytes: Reg,
        come: bool,
    },
    /// Whether a phase is over: of a parity, or of a token.
    Test {
        at: Address,
        to: Reg,
        phase: Reg,
        by_parity: bool,
        waits: bool,
    },
}

/// A copy of a box (PTX ISA 9.7.9.25 to 9.7.9.27).
#[derive(Debug)]
pub(crate) enum Bulk {
    /// From global memory to shared memory, of one block or of those of a mask.
    Bring {
        to: Address,
        map: Address,
        begins: Box<[Reg]>,
        barrier: Address,
        blocks: Option<Reg>,
        /// Whether the barrier may be that of the other block of two (`.cta_group::2`).
        pair: bool,
    },
    /// From shared memory to global memory.
    Send {
        from: Address,
        map: Address,
        begins: Box<[Reg]>,
        combine: Option<Combine>,
    },
    Commit,
    /// Until so many groups at most are left, of which shared memory has not been read, or which are not written.
    Wait {
        pending: u32,
        read: bool,
    },
}

/// A factor of a product of warpgroups.
#[derive(Debug)]
pub(crate) enum Factor {
    Registers(Box<[Reg]>),
    Described(Reg),
}

/// An instruction of a warpgroup (PTX ISA 9.7.15).
#[derive(Debug)]
pub(crate) enum Product {
    Multiply {
        columns: usize,
        /// Of both factors.
        ty: Type,
        sums: Box<[Reg]>,
        left: Factor,
        right: Reg,
        /// Whether it is added to what is there.
        adds: (Reg, bool),
        negates: [bool; 2],
        turned: [bool; 2],
    },
    Commit,
    Wait(u32),
}

/// A claim of a cluster that has not begun (PTX ISA 9.7.13.18).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    pub(crate) to: Address,
    pub(crate) barrier: Address,
    /// Whether every block of the cluster gets the answer.
    pub(crate) everywhere: bool,
}
