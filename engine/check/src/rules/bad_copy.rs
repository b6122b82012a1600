//! PL321.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A copy between Refs that do not fit, or between things that are no Refs.
pub(super) static RULE: Rule = Rule {
    code: "PL321",
    name: "bad-copy",
    severity: Severity::Error,
    summary: "the source and destination of a copy do not fit each other",
    doc: r#"
## What it does
Reports a copy whose source and destination differ in shape or dtype, or that is given values instead of Refs.

## Why is this bad?
A copy moves bytes: nothing is broadcast, converted or cut. Interpret mode notices some mismatches late, and others not at
all; the hardware's compiler refuses them.

## Example
```python
def kernel(x_ref, o_ref, buffer, sem):   # x_ref: (64, 128), buffer: (8, 128)
    pltpu.make_async_copy(x_ref, buffer, sem).start()
```

## Use instead
```python
def kernel(x_ref, o_ref, buffer, sem):
    pltpu.make_async_copy(x_ref.at[pl.ds(0, 8)], buffer, sem).start()
```
"#,
    check: None,
};
