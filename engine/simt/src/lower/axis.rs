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
    region(kernel, &kernel.body, &mut known);
    known
}

/// Parameters of regions stay unknown: they are other numbers in every round.
fn region(kernel: &Kernel, body: &Region, known: &mut [Known]) {
    for inst in &body.insts {
        for inner in &inst.regions {
            region(kernel, inner, known);
        }
        if let &[result] = inst.results.as_slice() {
            known[result.0 as usize] = inst_known(kernel, inst, result, known);
        }
    }
}

fn inst_known(kernel: &Kernel, inst: &Inst, result: Value, known: &[Known]) -> Known {
    let regs = kernel.ty(result).regs;
    let of = |number: usize| known[inst.operands[number].0 as usize];
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
    fn a_run_is_on_one_side_of_its_multiple() {
        let columns = Known { run: 4, same: 1, divisor: 4 };
        assert_eq!(columns.compared(Known::constant(8, 300)).same, 4);
        assert_eq!(columns.compared(Known::constant(8, 302)).same, 2);
        assert_eq!(columns.compared(Known::constant(8, 301)).same, 1);
    }
}
