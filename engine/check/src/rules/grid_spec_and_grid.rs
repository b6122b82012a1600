//! PL112.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A grid given twice.
pub(super) static RULE: Rule = Rule {
    code: "PL112",
    name: "grid-spec-and-grid",
    severity: Severity::Error,
    summary: "`grid_spec` is given together with what it replaces",
    doc: r#"
## What it does
Reports a `pallas_call` with `grid_spec` and, besides, `grid`, `in_specs`, `out_specs` or `scratch_shapes`.

## Why is this bad?
JAX raises `ValueError`: a grid spec holds all of these.

## Example
```python
pl.pallas_call(kernel, grid_spec=pl.GridSpec(grid=(4,), in_specs=[spec], out_specs=spec), grid=(4,), ...)
```

## Use instead
```python
pl.pallas_call(kernel, grid_spec=pl.GridSpec(grid=(4,), in_specs=[spec], out_specs=spec), ...)
```
"#,
    check: None,
};
