//! From a function to a tape.

mod control;
mod memory;

use super::contract::contract;
use super::fuse::{self, End, Fusion, Group, Known, Reads, Yields, fuse};
use super::reciprocal::reciprocals;
use super::room::room;
use super::simplify::{Simplified, simplify};
use super::{
    Action, AgentStep, Block, CopyStep, Fused, FusedEnd, Product, Pure, Register, SemaphoreStep, Source, Step, Tape,
};
use crate::error::RunError;
use crate::launch::LaunchPlan;
use pallas_ir::function::OpData;
use pallas_ir::op::{EffectOp, MemoryOp, ProgramOp};
use pallas_ir::{Attribute, Function, MemorySpace, OpId, OpKind, RegionId, SemaphoreOp, Type, ValueId};
use smallvec::SmallVec;
use std::collections::HashSet;
use std::sync::Arc;

impl Tape {
    /// Flattens a function, a step for each op.
    ///
    /// # Errors
    /// If it is not well formed in a way that the steps rely on.
    pub(crate) fn new(function: &Function) -> Result<Tape, RunError> {
        Tape::with(function, None)
    }

    /// Flattens a function in both ways: a step for each op, and elementwise ops in chains.
    ///
    /// # Errors
    /// As [`Tape::new`].
    pub(crate) fn both(function: &Function) -> Result<Tape, RunError> {
        Tape::with(function, Some(Yields::Tiles))
    }

    /// The same of an index map: whoever runs it takes numbers.
    ///
    /// # Errors
    /// As [`Tape::new`].
    pub(crate) fn of_map(function: &Function) -> Result<Tape, RunError> {
        Tape::with(function, Some(Yields::Numbers))
    }

    fn with(function: &Function, chains: Option<Yields>) -> Result<Tape, RunError> {
        check_ids(function)?;
        let mut simplified = simplify(function);
        let reciprocals = reciprocals(function);
        let contractions = contract(function, &mut simplified, &reciprocals);
        let known = Known { function, simplified: &simplified, contractions: &contractions, reciprocals: &reciprocals };
        let none = Fusion::default();
        let fusion = chains.map_or_else(Fusion::default, |yields| fuse(known, yields));
        let mut compiler = Compiler { function, simplified: &simplified, known, fusion: &none };
        let (body, captured) = compiler.region(function.body)?;
        compiler.fusion = &fusion;
        let fused = if chains.is_some() { Some(compiler.region(function.body)?.0) } else { None };
        if let Some(value) = captured.iter().find(|value| !simplified.constants.contains_key(value)) {
            return Err(RunError::malformed(format!("value {} is used where it is not defined", value.0)));
        }
        let constants = simplified.constants.iter().map(|(value, array)| (value.0, array.clone())).collect();
        let names = function.values.iter().map(|value| value.name.clone()).collect();
        let locations = function.locations.clone().into();
        let contractions = [contractions.len(), reciprocals.len()];
        let (registers, chains) = (function.values.len(), fusion.chains);
        let room = room(function, fused.as_ref().unwrap_or(&body));
        Ok(Tape { registers, constants, body, fused, room, chains, contractions, locations, names })
    }
}

/// That every id is within its arena, and that no region contains itself.
fn check_ids(function: &Function) -> Result<(), RunError> {
    let values = function.values.len();
    let known = |ids: &[ValueId]| ids.iter().all(|id| (id.0 as usize) < values);
    let regions = function.regions.len();
    let in_range = function.ops.iter().all(|op| {
        known(&op.operands)
            && known(&op.results)
            && op.regions.iter().all(|r| (r.0 as usize) < regions)
            && (op.location.0 as usize) < function.locations.len()
    }) && function.regions.iter().all(|region| {
        known(&region.params)
            && known(&region.yields)
            && region.ops.iter().all(|op| (op.0 as usize) < function.ops.len())
    }) && (function.body.0 as usize) < regions;
    if !in_range {
        return Err(RunError::malformed("an id is out of range"));
    }
    let mut entered = vec![false; regions];
    let mut pending = vec![function.body];
    while let Some(region) = pending.pop() {
        if std::mem::replace(&mut entered[region.0 as usize], true) {
            return Err(RunError::malformed("a region has two parents"));
        }
        for &op in &function.region(region).ops {
            pending.extend(&function.op(op).regions);
        }
    }
    Ok(())
}

