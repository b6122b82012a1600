//! Pipelines inside of kernels (`pltpu.emit_pipeline`) as launches of their own: a grid, operands with blocks, a body. Only those
//! that need nothing else from the kernel around them but scratch memory which nobody else uses: no other Ref, scalar or program
//! id of it, a grid that is known, blocks that are copied; of others only where their blocks lie. What a part of a kernel does not say, whether all of an output is written or all of an input read, is nobody's
//! mistake, and is not asked.

use crate::checked::Checked;
use crate::refs::origin;
use crate::rules::ALL;
use crate::stepped;
use crate::walk::{Sources, walk};
use pallas_ir::launch::LaunchSpans;
use pallas_ir::op::{ControlOp, ProgramOp};
use pallas_ir::pipeline::{Pipeline, Window};
use pallas_ir::{
    Attribute, Attributes, AxisSemantics, Finding, Function, Launch, MemorySpace, Op, OpData, OpId, OpKind, Operand,
    RefType, RegionId, Role, TensorType, ValueId, ops,
};
use smallvec::SmallVec;

/// Rules that hold for the steps of a pipeline as they do for programs.
const RULES: [&str; 7] = ["PL120", "PL124", "PL126", "PL128", "PL129", "PL203", "PL204"];

/// What the rules find in the pipelines of a launch's kernel.
pub(crate) fn check(launch: &Launch, findings: &mut Vec<Finding>) {
    for staged in &launch.staged {
        stepped::of_staged(launch, staged, findings);
    }
    let mut pipelines = Vec::new();
    walk(&launch.kernel, |id, path| {
        if matches!(launch.kernel.op(id).op.kind, OpKind::Control(ControlOp::Pipeline)) {
            let within = path.last().map(|inner| launch.kernel.op(inner.op).regions[inner.region]);
            pipelines.push((id, within.unwrap_or(launch.kernel.body)));
        }
    });
    for (id, within) in pipelines {
        let Some(pipeline) = as_launch(launch, launch.kernel.op(id)) else {
            stepped::of_op(launch, id, within, findings);
            continue;
        };
        let checked = Checked::new(&pipeline, &pipeline);
        let known = findings.len();
        for rule in ALL.iter().filter(|rule| RULES.contains(&rule.code)) {
            if let Some(check) = rule.check {
                check(&checked, findings);
            }
        }
        findings[known..].iter_mut().for_each(in_steps);
    }
}

/// A pipeline has steps, and is no launch.
fn in_steps(finding: &mut Finding) {
    let texts = finding.evidence.iter_mut().chain(&mut finding.help).chain([&mut finding.message]);
    for text in texts.chain(finding.labels.iter_mut().map(|label| &mut label.text)) {
        *text = text.replace("program (", "step (").replace("launched here", "the pipeline");
    }
}

fn as_launch(launch: &Launch, op: &OpData) -> Option<Launch> {
    if !matches!(op.op.kind, OpKind::Control(ControlOp::Pipeline)) {
        return None;
    }
    let Some(Attribute::Pipeline(pipeline)) = op.attributes.get("pipeline") else { return None };
    let grid: Vec<usize> = pipeline.grid.iter().copied().collect::<Option<_>>()?;
    if pipeline.offsets || pipeline.operands.iter().any(|operand| operand.window == Window::InPlace) {
        return None;
    }
    let (&body, maps) = op.regions.split_last()?;
    let operands = operands(&launch.kernel, op, pipeline, maps)?;
    let place = &launch.kernel.locations[op.location.0 as usize];
    let (kernel, captured) = with_ids(&launch.kernel, op, body, grid.len())?;
    Some(Launch {
        kernel,
        semantics: vec![AxisSemantics::Arbitrary; grid.len()],
        grid,
        dynamic: Vec::new(),
        operands,
        scratch: own_scratch(launch, body, &captured)?,
        aliases: Vec::new(),
        staged: Vec::new(),
        spans: LaunchSpans { call: place.span, apply: place.span, ..LaunchSpans::default() },
        ..launch.clone()
    })
}

