//! PL201.

use crate::access::{Kind, Outside, outside};
use crate::checked::Checked;
use crate::rule::Rule;
use pallas_ir::{Finding, Label, Severity};

/// A known position outside its Ref.
pub(super) static RULE: Rule = Rule {
    code: "PL201",
    name: "ref-index-out-of-bounds",
    severity: Severity::Error,
    summary: "an index that is known beforehand lies outside its Ref",
    doc: r#"
## What it does
Reports a load, store or view at a position that is known beforehand and lies outside the Ref. Masked accesses are not
reported, nor those that no program is known to reach.

## Why is this bad?
JAX checks only some of these: a `pl.ds` whose start is a number other than 0 raises ValueError, under a mask, too. Of the others
interpret mode moves the access back inside, so the program works with the wrong elements; hardware reads and writes memory
that belongs to something else.

## Example
```python
def kernel(x_ref, o_ref):        # x_ref has shape (128,)
    o_ref[0] = x_ref[200]        # interpret mode reads element 127
    o_ref[pl.ds(0, 256)] = ...   # starts at 0: JAX's own check is skipped
```

## Use instead
Keep `start + size <= ref.shape[axis]`, or mask what lies beyond:
```python
lanes = jnp.arange(256)
plgpu.load(x_ref.at[pl.ds(0, 256)], mask=lanes < 128, other=0.0)
```
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    findings.extend(outside(launch, Kind::Static).into_iter().map(finding));
}

fn finding(outside: Outside) -> Finding {
    let help = match outside.span_length {
        1 => format!("positions along dimension {} go from 0 to {}", outside.axis, outside.extent.saturating_sub(1)),
        length if length > outside.extent as i64 => {
            format!("this slice is longer than the dimension: mask it, or take at most {}", outside.extent)
        }
        length => format!("a slice of {length} starts at {} at the latest", outside.extent as i64 - length),
    };
    describe(&RULE, outside, help)
}

/// What is said of every access that leaves its Ref: `this read leaves x_ref along dimension 0, which has 32`.
pub(super) fn said(what: &str, name: &str, axis: usize, extent: usize) -> String {
    format!("this {what} leaves {name} along dimension {axis}, which has {extent}")
}

/// What the rules on static and on dynamic positions say alike.
pub(super) fn describe(rule: &Rule, outside: Outside, help: String) -> Finding {
    let message = said(outside.what, &outside.name, outside.axis, outside.extent);
    let mut finding = rule.finding(outside.certainty, outside.span, message);
    finding.evidence = Some(outside.evidence);
    finding.help = Some(help);
    finding.labels =
        outside.calls.into_iter().take(3).map(|span| Label { span, text: "called from here".to_string() }).collect();
    finding
}
