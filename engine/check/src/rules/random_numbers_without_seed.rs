//! PL208.

use crate::rule::Rule;
use pallas_ir::Severity;

/// Random numbers from a generator that was not seeded.
pub(super) static RULE: Rule = Rule {
    code: "PL208",
    name: "random-numbers-without-seed",
    severity: Severity::Warning,
    summary: "a kernel draws random numbers before it has seeded the generator",
    doc: r#"
## What it does
Reports `pltpu.prng_random_bits`, and `pltpu.stateful_bits`, `stateful_uniform`, `stateful_normal` and `stateful_bernoulli`, in a
kernel that has not called `pltpu.prng_seed` before. A seed on a condition counts, and so do keys of `jax.random`, which bring
their seed along.

## Why is this bad?
The generator of a core keeps its state from kernel to kernel: without a seed the numbers are whatever follows from what ran on
the core before. Results cannot be repeated, and a gradient that draws its dropout mask again draws another one. Interpret mode
gives zeros, and shows none of it.

## Example
```python
def dropout(x_ref, o_ref):
    bits = pltpu.bitcast(pltpu.prng_random_bits(x_ref.shape), jnp.uint32)
    o_ref[...] = jnp.where(bits > threshold, x_ref[...], 0.0)
```

## Use instead
```python
def dropout(seed_ref, x_ref, o_ref):
    pltpu.prng_seed(seed_ref[0], pl.program_id(0))
    bits = pltpu.bitcast(pltpu.prng_random_bits(x_ref.shape), jnp.uint32)
    o_ref[...] = jnp.where(bits > threshold, x_ref[...], 0.0)
```
"#,
    check: None,
};
