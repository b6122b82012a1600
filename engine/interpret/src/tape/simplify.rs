//! What a tape leaves out: pure ops that nobody reads, ops on constants (computed once), copies of a scalar to a tile's
//! shape where the reader takes the scalar as well, copies of a tile to its own shape, transposes where the
//! reader is a product, and adding the length to indices that are negative.

use super::{scatters, transposed};
use pallas_ir::op::EvalContext;
use pallas_ir::{Attributes, Function, OpId, OpKind, RegionId, Type, ValueId, ops};
use pallas_tensor::Array;
use pallas_tensor::ops::Scatter;
use smallvec::SmallVec;
use std::collections::HashMap;

/// Results of simplification, by value and op.
pub(super) struct Simplified {
    /// Values known before the run.
    pub(super) constants: HashMap<ValueId, Array>,
    /// Scalars that stand for tiles, and matrices that stand for their transposes, by op and operand position.
    pub(super) scalars: HashMap<(OpId, usize), ValueId>,
    /// Attributes of products that take such matrices.
    pub(super) products: HashMap<OpId, Attributes>,
    /// Scatters that are sums of updates at positions.
    pub(super) sums: HashMap<OpId, Scatter>,
    /// Ops that need no step.
    pub(super) skipped: Vec<bool>,
}

/// Constants of more elements than this are not computed ahead.
const FOLD_LIMIT: usize = 1 << 20;
/// Copies of a scalar are made where they are needed: a fresh tile can be written in place, a shared one cannot.
const COPY_LIMIT: usize = 64;

pub(super) fn simplify(function: &Function) -> Simplified {
    let mut simplified = Simplified {
        constants: HashMap::new(),
        scalars: HashMap::new(),
        products: HashMap::new(),
        sums: HashMap::new(),
        skipped: vec![false; function.ops.len()],
    };
    let order = in_order(function);
    fold(function, &order, &mut simplified);
    let broadcasts = scalar_broadcasts(function, &order);
    for &id in &order {
        take_scalars(function, id, &broadcasts, &mut simplified);
    }
    transposed::fold(function, &order, &mut simplified);
    take_originals(function, &order, &mut simplified);
    scatters::find(function, &order, &broadcasts, &mut simplified);
    skip_unread(function, &order, &mut simplified);
    simplified
}

/// Ops in the order of the text, those of regions before the op that has them.
fn in_order(function: &Function) -> Vec<OpId> {
    fn visit(function: &Function, region: RegionId, order: &mut Vec<OpId>) {
        for &op in &function.region(region).ops {
            for &inner in &function.op(op).regions {
                visit(function, inner, order);
            }
            order.push(op);
        }
    }
    let mut order = Vec::new();
    visit(function, function.body, &mut order);
    order
}

fn fold(function: &Function, order: &[OpId], simplified: &mut Simplified) {
    for &id in order {
        let op = function.op(id);
        let OpKind::Pure { eval, .. } = op.op.kind else {
            continue;
        };
        let known: Option<SmallVec<[Array; 4]>> =
            op.operands.iter().map(|operand| simplified.constants.get(operand).cloned()).collect();
        let types: SmallVec<[Type; 1]> = op.results.iter().map(|&r| function.ty(r).clone()).collect();
        let limit = match is_scalar_broadcast(function, id) {
            true => COPY_LIMIT,
            false => FOLD_LIMIT,
        };
        let small = types.iter().all(|ty| ty.shape().checked_size().is_some_and(|size| size <= limit));
        let (Some(operands), true) = (known, small || op.op.name == "constant") else {
            continue;
        };
        let context = EvalContext { attributes: &op.attributes, results: &types };
        // What fails here fails again when the step runs, and is reported there.
        if let Ok(values) = eval(&context, operands) {
            simplified.constants.extend(op.results.iter().copied().zip(values));
            simplified.skipped[id.0 as usize] = true;
        }
    }
}

/// Tiles that are a scalar copied: from the tile to the scalar.
fn scalar_broadcasts(function: &Function, order: &[OpId]) -> HashMap<ValueId, ValueId> {
    let mut broadcasts = HashMap::new();
    for &id in order {
        let op = function.op(id);
        if is_scalar_broadcast(function, id)
            && let ([operand], [result]) = (op.operands.as_slice(), op.results.as_slice())
        {
            broadcasts.insert(*result, *operand);
        }
    }
    broadcasts
}

fn is_scalar_broadcast(function: &Function, id: OpId) -> bool {
    let op = function.op(id);
    op.op == pallas_ir::Op(&ops::BROADCAST_IN_DIM)
        && matches!(op.operands.as_slice(), [operand] if function.ty(*operand).shape().rank() == 0)
}

/// Elementwise ops of two tiles take a scalar for one of them, and a scatter takes one for all its updates.
fn take_scalars(function: &Function, id: OpId, broadcasts: &HashMap<ValueId, ValueId>, simplified: &mut Simplified) {
    let op = function.op(id);
    if op.op == pallas_ir::Op(&ops::SCATTER) {
        if let Some(&scalar) = op.operands.get(1).and_then(|updates| broadcasts.get(updates)) {
            simplified.scalars.insert((id, 1), scalar);
        }
        return;
    }
    let [left, right] = op.operands.as_slice() else {
        return;
    };
    if !ops::is_elementwise_binary(op.op) || left == right {
        return;
    }
    // One of them has to keep the shape; the right one is more often the scalar.
    if let Some(&scalar) = broadcasts.get(right) {
        simplified.scalars.insert((id, 1), scalar);
    } else if let Some(&scalar) = broadcasts.get(left) {
        simplified.scalars.insert((id, 0), scalar);
    }
}

/// A tile that is broadcast to its own shape is what it was: indices of `.at[...]` are broadcast so.
fn take_originals(function: &Function, order: &[OpId], simplified: &mut Simplified) {
    let mut originals: HashMap<ValueId, ValueId> = HashMap::new();
    for &id in order {
        let op = function.op(id);
        for (position, operand) in op.operands.iter().enumerate() {
            if let Some(&original) = originals.get(operand) {
                simplified.scalars.entry((id, position)).or_insert(original);
            }
        }
        // One dimension for each of the same shape leaves no choice.
        if op.op == pallas_ir::Op(&ops::BROADCAST_IN_DIM)
            && let ([operand], [result]) = (op.operands.as_slice(), op.results.as_slice())
            && function.ty(*operand) == function.ty(*result)
        {
            let original = originals.get(operand).copied().unwrap_or(*operand);
            originals.insert(*result, original);
        }
    }
}

fn skip_unread(function: &Function, order: &[OpId], simplified: &mut Simplified) {
    let mut read = vec![false; function.values.len()];
    for value in function.regions.iter().flat_map(|region| &region.yields) {
        read[value.0 as usize] = true;
    }
    // Readers stand after what they read, so one pass from the end suffices.
    for &id in order.iter().rev() {
        let op = function.op(id);
        let unread = !op.results.iter().any(|r| read[r.0 as usize]);
        if simplified.skipped[id.0 as usize] {
            continue;
        }
        if unread && matches!(op.op.kind, OpKind::Pure { .. }) {
            simplified.skipped[id.0 as usize] = true;
            continue;
        }
        for (position, &operand) in op.operands.iter().enumerate() {
            let operand = simplified.scalars.get(&(id, position)).copied().unwrap_or(operand);
            read[operand.0 as usize] = true;
        }
    }
    simplified.constants.retain(|value, _| read[value.0 as usize]);
}
