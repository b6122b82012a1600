//! PL312.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A name that does not exist.
pub(super) static RULE: Rule = Rule {
    code: "PL312",
    name: "unknown-attribute",
    severity: Severity::Error,
    summary: "a module or object has no attribute of this name",
    doc: r#"
## What it does
Reports an attribute that the object does not have, with the nearest name that it does have; for names that JAX has moved or removed, with the version that did it.

## Why is this bad?
Python raises `AttributeError` when the line runs, which in a kernel may be long after the program has started.

## Example
```python
pl.program_ids(0)
jnp.rsqrt(x)
```

## Use instead
```python
pl.program_id(0)
lax.rsqrt(x)
```
"#,
    check: None,
};
