//! PL507.

use crate::checked::Checked;
use crate::rule::Rule;
use crate::shared::{Misfit, laid_out, whole};
use crate::walk::Sources;
use pallas_ir::op::MemoryOp;
use pallas_ir::{
    Certainty, ControlOp, DimIndex, Finding, Launch, Location, OpData, OpId, OpKind, Position, RefType, Severity,
    Transform,
};

/// A layout of a GPU's memory that does not fit.
pub(super) static RULE: Rule = Rule {
    code: "PL507",
    name: "gpu-memory-layout",
    severity: Severity::Error,
    summary: "a layout of a GPU's memory does not fit what lies there",
    doc: r#"
## What it does
Reports, in Mosaic GPU kernels, shared memory whose `TilingTransform` does not divide its shape, or whose `SwizzleTransform`
wants another last dimension (of a tile, if there are tiles) than there is: as many elements as the swizzle has bytes. And
parts of tiled memory that begin or end within a tile, and tensor memory with other than 64 or 128 rows.

## Why is this bad?
Lowering raises, some of it without a word (`AssertionError`); interpret mode knows no layouts.

## Example
```python
transforms = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
plgpu.SMEM((128, 64), jnp.float32, transforms=transforms)         # a row of a tile has 256 bytes
```

## Use instead
```python
transforms = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))
plgpu.SMEM((128, 64), jnp.float32, transforms=transforms)
```
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    if !launch.target.is_mosaic_gpu() {
        return;
    }
    let kernel = &launch.kernel;
    let here = Location { span: launch.spans.call, calls: Vec::new() };
    for (number, scratch) in launch.scratch.iter().enumerate() {
        let param = kernel.params().get(launch.operands.len() + number);
        let name = param.and_then(|&param| kernel.value(param).name.as_deref()).unwrap_or("scratch memory");
        findings.extend(misfit(scratch, name, &here));
    }
    let sources = Sources::new(kernel);
    for (number, op) in kernel.ops.iter().enumerate() {
        let location = kernel.location(OpId(number as u32));
        match op.op.kind {
            OpKind::Control(ControlOp::Scoped) => {
                let params = op.regions.iter().flat_map(|&region| kernel.region(region).params.iter());
                findings.extend(params.filter_map(|&param| {
                    let value = kernel.value(param);
                    misfit(value.ty.as_ref_type()?, value.name.as_deref().unwrap_or("scratch memory"), location)
                }));
            }
            OpKind::Memory(MemoryOp::View) => findings.extend(cut(launch, &sources, op, location)),
            _ => {}
        }
    }
}

/// An allocation whose layout does not fit.
fn misfit(ty: &RefType, name: &str, location: &Location) -> Option<Finding> {
    let misfit = laid_out(&ty.shape, ty.dtype, &ty.layout).err()?;
    let (message, help) = match misfit {
        Misfit::Tile { axis, extent, tile } => (
            format!("tiles of {tile} do not divide dimension {axis} of {name}, which has {extent}"),
            format!("take a multiple of {tile}, or a smaller tile"),
        ),
        Misfit::Row { extent, wanted, swizzle } => (
            format!(
                "a swizzle of {swizzle} bytes needs rows of {wanted} elements of {}: {name} has {extent}",
                ty.dtype
            ),
            match ty.layout.iter().any(|step| matches!(step, Transform::Tiled(_))) {
                true => format!("tile it by (8, {wanted})"),
                false => format!("tile it by `plgpu.TilingTransform((8, {wanted}))` before it is swizzled"),
            },
        ),
    };
    let mut finding = RULE.finding(Certainty::Proved, location.span, message);
    let steps: Vec<String> = ty.layout.iter().map(Transform::to_string).collect();
    finding.evidence = Some(format!("{} of shape {}: {}", ty.dtype, ty.shape, steps.join(", ")));
    finding.help = Some(help);
    finding.called_from(&location.calls);
    Some(finding)
}

/// A part of tiled memory that begins or ends within a tile: `UntilingTransform.commute_ndindexer` of
/// jax/_src/pallas/mosaic_gpu/core.py.
fn cut(launch: &Launch, sources: &Sources, op: &OpData, location: &Location) -> Option<Finding> {
    let kernel = &launch.kernel;
    let reference = *op.operands.first()?;
    let memory = whole(kernel, sources, reference).filter(|memory| !memory.is_transposed)?;
    let [Transform::Tiled(tiles), ..] = &memory.ty.layout[..] else { return None };
    let pattern = op.attributes.index()?;
    let first = pattern.0.len().checked_sub(tiles.len())?;
    let found = pattern.0.iter().enumerate().skip(first).zip(tiles).find_map(|((axis, dim), &tile)| {
        let DimIndex::Slice { start, size, .. } = dim else { return None };
        let start = match start {
            Position::Static(start) => *start,
            Position::Dynamic => 0,
        };
        let is_cut = tile > 0 && (start.rem_euclid(tile as i64) != 0 || !size.is_multiple_of(tile));
        is_cut.then_some((axis, start, *size, tile))
    });
    let (axis, start, size, tile) = found?;
    let message = format!("this part begins or ends within a tile: tiles have {tile} elements along dimension {axis}");
    let mut finding = RULE.finding(Certainty::Proved, location.span, message);
    finding.evidence = Some(format!("{size} elements from {start}"));
    finding.help = Some(format!("take multiples of {tile}"));
    finding.called_from(&location.calls);
    Some(finding)
}
