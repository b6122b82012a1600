//! PL111.

use crate::rule::Rule;
use pallas_ir::Severity;

/// An alias that cannot be.
pub(super) static RULE: Rule = Rule {
    code: "PL111",
    name: "bad-alias",
    severity: Severity::Error,
    summary: "`input_output_aliases` names operands that do not exist or do not match",
    doc: r#"
## What it does
Reports an entry of `input_output_aliases` whose input or output does not exist, or whose input and output differ in shape or dtype. Inputs are counted with the prefetched scalars before them.

## Why is this bad?
JAX raises `ValueError`: two arrays can only share memory if they are alike.

## Example
```python
pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, jnp.bfloat16),
               input_output_aliases={0: 0})(x)      # x is float32
```

## Use instead
```python
pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
               input_output_aliases={0: 0})(x)
```
"#,
    check: None,
};
