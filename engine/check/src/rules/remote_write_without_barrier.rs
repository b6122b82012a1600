//! PL421.

use crate::checked::Checked;
use crate::rule::Rule;
use pallas_ir::{Certainty, CopyOp, Finding, OpKind, SemaphoreOp, Severity};

/// A copy to another device that may not have begun the kernel.
pub(super) static RULE: Rule = Rule {
    code: "PL421",
    name: "remote-write-without-barrier",
    severity: Severity::Warning,
    summary: "a kernel copies to other devices and nothing says that they have begun it",
    doc: r#"
## What it does
Reports a kernel that copies to or signals other devices and never asks for the barrier semaphore
(`pltpu.get_barrier_semaphore()`).

## Why is this bad?
Devices begin a kernel when they come to it, not at the same time. A copy or a signal to one that still runs another program
goes to memory that belongs to that program. Scratch semaphores do not help: they are not there either before the kernel has
begun. The barrier semaphore of a `collective_id` is there always. Interpreters begin all devices at once, and do not show it.

## Example
```python
def kernel(x_ref, o_ref, send, recv):
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(right,))
    copy.start()
    copy.wait()
```

## Use instead
```python
def kernel(x_ref, o_ref, send, recv):
    barrier = pltpu.get_barrier_semaphore()
    for neighbor in (left, right):
        pl.semaphore_signal(barrier, device_id=(neighbor,))
    pl.semaphore_wait(barrier, 2)
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(right,))
    copy.start()
    copy.wait()
```
with `compiler_params=pltpu.CompilerParams(collective_id=0)`.
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    let devices: usize = launch.grid[..launch.device_axes().min(launch.grid.len())].iter().product();
    let asks = |kind: SemaphoreOp| {
        launch.kernel.ops.iter().any(|op| matches!(op.op.kind, OpKind::Semaphore(found) if found == kind))
    };
    if devices < 2 || asks(SemaphoreOp::Barrier) {
        return;
    }
    let reaches_out = |op: &&pallas_ir::function::OpData| match op.op.kind {
        OpKind::Copy(CopyOp::Start) => op.attributes.str("device").is_some(),
        _ => false,
    };
    let Some(op) = launch.kernel.ops.iter().find(reaches_out) else { return };
    let span = launch.kernel.locations[op.location.0 as usize].span;
    let message =
        "this copies to another device, which may not have begun the kernel: nothing in it waits for the others";
    let mut finding = RULE.finding(Certainty::Proved, span, message.to_string());
    finding.help = Some(
        "signal the neighbours on `pltpu.get_barrier_semaphore()` and wait for their signals before the first copy; give the \
         launch a `collective_id` in its compiler_params"
            .to_string(),
    );
    findings.push(finding);
}
