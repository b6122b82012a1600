//! PL128.

use super::output_never_written::written;
use crate::blocks::first_outside;
use crate::checked::Checked;
use crate::refs::origin;
use crate::rule::Rule;
use crate::walk::Sources;
use crate::words;
use pallas_ir::op::MemoryOp;
use pallas_ir::{Certainty, Finding, Label, Launch, OpKind, Severity};

/// Part of an output is in a program's block, and no program writes it.
pub static RULE: Rule = Rule {
    code: "PL128",
    name: "output-partly-unwritten",
    severity: Severity::Warning,
    summary: "no program writes part of an output, though it is in the block of one",
    doc: r#"
## What it does
Reports elements of an output that are in the block of some program, and that no program stores to: it stores to a part of
its block only, or under a condition that never holds. The kernel is run on what is known without data; a store that may
be made, or whose place is not known, counts as made. Outputs that share their memory with an input are not reported.

## Why is this bad?
These elements hold whatever was in memory before: NaN in interpret mode, anything on hardware.

## Example
```python
@pl.when(pl.program_id(2) == pl.num_programs(2))     # ids go up to num_programs - 1: never
def _():
    o_ref[...] = acc_ref[...]
```

## Use instead
```python
@pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
def _():
    o_ref[...] = acc_ref[...]
```
"#,
    check: Some(check),
};

/// Whether a kernel has atomics on a parameter.
fn is_added_to(launch: &Launch, parameter: usize) -> bool {
    let kernel = &launch.kernel;
    let sources = Sources::new(kernel);
    let mut atomics = kernel.ops.iter().filter(|op| matches!(op.op.kind, OpKind::Memory(MemoryOp::Atomic)));
    atomics.any(|op| {
        let reference = op.operands.first().and_then(|&reference| origin(kernel, &sources, reference));
        reference.is_some_and(|origin| origin.parameter == Some(parameter))
    })
}

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    let written = written(launch);
    for unwritten in &launch.found().unwritten {
        let Some(operand) = launch.operands.get(unwritten.output) else { continue };
        // Atomics add to what somebody else has set to zero.
        if !written.contains(&unwritten.output)
            || is_added_to(launch, unwritten.output)
            || first_outside(launch, operand).is_some()
        {
            continue;
        }
        let rank = operand.array.shape.len();
        let parts: Vec<String> = unwritten
            .ranges
            .iter()
            .zip(operand.array.shape.iter())
            .enumerate()
            .filter(|(_, (range, extent))| **range != (0, **extent))
            .map(|(axis, (&(start, end), _))| words::part(axis, rank, start as i64, end as i64))
            .collect();
        let span = operand.spans.parameter.or(launch.spans.kernel).unwrap_or(launch.spans.call);
        let message = format!("no program stores to part of {}, though it is in a block", operand.name);
        let mut finding = RULE.finding(Certainty::Proved, span, message);
        let within = match parts.is_empty() {
            true => format!("all of {}", operand.name),
            false => format!("{} of {}", parts.join(", "), operand.name),
        };
        let is_box = unwritten.count == unwritten.ranges.iter().map(|(start, end)| end - start).product::<usize>();
        finding.evidence = Some(match is_box {
            true => within,
            false => format!("{} within {within}", words::count(unwritten.count, "element")),
        });
        finding.help = Some(
            "store to all of the block, and look at the conditions of the stores: program ids begin at 0 and end before \
             `pl.num_programs`"
                .to_string(),
        );
        finding.labels.push(Label { span: launch.spans.call, text: "launched here".to_string() });
        findings.push(finding);
    }
}
