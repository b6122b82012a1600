//! PL005.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A name that JAX has and the workbench does not.
pub(super) static RULE: Rule = Rule {
    code: "PL005",
    name: "name-not-provided",
    severity: Severity::Warning,
    summary: "JAX or numpy has this name, the workbench does not provide it yet, so what it gives is not known",
    doc: r#"
## What it does
Reports a function, class or attribute of JAX or numpy that exists there, but that the workbench does not have. What it gives is unknown to the checks, and so is everything computed from that. A name that JAX does not have either is `unknown-attribute`. Ways of using JAX that the workbench does not model are reported under this rule, too.

## Why is this bad?
Nothing is wrong with the program. But what depends on the name is not checked, and `pallas-tui run` stops there with an exception.

## Example
```python
x = jnp.fromfile("weights.bin", dtype=jnp.float32)     # reads files, which nothing here does
```

## Use instead
Other functions that give the same, where there are some. Where the name matters to kernels, ask for it.
"#,
    check: None,
};
