//! PL421.

use crate::checked::Checked;
use crate::rule::Rule;
use pallas_ir::function::{Function, OpData, RegionId};
use pallas_ir::{Certainty, CopyOp, Finding, Label, MemorySpace, OpKind, SemaphoreOp, Severity};
use pallas_syntax::Span;

/// A copy or a signal to another device that may not have begun the kernel.
pub static RULE: Rule = Rule {
    code: "PL421",
    name: "remote-write-without-barrier",
    severity: Severity::Warning,
    summary: "a kernel copies to or signals a device that may not have begun it",
    doc: r#"
## What it does
Reports a copy to another device, or a signal of a semaphore there that is not the barrier semaphore, where nothing says that the
other device has begun the kernel: in a kernel with a barrier of its own (`pltpu.get_barrier_semaphore()`) before anything waits
for that barrier, and in a launch with `skip_device_barrier=True` that has none. A run also finds devices that meet at the barrier
with others than those that they copy to.

## Why is this bad?
Devices begin a kernel when they come to it, not at the same time. A copy or a signal to one that still runs another program
goes to memory that belongs to that program. Scratch semaphores do not help: they are not there either before the kernel has
begun. The barrier semaphore of a `collective_id` is there always. In front of a kernel that does not ask for it the compiler puts
a barrier of all devices; one that asks for it has to meet everybody whom it writes to. Interpreters begin all devices at once, and
do not show it.

## Example
```python
def kernel(x_ref, o_ref, send, recv):
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(right,))
    copy.start()                                     # nothing is known of the right neighbour
    barrier = pltpu.get_barrier_semaphore()
    pl.semaphore_signal(barrier, device_id=(right,))
    pl.semaphore_wait(barrier, 1)                    # the left one has begun
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

/// What to do where a kernel has a barrier of its own.
pub const HELP: &str = "signal everybody on `pltpu.get_barrier_semaphore()` who writes to this device, and wait for the signals of \
                        all to whom it writes, before the first copy";

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    let axes = launch.device_axes().min(launch.grid.len());
    let devices: usize = launch.grid[..axes].iter().product();
    let own = launch.asks_for_barrier();
    if devices < 2 || !(own || launch.meeting.skipped) {
        return;
    }
    let mut walk = Walk {
        kernel: &launch.kernel,
        // What is done on a condition may be done by later programs only.
        programs: launch.grid[axes..].iter().product(),
        found: None,
    };
    walk.region(launch.kernel.body, false);
    let Some(Met::Early(op)) = walk.found else { return };
    let place = |op: &OpData| launch.kernel.locations[op.location.0 as usize].span;
    let verb = if matches!(op.op.kind, OpKind::Copy(_)) { "copies to" } else { "signals" };
    let (reason, help) = match own {
        true => ("nothing waits at the barrier semaphore before", HELP.to_string()),
        false => (
            "`skip_device_barrier` leaves out the barrier that the compiler puts in front",
            format!("leave out `skip_device_barrier`; or {HELP}, and give the launch a `collective_id`"),
        ),
    };
    let message = format!("this {verb} another device, which may not have begun the kernel: {reason}");
    let mut finding = RULE.finding(Certainty::Proved, place(op), message);
    let asked = launch.kernel.ops.iter().find(|op| matches!(op.op.kind, OpKind::Semaphore(SemaphoreOp::Barrier)));
    if let Some(span) = asked.map(place).filter(|&span: &Span| span != finding.span) {
        let text = "with this, the compiler leaves out the barrier of all devices".to_string();
        finding.labels.push(Label { span, text });
    }
    finding.help = Some(help);
    findings.push(finding);
}

/// What comes first.
enum Met<'k> {
    Barrier,
    Early(&'k OpData),
}

struct Walk<'k> {
    kernel: &'k Function,
    programs: usize,
    found: Option<Met<'k>>,
}

impl<'k> Walk<'k> {
    fn region(&mut self, region: RegionId, on_condition: bool) {
        let kernel = self.kernel;
        for &id in &kernel.region(region).ops {
            if self.found.is_some() {
                return;
            }
            let op = kernel.op(id);
            if self.waits_at_barrier(op) {
                self.found = Some(Met::Barrier);
            } else if reaches_out(kernel, op) && !(on_condition && self.programs > 1) {
                self.found = Some(Met::Early(op));
            }
            let on_condition = on_condition || op.regions.len() > 1;
            for &inner in &op.regions {
                self.region(inner, on_condition);
            }
        }
    }

    fn waits_at_barrier(&self, op: &OpData) -> bool {
        matches!(op.op.kind, OpKind::Semaphore(SemaphoreOp::Wait)) && is_barrier(self.kernel, op)
    }
}

fn is_barrier(kernel: &Function, op: &OpData) -> bool {
    let space = op.operands.first().and_then(|&semaphore| kernel.ty(semaphore).as_ref_type()).map(|ty| ty.space);
    space == Some(MemorySpace::BarrierSemaphore)
}

/// Whether an op writes to another device.
fn reaches_out(kernel: &Function, op: &OpData) -> bool {
    let names_device = |first: usize| {
        let cores = usize::from(op.attributes.flag("core"));
        op.attributes.str("device").is_some() && op.operands.len() > first + cores
    };
    match op.op.kind {
        OpKind::Copy(CopyOp::Start) => names_device(4),
        OpKind::Semaphore(SemaphoreOp::Signal) => names_device(2) && !is_barrier(kernel, op),
        _ => false,
    }
}
