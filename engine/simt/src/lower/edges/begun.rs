//! Sums that the first round of a loop sets and later ones add to: `@pl.when(k == 0)` stores a product, `@pl.when(k > 0)` adds one to
//! what is there. Such a loop begins with the sum of nothing, and every round adds; so it is the loop that [`edges`](super) makes of a
//! sum that the first round zeroes.
//!
//! The sum of nothing is -0.0 for floats, since that is the number that changes no other one: `-0.0 + p` is `p`, whatever sign a zero
//! has, and `0.0 + -0.0` is not. Where a product is summed up from 0 and then added, the sum of nothing is that 0
//! ([`accumulate`](crate::lower::accumulate)).
//!
//! What a round does is followed through branches and selections whose condition is known for each round. Nothing may look at what is
//! carried in the first round, where it was something else before.

use super::super::again::Again;
use super::super::rewrite::{Emit, is_pure, substitute};
use super::Edges;
use super::ways::{Round, Ways};
use crate::ir::{Inst, Op, Region, Value};
use pallas_tensor::{DType, Scalar};
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};

impl Ways<'_> {
    /// One instruction for what is computed alike in the first round and in later ones, from what is there in the body.
    fn alike(&self, emit: &mut Emit<'_>, first: Value, later: Value) -> Option<Value> {
        let (first, later) = (self.in_round(first, Round::First), self.in_round(later, Round::Later));
        if first == later && (self.own.contains(&first) || !self.inner.contains(&first)) {
            return Some(first);
        }
        let (one, other) = (self.makers.get(&first)?, self.makers.get(&later)?);
        let ty = emit.kernel.ty(first);
        if !is_pure(&one.op) || one.op != other.op || emit.kernel.ty(later) != ty {
            return None;
        }
        let pairs = one.operands.iter().zip(&other.operands);
        let operands: SmallVec<[Value; 4]> =
            pairs.map(|(&first, &later)| self.alike(emit, first, later)).collect::<Option<_>>()?;
        emit.add(one.op.clone(), &operands, Some(ty))
    }

    /// Whether the first round does something with a value, or carries on what it makes of it.
    fn looks_at(&self, value: Value) -> bool {
        let mut made = HashSet::from([value]);
        self.region_looks_at(self.body, &mut made) || self.body.yields.iter().any(|value| made.contains(value))
    }

    /// Whether a region that the first round takes does. What it makes of values is added to them.
    fn region_looks_at(&self, region: &Region, made: &mut HashSet<Value>) -> bool {
        for inst in &region.insts {
            let takes = |made: &HashSet<Value>| inst.operands.iter().any(|operand| made.contains(operand));
            match (&inst.op, self.way(inst, Round::First)) {
                (Op::Switch, way) => {
                    let taken = |number: usize| way.is_none_or(|way| way == number);
                    if takes(made) {
                        return true;
                    }
                    for (_, region) in inst.regions.iter().enumerate().filter(|(number, _)| taken(*number)) {
                        if self.region_looks_at(region, made) {
                            return true;
                        }
                        let results = inst.results.iter().zip(&region.yields);
                        let results: Vec<Value> =
                            results.filter(|(_, yielded)| made.contains(yielded)).map(|(&result, _)| result).collect();
                        made.extend(results);
                    }
                }
                (_, Some(way)) => {
                    if made.contains(&inst.operands[1 + way]) {
                        made.extend(&inst.results);
                    }
                }
                (op, None) if is_pure(op) => {
                    if takes(made) {
                        made.extend(&inst.results);
                    }
                }
                _ => {
                    let inner = |made: &HashSet<Value>| {
                        let mut found = false;
                        for region in &inst.regions {
                            found |= region.yields.iter().any(|value| made.contains(value));
                            region.walk(&mut |inst| {
                                found |= inst.operands.iter().any(|value| made.contains(value));
                                found |= inst.regions.iter().flat_map(|inner| &inner.yields).any(|v| made.contains(v));
                            });
                        }
                        found
                    };
                    if takes(made) || inner(made) {
                        return true;
                    }
                }
            }
        }
        false
    }
}

