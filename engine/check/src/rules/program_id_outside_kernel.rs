//! PL113.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A program id where no kernel runs.
pub(super) static RULE: Rule = Rule {
    code: "PL113",
    name: "program-id-outside-kernel",
    severity: Severity::Error,
    summary: "`pl.program_id` or `pl.num_programs` is called where no kernel runs",
    doc: r#"
## What it does
Reports `pl.program_id` and `pl.num_programs` outside of a kernel: at the top level, in a plain function. `pl.program_id` in an
index map is a warning.

## Why is this bad?
There is no running program to ask for, and JAX raises an error that does not say so. In an index map, interpret mode takes it,
and a TPU refuses to compile the kernel.

## Example
```python
row = pl.program_id(0)

def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + row
```

## Use instead
```python
def kernel(x_ref, o_ref):
    row = pl.program_id(0)
    o_ref[...] = x_ref[...] + row
```
Index maps get the program ids as parameters.
"#,
    check: None,
};
