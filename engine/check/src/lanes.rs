//! Loads and stores of vector memory that begin inside of a tile of 128 lanes, at a place that is computed: Mosaic wants to
//! see that such a place is a multiple of 128 (its error E2003), whatever guards it. Only places that a program is known to
//! come to are said; those that data decide, and those along the dimension before the last, it takes under conditions that
//! are not modelled.

use crate::evaluate::Slice;
use crate::guards::{self, Guards};
use crate::refs;
use crate::search::Verdict;
use crate::walk::{Enclosing, Sources};
use crate::words;
use pallas_ir::op::MemoryOp;
use pallas_ir::{DimIndex, Launch, MemorySpace, OpId, OpKind, Position, Type, ValueId};

const LANES: i64 = 128;
/// Values of each variable that are tried: places that are computed from ids and counters are mostly affine.
const TRIED: i64 = 4;

/// A program, and where it begins: `program (1, 0): position 64 along dimension 1 of x_ref`.
pub(crate) fn begins_inside(launch: &Launch, sources: &Sources, id: OpId, path: &[Enclosing]) -> Option<String> {
    let kernel = &launch.kernel;
    let (reference, start) = computed_start(launch, id)?;
    let mut slice = Slice::of_kernel(kernel, sources, launch);
    guards::count(kernel, path, &mut slice);
    let slot = slice.add(start);
    if slice.depends_on_data() {
        return None;
    }
    let guards = Guards::of(kernel, path, &mut slice)?;
    let bounds = guards.executions(launch, &slice);
    let first: Vec<(i64, i64)> = bounds.iter().map(|&(low, _)| (low, low)).collect();
    let mut points = vec![first.clone()];
    for (variable, &(low, high)) in bounds.iter().enumerate() {
        for value in low.saturating_add(1)..=high.min(low.saturating_add(TRIED)) {
            let mut point = first.clone();
            point[variable] = (value, value);
            points.push(point);
        }
    }
    points.iter().find_map(|point| {
        let known = slice.evaluate(point);
        let start = slot.of(&known).interval().value()?;
        if start % LANES == 0 || guards.reached(point, &known) != Verdict::Yes {
            return None;
        }
        let point: Vec<i64> = point.iter().map(|&(value, _)| value).collect();
        let name =
            refs::origin(kernel, sources, reference).map_or("this Ref".to_string(), |origin| origin.name(launch));
        let axis = kernel.ty(reference).shape().len() - 1;
        Some(format!("{}position {start} along dimension {axis} of {name}", words::at(launch.grid.len(), &point)))
    })
}

/// The Ref of a load or store, and the value along its last dimension that it begins at.
fn computed_start(launch: &Launch, id: OpId) -> Option<(ValueId, ValueId)> {
    let op = launch.kernel.op(id);
    let OpKind::Memory(memory) = op.op.kind else { return None };
    let values = match memory {
        MemoryOp::Load => 0,
        MemoryOp::Store | MemoryOp::Swap => 1,
        _ => return None,
    };
    let &reference = op.operands.first()?;
    let Type::Ref(ty) = launch.kernel.ty(reference) else { return None };
    if !matches!(ty.space, MemorySpace::Default | MemorySpace::Vmem) || ty.shape.len() < 2 {
        return None;
    }
    let pattern = op.attributes.index()?;
    let (last, before) = pattern.0.split_last()?;
    let (DimIndex::At(Position::Dynamic) | DimIndex::Slice { start: Position::Dynamic, .. }) = last else {
        return None;
    };
    let skipped: usize = before.iter().map(|dim| dim.operands().len()).sum();
    Some((reference, *op.operands.get(1 + values + skipped)?))
}
