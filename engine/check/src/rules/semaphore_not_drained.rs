//! PL403.

use crate::rule::Rule;
use crate::waits;
use pallas_ir::Severity;

/// A semaphore that is signalled more than it is waited for.
pub(crate) static RULE: Rule = Rule {
    code: "PL403",
    name: "semaphore-not-drained",
    severity: Severity::Error,
    summary: "a semaphore is above zero when its life ends",
    doc: r#"
## What it does
Reports a regular or barrier semaphore that is above zero at the end of the launch, or at the end of the scope of
`pl.run_scoped`. The place is the last signal. It is proved where control flow
is known, and found while a kernel runs.

## Why is this bad?
Semaphores must be zero when they are given back: whoever gets one next passes a wait too early. JAX's simulator prints
`Semaphore ... has non-zero count`, and hardware checks it.

## Example
```python
def kernel(x_ref, o_ref, sem):           # sem: pltpu.SemaphoreType.REGULAR
    pl.semaphore_signal(sem, 2)
    pl.semaphore_wait(sem, 1)
```

## Use instead
```python
def kernel(x_ref, o_ref, sem):
    pl.semaphore_signal(sem, 2)
    pl.semaphore_wait(sem, 2)
```
"#,
    check: Some(|launch, findings| waits::report(launch, "PL403", findings)),
};
