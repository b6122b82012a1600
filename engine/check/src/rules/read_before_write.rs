//! PL203.

use crate::checked::Checked;
use crate::rule::Rule;
use crate::shadow::Garbage;
use crate::words;
use pallas_ir::op::MemoryOp;
use pallas_ir::{Certainty, Finding, OpKind, Role, Severity};

/// An output or scratch Ref is read before anything was written to it.
pub static RULE: Rule = Rule {
    code: "PL203",
    name: "read-before-write",
    severity: Severity::Error,
    summary: "memory is read before anything was written to it, and an output depends on it",
    doc: r#"
## What it does
Reports a read of an output, a scratch Ref or an allocation that happens before anything was written there, if an
element of an output depends on what it gives. The kernel is run on what is known without data, for the first, the
second and the last programs along each grid axis: `pl.when`, loops and masks that follow from program ids count. Reads
whose value does not matter, and reads that something unknown may have preceded by a write, are not reported.

## Why is this bad?
Memory that nothing was written to holds anything. JAX's interpret mode fills it with NaN, or for integers with the
smallest number, which is the neutral element of `max`, so that the result may be right there and wrong on hardware.
The usual cause is an accumulator that is not set to zero when a new block of the output begins.

## Example
```python
def kernel(x_ref, y_ref, o_ref):
    o_ref[...] += x_ref[...] @ y_ref[...]       # o_ref holds garbage when k is 0
```

## Use instead
```python
def kernel(x_ref, y_ref, o_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)
    o_ref[...] += x_ref[...] @ y_ref[...]
```
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    for leak in launch.leaks().iter().filter(|leak| leak.kind == Garbage::Unwritten) {
        let name = &leak.name;
        let message = format!("{name} is read before anything is written to it");
        let mut finding = RULE.finding(Certainty::Proved, leak.read, message);
        let output = &launch.operands[leak.output].name;
        let element = leak.place(output);
        finding.evidence = Some(match launch.grid.is_empty() {
            true => format!("{element} depends on it"),
            false => format!("{}: {element} depends on it", words::program(&leak.program)),
        });
        // Programs that add up by atomics run at the same time: none of them can set it.
        let is_added_to = launch.kernel.ops.iter().any(|op| matches!(op.op.kind, OpKind::Memory(MemoryOp::Atomic)))
            && launch.operands.iter().any(|operand| operand.role == Role::Output && *operand.name == **name);
        finding.help = Some(match launch.grid.is_empty() {
            _ if is_added_to => {
                format!("let it begin with zeros: an operand whose memory {name} takes (`input_output_aliases`)")
            }
            true => format!("write to {name} first"),
            false => format!(
                "write to it first, for instance `{name}[...] = jnp.zeros_like({name})` under `pl.when` in the programs \
                 that begin a new block"
            ),
        });
        finding.called_from(&leak.calls);
        findings.push(finding);
    }
}
