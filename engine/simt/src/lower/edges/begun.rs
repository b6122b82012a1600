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
use super::super::rewrite::{Emit, defined, is_pure, substitute};
use super::Edges;
use crate::ir::{Inst, Op, Region, Value};
use pallas_tensor::{Array, DType, Scalar};
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};

/// The first round, or any other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Round {
    First = 0,
    Later = 1,
}

/// What a loop's body does in its first round, and what in others.
struct Ways<'a> {
    body: &'a Region,
    /// Who makes what, in the body and in its branches.
    makers: HashMap<Value, &'a Inst>,
    /// Which way a branch or a selection goes, by its first result.
    ways: HashMap<Value, [usize; 2]>,
    /// What is defined in the loop, and what of that in the body itself.
    inner: HashSet<Value>,
    own: HashSet<Value>,
}

impl<'a> Ways<'a> {
    /// `None` if no way depends on the round.
    fn of(edges: &Edges<'_>, body: &'a Region, (lower, upper): (i64, i64)) -> Option<Ways<'a>> {
        let rounds: Vec<Scalar> = (lower..upper).map(|round| Scalar::Int(round.into())).collect();
        let rounds = Array::from_scalars(DType::I32, [rounds.len()].as_slice(), &rounds).ok()?;
        let (counter, mut known) = (Some((body.params[0], rounds)), HashMap::new());
        let mut own: HashSet<Value> = body.params.iter().copied().collect();
        own.extend(body.insts.iter().flat_map(|inst| &inst.results));
        let mut inner = HashSet::new();
        defined(body, &mut inner);
        let mut ways = Ways { body, makers: HashMap::new(), ways: HashMap::new(), inner, own };
        ways.note(body);
        for (&result, maker) in &ways.makers {
            let which = match (&maker.op, maker.operands.first()) {
                (Op::Switch, Some(&which)) => which,
                (Op::Scalar(op, _), Some(&which)) if op.name == "select_n" => ways.one(which),
                _ => continue,
            };
            if maker.results.first() != Some(&result) {
                continue;
            }
            let Some(which) = edges.rounds_of(which, counter.as_ref(), &mut known) else { continue };
            let number = |which: Scalar| match which {
                Scalar::Bool(yes) => Some(usize::from(yes)),
                other => other.as_int()?.try_into().ok(),
            };
            let Some(which) = which.iter_scalars().map(number).collect::<Option<Vec<usize>>>() else { continue };
            let &[first, later, ref rest @ ..] = which.as_slice() else { continue };
            let several = if maker.op == Op::Switch { maker.regions.len() } else { maker.operands.len() - 1 };
            if first.max(later) < several && rest.iter().all(|&other| other == later) {
                ways.ways.insert(result, [first, later]);
            }
        }
        ways.ways.values().any(|[first, later]| first != later).then_some(ways)
    }

    fn note(&mut self, region: &'a Region) {
        for inst in &region.insts {
            self.makers.extend(inst.results.iter().map(|&result| (result, inst)));
            if inst.op == Op::Switch {
                inst.regions.iter().for_each(|inner| self.note(inner));
            }
        }
    }

    /// The number that is in all registers of a value.
    fn one(&self, value: Value) -> Value {
        match self.makers.get(&value).map(|maker| (&maker.op, maker.operands.as_slice())) {
            Some((Op::Pick(table), &[number])) if table.iter().all(|&register| register == table[0]) => number,
            _ => value,
        }
    }

    /// Which way an instruction goes in a round, if that is known.
    fn way(&self, inst: &Inst, round: Round) -> Option<usize> {
        Some(self.ways.get(inst.results.first()?)?[round as usize])
    }

    /// The value that a branch passes on whichever way it goes.
    fn passed(&self, mut value: Value) -> Value {
        while let Some(maker) = self.makers.get(&value).filter(|maker| maker.op == Op::Switch)
            && let Some(result) = maker.results.iter().position(|&result| result == value)
            && let Some(same) = maker.regions.first().map(|region| region.yields[result])
            && maker.regions.iter().all(|region| region.yields[result] == same)
        {
            value = same;
        }
        value
    }

    /// What a value is in a round.
    fn in_round(&self, value: Value, round: Round) -> Value {
        let mut value = self.passed(value);
        while let Some(maker) = self.makers.get(&value)
            && let Some(way) = self.way(maker, round)
        {
            value = match maker.op {
                Op::Switch => {
                    let Some(result) = maker.results.iter().position(|&result| result == value) else { return value };
                    maker.regions[way].yields[result]
                }
                _ => maker.operands[1 + way],
            };
            value = self.passed(value);
        }
        value
    }

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
