//! What the emission of values has to know of a kind of processor, and the instructions that it asks it for. Where values are is
//! decided in [`super::emit`]; here they have numbers of registers, and of places in memory.

use super::Kind;
use super::graph::{Graph, Id, Op};
use super::place;
use std::ops::Range;

/// Where the last operand of an instruction is.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(target_arch = "aarch64", expect(dead_code, reason = "operands of arithmetic are in registers there"))]
pub(super) enum Source {
    Register(usize),
    /// A value that waits in memory.
    Slot(usize),
    /// The constant with a number.
    Constant(usize),
}

/// The registers that a value is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bank {
    Vectors,
    Masks,
}

/// What takes the place of what, where `own` becomes a product and a sum of itself and two others.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// `own * last + other`
    Factor,
    /// `other * own + last`
    FactorWithSum,
    /// `other * last + own`
    Sum,
}

/// The signs of a product and a sum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signs {
    pub(super) negates_product: bool,
    pub(super) subtracts: bool,
}

/// How an operand that is read or written lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    /// The number of the register that its address is in, if it has one.
    pub(super) register: Option<usize>,
    /// Where the address is in the argument of the function, in bytes.
    pub(super) place: i64,
    /// Bytes of an element.
    pub(super) size: u32,
    /// Whether one element meets all of a row.
    pub(super) is_one: bool,
    /// Where there are as many columns as lanes whatever comes: how many columns further they are.
    #[cfg(target_arch = "x86_64")]
    pub(super) whole: Option<u32>,
}

impl Operand {
    /// Operands of some kinds. The addresses of those that move with the columns are in registers as far as there are any.
    pub(super) fn of(kinds: &[Kind], registers: usize) -> Vec<Operand> {
        let mut free = 0..registers;
        let operand = |(number, kind): (usize, &Kind)| Operand {
            register: if kind.is_one { None } else { free.next() },
            place: place::address(number),
            size: kind.size,
            is_one: kind.is_one,
            #[cfg(target_arch = "x86_64")]
            whole: None,
        };
        kinds.iter().enumerate().map(operand).collect()
    }
}

/// A kind of processor, and instructions for it in the making.
pub(super) trait Machine: Sized {
    /// Elements that are computed together.
    const LANES: usize;
    /// Registers of lanes that values are in.
    const VECTORS: usize;
    /// Registers of masks. None where a mask is a vector of ones and zeros, and in a register of lanes.
    const MASKS: Range<usize>;
    /// Whether operands of arithmetic are taken for zeros where they are subnormal, so that a product flushes.
    const FLUSHES: bool = true;
    /// Whether there are all forms of a product and a sum; else the result takes the place of what is added to.
    const FORMS: bool = true;

    fn new() -> Self;

    /// An operation that there is no instruction for, as others: what it gives in the graph.
    fn lowered(graph: &mut Graph, op: Op, operands: &[Id]) -> Option<Id>;

    /// Whether the last operand of an operation may be in memory.
    fn takes_memory(op: Op) -> bool;

    /// Constants as they lie in memory.
    fn in_memory(constants: &[u32]) -> Vec<u32>;

    /// Writes a register to where a value waits.
    fn spill(&mut self, bank: Bank, register: usize, slot: usize);

    /// And reads it from there.
    fn fill(&mut self, bank: Bank, register: usize, slot: usize);

    /// Has a constant in all lanes.
    fn constant(&mut self, to: usize, number: usize);

    /// Copies a register of lanes.
    fn copy(&mut self, to: usize, from: usize);

    /// An operation of one operand; false if there is no such instruction.
    #[must_use]
    fn unary(&mut self, op: Op, to: usize, x: Source) -> bool;

    /// An operation of two operands; false if there is no such instruction.
    #[must_use]
    fn binary(&mut self, op: Op, to: usize, x: usize, y: Source) -> bool;

    /// `own = ...`, see [`Form`].
    fn multiply_add(&mut self, form: Form, signs: Signs, own: usize, other: usize, last: Source);

    /// `yes` where the mask holds, else `no`.
    fn choose(&mut self, to: usize, which: usize, yes: Source, no: usize);

    /// Brings an operand to a register, as [`Op::Read`], [`Op::ReadHalf`] or [`Op::ReadTruth`] say; false for other operations.
    #[must_use]
    fn read(&mut self, op: Op, to: usize, operand: Operand) -> bool;

    /// Writes the result of an operation to where it belongs; whole lines past the caches, if it streams.
    fn store(&mut self, op: Op, from: usize, operand: Operand, streams: bool);

    /// Where a value is: see [`Machine::MASKS`].
    fn bank(op: Op) -> Bank {
        if op.is_mask() && !Self::MASKS.is_empty() { Bank::Masks } else { Bank::Vectors }
    }
}
