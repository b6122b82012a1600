//! PL114.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A grid axis that does not exist.
pub(super) static RULE: Rule = Rule {
    code: "PL114",
    name: "grid-axis-out-of-range",
    severity: Severity::Error,
    summary: "`pl.program_id` or `pl.num_programs` asks for an axis that the grid does not have",
    doc: r#"
## What it does
Reports an axis that is negative, or not less than the number of axes of the grid.

## Why is this bad?
JAX raises `ValueError`. A kernel that is launched without a grid has no axes at all.

## Example
```python
def kernel(x_ref, o_ref):
    j = pl.program_id(1)
pl.pallas_call(kernel, grid=(8,), ...)
```

## Use instead
```python
pl.pallas_call(kernel, grid=(8, 1), ...)
```
"#,
    check: None,
};
