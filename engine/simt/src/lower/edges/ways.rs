//! Which way the branches and selections of a loop go: in its first round, and in the others, where they all go the same one.

use super::super::rewrite::defined;
use super::Edges;
use crate::ir::{Inst, Op, Region, Value};
use pallas_tensor::{Array, DType, Scalar};
use std::collections::{HashMap, HashSet};

/// The first round, or any other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Round {
    First = 0,
    Later = 1,
}

/// What a loop's body does in its first round, and what in others.
pub(super) struct Ways<'a> {
    pub(super) body: &'a Region,
    /// Who makes what, in the body and in its branches.
    pub(super) makers: HashMap<Value, &'a Inst>,
    /// Which way a branch or a selection goes, by its first result.
    ways: HashMap<Value, [usize; 2]>,
    /// What is defined in the loop, and what of that in the body itself.
    pub(super) inner: HashSet<Value>,
    pub(super) own: HashSet<Value>,
}

impl<'a> Ways<'a> {
    /// `None` if no way depends on the round.
    pub(super) fn of(edges: &Edges<'_>, body: &'a Region, (lower, upper): (i64, i64)) -> Option<Ways<'a>> {
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
    pub(super) fn way(&self, inst: &Inst, round: Round) -> Option<usize> {
        Some(self.ways.get(inst.results.first()?)?[round as usize])
    }

    /// The value that a branch passes on whichever way it goes.
    pub(super) fn passed(&self, mut value: Value) -> Value {
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
    pub(super) fn in_round(&self, value: Value, round: Round) -> Value {
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
}
