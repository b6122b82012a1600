//! Which instructions operations are, and how operands come from memory and get there.

use super::super::graph::{Graph, Id, Op, Relation};
use super::super::machine::{Bank, Form, Machine, Operand, Signs, Source};
use super::assembler::{Ahead, Assembler, If, Lanes, STACK, Word};
use std::ops::Range;

/// The argument of the function.
pub(super) const CALL: Word = 0;
/// The constants.
pub(super) const CONSTANTS: Word = 1;
/// The column.
pub(super) const COLUMN: Word = 4;
/// How many columns there are, where they are fewer than lanes; else zero.
pub(super) const PART: Word = 5;
/// What is needed for a moment.
pub(super) const SCRATCH: Word = 6;
/// The first of the registers for addresses.
pub(super) const ADDRESS: Word = 8;
pub(super) const ADDRESSES: usize = 8;

/// Registers of lanes that no value is in.
const SPARE: usize = 31;
const OTHER: usize = 30;
/// Bytes of a register of lanes.
pub(super) const WIDTH: usize = 16;
/// Bytes of the stack for the registers of lanes whose halves are the caller's; values that wait are above them.
pub(super) const KEPT: usize = 64;

const LOAD: u32 = 0x3dc0_0000;
const STORE: u32 = 0x3d80_0000;
const COPY: Lanes = Lanes(0x4ea0_1c00);
const NOT: Lanes = Lanes(0x6e20_5800);
const AND: Lanes = Lanes(0x4e20_1c00);
const WITHOUT: Lanes = Lanes(0x4e60_1c00);
const NEGATIVE: Lanes = Lanes(0x6ea0_f800);
const NEGATIVE_INTEGER: Lanes = Lanes(0x6ea0_b800);
const EQUAL: Lanes = Lanes(0x4e20_e400);
const LEAST_UNSIGNED: Lanes = Lanes(0x6ea0_6c00);
/// Where a mask that is in the result's register holds the second operand, else the last.
const OF_MASK: Lanes = Lanes(0x6e60_1c00);
/// The second operand where the mask, the last one, holds.
const WHERE: Lanes = Lanes(0x6ea0_1c00);
/// The second operand where the mask, the last one, does not hold.
const ELSEWHERE: Lanes = Lanes(0x6ee0_1c00);
/// 16-bit numbers with zeros before them, and 8-bit ones that are 16 bits then.
const WIDEN_WORDS: Lanes = Lanes(0x2f10_a400);
const WIDEN_BYTES: Lanes = Lanes(0x2f08_a400);
const NARROW_WORDS: Lanes = Lanes(0x0e61_2800);
const NARROW_BYTES: Lanes = Lanes(0x0e21_2800);
const FROM_HALF: Lanes = Lanes(0x0e21_7800);

/// Instructions over four lanes.
#[derive(Default)]
pub(in super::super) struct Neon {
    pub(super) assembler: Assembler,
    parts: Vec<Part>,
}

/// The way of an operand at the end of a row.
struct Part {
    from: Ahead,
    back: usize,
    operand: Operand,
    register: usize,
    stores: bool,
}

impl Neon {
    /// The address of the elements of an operand in a register.
    fn address(&mut self, operand: Operand) -> Word {
        let base = match operand.register {
            Some(number) => ADDRESS + number as Word,
            None => {
                self.assembler.load(SCRATCH, CALL, operand.place);
                SCRATCH
            }
        };
        if operand.is_one {
            return base;
        }
        self.assembler.sum(SCRATCH, base, COLUMN, operand.size.trailing_zeros());
        SCRATCH
    }

