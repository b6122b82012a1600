//! PL133.

use crate::rule::Rule;
use pallas_ir::Severity;

/// Arguments that are called as other parameters of the kernel are.
pub(super) static RULE: Rule = Rule {
    code: "PL133",
    name: "operands-exchanged",
    severity: Severity::Info,
    summary: "arguments of a launch have the names of each other's Refs",
    doc: r#"
## What it does
Reports a launch whose arguments are variables that are called as Refs of the kernel are (`x` and `x_ref`), where they change
places: `x` goes to `y_ref`, and `y` to `x_ref`. Arguments of different shapes or dtypes are not reported: those say themselves
whether they fit.

## Why is this bad?
Operands go to the kernel's parameters by their place, never by their name. Arrays of one shape that are given in the wrong order
raise nothing: `q` meets where `k` is meant, a difference has the other sign.

## Example
```python
def kernel(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] - y_ref[...]

pl.pallas_call(kernel, out_shape=x)(y, x)
```

## Use instead
```python
pl.pallas_call(kernel, out_shape=x)(x, y)
```
If it is meant, other names say so; or suppress it with a comment: `# pallas: ignore[PL133]`.
"#,
    check: None,
};
