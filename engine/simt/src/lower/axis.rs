//! What is known of the numbers in a value's registers: runs of neighbours, groups that are the same, powers of two that divide
//! them. Decides nothing; [`vectors`](super::vectors) asks.

use crate::ir::{Inst, Kernel, Op, Region, Value};
use crate::layout::Layout;
use pallas_tensor::{DType, Kind, Scalar};

/// What is known of an integer or a bool, in every thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// Registers from a multiple of this on, as many, hold numbers that follow each other. A power of two.
    pub(crate) run: u32,
    /// Registers from a multiple of this on, as many, hold one number. A power of two.
    pub(crate) same: u32,
    /// A power of two that divides the first number of each run.
    pub(crate) divisor: u64,
}

/// What divides 0.
const EVERYTHING: u64 = 1 << 32;

impl Known {
    const NOTHING: Known = Known { run: 1, same: 1, divisor: 1 };

    /// What divides the numbers in all registers whose number is a multiple of `step`.
    pub(crate) fn divisor_at(self, step: u32) -> u64 {
        if step >= self.run { self.divisor } else { self.divisor.min(u64::from(step)) }
    }

    fn constant(regs: u32, number: i128) -> Known {
        let divisor = if number == 0 { EVERYTHING } else { 1u64 << number.trailing_zeros().min(32) };
        Known { run: 1, same: regs, divisor }
    }

    fn coordinate(layout: &Layout, dim: usize) -> Known {
        let flips: Vec<u32> = layout.along(&layout.regs, dim).collect();
        let run = flips.iter().enumerate().take_while(|(bit, flips)| **flips == 1 << bit).count();
        let same = flips.iter().take_while(|flips| **flips == 0).count();
        let rest = flips[run..].iter().copied().chain(layout.along(&layout.threads, dim));
        let divisor = rest.filter(|&flips| flips != 0).map(|flips| 1u64 << flips.trailing_zeros()).min();
        Known { run: 1 << run, same: 1 << same, divisor: divisor.unwrap_or(EVERYTHING) }
    }

    /// The sum of both.
    fn sum(self, other: Known) -> Known {
        let run = self.run.min(other.same).max(self.same.min(other.run));
        let divisor = self.divisor_at(run).min(other.divisor_at(run));
        Known { run, same: self.same.min(other.same), divisor }
    }

    /// The longest run that begins at a multiple of its length, of numbers below a power of two of such multiples.
    fn aligned_run(self, most: u64) -> u32 {
        let fits = |&length: &u32| {
            self.run >= length && self.divisor_at(length) >= u64::from(length) && u64::from(length) <= most
        };
        (1..6).map(|bit| 1u32 << bit).rfind(fits).unwrap_or(1)
    }

    /// Divided by a power of two, downwards: what a run has above its own bits is one number.
    fn shifted_right(self, bits: u32) -> Known {
        if bits == 0 {
            return self;
        }
        let same = self.same.max(self.aligned_run(1 << bits));
        Known { run: 1, same, divisor: (self.divisor_at(1) >> bits).max(1) }
    }

    fn shifted_left(self, bits: u32) -> Known {
        match bits {
            0 => self,
            _ => Known { run: 1, same: self.same, divisor: (self.divisor_at(1) << bits).min(EVERYTHING) },
        }
    }

    /// What is left below a power of two.
    fn below(self, end: u64) -> Known {
        let run = self.aligned_run(end);
        Known { run, same: self.same, divisor: self.divisor_at(run) }
    }

    /// With the same bits of all of a run flipped, above those that the run counts with.
    fn flipped(self, other: Known) -> Known {
        let fits = |&length: &u32| other.same >= length && other.divisor_at(1) >= u64::from(length);
        let most = self.aligned_run(u64::MAX);
        let run = (0..=most.ilog2()).map(|bit| 1u32 << bit).rfind(fits).unwrap_or(1);
        let divisor = self.divisor_at(run).min(other.divisor_at(run));
        Known { run, same: self.same.min(other.same), divisor }
    }

    /// Of the first less than the second, or not less.
    fn compared(self, other: Known) -> Known {
        // A run that begins at a multiple of its length is on one side of another multiple.
        let fits = |&length: &u32| {
            self.run >= length
                && other.same >= length
                && self.divisor_at(length) >= u64::from(length)
                && other.divisor_at(1) >= u64::from(length)
        };
        let run = (1..6).map(|bit| 1u32 << bit).rfind(fits).unwrap_or(1);
        Known { same: run.max(self.same.min(other.same)), ..Known::NOTHING }
    }
}

/// What is known of every value, by number.
pub(crate) fn analyse(kernel: &Kernel) -> Vec<Known> {
    let mut known: Vec<Known> = kernel
        .values
        .iter()
        .map(|ty| if ty.regs == 1 { Known::NOTHING } else { Known { same: 1, ..Known::NOTHING } })
        .collect();
    let mut constants = vec![None; kernel.values.len()];
    kernel.body.walk(&mut |inst| {
        if let (Op::Const(Scalar::Int(number)), [result]) = (&inst.op, inst.results.as_slice()) {
            constants[result.0 as usize] = Some(*number);
        }
    });
    region(kernel, &kernel.body, &constants, &mut known);
    known
}

/// Parameters of regions stay unknown: they are other numbers in every round.
fn region(kernel: &Kernel, body: &Region, constants: &[Option<i128>], known: &mut [Known]) {
    for inst in &body.insts {
        for inner in &inst.regions {
            region(kernel, inner, constants, known);
        }
        if let &[result] = inst.results.as_slice() {
            known[result.0 as usize] = inst_known(kernel, inst, result, constants, known);
        }
    }
}

