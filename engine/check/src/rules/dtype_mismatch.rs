//! PL304.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A dtype that an operation does not take.
pub(super) static RULE: Rule = Rule {
    code: "PL304",
    name: "dtype-mismatch",
    severity: Severity::Error,
    summary: "an operation does not take operands of this dtype",
    doc: r#"
## What it does
Reports an operation on a dtype that it is not defined for, or on different dtypes where it wants the same: `lax` functions do not promote, and bit operations take integers only.

## Why is this bad?
JAX raises `TypeError` when the kernel is traced.

## Example
```python
lax.add(x, y)                  # float32 with int32
x_ref[...] & 1                 # float32
```

## Use instead
```python
lax.add(x, y.astype(x.dtype))  # or x + y, which promotes
x_ref[...].astype(jnp.int32) & 1
```
"#,
    check: None,
};
