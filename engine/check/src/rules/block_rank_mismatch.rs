//! PL104.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A block with the wrong number of dimensions.
pub(super) static RULE: Rule = Rule {
    code: "PL104",
    name: "block-rank-mismatch",
    severity: Severity::Error,
    summary: "a block has another number of dimensions than its array",
    doc: r#"
## What it does
Reports a block shape with more or fewer entries than the array has dimensions.

## Why is this bad?
JAX raises `ValueError`. Dimensions that the kernel does not want to see are not left out, but squeezed.

## Example
```python
pl.BlockSpec((128,), lambda i: (i,))              # for an array of shape (8, 1024)
```

## Use instead
```python
pl.BlockSpec((None, 128), lambda i, j: (i, j))    # one row, and the kernel sees shape (128,)
```
"#,
    check: None,
};
