//! PL010.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A launch that is not looked at, as something that it needs is not known before the program runs.
pub(super) static RULE: Rule = Rule {
    code: "PL010",
    name: "launch-not-checked",
    severity: Severity::Info,
    summary: "Something that this launch needs is known only when the program runs, so nothing is known of the launch",
    doc: r#"
## What it does
Says of a launch that it was left out, and where that begins which is not known: a shape that depends on the elements of an array, what a command line, a file or a clock says. Whatever depends on an error that is reported itself is left out without a word.

## Why is this bad?
Nothing is wrong with the program. But no rule has looked at the launch: that nothing is reported about it does not mean that it is right.

## Example
```python
x = x[x > 0]                     # how many there are depends on the elements
pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)
```

## Use instead
Shapes that do not depend on elements, such as `jnp.where(x > 0, x, 0)`. Or a function around the launch that nobody calls at the top level: it is checked with arrays of some shape, or with those that a comment says (`# pallas: call(x=f32[1024])`).
"#,
    check: None,
};
