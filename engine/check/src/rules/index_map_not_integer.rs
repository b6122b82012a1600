//! PL108.

use crate::rule::Rule;
use pallas_ir::Severity;

/// An index map that returns something else than integers.
pub(super) static RULE: Rule = Rule {
    code: "PL108",
    name: "index-map-not-integer",
    severity: Severity::Error,
    summary: "an index map returns something that is not an integer scalar",
    doc: r#"
## What it does
Reports an index map that returns a float, an array, or an integer of another width than 32 or 64 bits.

## Why is this bad?
JAX raises `ValueError`. The usual cause is `/`, which gives a float even where it divides evenly.

## Example
```python
pl.BlockSpec((8, 128), lambda i: (i / 2, 0))
```

## Use instead
```python
pl.BlockSpec((8, 128), lambda i: (i // 2, 0))
```
"#,
    check: None,
};
