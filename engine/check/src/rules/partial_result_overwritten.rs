//! PL132.

use crate::aligned::{Along, reductions};
use crate::checked::Checked;
use crate::refs::origin;
use crate::rule::Rule;
use crate::walk::{Source, Sources, walk};
use crate::words;
use pallas_ir::op::MemoryOp;
use pallas_ir::{
    BlockMap, Certainty, Finding, IndexForm, Label, Launch, OpData, OpId, OpKind, Operand, Role, Severity, ValueId,
};
use std::collections::HashSet;

/// A sum over part of a dimension is stored where the next program stores the next part's.
pub(super) static RULE: Rule = Rule {
    code: "PL132",
    name: "partial-result-overwritten",
    severity: Severity::Warning,
    summary: "each program stores a part's sum over the one that the program before has stored",
    doc: r#"
## What it does
Reports an output that several programs store to one after the other, each of them the sum (product, maximum, matrix product) along
a dimension of an input of which it has one block, where the kernel never reads what lies there: a grid axis moves the input
along that dimension, and the output's index map does not follow it. Stores under `pl.when`, to a computed place, and of what
scratch memory holds are not reported: the last program may be meant to store the result.

## Why is this bad?
The output is the sum of the last block alone. Shapes fit, and every program's own sum is right, so that nothing else
notices. The usual cause is `=` where `+=` is meant, in gradients of weights and in products with a grid axis for the
inner dimension.

## Example
```python
def kernel(x_ref, g_ref, dw_ref):                    # grid=(rows // 128,), dw_ref is one block
    dw_ref[...] = jnp.sum(x_ref[...] * g_ref[...], axis=0, keepdims=True)
```

## Use instead
```python
def kernel(x_ref, g_ref, dw_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        dw_ref[...] = jnp.zeros_like(dw_ref)

    dw_ref[...] += jnp.sum(x_ref[...] * g_ref[...], axis=0, keepdims=True)
```
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    // Who picks blocks by data may pick each output block once.
    let launch = launch.as_written();
    if !launch.dynamic.is_empty() || launch.programs() < 2 {
        return;
    }
    let aliased: Vec<bool> = super::outputs(launch).map(|(_, aliased)| aliased).collect();
    for ((number, output), aliased) in launch.with_role(Role::Output).zip(aliased) {
        let map = BlockMap::new(output, launch.grid.len());
        let again = |axis: &usize| launch.grid[*axis] > 1 && map.depends_on(*axis) == Some(false);
        let axes: Vec<usize> = (0..launch.grid.len()).filter(again).collect();
        if aliased || axes.is_empty() {
            continue;
        }
        let Some(store) = only_store(launch, number) else { continue };
        let Some(partial) = partial(launch, store, &axes) else { continue };
        findings.push(finding(launch, output, store, &partial));
    }
}

/// The store to an output that every program makes, if nothing reads the output and nothing is stored there later.
fn only_store(launch: &Launch, output: usize) -> Option<OpId> {
    let kernel = &launch.kernel;
    let sources = Sources::new(kernel);
    let reaches = |&value: &ValueId| {
        kernel.ty(value).as_ref_type().is_some()
            && origin(kernel, &sources, value).is_none_or(|origin| origin.parameter == Some(output))
    };
    let mut last = None;
    let mut is_plain = true;
    walk(kernel, |id, path| {
        let op = kernel.op(id);
        if !op.operands.iter().any(reaches) {
            return;
        }
        let is_store = matches!(op.op.kind, OpKind::Memory(MemoryOp::Store))
            && op.operands.len() == 2
            && op.attributes.index().is_some_and(|index| index.operand_count() == 0);
        let direct = launch.kernel.params().get(output) == op.operands.first();
        is_plain &= is_store && direct;
        last = Some((id, path.is_empty()));
    });
    last.filter(|&(_, always)| is_plain && always).map(|(store, _)| store)
}

