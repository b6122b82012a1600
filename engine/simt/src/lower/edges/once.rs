//! Products that each round computes in a branch of its own: `@pl.when(k == 0)` stores a product, `@pl.when(k > 0)` adds the same one
//! to what is there. It is computed once, in front of both branches, and its factors are copied ahead then like those of any loop.
//!
//! Of two branches, one that only the first round takes and one that all others take, every round computes what both have, and no round
//! both. Both have what they do in the same order, of the same values, through memory that nobody else touches; arithmetic that only
//! one of them has may lie between. Nothing that the later branch's part passes on its way to the front may touch the same memory.

use super::super::rewrite::{is_pure, substitute};
use super::super::touches::Touches;
use super::Edges;
use super::ways::{Round, Ways};
use crate::ir::{Inst, MemoryId, Op, Region, Value};
use smallvec::{SmallVec, smallvec};
use std::collections::HashMap;

/// What two branches have in common.
#[derive(Default)]
struct Common {
    /// Instructions of one and of the other, in pairs.
    pairs: Vec<[usize; 2]>,
    /// What values and memory of the other one are in the first one.
    values: HashMap<Value, Value>,
    memories: HashMap<MemoryId, MemoryId>,
}

/// A region of a branch in a loop's body: where the branch stands, and which way it is.
type Way = (usize, usize);

impl Edges<'_> {
    /// Takes a product out of two branches, if there is one in both.
    pub(super) fn once(&mut self, inst: &mut Inst) -> bool {
        let Some((ways, common)) = self.bounds(inst).and_then(|bounds| self.in_both(inst, bounds)) else {
            return false;
        };
        let body = &mut inst.regions[0];
        let [one, other] = ways;
        // From the end, so that places stay what they are.
        let region = &mut body.insts[other.0].regions[other.1];
        for &[_, at] in common.pairs.iter().rev() {
            region.insts.remove(at);
        }
        substitute(region, &common.values);
        let region = &mut body.insts[one.0].regions[one.1];
        let mut taken: Vec<Inst> = common.pairs.iter().rev().map(|&[at, _]| region.insts.remove(at)).collect();
        taken.reverse();
        body.insts.splice(one.0..one.0, taken);
        true
    }

    /// The branches, and what they have in common.
    fn in_both(&self, inst: &Inst, bounds: (i64, i64)) -> Option<([Way; 2], Common)> {
        let body = &inst.regions[0];
        let known = Ways::of(self, body, bounds)?;
        let mut branches = Vec::new();
        for (at, branch) in body.insts.iter().enumerate().filter(|(_, inst)| inst.op == Op::Switch) {
            if let (Some(first), Some(later)) = (known.way(branch, Round::First), known.way(branch, Round::Later))
                && first != later
            {
                branches.push((at, [first, later]));
            }
        }
        let region = |(at, way): Way| &body.insts[at].regions[way];
        let multiplying = |way: &Way| region(*way).insts.iter().any(multiplies);
        for (position, &(at, one)) in branches.iter().enumerate() {
            for &(behind, other) in &branches[position..] {
                for round in [0, 1] {
                    let ways = [(at, one[round]), (behind, other[1 - round])];
                    if !ways.iter().all(multiplying) {
                        continue;
                    }
                    let common = self.common(region(ways[0]), region(ways[1]));
                    // What the other round does between.
                    let moved: Vec<Inst> =
                        common.pairs.iter().map(|pair| region(ways[1]).insts[pair[1]].clone()).collect();
                    let passed = if at == behind { &[] } else { &body.insts[at + 1..behind] };
                    let passes = |insts: &[Inst]| Touches::of(&moved).are_apart(&Touches::of(insts));
                    let own = at == behind || passes(&region((at, one[1 - round])).insts);
                    let product = common.pairs.iter().any(|pair| multiplies(&region(ways[0]).insts[pair[0]]));
                    let alone = [0, 1].iter().all(|&side| self.alone(region(ways[side]), side, &common));
                    if product && own && passes(passed) && alone {
                        return Some((ways, common));
                    }
                }
            }
        }
        None
    }

    /// What two regions do alike, from their beginnings on.
    fn common(&self, one: &Region, other: &Region) -> Common {
        let mut common = Common::default();
        let mut next = 0;
        for (at, inst) in one.insts.iter().enumerate() {
            let between = other.insts[next..].iter().position(|inst| !is_pure(&inst.op));
            let last = between.map_or(other.insts.len(), |between| next + between + 1);
            match (next..last).find(|&there| self.alike(inst, &other.insts[there], &mut common)) {
                Some(there) => {
                    common.pairs.push([at, there]);
                    next = there + 1;
                }
                None if is_pure(&inst.op) => {}
                None => break,
            }
        }
        common
    }

    /// Whether an instruction does what another one does. What it makes and touches is noted.
    fn alike(&self, one: &Inst, other: &Inst, common: &mut Common) -> bool {
        let types = |inst: &Inst| inst.results.iter().map(|&value| self.kernel.ty(value)).collect::<Vec<_>>();
        let is = |common: &Common, one: &Value, other: &Value| common.values.get(other).unwrap_or(other) == one;
        let all = |common: &Common, one: &[Value], other: &[Value]| {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is(common, one, other))
        };
        let (mine, theirs) = (touched(&one.op), touched(&other.op));
        if !all(common, &one.operands, &other.operands)
            || types(one) != types(other)
            || one.regions.len() != other.regions.len()
            || mine.len() != theirs.len()
        {
            return false;
        }
        let mut memories = common.memories.clone();
        for (&mine, &theirs) in mine.iter().zip(&theirs) {
            let (a, b) = (self.kernel.memory(mine), self.kernel.memory(theirs));
            let same = mine == theirs || (a.dtype, a.len, &a.space, a.align) == (b.dtype, b.len, &b.space, b.align);
            if !same || *memories.entry(theirs).or_insert(mine) != mine {
                return false;
            }
        }
        if in_place_of(&other.op, &memories) != one.op {
            return false;
        }
        let mut inner = Common { pairs: Vec::new(), values: common.values.clone(), memories };
        for (one, other) in one.regions.iter().zip(&other.regions) {
            if one.params.len() != other.params.len() || one.insts.len() != other.insts.len() {
                return false;
            }
            inner.values.extend(other.params.iter().copied().zip(one.params.iter().copied()));
            let insts = one.insts.iter().zip(&other.insts).all(|(one, other)| self.alike(one, other, &mut inner));
            if !insts || !all(&inner, &one.yields, &other.yields) {
                return false;
            }
        }
        common.values.extend(other.results.iter().copied().zip(one.results.iter().copied()));
        common.memories = inner.memories;
        true
    }

    /// Whether nobody else touches memory in the place of which another one is used, or that is.
    fn alone(&self, region: &Region, side: usize, common: &Common) -> bool {
        let renamed = common.memories.iter().filter(|(theirs, mine)| theirs != mine);
        let mut own: HashMap<MemoryId, usize> = HashMap::new();
        let insts = common.pairs.iter().map(|pair| region.insts[pair[side]].clone()).collect();
        count(&Region { insts, ..Region::default() }, &mut own);
        renamed
            .map(|(theirs, mine)| if side == 0 { mine } else { theirs })
            .all(|id| own.get(id) == self.touched.get(id))
    }
}

