//! PL101.

use crate::rule::Rule;
use pallas_ir::Severity;

/// The grid is not made of integers.
pub(super) static RULE: Rule = Rule {
    code: "PL101",
    name: "invalid-grid",
    severity: Severity::Error,
    summary: "`grid` is not an integer or a tuple of integers",
    doc: r#"
## What it does
Reports a `grid` that is not an integer or a tuple of integers (or of pairs of a name and an integer).

## Why is this bad?
JAX raises `ValueError`: the number of programs has to be known when the kernel is traced. A frequent cause is `/`, which gives a float.

## Example
```python
pl.pallas_call(kernel, grid=(n / 128,), ...)
```

## Use instead
```python
pl.pallas_call(kernel, grid=(pl.cdiv(n, 128),), ...)
```
"#,
    check: None,
};
