//! PL301.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A store of the wrong shape.
pub(super) static RULE: Rule = Rule {
    code: "PL301",
    name: "store-shape-mismatch",
    severity: Severity::Error,
    summary: "a stored value has another shape than the part of the Ref that it is stored to",
    doc: r#"
## What it does
Reports a store whose value has another shape than what the index selects.

## Why is this bad?
JAX raises `ValueError`: stores do not broadcast, as assignments in numpy do, with the one exception of Python scalars under a full index.

## Example
```python
o_ref[...] = jnp.sum(x_ref[...], axis=1)       # (8,) into (8, 128)
```

## Use instead
```python
o_ref[...] = jnp.broadcast_to(jnp.sum(x_ref[...], axis=1, keepdims=True), o_ref.shape)
```
or store to the part that has the value's shape: `o_ref[:, 0] = jnp.sum(x_ref[...], axis=1)`.
"#,
    check: None,
};
