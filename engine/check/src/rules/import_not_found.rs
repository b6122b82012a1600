//! PL002.

use crate::rule::Rule;
use pallas_ir::Severity;

/// An import that is not found.
pub(super) static RULE: Rule = Rule {
    code: "PL002",
    name: "import-not-found",
    severity: Severity::Warning,
    summary: "an imported module is not found, so what comes from it is not known",
    doc: r#"
## What it does
Reports an import that is neither one of the modules that the workbench offers itself, nor found beside the file, on `PYTHONPATH` or in the Python environment: the one that `--python` names, the active one (`VIRTUAL_ENV`), or `.venv` beside the file or above it. Compiled modules, and packages that have nothing to say about kernels, are not evaluated. What is imported from it is unknown, and so is everything computed from that.

## Why is this bad?
Kernels that depend on the missing module cannot be checked. If the module is missing for Python too, the program stops with `ModuleNotFoundError`.

## Example
```python
from my_company.kernels import layouts     # not found from here
```

## Use instead
Name the environment that the program runs in, or add the folder to `PYTHONPATH`; the language server takes the environment as its initialization option `python`:
```sh
pallas-tui check --python ../envs/tpu kernels.py
PYTHONPATH=src pallas-tui check kernels.py
```
"#,
    check: None,
};
