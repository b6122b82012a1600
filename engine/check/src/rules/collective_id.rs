//! PL422.

use crate::checked::Checked;
use crate::rule::Rule;
use pallas_ir::{Certainty, Finding, MemorySpace, OpKind, SemaphoreOp, Severity};

/// A barrier semaphore without an id, or an id without a barrier semaphore.
pub(super) static RULE: Rule = Rule {
    code: "PL422",
    name: "collective-id",
    severity: Severity::Error,
    summary: "a kernel asks for the barrier semaphore without a collective_id, or has an id and does not ask",
    doc: r#"
## What it does
Reports a kernel that calls `pltpu.get_barrier_semaphore()` in a launch without a `collective_id`, and a launch with a
`collective_id` whose kernel never calls it.

## Why is this bad?
The id says which of the few barrier semaphores of a TPU the kernel is given: kernels that synchronise in different ways need
different ones. Without it nothing can be given, and an id that nobody uses is one that somebody believes in. The compiler refuses
both.

## Example
```python
def kernel(x_ref, o_ref):
    barrier = pltpu.get_barrier_semaphore()
    ...

pl.pallas_call(kernel, out_shape=...)(x)
```

## Use instead
```python
pl.pallas_call(kernel, out_shape=..., compiler_params=pltpu.CompilerParams(collective_id=0))(x)
```
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    let asks = launch.kernel.ops.iter().find(|op| matches!(op.op.kind, OpKind::Semaphore(SemaphoreOp::Barrier)));
    let meeting = launch.meeting;
    match (asks, meeting.collective) {
        (Some(op), None) if !is_gpu(launch) => {
            let span = launch.kernel.locations[op.location.0 as usize].span;
            let message = "this asks for the barrier semaphore, but the launch has no collective_id".to_string();
            let mut finding = RULE.finding(Certainty::Proved, span, message);
            finding.help = Some("give it one: `compiler_params=pltpu.CompilerParams(collective_id=0)`".to_string());
            findings.push(finding);
        }
        (None, Some(id)) if !meeting.unused => {
            let message = format!(
                "collective_id={id} names a barrier semaphore, but the kernel does not ask for it: the compiler refuses that"
            );
            let mut finding = RULE.finding(Certainty::Proved, launch.spans.call, message);
            finding.help = Some(
                "leave it out; or meet the other devices at `pltpu.get_barrier_semaphore()`; or say \
                 `allow_collective_id_without_custom_barrier=True`"
                    .to_string(),
            );
            findings.push(finding);
        }
        _ => {}
    }
}

/// GPUs have such semaphores without ids.
fn is_gpu(launch: &Checked<'_>) -> bool {
    launch.has_agents() || launch.operands.iter().any(|operand| operand.space == MemorySpace::Gmem)
}
