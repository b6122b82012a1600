//! What is known of a launch before it runs, so that a strict run need not look: that no result depends on memory that nobody has
//! written or on what lies past the end of an array, and that no two programs that run at the same time write to one place.

use crate::affine::IndexMap;
use crate::launch::{LaunchPlan, OperandPlan};
use pallas_ir::op::{ControlOp, MemoryOp, ProgramOp};
use pallas_ir::{DimIndex, Function, Launch, OpData, OpId, OpKind, Position, RegionId, Role, ValueId};
use std::collections::{HashMap, HashSet};

/// What was proved of a launch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Proofs {
    /// That everything which is read was written before, and every output is written in full.
    pub(crate) defined: bool,
    /// That programs which run at the same time write to different places, and read what nobody writes.
    pub(crate) apart: bool,
}

impl Proofs {
    /// Looks at a launch.
    pub(crate) fn of(launch: &Launch, plan: &LaunchPlan) -> Proofs {
        let writes = Writes::of(launch);
        let outputs = || plan.operands.iter().filter(|operand| operand.role == Role::Output);
        let inside = plan.operands.iter().all(|operand| !operand.blocks.is_padded());
        let covered = outputs().all(|operand| operand.is_alias || covers(operand, launch));
        let apart =
            !writes.others && outputs().all(|operand| plan.parallel.iter().all(|&axis| moves(operand, axis, launch)));
        Proofs { defined: inside && covered && writes.defined, apart }
    }
}

/// The dimension of an output whose blocks follow an axis of the grid, and nothing else, one to one.
fn follows(operand: &OperandPlan, axis: usize) -> Option<usize> {
    let IndexMap::Affine(rows) = &operand.map else { return None };
    let along = |row: &crate::affine::Affine| {
        let factors = row.factors.iter().enumerate();
        row.constant == 0
            && factors.filter(|(_, factor)| **factor != 0).map(|(place, &factor)| (place, factor)).eq([(axis, 1)])
    };
    rows.iter().position(along)
}

/// Whether programs along an axis have different blocks of an output.
fn moves(operand: &OperandPlan, axis: usize, launch: &Launch) -> bool {
    let extent = launch.grid.get(axis).copied().unwrap_or(1);
    extent == 1
        || follows(operand, axis).is_some_and(|dim| operand.blocks.counts().is_some_and(|counts| extent <= counts[dim]))
}

/// Whether the blocks of all programs are all blocks of an output.
fn covers(operand: &OperandPlan, launch: &Launch) -> bool {
    let Some(counts) = operand.blocks.counts() else { return false };
    if launch.grid.contains(&0) || !launch.dynamic.is_empty() {
        return false;
    }
    let zero = |dim: usize| match &operand.map {
        IndexMap::Zero => true,
        IndexMap::Affine(rows) => rows.get(dim).is_some_and(|row| row.constant == 0),
        IndexMap::Tape(_) => false,
    };
    counts.iter().enumerate().all(|(dim, &count)| {
        // A block that is all there is along a dimension is found wherever the map points.
        let axes = || (0..launch.grid.len()).filter(|&axis| follows(operand, axis) == Some(dim));
        count == 1 && zero(dim) || axes().any(|axis| launch.grid[axis] >= count)
    })
}

/// What a kernel does to the memory that it is given with nothing in it.
struct Writes<'a> {
    function: &'a Function,
    /// The op that defines a value.
    definitions: HashMap<ValueId, OpId>,
    /// Refs that nobody has written in full.
    empty: HashSet<ValueId>,
    /// Of outputs: the axes of the grid along which their block stays.
    stays: HashMap<ValueId, Vec<usize>>,
    /// Scratch memory: one for all programs, the first of which has id 0 along every axis.
    scratch: HashSet<ValueId>,
    defined: bool,
    /// Whether anything but outputs is written.
    others: bool,
    outputs: HashSet<ValueId>,
}