/// What a store has only part of.
struct Partial {
    /// The grid axis that moves an input along a dimension.
    axis: usize,
    /// The dimension, along which the stored value is reduced.
    along: Along,
    /// Whether it is a sum: the parts are added up.
    is_sum: bool,
}

fn partial(launch: &Launch, store: OpId, axes: &[usize]) -> Option<Partial> {
    let kernel = &launch.kernel;
    let value = *kernel.op(store).operands.get(1)?;
    let made = made_of_inputs(launch, value)?;
    let all = reductions(launch);
    let name = |value: ValueId| kernel.definition(value).map_or("", |op| kernel.op(op).op.name);
    // In the order of the kernel.
    let reduced = all.iter().filter(|(value, _)| made.contains(value));
    reduced.flat_map(|(value, along)| along.iter().map(|along| (*value, *along))).find_map(|(value, along)| {
        let operand = launch.operands.get(along.operand)?;
        if operand.role != Role::Input {
            return None;
        }
        let map = BlockMap::new(operand, launch.grid.len());
        let IndexForm::Affine { coefficients, .. } = map.dims.get(along.axis)? else { return None };
        let axis = axes.iter().copied().find(|&axis| coefficients.get(axis).is_some_and(|&c| c != 0))?;
        Some(Partial { axis, along, is_sum: matches!(name(value), "reduce_sum" | "dot_general") })
    })
}

/// The values that a value is computed from; `None` if others than this program's blocks of inputs are among them: scratch
/// memory, or what a loop or branch gives.
fn made_of_inputs(launch: &Launch, value: ValueId) -> Option<HashSet<ValueId>> {
    let kernel = &launch.kernel;
    let sources = Sources::new(kernel);
    let is_input = |op: &OpData| {
        let from = op.operands.first().and_then(|&reference| origin(kernel, &sources, reference));
        let number = from.and_then(|from| from.parameter);
        number.and_then(|number| launch.operands.get(number)).is_some_and(|operand| operand.role != Role::Output)
    };
    let mut made = HashSet::new();
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        if !made.insert(value) {
            continue;
        }
        let Source::Result(op, _) = sources.of(value) else { return None };
        let op = kernel.op(op);
        match &op.op.kind {
            OpKind::Pure { .. } => todo.extend(op.operands.iter().copied()),
            OpKind::Memory(MemoryOp::Load) if is_input(op) => {}
            OpKind::Program(_) => {}
            _ => return None,
        }
    }
    Some(made)
}

fn finding(launch: &Launch, output: &Operand, store: OpId, partial: &Partial) -> Finding {
    let Partial { axis, along, is_sum } = *partial;
    let place = launch.kernel.location(store);
    let (name, input) = (&output.name, &launch.operands[along.operand].name);
    let message = format!("each program along grid axis {axis} overwrites in {name} what the one before has stored");
    let mut finding = RULE.finding(Certainty::Proved, place.span, message);
    let first = vec![0; launch.grid.len()];
    let mut second = first.clone();
    second[axis] = 1;
    finding.evidence = Some(format!(
        "{} and {} store to the same block of {name} what they {} along dimension {} of {input}, of which each has another \
         block",
        words::program(&first),
        words::program(&second),
        if is_sum { "sum up" } else { "reduce" },
        along.axis
    ));
    finding.help = Some(match is_sum {
        true => format!(
            "add to it: set {name} to zero where `pl.program_id({axis}) == 0`, under `pl.when`, and store with `+=`; or give \
             {name} a block for each program, and sum them up outside"
        ),
        false => format!(
            "take in what is there: begin {name} where `pl.program_id({axis}) == 0`, under `pl.when`, and store \
             `jnp.maximum({name}[...], ...)`, or what it is"
        ),
    });
    if let Some(span) = output.spans.index_map.or(output.spans.spec) {
        finding.labels.push(Label { span, text: format!("does not follow grid axis {axis}") });
    }
    finding.called_from(&place.calls);
    finding
}
