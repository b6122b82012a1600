//! PL303.

use crate::rule::Rule;
use pallas_ir::Severity;

/// Shapes that do not fit each other.
pub(super) static RULE: Rule = Rule {
    code: "PL303",
    name: "shape-mismatch",
    severity: Severity::Error,
    summary: "the shapes of an operation's operands do not fit each other",
    doc: r#"
## What it does
Reports an operation on arrays whose shapes cannot be combined: an operator that cannot broadcast, a matrix product with different inner dimensions, a reshape to another size, a concatenation of unlike pieces.

## Why is this bad?
JAX raises `TypeError` or `ValueError` when the kernel is traced.

## Example
```python
jnp.dot(x_ref[...], y_ref[...])     # (64, 32) with (64, 32)
```

## Use instead
```python
jnp.dot(x_ref[...], y_ref[...].T)   # (64, 32) with (32, 64)
```
"#,
    check: None,
};
