//! PL402.

use crate::rule::Rule;
use crate::waits;
use pallas_ir::Severity;

/// A copy that may still be under way when the kernel has ended.
pub static RULE: Rule = Rule {
    code: "PL402",
    name: "copy-never-awaited",
    severity: Severity::Error,
    summary: "a copy is started and nobody waits for it",
    doc: r#"
## What it does
Reports a copy that is started and not waited for by the time its semaphore's life ends: the end of the launch for
semaphores in `scratch_shapes`, the end of the scope for those of `pl.run_scoped`. It is proved where control flow
is known, and found while a kernel runs.

GPU kernels that are only analysed are followed without data, as far as their steps do not depend on what arrays hold.

## Why is this bad?
The data may arrive at any time: after the kernel has ended, into memory that belongs to something else by then. The
semaphore is left above zero, and the next wait for it goes through too early.

## Example
```python
def kernel(x_ref, o_ref, sem):
    pltpu.make_async_copy(x_ref, o_ref, sem).start()
```

## Use instead
```python
def kernel(x_ref, o_ref, sem):
    copy = pltpu.make_async_copy(x_ref, o_ref, sem)
    copy.start()
    copy.wait()
```
"#,
    check: Some(|launch, findings| waits::report(launch, "PL402", findings)),
};
