//! PL007.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A settings file says what is not understood. Found in the file.
pub(super) static RULE: Rule = Rule {
    code: "PL007",
    name: "invalid-settings",
    severity: Severity::Warning,
    summary: "`pallas.toml`, or `[tool.pallas]` in `pyproject.toml`, says what is not understood",
    doc: r#"
## What it does
Reports a setting, a rule, a severity or a target that there is not, and a `pallas.toml` that is not TOML. What is right
in the file counts all the same.

## Why is this bad?
The setting that was meant has no effect.

## Example
```toml
# pallas.toml
ignor = ["PL203"]
target = "v5e"
```

## Use instead
```toml
# pallas.toml, or the same below [tool.pallas] in pyproject.toml; the nearest file around the program counts
select = ["ALL"]                  # only these rules: codes, names, beginnings of codes
ignore = ["PL203"]                # not these; what names a rule more closely decides
severity = { PL2 = "warning" }    # error, warning or info
target = "tpu-v5e"                # where the program does not say it: tpu-v5p, tpu-v6e, triton, hopper, blackwell
python = ".venv"                  # whose packages are imported: relative to this file
```
"#,
    check: None,
};
