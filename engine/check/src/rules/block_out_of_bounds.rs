//! PL120.

use crate::blocks::{OutsideBlock, first_outside};
use crate::checked::Checked;
use crate::prefetched::consulted;
use crate::refs::origin;
use crate::rule::Rule;
use crate::walk::{Enclosing, Sources, walk};
use crate::words;
use pallas_ir::op::{ControlOp, MemoryOp};
use pallas_ir::{
    BlockDim, BlockMap, Certainty, Finding, Function, IndexForm, Label, Launch, OpKind, Operand, Severity, Target,
};
use pallas_syntax::Span;
use std::collections::HashSet;

/// An index map gives a block wholly outside the array.
pub(crate) static RULE: Rule = Rule {
    code: "PL120",
    name: "block-out-of-bounds",
    severity: Severity::Error,
    summary: "an index map gives a program a block that lies wholly outside the array",
    doc: r#"
## What it does
Reports an index map that gives some program of the grid a block that starts past the end of the array, or ends before
its beginning. The first such program is named. A last block that only sticks out over the end is not reported: it is
padded on reading and cut on writing. Where an index map reads scalars that were fetched before (`PrefetchScalarGridSpec`),
their values count as far as they are known: as computed by the program, or between what they were clipped. Triton copies no blocks; there, blocks are left alone that are read and written
under a condition only.

## Why is this bad?
Interpret mode silently takes the last block instead (or counts negative indices from the end), so the program computes
with the wrong data; TPU interpret mode raises an error, and hardware reads and writes memory that belongs to something
else. The usual cause is an index map that returns element offsets: it must return *block indices*, which Pallas
multiplies by the block size itself.

## Example
```python
pl.BlockSpec((32, 128), lambda i: (i * 32, 0))   # program 1 gets rows 1024..1056
```

## Use instead
```python
pl.BlockSpec((32, 128), lambda i: (i, 0))
```
Where offsets in elements are wanted, say so: `pl.BlockSpec((pl.Element(32), 128), lambda i: (i * 32, 0))`.
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    let mut seen: Vec<Span> = Vec::new();
    // Triton copies no blocks: a block that no access reaches does no harm, and an access under a condition may well be
    // one that knows the end of the array.
    let reached = (launch.target == Target::Triton).then(|| always_reached(&launch.kernel));
    for (number, operand) in launch.operands.iter().enumerate() {
        if reached.as_ref().is_some_and(|reached| !reached.contains(&number)) {
            continue;
        }
        let Some(outside) = first_outside(launch, operand) else {
            continue;
        };
        let span = operand.spans.index_map.or(operand.spans.spec);
        // One spec for several operands is one mistake.
        if span.is_some_and(|span| seen.contains(&span)) {
            continue;
        }
        seen.extend(span);
        findings.push(finding(launch, operand, &outside, span));
    }
}

/// Numbers of the kernel's parameters that every program reads or writes.
fn always_reached(kernel: &Function) -> HashSet<usize> {
    let sources = Sources::new(kernel);
    let mut reached = HashSet::new();
    walk(kernel, |op, path| {
        let is_conditional = |enclosing: &Enclosing| {
            matches!(kernel.op(enclosing.op).op.kind, OpKind::Control(ControlOp::Cond | ControlOp::While))
        };
        if path.iter().any(is_conditional) || matches!(kernel.op(op).op.kind, OpKind::Memory(MemoryOp::View)) {
            return;
        }
        for &operand in &kernel.op(op).operands {
            if kernel.ty(operand).as_ref_type().is_some()
                && let Some(origin) = origin(kernel, &sources, operand)
            {
                reached.extend(origin.parameter);
            }
        }
    });
    reached
}

fn finding(launch: &Launch, operand: &Operand, outside: &OutsideBlock, span: Option<Span>) -> Finding {
    let OutsideBlock { axis, start, end, .. } = *outside;
    let extent = operand.array.shape[axis];
    let message = format!("this index map gives a block that lies outside {}", operand.name);
    let mut finding = RULE.finding(outside.certainty, span.unwrap_or(launch.spans.call), message);
    let sampled = match outside.certainty {
        Certainty::Possible => " (of a sample of the programs: the grid is too large to try all)",
        Certainty::Proved | Certainty::Found => "",
    };
    finding.evidence = Some(format!(
        "{}: {}{sampled}",
        words::program(&outside.program),
        words::part_of(axis, operand.array.shape.len(), (start, end), &operand.name, extent),
    ));
    finding.help = Some(help(launch, operand, outside));
    if let Some(grid) = launch.spans.grid {
        finding
            .labels
            .push(Label { span: grid, text: format!("the grid is {}", pallas_tensor::Shape::from(&launch.grid[..])) });
    }
    finding
}

fn help(launch: &Launch, operand: &Operand, outside: &OutsideBlock) -> String {
    let axis = outside.axis;
    let (block, extent) = (operand.block[axis], operand.array.shape[axis]);
    let size = block.size();
    let form = BlockMap::new(operand, launch.grid.len()).dims.swap_remove(axis);
    if let (BlockDim::Blocked(2..), IndexForm::Affine { constant, coefficients }) = (block, &form) {
        let unit = size as i64;
        let steps = coefficients.iter().filter(|&&c| c != 0);
        let are_offsets = steps.clone().all(|c| c % unit == 0) && constant % unit == 0;
        if steps.count() > 0 && are_offsets {
            return format!("return block indices, not element offsets: divide by the block size {size}");
        }
    }
    let blocks = block.blocks(extent);
    // A table may decide the block along another dimension only.
    let depends = !matches!(form, IndexForm::Affine { .. });
    if let Some(&scalars) = operand.index_map.as_ref().map(consulted).unwrap_or_default().first().filter(|_| depends) {
        return format!(
            "{} has {} along dimension {axis}, and the index map reads {scalars}: keep what it holds between 0 and {}",
            operand.name,
            words::count(blocks, "block"),
            blocks.saturating_sub(1)
        );
    }
    if let IndexForm::Affine { constant: 0, coefficients } = &form
        && let Some(grid_axis) = coefficients.iter().position(|&c| c == 1)
        && coefficients.iter().filter(|&&c| c != 0).count() == 1
        && launch.grid[grid_axis] > blocks
        && outside.start >= 0
    {
        return format!(
            "grid axis {grid_axis} has {}, but {} has only {} along dimension {axis}",
            words::count(launch.grid[grid_axis], "program"),
            operand.name,
            words::count(blocks, "block"),
        );
    }
    match (block, outside.start < 0) {
        (BlockDim::Element { .. }, _) => {
            "this dimension is indexed by elements (`pl.Element`): keep the first element within the array".to_string()
        }
        (_, true) => format!(
            "block indices count from 0: use `jnp.maximum(index, 0)`, or shift the grid; {} has {} along dimension {axis}",
            operand.name,
            words::count(blocks, "block")
        ),
        (_, false) => format!(
            "{} has {} along dimension {axis}: indices from 0 to {}",
            operand.name,
            words::count(blocks, "block"),
            blocks.saturating_sub(1)
        ),
    }
}
