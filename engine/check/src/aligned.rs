//! Which dimensions of which operands a kernel walks along together: element by element, as the two sides of a product's
//! sum, or from a value to where it is stored. Says nothing of whether the blocks fit; a rule compares how they move.
//!
//! Follows dimensions through ops that keep their elements in place. Slices, gathers and whatever else rearranges a
//! dimension end its trail, so that what is said to be aligned is.

use crate::refs::{Origin, origin};
use crate::walk::{Sources, walk};
use pallas_ir::op::{ControlOp, MemoryOp};
use pallas_ir::{BlockDim, DimIndex, Function, IndexPattern, Launch, OpData, OpKind, Position, RegionId, ValueId, ops};
use pallas_syntax::Span;
use smallvec::{SmallVec, smallvec};
use std::collections::{BTreeMap, HashMap};

/// A dimension of an operand's array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Along {
    /// The operand's number.
    pub(crate) operand: usize,
    /// The dimension of its array.
    pub(crate) axis: usize,
}

/// Two dimensions whose elements a kernel brings together, the lesser first, and where.
pub(crate) type Pairs = BTreeMap<(Along, Along), Span>;

/// What one dimension of a tile runs along. Few suffice: what meets the same dimension meets them all.
type Trail = SmallVec<[Along; 2]>;
type Trails = SmallVec<[Trail; 3]>;

/// The most that is kept of a dimension's trail.
const LONGEST: usize = 4;
/// Times that a kernel is gone through: loops hand on what they found to their next round.
const ROUNDS: usize = 3;

/// All pairs of a launch's kernel.
pub(crate) fn pairs(launch: &Launch) -> Pairs {
    followed(launch).pairs
}

/// The reductions and products of a launch's kernel, with the dimensions of operands that each goes along.
pub(crate) fn reductions(launch: &Launch) -> BTreeMap<ValueId, Vec<Along>> {
    followed(launch).reductions
}

/// What following a kernel shows.
struct Followed {
    pairs: Pairs,
    reductions: BTreeMap<ValueId, Vec<Along>>,
}

fn followed(launch: &Launch) -> Followed {
    let kernel = &launch.kernel;
    let sources = Sources::new(kernel);
    let mut follower = Follower {
        launch,
        kernel,
        sources: &sources,
        tiles: HashMap::new(),
        memory: HashMap::new(),
        pairs: Pairs::new(),
        reductions: BTreeMap::new(),
    };
    let has_state = !launch.scratch.is_empty() || kernel.ops.iter().any(|op| !op.regions.is_empty());
    for _ in 0..if has_state { ROUNDS } else { 1 } {
        walk(kernel, |id, _| follower.op(kernel.op(id), kernel.location(id).span));
    }
    Followed { pairs: follower.pairs, reductions: follower.reductions }
}

struct Follower<'a> {
    launch: &'a Launch,
    kernel: &'a Function,
    sources: &'a Sources,
    tiles: HashMap<ValueId, Trails>,
    /// Scratch and allocations hold what was stored to them.
    memory: HashMap<ValueId, Trails>,
    pairs: Pairs,
    reductions: BTreeMap<ValueId, Vec<Along>>,
}

