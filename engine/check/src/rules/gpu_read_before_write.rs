//! PL412.

use crate::rule::Rule;
use pallas_ir::Severity;

/// Memory of a block is read that nobody has written.
pub static RULE: Rule = Rule {
    code: "PL412",
    name: "gpu-read-before-write",
    severity: Severity::Error,
    summary: "shared or tensor memory is read before anybody has written it",
    doc: r#"
## What it does
Reports, while a GPU kernel runs, a read of shared memory or of tensor memory of which no part has been written: by a thread,
by a copy that was started, or by a product. Products that add to their accumulator read it. Memory that a `plgpu.RefUnion`
lays over other memory is left alone.

Kernels that are only analysed are followed without data, as far as their steps do not depend on what arrays hold.

## Why is this bad?
The memory holds what the block before has left there. Interpreters fill it with NaN or zeros, which hides the mistake or
shows it far from its place.

## Example
```python
@pl.loop(0, steps)
def _(k):
    plgpu.tcgen05_mma(acc_tmem, a_smem.at[k], b_smem.at[k])     # adds to what is there, from the first step on
```

## Use instead
```python
@pl.loop(0, steps)
def _(k):
    plgpu.tcgen05_mma(acc_tmem, a_smem.at[k], b_smem.at[k], accumulate=(k > 0))
```
"#,
    check: None,
};
