//! PL129.

use crate::checked::Checked;
use crate::refs::origin;
use crate::rule::Rule;
use crate::walk::Sources;
use crate::words;
use pallas_ir::op::MemoryOp;
use pallas_ir::{Certainty, Finding, Launch, OpData, OpId, OpKind, Severity};

/// What a program computes of its inputs reaches no output.
pub(super) static RULE: Rule = Rule {
    code: "PL129",
    name: "program-without-effect",
    severity: Severity::Warning,
    summary: "what a program stores is overwritten or never read: it reaches no output",
    doc: r#"
## What it does
Reports a program that reads inputs and stores something, of which nothing is in an output at the end: later programs
overwrite it, or nobody reads the scratch memory that it lies in. The kernel is run on what is known without data; stores to
parts of a Ref and stores under unknown conditions take nothing away, and whatever may be read counts as read. A Ref that
the kernel never reads is not reported: the last program to write it may be meant to win.

## Why is this bad?
The terms of a sum that these programs should have added are missing. The usual causes are an accumulator that is set to
zero in every program, not only in the first of a block, or a condition that is off by one: the result is stored before
the last term is added.

## Example
```python
acc_ref[...] = jnp.zeros_like(acc_ref)               # in every program
acc_ref[...] += x_ref[...] @ y_ref[...]
```

## Use instead
```python
@pl.when(pl.program_id(2) == 0)
def _():
    acc_ref[...] = jnp.zeros_like(acc_ref)
acc_ref[...] += x_ref[...] @ y_ref[...]
```
"#,
    check: Some(check),
};

/// Whether the kernel also reads the Ref that an op stores to.
fn is_accumulated(launch: &Launch, store: OpId) -> bool {
    let kernel = &launch.kernel;
    let sources = Sources::new(kernel);
    let of = |op: &OpData| Some(origin(kernel, &sources, *op.operands.first()?)?.value);
    let stored = of(kernel.op(store));
    stored.is_some()
        && kernel.ops.iter().any(|op| matches!(op.op.kind, OpKind::Memory(MemoryOp::Load)) && of(op) == stored)
}

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    let Some(lost) = &launch.found().lost else { return };
    // Where a result is not stored, nothing reaches it, and PL128 has said so; nor does what a program has no block for (PL120).
    if findings.iter().any(|finding| matches!(finding.code, "PL120" | "PL128")) {
        return;
    }
    // Who only writes may well be meant to write last.
    if !is_accumulated(launch, lost.store) {
        return;
    }
    let place = launch.kernel.location(lost.store);
    let program = words::program(&lost.program);
    let message = format!("what {program} stores reaches no output");
    let mut finding = RULE.finding(Certainty::Proved, place.span, message);
    finding.evidence =
        Some(format!("{program} reads inputs; what it stores is overwritten before it is read, or never read"));
    finding.help = Some(
        "set accumulators to zero only in the first program of a block, and store the result in the last: compare with \
         `pl.num_programs(axis) - 1`"
            .to_string(),
    );
    finding.called_from(&place.calls);
    findings.push(finding);
}
