//! Sums that begin with what they are added to: `x + a * b`, where the product is summed up from 0, is the product summed up from
//! `x`, and takes no registers of its own. A loop that begins with -0.0, the sum of nothing, begins with 0 then, as its products did:
//! `-0.0 + p` is `p`, and summed up from -0.0 it would be -0.0 where all terms are.

use super::rewrite::{Emit, substitute, uses};
use crate::ir::{Inst, Kernel, MemoryId, Op, Region, Value};
use pallas_tensor::Scalar;
use std::collections::{HashMap, HashSet};

/// Rewrites them.
pub(crate) fn accumulate(kernel: &mut Kernel) {
    let mut body = std::mem::take(&mut kernel.body);
    let mut known = Known { zeros: Vec::new(), nothing: HashSet::new(), kept: HashMap::new(), uses: HashMap::new() };
    body.walk(&mut |inst| {
        if let Op::Keep(memory) | Op::Take(memory) = inst.op {
            *known.kept.entry(memory).or_default() += 1;
        }
        let zero = match inst.op {
            Op::Const(Scalar::Float(number)) => number == 0.0 && number.is_sign_positive(),
            Op::Const(Scalar::Int(number)) => number == 0,
            _ => false,
        };
        if zero {
            known.zeros.extend(&inst.results);
        }
        if matches!(inst.op, Op::Const(Scalar::Float(number)) if number == 0.0 && number.is_sign_negative()) {
            known.nothing.extend(&inst.results);
        }
    });
    uses(&body, &mut known.uses);
    let mut replaced = Replaced::default();
    region(&mut body, &known, &mut replaced);
    // What sums begin with now: each is used by its product alone, as a sum that nobody uses is none.
    let begun = replaced.begun;
    substitute(&mut body, &replaced.sums);
    from_zero(kernel, &mut body, &known, &begun);
    kernel.body = body;
}

struct Known {
    zeros: Vec<Value>,
    /// Numbers that change no sum.
    nothing: HashSet<Value>,
    /// How often registers of products are filled and read.
    kept: HashMap<MemoryId, usize>,
    uses: HashMap<Value, usize>,
}

#[derive(Default)]
struct Replaced {
    /// Sums that are products now.
    sums: HashMap<Value, Value>,
    /// What those products begin with, in the place of 0.
    begun: HashSet<Value>,
}

impl Known {
    fn is_used_once(&self, value: Value) -> bool {
        self.uses.get(&value) == Some(&1)
    }
}

fn region(body: &mut Region, known: &Known, replaced: &mut Replaced) {
    for inst in &mut body.insts {
        for inner in &mut inst.regions {
            region(inner, known, replaced);
        }
    }
    for position in 0..body.insts.len() {
        let inst = &body.insts[position];
        let Op::Scalar(op, _) = &inst.op else { continue };
        if op.name != "add" {
            continue;
        }
        let (sum, operands) = (inst.results[0], [inst.operands[0], inst.operands[1]]);
        for (product, other) in [(operands[1], operands[0]), (operands[0], operands[1])] {
            let Some((first, operand)) = chain(body, position, product, known) else { continue };
            // What is added has to be there when the sum begins.
            if body.insts[first..].iter().any(|inst| inst.results.contains(&other)) {
                continue;
            }
            body.insts[first].operands[operand] = other;
            replaced.sums.insert(sum, product);
            if known.is_used_once(other) {
                replaced.begun.insert(other);
            }
            // The sum stays behind for nobody; what nobody uses goes later.
            break;
        }
    }
}

/// The first instruction of those that sum a product up, and which of its operands is the 0 that it begins with.
fn chain(body: &Region, before: usize, product: Value, known: &Known) -> Option<(usize, usize)> {
    let mut value = product;
    let mut end = before;
    loop {
        if !known.is_used_once(value) {
            return None;
        }
        let position = body.insts[..end].iter().rposition(|inst| inst.results.contains(&value))?;
        let inst = &body.insts[position];
        let operand = match inst.op {
            Op::Mma(_) => 2,
            // Summed up by warpgroups, in registers that are the product's alone.
            Op::Take(memory) if known.kept.get(&memory) == Some(&2) => {
                let kept = body.insts[..position].iter().rposition(|inst| inst.op == Op::Keep(memory))?;
                return known.zeros.contains(&body.insts[kept].operands[0]).then_some((kept, 0));
            }
            Op::For => {
                let carry = inst.results.iter().position(|&result| result == value)?;
                sums_up(inst, carry, known).then_some(carry + 2)?
            }
            _ => return None,
        };
        value = inst.operands[operand];
        if known.zeros.contains(&value) {
            return Some((position, operand));
        }
        end = position;
    }
}

/// Whether a loop does nothing with a carry but add to it.
fn sums_up(inst: &Inst, carry: usize, known: &Known) -> bool {
    let body = &inst.regions[0];
    let mut value = body.params[carry + 1];
    loop {
        if !known.is_used_once(value) {
            return false;
        }
        if body.yields.get(carry) == Some(&value) {
            return true;
        }
        let Some(user) = body.insts.iter().find(|inst| inst.operands.contains(&value)) else { return false };
        let adds = match &user.op {
            Op::Mma(_) => user.operands[2] == value,
            Op::Scalar(op, _) => op.name == "add",
            _ => false,
        };
        if !adds {
            return false;
        }
        value = user.results[0];
    }
}

/// Loops begin with 0 in the place of -0.0, where all that is done with it is that a product begins with it.
fn from_zero(kernel: &mut Kernel, body: &mut Region, known: &Known, begun: &HashSet<Value>) {
    let mut insts: Vec<Inst> = Vec::with_capacity(body.insts.len());
    for mut inst in std::mem::take(&mut body.insts) {
        for inner in &mut inst.regions {
            from_zero(kernel, inner, known, begun);
        }
        if inst.op == Op::For {
            for (carry, param) in inst.regions[0].params[1..].iter().enumerate() {
                let begin = inst.operands[2 + carry];
                if begun.contains(param) && known.nothing.contains(&begin) {
                    let mut emit = Emit { kernel, insts: &mut insts, span: inst.span };
                    let ty = emit.kernel.ty(begin);
                    if let Some(zero) = emit.add(Op::Const(Scalar::Float(0.0)), &[], Some(ty)) {
                        inst.operands[2 + carry] = zero;
                    }
                }
            }
        }
        insts.push(inst);
    }
    body.insts = insts;
}
