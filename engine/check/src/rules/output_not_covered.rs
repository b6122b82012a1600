//! PL121.

use super::empty_grid;
use crate::blocks::first_outside;
use crate::checked::Checked;
use crate::coverage::{Gap, first_gap};
use crate::rule::Rule;
use crate::words;
use pallas_ir::{BlockDim, BlockMap, Certainty, Finding, IndexForm, Label, Launch, Operand, Severity};

/// Part of an output is in no program's block.
pub(super) static RULE: Rule = Rule {
    code: "PL121",
    name: "output-not-covered",
    severity: Severity::Error,
    summary: "part of an output is in no program's block",
    doc: r#"
## What it does
Reports an output of which some region is in no program's block, so that nothing can write it. Outputs that share their
memory with an input (`input_output_aliases`) keep the input's values there and are not reported.

## Why is this bad?
The region holds whatever was in memory before: NaN in interpret mode, anything on hardware. The usual cause is a grid
computed with `//`, which drops the last, partial block.

## Example
```python
n, block = 100, 32
pl.pallas_call(kernel, grid=(n // block,),                       # 3 programs: elements 96..100 are never written
               out_specs=pl.BlockSpec((block,), lambda i: (i,)),
               out_shape=jax.ShapeDtypeStruct((n,), jnp.float32))
```

## Use instead
```python
grid=(pl.cdiv(n, block),)    # 4 programs; the last block is cut to the array
```
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    for (operand, aliased) in super::outputs(launch) {
        // A block outside the array leaves a gap too; that is said by its own rule.
        if aliased || empty_grid::is_empty(launch) || first_outside(launch, operand).is_some() {
            continue;
        }
        let Some(gap) = first_gap(launch, operand) else {
            continue;
        };
        let rank = operand.array.shape.len();
        let part = match &gap {
            Gap::Along { axis, range } => words::part(*axis, rank, range.start as i64, range.end as i64),
            Gap::Box(ranges) => ranges
                .iter()
                .enumerate()
                .map(|(axis, range)| words::part(axis, rank, range.start as i64, range.end as i64))
                .collect::<Vec<_>>()
                .join(", "),
        };
        let spans = &operand.spans;
        let span = spans.index_map.or(spans.spec).unwrap_or(launch.spans.call);
        let message = format!("no program writes part of {}", operand.name);
        let mut finding = RULE.finding(Certainty::Proved, span, message);
        finding.evidence = Some(format!("{part} of {}", operand.name));
        finding.help = help(launch, operand, &gap);
        finding.labels.extend(
            launch.spans.grid.map(|span| Label {
                span,
                text: format!("the grid is {}", pallas_tensor::Shape::from(&launch.grid[..])),
            }),
        );
        findings.push(finding);
    }
}

fn help(launch: &Launch, operand: &Operand, gap: &Gap) -> Option<String> {
    let Gap::Along { axis, range } = gap else {
        return Some("let the grid and the index map reach every block of the output".to_string());
    };
    let (block, extent) = (operand.block[*axis], operand.array.shape[*axis]);
    let blocks = block.blocks(extent);
    let form = BlockMap::new(operand, launch.grid.len()).dims.swap_remove(*axis);
    let IndexForm::Affine { coefficients, .. } = form else {
        return None;
    };
    let used: Vec<usize> =
        (0..launch.grid.len()).filter(|&grid_axis| coefficients.get(grid_axis).is_some_and(|&c| c != 0)).collect();
    let name = &operand.name;
    match (used.as_slice(), block) {
        ([], _) => Some(format!(
            "the block of {name} does not move along dimension {axis}: let the index map follow the grid, or make the \
             block {extent} long"
        )),
        (&[grid_axis], BlockDim::Blocked(size)) if coefficients[grid_axis] == 1 => {
            let programs = launch.grid[grid_axis];
            let reaches = format!(
                "grid axis {grid_axis} has {}, and blocks of {size} need {blocks} to reach all {extent}",
                words::count(programs, "program")
            );
            let is_tail = range.end == extent;
            Some(match is_tail && !extent.is_multiple_of(size) && programs == extent / size {
                true => format!("{reaches}: use `pl.cdiv({extent}, {size})`"),
                false => reaches,
            })
        }
        _ => Some("let the grid and the index map reach every block of the output".to_string()),
    }
}