    /// Ways at the end of rows, behind the function: element by element.
    pub(super) fn behind(&mut self) {
        for part in std::mem::take(&mut self.parts) {
            self.assembler.land(part.from);
            if !part.stores {
                self.assembler.binary(Lanes(0x6e20_1c00), part.register, part.register, part.register);
            }
            let address = self.address(part.operand);
            let mut done = Vec::new();
            for lane in 0..Neon::LANES as u32 - 1 {
                if lane > 0 {
                    self.assembler.minus(STACK, PART, lane);
                    done.push(self.assembler.jump_ahead_if(If::Equal));
                }
                // One element, after which the address is that of the next one.
                let place = match part.operand.size {
                    4 => 0x8000 | (lane >> 1) << 30 | (lane & 1) << 12,
                    2 => 0x4000 | (lane >> 1 & 1) << 12 | (lane & 1) << 11,
                    _ => (lane & 3) << 10,
                };
                let way = if part.stores { 0x0d9f_0000 } else { 0x0ddf_0000 };
                self.assembler.add(way | place | address << 5 | part.register as u32);
            }
            done.into_iter().for_each(|jump| self.assembler.land(jump));
            self.assembler.jump_back(part.back);
        }
    }

    /// Asks for the line of an operand that is read next: where it is called with that address.
    pub(super) fn ask(&mut self, place: i64, size: u32, writes: bool) {
        self.assembler.load(SCRATCH, CALL, place);
        self.assembler.sum(SCRATCH, SCRATCH, COLUMN, size.trailing_zeros());
        self.assembler.add(0xf980_0000 | SCRATCH << 5 | if writes { 0x10 } else { 0 });
    }

    pub(super) fn finish(self) -> Option<Vec<u8>> {
        self.assembler.finish()
    }

    /// Shifts by as many places as lanes say, all of 32 and more alike.
    fn shift(&mut self, code: u32, is_right: bool, to: usize, x: usize, places: usize) {
        // 32 in all lanes.
        self.assembler.add(0x4f01_0400 | OTHER as u32);
        self.assembler.binary(LEAST_UNSIGNED, OTHER, OTHER, places);
        if is_right {
            self.assembler.unary(NEGATIVE_INTEGER, OTHER, OTHER);
        }
        self.assembler.binary(Lanes(code), to, x, OTHER);
    }

    /// The one that a comparison says, else the other.
    fn extreme(&mut self, to: usize, (x, y): (usize, usize), is_least: bool) {
        let (above, below) = if is_least { (y, x) } else { (x, y) };
        self.assembler.binary(Lanes(0x6ea0_e400), SPARE, above, below);
        self.assembler.binary(OF_MASK, SPARE, x, y);
        self.assembler.unary(copy(SPARE), to, SPARE);
    }

    fn flush(&mut self, to: usize, x: usize) {
        // Below the smallest number that is not subnormal only the sign stays.
        self.assembler.add(0x4f04_4400 | OTHER as u32);
        self.assembler.binary(Lanes(0x6ea0_ec00), SPARE, OTHER, x);
        self.assembler.add(0x6f04_7400 | SPARE as u32);
        self.assembler.binary(WITHOUT, to, x, SPARE);
    }
}

/// A copy of a register: it is combined with itself.
fn copy(from: usize) -> Lanes {
    Lanes(COPY.0 | (from as u32) << 16)
}

impl Machine for Neon {
    const LANES: usize = 4;
    const VECTORS: usize = 30;
    const MASKS: Range<usize> = 0..0;
    const FLUSHES: bool = false;
    const FORMS: bool = false;

    fn new() -> Neon {
        Neon::default()
    }

    fn lowered(_: &mut Graph, _: Op, _: &[Id]) -> Option<Id> {
        None
    }

    fn takes_memory(_: Op) -> bool {
        false
    }

    fn in_memory(constants: &[u32]) -> Vec<u32> {
        constants.iter().flat_map(|&bits| [bits; Neon::LANES]).collect()
    }

    fn spill(&mut self, _: Bank, register: usize, slot: usize) {
        self.assembler.lanes_at(STORE, register, STACK, KEPT + slot * WIDTH, WIDTH);
    }

    fn fill(&mut self, _: Bank, register: usize, slot: usize) {
        self.assembler.lanes_at(LOAD, register, STACK, KEPT + slot * WIDTH, WIDTH);
    }

    fn constant(&mut self, to: usize, number: usize) {
        self.assembler.lanes_at(LOAD, to, CONSTANTS, number * WIDTH, WIDTH);
    }

