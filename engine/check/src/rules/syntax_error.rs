//! PL000.

use crate::rule::Rule;
use pallas_ir::Severity;

/// The file is not Python.
pub(super) static RULE: Rule = Rule {
    code: "PL000",
    name: "syntax-error",
    severity: Severity::Error,
    summary: "the file is not Python",
    doc: r#"
## What it does
Reports text that Python's grammar does not allow. A broken statement is skipped; the rest of the file is still analysed.

## Why is this bad?
Python refuses to run the file, and nothing in the broken statement is checked.

## Example
```python
def kernel(x_ref, o_ref)
    o_ref[...] = x_ref[...]
```

## Use instead
```python
def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...]
```
"#,
    check: None,
};
