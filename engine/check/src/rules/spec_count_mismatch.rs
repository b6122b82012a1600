//! PL103.

use crate::rule::Rule;
use pallas_ir::Severity;

/// Specs and operands do not match.
pub(super) static RULE: Rule = Rule {
    code: "PL103",
    name: "spec-count-mismatch",
    severity: Severity::Error,
    summary: "the number or nesting of BlockSpecs does not match the operands",
    doc: r#"
## What it does
Reports `in_specs` or `out_specs` whose nesting differs from that of the arguments or of `out_shape`.

## Why is this bad?
JAX raises `ValueError`: each array needs one BlockSpec, in its place.

## Example
```python
pl.pallas_call(add, in_specs=[spec], out_specs=spec, out_shape=out)(x, y)     # one spec, two inputs
```

## Use instead
```python
pl.pallas_call(add, in_specs=[spec, spec], out_specs=spec, out_shape=out)(x, y)
```
"#,
    check: None,
};