impl Follower<'_> {
    fn shape(&self, value: ValueId) -> &[usize] {
        self.kernel.ty(value).shape()
    }

    fn trails(&self, value: ValueId) -> Trails {
        self.tiles.get(&value).cloned().unwrap_or_else(|| smallvec![Trail::new(); self.shape(value).len()])
    }

    fn put(&mut self, value: ValueId, trails: Trails) {
        let rank = self.shape(value).len();
        let known = self.tiles.entry(value).or_insert_with(|| smallvec![Trail::new(); rank]);
        for (known, new) in known.iter_mut().zip(trails) {
            join(known, &new);
        }
    }

    /// A value is a sum, or the like, along some dimensions.
    fn reduce(&mut self, value: ValueId, along: Trail) {
        let known = self.reductions.entry(value).or_default();
        let new = along.into_iter().filter(|along| !known.contains(along));
        let new: Trail = new.collect();
        known.extend(new);
    }

    /// Elements of two dimensions come together.
    fn meet(&mut self, left: &Trail, right: &Trail, span: Span) {
        for &a in left {
            for &b in right {
                if a.operand != b.operand {
                    self.pairs.entry((a.min(b), a.max(b))).or_insert(span);
                }
            }
        }
    }

    fn op(&mut self, op: &OpData, span: Span) {
        match &op.op.kind {
            OpKind::Pure { .. } => self.pure(op, span),
            OpKind::Memory(MemoryOp::Load) => {
                if let (Some(&reference), Some(&result)) = (op.operands.first(), op.results.first())
                    && let Some((_, trails)) = self.accessed(op, reference)
                {
                    self.put(result, trails);
                }
            }
            OpKind::Memory(MemoryOp::Store | MemoryOp::Swap | MemoryOp::Atomic) => self.store(op, span),
            OpKind::Control(control) => self.control(*control, op),
            _ => {}
        }
    }

    /// The dimensions of what a subscript selects of a Ref, and what the Ref is a view of.
    fn accessed(&self, op: &OpData, reference: ValueId) -> Option<(Origin, Trails)> {
        let from = origin(self.kernel, self.sources, reference)?;
        // Which part a view is, is not followed.
        if from.is_view {
            return None;
        }
        let shape = self.shape(reference);
        let held = match from.parameter.and_then(|number| Some((number, self.launch.operands.get(number)?))) {
            Some((operand, data)) => data
                .block
                .iter()
                .enumerate()
                .filter(|(_, dim)| !matches!(dim, BlockDim::Squeezed))
                .map(|(axis, _)| smallvec![Along { operand, axis }])
                .collect(),
            None => self.memory.get(&from.value).cloned().unwrap_or_else(|| smallvec![Trail::new(); shape.len()]),
        };
        Some((from, selected(op.attributes.index()?, shape, held)?))
    }

    fn store(&mut self, op: &OpData, span: Span) {
        let [reference, value, ..] = op.operands[..] else { return };
        let Some((from, there)) = self.accessed(op, reference) else { return };
        let stored = self.trails(value);
        if stored.len() != there.len() {
            return;
        }
        for (axis, (stored, there)) in stored.iter().zip(&there).enumerate() {
            if self.shape(value)[axis] > 1 {
                self.meet(stored, there, span);
            }
        }
        let is_operand = from.parameter.is_some_and(|number| number < self.launch.operands.len());
        let is_full = op.attributes.index().is_some_and(|pattern| pattern.is_full(self.shape(reference)));
        if !is_operand && is_full {
            let rank = stored.len();
            let held = self.memory.entry(from.value).or_insert_with(|| smallvec![Trail::new(); rank]);
            for (held, new) in held.iter_mut().zip(&stored) {
                join(held, new);
            }
        }
        // What a swap gives back lay there.
        if let Some(&result) = op.results.first() {
            self.put(result, there);
        }
    }

    fn control(&mut self, control: ControlOp, op: &OpData) {
        let regions: &[RegionId] = &op.regions;
        match control {
            ControlOp::For => {
                if let Some(&body) = regions.first() {
                    self.hand(op.operands.iter().skip(2), self.params(body).iter().skip(1));
                    self.hand(self.yields(body).iter(), self.params(body).iter().skip(1));
                    self.hand(self.yields(body).iter(), op.results.iter());
                }
            }
            ControlOp::While => {
                for &region in regions {
                    self.hand(op.operands.iter(), self.params(region).iter());
                }
                if let Some(&body) = regions.get(1) {
                    self.hand(self.yields(body).iter(), self.params(body).iter());
                    self.hand(self.yields(body).iter(), op.results.iter());
                }
            }
            ControlOp::Cond | ControlOp::Call => {
                let before = usize::from(control == ControlOp::Cond);
                for &region in regions {
                    self.hand(op.operands.iter().skip(before), self.params(region).iter());
                    self.hand(self.yields(region).iter(), op.results.iter());
                }
            }
            ControlOp::Scoped => {
                if let Some(&body) = regions.first() {
                    self.hand(self.yields(body).iter(), op.results.iter());
                }
            }
            ControlOp::Pipeline => {}
        }
    }

    fn params(&self, region: RegionId) -> Vec<ValueId> {
        self.kernel.region(region).params.to_vec()
    }

    fn yields(&self, region: RegionId) -> Vec<ValueId> {
        self.kernel.region(region).yields.to_vec()
    }

    fn hand<'v>(&mut self, from: impl Iterator<Item = &'v ValueId>, to: impl Iterator<Item = &'v ValueId>) {
        for (&from, &to) in from.zip(to) {
            if self.kernel.ty(from).as_ref_type().is_none() && self.shape(from) == self.shape(to) {
                let trails = self.trails(from);
                self.put(to, trails);
            }
        }
    }

    fn pure(&mut self, op: &OpData, span: Span) {
        let Some(&result) = op.results.first() else { return };
        let ints = |name: &str| -> Vec<usize> {
            let values = op.attributes.ints(name).unwrap_or_default();
            values.iter().filter_map(|&value| usize::try_from(value).ok()).collect()
        };
        let first = op.operands.first().copied();
        let rank = self.shape(result).len();
        let trails: Trails = match op.op.name {
            "dot_general" => self.dot(op, span),
            "broadcast_in_dim" => {
                let Some(first) = first else { return };
                let (from, sizes) = (self.trails(first), self.shape(first));
                let mut trails: Trails = smallvec![Trail::new(); rank];
                for (operand_axis, &axis) in ints("dims").iter().enumerate() {
                    if sizes.get(operand_axis).is_some_and(|&size| Some(&size) == self.shape(result).get(axis))
                        && let Some(trail) = from.get(operand_axis)
                    {
                        trails[axis].clone_from(trail);
                    }
                }
                trails
            }
            "reshape" => {
                let Some(first) = first else { return };
                reshaped(self.shape(first), &self.trails(first), self.shape(result))
            }
            "transpose" => {
                let Some(first) = first else { return };
                let from = self.trails(first);
                ints("permutation").iter().map(|&axis| from.get(axis).cloned().unwrap_or_default()).collect()
            }
            "squeeze" | "reduce_sum" | "reduce_max" | "reduce_min" | "reduce_prod" | "reduce_and" | "reduce_or" => {
                let Some(first) = first else { return };
                let axes = ints("axes");
                if op.op.name != "squeeze" {
                    let gone = axes.iter().filter_map(|&axis| self.trails(first).get(axis).cloned());
                    self.reduce(result, gone.flatten().collect());
                }
                let kept = self.trails(first).into_iter().enumerate();
                kept.filter(|(axis, _)| !axes.contains(axis)).map(|(_, trail)| trail).collect()
            }
            "argmax" | "argmin" => {
                let Some((first, axis)) = first.zip(op.attributes.int("axis")) else { return };
                let kept = self.trails(first).into_iter().enumerate();
                kept.filter(|&(number, _)| number as i64 != axis).map(|(_, trail)| trail).collect()
            }
            "cumsum" | "cumprod" | "cummax" | "cummin" | "cumlogsumexp" => {
                let Some(first) = first else { return };
                self.trails(first)
            }
            name if ops::is_elementwise_unary(op.op)
                || ops::is_elementwise_binary(op.op)
                || ELEMENTWISE.contains(&name) =>
            {
                self.elementwise(op, result, span)
            }
            _ => return,
        };
        if trails.len() == rank {
            self.put(result, trails);
        }
    }

    fn elementwise(&mut self, op: &OpData, result: ValueId, span: Span) -> Trails {
        let shape: SmallVec<[usize; 4]> = self.shape(result).into();
        let mut trails: Trails = smallvec![Trail::new(); shape.len()];
        for &operand in &op.operands {
            if self.shape(operand) != &shape[..] {
                continue;
            }
            let other = self.trails(operand);
            for (axis, other) in other.iter().enumerate() {
                if shape[axis] > 1 {
                    let before = trails[axis].clone();
                    self.meet(&before, other, span);
                    join(&mut trails[axis], other);
                }
            }
        }
        trails
    }

    fn dot(&mut self, op: &OpData, span: Span) -> Trails {
        let [left, right] = op.operands[..] else { return Trails::new() };
        let lists = |name: &str| -> [Vec<usize>; 2] {
            let lists = op.attributes.int_lists(name).unwrap_or_default();
            let list = |number: usize| -> Vec<usize> {
                lists.get(number).into_iter().flatten().filter_map(|&axis| usize::try_from(axis).ok()).collect()
            };
            [list(0), list(1)]
        };
        let (summed, batch) = (lists("contracting"), lists("batch"));
        let (left_trails, right_trails) = (self.trails(left), self.trails(right));
        let at = |trails: &Trails, axis: usize| trails.get(axis).cloned().unwrap_or_default();
        let gone =
            summed[0].iter().map(|&a| at(&left_trails, a)).chain(summed[1].iter().map(|&b| at(&right_trails, b)));
        if let Some(&result) = op.results.first() {
            self.reduce(result, gone.flatten().collect());
        }
        for (pairs, sizes) in [(&summed, self.shape(left).to_vec()), (&batch, self.shape(left).to_vec())] {
            for (&a, &b) in pairs[0].iter().zip(&pairs[1]) {
                if sizes.get(a).is_some_and(|&size| size > 1) {
                    self.meet(&at(&left_trails, a), &at(&right_trails, b), span);
                }
            }
        }
        let mut trails = Trails::new();
        for (&a, &b) in batch[0].iter().zip(&batch[1]) {
            let mut trail = at(&left_trails, a);
            join(&mut trail, &at(&right_trails, b));
            trails.push(trail);
        }
        for (side, all) in [(0, &left_trails), (1, &right_trails)] {
            let free =
                all.iter().enumerate().filter(|(axis, _)| !summed[side].contains(axis) && !batch[side].contains(axis));
            trails.extend(free.map(|(_, trail)| trail.clone()));
        }
        trails
    }
}

