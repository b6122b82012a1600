//! PL126.

use crate::aligned::{Along, pairs};
use crate::blocks::first_outside;
use crate::checked::Checked;
use crate::rule::Rule;
use crate::words;
use pallas_ir::{BlockDim, BlockMap, Certainty, Finding, IndexForm, Label, Launch, Operand, Role, Severity};
use pallas_syntax::Span;
use std::collections::{BTreeSet, HashSet};

/// Blocks that a kernel brings together move along different grid axes.
pub(super) static RULE: Rule = Rule {
    code: "PL126",
    name: "blocks-do-not-match",
    severity: Severity::Warning,
    summary: "blocks whose elements the kernel brings together move along different axes of the grid",
    doc: r#"
## What it does
Reports two operands of which the kernel brings elements together, one by one along a dimension (it adds them, multiplies and
sums them, stores one to the other), where the block of one moves along that dimension with a grid axis, and the block of
the other, of whose array there is more than that one block, moves with another axis or stays the first. Blocks that move with
the same axis in another way (every other block, in reverse, chosen by data) are not reported, and neither are dimensions
that the kernel rearranges.

## Why is this bad?
Shapes fit, and no block lies outside, so that nothing else notices: program (0, 1) works with elements that do not belong
together. The usual cause is an index map with its axes exchanged, or with a 0 in the place of a program id.

## Example
```python
in_specs=[pl.BlockSpec((128, 128), lambda i, j: (j, i)),     # x
          pl.BlockSpec((128, 128), lambda i, j: (i, j))],    # y
out_specs=pl.BlockSpec((128, 128), lambda i, j: (i, j))      # o_ref[...] = x_ref[...] + y_ref[...]
```

## Use instead
```python
in_specs=[pl.BlockSpec((128, 128), lambda i, j: (i, j)),
          pl.BlockSpec((128, 128), lambda i, j: (i, j))],
```
Where blocks are meant to change places, suppress it with a comment: `# pallas: ignore[PL126]`.
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    // Who picks blocks by data has a reason, whatever the data.
    let launch = launch.as_written();
    if launch.programs() < 2 {
        return;
    }
    let maps: Vec<BlockMap<'_>> =
        launch.operands.iter().map(|operand| BlockMap::new(operand, launch.grid.len())).collect();
    let mut mismatches: Vec<(Along, Along, Span)> = Vec::new();
    for (&(left, right), &span) in &pairs(launch) {
        let (Some(left_axes), Some(right_axes)) = (followed(launch, &maps, left), followed(launch, &maps, right))
        else {
            continue;
        };
        mismatches.extend(
            mismatch(launch, (left, &left_axes), (right, &right_axes)).map(|(fault, other)| (fault, other, span)),
        );
    }
    // The operand that does not fit with most others is the one that is wrong.
    let misfits = |along: Along| {
        mismatches.iter().filter(|(a, b, _)| a.operand == along.operand || b.operand == along.operand).count()
    };
    let is_outside = |along: Along| first_outside(launch, operand(launch, along)).is_some();
    let mut said: BTreeSet<usize> = BTreeSet::new();
    for &(mut fault, mut other, span) in &mismatches {
        let is_clear = operand(launch, other).role == Role::Output || !moves(launch, &maps, fault);
        if !is_clear && misfits(other) > misfits(fault) {
            (fault, other) = (other, fault);
        }
        let is_known = said.contains(&fault.operand) || said.contains(&other.operand);
        if is_known || is_outside(fault) || is_outside(other) {
            continue;
        }
        said.insert(fault.operand);
        findings.extend(finding(launch, &maps, fault, other, span));
    }
    for (fault, other) in lost_axes(launch, &maps) {
        if said.insert(fault.operand) {
            findings.extend(finding(launch, &maps, fault, other, Span::default()));
        }
    }
}

fn operand(launch: &Launch, along: Along) -> &Operand {
    &launch.operands[along.operand]
}

