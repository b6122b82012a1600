//! PL506.

use crate::checked::Checked;
use crate::rule::Rule;
use crate::shared::{laid_out, swizzle, whole};
use crate::walk::{Source, Sources};
use crate::words;
use pallas_ir::{AgentOp, Certainty, DimIndex, Finding, Function, Launch, OpData, OpId, OpKind, Severity, ValueId};
use pallas_syntax::Span;
use std::collections::HashSet;

/// A copy that a GPU's engine does not make.
pub(super) static RULE: Rule = Rule {
    code: "PL506",
    name: "gpu-copy-shape",
    severity: Severity::Error,
    summary: "a copy of a GPU kernel has a shape that the engine does not copy",
    doc: r#"
## What it does
Reports copies between global and shared memory of a Mosaic GPU kernel that JAX 0.10.2 does not lower:

- into shared memory, of a number of bytes that is no multiple of 128;
- with a last dimension that is no multiple of 16 bytes;
- of an array in global memory whose rows are no multiple of 16 bytes apart;
- of more than 256 elements along a dimension, tiles counted apart, unless it is copied out as one contiguous piece;
- with more than five dimensions longer than 1.

Kernels with `lowering_semantics=Warpgroup` are not reported, nor are copies that blocks of a cluster share.

## Why is this bad?
Lowering raises, for instance `Async copies only support copying <=256 elements along each dimension`; interpret mode copies
whatever it is given.

## Example
```python
x_smem = plgpu.SMEM((100,), jnp.float32)                     # 400 bytes
plgpu.copy_gmem_to_smem(x_gmem.at[pl.ds(0, 100)], x_smem, barrier)
```

## Use instead
```python
x_smem = plgpu.SMEM((128,), jnp.float32)                     # what lies outside of the array arrives as zeros
plgpu.copy_gmem_to_smem(x_gmem.at[pl.ds(0, 128)], x_smem, barrier)
```
"#,
    check: Some(check),
};

/// `_copy_gmem_to_smem_lowering` of jax/_src/pallas/mosaic_gpu/primitives.py: bytes of a copy into shared memory.
const PIECE: usize = 128;
/// `_prepare_tma` of jax/experimental/mosaic/gpu/launch_context.py: bits of a row, and between rows.
const ROW: usize = 128;
/// `async_copy` there: elements along a dimension.
const LONGEST: usize = 256;
/// `_prepare_tma` there: dimensions.
const RANK: usize = 5;

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    if !launch.target.is_mosaic_gpu() {
        return;
    }
    let kernel = &launch.kernel;
    let sources = Sources::new(kernel);
    let mut seen: HashSet<Span> = HashSet::new();
    for (number, op) in kernel.ops.iter().enumerate() {
        let Some((message, evidence, help)) = refusal(launch, &sources, op) else { continue };
        let place = kernel.location(OpId(number as u32));
        if place.span != Span::default() && !seen.insert(place.span) {
            continue;
        }
        let mut finding = RULE.finding(Certainty::Proved, place.span, message);
        finding.evidence = Some(evidence);
        finding.help = Some(help);
        finding.called_from(&place.calls);
        findings.push(finding);
    }
}

/// Message, evidence, help.
fn refusal(launch: &Launch, sources: &Sources, op: &OpData) -> Option<(String, String, String)> {
    let kernel = &launch.kernel;
    let (&source, &destination) = (op.operands.first()?, op.operands.get(1)?);
    let (is_in, global, local) = match op.op.kind {
        OpKind::Agent(AgentOp::CopyIn) => (true, source, destination),
        OpKind::Agent(AgentOp::CopyOut) => (false, destination, source),
        _ => return None,
    };
    let part = kernel.ty(local).as_ref_type().filter(|ty| ty.bounded.is_empty())?;
    let bits = part.dtype.bits() as usize;
    let is_shared_by_blocks = op.attributes.get("axes").is_some();
    let size = part.shape.checked_size()?;
    let shape = format!("{} of shape {}", part.dtype, part.shape);
    if is_in && !is_shared_by_blocks && !(size * bits).is_multiple_of(8 * PIECE) {
        let message = format!("Mosaic GPU copies multiples of {PIECE} bytes into shared memory");
        let evidence = format!("{shape}: {}", words::bytes((size * bits).div_ceil(8)));
        return Some((message, evidence, format!("take a multiple of {} elements", PIECE * 8 / bits.max(1))));
    }
    if let Some(array) = whole(kernel, sources, global).map(|whole| whole.ty) {
        let row = (1..array.shape.rank()).find_map(|axis| {
            let row: usize = array.shape.iter().skip(axis).product();
            (!(row * bits).is_multiple_of(ROW)).then_some(row)
        });
        if let Some(row) = row {
            let message = "copies need rows of global memory that are a multiple of 16 bytes apart".to_string();
            let apart = words::bytes((row * bits).div_ceil(8));
            let evidence = format!("rows of an array of {} of shape {} are {apart} apart", array.dtype, array.shape);
            let help = format!("let the array have rows of a multiple of {} elements", ROW / bits.max(1));
            return Some((message, evidence, help));
        }
    }
    let memory = whole(kernel, sources, local).filter(|memory| !memory.is_transposed)?.ty;
    let laid = laid_out(&part.shape, part.dtype, &memory.layout).ok()?;
    let is_swizzled = swizzle(&memory.layout).is_some();
    if let Some(&last) = laid.last().filter(|&&last| last > 1 && !is_shared_by_blocks)
        && !(last * bits).is_multiple_of(ROW)
    {
        let message = "copies need a last dimension of a multiple of 16 bytes".to_string();
        let help = format!("take a multiple of {} elements along the last dimension", ROW / bits.max(1));
        return Some((message, format!("{shape}: {}", words::bytes((last * bits).div_ceil(8))), help));
    }
    // What is one contiguous piece goes another way, unless zeros are to arrive for what lies outside.
    let is_piecewise = is_swizzled || (is_in && op.attributes.get("oob").is_none());
    if let Some(&longest) =
        laid.iter().find(|&&extent| extent > LONGEST).filter(|_| is_piecewise && !is_shared_by_blocks)
    {
        let message = format!("a copy has at most {LONGEST} elements along a dimension: this has {longest}");
        let help = format!("copy in parts of at most {LONGEST}, which may arrive at one barrier");
        return Some((message, shape, help));
    }
    // Positions along other dimensions of the array make one dimension.
    let picked = usize::from(is_picked(kernel, sources, global));
    let rank = laid.iter().filter(|&&extent| extent > 1).count() + picked;
    if rank > RANK {
        let message = format!("a copy has at most {RANK} dimensions: this has {rank}");
        return Some((message, shape, "copy part by part, or reshape the array outside of the kernel".to_string()));
    }
    None
}

/// Whether a Ref is a part of another one that has one position of a longer dimension.
fn is_picked(kernel: &Function, sources: &Sources, reference: ValueId) -> bool {
    let Source::Result(id, _) = sources.of(reference) else { return false };
    let op = kernel.op(id);
    let whole = op.operands.first().and_then(|&whole| kernel.ty(whole).as_ref_type());
    let (Some(pattern), Some(whole)) = (op.attributes.index(), whole) else { return false };
    pattern.0.iter().zip(&whole.shape).any(|(dim, &extent)| matches!(dim, DimIndex::At(_)) && extent > 1)
}
