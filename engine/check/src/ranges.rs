//! What scalar integers of a kernel, or of an index map, can be: over all programs of the grid and all rounds of loops. For
//! who reads a kernel; rules reason about single accesses instead. What depends on data has no range here.

use crate::evaluate::Slice;
use crate::walk::{Enclosing, Sources, walk};
use pallas_ir::op::ControlOp;
use pallas_ir::{Function, Interval, Known, Launch, OpId, OpKind, Type, ValueId};
use pallas_syntax::Span;
use pallas_tensor::DType;
use std::collections::HashSet;

/// What an expression gives wherever the kernel evaluates it. `None` where it gives nothing of the kind, or where that depends
/// on data.
pub fn of_expression(launch: &Launch, span: Span) -> Option<Interval> {
    let kernel = &launch.kernel;
    hull(launch, kernel, &results_at(kernel, |at| at == span))
}

/// What the first parameter of a function is that is the body of a loop.
pub fn of_counter(launch: &Launch, body: Span) -> Option<Interval> {
    let kernel = &launch.kernel;
    let mut loops: Vec<(OpId, Vec<Enclosing>)> = Vec::new();
    walk(kernel, |op, path| {
        if !body.covers(kernel.location(op).span) {
            return;
        }
        // The innermost loop around what the body does that is not itself in the body.
        let around =
            path.iter().rposition(|step| is_loop(kernel, step.op) && !body.covers(kernel.location(step.op).span));
        if let Some(depth) = around
            && !loops.iter().any(|(seen, _)| *seen == path[depth].op)
        {
            loops.push((path[depth].op, path[..=depth].to_vec()));
        }
    });
    let values: Vec<(ValueId, Vec<Enclosing>)> = loops
        .into_iter()
        .filter_map(|(op, path)| {
            let region = kernel.region(*kernel.op(op).regions.first()?);
            // Where rounds are counted from elsewhere or in larger steps, the loop computes what it hands to its body.
            let made: Vec<OpId> =
                region.ops.iter().copied().filter(|inner| !body.covers(kernel.location(*inner).span)).collect();
            let handed = last_of(kernel, &made).or_else(|| region.params.first().copied())?;
            is_integer(kernel.ty(handed)).then_some((handed, path))
        })
        .collect();
    hull(launch, kernel, &values)
}

/// What a parameter of an index map is: the program id along an axis.
pub fn of_axis(launch: &Launch, axis: usize) -> Option<Interval> {
    let extent = launch.grid.get(axis).filter(|_| !launch.dynamic.contains(&axis))?;
    Some(Interval::range(0, i64::try_from(*extent).ok()?.checked_sub(1).filter(|last| *last >= 0)?))
}

/// What an expression in the index map of an operand gives.
pub fn of_index(launch: &Launch, operand: usize, span: Span) -> Option<Interval> {
    let map = launch.operands.get(operand)?.index_map.as_ref()?;
    let sources = Sources::new(map);
    let mut range: Option<Interval> = None;
    for (value, _) in results_at(map, |at| at == span) {
        let mut slice = Slice::of_map(map, &sources, launch);
        let found = evaluate(&mut slice, value, launch, map, &[])?;
        range = Some(range.map_or(found, |known| known.union(found)));
    }
    range
}

/// The scalar integers that the ops at a place come to, with what encloses them. What other ops of the place take is only on
/// the way there.
fn results_at(function: &Function, is_there: impl Fn(Span) -> bool) -> Vec<(ValueId, Vec<Enclosing>)> {
    let mut found: Vec<(ValueId, Vec<Enclosing>)> = Vec::new();
    let mut taken: HashSet<ValueId> = HashSet::new();
    walk(function, |id, path| {
        if is_there(function.location(id).span) {
            let op = function.op(id);
            taken.extend(&op.operands);
            if let [result] = op.results[..]
                && is_integer(function.ty(result))
            {
                found.push((result, path.to_vec()));
            }
        }
    });
    found.retain(|(value, _)| !taken.contains(value));
    found
}

/// The last scalar integer that some ops come to.
fn last_of(function: &Function, ops: &[OpId]) -> Option<ValueId> {
    let taken: HashSet<ValueId> = ops.iter().flat_map(|op| function.op(*op).operands.iter().copied()).collect();
    let results = ops.iter().rev().filter_map(|op| match function.op(*op).results[..] {
        [result] => Some(result),
        _ => None,
    });
    results.filter(|value| !taken.contains(value)).find(|value| is_integer(function.ty(*value)))
}

/// The smallest range with all of some values of the kernel.
fn hull(launch: &Launch, kernel: &Function, values: &[(ValueId, Vec<Enclosing>)]) -> Option<Interval> {
    let sources = Sources::new(kernel);
    let mut range: Option<Interval> = None;
    for (value, path) in values {
        let mut slice = Slice::of_kernel(kernel, &sources, launch);
        let found = evaluate(&mut slice, *value, launch, kernel, path)?;
        range = Some(range.map_or(found, |known| known.union(found)));
    }
    range
}

/// The range of a value where all program ids, and the counters of the loops around it, are whatever they can be.
fn evaluate(
    slice: &mut Slice<'_>,
    value: ValueId,
    launch: &Launch,
    function: &Function,
    path: &[Enclosing],
) -> Option<Interval> {
    let mut bounds = Vec::new();
    for axis in 0..launch.grid.len() {
        let ends = of_axis(launch, axis)?;
        bounds.push((ends.lower, ends.upper));
    }
    let loops: Vec<OpId> = path.iter().map(|step| step.op).filter(|op| is_loop(function, *op)).collect();
    for op in &loops {
        slice.add_counter(*op);
    }
    for op in &loops {
        let operands = &function.op(*op).operands;
        let (first, end) = (slice.add(*operands.first()?), slice.add(*operands.get(1)?));
        let known = slice.evaluate(&bounds);
        let (first, end) = (first.of(&known).interval(), end.of(&known).interval());
        let last = end.upper.checked_sub(1)?;
        if !first.is_bounded() || !end.is_bounded() || last < first.lower {
            return None;
        }
        bounds.push((first.lower, last));
    }
    let slot = slice.add(value);
    let range = slot.of(&slice.evaluate(&bounds)).interval();
    (range.is_bounded() && !is_whole(range, function.ty(value).dtype())).then_some(range)
}

/// Whether nothing is known but the type.
fn is_whole(range: Interval, dtype: DType) -> bool {
    Known::anything(dtype).interval() == Interval { stride: 1, ..range }
}

fn is_integer(ty: &Type) -> bool {
    matches!(ty, Type::Tensor(tensor) if tensor.shape.is_empty() && tensor.dtype.is_integer())
}

fn is_loop(function: &Function, op: OpId) -> bool {
    matches!(function.op(op).op.kind, OpKind::Control(ControlOp::For))
}
