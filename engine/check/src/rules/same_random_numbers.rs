//! PL207.

use crate::checked::Checked;
use crate::rule::Rule;
use pallas_ir::same::{moved_by, same_in_all_programs};
use pallas_ir::{Certainty, Finding, OpId, Role, Severity};
use pallas_tensor::Shape;

/// Every program draws the same random numbers.
pub(super) static RULE: Rule = Rule {
    code: "PL207",
    name: "same-random-numbers",
    severity: Severity::Warning,
    summary: "every program of the grid draws the same random numbers for a block of its own",
    doc: r#"
## What it does
Reports `pltpu.prng_seed`, and keys of `jax.random`, that are the same in every program of a grid, where a kernel draws as many numbers
as a block of an output has, and that block is another one in other programs. Seeds that contain `pl.program_id`, or what a
block holds that moves, are not reported, and neither are seeds that only some programs set.

## Why is this bad?
Every block gets the same numbers: a dropout mask repeats, noise has a period, and what is meant to be independent is not. Nothing
else notices; interpret mode has no generator of a TPU at all.

## Example
```python
pltpu.prng_seed(0)
keep = pltpu.prng_random_bits(x_ref.shape) > threshold
```

## Use instead
```python
pltpu.prng_seed(0, pl.program_id(0))
```
With `jax.random`: `jax.random.fold_in(key, pl.program_id(0))`. Where all blocks are meant to have the same numbers, suppress it with
a comment: `# pallas: ignore[PL207]`.
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    let launch = launch.as_written();
    if launch.programs() < 2 {
        return;
    }
    let (kernel, axes) = (&launch.kernel, launch.grid.len());
    let blocks = launch.with_role(Role::Output).filter_map(|(number, operand)| {
        let moves = moved_by(operand, axes)?.into_iter().any(|axis| launch.grid[axis] > 1);
        kernel.params().get(number).filter(|_| moves).map(|&param| kernel.ty(param).shape())
    });
    let blocks: Vec<&Shape> = blocks.collect();
    for (number, op) in kernel.ops.iter().enumerate().filter(|(_, op)| op.op.name == "random_bits") {
        let ([key, ..], [bits, ..]) = (&op.operands[..], &op.results[..]) else { continue };
        if !blocks.contains(&kernel.ty(*bits).shape()) || !same_in_all_programs(kernel, &launch.operands, axes, *key) {
            continue;
        }
        let place = kernel.location(OpId(number as u32));
        let message = "every program draws the same random numbers: its key does not depend on the program";
        let mut finding = RULE.finding(Certainty::Proved, place.span, message.to_string());
        finding.help =
            Some("give each program a key of its own: `jax.random.fold_in(key, pl.program_id(0))`".to_string());
        finding.called_from(&place.calls);
        findings.push(finding);
    }
}
