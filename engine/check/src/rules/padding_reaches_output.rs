//! PL204.

use crate::checked::Checked;
use crate::rule::Rule;
use crate::shadow::Garbage;
use crate::words;
use pallas_ir::{Certainty, Finding, Label, Severity};
use pallas_tensor::Shape;

/// What lies past the end of an input reaches an output.
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
what an unknown mask may remove. Garbage that only reaches elements of the output that lie past its own end is harmless.

## Why is this bad?
Past the end of an array a block holds anything: NaN in interpret mode for floats, the smallest number for integers,
and on hardware whatever is there. Multiplying by zero does not help: NaN times zero is NaN.

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

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    for leak in launch.leaks() {
        let Garbage::Padding(index) = leak.kind else { continue };
        let array = &launch.operands[index].name;
        let output = &launch.operands[leak.output].name;
        let message = format!("what lies past the end of {array} reaches {output}");
        let mut finding = RULE.finding(Certainty::Proved, leak.read, message);
        finding.evidence = Some(format!(
            "{}: {}; element {} of {output} depends on them",
            words::program(&leak.program),
            leak.part,
            Shape::from(&leak.element[..]),
        ));
        finding.help = Some(
            "mask it where it is read: `jnp.where(index < length, value, 0)`, with whatever does not change the result in \
             place of 0"
                .to_string(),
        );
        if let Some(span) = launch.operands[index].spans.spec {
            let block = Shape::from(&launch.operands[index].block_shape()[..]);
            finding.labels.push(Label { span, text: format!("blocks {block} of {}", launch.operands[index].array) });
        }
        finding.called_from(&leak.calls);
        findings.push(finding);
    }
}
