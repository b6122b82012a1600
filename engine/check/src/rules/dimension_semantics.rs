//! PL131.

use crate::checked::Checked;
use crate::rule::Rule;
use pallas_ir::{Certainty, Finding, Label, Launch, Severity};

/// `dimension_semantics` that do not fit the grid.
pub(super) static RULE: Rule = Rule {
    code: "PL131",
    name: "dimension-semantics",
    severity: Severity::Error,
    summary: "`dimension_semantics` does not say one of the words that there are for each axis of the grid",
    doc: r#"
## What it does
Reports `dimension_semantics` with more or fewer entries than the grid has axes, and entries that are none of `"parallel"`,
`"arbitrary"`, `"core_parallel"` and `"subcore_parallel"`; for Mosaic GPU of `"parallel"` and `"sequential"`.

## Why is this bad?
Interpret mode does not look at it. On a TPU lowering raises `ValueError: Length of grid does not match length of dimension
semantics`, or the compiler does not know the word.

## Example
```python
pl.pallas_call(kernel, grid=(4, 4, 8), ...,
               compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "sequential")))
```

## Use instead
```python
compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "arbitrary"))
```
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    let (said, axes) = (launch.semantics.len(), launch.grid.len());
    if said == 0 || said == axes || is_for_gpus(launch) {
        return;
    }
    let entries = if said == 1 { "entry" } else { "entries" };
    let message = match axes {
        0 => format!("`dimension_semantics` has {said} {entries}, and the launch has no grid"),
        1 => format!("`dimension_semantics` has {said} {entries}, and the grid one axis"),
        _ => format!("`dimension_semantics` has {said} {entries}, and the grid {axes} axes"),
    };
    let mut finding = RULE.finding(Certainty::Proved, launch.spans.call, message);
    finding.help = Some("give one entry for each axis of the grid, in its order".to_string());
    if let Some(grid) = launch.spans.grid {
        finding.labels.push(Label { span: grid, text: format!("the grid is ({})", launch.grid_words().join(", ")) });
    }
    findings.push(finding);
}

fn is_for_gpus(launch: &Launch) -> bool {
    launch.target.is_mosaic_gpu() || launch.written_for.is_mosaic_gpu()
}
