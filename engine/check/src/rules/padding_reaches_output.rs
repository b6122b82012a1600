//! PL204.

use crate::checked::Checked;
use crate::rule::Rule;
use crate::shadow::Garbage;
use crate::words;
use pallas_ir::{Certainty, Finding, Label, Severity};
use pallas_tensor::Shape;

/// What lies past the end of an input, or in lanes that a mask leaves out, reaches an output.
pub static RULE: Rule = Rule {
    code: "PL204",
    name: "padding-reaches-output",
    severity: Severity::Error,
    summary: "an output depends on elements of a block that lie past the end of its array",
    doc: r#"
## What it does
Reports a read of a block that reaches past the end of its array, if an element inside an output depends on what lies
there: through a sum, a maximum, a dot, a running sum, or an index that shifts it. The kernel is run on what is known
without data; elements that a mask made of program ids, iotas and constants removes are not reported, and neither is
what an unknown mask may remove. A load with a mask and without `other` has such garbage where the mask is false. Garbage that only reaches elements of the output that lie past its own end is harmless.

## Why is this bad?
Past the end of an array a block holds anything: NaN in interpret mode for floats, the smallest number for integers,
and on hardware whatever is there. What a load has where its mask is false is not defined either, and interpret mode
takes what lies there, so that a result may look right. Multiplying by zero does not help: NaN times zero is NaN.

## Example
```python
# x has 100 rows, and blocks of 32: the last block has 28 rows of garbage
def kernel(x_ref, o_ref):
    o_ref[...] += x_ref[...].sum(axis=0)
```

## Use instead
```python
def kernel(x_ref, o_ref):
    rows = pl.program_id(0) * 32 + jax.lax.broadcasted_iota(jnp.int32, x_ref.shape, 0)
    o_ref[...] += jnp.where(rows < 100, x_ref[...], 0.0).sum(axis=0)
```
"#,
    check: Some(check),
};

/// What to do about garbage past the end of an array.
pub const MASK_WHERE_READ: &str = "mask it where it is read: `jnp.where(index < length, value, 0)`, with whatever does not \
                                   change the result in place of 0";

/// What to do about lanes that a mask leaves out.
pub const OTHER_FOR_LANES: &str = "say what they hold: `other=0`, or whatever does not change the result, such as \
                                   `-jnp.inf` for a maximum";

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    for leak in launch.leaks() {
        let output = &launch.operands[leak.output].name;
        let element = leak.place(output);
        let program = words::program(&leak.program);
        let mut finding = match leak.kind {
            Garbage::Padding(index) => {
                let operand = &launch.operands[index];
                let message = format!("what lies past the end of {} reaches {output}", operand.name);
                let mut finding = RULE.finding(Certainty::Proved, leak.read, message);
                finding.evidence = Some(format!("{program}: {}; {element} depends on them", leak.part));
                finding.help = Some(MASK_WHERE_READ.to_string());
                if let Some(span) = operand.spans.spec {
                    let block = Shape::from(&operand.block_shape()[..]);
                    finding.labels.push(Label { span, text: format!("blocks {block} of {}", operand.array) });
                }
                finding
            }
            Garbage::Lanes => {
                let message = format!("lanes of {} that the mask of this load leaves out reach {output}", leak.name);
                let mut finding = RULE.finding(Certainty::Proved, leak.read, message);
                finding.evidence = Some(format!("{program}: {element} depends on them"));
                finding.help = Some(OTHER_FOR_LANES.to_string());
                finding
            }
            Garbage::Unwritten | Garbage::Shared(_) => continue,
        };
        finding.called_from(&leak.calls);
        findings.push(finding);
    }
}