    fn copy(&mut self, to: usize, from: usize) {
        self.assembler.unary(copy(from), to, from);
    }

    fn unary(&mut self, op: Op, to: usize, x: Source) -> bool {
        let Source::Register(x) = x else { return false };
        let code = match op {
            Op::Flush => {
                self.flush(to, x);
                return true;
            }
            Op::SquareRoot => 0x6ea1_f800,
            Op::Round(0) => 0x4e21_8800,
            Op::Round(1) => 0x4e21_9800,
            Op::Round(2) => 0x4ea1_8800,
            Op::Round(_) => 0x4ea1_9800,
            Op::FromSigned => 0x4e21_d800,
            Op::FromUnsigned => 0x6e21_d800,
            Op::ToSigned => 0x4ea1_b800,
            Op::ToUnsigned => 0x6ea1_b800,
            Op::ToHalf => 0x0e21_6800,
            Op::FromHalf => FROM_HALF.0,
            Op::AbsSigned => 0x4ea0_b800,
            Op::NotMask => NOT.0,
            Op::ShiftLeft(places) => 0x4f00_5400 | (32 + u32::from(places)) << 16,
            Op::ShiftRight(places) => 0x6f00_0400 | (64 - u32::from(places)) << 16,
            _ => return false,
        };
        self.assembler.unary(Lanes(code), to, x);
        true
    }

    fn binary(&mut self, op: Op, to: usize, x: usize, y: Source) -> bool {
        let Source::Register(y) = y else { return false };
        let (code, x, y) = match op {
            Op::Add => (0x4e20_d400, x, y),
            Op::Sub => (0x4ea0_d400, x, y),
            Op::Mul => (0x6e20_dc00, x, y),
            Op::Div => (0x6e20_fc00, x, y),
            Op::LeastNumber => (0x4ea0_f400, x, y),
            Op::MostNumber => (0x4e20_f400, x, y),
            Op::And | Op::AndMask => (AND.0, x, y),
            Op::Or | Op::OrMask => (COPY.0, x, y),
            Op::Xor | Op::XorMask => (0x6e20_1c00, x, y),
            Op::AndNotMask => (WITHOUT.0, y, x),
            Op::AddInteger => (0x4ea0_8400, x, y),
            Op::SubInteger => (0x6ea0_8400, x, y),
            Op::MulInteger => (0x4ea0_9c00, x, y),
            Op::LeastSigned => (0x4ea0_6c00, x, y),
            Op::MostSigned => (0x4ea0_6400, x, y),
            Op::LeastUnsigned => (LEAST_UNSIGNED.0, x, y),
            Op::MostUnsigned => (0x6ea0_6400, x, y),
            Op::CompareFloat(relation) => compared(relation, [EQUAL.0, 0x6ea0_e400, 0x6e20_e400], x, y),
            Op::CompareSigned(relation) => compared(relation, [0x6ea0_8c00, 0x4ea0_3400, 0x4ea0_3c00], x, y),
            Op::CompareUnsigned(relation) => compared(relation, [0x6ea0_8c00, 0x6ea0_3400, 0x6ea0_3c00], x, y),
            Op::Least | Op::Most => {
                self.extreme(to, (x, y), op == Op::Least);
                return true;
            }
            Op::ShiftLeftBy | Op::ShiftRightBy | Op::ShiftSignBy => {
                let code = if op == Op::ShiftSignBy { 0x4ea0_4400 } else { 0x6ea0_4400 };
                self.shift(code, op != Op::ShiftLeftBy, to, x, y);
                return true;
            }
            Op::IsNotNumber => {
                self.assembler.binary(EQUAL, SPARE, x, x);
                self.assembler.binary(EQUAL, OTHER, y, y);
                self.assembler.binary(AND, to, SPARE, OTHER);
                self.assembler.unary(NOT, to, to);
                return true;
            }
            _ => return false,
        };
        self.assembler.binary(Lanes(code), to, x, y);
        let is_opposite = match op {
            Op::CompareFloat(relation) | Op::CompareSigned(relation) | Op::CompareUnsigned(relation) => {
                relation == Relation::NotEqual
            }
            _ => false,
        };
        if is_opposite {
            self.assembler.unary(NOT, to, to);
        }
        true
    }

