//! PL308.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A Ref used as an array.
pub(super) static RULE: Rule = Rule {
    code: "PL308",
    name: "ref-used-as-array",
    severity: Severity::Error,
    summary: "a Ref is used where an array is needed",
    doc: r#"
## What it does
Reports arithmetic on a Ref, a Ref handed to a function that takes arrays, and loads from something that is not a Ref.

## Why is this bad?
A Ref is a place in memory, not a value. JAX raises an error that does not say so: `'AbstractRef' object has no attribute '_add'`.

## Example
```python
def kernel(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref + y_ref
```

## Use instead
```python
def kernel(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]
```
"#,
    check: None,
};
