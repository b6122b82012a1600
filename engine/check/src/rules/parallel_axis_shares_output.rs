//! PL125.

use crate::checked::Checked;
use crate::rule::Rule;
use crate::words;
use pallas_ir::{AxisSemantics, BlockMap, Certainty, Finding, Label, Role, Severity};

/// Programs along a parallel axis have the same block of an output.
pub(super) static RULE: Rule = Rule {
    code: "PL125",
    name: "parallel-axis-shares-output",
    severity: Severity::Error,
    summary: "programs along an axis that is declared parallel write the same block of an output",
    doc: r#"
## What it does
Reports an output whose index map does not follow a grid axis that `dimension_semantics` declares `parallel` (or
`core_parallel`): the programs along it all have the same block of the output.

## Why is this bad?
Programs along a parallel axis run in any order, and on chips with two cores at the same time, each with a buffer of its
own: what one core adds, the other does not see, and the last to write back wins. No check of JAX notices; interpret mode
runs the programs in order.

## Example
```python
pl.pallas_call(accumulate, grid=(blocks, steps),
               out_specs=pl.BlockSpec((128,), lambda i, k: (i,)),
               compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel")))
```

## Use instead
```python
compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "arbitrary"))
```
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    for (_, operand) in launch.with_role(Role::Output) {
        let map = BlockMap::new(operand, launch.grid.len());
        for (axis, semantics) in launch.semantics.iter().enumerate() {
            let is_long = launch.grid.get(axis).is_some_and(|&extent| extent > 1) && !launch.dynamic.contains(&axis);
            if *semantics != AxisSemantics::Parallel || !is_long || map.depends_on(axis) != Some(false) {
                continue;
            }
            let spans = &operand.spans;
            let span = spans.index_map.or(spans.spec).unwrap_or(launch.spans.call);
            let name = &operand.name;
            let message = format!("programs along grid axis {axis}, which is parallel, write the same block of {name}");
            let mut finding = RULE.finding(Certainty::Proved, span, message);
            let first = vec![0; launch.grid.len()];
            let mut second = first.clone();
            second[axis] = 1;
            finding.evidence =
                Some(format!("{} and {} have the same block", words::program(&first), words::program(&second)));
            finding.help = Some(format!(
                "declare axis {axis} `arbitrary` in `dimension_semantics`, so that its programs run in order, or let the index \
                 map follow it"
            ));
            finding.labels.push(Label { span: launch.spans.call, text: "launched here".to_string() });
            findings.push(finding);
        }
    }
}
