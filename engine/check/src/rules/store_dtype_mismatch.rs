//! PL302.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A store of the wrong dtype.
pub(super) static RULE: Rule = Rule {
    code: "PL302",
    name: "store-dtype-mismatch",
    severity: Severity::Error,
    summary: "a stored value has another dtype than the Ref",
    doc: r#"
## What it does
Reports a store whose value has another dtype than the Ref.

## Why is this bad?
JAX raises `ValueError`: stores do not convert, since a silent loss of precision would be hard to find. Mixed-precision kernels run into this where they accumulate in float32.

## Example
```python
o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)     # o_ref is bfloat16
```

## Use instead
```python
acc = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)
o_ref[...] = acc.astype(o_ref.dtype)
```
"#,
    check: None,
};