fn inst_known(kernel: &Kernel, inst: &Inst, result: Value, constants: &[Option<i128>], known: &[Known]) -> Known {
    let regs = kernel.ty(result).regs;
    let of = |number: usize| known[inst.operands[number].0 as usize];
    // The second operand, where it is one number everywhere.
    let by = || inst.operands.get(1).and_then(|value| constants[value.0 as usize]).and_then(|n| u32::try_from(n).ok());
    let same = || inst.operands.iter().map(|value| known[value.0 as usize].same).min().unwrap_or(1);
    let integer = |dtype: DType| matches!(dtype.kind(), Kind::Signed | Kind::Unsigned) && dtype.bits() >= 32;
    match &inst.op {
        Op::Const(Scalar::Int(number)) => Known::constant(regs, *number),
        Op::Const(_) => Known { same: regs, ..Known::NOTHING },
        Op::Coord { layout, dim } => Known::coordinate(layout, *dim),
        Op::Pick(table) => {
            let first = table.first().copied().unwrap_or(0);
            let same = if table.iter().all(|&register| register == first) { regs } else { 1 };
            Known { run: 1, same, divisor: of(0).divisor_at(1) }
        }
        Op::Scalar(op, _) => match op.name {
            "add" if integer(kernel.ty(result).dtype) => of(0).sum(of(1)),
            "sub" if integer(kernel.ty(result).dtype) => {
                let (sum, run) = (of(0).sum(of(1)), of(0).run.min(of(1).same));
                Known { run, divisor: of(0).divisor_at(run).min(of(1).divisor_at(run)), ..sum }
            }
            "mul" if integer(kernel.ty(result).dtype) => {
                let divisor = of(0).divisor_at(1).saturating_mul(of(1).divisor_at(1)).min(EVERYTHING);
                Known { run: 1, same: same(), divisor }
            }
            "max" | "min" if integer(kernel.ty(result).dtype) => {
                Known { run: 1, same: same(), divisor: of(0).divisor_at(1).min(of(1).divisor_at(1)) }
            }
            "select_n" if inst.operands.len() == 3 => {
                Known { run: 1, same: same(), divisor: of(1).divisor_at(1).min(of(2).divisor_at(1)) }
            }
            "convert_element_type"
                if integer(kernel.ty(result).dtype) && integer(kernel.ty(inst.operands[0]).dtype) =>
            {
                of(0)
            }
            "lt" | "ge" => of(0).compared(of(1)),
            name @ ("shift_left" | "shift_right_logical" | "shift_right_arithmetic" | "and" | "xor")
                if integer(kernel.ty(result).dtype) =>
            {
                let below = |mask: u32| u64::from(mask).checked_add(1).filter(|end| end.is_power_of_two());
                match (name, by()) {
                    ("xor", _) => of(0).flipped(of(1)),
                    ("and", Some(mask)) if below(mask).is_some() => of(0).below(below(mask).unwrap_or(1)),
                    ("shift_left", Some(bits @ 0..31)) => of(0).shifted_left(bits),
                    ("shift_right_logical" | "shift_right_arithmetic", Some(bits @ 0..31)) => of(0).shifted_right(bits),
                    _ => Known { same: same(), ..Known::NOTHING },
                }
            }
            _ => Known { same: same(), ..Known::NOTHING },
        },
        _ => Known::NOTHING,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_of_a_row_follow_each_other() {
        let layout = Layout::blocked(&[4, 64], 5, 2);
        assert_eq!(Known::coordinate(&layout, 1), Known { run: 4, same: 1, divisor: 4 });
        assert_eq!(Known::coordinate(&layout, 0), Known { run: 1, same: 4, divisor: 1 });
    }

    #[test]
    fn a_row_further_on_begins_at_what_divides_both() {
        let columns = Known { run: 4, same: 1, divisor: 4 };
        let rows = Known { run: 1, same: 4, divisor: 2 };
        assert_eq!(columns.sum(rows), Known { run: 4, same: 1, divisor: 2 });
        assert_eq!(columns.sum(Known { same: 2, ..rows }), Known { run: 2, same: 1, divisor: 2 });
        assert_eq!(columns.sum(Known::constant(8, 0)).divisor, 4);
    }

    #[test]
    fn a_swizzle_leaves_runs_that_are_shorter_than_what_it_moves() {
        // Element 64 * row + column with the bits of the row flipped in those of the column from 8 on.
        let columns = Known { run: 8, same: 1, divisor: 8 };
        let rows = columns.shifted_right(6);
        assert_eq!((rows.run, rows.same, rows.divisor), (1, 8, 1));
        let moved = rows.below(8).shifted_left(3);
        assert_eq!((moved.same, moved.divisor), (8, 8));
        assert_eq!(columns.flipped(moved), Known { run: 8, same: 1, divisor: 8 });
        assert_eq!(columns.flipped(rows.below(8).shifted_left(1)), Known { run: 2, same: 1, divisor: 2 });
        assert_eq!(columns.below(4).run, 4, "a run that is cut off");
        assert_eq!((columns.shifted_right(2).same, columns.shifted_right(0)), (4, columns));
        assert_eq!(Known { run: 8, same: 1, divisor: 2 }.below(64).run, 2, "it begins anywhere");
    }

    #[test]
    fn a_run_is_on_one_side_of_its_multiple() {
        let columns = Known { run: 4, same: 1, divisor: 4 };
        assert_eq!(columns.compared(Known::constant(8, 300)).same, 4);
        assert_eq!(columns.compared(Known::constant(8, 302)).same, 2);
        assert_eq!(columns.compared(Known::constant(8, 301)).same, 1);
    }
}
