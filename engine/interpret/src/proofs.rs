//! What is known of a launch before it runs, so that a strict run need not look: that no result depends on memory that nobody has
//! written or on what lies past the end of an array, and that no two programs that run at the same time write to one place.

use crate::affine::IndexMap;
use crate::launch::{LaunchPlan, OperandPlan};
use pallas_ir::op::{ControlOp, MemoryOp};
use pallas_ir::{DimIndex, Function, Launch, OpData, OpKind, Position, Role, ValueId, Written};
use std::collections::HashSet;

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
        let writes = Writes::of(launch, &plan.parallel);
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

/// What a kernel does to its Refs.
struct Writes<'a> {
    function: &'a Function,
    /// Outputs, what a program has allocated, and scratch memory that no program finds as one at the same time has left it.
    own: HashSet<ValueId>,
    defined: bool,
    /// Whether anything else is written.
    others: bool,
}

impl<'a> Writes<'a> {
    fn of(launch: &'a Launch, parallel: &[usize]) -> Writes<'a> {
        let function = &launch.kernel;
        let params = function.params();
        let (operands, scratch) = params.split_at(launch.operands.len().min(params.len()));
        let outputs = || operands.iter().zip(&launch.operands).filter(|(_, operand)| operand.role == Role::Output);
        let written =
            Written::of(function, &launch.grid, outputs().map(|(&value, _)| value).chain(scratch.iter().copied()));
        let all: Vec<usize> = (0..launch.grid.len()).collect();
        // Scratch memory is one for all programs, the first of which has id 0 along every axis; what is allocated is each time new.
        let mut defined = scratch.iter().all(|&value| written.is_defined(value, &all));
        let allocated = function.ops.iter().filter(|op| matches!(op.op.kind, OpKind::Control(ControlOp::Scoped)));
        let regions = allocated.flat_map(|op| op.regions.first());
        let allocated: Vec<ValueId> =
            regions.flat_map(|&region| function.region(region).params.iter().copied()).collect();
        defined &= allocated.iter().all(|&value| written.reads_own(value));
        for (number, (&value, operand)) in outputs().enumerate() {
            // An output that begins as an input has something in it.
            if !launch.aliases.iter().any(|(_, output)| *output == number) {
                let stays = staying(operand, launch);
                defined &= written.is_defined(value, &stays) && written.is_full_after(value, &stays);
            }
        }
        let is_own = |value: &&ValueId| {
            written.carried(**value).is_none_or(|carried| parallel.iter().all(|&axis| axis < carried.axis))
        };
        let own = outputs().map(|(value, _)| value).chain(&allocated).chain(scratch.iter().filter(is_own));
        let mut writes = Writes { function, own: own.copied().collect(), defined, others: false };
        function.ops.iter().for_each(|op| writes.op(op));
        writes
    }

    fn op(&mut self, op: &OpData) {
        match &op.op.kind {
            OpKind::Memory(kind) => self.access(op, *kind),
            OpKind::Pure { .. } | OpKind::Program(_) | OpKind::Effect(_) => {}
            OpKind::Control(ControlOp::Scoped | ControlOp::Cond | ControlOp::For | ControlOp::While) => {}
            _ => {
                self.defined = false;
                self.others = true;
            }
        }
    }

    fn access(&mut self, op: &OpData, kind: MemoryOp) {
        let Some(&reference) = op.operands.first() else { return };
        let Some(ty) = self.function.ty(reference).as_ref_type() else { return };
        let masked = op.attributes.flag("masked");
        match kind {
            MemoryOp::Store => self.others |= !self.own.contains(&reference),
            MemoryOp::Load => {
                // What is past the end of a Ref is read as garbage there, and a mask without a substitute leaves garbage.
                let index = op.attributes.index();
                let inside = index
                    .is_some_and(|index| index.0.iter().zip(&ty.shape).all(|(dim, &extent)| is_inside(dim, extent)));
                self.defined &= (inside || !op.attributes.flag("padded")) && (!masked || op.attributes.flag("other"));
            }
            // Views would have to be followed here, too.
            MemoryOp::Swap | MemoryOp::Atomic | MemoryOp::View | MemoryOp::Reinterpret => {
                self.defined = false;
                self.others = true;
            }
        }
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
