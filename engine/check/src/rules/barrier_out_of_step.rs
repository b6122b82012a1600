//! PL414.

use crate::rule::Rule;
use pallas_ir::Severity;

/// What to do about it.
pub(crate) const HELP: &str = "every completed phase has to be waited for before the next one completes, by each thread that waits at \
                        this barrier at all: count the arrivals (`num_arrivals`) and the waits";

/// A phase of a barrier is completed or waited for out of step.
pub(crate) static RULE: Rule = Rule {
    code: "PL414",
    name: "barrier-out-of-step",
    severity: Severity::Error,
    summary: "a barrier completes a phase that nobody has seen, or a thread waits for one that is over",
    doc: r#"
## What it does
Reports, while a GPU kernel runs, a barrier whose arrivals complete a phase before anybody has waited for the one before; a
thread that waits for a phase although later ones are complete; and, for launches that JAX's interpreter runs, a thread that
has seen some phases of a barrier and not all when the barrier's life ends. A wait for a phase that never completes, since
there are fewer arrivals than `num_arrivals` says, is a wait in vain (PL401).

Kernels that are only analysed are followed without data, as far as their steps do not depend on what arrays hold.

## Why is this bad?
Hardware keeps one bit of a phase: whether its number is even. Who has missed a phase waits for the wrong one, or goes on too
early.

## Example
```python
plgpu.copy_gmem_to_smem(a_gmem, a_smem, barrier)     # Barrier(num_arrivals=1): each copy completes a phase
plgpu.copy_gmem_to_smem(b_gmem, b_smem, barrier)
plgpu.barrier_wait(barrier)
```

## Use instead
```python
plgpu.copy_gmem_to_smem(a_gmem, a_smem, barrier)     # Barrier(num_arrivals=2): both complete one phase
plgpu.copy_gmem_to_smem(b_gmem, b_smem, barrier)
plgpu.barrier_wait(barrier)
```
"#,
    check: None,
};
