//! PL122.

use super::empty_grid;
use crate::checked::Checked;
use crate::refs::origin;
use crate::rule::Rule;
use crate::walk::Sources;
use pallas_ir::op::MemoryOp;
use pallas_ir::{Certainty, Finding, Label, Launch, OpKind, Role, Severity};
use std::collections::HashSet;

/// A kernel never writes one of its outputs.
pub(super) static RULE: Rule = Rule {
    code: "PL122",
    name: "output-never-written",
    severity: Severity::Error,
    summary: "a kernel never writes one of its outputs",
    doc: r#"
## What it does
Reports an output Ref that the kernel never stores to: not by `o_ref[...] = value`, not through a view, a swap or an
atomic. Outputs that share their memory with an input (`input_output_aliases`) are not reported, nor those that the kernel
says it leaves alone: a parameter whose name begins with `_`, or `del o_ref`.

Where the kernel uses the Ref behind a Python condition (`if with_residuals:`), the condition did not hold when it was
traced. That is a warning: the caller may know that nothing reads the output then.

## Why is this bad?
The output holds whatever was in memory before: NaN in interpret mode, anything on hardware. Often the Refs are in the
wrong order: inputs come first, then outputs, then scratch.

## Example
```python
def kernel(x_ref, o_ref):
    o_ref = x_ref[...] * 2.0     # binds a local name; the Ref is not written
```

## Use instead
```python
def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2.0
```
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    if empty_grid::is_empty(launch) {
        return;
    }
    let written = written(launch);
    let aliased: Vec<bool> = super::outputs(launch).map(|(_, aliased)| aliased).collect();
    for ((number, operand), aliased) in launch.with_role(Role::Output).zip(aliased) {
        let is_meant = operand.name.starts_with('_') || operand.spans.dropped.is_some();
        if aliased || is_meant || written.contains(&number) || operand.array.shape.contains(&0) {
            continue;
        }
        let span = operand.spans.parameter.or(launch.spans.kernel);
        let message = format!("this kernel never writes its output {}", operand.name);
        let mut finding = RULE.finding(Certainty::Proved, span.unwrap_or(launch.spans.call), message);
        finding.help = Some(format!(
            "store to it: `{}[...] = value`; parameters are inputs, then outputs, then scratch",
            operand.name
        ));
        if let Some(condition) = operand.spans.conditional {
            finding.severity = Severity::Warning;
            finding.help = Some(format!(
                "where nothing uses {0}, leave it out of `out_shape`; else store to it in every case",
                operand.name
            ));
            let text = format!(
                "{} is used behind this condition, which did not hold when the kernel was traced",
                operand.name
            );
            finding.labels.push(Label { span: condition, text });
        }
        finding.labels.push(Label { span: launch.spans.call, text: "launched here".to_string() });
        findings.push(finding);
    }
}

/// Numbers of the kernel's parameters that something may write.
pub(super) fn written(launch: &Launch) -> HashSet<usize> {
    let kernel = &launch.kernel;
    let sources = Sources::new(kernel);
    let mut written = HashSet::new();
    for op in &kernel.ops {
        // Whatever else takes a Ref (copies, kernels within kernels) may write it.
        if matches!(op.op.kind, OpKind::Memory(MemoryOp::Load | MemoryOp::View | MemoryOp::Reinterpret)) {
            continue;
        }
        for &operand in &op.operands {
            if kernel.ty(operand).as_ref_type().is_some()
                && let Some(origin) = origin(kernel, &sources, operand)
            {
                written.extend(origin.parameter);
            }
        }
    }
    written
}
