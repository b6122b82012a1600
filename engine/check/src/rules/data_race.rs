//! PL410.

use crate::rule::Rule;
use pallas_ir::Severity;

/// Two accesses that nothing orders.
pub static RULE: Rule = Rule {
    code: "PL410",
    name: "data-race",
    severity: Severity::Error,
    summary: "two accesses to the same elements, one of them a write, may happen in either order",
    doc: r#"
## What it does
Reports, while a kernel runs, two accesses to the same elements of which at least one writes, when nothing puts them in an
order: no barrier, semaphore or wait that the one has passed on its way to the other. It looks at threads, warps, blocks of
a cluster, programs of a GPU grid, and at what engines do for them: copies, products, loads and stores of tensor memory.
Accesses race whether or not this run happened to make them in an order that works.

On TPU, runs look for races where the launch asks for it with `pltpu.InterpretParams(detect_races=True)`, and with
`run --explore`.

Kernels that are only analysed, those of GPUs and those of TPUs that start copies themselves, are followed without data, as
far as their steps do not depend on what arrays hold.

## Why is this bad?
The result depends on timing: right in one run, wrong in the next. Interpreters do one thing after the other and mostly
show the result that was meant.

## Example
```python
def kernel(x_gmem, o_gmem, x_smem, barrier):
    plgpu.copy_gmem_to_smem(x_gmem, x_smem, barrier)
    o_gmem[...] = x_smem[...] + 1        # the copy may not have arrived
```

## Use instead
```python
def kernel(x_gmem, o_gmem, x_smem, barrier):
    plgpu.copy_gmem_to_smem(x_gmem, x_smem, barrier)
    plgpu.barrier_wait(barrier)
    o_gmem[...] = x_smem[...] + 1
```
"#,
    check: None,
};
