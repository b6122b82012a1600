//! PL314.

use crate::rule::Rule;
use pallas_ir::Severity;

/// `pl.when` that decorates nothing.
pub(super) static RULE: Rule = Rule {
    code: "PL314",
    name: "when-without-function",
    severity: Severity::Error,
    summary: "`pl.when(...)` decorates no function, so that it decides nothing",
    doc: r#"
## What it does
Reports `pl.when(condition)` as a condition of Python (`if`, `while`, `and`, `or`, `not`, `assert`), and as a statement of its own.

## Why is this bad?
`pl.when` makes a decorator, and does nothing until a function is given to it. Python takes a decorator for true: what stands
below `if pl.when(...)` is done in every program, whatever the condition. JAX raises no error.

## Example
```python
def kernel(x_ref, o_ref):
    if pl.when(pl.program_id(0) == 0):
        o_ref[...] = jnp.zeros_like(o_ref)
    o_ref[...] += x_ref[...]
```

## Use instead
```python
def kernel(x_ref, o_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)
    o_ref[...] += x_ref[...]
```
"#,
    check: None,
};
