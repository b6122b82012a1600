//! PL413.

use crate::rule::Rule;
use pallas_ir::Severity;

/// An engine may miss what a thread has written.
pub static RULE: Rule = Rule {
    code: "PL413",
    name: "write-not-committed",
    severity: Severity::Error,
    summary: "a copy or a product reads shared memory that a thread has written and not committed",
    doc: r#"
## What it does
Reports, while a GPU kernel runs, a copy or a product that reads shared memory which a thread has written, where no
`plgpu.commit_smem()` stands between the two. Copies that write over it are reported, too.

Kernels that are only analysed are followed without data, as far as their steps do not depend on what arrays hold.

## Why is this bad?
Threads and engines see shared memory in different ways: what a thread has stored is not there for the engine that copies or
multiplies until it has been committed. The engine may take what was there before. Interpreters have one memory, and show
the result that was meant.

## Example
```python
o_smem[...] = acc.astype(o_smem.dtype)
plgpu.copy_smem_to_gmem(o_smem, o_gmem)
```

## Use instead
```python
o_smem[...] = acc.astype(o_smem.dtype)
plgpu.commit_smem()
plgpu.copy_smem_to_gmem(o_smem, o_gmem)
```
"#,
    check: None,
};
