//! What a loop does in its first round or in its last one only: `@pl.when(k == 0)` zeroes a sum, `@pl.when(k == last)` stores it. A
//! branch that only the first round takes goes before the loop, and one that only the last round takes goes behind it, so that rounds
//! do nothing with a sum but add to it, and later passes see that.
//!
//! Which rounds take a branch is computed for each of them ([`rounds_of`](Edges::rounds_of)), whatever the condition looks like.
//! A branch moves if nothing that it passes touches the same memory, and if all that it reads is there: what is there before the
//! loop, what can be computed again for that round, and behind the loop what the loop carries out. What the other rounds do instead has
//! to be nothing but arithmetic, and stays. What is set in the first round and added to in others begins as nothing ([`begun`]),
//! and what both compute in branches of their own is computed in every round ([`once`]).

mod begun;
mod once;
mod ways;

use super::again::Again;
use super::rewrite::{Emit, is_pure, substitute};
use super::touches::Touches;
use crate::ir::{Inst, Kernel, MemoryId, Op, Region, Value};
use crate::marks::Mark;
use pallas_ir::op::EvalContext;
use pallas_ir::{OpKind, TensorType, Type, ops};
use pallas_tensor::{Array, DType, Scalar};
use smallvec::SmallVec;
use std::collections::HashMap;

/// Rounds that are looked at one by one.
const LOOKED_AT: i64 = 1 << 16;

/// Takes such branches out of loops.
pub(crate) fn take_out(kernel: &mut Kernel) {
    let mut body = std::mem::take(&mut kernel.body);
    let mut made = HashMap::new();
    scalars(kernel, &body, &mut made);
    let mut touched = HashMap::new();
    once::count(&body, &mut touched);
    Edges { kernel, made, touched, replaced: HashMap::new() }.region(&mut body);
    kernel.body = body;
}

/// Instructions without effect that make one number, by what they make.
fn scalars(kernel: &Kernel, region: &Region, made: &mut HashMap<Value, Inst>) {
    region.walk(&mut |inst| {
        if let (Op::Const(_) | Op::Scalar(..), &[result]) = (&inst.op, inst.results.as_slice())
            && kernel.ty(result).regs == 1
        {
            made.insert(result, inst.clone());
        }
    });
}

/// Where a branch goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    First,
    Last,
}

struct Edges<'a> {
    kernel: &'a mut Kernel,
    /// How numbers are made.
    made: HashMap<Value, Inst>,
    /// How often arrays were touched, in the whole kernel.
    touched: HashMap<MemoryId, usize>,
    /// Values that became others.
    replaced: HashMap<Value, Value>,
}

/// A branch that only one round takes.
struct Branch {
    /// Where it stands in the loop.
    at: usize,
    /// The region that this round takes, and the one that all others take.
    taken: usize,
    otherwise: usize,
    /// The number of that round.
    round: i64,
}

