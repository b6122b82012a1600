//! PL110.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A kernel that returns something.
pub(super) static RULE: Rule = Rule {
    code: "PL110",
    name: "kernel-returns-value",
    severity: Severity::Error,
    summary: "a kernel returns a value",
    doc: r#"
## What it does
Reports a kernel that returns something other than `None`.

## Why is this bad?
JAX raises `ValueError`: results are written to the output Refs.

## Example
```python
def double(x_ref, o_ref):
    return x_ref[...] * 2
```

## Use instead
```python
def double(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2
```
A lambda always returns its value, so kernels are written with `def`.
"#,
    check: None,
};
