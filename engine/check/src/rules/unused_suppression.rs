//! PL006.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A comment keeps no finding back. Found in the text.
pub(super) static RULE: Rule = Rule {
    code: "PL006",
    name: "unused-suppression",
    severity: Severity::Warning,
    summary: "a `# pallas: ignore` comment keeps no finding back",
    doc: r#"
## What it does
Reports a comment `# pallas: ignore[...]` that names a rule of which nothing is found on its line.

## Why is this bad?
It looks as if something were wrong there, and it will keep the finding back when something is.

## Example
```python
o_ref[...] = x_ref[...]  # pallas: ignore[PL203]
```

## Use instead
```python
o_ref[...] = x_ref[...]
```
"#,
    check: None,
};
