//! PL508.

use crate::checked::Checked;
use crate::rule::Rule;
use crate::shared::{Whole, elements, laid_out, swizzle, whole};
use crate::walk::Sources;
use pallas_ir::{
    AgentOp, Certainty, ControlOp, Finding, Function, MemorySpace, OpData, OpId, OpKind, RefType, Severity, Transform,
};
use pallas_syntax::Span;
use pallas_tensor::DType;
use std::collections::HashSet;

/// A product that a GPU's tensor cores do not compute.
pub(super) static RULE: Rule = Rule {
    code: "PL508",
    name: "gpu-product-shape",
    severity: Severity::Error,
    summary: "a product of a GPU's tensor cores has a shape, dtype or layout that they do not take",
    doc: r#"
## What it does
Reports, in Mosaic GPU kernels, products that JAX 0.10.2 does not lower.

`plgpu.wgmma` (Hopper): accumulators have a multiple of 64 rows and of 8 columns, at most 256 columns in a product; factors in
shared memory are tiled by (8, elements in the swizzle) and swizzled, both alike; they are float16, bfloat16, float32, float8
(e4m3fn, e5m2) or int8; sums of bfloat16 and float32 are float32, of float16 and float8 float32 or float16, of int8 int32;
only factors of two bytes may lie with their last dimension along the rows or columns of the result.

`plgpu.tcgen05_mma` (Blackwell): 64 or 128 rows; a multiple of 8 columns (16 in two blocks, twice that for int8), at most
512, and above 256 only 512; at most 128 in two blocks; factors as above, without float32.

## Why is this bad?
Lowering raises, some of it without a word (`AssertionError`); interpret mode multiplies whatever it is given.

## Example
```python
pl.run_scoped(body, plgpu.ACC((32, 128), jnp.float32))
```

## Use instead
```python
pl.run_scoped(body, plgpu.ACC((64, 128), jnp.float32))
```
"#,
    check: Some(check),
};

/// What is wrong, and what to do.
type Refusal = (String, String);

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    if !launch.target.is_mosaic_gpu() {
        return;
    }
    let kernel = &launch.kernel;
    let sources = Sources::new(kernel);
    let mut seen: HashSet<Span> = HashSet::new();
    for (number, op) in kernel.ops.iter().enumerate() {
        let refusal = match op.op.kind {
            OpKind::Agent(AgentOp::Product) => wgmma(kernel, &sources, op),
            OpKind::Agent(AgentOp::Mma) => tcgen05(kernel, &sources, op),
            OpKind::Control(ControlOp::Scoped) => {
                let params = op.regions.iter().flat_map(|&region| kernel.region(region).params.iter());
                params.filter_map(|&param| kernel.ty(param).as_ref_type()).find_map(accumulator)
            }
            _ => None,
        };
        let Some((message, help)) = refusal else { continue };
        let location = kernel.location(OpId(number as u32));
        if location.span != Span::default() && !seen.insert(location.span) {
            continue;
        }
        let mut finding = RULE.finding(Certainty::Proved, location.span, message);
        finding.help = Some(help);
        finding.called_from(&location.calls);
        findings.push(finding);
    }
    for scratch in &launch.scratch {
        if let Some((message, help)) = accumulator(scratch) {
            let mut finding = RULE.finding(Certainty::Proved, launch.spans.call, message);
            finding.help = Some(help);
            findings.push(finding);
        }
    }
}

/// `WGMMAAccumulator.zero` of jax/experimental/mosaic/gpu/wgmma.py.
fn accumulator(ty: &RefType) -> Option<Refusal> {
    let [m, n] = ty.shape[..] else { return None };
    if ty.space != MemorySpace::Registers || (m.is_multiple_of(64) && n.is_multiple_of(8)) {
        return None;
    }
    let message = format!("accumulators of `wgmma` have a multiple of 64 rows and of 8 columns: this has {m} x {n}");
    let help = format!("`plgpu.ACC(({}, {}), ...)`", m.next_multiple_of(64), n.next_multiple_of(8));
    Some((message, help))
}