/// How often arrays are touched.
pub(super) fn count(region: &Region, counts: &mut HashMap<MemoryId, usize>) {
    region.walk(&mut |inst| {
        for memory in touched(&inst.op) {
            *counts.entry(memory).or_default() += 1;
        }
    });
}

/// Whether an instruction multiplies on tensor cores, or one inside of it.
fn multiplies(inst: &Inst) -> bool {
    matches!(inst.op, Op::Mma(_) | Op::Multiply(_))
        || inst.regions.iter().flat_map(|region| &region.insts).any(multiplies)
}

/// Arrays that an instruction touches, registers of products among them.
fn touched(op: &Op) -> SmallVec<[MemoryId; 3]> {
    match op {
        Op::Keep(memory) | Op::Take(memory) => smallvec![*memory],
        Op::Multiply(product) => std::iter::once(product.acc).chain(product.factors()).collect(),
        Op::Owned { memory, .. } | Op::Witness { memory, .. } => smallvec![*memory],
        op => super::super::lives::touched(op).into_iter().collect(),
    }
}

/// An instruction with other memory. What is not here touches none, or none that is another one.
fn in_place_of(op: &Op, memories: &HashMap<MemoryId, MemoryId>) -> Op {
    let mut op = op.clone();
    let change = |memory: &mut MemoryId| *memory = memories.get(memory).copied().unwrap_or(*memory);
    match &mut op {
        Op::Load { memory, .. } | Op::Store { memory, .. } | Op::LoadMatrix { memory, .. } => change(memory),
        Op::Keep(memory) | Op::Take(memory) => change(memory),
        Op::Multiply(product) => {
            change(&mut product.acc);
            product.left.iter_mut().for_each(|left| change(&mut left.memory));
            change(&mut product.right.memory);
        }
        _ => {}
    }
    op
}
