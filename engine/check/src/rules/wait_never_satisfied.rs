//! PL401.

use crate::rule::Rule;
use crate::waits;
use pallas_ir::Severity;

/// A deadlock.
pub(crate) static RULE: Rule = Rule {
    code: "PL401",
    name: "wait-never-satisfied",
    severity: Severity::Error,
    summary: "a kernel waits for something that never happens",
    doc: r#"
## What it does
Reports a wait for a copy or a semaphore that nothing can satisfy any more: no copy that is under way counts on the
semaphore, and nobody is left who could signal it. It is proved where control flow is known, and found while a kernel runs.

GPU kernels that are only analysed are followed without data, as far as their steps do not depend on what arrays hold.

## Why is this bad?
On hardware the kernel hangs for ever. With `interpret=True` waits only count, so the mistake is not seen; there the
values are those of JAX, and the finding says where the kernel would hang.

## Example
```python
def kernel(x_ref, o_ref, sem):
    copy = pltpu.make_async_copy(x_ref, o_ref, sem)
    copy.wait()                          # it was never started
```

## Use instead
```python
def kernel(x_ref, o_ref, sem):
    copy = pltpu.make_async_copy(x_ref, o_ref, sem)
    copy.start()
    copy.wait()
```
"#,
    check: Some(|launch, findings| waits::report(launch, "PL401", findings)),
};