    fn multiply_add(&mut self, _: Form, signs: Signs, own: usize, other: usize, source: Source) {
        let Source::Register(last) = source else { return };
        // The sign of the product is the instruction's, that of the sum is changed before; who is a factor, too, stays what it was.
        let (mut other, mut last) = (other, last);
        if signs.subtracts {
            if other == own || last == own {
                self.copy(SPARE, own);
                (other, last) = (if other == own { SPARE } else { other }, if last == own { SPARE } else { last });
            }
            self.assembler.unary(NEGATIVE, own, own);
        }
        let code = if signs.negates_product { 0x4ea0_cc00 } else { 0x4e20_cc00 };
        self.assembler.binary(Lanes(code), own, other, last);
    }

    fn choose(&mut self, to: usize, which: usize, yes: Source, no: usize) {
        let Source::Register(yes) = yes else { return };
        if to == no {
            self.assembler.binary(WHERE, to, yes, which);
        } else if to == yes {
            self.assembler.binary(ELSEWHERE, to, no, which);
        } else {
            if to != which {
                self.copy(to, which);
            }
            self.assembler.binary(OF_MASK, to, yes, no);
        }
    }

    fn read(&mut self, op: Op, to: usize, operand: Operand) -> bool {
        let from = if operand.is_one { None } else { Some(self.assembler.jump_ahead_if_some(PART)) };
        let address = self.address(operand);
        // Four elements, or one for all.
        let code = match (operand.size, operand.is_one) {
            (4, false) => LOAD,
            (2, false) => 0xfd40_0000,
            (_, false) => 0xbd40_0000,
            (4, true) => 0x4d40_c800,
            (2, true) => 0x0d40_c400,
            (_, true) => 0x0d40_c000,
        };
        self.assembler.lanes_at(code, to, address, 0, 1);
        if let Some(from) = from {
            self.parts.push(Part { from, back: self.assembler.here(), operand, register: to, stores: false });
        }
        match op {
            Op::ReadHalf(_) => self.assembler.unary(FROM_HALF, to, to),
            Op::ReadTruth(_) => {
                // Truths are one and zero.
                self.assembler.unary(WIDEN_BYTES, to, to);
                self.assembler.unary(WIDEN_WORDS, to, to);
                self.assembler.unary(NEGATIVE_INTEGER, to, to);
            }
            _ if operand.size == 2 => self.assembler.unary(WIDEN_WORDS, to, to),
            _ => {}
        }
        true
    }

    fn store(&mut self, op: Op, from: usize, operand: Operand, _: bool) {
        let from = match (operand.size, op) {
            (4, _) | (2, Op::ToHalf) => from,
            (size, _) => {
                self.assembler.unary(NARROW_WORDS, SPARE, from);
                if size == 1 {
                    self.assembler.unary(NARROW_BYTES, SPARE, SPARE);
                    // Ones are one. (The absolute value of 8 bits.)
                    self.assembler.unary(Lanes(0x4e20_b800), SPARE, SPARE);
                }
                SPARE
            }
        };
        let part = self.assembler.jump_ahead_if_some(PART);
        let address = self.address(operand);
        let code = match operand.size {
            4 => STORE,
            2 => 0xfd00_0000,
            _ => 0xbd00_0000,
        };
        self.assembler.lanes_at(code, from, address, 0, 1);
        self.parts.push(Part { from: part, back: self.assembler.here(), operand, register: from, stores: true });
    }
}

/// A comparison by those for equal, above and at least; the opposite of equality is turned afterwards.
fn compared(relation: Relation, [equal, above, at_least]: [u32; 3], x: usize, y: usize) -> (u32, usize, usize) {
    match relation {
        Relation::Equal | Relation::NotEqual => (equal, x, y),
        Relation::Above => (above, x, y),
        Relation::Below => (above, y, x),
        Relation::AtLeast => (at_least, x, y),
        Relation::AtMost => (at_least, y, x),
    }
}
