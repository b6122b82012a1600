//! PL115.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A condition that is an array.
pub(super) static RULE: Rule = Rule {
    code: "PL115",
    name: "predicate-not-scalar",
    severity: Severity::Error,
    summary: "the condition of `pl.when` or `lax.cond` is not a scalar",
    doc: r#"
## What it does
Reports a condition that has dimensions.

## Why is this bad?
JAX raises `TypeError`: a program either runs the branch or does not. What should hold element by element is a mask.

## Example
```python
@pl.when(x_ref[...] > 0)
def _():
    o_ref[...] = x_ref[...]
```

## Use instead
```python
o_ref[...] = jnp.where(x_ref[...] > 0, x_ref[...], 0)
```
or reduce the condition: `@pl.when(jnp.any(x_ref[...] > 0))`.
"#,
    check: None,
};
