//! PL004.

use crate::rule::Rule;
use pallas_ir::Severity;

/// Analysis gave up: too much memory.
pub(super) static RULE: Rule = Rule {
    code: "PL004",
    name: "analysis-out-of-memory",
    severity: Severity::Warning,
    summary: "analysis stopped here: too much memory",
    doc: r#"
## What it does
Says that a value would have needed more memory than analysis allows. Arrays cost nothing in analysis, whatever their shape; this is about lists, strings, integers and the like.

## Why is this bad?
A value of that size is rarely meant. What follows from it is not known.

## Example
```python
table = [0] * 10**12
```

## Use instead
```python
table = jnp.zeros(10**6)
```
"#,
    check: None,
};
