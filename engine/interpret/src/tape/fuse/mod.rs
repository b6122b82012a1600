//! Elementwise operations that are computed together, chunk by chunk: a chain ends where a tile is wanted by something else,
//! in a store, or in a reduction of its rows. Moves that only say which elements are meant (broadcasts, slices, dimensions of
//! size 1) are part of where a chain reads. What a chain computes is what its operations compute one by one, to the bit.
//!
//! Tiles are values, so a chain may be computed later than its operations stand; it is computed where its last one stands, or
//! in the store or the reduction that reads it.

mod code;
mod ends;
mod numbers;
mod place;
mod product;
#[cfg(test)]
mod tests;

use super::NumberOp;
use super::contract::Contraction;
use super::simplify::Simplified;
use code::Lowered;
use pallas_ir::function::OpData;
use pallas_ir::op::MemoryOp;
use pallas_ir::{DimIndex, Function, OpId, OpKind, TensorType, Type, ValueId};
use pallas_tensor::ops::BinaryOp;
use pallas_tensor::ops::ReduceOp;
use pallas_tensor::ops::fused::{Arg, Chain, ChainBuilder, Code};
pub(super) use product::Product;
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Operands of an op, those that stand for others in their place.
pub(super) type Reads = SmallVec<[ValueId; 4]>;

/// What is known of a function before its ops become steps.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) function: &'a Function,
    pub(super) simplified: &'a Simplified,
    pub(super) contractions: &'a HashMap<OpId, Contraction>,
    pub(super) reciprocals: &'a HashSet<OpId>,
}

impl Known<'_> {
    /// The values that an op's step reads: scalars where they stand for tiles, and the factors of a product that it takes in.
    pub(super) fn reads(&self, id: OpId) -> Reads {
        let own = |id: OpId| -> Reads {
            let operands = self.function.op(id).operands.iter().enumerate();
            operands
                .map(|(position, &operand)| *self.simplified.scalars.get(&(id, position)).unwrap_or(&operand))
                .collect()
        };
        match self.contractions.get(&id) {
            Some(contraction) => {
                let addend = own(id).get(contraction.addend).copied();
                own(contraction.product).into_iter().chain(addend).collect()
            }
            None => own(id),
        }
    }

    fn tensor(&self, value: ValueId) -> Option<&TensorType> {
        match self.function.ty(value) {
            Type::Tensor(ty) => Some(ty),
            Type::Ref(_) => None,
        }
    }

    fn is_skipped(&self, id: OpId) -> bool {
        self.simplified.skipped[id.0 as usize]
    }
}

/// A chain in the place of ops.
#[derive(Debug)]
pub(super) struct Group {
    /// The chain's number.
    pub(super) chain: usize,
    /// What it reads.
    pub(super) reads: Reads,
    pub(super) end: End,
}

/// What becomes of a chain's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It is the op's.
    Tile,
    /// The op stores it.
    Store,
    /// The op reduces so many of its elements, so far apart; what it is computed from may be kept as well.
    Reduce { op: ReduceOp, sizes: [usize; 2], kept: Option<ValueId> },
}

/// Chains by the op where they are computed.
#[derive(Default)]
pub(super) struct Fusion {
    pub(super) groups: HashMap<OpId, Group>,
    /// Ops that need no step of their own.
    pub(super) absorbed: HashSet<OpId>,
    /// Products that take their factors where they lie.
    pub(super) products: HashMap<OpId, Product>,
    /// Loads that only chains and such products read.
    pub(super) windows: HashSet<OpId>,
    pub(super) chains: Vec<Arc<Chain>>,
    /// Ops on numbers that stand in registers by value.
    pub(super) numbers: HashMap<OpId, NumberOp>,
    /// Loads of such numbers.
    pub(super) elements: HashSet<OpId>,
    /// Whether the tape runs for one program after the other, with the same Refs.
    pub(super) runs_alone: bool,
}

impl Fusion {
    /// What the step of a product reads.
    pub(super) fn reads(&self, product: &Product, op: &OpData) -> Reads {
        let reference = op.operands.iter().take(usize::from(product.adds));
        reference.chain(&product.factors).copied().collect()
    }
}

