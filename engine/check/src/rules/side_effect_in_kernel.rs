//! PL313.

use crate::rule::Rule;
use pallas_ir::Severity;

/// Python that happens while a kernel is traced, and not when it runs.
pub(super) static RULE: Rule = Rule {
    code: "PL313",
    name: "side-effect-in-kernel",
    severity: Severity::Warning,
    summary: "this happens once, when the kernel is traced, and not in each program",
    doc: r#"
## What it does
Reports kernels that `print` a value, that append one to a list of the program around them, or that assign one to a variable
declared `global` or `nonlocal`. Where no value of the kernel is involved (a counter, say), it is an info.

## Why is this bad?
A kernel is Python only while it is traced: once, whatever the grid. `print` shows the name of a traced value, not its
elements, and a traced value that leaves its kernel raises `UnexpectedTracerError` where it is used.

## Example
```python
seen = []

def kernel(x_ref, o_ref):
    seen.append(x_ref[...])
    print(x_ref[...])
    o_ref[...] = x_ref[...]
```

## Use instead
An output for what is to be kept, and `pl.debug_print` for what is to be seen:
```python
def kernel(x_ref, o_ref, seen_ref):
    seen_ref[...] = x_ref[...]
    pl.debug_print("{}", x_ref[0])
    o_ref[...] = x_ref[...]
```
"#,
    check: None,
};
