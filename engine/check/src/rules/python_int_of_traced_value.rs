//! PL307.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A traced value where Python needs a number.
pub(super) static RULE: Rule = Rule {
    code: "PL307",
    name: "python-int-of-traced-value",
    severity: Severity::Error,
    summary: "a traced value is used where Python needs a known number",
    doc: r#"
## What it does
Reports a traced value used as a Python number: in `range`, as a bound of a slice, as an index of a list, in `int(...)` or `float(...)`.

## Why is this bad?
The value is only known when the kernel runs; JAX raises `TracerIntegerConversionError`, `ConcretizationTypeError` or `IndexError`.

## Example
```python
i = pl.program_id(0)
x_ref[i * 8:(i + 1) * 8]
for k in range(n_ref[0]):
    ...
```

## Use instead
```python
i = pl.program_id(0)
x_ref[pl.ds(i * 8, 8)]
lax.fori_loop(0, n_ref[0], body, carry)
```
"#,
    check: None,
};