/// Elementwise ops beside those of the tables of unary and binary ops.
const ELEMENTWISE: [&str; 8] =
    ["convert_element_type", "round", "is_finite", "integer_pow", "pow", "clamp", "reduce_precision", "select_n"];

fn join(known: &mut Trail, new: &Trail) {
    for &along in new {
        if known.len() < LONGEST && !known.contains(&along) {
            known.push(along);
        }
    }
}

/// What is left of a Ref's dimensions by a subscript: those that are taken whole keep their trail.
fn selected(pattern: &IndexPattern, shape: &[usize], held: Trails) -> Option<Trails> {
    let mut trails = Trails::new();
    for ((dim, &extent), trail) in pattern.0.iter().zip(shape).zip(held) {
        match dim {
            DimIndex::At(_) => {}
            DimIndex::Slice { start: Position::Static(0), size, stride: 1 } if *size == extent => trails.push(trail),
            DimIndex::Slice { .. } => trails.push(Trail::new()),
            DimIndex::Part { .. } | DimIndex::Array => return None,
        }
    }
    Some(trails)
}

/// Dimensions that a reshape neither splits nor merges keep their trail.
fn reshaped(from: &[usize], trails: &Trails, to: &[usize]) -> Trails {
    let mut result: Trails = smallvec![Trail::new(); to.len()];
    let (mut before, mut after) = (1usize, 1usize);
    let (mut i, mut j) = (0, 0);
    while i < from.len() && j < to.len() {
        // Dimensions of one element may stand anywhere.
        if from[i] == 1 && to[j] != 1 {
            i += 1;
        } else if to[j] == 1 && from[i] != 1 {
            j += 1;
        } else if before == after && from[i] == to[j] {
            if let Some(trail) = trails.get(i) {
                result[j].clone_from(trail);
            }
            before = before.saturating_mul(from[i]);
            after = after.saturating_mul(to[j]);
            (i, j) = (i + 1, j + 1);
        } else if before.saturating_mul(from[i]) <= after.saturating_mul(to[j]) {
            before = before.saturating_mul(from[i]);
            i += 1;
            // A merged dimension is complete when both products are the same again.
            if before == after.saturating_mul(to[j]) {
                after = before;
                j += 1;
            }
        } else {
            after = after.saturating_mul(to[j]);
            j += 1;
            if after == before.saturating_mul(from[i]) {
                before = after;
                i += 1;
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trails(count: usize) -> Trails {
        (0..count).map(|axis| smallvec![Along { operand: 0, axis }]).collect()
    }

    fn axes(trails: &Trails) -> Vec<Option<usize>> {
        trails.iter().map(|trail| trail.first().map(|along| along.axis)).collect()
    }

    #[test]
    fn reshapes_keep_what_they_do_not_touch() {
        assert_eq!(axes(&reshaped(&[4, 8], &trails(2), &[4, 1, 8])), [Some(0), None, Some(1)]);
        assert_eq!(axes(&reshaped(&[1, 4, 8], &trails(3), &[4, 8])), [Some(1), Some(2)]);
        assert_eq!(axes(&reshaped(&[4, 8, 3], &trails(3), &[32, 3])), [None, Some(2)]);
        assert_eq!(axes(&reshaped(&[32, 3], &trails(2), &[4, 8, 3])), [None, None, Some(1)]);
        assert_eq!(axes(&reshaped(&[6, 4], &trails(2), &[4, 6])), [None, None]);
    }
}
