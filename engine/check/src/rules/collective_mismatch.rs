//! PL423.

use crate::rule::Rule;
use pallas_ir::Severity;

/// Devices, or threads of a block, that do not come to the same collectives.
pub(crate) static RULE: Rule = Rule {
    code: "PL423",
    name: "collective-mismatch",
    severity: Severity::Error,
    summary: "devices or threads wait where they meet for others that do not come there",
    doc: r#"
## What it does
Reports devices, cores and threads that wait for others which take another branch, or have left a loop before: in a kernel at a
barrier, for signals and copies, or in a collective (`jax.lax.psum`, `all_gather`, `ppermute`, ...). Both places are shown: where
some wait, and where the others go another way. In a kernel a branch or loop that has the wait and an arrival at what is waited
for is taken for a meeting. Where the branch follows from the numbers of devices, a collective is reported when it is traced, and
threads of GPU kernels are followed; kernels of several devices, and branches that depend on data, are reported by a run.

## Why is this bad?
All devices have to come to the same collectives in the same order. One that stays away is waited for without end; so are two that
come to two of them in different orders, each in one of its own. Kernels with different `collective_id`s wait at different
barriers, also where they are written alike. JAX's interpreters do not end.

## Example
```python
def step(x):                                          # in jax.shard_map over "x"
    return jax.lax.cond(jax.lax.axis_index("x") == 0, lambda x: jax.lax.psum(x, "x"), lambda x: x, x)
```

## Use instead
```python
def step(x):
    total = jax.lax.psum(x, "x")
    return jnp.where(jax.lax.axis_index("x") == 0, total, x)
```
"#,
    check: None,
};

/// What to do about others in the launch that do not come.
pub(crate) const MISSING_HELP: &str = "let all of them come there: take it out of the branch or the loop, or wait for those only who \
                                come (`num_arrivals`, or the number that the semaphore has to reach)";

/// What to do about devices that do not come to the launch.
pub(crate) const ABSENT_HELP: &str = "let all devices launch it, in the same order: take it out of the branch, and choose among results \
                        (`jnp.where`) behind it; or let nobody wait for devices that stay away";
