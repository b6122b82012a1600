//! PL340.

use crate::rule::Rule;
use pallas_ir::Severity;

/// An operation on a Ref in a memory that it does not reach, or on the wrong kind of barrier.
pub(super) static RULE: Rule = Rule {
    code: "PL340",
    name: "bad-memory-space",
    severity: Severity::Error,
    summary: "an operation is given a Ref in a memory that it cannot reach, or a barrier that does not fit",
    doc: r#"
## What it does
Reports a copy, a product or a barrier operation of a Mosaic GPU kernel whose Ref lies in another memory than the operation
works on, an array of barriers where one is needed, and barriers of tensor cores without `orders_tensor_core`; and of
a TPU kernel that JAX simulates, a load or store of a Ref in main memory (`pl.ANY`).

## Why is this bad?
Each engine of a GPU reaches certain memories only: copies go between global and shared memory, `wgmma` reads shared memory
and accumulates in registers, `tcgen05_mma` accumulates in tensor memory. JAX refuses such a kernel while it traces or
compiles it, on a machine with a GPU. The cores of a TPU reach main memory by copies only.

## Example
```python
def kernel(x_gmem, o_gmem, o_smem, barriers):      # barriers: plgpu.Barrier(num_barriers=2)
    plgpu.copy_gmem_to_smem(x_gmem, o_gmem, barriers.at[0])
    plgpu.barrier_wait(barriers)
```

## Use instead
```python
def kernel(x_gmem, o_gmem, o_smem, barriers):
    plgpu.copy_gmem_to_smem(x_gmem, o_smem, barriers.at[0])
    plgpu.barrier_wait(barriers.at[0])
```
"#,
    check: None,
};
