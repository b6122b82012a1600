//! PL503.

use crate::checked::Checked;
use crate::rule::Rule;
use crate::words;
use pallas_ir::op::MemoryOp;
use pallas_ir::{Certainty, Finding, OpId, OpKind, Role, Severity, Target};
use pallas_syntax::Span;
use pallas_tensor::Shape;
use std::collections::HashSet;

/// What Triton cannot do.
pub(super) static RULE: Rule = Rule {
    code: "PL503",
    name: "triton-limits",
    severity: Severity::Error,
    summary: "Triton loads and stores powers of two, and has no scratch memory",
    doc: r#"
## What it does
Reports, where the target is Triton (`--target triton`, or `compiler_params=plgpu.CompilerParams(...)` of
`pallas.triton`): loads and stores of a number of elements that is no power of two, grids
of 2^31 programs and more, scratch memory, and scalars that are fetched before the grid runs.

## Why is this bad?
Lowering raises, for instance `ValueError: The Pallas Triton lowering currently requires that all operations have array
arguments and results whose size is a power of 2`. Interpret mode accepts all of it.

## Example
```python
pl.BlockSpec((96,), lambda i: (i,))          # x_ref[...] loads 96 elements
```

## Use instead
A power of two, with a mask for what is too much:
```python
pl.BlockSpec((128,), lambda i: (i,))
plgpu.load(x_ref.at[lanes], mask=lanes < 96, other=0.0)
```
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    if launch.target != Target::Triton {
        return;
    }
    let grid = launch.spans.grid.unwrap_or(launch.spans.call);
    let mut report = |span: Span, message: String, help: &str| {
        let mut finding = RULE.finding(Certainty::Proved, span, message);
        finding.help = Some(help.to_string());
        findings.push(finding);
    };
    if launch.programs() >= 1 << 31 {
        report(grid, "Triton runs fewer than 2147483648 programs".to_string(), "take larger blocks");
    }
    if !launch.scratch.is_empty() {
        let message =
            format!("Triton has no scratch memory: {} asked for", words::count(launch.scratch.len(), "Ref is"));
        report(launch.spans.call, message, "carry what is needed through the loop as a value");
    }
    if launch.with_role(Role::Prefetch).next().is_some() {
        let message = "Triton fetches no scalars before the grid runs".to_string();
        report(launch.spans.call, message, "hand them to the kernel as an operand, and read them there");
    }
    let kernel = &launch.kernel;
    let mut seen: HashSet<Span> = HashSet::new();
    for (number, op) in kernel.ops.iter().enumerate() {
        let value = match op.op.kind {
            OpKind::Memory(MemoryOp::Load) => op.results.first(),
            OpKind::Memory(MemoryOp::Store | MemoryOp::Swap | MemoryOp::Atomic) => op.operands.get(1),
            _ => continue,
        };
        let Some(shape) = value.map(|&value| kernel.ty(value).shape()) else { continue };
        let place = kernel.location(OpId(number as u32));
        if shape.size().is_power_of_two() || !seen.insert(place.span) {
            continue;
        }
        let message = format!("Triton moves powers of two: this has {} elements", shape.size());
        let mut finding = RULE.finding(Certainty::Proved, place.span, message);
        finding.evidence = Some(format!("a tile of shape {}", Shape::from(&shape[..])));
        finding.help =
            Some(format!("take {} elements, and mask those that are too many", shape.size().next_power_of_two()));
        finding.called_from(&place.calls);
        findings.push(finding);
    }
}
