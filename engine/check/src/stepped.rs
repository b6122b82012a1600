//! Blocks of pipelines inside of kernels that lie outside of their Ref, where the pipeline needs program ids, loop counters or Refs of the
//! kernel around it, so that it is no launch of its own; and of pipelines that a kernel has as loops and copies.

use crate::blocks::{OutsideBlock, Stepped, first_step_outside};
use crate::refs::origin;
use crate::rules;
use crate::walk::Sources;
use crate::words;
use pallas_ir::launch::OperandSpans;
use pallas_ir::pipeline::{Pipeline, Staged};
use pallas_ir::{Attribute, AxisSemantics, BlockDim, Finding, Launch, Location, OpData, OpId, RegionId, ValueId};
use pallas_tensor::Shape;

/// What a pipeline asks of one Ref.
struct Asked<'a> {
    source: ValueId,
    stepped: Stepped<'a>,
    spans: &'a OperandSpans,
}

/// A pipeline that is an op of the kernel.
pub(crate) fn of_op(launch: &Launch, id: OpId, within: RegionId, findings: &mut Vec<Finding>) {
    let kernel = &launch.kernel;
    let op: &OpData = kernel.op(id);
    let Some(Attribute::Pipeline(pipeline)) = op.attributes.get("pipeline") else { return };
    let pipeline: &Pipeline = pipeline;
    let grid: Option<Vec<usize>> = pipeline.grid.iter().copied().collect();
    let (Some(grid), false) = (grid, pipeline.offsets) else { return };
    let refs = op.operands.get(pipeline.scalars()..).unwrap_or_default();
    let Some((_, maps)) = op.regions.split_last() else { return };
    for ((operand, &source), &map) in pipeline.operands.iter().zip(refs).zip(maps) {
        let Some(reference) = kernel.ty(source).as_ref_type() else { continue };
        let map = kernel.region(map);
        let stepped =
            Stepped { block: &operand.block, shape: &reference.shape, step: &map.params, indices: &map.yields };
        let place = kernel.location(id);
        report(launch, within, &grid, &Asked { source, stepped, spans: &operand.spans }, place, findings);
    }
}

/// A pipeline whose steps the kernel makes itself.
pub(crate) fn of_staged(launch: &Launch, staged: &Staged, findings: &mut Vec<Finding>) {
    let kernel = &launch.kernel;
    for operand in &staged.operands {
        let Some(reference) = kernel.ty(operand.source).as_ref_type() else { continue };
        let stepped =
            Stepped { block: &operand.block, shape: &reference.shape, step: &operand.step, indices: &operand.indices };
        let asked = Asked { source: operand.source, stepped, spans: &operand.spans };
        let place = Location { span: launch.spans.call, calls: Vec::new() };
        report(launch, staged.within, &staged.grid, &asked, &place, findings);
    }
}

fn report(
    launch: &Launch,
    within: RegionId,
    grid: &[usize],
    asked: &Asked<'_>,
    place: &Location,
    findings: &mut Vec<Finding>,
) {
    let Some(outside) = first_step_outside(launch, within, grid, &asked.stepped) else { return };
    let rule = &rules::BLOCK_OUT_OF_BOUNDS;
    let span = asked.spans.index_map.or(asked.spans.spec).unwrap_or(place.span);
    if findings.iter().any(|known| known.code == rule.code && known.span == span) {
        return;
    }
    let sources = Sources::new(&launch.kernel);
    let name = origin(&launch.kernel, &sources, asked.source).map(|origin| origin.name(launch));
    let name = name.unwrap_or_else(|| "its Ref".to_string());
    let message = format!("this index map gives a block that lies outside {name}");
    let mut finding = rule.finding(outside.certainty, span, message);
    let (shape, axis) = (asked.stepped.shape, outside.axis);
    finding.evidence = Some(format!(
        "{}: {}",
        at(launch, grid, &outside.program),
        words::part_of(axis, shape.len(), (outside.start, outside.end), &name, shape[axis]),
    ));
    finding.help = Some(help(asked, &outside, &name));
    findings.push(finding);
}

/// `program (1, 0), loop counter 2, step (3,)`
fn at(launch: &Launch, grid: &[usize], point: &[usize]) -> String {
    let (around, step) = point.split_at(point.len().saturating_sub(grid.len()));
    let around: Vec<i64> = around.iter().map(|&id| id as i64).collect();
    let is_thread = |axis: usize| launch.semantics.get(axis) == Some(&AxisSemantics::Thread);
    let is_one = (0..launch.grid.len()).all(|axis| launch.grid[axis] == 1 || is_thread(axis));
    let around = match is_one && around.len() <= launch.grid.len() {
        true => String::new(),
        false => words::at(launch.grid.len(), &around).replace(": ", ", "),
    };
    format!("{around}step {}", Shape::from(step))
}

fn help(asked: &Asked<'_>, outside: &OutsideBlock, name: &str) -> String {
    let axis = outside.axis;
    let (block, extent) = (asked.stepped.block[axis], asked.stepped.shape[axis]);
    let blocks = block.blocks(extent);
    let size = block.size() as i64;
    let index = outside.start.checked_div(size).unwrap_or(0);
    match block {
        BlockDim::Element { .. } => {
            "this dimension is indexed by elements (`pl.Element`): keep the first element within the array".to_string()
        }
        BlockDim::Blocked(2..) if index > 0 && index % size == 0 && index / size < blocks as i64 => {
            format!("return block indices, not element offsets: divide by the block size {size}")
        }
        _ => format!(
            "{name} has {} along dimension {axis}: indices from 0 to {}",
            words::count(blocks, "block"),
            blocks.saturating_sub(1)
        ),
    }
}
