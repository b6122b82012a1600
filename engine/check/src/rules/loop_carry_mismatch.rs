//! PL310.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A carry that changes its type.
pub(super) static RULE: Rule = Rule {
    code: "PL310",
    name: "loop-carry-mismatch",
    severity: Severity::Error,
    summary: "the carry of a loop comes back with another shape, dtype or structure",
    doc: r#"
## What it does
Reports a `fori_loop`, `while_loop` or `scan` whose body returns a carry of another type than it was given.

## Why is this bad?
JAX raises `TypeError`: one body is traced for all rounds. The usual causes are a start value of another dtype, and a body that forgets to return the carry.

## Example
```python
lax.fori_loop(0, 4, lambda k, acc: acc + x_ref[k], 0)            # int32 becomes float32[128]
```

## Use instead
```python
lax.fori_loop(0, 4, lambda k, acc: acc + x_ref[k], jnp.zeros((128,), jnp.float32))
```
"#,
    check: None,
};
