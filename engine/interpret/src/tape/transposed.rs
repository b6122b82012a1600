//! Factors of matrix products that were transposed before: the product takes them as they were and sums over the other
//! dimension, which saves moving every element. XLA does so too, and then adds products of `bfloat16` in another order.

use super::simplify::Simplified;
use pallas_ir::function::OpData;
use pallas_ir::{Attribute, Attributes, Function, Op, OpId, OpKind, ValueId, ops};
use std::collections::HashMap;

/// Puts matrices in the place of their transposes where a product of two matrices takes them; what the products sum over
/// then is in [`Simplified::products`].
pub(super) fn fold(function: &Function, order: &[OpId], simplified: &mut Simplified) {
    let transposes: HashMap<ValueId, ValueId> = order.iter().filter_map(|&id| transpose(function, id)).collect();
    for &id in order {
        let op = function.op(id);
        if op.op != Op(&ops::DOT_GENERAL) || simplified.skipped[id.0 as usize] {
            continue;
        }
        let Some(mut contracting) = contracting(function, op) else { continue };
        let mut folded = false;
        for (side, operand) in op.operands.iter().enumerate() {
            if let Some(&matrix) = transposes.get(operand) {
                contracting[side][0] = 1 - contracting[side][0];
                simplified.scalars.insert((id, side), matrix);
                folded = true;
            }
        }
        if folded {
            let lists = Attribute::IntLists(contracting.into());
            let kept = op.attributes.0.iter().filter(|(name, _)| *name != "contracting").cloned();
            let changed = [("contracting", lists), ("in_order", Attribute::Bool(true))];
            let attributes = Attributes(kept.chain(changed).collect());
            simplified.products.insert(id, attributes);
        }
    }
}

/// The transpose of a matrix and the matrix.
fn transpose(function: &Function, id: OpId) -> Option<(ValueId, ValueId)> {
    let op = function.op(id);
    match (op.operands.as_slice(), op.results.as_slice()) {
        ([matrix], [result])
            if op.op == Op(&ops::TRANSPOSE)
                && matches!(op.op.kind, OpKind::Pure { .. })
                && op.attributes.ints("permutation") == Some(&[1, 0]) =>
        {
            Some((*result, *matrix))
        }
        _ => None,
    }
}

/// What a product of two matrices sums over, one dimension of each.
fn contracting(function: &Function, op: &OpData) -> Option<[Vec<i64>; 2]> {
    let [left, right] = op.operands.as_slice() else { return None };
    let lists = op.attributes.int_lists("contracting")?;
    let matrices = [left, right].into_iter().all(|&value| function.ty(value).shape().rank() == 2);
    let whole = op.attributes.int_lists("batch").is_none_or(|batch| batch.iter().all(Vec::is_empty));
    let one_each = lists.len() == 2 && lists.iter().all(|axes| matches!(axes.as_slice(), [0 | 1]));
    (matrices && whole && one_each).then(|| [lists[0].clone(), lists[1].clone()])
}
