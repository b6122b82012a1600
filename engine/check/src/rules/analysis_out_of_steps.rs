//! PL003.

use crate::rule::Rule;
use pallas_ir::Severity;

/// Analysis gave up: too many steps.
pub(super) static RULE: Rule = Rule {
    code: "PL003",
    name: "analysis-out-of-steps",
    severity: Severity::Info,
    summary: "analysis stopped here: too many steps",
    doc: r#"
## What it does
Says that a top-level statement took more steps to evaluate than analysis allows, so that it was abandoned. The statements after it are still analysed.

## Why is this bad?
What the statement would have done is not known: kernels that it launches are not checked. The program itself is not wrong for it.

## Example
```python
while not converged(state):      # how often depends on data
    state = update(state)
```

## Use instead
Keep long-running work out of the module's top level, so that the kernels are analysed on their own:
```python
if __name__ == "__main__":
    main()
```
or run the file to see all of it: `pallas-tui run FILE`.
"#,
    check: None,
};
