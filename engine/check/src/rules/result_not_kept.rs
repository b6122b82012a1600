//! PL315.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A value that is made, and that nothing keeps.
pub(super) static RULE: Rule = Rule {
    code: "PL315",
    name: "result-not-kept",
    severity: Severity::Warning,
    summary: "a new value is made, and nothing keeps it",
    doc: r#"
## What it does
Reports `x.at[...].set(...)`, and `add`, `multiply` and so on, as a statement of its own, where `x` is an array; and
assignments in a function under `@pl.when(...)` to a name that the function around reads afterwards, where nothing in the
function itself reads it.

## Why is this bad?
Arrays do not change: `x.at[0].set(y)` is another array, and `x` is as it was. A name that a function assigns is a name of
its own: when the function under `pl.when` is done, it is gone, and the name of the kernel has the value that it had. Nothing
raises an error; the result is that of a program without the line.

## Example
```python
def kernel(x_ref, o_ref):
    acc = jnp.zeros((8, 128))
    @pl.when(pl.program_id(0) == 0)
    def _():
        acc = x_ref[...]
    acc.at[0].set(1.0)
    o_ref[...] = acc                     # zeros
```

## Use instead
```python
def kernel(x_ref, o_ref):
    acc = jnp.where(pl.program_id(0) == 0, x_ref[...], jnp.zeros((8, 128)))
    acc = acc.at[0].set(1.0)
    o_ref[...] = acc
```
Or keep it in a Ref: an output, or scratch memory.
"#,
    check: None,
};
