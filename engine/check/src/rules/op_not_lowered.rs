//! PL504.

use crate::checked::Checked;
use crate::lanes;
use crate::live::Live;
use crate::lowering::{self, Compiler};
use crate::rule::Rule;
use crate::walk::{Sources, walk};
use pallas_ir::{Certainty, Finding, OpId, Severity};
use pallas_syntax::Span;
use std::collections::HashSet;

/// An operation that the compiler of the target does not know.
pub(super) static RULE: Rule = Rule {
    code: "PL504",
    name: "op-not-lowered",
    severity: Severity::Error,
    summary: "the compiler of the target has no such operation",
    doc: r#"
## What it does
Reports operations that JAX 0.10.2 does not lower for the target, and forms of them that it refuses: sorting, running sums,
products of unsigned integers, Refs indexed by integer arrays, and so on; for a TPU also loads and stores that begin at a
computed place along the last dimension that is no multiple of 128. The target is what settings or `--target` say, or
what `compiler_params` says of a launch that is not interpreted: `pltpu.CompilerParams` means a TPU,
`plgpu.CompilerParams` a GPU, through Mosaic or through Triton. What nothing reads is left out by JAX, and is not
reported.

## Why is this bad?
Lowering raises `NotImplementedError: Unimplemented primitive in Pallas TPU lowering for tc: sort`, on the machine with the
accelerator. Interpret mode runs all of it.

## Example
```python
def kernel(x_ref, o_ref):
    o_ref[...] = jnp.cumsum(x_ref[...], axis=1)         # for a TPU
```

## Use instead
```python
def kernel(x_ref, o_ref):
    rows = lax.broadcasted_iota(jnp.int32, (128, 128), 0)
    columns = lax.broadcasted_iota(jnp.int32, (128, 128), 1)
    o_ref[...] = jnp.dot(x_ref[...], (rows <= columns).astype(jnp.float32))
```
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    let Some(compiler) = Compiler::of(launch.target).filter(|_| !launch.has_agents()) else { return };
    let kernel = &launch.kernel;
    let live = Live::new(kernel);
    let mut seen: HashSet<(Span, String)> = HashSet::new();
    for (number, op) in kernel.ops.iter().enumerate() {
        let id = OpId(number as u32);
        if !live.is_live(id) {
            continue;
        }
        let Some((message, instead)) = lowering::refusal(compiler, kernel, op) else { continue };
        let place = kernel.location(id);
        if !seen.insert((place.span, message.clone())) {
            continue;
        }
        let mut finding = RULE.finding(Certainty::Proved, place.span, message);
        if let Some(&value) = op.operands.first() {
            finding.evidence = Some(format!("`{}` of {}", op.op.name, kernel.ty(value)));
        }
        finding.help = Some(instead.to_string());
        finding.called_from(&place.calls);
        findings.push(finding);
    }
    if compiler == Compiler::Tpu {
        inside_of_lanes(launch, &live, findings);
    }
}

/// What Mosaic refuses as E2003.
fn inside_of_lanes(launch: &Checked<'_>, live: &Live, findings: &mut Vec<Finding>) {
    let kernel = &launch.kernel;
    let sources = Sources::new(kernel);
    let mut seen: HashSet<Span> = HashSet::new();
    walk(kernel, |id, path| {
        let place = kernel.location(id);
        if !live.is_live(id) || seen.contains(&place.span) {
            return;
        }
        let Some(evidence) = lanes::begins_inside(launch, &sources, id, path) else { return };
        seen.insert(place.span);
        let message =
            "the TPU compiler takes a computed place along the last dimension only where it is a multiple of 128";
        let mut finding = RULE.finding(Certainty::Proved, place.span, message.to_string());
        finding.evidence = Some(evidence);
        finding.help = Some(
            "have the index map choose the block, put this dimension in front of the last two, or load whole rows of 128 and \
             choose with `jnp.where` and an iota"
                .to_string(),
        );
        finding.called_from(&place.calls);
        findings.push(finding);
    });
}
