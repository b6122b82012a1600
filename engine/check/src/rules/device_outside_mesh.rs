//! PL424.

use crate::checked::Checked;
use crate::devices::{self, Absent};
use crate::rule::Rule;
use crate::words;
use pallas_ir::launch::TAKES_PART;
use pallas_ir::{Finding, Launch, OpKind, Severity};

/// A copy or a signal to a device that there is not.
pub(super) static RULE: Rule = Rule {
    code: "PL424",
    name: "device-outside-mesh",
    severity: Severity::Error,
    summary: "a copy or a signal goes to a device that the mesh does not have",
    doc: r#"
## What it does
Reports `device_id=` of `pltpu.make_async_remote_copy` and `pl.semaphore_signal` where it is below 0, or not below the number of
devices along its axis of the mesh, on a device that is known to come there. The first such device is named. It is
computed from `jax.lax.axis_index`, program ids, loop counters and constants; what comes out of arrays is not known.

## Why is this bad?
Devices in a ring have neighbours on both sides only if the last one comes before the first: `my_id + 1` on the last device, and
`my_id - 1` on the first, name nobody. The copy goes to memory of whatever that number happens to reach, or to the next row of
the mesh; the device that should have got it waits for ever. `jax.lax.rem` does not help below 0: the remainder of a negative
number is negative.

## Example
```python
my_id = jax.lax.axis_index("x")
left = jax.lax.rem(my_id - 1, num_devices)           # -1 on device 0
pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(left,)).start()
```

## Use instead
```python
my_id = jax.lax.axis_index("x")
left = jax.lax.rem(my_id + num_devices - 1, num_devices)
pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(left,)).start()
```
Where the ring is open, let the last device leave the copy out: `@pl.when(my_id < num_devices - 1)`.
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    // Where not all devices take part in a launch, nothing is taken for known of which do.
    let chosen = launch.operands.iter().any(|operand| &*operand.name == TAKES_PART);
    let launch: &Launch = if chosen { launch.as_written() } else { launch };
    for absent in devices::absent(launch) {
        let kernel = &launch.kernel;
        let (op, place) = (kernel.op(absent.op), kernel.location(absent.op));
        let Absent { id, count, .. } = absent;
        let does = if matches!(op.op.kind, OpKind::Copy(_)) { "copies to" } else { "signals" };
        let numbers = format!("there are {count}, numbered from 0");
        let message = match absent.axis {
            None => format!("this {does} device {id}, and {numbers}"),
            Some(axis) => format!("this {does} a device with number {id} along axis {axis} of the mesh, and {numbers}"),
        };
        let mut finding = RULE.finding(absent.certainty, place.span, message);
        finding.evidence = Some(who(launch, &absent));
        finding.help = Some(help(launch, &absent));
        finding.called_from(&place.calls);
        findings.push(finding);
    }
}

/// `device 3, loop counter 2`
fn who(launch: &Launch, absent: &Absent) -> String {
    let axes = launch.device_axes().min(launch.grid.len());
    let (device, rest) = absent.point.split_at(axes.min(absent.point.len()));
    let device = match device {
        [device] => device.to_string(),
        device => format!("{:?}", device).replace('[', "(").replace(']', ")"),
    };
    let rest = words::at(launch.grid.len() - axes, rest);
    match rest.trim_end_matches(": ") {
        "" => format!("device {device} does"),
        rest => format!("device {device} does, {rest}"),
    }
}

fn help(launch: &Launch, absent: &Absent) -> String {
    let count = absent.count;
    let definition = launch.kernel.definition(absent.value);
    let is_remainder = definition.is_some_and(|op| launch.kernel.op(op).op.name == "rem");
    let ring = match (absent.id < 0, is_remainder) {
        (true, true) => format!(
            "the remainder of a negative number is negative: add the number of devices before, `jax.lax.rem(my_id + {}, {count})`",
            count as i64 - 1
        ),
        (true, false) => format!("close the ring: `jax.lax.rem(my_id + {}, {count})`", count as i64 - 1),
        (false, _) => format!("close the ring: `jax.lax.rem(my_id + 1, {count})`"),
    };
    let end = if absent.id < 0 { "first" } else { "last" };
    format!("{ring}; or leave it out on the {end} device, with `pl.when`")
}