/// What becomes of a carry.
struct Begun {
    carry: usize,
    /// Where its new instructions go in the body, and those.
    at: usize,
    insts: Vec<Inst>,
    /// The value that becomes another one.
    replaced: (Value, Value),
    /// What the loop begins with, made before it.
    before: Vec<Inst>,
    begin: Value,
}

impl Edges<'_> {
    /// Has a loop begin with what its first round would make of nothing, if there is such a carry.
    pub(super) fn begun(&mut self, inst: &mut Inst, out: &mut Vec<Inst>) -> bool {
        let Some(bounds) = self.bounds(inst) else { return false };
        let Some(begun) = self.find(inst, bounds) else { return false };
        out.extend(begun.before);
        inst.operands[2 + begun.carry] = begun.begin;
        let body = &mut inst.regions[0];
        substitute(body, &HashMap::from([begun.replaced]));
        body.insts.splice(begun.at..begun.at, begun.insts);
        // Branches that nobody takes anything of go later.
        body.insts.retain(|inst| !(is_pure(&inst.op) && inst.results.contains(&begun.replaced.0)));
        true
    }

    fn find(&mut self, inst: &Inst, bounds: (i64, i64)) -> Option<Begun> {
        let body = &inst.regions[0];
        let ways = Ways::of(self, body, bounds)?;
        (0..inst.results.len())
            .filter(|carry| !ways.looks_at(body.params[1 + carry]))
            .find_map(|carry| self.added(&ways, inst, carry).or_else(|| self.selected(&ways, inst, bounds, carry)))
    }

    /// A carry that the first round sets, and others add the same to.
    fn added(&mut self, ways: &Ways<'_>, inst: &Inst, carry: usize) -> Option<Begun> {
        let body = &inst.regions[0];
        let (carried, yielded) = (body.params[1 + carry], ways.passed(body.yields[carry]));
        let at = body.insts.iter().position(|inst| inst.results.contains(&yielded))?;
        let set = ways.in_round(yielded, Round::First);
        let sum = ways.makers.get(&ways.in_round(yielded, Round::Later))?;
        let adds = matches!(&sum.op, Op::Scalar(op, _) if op.name == "add") && !sum.results.contains(&set);
        let &[left, right] = sum.operands.as_slice() else { return None };
        if !adds {
            return None;
        }
        let is_carried = [left, right].map(|value| ways.in_round(value, Round::Later) == carried);
        let term = match is_carried {
            [true, false] => right,
            [false, true] => left,
            _ => return None,
        };
        let (ty, span, mut insts) = (self.kernel.ty(carried), sum.span, Vec::new());
        let nothing = match ty.dtype {
            DType::Bool => return None,
            dtype if dtype.is_float() => Scalar::Float(-0.0),
            _ => Scalar::Int(0.into()),
        };
        let mut emit = Emit { kernel: self.kernel, insts: &mut insts, span };
        let term = ways.alike(&mut emit, set, term)?;
        let operands = if is_carried[0] { [carried, term] } else { [term, carried] };
        let total = emit.add(sum.op.clone(), &operands, Some(ty))?;
        let mut before = Vec::new();
        let begin = Emit { kernel: self.kernel, insts: &mut before, span }.add(Op::Const(nothing), &[], Some(ty))?;
        Some(Begun { carry, at: at + 1, insts, replaced: (yielded, total), before, begin })
    }

    /// A carry in the place of which the first round selects something else.
    fn selected(&mut self, ways: &Ways<'_>, inst: &Inst, (lower, _): (i64, i64), carry: usize) -> Option<Begun> {
        let body = &inst.regions[0];
        let carried = body.params[1 + carry];
        body.insts.iter().enumerate().find_map(|(at, made)| {
            let selects = matches!(made.op, Op::Scalar(..)) && ways.way(made, Round::First).is_some();
            let &[result] = made.results.as_slice() else { return None };
            if !selects || ways.in_round(result, Round::Later) != carried {
                return None;
            }
            let begin = ways.in_round(result, Round::First);
            let mut again = Again::new(self.kernel, body, lower);
            again.renamed.extend(body.params[1..].iter().copied().zip(inst.operands[2..].iter().copied()));
            let begin = again.value(begin)?;
            let before = again.out;
            Some(Begun { carry, at, insts: Vec::new(), replaced: (result, carried), before, begin })
        })
    }
}
