//! Bytes that a kernel copies itself: copies that it starts, and blocks of the pipelines inside of it. Copies within memory
//! on chip cost no bandwidth and are not counted.

use crate::copies::packed;
use crate::moves::{Moves, Order, is_copied};
use pallas_ir::function::{OpData, RegionId};
use pallas_ir::pipeline::{Pipeline, Window};
use pallas_ir::{Function, RefType, ValueId};
use std::collections::HashMap;

/// Bytes of one copy that is started, between memory on chip and off it.
pub(super) fn started(kernel: &Function, op: &OpData) -> u128 {
    let reference = |at: usize| op.operands.get(at).and_then(|&value| kernel.ty(value).as_ref_type());
    match (reference(0), reference(1)) {
        (Some(source), Some(destination)) if is_far(source) || is_far(destination) => {
            // Where the kernel computes how much it copies, the most that it can copy counts: what both sides have room for.
            let extents = source.shape.iter().zip(&destination.shape).map(|(&one, &other)| one.min(other));
            packed(source.dtype, extents)
        }
        _ => 0,
    }
}

fn is_far(reference: &RefType) -> bool {
    !is_copied(reference.space)
}

/// Bytes of all blocks of a pipeline inside a kernel: a block moves with a step along an axis if its index depends on the
/// axis, or on one behind it.
pub(super) fn of_pipeline(kernel: &Function, op: &OpData, pipeline: &Pipeline, extents: &[usize]) -> u128 {
    let order = Order::new(extents);
    let refs = op.operands.iter().skip(pipeline.scalars());
    let maps = op.regions.iter();
    pipeline
        .operands
        .iter()
        .zip(refs)
        .zip(maps)
        .map(|((operand, &value), &map)| {
            let Some(source) = kernel.ty(value).as_ref_type() else { return 0 };
            let block = packed(source.dtype, operand.block.iter().map(|dim| dim.size()));
            match operand.window {
                Window::InPlace => 0,
                Window::Whole => block,
                Window::Slots { .. } => {
                    let depends = dependence(kernel, map, extents.len());
                    let along = |axis: usize| (axis..extents.len()).any(|other| depends[other] && extents[other] > 1);
                    let moves = Moves::Along((0..extents.len()).map(along).collect());
                    block.saturating_mul(moves.copies(&order) as u128)
                }
            }
        })
        .fold(0, u128::saturating_add)
}

/// Which axes what a region yields depends on; the axes are its parameters.
fn dependence(kernel: &Function, region: RegionId, axes: usize) -> Vec<bool> {
    let region = kernel.region(region);
    let mut depends: HashMap<ValueId, Vec<bool>> = HashMap::new();
    for (axis, &param) in region.params.iter().take(axes).enumerate() {
        depends.insert(param, (0..axes).map(|other| other == axis).collect());
    }
    let join = |values: &[ValueId], depends: &HashMap<ValueId, Vec<bool>>| {
        let known = |axis: usize| values.iter().filter_map(|value| depends.get(value)).any(|of| of[axis]);
        (0..axes).map(known).collect::<Vec<bool>>()
    };
    for &id in &region.ops {
        let op = kernel.op(id);
        let joined = join(&op.operands, &depends);
        depends.extend(op.results.iter().map(|&result| (result, joined.clone())));
    }
    join(&region.yields, &depends)
}
