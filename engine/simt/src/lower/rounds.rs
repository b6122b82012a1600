//! Sums of warpgroups that go through a loop: where all that a round does with what the loop carries is to have a product added to it,
//! the registers of the product keep it from the first round to the last. Nobody waits for a product to carry its sums, then.

use super::rewrite::uses;
use crate::ir::{Inst, Kernel, MemoryId, Op, Region, Value};
use smallvec::SmallVec;
use std::collections::HashMap;

/// Takes them out of loops.
pub(crate) fn keep(kernel: &mut Kernel) {
    let mut counts = HashMap::new();
    uses(&kernel.body, &mut counts);
    loops(&mut kernel.body, &counts);
}

fn loops(region: &mut Region, counts: &HashMap<Value, usize>) {
    let mut insts: Vec<Inst> = Vec::with_capacity(region.insts.len());
    for mut inst in region.insts.drain(..) {
        for inner in &mut inst.regions {
            loops(inner, counts);
        }
        let mut after = Vec::new();
        if inst.op == Op::For {
            while let Some((carry, acc)) = carried(&inst, counts) {
                let (first, last) = take_out(&mut inst, carry, acc);
                insts.push(first);
                after.push(last);
            }
        }
        let span = inst.span;
        insts.push(inst);
        if !after.is_empty() {
            insts.push(bare(Op::WaitProducts(0), span));
        }
        insts.extend(after);
    }
    region.insts = insts;
}

/// A carry that is only added to, by its number, and the registers in which.
fn carried(inst: &Inst, counts: &HashMap<Value, usize>) -> Option<(usize, MemoryId)> {
    let body = &inst.regions[0];
    let once = |value: Value| counts.get(&value) == Some(&1);
    (0..inst.results.len()).find_map(|carry| {
        let (param, yielded) = (body.params[carry + 1], body.yields[carry]);
        let keep = body.insts.iter().position(|inst| inst.operands.contains(&param) && once(param))?;
        let Op::Keep(acc) = body.insts[keep].op else { return None };
        let take = body.insts.iter().position(|inst| inst.op == Op::Take(acc) && inst.results.contains(&yielded))?;
        // There is one of each.
        let touch = |inst: &&Inst| matches!(inst.op, Op::Keep(other) | Op::Take(other) if other == acc);
        (once(yielded) && keep < take && body.insts.iter().filter(touch).count() == 2).then_some((carry, acc))
    })
}

/// Has a loop no longer carry it; what comes before the loop, and what after.
fn take_out(inst: &mut Inst, carry: usize, acc: MemoryId) -> (Inst, Inst) {
    let first = inst.operands.remove(carry + 2);
    let result = inst.results.remove(carry);
    let body = &mut inst.regions[0];
    body.params.remove(carry + 1);
    body.yields.remove(carry);
    body.insts.retain(|inst| !matches!(inst.op, Op::Keep(other) | Op::Take(other) if other == acc));
    let keep = Inst { operands: SmallVec::from_slice(&[first]), ..bare(Op::Keep(acc), inst.span) };
    let take = Inst { results: SmallVec::from_slice(&[result]), ..bare(Op::Take(acc), inst.span) };
    (keep, take)
}

fn bare(op: Op, span: pallas_syntax::Span) -> Inst {
    Inst { op, operands: SmallVec::new(), results: SmallVec::new(), regions: Vec::new(), span }
}