/// `wgmma` of jax/experimental/mosaic/gpu/wgmma.py, and `_wgmma_lowering` of jax/_src/pallas/mosaic_gpu/primitives.py.
fn wgmma(kernel: &Function, sources: &Sources, op: &OpData) -> Option<Refusal> {
    let [acc, a, b] = op.operands[..] else { return None };
    let into = kernel.ty(acc).as_ref_type()?;
    let &[_, n] = &into.shape[..] else { return None };
    let right = kernel.ty(b).as_ref_type()?;
    if n > 256 {
        let message = format!("a product of `wgmma` has at most 256 columns: this has {n}");
        return Some((message, "multiply by parts of the right factor, into parts of the accumulator".to_string()));
    }
    if let Some(refusal) = dtypes("wgmma", right.dtype, into.dtype, true) {
        return Some(refusal);
    }
    let left = kernel.ty(a).as_ref_type().is_some();
    let factors = [(left, a, "left"), (true, b, "right")];
    let factors: Vec<(Whole<'_>, &str)> = factors
        .iter()
        .filter(|(is_ref, ..)| *is_ref)
        .filter_map(|&(_, at, name)| Some((whole(kernel, sources, at)?, name)))
        .collect();
    if let Some(refusal) = layouts("wgmma", &factors) {
        return Some(refusal);
    }
    // The last dimension of memory is that of the sum in a left factor as it is, and in a right one that is transposed.
    let lies = factors.iter().find(|(factor, name)| factor.is_transposed != (*name == "right"));
    if let Some((factor, name)) = lies.filter(|(factor, _)| factor.ty.dtype.bits() != 16) {
        let message = format!(
            "`wgmma` takes a {name} factor of {} only if it is summed along the last dimension of its memory",
            factor.ty.dtype
        );
        let help = match *name {
            "right" => "keep it as (n, k), and hand over `plgpu.transpose_ref(ref, (1, 0))`",
            _ => "keep it as (m, k)",
        };
        return Some((message, help.to_string()));
    }
    None
}

/// `mma` of jax/experimental/mosaic/gpu/tcgen05.py, and `_tcgen05_mma_lowering` of
/// jax/_src/pallas/mosaic_gpu/primitives.py. Of scaled and sparse products only the shape is looked at.
fn tcgen05(kernel: &Function, sources: &Sources, op: &OpData) -> Option<Refusal> {
    let [acc, a, b, ..] = op.operands[..] else { return None };
    let [into, left, right] = [acc, a, b].map(|value| kernel.ty(value).as_ref_type());
    let (into, left, right) = (into?, left?, right?);
    let (&[m, _], &[_, n]) = (&left.shape[..], &right.shape[..]) else { return None };
    if m != 64 && m != 128 {
        let message = format!("`tcgen05_mma` multiplies 64 or 128 rows: this has {m}");
        return Some((message, "take parts of 128 rows".to_string()));
    }
    let is_plain = !op.attributes.flag("scaled") && !op.attributes.flag("sparse");
    if is_plain && let Some(refusal) = dtypes("tcgen05_mma", right.dtype, into.dtype, false) {
        return Some(refusal);
    }
    let together = op.attributes.int("axis").is_some();
    let most = if together { 128 } else { 512 };
    if n > most {
        let blocks = if together { " in two blocks" } else { "" };
        let message = format!("`tcgen05_mma` has at most {most} columns{blocks}: this has {n}");
        return Some((message, format!("take parts of at most {most} columns")));
    }
    if n > 256 && !n.is_power_of_two() {
        let message = format!("`tcgen05_mma` has at most 256 columns, or 512: this has {n}");
        return Some((message, "take parts of 256 columns".to_string()));
    }
    let multiple = if together { 16 } else { 8 } * if right.dtype == DType::I8 { 2 } else { 1 };
    let multiple = multiple * if m == 64 && !together { 2 } else { 1 };
    if !n.is_multiple_of(multiple) {
        let message = format!("`tcgen05_mma` has a multiple of {multiple} columns here: this has {n}");
        return Some((message, format!("take {} columns", n.next_multiple_of(multiple))));
    }
    if !is_plain {
        return None;
    }
    let factors: Vec<(Whole<'_>, &str)> = [(a, left, "left"), (b, right, "right")]
        .iter()
        .filter(|(_, ty, _)| ty.space == MemorySpace::Shared)
        .filter_map(|&(at, _, name)| Some((whole(kernel, sources, at)?, name)))
        .collect();
    layouts("tcgen05_mma", &factors)
}

/// Whether dtypes go together.
fn dtypes(op: &str, factor: DType, sum: DType, takes_f32: bool) -> Option<Refusal> {
    let sums: &[DType] = match factor {
        DType::BF16 => &[DType::F32],
        DType::F32 if takes_f32 => &[DType::F32],
        DType::F16 | DType::F8E4M3Fn | DType::F8E5M2 => &[DType::F32, DType::F16],
        DType::I8 => &[DType::I32],
        // JAX's own types of bytes have no sign.
        DType::U8 => return None,
        _ => {
            let message = format!("`{op}` multiplies no {factor}");
            let help = "convert to float16, bfloat16, float8_e4m3fn, float8_e5m2 or int8 before";
            return Some((message, help.to_string()));
        }
    };
    if sums.contains(&sum) {
        return None;
    }
    let names: Vec<String> = sums.iter().map(DType::to_string).collect();
    let message = format!("`{op}` sums products of {factor} in {}: the accumulator is {sum}", names.join(" or "));
    Some((message, format!("let the accumulator be {}, and convert its value", names[0])))
}

/// Whether factors in shared memory are tiled and swizzled, both alike.
fn layouts(op: &str, factors: &[(Whole<'_>, &str)]) -> Option<Refusal> {
    for (factor, name) in factors {
        let ty = factor.ty;
        // That a layout does not fit its memory is said by another rule.
        if laid_out(&ty.shape, ty.dtype, &ty.layout).is_err() {
            return None;
        }
        match &ty.layout[..] {
            [Transform::Tiled(tiles), Transform::Swizzled(bytes)] => {
                let row = elements(*bytes, ty.dtype);
                if tiles[..] != [8, row] {
                    let message = format!(
                        "the {name} factor of `{op}` is tiled by {:?}, but its swizzle wants (8, {row})",
                        &tiles[..]
                    );
                    return Some((message, format!("`plgpu.TilingTransform((8, {row}))`")));
                }
            }
            _ => {
                let row = elements(128, ty.dtype);
                let message = format!("the {name} factor of `{op}` is not tiled and swizzled");
                let help = format!(
                    "`plgpu.SMEM(..., transforms=(plgpu.TilingTransform((8, {row})), plgpu.SwizzleTransform(128)))`"
                );
                return Some((message, help));
            }
        }
    }
    match factors {
        [(left, _), (right, _)] => {
            let (left, right) = (swizzle(&left.ty.layout)?, swizzle(&right.ty.layout)?);
            (left != right).then(|| {
                let message = format!("the factors of `{op}` are swizzled differently: {left} and {right} bytes");
                (message, "give both the same layout".to_string())
            })
        }
        _ => None,
    }
}
