//! PL107.

use crate::rule::Rule;
use pallas_ir::Severity;

/// An index map with the wrong number of results.
pub(super) static RULE: Rule = Rule {
    code: "PL107",
    name: "index-map-result-count",
    severity: Severity::Error,
    summary: "an index map does not return one block index per dimension",
    doc: r#"
## What it does
Reports an index map that returns more or fewer values than the block has dimensions. Squeezed dimensions (`None`) count: they need an index too.

## Why is this bad?
JAX raises `ValueError`.

## Example
```python
pl.BlockSpec((8, 128), lambda i: i)
```

## Use instead
```python
pl.BlockSpec((8, 128), lambda i: (i, 0))
```
"#,
    check: None,
};
