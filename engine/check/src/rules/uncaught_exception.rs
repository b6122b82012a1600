//! PL001.

use crate::rule::Rule;
use pallas_ir::Severity;

/// Running the file raises an exception.
pub(super) static RULE: Rule = Rule {
    code: "PL001",
    name: "uncaught-exception",
    severity: Severity::Error,
    summary: "running this raises an exception that nothing catches",
    doc: r#"
## What it does
Reports an exception that a top-level statement ends with, in Python's or JAX's words. Exceptions that the program catches are not reported. Mistakes that have a rule of their own are reported under that one.

## Why is this bad?
The program stops there.

## Example
```python
x = jnp.ones((8, 128))
y = x.reshape(7, -1)     # TypeError: cannot reshape array of shape (8, 128) (size 1024) into shape (7, -1)
```

## Use instead
```python
y = x.reshape(8, -1)
```
or catch the exception where it is expected.
"#,
    check: None,
};
