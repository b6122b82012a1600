//! PL309.

use crate::rule::Rule;
use pallas_ir::Severity;

/// An index that a Ref does not take.
pub(super) static RULE: Rule = Rule {
    code: "PL309",
    name: "bad-ref-index",
    severity: Severity::Error,
    summary: "an index is of a kind, or has a number of entries, that the Ref or array does not take",
    doc: r#"
## What it does
Reports an index with more entries than there are dimensions, with two ellipses, or with something that is not an integer, a slice, `pl.ds(...)`, an integer array or `...`.

## Why is this bad?
JAX raises `IndexError`, `ValueError` or `TypeError`.

## Example
```python
x_ref[0, 0, :]           # x_ref has two dimensions
x_ref[None, :]           # Refs take no new axes
x_ref[i / 2]             # a float
```

## Use instead
```python
x_ref[0, :]
x_ref[...][None, :]      # load, then add the axis
x_ref[i // 2]
```
"#,
    check: None,
};
