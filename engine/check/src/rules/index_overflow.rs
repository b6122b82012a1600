//! PL206.

use crate::checked::Checked;
use crate::overflow::{Overflow, Use, overflows};
use crate::rule::Rule;
use crate::words;
use pallas_ir::{Finding, Label, Launch, Severity};

/// Index arithmetic that wraps around.
pub(super) static RULE: Rule = Rule {
    code: "PL206",
    name: "index-overflow",
    severity: Severity::Error,
    summary: "integers that choose elements do not fit their dtype, and wrap around",
    doc: r#"
## What it does
Reports additions, products, shifts, numberings and conversions of integers whose result does not fit its dtype, where the
result becomes a position in a Ref, a block index, or one side of a comparison (a mask, say; that is a warning). Program ids,
loop counters and constants are followed; what depends on data is not reported, nor is arithmetic without a sign, which is
often meant to wrap around.

## Why is this bad?
Program ids are int32, and so is what is computed from them. JAX checks nothing: a position wraps around to a negative
number, is moved back inside, and the program works with other elements; a mask lets through what it should keep out.

## Example
```python
rows = pl.program_id(0) * 65536                       # program 32768: -2147483648
x_ref[pl.ds(rows * 65536, 128)]
columns = jax.lax.broadcasted_iota(jnp.int8, (8, 256), 1)     # -128 after 127
```

## Use instead
```python
pl.BlockSpec((1, 128), lambda i: (i, 0))              # rows and columns as dimensions of their own
columns = jax.lax.broadcasted_iota(jnp.int32, (8, 256), 1)
```
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    findings.extend(overflows(launch).iter().map(|overflow| finding(launch, overflow)));
}

fn finding(launch: &Launch, overflow: &Overflow) -> Finding {
    let (value, dtype) = (overflow.value, overflow.dtype);
    let what = match overflow.name {
        "mul" | "shift_left" => "product",
        "add" => "sum",
        "sub" | "neg" => "difference",
        "iota" => "numbering",
        _ => "conversion",
    };
    let message = format!("this {what} does not fit {dtype} and wraps around: {value}");
    let mut finding = RULE.finding(overflow.certainty, overflow.location.span, message);
    if overflow.used == Use::Comparison {
        finding.severity = Severity::Warning;
    }
    let bits = dtype.bits();
    let wrapped = value.rem_euclid(1 << bits);
    let wrapped = if dtype.is_signed() && wrapped >= 1 << (bits - 1) { wrapped - (1 << bits) } else { wrapped };
    let place = words::at(launch.grid.len(), &overflow.point);
    let used = match overflow.used {
        Use::Position => "as a position",
        Use::Block => "as a block index",
        Use::Comparison => "in a comparison",
    };
    finding.evidence = Some(format!("{place}{value} becomes {wrapped}, and is used {used}"));
    finding.help = Some(match bits {
        ..32 => "number elements with int32".to_string(),
        _ => "give rows and columns dimensions of their own, so that nobody computes their product".to_string(),
    });
    finding.labels = overflow
        .location
        .calls
        .iter()
        .take(3)
        .map(|&span| Label { span, text: "called from here".to_string() })
        .collect();
    finding
}