/// The grid axes that a block follows along a dimension; `None` where that is not known.
fn followed(launch: &Launch, maps: &[BlockMap<'_>], along: Along) -> Option<BTreeSet<usize>> {
    let IndexForm::Affine { constant, coefficients } = maps.get(along.operand)?.dims.get(along.axis)? else {
        return None;
    };
    // A block that is picked by a number is picked on purpose.
    let is_picked = *constant != 0 && coefficients.iter().all(|&c| c == 0);
    if is_picked || !launch.dynamic.is_empty() {
        return None;
    }
    let axes = coefficients.iter().enumerate().filter(|&(axis, &c)| c != 0 && launch.grid[axis] > 1);
    Some(axes.map(|(axis, _)| axis).collect())
}

/// Whether a block follows any grid axis along a dimension.
fn moves(launch: &Launch, maps: &[BlockMap<'_>], along: Along) -> bool {
    followed(launch, maps, along).is_some_and(|axes| !axes.is_empty())
}

/// Whether there is more than one block along a dimension.
fn has_blocks(launch: &Launch, along: Along) -> bool {
    let operand = operand(launch, along);
    operand.block[along.axis].size() < operand.array.shape[along.axis]
}

/// Which of two dimensions is taken to be wrong, if they do not match.
fn mismatch(
    launch: &Launch,
    (left, left_axes): (Along, &BTreeSet<usize>),
    (right, right_axes): (Along, &BTreeSet<usize>),
) -> Option<(Along, Along)> {
    if left_axes == right_axes || !left_axes.is_disjoint(right_axes) {
        return None;
    }
    let is_output = |along: Along| operand(launch, along).role == Role::Output;
    match (left_axes.is_empty(), right_axes.is_empty()) {
        // An output that stands still is summed into, or not covered, which another rule says.
        (true, false) if has_blocks(launch, left) && !is_output(left) => Some((left, right)),
        (false, true) if has_blocks(launch, right) && !is_output(right) => Some((right, left)),
        (false, false) if has_blocks(launch, left) && has_blocks(launch, right) => {
            if is_output(right) {
                Some((left, right))
            } else {
                Some((right, left))
            }
        }
        _ => None,
    }
}

/// Inputs that do not follow a grid axis at all which an output follows along a dimension that is as long, and that in both
/// is chosen element by element; the input goes along it with another axis.
fn lost_axes(launch: &Launch, maps: &[BlockMap<'_>]) -> Vec<(Along, Along)> {
    let mut lost = Vec::new();
    for (output, out) in launch.with_role(Role::Output) {
        for (input, data) in launch.with_role(Role::Input) {
            if data.array.shape.len() != out.array.shape.len() {
                continue;
            }
            for axis in 0..data.array.shape.len() {
                let is_chosen =
                    |operand: &Operand| matches!(operand.block[axis], BlockDim::Squeezed | BlockDim::Blocked(1));
                if !is_chosen(data) || !is_chosen(out) || data.array.shape[axis] != out.array.shape[axis] {
                    continue;
                }
                let (here, there) = (Along { operand: input, axis }, Along { operand: output, axis });
                let (Some(axes), Some(wanted)) = (followed(launch, maps, here), followed(launch, maps, there)) else {
                    continue;
                };
                let is_lost = wanted.iter().any(|&grid_axis| maps[input].depends_on(grid_axis) == Some(false));
                // Dimensions of one length need not be the same thing: an axis that the output follows elsewhere, and the input
                // along this dimension alone, is in its place in both.
                let follows = |operand: usize, grid_axis: usize| {
                    let dims =
                        (0..out.array.shape.len()).filter_map(|axis| followed(launch, maps, Along { operand, axis }));
                    dims.filter(|axes| axes.contains(&grid_axis)).count()
                };
                let is_elsewhere =
                    |&grid_axis: &usize| follows(output, grid_axis) > 0 && follows(input, grid_axis) == 1;
                if axes.iter().any(is_elsewhere) {
                    continue;
                }
                if !axes.is_empty() && axes.is_disjoint(&wanted) && is_lost && data.array.shape[axis] > 1 {
                    lost.push((here, there));
                }
            }
        }
    }
    lost
}

/// The grid axes that an operand follows by what it finds in a table, along whatever dimension.
fn picked_by(launch: &Launch, maps: &[BlockMap<'_>], number: usize) -> BTreeSet<usize> {
    let mut axes = BTreeSet::new();
    let Some(map) = launch.operands[number].index_map.as_ref() else { return axes };
    let yields = &map.region(map.body).yields;
    for (&index, form) in yields.iter().zip(&maps[number].dims) {
        if matches!(form, IndexForm::Affine { .. }) {
            continue;
        }
        let mut needed = HashSet::from([index]);
        // An op comes after all that it takes.
        for op in map.ops.iter().rev() {
            if op.results.iter().any(|result| needed.contains(result)) {
                needed.extend(&op.operands);
            }
        }
        let ids = map.params().iter().take(launch.grid.len()).enumerate();
        axes.extend(ids.filter(|(_, id)| needed.contains(id)).map(|(axis, _)| axis));
    }
    axes
}

fn finding(launch: &Launch, maps: &[BlockMap<'_>], fault: Along, other: Along, span: Span) -> Option<Finding> {
    let (wrong, right) = (operand(launch, fault), operand(launch, other));
    let axes = followed(launch, maps, other)?;
    // Who follows the axis by a table has it in another dimension on purpose.
    let is_picked =
        |along: Along, wanted: &BTreeSet<usize>| !picked_by(launch, maps, along.operand).is_disjoint(wanted);
    if is_picked(fault, &axes) || is_picked(other, &followed(launch, maps, fault)?) {
        return None;
    }
    let &grid_axis = axes.first().or(followed(launch, maps, fault)?.first())?;
    let message =
        format!("blocks of {} and {} do not belong together: they follow different grid axes", wrong.name, right.name);
    let place = wrong.spans.index_map.or(wrong.spans.spec).unwrap_or(launch.spans.call);
    let mut finding = RULE.finding(Certainty::Found, place, message);
    let mut program = vec![0; launch.grid.len()];
    program[grid_axis] = 1;
    let part = |along: Along| -> Option<String> {
        let operand = operand(launch, along);
        // Along other dimensions a table may say which block it is.
        let IndexForm::Affine { constant, coefficients } = maps[along.operand].dims.get(along.axis)? else {
            return None;
        };
        let terms = coefficients.iter().zip(&program);
        let index = terms.fold(*constant, |sum, (&c, &id)| sum.saturating_add(c.saturating_mul(id as i64)));
        let start = operand.block[along.axis].start(index);
        let end = start + operand.block[along.axis].size() as i64;
        let rank = operand.array.shape.len();
        Some(format!("{} of {}", words::part(along.axis, rank, start, end), operand.name))
    };
    let program = words::program(&program);
    finding.evidence = Some(format!("{program}: {} meet {}", part(fault)?, part(other)?));
    let words = |axes: &BTreeSet<usize>| match axes.iter().map(usize::to_string).collect::<Vec<_>>() {
        axes if axes.is_empty() => "no grid axis".to_string(),
        axes => format!("grid axis {}", axes.join(", ")),
    };
    finding.help = Some(format!(
        "{} follows {} along its dimension {}, {} follows {} along its dimension {}: let both follow the same",
        wrong.name,
        words(&followed(launch, maps, fault)?),
        fault.axis,
        right.name,
        words(&axes),
        other.axis,
    ));
    if span != Span::default() {
        finding.labels.push(Label { span, text: "they come together here".to_string() });
    }
    if let Some(span) = right.spans.index_map.or(right.spans.spec).filter(|&span| span != place) {
        finding.labels.push(Label { span, text: format!("the blocks of {}", right.name) });
    }
    Some(finding)
}
