//! PL109.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A kernel with the wrong parameters.
pub(super) static RULE: Rule = Rule {
    code: "PL109",
    name: "kernel-arity",
    severity: Severity::Error,
    summary: "a kernel does not take one parameter per input, output and scratch Ref",
    doc: r#"
## What it does
Reports a kernel that cannot be called with its Refs: prefetched scalars, inputs, outputs, scratch, in this order.

## Why is this bad?
Python raises `TypeError`. A forgotten output Ref is the usual cause: kernels do not return their results, they store them.

## Example
```python
def add(x_ref, y_ref):
    return x_ref[...] + y_ref[...]
```

## Use instead
```python
def add(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]
```
"#,
    check: None,
};
