//! PL105.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A block dimension of zero or less.
pub(super) static RULE: Rule = Rule {
    code: "PL105",
    name: "block-dim-not-positive",
    severity: Severity::Error,
    summary: "a block dimension is zero or negative",
    doc: r#"
## What it does
Reports a block shape with an entry of zero or less.

## Why is this bad?
JAX does not check it; the mistake comes out later as `Invalid shape for swap`, or as an empty block that computes nothing. The usual cause is `n // parts` with more parts than elements, or a `-1` that was to mean *the rest* as in `reshape`.

## Example
```python
pl.BlockSpec((-1, 128), lambda i: (0, i))
```

## Use instead
```python
pl.BlockSpec((x.shape[0], 128), lambda i: (0, i))
```
"#,
    check: None,
};
