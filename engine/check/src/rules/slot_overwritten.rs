//! PL415.

use crate::rule::Rule;
use pallas_ir::Severity;

/// A slot is filled while somebody may still read it.
pub static RULE: Rule = Rule {
    code: "PL415",
    name: "slot-overwritten",
    severity: Severity::Error,
    summary: "memory of a block is written while a copy, a product or a thread may still read it",
    doc: r#"
## What it does
Reports, while a GPU kernel runs, a write to shared or tensor memory that nothing orders behind an earlier read, where an engine
is on either side: a copy that fills a slot which a product or a thread reads, a product that replaces an accumulator which is
being read, a thread that writes a slot which is being copied out.

Kernels that are only analysed are followed without data, as far as their steps do not depend on what arrays hold.

## Why is this bad?
The reader gets a mixture of the old block and the new one, depending on timing. Interpreters finish every copy and product
where it is started, and show the result that was meant.

## Example
```python
def body(step, _):
    o_smem[...] = compute(step)                     # the copy of the step before may still read it
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[step])
```

## Use instead
```python
def body(step, _):
    plgpu.wait_smem_to_gmem(0, wait_read_only=True)
    o_smem[...] = compute(step)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[step])
```
"#,
    check: None,
};