impl<'a> Writes<'a> {
    fn of(launch: &'a Launch) -> Writes<'a> {
        let function = &launch.kernel;
        let ops = function.ops.iter().enumerate();
        let definitions =
            ops.flat_map(|(number, op)| op.results.iter().map(move |&value| (value, OpId(number as u32)))).collect();
        let params = function.params();
        let (operands, scratch) = params.split_at(launch.operands.len().min(params.len()));
        let given = operands.iter().zip(&launch.operands);
        let outputs: HashSet<ValueId> =
            given.filter(|(_, operand)| operand.role == Role::Output).map(|(&value, _)| value).collect();
        let (mut empty, mut stays) = (HashSet::new(), HashMap::new());
        let given = operands.iter().zip(&launch.operands).filter(|(_, operand)| operand.role == Role::Output);
        for (number, (&value, operand)) in given.enumerate() {
            // An output that begins as an input has something in it.
            if !launch.aliases.iter().any(|(_, output)| *output == number) {
                empty.insert(value);
                stays.insert(value, staying(operand, launch));
            }
        }
        empty.extend(scratch.iter().copied());
        let mut writes = Writes {
            function,
            definitions,
            empty,
            stays,
            scratch: scratch.iter().copied().collect(),
            defined: true,
            others: false,
            outputs,
        };
        writes.region(function.body, true);
        writes.defined &= writes.empty.is_disjoint(&writes.outputs);
        writes
    }

    fn region(&mut self, region: RegionId, always: bool) {
        let function = self.function;
        for &id in &function.region(region).ops {
            self.op(function.op(id), always);
        }
    }

    fn op(&mut self, op: &OpData, always: bool) {
        match &op.op.kind {
            OpKind::Memory(kind) => self.access(op, *kind, always),
            OpKind::Pure { .. } | OpKind::Program(_) | OpKind::Effect(_) => {}
            OpKind::Control(ControlOp::Scoped) => {
                let Some(&region) = op.regions.first() else { return };
                self.empty.extend(self.function.region(region).params.iter().copied());
                self.region(region, always);
            }
            OpKind::Control(ControlOp::Cond) => {
                let before = self.empty.clone();
                for &region in &op.regions {
                    self.region(region, false);
                }
                if let (true, Some(written)) = (always, self.first(op)) {
                    self.empty = before.into_iter().filter(|value| !written.contains(value)).collect();
                }
            }
            OpKind::Control(ControlOp::For | ControlOp::While) => {
                for &region in &op.regions {
                    self.region(region, false);
                }
            }
            _ => {
                self.defined = false;
                self.others = true;
            }
        }
    }

    fn access(&mut self, op: &OpData, kind: MemoryOp, always: bool) {
        let Some(&reference) = op.operands.first() else { return };
        let Some(ty) = self.function.ty(reference).as_ref_type() else { return };
        let index = op.attributes.index();
        let masked = op.attributes.flag("masked");
        // What is past the end of a Ref is read as garbage there, and a mask without a substitute leaves garbage.
        let inside =
            index.is_some_and(|index| index.0.iter().zip(&ty.shape).all(|(dim, &extent)| is_inside(dim, extent)));
        match kind {
            MemoryOp::Store => {
                let full = !masked && index.is_some_and(|index| index.is_full(&ty.shape));
                let is_given = self.function.params().contains(&reference) && !self.outputs.contains(&reference);
                self.others |= is_given || self.definitions.contains_key(&reference);
                if full && always {
                    self.empty.remove(&reference);
                }
            }
            MemoryOp::Load => {
                self.defined &= !self.empty.contains(&reference) && (inside || !op.attributes.flag("padded"));
                self.defined &= !masked || op.attributes.flag("other");
                // Views of what is empty would have to be followed.
                self.defined &= !self.definitions.contains_key(&reference);
            }
            MemoryOp::Swap | MemoryOp::Atomic | MemoryOp::View | MemoryOp::Reinterpret => {
                self.defined = false;
                self.others = true;
            }
        }
    }

    /// The Refs that a branch writes in full, of those which only the first program of a block has to write: it is taken where
    /// all axes are 0 along which the block stays.
    fn first(&self, op: &OpData) -> Option<HashSet<ValueId>> {
        let [_, taken] = op.regions.as_slice() else { return None };
        let axis = self.is_zero(*op.operands.first()?)?;
        let full = |id: &OpId| {
            let op = self.function.op(*id);
            let reference = *op.operands.first()?;
            let ty = self.function.ty(reference).as_ref_type()?;
            let whole = op.attributes.index().is_some_and(|index| index.is_full(&ty.shape));
            let stores = matches!(op.op.kind, OpKind::Memory(MemoryOp::Store)) && !op.attributes.flag("masked");
            let begins = match self.stays.get(&reference) {
                Some(axes) => *axes == [axis],
                // Each program has memory of `run_scoped` anew, so that what the first one stored is not there for others.
                None => self.scratch.contains(&reference),
            };
            (stores && whole && begins).then_some(reference)
        };
        Some(self.function.region(*taken).ops.iter().filter_map(full).collect())
    }

    /// The axis whose program id a condition compares with 0.
    fn is_zero(&self, condition: ValueId) -> Option<usize> {
        let by = |value: ValueId| self.definitions.get(&value).map(|&id| self.function.op(id));
        let mut op = by(condition)?;
        // `pl.when` converts what it is given.
        while matches!(op.op.name, "convert_element_type" | "ne") && op.operands.len() == 1 {
            op = by(op.operands[0])?;
        }
        let [left, right] = op.operands.as_slice() else { return None };
        let zero = |op: &OpData| {
            let value = op.attributes.array("value").and_then(pallas_tensor::Array::item);
            op.op.name == "constant" && value.and_then(pallas_tensor::Scalar::as_int) == Some(0)
        };
        let axis = |op: &OpData| match op.op.kind {
            OpKind::Program(ProgramOp::ProgramId) => usize::try_from(op.attributes.int("axis")?).ok(),
            _ => None,
        };
        let (left, right) = (by(*left)?, by(*right)?);
        if op.op.name != "eq" {
            return None;
        }
        if zero(right) { axis(left) } else { axis(right).filter(|_| zero(left)) }
    }
}

/// The axes of more than one program along which an operand's block stays.
fn staying(operand: &pallas_ir::Operand, launch: &Launch) -> Vec<usize> {
    let map = pallas_ir::BlockMap::new(operand, launch.grid.len());
    let axes = (0..launch.grid.len()).filter(|&axis| launch.grid[axis] > 1);
    axes.filter(|&axis| map.depends_on(axis) != Some(true)).collect()
}

fn is_inside(dim: &DimIndex, extent: usize) -> bool {
    match dim {
        DimIndex::At(Position::Static(at)) => (0..extent as i64).contains(at),
        DimIndex::Slice { start: Position::Static(start), size, stride } => {
            *start >= 0 && *start as usize + size.saturating_sub(1) * stride < extent.max(1)
        }
        _ => false,
    }
}
