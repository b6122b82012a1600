//! PL123.

use crate::checked::Checked;
use crate::rule::Rule;
use pallas_ir::{Certainty, Finding, Launch, Severity};
use pallas_tensor::Shape;

/// A grid without programs.
pub(super) static RULE: Rule = Rule {
    code: "PL123",
    name: "empty-grid",
    severity: Severity::Error,
    summary: "the grid has no programs, so the kernel never runs",
    doc: r#"
## What it does
Reports a grid with an extent of zero or less, where an output has elements that somebody should have written.

## Why is this bad?
JAX accepts such a grid. The kernel never runs, and outputs hold whatever was in memory before: NaN in interpret mode.
The usual cause is `n // block` for an `n` smaller than the block.

## Example
```python
n, block = 100, 128
pl.pallas_call(kernel, grid=(n // block,), ...)      # 0 programs
```

## Use instead
```python
pl.pallas_call(kernel, grid=(pl.cdiv(n, block),), ...)
```
"#,
    check: Some(check),
};

/// Whether no program runs.
pub(super) fn is_empty(launch: &Launch) -> bool {
    launch.grid.contains(&0)
}

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    let Some(axis) = launch.grid.iter().position(|&extent| extent == 0) else {
        return;
    };
    let mut outputs = super::outputs(launch);
    if !outputs.any(|(operand, aliased)| !aliased && !operand.array.shape.contains(&0)) {
        return;
    }
    let span = launch.spans.grid.unwrap_or(launch.spans.call);
    let mut finding = RULE.finding(
        Certainty::Proved,
        span,
        "this grid has no programs, so the kernel never runs and its outputs are never written".to_string(),
    );
    finding.evidence =
        Some(format!("axis {axis} of the grid {} has an extent of zero or less", Shape::from(&launch.grid[..])));
    finding.help = Some("round up: `pl.cdiv(n, block)` is at least 1 for any n above 0".to_string());
    findings.push(finding);
}
