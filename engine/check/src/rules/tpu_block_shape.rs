//! PL501.

use crate::checked::Checked;
use crate::rule::Rule;
use pallas_ir::{BlockDim, BlockMap, Certainty, Finding, IndexForm, Launch, MemorySpace, Operand, Role, Severity};
use pallas_syntax::Span;
use pallas_tensor::{DType, Shape};

/// A block whose shape the TPU compiler refuses.
pub(super) static RULE: Rule = Rule {
    code: "PL501",
    name: "tpu-block-shape",
    severity: Severity::Error,
    summary: "TPUs take blocks whose last two dimensions are multiples of 8 and 128, or those of the array",
    doc: r#"
## What it does
Reports blocks that the TPU compiler refuses, where the target is a TPU (`--target tpu-v5e`, or `target` in `pallas.toml`).
The last dimension of a block has to be a multiple of 128, the one before a multiple of 8, or as long as the array's. A
block of one dimension has to be as long as its array, a multiple of 1024, or a power of two of at least 128 elements
(256 of 16 bits, 512 of 8 bits). Squeezed dimensions count as 1. Arrays that stay in main memory (`pl.ANY`) have no
blocks: their block shape is that of the array, and their index map gives zeros.

## Why is this bad?
Lowering raises `ValueError: The Pallas TPU lowering currently requires that the last two dimensions of your block shape
are divisible by 8 and 128 respectively`. Interpret mode accepts any block.

## Example
```python
pl.BlockSpec((4, 64), lambda i, j: (i, j))       # of an array of shape (512, 512)
```

## Use instead
```python
pl.BlockSpec((8, 128), lambda i, j: (i, j))
```
"#,
    check: Some(check),
};

const LANES: usize = 128;
const SUBLANES: usize = 8;

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    if !launch.target.is_tpu() {
        return;
    }
    let mut seen: Vec<Span> = Vec::new();
    for operand in launch.operands.iter().filter(|operand| operand.role != Role::Prefetch) {
        let Some((problem, help)) = problem(launch, operand) else { continue };
        let place = operand.spans.block_shape.or(operand.spans.spec);
        if place.is_some_and(|place| seen.contains(&place)) {
            continue;
        }
        seen.extend(place);
        let message = format!("a TPU takes no blocks of this shape: {problem}");
        let mut finding = RULE.finding(Certainty::Proved, place.unwrap_or(launch.spans.call), message);
        let sizes: Vec<usize> = operand.block.iter().map(|dim| dim.size()).collect();
        finding.evidence =
            Some(format!("blocks of {} of {}, which is {}", Shape::from(&sizes[..]), operand.name, operand.array));
        finding.help = Some(help);
        findings.push(finding);
    }
}

/// What is wrong with the blocks of an operand, and what would be right.
fn problem(launch: &Launch, operand: &Operand) -> Option<(String, String)> {
    let shape = &operand.array.shape;
    match operand.space {
        MemorySpace::Semaphore | MemorySpace::DmaSemaphore | MemorySpace::BarrierSemaphore => return None,
        MemorySpace::Smem if is_trivial(launch, operand) => return None,
        // Without a block shape blocks are whole; under `shard_map` and `vmap` each device or lane has its own.
        MemorySpace::Any | MemorySpace::Hbm if operand.spans.spec.is_some() && operand.spans.block_shape.is_none() => {
            return None;
        }
        MemorySpace::Any | MemorySpace::Hbm if !is_trivial(launch, operand) => {
            return Some((
                format!("{} stays in main memory, which has no blocks", operand.name),
                "leave the block shape and the index map out, and copy what is needed with `pltpu.make_async_copy`"
                    .to_string(),
            ));
        }
        _ => {}
    }
    let sizes: Vec<usize> = operand.block.iter().map(|dim| dim.size()).collect();
    match sizes[..] {
        [] => Some((
            format!("{} has no dimension", operand.name),
            "give it the shape `(1,)` and put it into scalar memory: `memory_space=pltpu.SMEM`".to_string(),
        )),
        [size] => {
            let extent = shape[0];
            let least = least_row(operand.array.dtype);
            let fits =
                size == extent || size.is_multiple_of(LANES * SUBLANES) || (size >= least && size.is_power_of_two());
            let near = size.max(least).next_power_of_two();
            (!fits).then(|| {
                (
                    format!(
                        "{size} is neither all {extent} nor a multiple of 1024 nor a power of two of at least {least}"
                    ),
                    format!("the next that it takes is {}", near.min(size.next_multiple_of(LANES * SUBLANES))),
                )
            })
        }
        [.., rows, columns] => {
            let rank = shape.len();
            let legal = |size: usize, extent: usize, unit: usize| size == extent || size.is_multiple_of(unit);
            let (row_extent, column_extent) = (shape[rank - 2], shape[rank - 1]);
            let mut wrong = Vec::new();
            let mut right = Vec::new();
            for (axis, size, extent, unit) in
                [(rank - 2, rows, row_extent, SUBLANES), (rank - 1, columns, column_extent, LANES)]
            {
                if !legal(size, extent, unit) {
                    wrong.push(format!(
                        "{size} along dimension {axis} is neither a multiple of {unit} nor all {extent}"
                    ));
                    let next = size.next_multiple_of(unit);
                    right.push(if next < extent { next.to_string() } else { extent.to_string() });
                }
            }
            (!wrong.is_empty())
                .then(|| (wrong.join(", "), format!("the next that it takes is {}", right.join(" and "))))
        }
    }
}

/// Elements of the shortest row that a block of one dimension may be.
fn least_row(dtype: DType) -> usize {
    // Booleans lie in memory as 32-bit integers.
    let bits = if dtype == DType::Bool { 32 } else { dtype.bits().max(1) };
    LANES * (32 / bits.min(32)) as usize
}

/// Whether there is one block, which is the array.
fn is_trivial(launch: &Launch, operand: &Operand) -> bool {
    // Lanes stand in front: those of a mapped launch are devices, or copies of it, each with an array of its own.
    let lanes = operand.block.iter().take_while(|dim| **dim == BlockDim::Squeezed).count();
    let mut dims = operand.block.iter().zip(operand.array.shape.iter()).skip(lanes);
    let is_whole = dims.all(|(b, &n)| *b == BlockDim::Blocked(n));
    let zero = |form: &IndexForm| matches!(form, IndexForm::Affine { constant: 0, coefficients } if coefficients.iter().all(|&c| c == 0));
    is_whole && BlockMap::new(operand, launch.grid.len()).dims.iter().skip(lanes).all(zero)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_types_need_longer_rows() {
        let rows = [DType::F32, DType::BF16, DType::I8, DType::Bool].map(least_row);
        assert_eq!(rows, [128, 256, 512, 128]);
    }
}
