//! PL008.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A spelling that newer versions of JAX do not have. Found in the text.
pub(super) static RULE: Rule = Rule {
    code: "PL008",
    name: "moved-api",
    severity: Severity::Info,
    summary: "this spelling of Pallas's API moved, was renamed or was removed in a newer JAX",
    doc: r#"
## What it does
Reports names and modules of Pallas that were renamed, moved or removed, `BlockSpec` with the index map first, and
`compiler_params` as a dict, with the version of JAX that did it. Old spellings are understood here all the same. Names that a program asks for under a
condition (`if hasattr(...)`, `try`) are not reported.

## Why is this bad?
The program does not run with that version of JAX: it raises `AttributeError`, or for `BlockSpec` a `TypeError`.

## Example
```python
pl.BlockSpec(lambda i: (i, 0), (8, 128))
pltpu.TPUCompilerParams(dimension_semantics=("parallel",))
```

## Use instead
```python
pl.BlockSpec((8, 128), lambda i: (i, 0))
pltpu.CompilerParams(dimension_semantics=("parallel",))
```
"#,
    check: None,
};
