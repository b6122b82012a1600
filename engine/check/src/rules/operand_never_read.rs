//! PL130.

use crate::checked::Checked;
use crate::rule::Rule;
use pallas_ir::{Certainty, Finding, Function, Label, Launch, Role, Severity, ValueId};

/// An operand that neither the kernel nor an index map reads.
pub(super) static RULE: Rule = Rule {
    code: "PL130",
    name: "operand-never-read",
    severity: Severity::Info,
    summary: "neither the kernel nor an index map reads an operand",
    doc: r#"
## What it does
Reports inputs, and scalars that are fetched before the grid runs, that the kernel does nothing with and no index map
reads. Inputs that share their memory with an output (`input_output_aliases`) are not reported, nor are parameters whose
name begins with an underscore.

## Why is this bad?
Every program waits for the operand's block to be copied. Scalars that were meant to choose blocks choose none.

## Example
```python
# index is fetched, and the index map does not ask for it
in_specs=[pl.BlockSpec((None, 8, 128), lambda i, index: (i, 0, 0))]
```

## Use instead
```python
in_specs=[pl.BlockSpec((None, 8, 128), lambda i, index: (index[i], 0, 0))]
```
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    let launch = launch.as_written();
    let inputs = launch.operands.iter().enumerate().filter(|(_, operand)| operand.role != Role::Output);
    for (number, operand) in inputs {
        let is_aliased = launch.aliases.iter().any(|&(input, _)| input == number);
        let param = launch.kernel.params().get(number).copied();
        if is_aliased || operand.name.starts_with('_') || param.is_none_or(|param| is_used(&launch.kernel, param)) {
            continue;
        }
        if operand.role == Role::Prefetch && maps_use(launch, number) {
            continue;
        }
        let span = operand.spans.parameter.or(operand.spans.spec).unwrap_or(launch.spans.call);
        let mut finding = RULE.finding(Certainty::Proved, span, format!("nothing reads {}", operand.name));
        finding.help = Some(match operand.role {
            Role::Prefetch => "should an index map use it? Else leave the operand out".to_string(),
            _ => "leave the operand out, so that its blocks need not be copied".to_string(),
        });
        finding.labels.push(Label { span: launch.spans.call, text: "launched here".to_string() });
        findings.push(finding);
    }
}

fn is_used(function: &Function, value: ValueId) -> bool {
    function.ops.iter().any(|op| op.operands.contains(&value))
        || function.regions.iter().any(|region| region.yields.contains(&value))
}

/// Whether an index map reads a scalar operand: maps take the program ids, then those operands.
fn maps_use(launch: &Launch, number: usize) -> bool {
    let maps = launch.operands.iter().filter_map(|operand| operand.index_map.as_ref());
    maps.into_iter().any(|map| {
        let param = map.params().get(launch.grid.len() + number);
        param.is_none_or(|&param| is_used(map, param))
    })
}