struct Compiler<'a> {
    function: &'a Function,
    simplified: &'a Simplified,
    known: Known<'a>,
    fusion: &'a Fusion,
}

/// Values that a region reads but does not define.
type Captured = HashSet<ValueId>;

impl Compiler<'_> {
    fn region(&mut self, id: RegionId) -> Result<(Block, Captured), RunError> {
        let data = self.function.region(id);
        let mut own: HashSet<ValueId> = data.params.iter().copied().collect();
        let mut steps = Vec::new();
        let mut captures = Vec::new();
        let mut reads = Vec::new();
        for &op in &data.ops {
            if self.simplified.skipped[op.0 as usize] || self.fusion.absorbed.contains(&op) {
                continue;
            }
            let (step, values, captured) = self.step(op)?;
            own.extend(step.results.iter().map(|&result| ValueId(result)));
            steps.push(step);
            reads.push(values);
            captures.push(captured);
        }
        let mut outer = Captured::new();
        // From the end: the first reader met is the last one to run.
        let mut seen: HashSet<ValueId> = HashSet::new();
        let mut yields: Vec<Source> = Vec::with_capacity(data.yields.len());
        for &value in data.yields.iter().rev() {
            yields.push(self.source(value, &own, &mut seen, &mut outer));
        }
        yields.reverse();
        for ((step, reads), captured) in steps.iter_mut().zip(&reads).zip(captures).rev() {
            for &result in &step.results {
                if !seen.contains(&ValueId(result)) && self.is_tile(ValueId(result)) {
                    step.drops.push(result);
                }
            }
            for value in captured {
                if !own.contains(&value) {
                    outer.insert(value);
                } else if seen.insert(value) && self.is_movable(value) {
                    step.drops.push(value.0);
                }
            }
            for (source, &value) in step.operands.iter_mut().zip(reads).rev() {
                *source = self.source(value, &own, &mut seen, &mut outer);
            }
        }
        let params = data.params.iter().map(|value| value.0).collect();
        let block = Block { params, steps, yields };
        Ok((block, outer))
    }

    fn source(
        &self,
        value: ValueId,
        own: &HashSet<ValueId>,
        seen: &mut HashSet<ValueId>,
        outer: &mut Captured,
    ) -> Source {
        let is_own = own.contains(&value);
        if !is_own {
            outer.insert(value);
        }
        let first_met = seen.insert(value);
        Source { register: value.0, last_use: is_own && first_met && self.is_movable(value) }
    }

    fn is_tile(&self, value: ValueId) -> bool {
        matches!(self.function.ty(value), Type::Tensor(_))
    }

    /// Refs stay in their registers, and so do constants.
    fn is_movable(&self, value: ValueId) -> bool {
        self.is_tile(value) && !self.simplified.constants.contains_key(&value)
    }

    /// A step, the values that its operands read, and what its regions capture.
    fn step(&mut self, id: OpId) -> Result<(Step, Reads, Captured), RunError> {
        let op = self.function.op(id);
        let mut captured = Captured::new();
        let mut results: SmallVec<[Register; 1]> = op.results.iter().map(|result| -> Register { result.0 }).collect();
        let mut reads = self.known.reads(id);
        let action = if let Some(group) = self.fusion.groups.get(&id) {
            let (action, operands) = self.fused(op, group).map_err(|error| error.at(id, self.function.location(id)))?;
            reads = operands;
            if let End::Reduce { kept: Some(kept), .. } = group.end {
                results.push(kept.0);
            }
            action
        } else if let Some(product) = self.fusion.products.get(&id) {
            reads = self.fusion.reads(product, op);
            self.product(op, product).map_err(|error| error.at(id, self.function.location(id)))?
        } else if let Some(&number) = self.fusion.numbers.get(&id) {
            Action::Number(number)
        } else if let Some(contraction) = self.known.contractions.get(&id) {
            Action::MultiplyAdd { form: contraction.form, divides: contraction.divides }
        } else if self.known.reciprocals.contains(&id) {
            Action::MultiplyByReciprocal
        } else if let Some(&sum) = self.simplified.sums.get(&id) {
            Action::ScatterAdd(sum)
        } else {
            let action = self.action(op, &mut captured).map_err(|error| error.at(id, self.function.location(id)))?;
            match (action, self.simplified.products.get(&id)) {
                (Action::Pure(mut pure), Some(attributes)) => {
                    pure.attributes = attributes.clone();
                    Action::Pure(pure)
                }
                (Action::Load(access, _), _) if self.fusion.windows.contains(&id) => Action::Window(access),
                (Action::Load(access, _), _) if self.fusion.elements.contains(&id) => Action::Element(access),
                (action, _) => action,
            }
        };
        let step = Step {
            action,
            operands: reads.iter().map(|value| Source { register: value.0, last_use: false }).collect(),
            results,
            drops: SmallVec::new(),
            op: id,
            location: op.location.0,
            together: op.attributes.flag("together"),
            collective: op.attributes.flag("collective"),
        };
        Ok((step, reads, captured))
    }

    /// A chain, and what its step reads.
    fn fused(&self, op: &OpData, group: &Group) -> Result<(Action, Reads), RunError> {
        let chain = group.chain;
        let (end, reads) = match group.end {
            End::Tile => (FusedEnd::Tile, group.reads.clone()),
            End::Reduce { op: reduction, sizes, kept } => {
                let shape = op.results.first().map(|&result| self.function.ty(result).shape().clone());
                let shape = shape.ok_or_else(|| RunError::malformed("a reduction has no result"))?;
                (FusedEnd::Reduce { op: reduction, sizes, shape, keeps: kept.is_some() }, group.reads.clone())
            }
            End::Store => {
                let Action::Store(access, _) = self.memory(op, MemoryOp::Store)? else {
                    return Err(RunError::malformed("a store is none"));
                };
                let positions = op.operands.iter().take(1).chain(op.operands.iter().skip(2));
                (FusedEnd::Store(access), positions.chain(&group.reads).copied().collect())
            }
        };
        Ok((Action::Fused(Box::new(Fused { chain, end })), reads))
    }

    /// A product, and the subscript of the Ref that it is added to.
    fn product(&self, op: &OpData, product: &fuse::Product) -> Result<Action, RunError> {
        let onto = match product.adds {
            false => None,
            true => match self.memory(op, MemoryOp::Store)? {
                Action::Store(access, _) => Some(access),
                _ => return Err(RunError::malformed("a store is none")),
            },
        };
        Ok(Action::Product(Box::new(Product { contracting: product.contracting, onto })))
    }

    fn block(&mut self, region: RegionId, captured: &mut Captured) -> Result<Block, RunError> {
        let (block, outer) = self.region(region)?;
        captured.extend(outer);
        Ok(block)
    }

    fn action(&mut self, op: &OpData, captured: &mut Captured) -> Result<Action, RunError> {
        match &op.op.kind {
            OpKind::Pure { eval, .. } => Ok(Action::Pure(Box::new(Pure {
                eval: *eval,
                attributes: op.attributes.clone(),
                results: op.results.iter().map(|&result| self.function.ty(result).clone()).collect(),
            }))),
            OpKind::Memory(kind) => self.memory(op, *kind),
            OpKind::Control(kind) => self.control(op, *kind, captured),
            OpKind::Program(kind) => {
                let axis = op.attributes.int("axis");
                let axis = axis
                    .and_then(|axis| usize::try_from(axis).ok())
                    .ok_or_else(|| RunError::malformed("a grid axis is missing"))?;
                Ok(match kind {
                    ProgramOp::ProgramId => Action::ProgramId(axis),
                    ProgramOp::NumPrograms => Action::NumPrograms(axis),
                })
            }
            OpKind::Copy(kind) => Ok(Action::Copy(Box::new(CopyStep {
                op: *kind,
                remote: op.attributes.flag("remote"),
                core: op.attributes.flag("core"),
                send: op.attributes.flag("send"),
                add: op.attributes.flag("add"),
                counts_copies: [2, 3].map(|at| {
                    let semaphore = op.operands.get(at).and_then(|&value| self.function.ty(value).as_ref_type());
                    semaphore.is_some_and(|ty| ty.space != MemorySpace::DmaSemaphore)
                }),
                names: [2, 3].map(|at| self.reference_name(op.operands.get(at))),
            }))),
            OpKind::Semaphore(kind) => Ok(Action::Semaphore(Box::new(SemaphoreStep {
                op: *kind,
                keep: op.attributes.flag("keep"),
                core: op.attributes.flag("core"),
                name: self.reference_name(op.operands.first()),
            }))),
            OpKind::Agent(kind) => {
                let is_barrier =
                    |value: &&ValueId| self.function.ty(**value).as_ref_type().is_some_and(|ty| ty.barrier.is_some());
                Ok(Action::Agent(Box::new(AgentStep {
                    op: *kind,
                    name: self.reference_name(op.operands.iter().find(is_barrier)),
                    attributes: op.attributes.clone(),
                    results: op.results.iter().map(|&result| self.function.ty(result).clone()).collect(),
                })))
            }
            OpKind::Effect(EffectOp::DebugPrint) => {
                Ok(Action::DebugPrint(op.attributes.str("format").unwrap_or_default().into()))
            }
            OpKind::Launch => match op.attributes.get("launch") {
                Some(Attribute::Launch(launch)) => {
                    Ok(Action::Launch(Box::new(LaunchPlan::new(launch)?), launch.clone()))
                }
                _ => Err(RunError::malformed("a launch op has no launch")),
            },
        }
    }

    /// `a semaphore`, `a barrier`
    fn kind_of(&self, reference: ValueId) -> &'static str {
        match self.function.ty(reference).as_ref_type() {
            Some(ty) if ty.barrier.is_some() => "a barrier",
            _ => "a semaphore",
        }
    }

    /// Whether a region has tile ops and nothing else.
    fn is_pure(&self, region: RegionId) -> bool {
        let ops = &self.function.region(region).ops;
        ops.iter().all(|&op| matches!(self.function.op(op).op.kind, OpKind::Pure { .. }))
    }

    /// The name of a Ref, or of the Ref that it is part of.
    fn reference_name(&self, reference: Option<&ValueId>) -> Arc<str> {
        let mut value = reference.copied();
        let mut is_part = false;
        // Views form a chain no longer than there are ops.
        for _ in 0..=self.function.ops.len() {
            let Some(id) = value else { break };
            if let Some(name) = &self.function.value(id).name {
                return if is_part { format!("{} of {name}", self.kind_of(id)).into() } else { name.clone() };
            }
            let view = self.function.definition(id).map(|op| self.function.op(op));
            if view.is_some_and(|op| matches!(op.op.kind, OpKind::Semaphore(SemaphoreOp::Barrier))) {
                return "the barrier semaphore".into();
            }
            value = view
                .filter(|op| matches!(op.op.kind, OpKind::Memory(MemoryOp::View | MemoryOp::Reinterpret)))
                .and_then(|op| op.operands.first().copied());
            is_part = true;
        }
        "a semaphore".into()
    }
}
