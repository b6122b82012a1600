//! PL305.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A kernel that captures an array.
pub(super) static RULE: Rule = Rule {
    code: "PL305",
    name: "captured-constant",
    severity: Severity::Error,
    summary: "a kernel or index map captures an array from outside",
    doc: r#"
## What it does
Reports a kernel, or an index map, that uses an array of the surrounding code. Python numbers and scalars may be captured.

## Why is this bad?
JAX raises `ValueError`: a kernel sees only the memory that it is handed.

## Example
```python
scale = jnp.arange(128.0)

def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * scale
```

## Use instead
```python
def kernel(x_ref, scale_ref, o_ref):
    o_ref[...] = x_ref[...] * scale_ref[...]
```
Small tables can also be computed in the kernel: `lax.broadcasted_iota(jnp.float32, (8, 128), 1)`.
"#,
    check: None,
};
