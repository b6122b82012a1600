//! PL127.

use crate::blocks::first_outside;
use crate::checked::Checked;
use crate::coverage::{Gap, first_gap};
use crate::rule::Rule;
use crate::words;
use pallas_ir::{BlockDim, BlockMap, Certainty, Finding, IndexForm, Label, Launch, Operand, Role, Severity};

/// Part of an input is in no program's block.
pub(super) static RULE: Rule = Rule {
    code: "PL127",
    name: "input-partly-read",
    severity: Severity::Info,
    summary: "part of an input is in no program's block",
    doc: r#"
## What it does
Reports an input of which some region is in no program's block. It is a warning where the blocks follow a grid axis that no
output follows (a sum goes along it) and the last ones are left out, else only an information: a kernel may well work on
a part of an array. Inputs of a launch with one program are not reported, nor is a block that is picked by a constant
other than 0, windows by elements (`pl.Element`), and inputs that share their memory with an output.

## Why is this bad?
A sum over a grid axis that is one program too short is a sum without its last terms, and nothing else shows it.

## Example
```python
n, block = 100, 32
pl.pallas_call(add_up, grid=(n // block,),                   # 3 programs: elements 96..100 are never read
               in_specs=[pl.BlockSpec((block,), lambda k: (k,))], ...)
```

## Use instead
```python
grid=(pl.cdiv(n, block),)    # 4 programs; mask what lies past the end
```
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    if launch.programs() < 2 || !launch.dynamic.is_empty() {
        return;
    }
    // What leaves out a part of an output leaves out a part of the inputs, too; that is said by its own rule.
    if super::outputs(launch).any(|(output, is_aliased)| !is_aliased && first_gap(launch, output).is_some()) {
        return;
    }
    for (number, operand) in launch.with_role(Role::Input) {
        let is_aliased = launch.aliases.iter().any(|&(input, _)| input == number);
        if is_aliased || operand.index_map.is_none() || first_outside(launch, operand).is_some() {
            continue;
        }
        let Some(Gap::Along { axis, range }) = first_gap(launch, operand) else { continue };
        // Windows are taken where they are wanted.
        if matches!(operand.block[axis], BlockDim::Element { .. }) {
            continue;
        }
        let map = BlockMap::new(operand, launch.grid.len());
        let Some(IndexForm::Affine { constant, coefficients }) = map.dims.get(axis) else { continue };
        let followed: Vec<usize> =
            (0..launch.grid.len()).filter(|&grid_axis| coefficients.get(grid_axis).is_some_and(|&c| c != 0)).collect();
        if followed.is_empty() && *constant != 0 {
            continue;
        }
        let is_short = *constant == 0
            && range.end == operand.array.shape[axis]
            && matches!(followed[..], [grid_axis] if coefficients[grid_axis] == 1 && is_summed_over(launch, grid_axis));
        findings.push(finding(launch, operand, axis, (range.start, range.end), &followed, is_short));
    }
}

/// Whether no output follows a grid axis of several programs.
fn is_summed_over(launch: &Launch, grid_axis: usize) -> bool {
    launch.grid[grid_axis] > 1
        && launch
            .with_role(Role::Output)
            .all(|(_, output)| BlockMap::new(output, launch.grid.len()).depends_on(grid_axis) == Some(false))
}

fn finding(
    launch: &Launch,
    operand: &Operand,
    axis: usize,
    (start, end): (usize, usize),
    followed: &[usize],
    is_short: bool,
) -> Finding {
    let rank = operand.array.shape.len();
    let spans = &operand.spans;
    let span = spans.index_map.or(spans.spec).unwrap_or(launch.spans.call);
    let mut finding = RULE.finding(Certainty::Proved, span, format!("no program reads part of {}", operand.name));
    let part = words::part(axis, rank, start as i64, end as i64);
    finding.evidence = Some(format!("{part} of {}", operand.name));
    let blocks = operand.block[axis].blocks(operand.array.shape[axis]);
    finding.help = Some(match followed {
        [] => format!("the block of {} stands still along dimension {axis}: should it follow the grid?", operand.name),
        [grid_axis] => format!(
            "grid axis {grid_axis} has {}, and {} has {} along dimension {axis}",
            words::count(launch.grid[*grid_axis], "program"),
            operand.name,
            words::count(blocks, "block"),
        ),
        _ => format!("{} has {} along dimension {axis}", operand.name, words::count(blocks, "block")),
    });
    if is_short {
        finding.severity = Severity::Warning;
    }
    finding.labels.extend(
        launch
            .spans
            .grid
            .map(|span| Label { span, text: format!("the grid is {}", pallas_tensor::Shape::from(&launch.grid[..])) }),
    );
    finding
}
