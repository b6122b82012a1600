//! PL124.

use crate::checked::Checked;
use crate::prefetched::consulted;
use crate::rule::Rule;
use crate::words;
use pallas_ir::op::MemoryOp;
use pallas_ir::{BlockMap, Certainty, Finding, Label, Launch, OpKind, Operand, Role, Severity};
use std::collections::HashMap;

/// A block of an output that is accumulated into is left and visited again.
pub(super) static RULE: Rule = Rule {
    code: "PL124",
    name: "output-revisited",
    severity: Severity::Warning,
    summary: "an output block that the kernel reads is left, and visited again later",
    doc: r#"
## What it does
Reports an output that the kernel reads (it adds to it, say), of which some block belongs to several programs that do not
come one after the other: a grid axis that the index map does not follow stands before one that it follows, or the
scalars that it reads, where they are known, name a block again after another one.

## Why is this bad?
On a TPU a block of an output lies in a buffer while consecutive programs have it; then it is written back, and when it
is visited again the buffer is **not** read back: the programs that accumulate find what another block left there.
Interpret mode does read it back, so that the result is right there and wrong on the machine.

## Example
```python
# axis 0 is reduced over, and axis 1 runs inside of it
pl.pallas_call(accumulate, grid=(steps, blocks), out_specs=pl.BlockSpec((128,), lambda k, i: (i,)), ...)
```

## Use instead
```python
# the axis that is reduced over comes last
pl.pallas_call(accumulate, grid=(blocks, steps), out_specs=pl.BlockSpec((128,), lambda i, k: (i,)), ...)
```
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    if !launch.dynamic.is_empty() {
        return;
    }
    let aliased: Vec<bool> = super::outputs(launch).map(|(_, aliased)| aliased).collect();
    for ((number, operand), aliased) in launch.with_role(Role::Output).zip(aliased) {
        if aliased || !is_read(launch, number) {
            continue;
        }
        let map = BlockMap::new(operand, launch.grid.len());
        let long = |axis: &usize| launch.grid[*axis] > 1;
        let Some(follows) = (0..launch.grid.len()).map(|axis| map.depends_on(axis)).collect::<Option<Vec<_>>>() else {
            findings.extend(visited_again(launch, &map).map(|visits| found_again(launch, operand, &visits)));
            continue;
        };
        let outer = (0..launch.grid.len()).filter(long).find(|&axis| !follows[axis]);
        let inner = (0..launch.grid.len()).filter(long).rfind(|&axis| follows[axis]);
        let (Some(outer), Some(inner)) = (outer, inner) else { continue };
        if outer > inner {
            continue;
        }
        let spans = &operand.spans;
        let span = spans.index_map.or(spans.spec).unwrap_or(launch.spans.call);
        let name = &operand.name;
        let message = format!("blocks of {name} are accumulated into, left, and visited again");
        let mut finding = RULE.finding(Certainty::Proved, span, message);
        let first = vec![0; launch.grid.len()];
        let (mut between, mut again) = (first.clone(), first.clone());
        between[inner] = 1;
        again[outer] = 1;
        finding.evidence = Some(format!(
            "{} has the same block of {name} as {}, with {} in between",
            words::program(&again),
            words::program(&first),
            words::program(&between),
        ));
        finding.help = Some(format!(
            "a TPU does not read a block back that it visits again: make grid axis {outer}, which is reduced over, the last \
             one"
        ));
        finding.labels.extend(
            launch.spans.grid.map(|span| Label { span, text: format!("axis {outer} stands before axis {inner}") }),
        );
        findings.push(finding);
    }
}

/// Programs that are looked at where a map is not affine.
const PROGRAMS: usize = 16_384;

/// Programs of which the first and the last have a block, and the one in the middle has another: by evaluation, where the
/// index map is known.
fn visited_again(launch: &Launch, map: &BlockMap<'_>) -> Option<[Vec<usize>; 3]> {
    if launch.programs() > PROGRAMS || !map.is_known() {
        return None;
    }
    // The last program that had each block.
    let mut left: HashMap<Vec<i64>, usize> = HashMap::new();
    for number in 0..launch.programs() {
        let block = map.indices(&launch.program(number))?;
        if let Some(before) = left.insert(block, number).filter(|&before| before + 1 < number) {
            return Some([before, before + 1, number].map(|number| launch.program(number)));
        }
    }
    None
}

fn found_again(launch: &Launch, operand: &Operand, [first, between, again]: &[Vec<usize>; 3]) -> Finding {
    let span = operand.spans.index_map.or(operand.spans.spec).unwrap_or(launch.spans.call);
    let name = &operand.name;
    let message = format!("blocks of {name} are accumulated into, left, and visited again");
    let mut finding = RULE.finding(Certainty::Found, span, message);
    finding.evidence = Some(format!(
        "{} has the same block of {name} as {}, with {} in between",
        words::program(again),
        words::program(first),
        words::program(between),
    ));
    let consulted = operand.index_map.as_ref().map(consulted).unwrap_or_default();
    finding.help = Some(match consulted[..] {
        [] => {
            "a TPU does not read a block back that it visits again: let programs with the same block follow each other"
                .to_string()
        }
        [scalars, ..] => format!(
            "a TPU does not read a block back that it visits again: sort {scalars}, and what goes with it, so that \
             programs with the same block follow each other"
        ),
    });
    finding
}

/// Whether the kernel reads one of its parameters itself, not through views.
fn is_read(launch: &Checked<'_>, parameter: usize) -> bool {
    let Some(param) = launch.kernel.params().get(parameter) else { return false };
    launch.kernel.ops.iter().any(|op| {
        matches!(op.op.kind, OpKind::Memory(MemoryOp::Load | MemoryOp::Swap | MemoryOp::Atomic))
            && op.operands.first() == Some(param)
            // A swap whose old value nobody asks for is a store.
            && op.results.iter().any(|result| is_used(launch, *result))
    })
}

fn is_used(launch: &Checked<'_>, value: pallas_ir::ValueId) -> bool {
    launch.kernel.ops.iter().any(|op| op.operands.contains(&value))
        || launch.kernel.regions.iter().any(|region| region.yields.contains(&value))
}