/// What takes what a function yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Yields {
    Tiles,
    /// Numbers, in either form.
    Numbers,
}

/// Finds the chains and products of a function.
pub(super) fn fuse(known: Known<'_>, yields: Yields) -> Fusion {
    let mut finder = Finder::new(known);
    finder.roots();
    finder.groups();
    finder.ends();
    finder.products();
    finder.unread();
    finder.windows();
    finder.numbers(yields);
    finder.fusion.runs_alone = true;
    finder.fusion
}

/// Ops in whose chains another one is computed: one, but for what costs less than to be written down and read again.
type Roots = SmallVec<[OpId; 2]>;

/// Chains that compute one op, each for itself, at most.
const MOST_ROOTS: usize = 3;

struct Finder<'a> {
    known: Known<'a>,
    definitions: Vec<Option<OpId>>,
    /// The region of each op, and its place there.
    places: Vec<(u32, usize)>,
    /// Ops that read a value; `None` for what a region yields.
    readers: Vec<SmallVec<[Option<OpId>; 2]>>,
    /// Elementwise ops, and the ops in whose chains they are computed.
    members: HashMap<OpId, (Lowered, Roots)>,
    fusion: Fusion,
}

impl<'a> Finder<'a> {
    fn new(known: Known<'a>) -> Finder<'a> {
        let function = known.function;
        let mut finder = Finder {
            known,
            definitions: vec![None; function.values.len()],
            places: vec![(u32::MAX, 0); function.ops.len()],
            readers: vec![SmallVec::new(); function.values.len()],
            members: HashMap::new(),
            fusion: Fusion::default(),
        };
        for (number, region) in function.regions.iter().enumerate() {
            for &value in &region.yields {
                finder.readers[value.0 as usize].push(None);
            }
            for (place, &id) in region.ops.iter().enumerate() {
                if known.is_skipped(id) {
                    continue;
                }
                finder.places[id.0 as usize] = (number as u32, place);
                for &result in &function.op(id).results {
                    finder.definitions[result.0 as usize] = Some(id);
                }
                for value in known.reads(id) {
                    let readers = &mut finder.readers[value.0 as usize];
                    if readers.last() != Some(&Some(id)) {
                        readers.push(Some(id));
                    }
                }
            }
        }
        finder
    }

    /// The one result of an op with its type.
    fn result(&self, id: OpId) -> Option<(ValueId, &'a TensorType)> {
        let [result] = self.known.function.op(id).results.as_slice() else { return None };
        let Type::Tensor(ty) = self.known.function.ty(*result) else { return None };
        Some((*result, ty))
    }

    /// Finds elementwise ops, and in whose chain each is computed: in that of its readers, if they all are in one chain and
    /// stand in the same region with the same shape, else in its own. What is cheap is computed in the chains of all readers.
    fn roots(&mut self) {
        for region in &self.known.function.regions {
            for &id in region.ops.iter().rev() {
                if self.known.is_skipped(id) {
                    continue;
                }
                let Some(lowered) = code::lowered(&self.known, id) else { continue };
                let Some((result, ty)) = self.result(id) else { continue };
                let mut roots = Roots::new();
                let mut all = true;
                for reader in &self.readers[result.0 as usize] {
                    let of = reader.and_then(|reader| {
                        let (_, roots) = self.members.get(&reader)?;
                        let same = self.places[reader.0 as usize].0 == self.places[id.0 as usize].0
                            && self.result(reader).is_some_and(|(_, other)| other.shape == ty.shape);
                        same.then_some(roots)
                    });
                    all &= of.is_some();
                    for &root in of.into_iter().flatten() {
                        if !roots.contains(&root) {
                            roots.push(root);
                        }
                    }
                }
                let fits = match roots.len() {
                    0 => false,
                    1 => all,
                    count => all && count <= MOST_ROOTS && self.is_cheap(id, lowered),
                };
                let roots = if fits { roots } else { Roots::from_slice(&[id]) };
                self.members.insert(id, (lowered, roots));
            }
        }
    }

    /// Whether an op takes less to be computed in several chains than to be written down for them, and nothing before it has to
    /// be written down in its place.
    fn is_cheap(&self, id: OpId, lowered: Lowered) -> bool {
        use BinaryOp::{Add, Mul, Sub};
        matches!(lowered, Lowered::One(Code::Binary(Add | Sub | Mul)))
            && self.known.reads(id).iter().all(|&value| match self.definitions[value.0 as usize] {
                Some(before) => code::lowered(&self.known, before).is_none(),
                None => true,
            })
    }

    /// Makes the chains.
    fn groups(&mut self) {
        for region in &self.known.function.regions {
            let mut members: HashMap<OpId, Vec<OpId>> = HashMap::new();
            let mut own = Vec::new();
            for &id in &region.ops {
                if let Some((_, roots)) = self.members.get(&id) {
                    roots.iter().for_each(|&root| members.entry(root).or_default().push(id));
                    if roots.contains(&id) {
                        own.push(id);
                    }
                }
            }
            let mut absorbed = Vec::new();
            let mut alone = HashSet::new();
            for root in own {
                let members = members.remove(&root).unwrap_or_default();
                let others = members.iter().copied().filter(|&id| id != root);
                match self.chain(&members) {
                    Some((chain, reads)) => {
                        absorbed.extend(others);
                        let number = self.add(chain);
                        self.fusion.groups.insert(root, Group { chain: number, reads, end: End::Tile });
                    }
                    // They stay what they are, also for chains that would have computed them.
                    None => alone.extend(others),
                }
            }
            self.fusion.absorbed.extend(absorbed.into_iter().filter(|id| !alone.contains(id)));
        }
    }

    fn add(&mut self, chain: Chain) -> usize {
        self.fusion.chains.push(Arc::new(chain));
        self.fusion.chains.len() - 1
    }

    /// The chain of ops in their order; the last one's result is its own.
    fn chain(&self, members: &[OpId]) -> Option<(Chain, Reads)> {
        let (_, ty) = self.result(*members.last()?)?;
        let mut builder = ChainBuilder::new(ty.shape.clone());
        let mut results: HashMap<ValueId, Arg> = HashMap::new();
        let mut reads = place::Sources::default();
        for id in members {
            let (lowered, _) = self.members.get(id)?;
            let (result, ty) = self.result(*id)?;
            let mut args: SmallVec<[Arg; 4]> = SmallVec::new();
            for value in self.known.reads(*id) {
                args.push(match results.get(&value) {
                    Some(&arg) => arg,
                    None => reads.arg(self, &mut builder, value)?,
                });
            }
            let arg = match lowered {
                Lowered::One(code) => builder.step(*code, &args, ty.dtype).ok()?,
                Lowered::Clamp => {
                    let &[low, x, high] = args.as_slice() else { return None };
                    let raised = builder.step(Code::Binary(BinaryOp::Max), &[x, low], ty.dtype).ok()?;
                    builder.step(Code::Binary(BinaryOp::Min), &[raised, high], ty.dtype).ok()?
                }
            };
            results.insert(result, arg);
        }
        Some((builder.finish().ok()?, reads.values))
    }

    /// What a step reads in the end.
    fn step_reads(&self, id: OpId) -> Reads {
        if let Some(product) = self.fusion.products.get(&id) {
            return self.fusion.reads(product, self.known.function.op(id));
        }
        let Some(group) = self.fusion.groups.get(&id) else { return self.known.reads(id) };
        match group.end {
            End::Store => {
                let operands = &self.known.function.op(id).operands;
                operands.iter().take(1).chain(operands.iter().skip(2)).chain(&group.reads).copied().collect()
            }
            End::Tile | End::Reduce { .. } => group.reads.clone(),
        }
    }

    /// Leaves out what nobody reads any more: moves that chains have taken in. Also finds who reads what now.
    fn unread(&mut self) {
        let function = self.known.function;
        let mut readers: Vec<SmallVec<[Option<OpId>; 2]>> = vec![SmallVec::new(); function.values.len()];
        let mut pending: Vec<OpId> = Vec::new();
        let mut wanted = vec![false; function.ops.len()];
        for (number, op) in function.ops.iter().enumerate() {
            let id = OpId(number as u32);
            let placed = self.places[number].0 != u32::MAX;
            let pure = matches!(op.op.kind, OpKind::Pure { .. });
            if placed && !pure && !self.fusion.absorbed.contains(&id) {
                wanted[number] = true;
                pending.push(id);
            }
        }
        let want = |value: ValueId, wanted: &mut Vec<bool>, pending: &mut Vec<OpId>| {
            if let Some(id) = self.definition(value)
                && !std::mem::replace(&mut wanted[id.0 as usize], true)
            {
                pending.push(id);
            }
        };
        for value in function.regions.iter().flat_map(|region| &region.yields) {
            want(*value, &mut wanted, &mut pending);
            readers[value.0 as usize].push(None);
        }
        while let Some(id) = pending.pop() {
            for value in self.step_reads(id) {
                readers[value.0 as usize].push(Some(id));
                want(value, &mut wanted, &mut pending);
            }
        }
        for (number, op) in function.ops.iter().enumerate() {
            let placed = self.places[number].0 != u32::MAX;
            if placed && !wanted[number] && matches!(op.op.kind, OpKind::Pure { .. }) {
                self.fusion.absorbed.insert(OpId(number as u32));
            }
        }
        self.readers = readers;
    }

    /// The op whose step defines a value.
    fn definition(&self, value: ValueId) -> Option<OpId> {
        let id = self.definitions[value.0 as usize]?;
        if !self.fusion.absorbed.contains(&id) {
            return Some(id);
        }
        // Rows that a reduction keeps.
        let kept = |group: &Group| matches!(group.end, End::Reduce { kept: Some(kept), .. } if kept == value);
        self.fusion.groups.iter().find(|(_, group)| kept(group)).map(|(&id, _)| id)
    }

    /// Finds loads that only chains and products read, of Refs that are never written in part: what they show may be read where it is.
    fn windows(&mut self) {
        let function = self.known.function;
        let mut whole: HashSet<ValueId> = function.params().iter().copied().collect();
        for op in &function.ops {
            for (position, operand) in op.operands.iter().enumerate() {
                let keeps = match op.op.kind {
                    OpKind::Memory(MemoryOp::Load) => position == 0,
                    OpKind::Memory(MemoryOp::Store) => {
                        let shape = function.ty(*operand).as_ref_type().map(|ty| &ty.shape);
                        let full = op.attributes.index().zip(shape).is_some_and(|(index, shape)| index.is_full(shape));
                        position == 0 && full && !op.attributes.flag("masked")
                    }
                    // Copies settle what they read, and replace all of what they write.
                    OpKind::Copy(_) => position < 2,
                    _ => false,
                };
                if !keeps {
                    whole.remove(operand);
                }
            }
        }
        for region in &function.regions {
            for value in &region.yields {
                whole.remove(value);
            }
            for &id in &region.ops {
                let op = function.op(id);
                let loads = matches!(op.op.kind, OpKind::Memory(MemoryOp::Load))
                    && ["masked", "other", "padded"].iter().all(|flag| !op.attributes.flag(flag))
                    && op.operands.first().is_some_and(|reference| whole.contains(reference));
                let Some((result, _)) = self.result(id).filter(|_| loads) else { continue };
                let plain = op.attributes.index().is_some_and(|index| {
                    index.0.iter().all(|dim| match dim {
                        DimIndex::At(_) => true,
                        DimIndex::Slice { stride, .. } => *stride == 1,
                        DimIndex::Part { .. } | DimIndex::Array => false,
                    })
                });
                let chains = |reader: &Option<OpId>| {
                    let group = reader.and_then(|reader| self.fusion.groups.get(&reader));
                    let product = reader.and_then(|reader| self.fusion.products.get(&reader));
                    group.is_some_and(|group| group.reads.contains(&result))
                        || product.is_some_and(|product| product.factors.contains(&result))
                };
                let readers = &self.readers[result.0 as usize];
                if plain && !readers.is_empty() && readers.iter().all(chains) {
                    self.fusion.windows.insert(id);
                }
            }
        }
    }
}
