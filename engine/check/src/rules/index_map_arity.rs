//! PL106.

use crate::rule::Rule;
use pallas_ir::Severity;

/// An index map with the wrong parameters.
pub(super) static RULE: Rule = Rule {
    code: "PL106",
    name: "index-map-arity",
    severity: Severity::Error,
    summary: "an index map does not take one parameter per grid axis",
    doc: r#"
## What it does
Reports an index map that cannot be called with one program id per grid axis (and, with scalar prefetch, one Ref per prefetched scalar after them).

## Why is this bad?
Python raises `TypeError` when the map is called, with a message that shows neither the grid nor the spec.

## Example
```python
pl.pallas_call(kernel, grid=(4, 4), in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))], ...)
```

## Use instead
```python
pl.pallas_call(kernel, grid=(4, 4), in_specs=[pl.BlockSpec((8, 128), lambda i, j: (i, j))], ...)
```
"#,
    check: None,
};
