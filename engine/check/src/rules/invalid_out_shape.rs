//! PL102.

use crate::rule::Rule;
use pallas_ir::Severity;

/// `out_shape` does not describe arrays.
pub(super) static RULE: Rule = Rule {
    code: "PL102",
    name: "invalid-out-shape",
    severity: Severity::Error,
    summary: "`out_shape` is not a description of arrays",
    doc: r#"
## What it does
Reports an `out_shape` with a leaf that has no shape and dtype: a bare tuple of numbers, a dtype without a shape, or a shape that is not made of integers.

## Why is this bad?
JAX raises an error: the outputs cannot be allocated.

## Example
```python
pl.pallas_call(kernel, out_shape=(8, 128))(x)      # two outputs, 8 and 128?
```

## Use instead
```python
pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32))(x)
```
"#,
    check: None,
};
