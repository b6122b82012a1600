//! PL423.

use crate::rule::Rule;
use pallas_ir::Severity;

/// Devices that do not come to the same collectives.
pub(super) static RULE: Rule = Rule {
    code: "PL423",
    name: "collective-mismatch",
    severity: Severity::Error,
    summary: "devices wait in a collective for others that do not come to it",
    doc: r#"
## What it does
Reports devices that wait for others which take another branch, or have left a loop before: in a kernel for signals and copies, or
in a collective (`jax.lax.psum`, `all_gather`, `ppermute`, ...). Where the branch follows from the numbers of devices, a collective
is reported when it is traced; kernels, and branches that depend on data, are reported by a run.

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

/// What to do.
pub const HELP: &str = "let all devices launch it, in the same order: take it out of the branch, and choose among results \
                        (`jnp.where`) behind it; or let nobody wait for devices that stay away";
