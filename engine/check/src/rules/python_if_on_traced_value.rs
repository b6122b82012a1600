//! PL306.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A Python condition on a traced value.
pub(super) static RULE: Rule = Rule {
    code: "PL306",
    name: "python-if-on-traced-value",
    severity: Severity::Error,
    summary: "`if`, `while`, `and`, `or`, `not` or `assert` on a traced value",
    doc: r#"
## What it does
Reports Python control flow that depends on a value which is only known when the kernel runs: a program id, a load, anything computed from them.

## Why is this bad?
A kernel is traced once for all programs, so Python cannot know which way to go; JAX raises `TracerBoolConversionError`.

## Example
```python
def kernel(x_ref, o_ref):
    if pl.program_id(0) == 0:
        o_ref[...] = jnp.zeros_like(o_ref)
```

## Use instead
```python
def kernel(x_ref, o_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)
```
For values use `jnp.where(condition, a, b)`, for both `lax.cond`, and for loops `lax.while_loop`.
"#,
    check: None,
};
