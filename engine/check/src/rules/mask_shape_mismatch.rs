//! PL311.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A mask of the wrong shape.
pub(super) static RULE: Rule = Rule {
    code: "PL311",
    name: "mask-shape-mismatch",
    severity: Severity::Error,
    summary: "a mask does not broadcast to the shape of its load or store",
    doc: r#"
## What it does
Reports a masked load or store whose mask cannot be broadcast to the shape that is accessed.

## Why is this bad?
JAX raises `ValueError`: each element needs its own yes or no.

## Example
```python
mask = jnp.arange(64) < n
plgpu.load(x_ref.at[pl.ds(0, 128)], mask=mask)
```

## Use instead
```python
mask = jnp.arange(128) < n
plgpu.load(x_ref.at[pl.ds(0, 128)], mask=mask)
```
"#,
    check: None,
};