impl Edges<'_> {
    fn region(&mut self, region: &mut Region) {
        let mut insts: Vec<Inst> = Vec::with_capacity(region.insts.len());
        for mut inst in std::mem::take(&mut region.insts) {
            for inner in &mut inst.regions {
                self.region(inner);
            }
            let (mut first, mut last) = (Vec::new(), Vec::new());
            if inst.op == Op::For {
                while self.once(&mut inst) {}
                while self.begun(&mut inst, &mut first) {}
                while self.moved(&mut inst, Edge::First, &mut first) {}
                while self.moved(&mut inst, Edge::Last, &mut last) {}
            }
            insts.append(&mut first);
            insts.push(inst);
            insts.append(&mut last);
        }
        region.insts = insts;
        substitute(region, &self.replaced);
    }

    /// Takes a branch out of a loop, if there is one that can be.
    fn moved(&mut self, inst: &mut Inst, edge: Edge, out: &mut Vec<Inst>) -> bool {
        let Some((lower, upper)) = self.bounds(inst) else { return false };
        let mut branches: Vec<Branch> = self.branches(inst, (lower, upper), edge);
        if edge == Edge::Last {
            branches.reverse();
        }
        branches.into_iter().any(|branch| match edge {
            Edge::First => self.before(inst, &branch, out),
            Edge::Last => self.behind(inst, &branch, out),
        })
    }

    /// The first round of a loop, and the one that comes no more, if there are several and not too many.
    fn bounds(&self, inst: &Inst) -> Option<(i64, i64)> {
        let known = |value| self.rounds_of(value, None, &mut HashMap::new())?.item()?.as_int()?.try_into().ok();
        let (lower, upper): (i64, i64) = (known(inst.operands[0])?, known(inst.operands[1])?);
        let counts = self.kernel.ty(inst.regions[0].params[0]).dtype == DType::I32;
        (counts && (2..=LOOKED_AT).contains(&upper.saturating_sub(lower))).then_some((lower, upper))
    }

    /// The branches of a loop that only one round takes.
    fn branches(&self, inst: &Inst, (lower, upper): (i64, i64), edge: Edge) -> Vec<Branch> {
        let body = &inst.regions[0];
        let rounds: Vec<Scalar> = (lower..upper).map(|round| Scalar::Int(round.into())).collect();
        let Ok(rounds) = Array::from_scalars(DType::I32, [rounds.len()].as_slice(), &rounds) else { return Vec::new() };
        let counter = Some((body.params[0], rounds));
        let mut known = HashMap::new();
        let mut branch = |(at, inst): (usize, &Inst)| {
            if inst.op != Op::Switch {
                return None;
            }
            let which = self.rounds_of(inst.operands[0], counter.as_ref(), &mut known)?;
            let mut which: Vec<usize> =
                which.iter_scalars().filter_map(|which| which.as_int()?.try_into().ok()).collect();
            let round = if edge == Edge::First { lower } else { upper - 1 };
            let taken = if edge == Edge::First { which.remove(0) } else { which.pop()? };
            let otherwise = *which.first().filter(|&&other| other != taken)?;
            let whole = which.len() as i64 + 1 == upper - lower && taken.max(otherwise) < inst.regions.len();
            let fits = whole && which.iter().all(|&other| other == otherwise);
            fits.then_some(Branch { at, taken, otherwise, round })
        };
        let mut branches = Vec::new();
        for place in body.insts.iter().enumerate() {
            branches.extend(branch(place));
        }
        branches
    }

    /// A number in every round, or the one number that it is; `None` if it depends on something else.
    fn rounds_of(
        &self,
        value: Value,
        counter: Option<&(Value, Array)>,
        known: &mut HashMap<Value, Option<Array>>,
    ) -> Option<Array> {
        if let Some((_, rounds)) = counter.filter(|(counter, _)| *counter == value) {
            return Some(rounds.clone());
        }
        if let Some(array) = known.get(&value) {
            return array.clone();
        }
        let len = counter.map_or(1, |(_, rounds)| rounds.size());
        let array = self.made.get(&value).and_then(|inst| {
            let dtype = self.kernel.ty(value).dtype;
            match &inst.op {
                Op::Const(number) => Array::full(dtype, [len].as_slice(), *number).ok(),
                Op::Scalar(op, attributes) => {
                    let OpKind::Pure { eval, .. } = &op.kind else { return None };
                    let operands = inst.operands.iter().map(|&operand| self.rounds_of(operand, counter, known));
                    let operands = operands.collect::<Option<SmallVec<_>>>()?;
                    let ty = Type::Tensor(TensorType::new(dtype, [len].as_slice()));
                    let context = EvalContext { attributes, results: std::slice::from_ref(&ty) };
                    eval(&context, operands).ok()?.into_iter().next()
                }
                _ => None,
            }
        });
        known.insert(value, array.clone());
        array
    }

    /// What other rounds yield in the place of a branch, if they do nothing but arithmetic.
    fn otherwise<'i>(&self, switch: &'i Inst, branch: &Branch) -> Option<&'i Region> {
        let region = &switch.regions[branch.otherwise];
        region.insts.iter().all(|inst| is_pure(&inst.op)).then_some(region)
    }

    /// Puts what other rounds do in the place of a branch.
    fn stay(body: &mut Region, branch: &Branch) {
        let switch = body.insts.remove(branch.at);
        let Some(region) = switch.regions.into_iter().nth(branch.otherwise) else { return };
        body.insts.splice(branch.at..branch.at, region.insts);
        let renamed = switch.results.into_iter().zip(region.yields).collect();
        substitute(body, &renamed);
    }

    /// Does in front of a loop what only the first round does.
    fn before(&mut self, inst: &mut Inst, branch: &Branch, out: &mut Vec<Inst>) -> bool {
        let body = &inst.regions[0];
        let switch = &body.insts[branch.at];
        let Some(otherwise) = self.otherwise(switch, branch) else { return false };
        if !apart(&body.insts[..branch.at], switch) {
            return false;
        }
        // What comes of it is what the loop begins with: other rounds take what is carried, which nobody else looks at.
        let mut carries: Vec<usize> = Vec::new();
        for &yielded in &otherwise.yields {
            let carry = body.params[1..].iter().position(|&param| param == yielded);
            let Some(carry) = carry.filter(|carry| !carries.contains(carry)) else { return false };
            let elsewhere = body.insts.iter().enumerate().filter(|(at, _)| *at != branch.at);
            if elsewhere.into_iter().any(|(_, inst)| uses(inst, yielded)) || body.yields.contains(&yielded) {
                return false;
            }
            carries.push(carry);
        }
        let begins = body.params[1..].iter().copied().zip(inst.operands[2..].iter().copied());
        let Some((insts, yields)) = self.again(inst, branch, begins.collect()) else { return false };
        out.extend(insts);
        for (&carry, value) in carries.iter().zip(yields) {
            inst.operands[2 + carry] = value;
        }
        Self::stay(&mut inst.regions[0], branch);
        true
    }

    /// Does behind a loop what only the last round does. `out` has what later ones of its branches do.
    fn behind(&mut self, inst: &mut Inst, branch: &Branch, out: &mut Vec<Inst>) -> bool {
        let body = &inst.regions[0];
        let switch = &body.insts[branch.at];
        let Some(otherwise) = self.otherwise(switch, branch) else { return false };
        let rest = &body.insts[branch.at + 1..];
        // What comes of it is carried out of the loop, and nothing else is done with it.
        if !apart(rest, switch) || switch.results.iter().any(|&result| rest.iter().any(|inst| uses(inst, result))) {
            return false;
        }
        let results = switch.results.clone();
        // What the loop carries out without it.
        let yields: Vec<Value> = body
            .yields
            .iter()
            .map(|value| match results.iter().position(|result| result == value) {
                Some(position) => otherwise.yields[position],
                None => *value,
            })
            .collect();
        let fresh: Vec<Value> = inst.results.iter().map(|&result| self.like(result)).collect();
        let carried = yields.iter().copied().zip(fresh.iter().copied());
        let Some((insts, taken)) = self.again(inst, branch, carried.collect()) else { return false };
        for (carry, (&old, &new)) in inst.results.iter().zip(&fresh).enumerate() {
            let of_branch = results.iter().position(|&result| result == inst.regions[0].yields[carry]);
            self.replaced.insert(old, of_branch.map_or(new, |position| taken[position]));
        }
        inst.results = fresh.into_iter().collect();
        Self::stay(&mut inst.regions[0], branch);
        let mut insts = insts;
        self.end_later(&mut inst.regions[0], branch, out.is_empty().then_some(&mut insts));
        out.splice(0..0, insts);
        true
    }

    /// The program of the last round ends behind what goes behind the loop, where its times are noted.
    fn end_later(&mut self, body: &mut Region, branch: &Branch, behind: Option<&mut Vec<Inst>>) {
        let ends =
            |inst: &Inst| matches!(inst.op, Op::Mark(site) if self.kernel.marks[site as usize].mark == Mark::End);
        let (Some(at), Some(behind)) = (body.insts.iter().position(ends), behind) else { return };
        let round = Inst { regions: Vec::new(), ..body.insts[at].clone() };
        let mut again = Again::new(self.kernel, body, branch.round);
        let Some(number) = again.value(round.operands[0]) else { return };
        let mut insts = std::mem::take(&mut again.out);
        let slot = round.operands[1];
        behind.append(&mut insts);
        behind.push(Inst { operands: SmallVec::from_slice(&[number, slot]), ..round.clone() });
        let counter = body.params[0];
        let mut emit = Emit { kernel: self.kernel, insts: &mut insts, span: round.span };
        let last = emit.int(branch.round, 1);
        let is_last = emit.binary(&ops::EQ, counter, last);
        let none = emit.int(-1, 1);
        let number = emit.select(is_last, none, round.operands[0]);
        body.insts[at].operands[0] = number;
        body.insts.splice(at..at, insts);
    }

    /// A value of the same type.
    fn like(&mut self, value: Value) -> Value {
        self.kernel.values.push(self.kernel.ty(value));
        Value(self.kernel.values.len() as u32 - 1)
    }

    /// What a branch does in its round, outside of the loop, and what it yields; `None` if something is not there that it reads.
    fn again(&mut self, inst: &Inst, branch: &Branch, known: HashMap<Value, Value>) -> Option<(Vec<Inst>, Vec<Value>)> {
        let body = &inst.regions[0];
        let region = &body.insts[branch.at].regions[branch.taken];
        let mut again = Again::new(self.kernel, body, branch.round);
        again.renamed.extend(known);
        again.take_in(region)?;
        again.region(region)?;
        let yields = region.yields.iter().map(|&value| again.value(value)).collect::<Option<_>>()?;
        let insts = again.out;
        for inst in &insts {
            if let (Op::Const(_) | Op::Scalar(..), &[result]) = (&inst.op, inst.results.as_slice())
                && self.kernel.ty(result).regs == 1
            {
                self.made.insert(result, inst.clone());
            }
        }
        Some((insts, yields))
    }
}

/// Whether an instruction, or one inside of it, takes a value.
fn uses(inst: &Inst, value: Value) -> bool {
    let inner = |region: &Region| region.yields.contains(&value) || region.insts.iter().any(|inst| uses(inst, value));
    inst.operands.contains(&value) || inst.regions.iter().any(inner)
}

/// Whether instructions may change places with another one.
fn apart(insts: &[Inst], other: &Inst) -> bool {
    let other = Touches::of(std::slice::from_ref(other));
    Touches::of(insts).are_apart(&other)
}