/// The blocks of a pipeline as those of a launch.
fn operands(kernel: &Function, op: &OpData, pipeline: &Pipeline, maps: &[RegionId]) -> Option<Vec<Operand>> {
    let refs = op.operands.get(pipeline.scalars()..)?;
    let described = pipeline.operands.iter().zip(refs).zip(maps);
    let mut operands: Vec<Operand> = described
        .map(|((operand, &source), &map)| {
            let source = kernel.ty(source).as_ref_type()?;
            let (map, captured) = kernel.outlined(map, "index map");
            captured.is_empty().then(|| Operand {
                name: operand.name.clone(),
                role: operand.role,
                array: TensorType::new(source.dtype, source.shape.clone()),
                block: operand.block.clone(),
                index_map: Some(map),
                space: MemorySpace::Default,
                buffers: None,
                spans: operand.spans.clone(),
            })
        })
        .collect::<Option<_>>()?;
    // As the Refs of a kernel stand.
    operands.sort_by_key(|operand| operand.role == Role::Output);
    Some(operands)
}

/// The scratch memory that a body takes from the kernel around it, if nothing else takes it: what the first step finds in it,
/// nobody has written. `None` where any of these values is something else.
fn own_scratch(launch: &Launch, body: RegionId, captured: &[ValueId]) -> Option<Vec<RefType>> {
    if captured.is_empty() {
        return Some(Vec::new());
    }
    let kernel = &launch.kernel;
    let sources = Sources::new(kernel);
    let scratch = |&value: &ValueId| {
        let reference = kernel.ty(value).as_ref_type()?;
        let origin = origin(kernel, &sources, value).filter(|origin| !origin.is_view)?;
        let is_scratch = origin.parameter.is_none_or(|number| number >= launch.operands.len());
        let everywhere = uses(kernel.ops.iter(), value);
        let is_own = everywhere == uses(inside(kernel, body).into_iter(), value);
        (is_scratch && is_own && !reference.space.is_semaphore()).then(|| reference.clone())
    };
    captured.iter().map(scratch).collect()
}

fn uses<'a>(ops: impl Iterator<Item = &'a OpData>, value: ValueId) -> usize {
    ops.map(|op| op.operands.iter().filter(|operand| **operand == value).count()).sum()
}

/// The ops of a region, those of regions within included.
fn inside(kernel: &Function, region: RegionId) -> Vec<&OpData> {
    let mut regions = vec![region];
    let mut found = Vec::new();
    while let Some(region) = regions.pop() {
        for &id in &kernel.region(region).ops {
            let op = kernel.op(id);
            regions.extend(&op.regions);
            found.push(op);
        }
    }
    found
}

/// The body as a kernel, which asks for the ids that it was given, and what it takes from outside. `None` where it asks for ids of
/// the programs around.
fn with_ids(kernel: &Function, op: &OpData, body: RegionId, axes: usize) -> Option<(Function, Vec<ValueId>)> {
    let (mut own, captured) = kernel.outlined(body, kernel.name.clone());
    let asks =
        own.ops.iter().any(|op| matches!(op.op.kind, OpKind::Program(ProgramOp::ProgramId | ProgramOp::NumPrograms)));
    if asks {
        return None;
    }
    let region = own.body.0 as usize;
    let ids: Vec<_> = own.regions[region].params.drain(..axes).collect();
    let mut first = Vec::with_capacity(axes);
    for (axis, id) in ids.into_iter().enumerate() {
        first.push(OpId(own.ops.len() as u32));
        own.ops.push(OpData {
            op: Op(&ops::PROGRAM_ID),
            operands: SmallVec::new(),
            results: SmallVec::from_elem(id, 1),
            attributes: Attributes::none().with("axis", Attribute::Int(axis as i64)),
            regions: SmallVec::new(),
            location: op.location,
        });
    }
    own.regions[region].ops.splice(0..0, first);
    Some((own, captured))
}
