//! PL320.

use crate::rule::Rule;
use pallas_ir::Severity;

/// What an op wants of a semaphore, and does not get.
pub(super) static RULE: Rule = Rule {
    code: "PL320",
    name: "bad-semaphore",
    severity: Severity::Error,
    summary: "something that is no semaphore of the right kind is waited for or signalled",
    doc: r#"
## What it does
Reports a signal, wait or copy whose semaphore is of the wrong kind, is several at once, or is no semaphore at all. Copies
count on DMA semaphores; `pl.semaphore_signal` and `pl.semaphore_wait` take regular and barrier semaphores.

## Why is this bad?
JAX refuses most of these while it traces the kernel; some only the compiler of the hardware refuses.

## Example
```python
def kernel(x_ref, o_ref, sems):          # sems: pltpu.SemaphoreType.DMA((2,))
    pltpu.make_async_copy(x_ref, o_ref, sems).start()
```

## Use instead
```python
def kernel(x_ref, o_ref, sems):
    pltpu.make_async_copy(x_ref, o_ref, sems.at[0]).start()
```
"#,
    check: None,
};
