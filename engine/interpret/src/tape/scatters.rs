//! Sums that are scattered along the one axis that there is: histograms, bins, sums by segment. Their indices are positions as they
//! are. Where `jnp` adds the length to negative ones before, as `.at[...]` does, they are counted from the end instead, and
//! no tile of indices is computed.

use super::simplify::Simplified;
use pallas_ir::function::OpData;
use pallas_ir::{Function, Op, OpId, Type, ValueId, ops};
use pallas_tensor::ops::{BinaryOp, Combine, Scatter};
use pallas_tensor::{Array, DType, Scalar};
use std::collections::HashMap;

/// Notes the scatters of a function that are such sums, and whose indices count from the end. `broadcasts` says of tiles which scalar they
/// are everywhere.
pub(super) fn find(
    function: &Function,
    order: &[OpId],
    broadcasts: &HashMap<ValueId, ValueId>,
    simplified: &mut Simplified,
) {
    for &id in order {
        if !is_sum(function, function.op(id)) {
            continue;
        }
        let Some(&operand) = function.op(id).operands.get(INDICES) else { continue };
        let indices = *simplified.scalars.get(&(id, INDICES)).unwrap_or(&operand);
        let uniform = |value: ValueId| uniform(&simplified.constants, *broadcasts.get(&value).unwrap_or(&value));
        let length = function.op(id).operands.first().map(|&x| function.ty(x).shape().size());
        let original = length.and_then(|length| counted_from_end(function, indices, length as i128, &uniform));
        simplified.sums.insert(id, Scatter { combine: Combine::With(BinaryOp::Add), wraps: original.is_some() });
        if let Some(original) = original {
            simplified.scalars.insert((id, INDICES), original);
        }
    }
}

/// Which operand of a scatter along one axis the indices are.
const INDICES: usize = 2;

/// Whether an op adds to the elements of a vector at positions, and leaves out what is outside.
fn is_sum(function: &Function, op: &OpData) -> bool {
    let &[x, _, indices] = &op.operands[..] else { return false };
    let (Type::Tensor(x), Type::Tensor(indices)) = (function.ty(x), function.ty(indices)) else { return false };
    op.op == Op(&ops::SCATTER)
        && op.attributes.str("combine") == Some("add")
        && op.attributes.str("mode") != Some("clip")
        && matches!(x.dtype, DType::F32 | DType::I32)
        && x.shape.rank() == 1
        && indices.dtype == DType::I32
}

/// What `select_n(x < 0, x, x + length)` is of.
fn counted_from_end(
    function: &Function,
    value: ValueId,
    length: i128,
    uniform: &impl Fn(ValueId) -> Option<i128>,
) -> Option<ValueId> {
    let operands = |value: ValueId, op: Op| {
        let defined = function.op(function.definition(value)?);
        (defined.op == op).then_some(&defined.operands[..])
    };
    let &[is_negative, original, moved] = operands(value, Op(&ops::SELECT_N))? else { return None };
    let &[compared, zero] = operands(is_negative, Op(&ops::LT))? else { return None };
    let &[left, right] = operands(moved, Op(&ops::ADD))? else { return None };
    let added = match original {
        original if original == left => right,
        original if original == right => left,
        _ => return None,
    };
    (compared == original && uniform(zero)? == 0 && uniform(added)? == length).then_some(original)
}

/// The integer that all elements of a constant are.
fn uniform(constants: &HashMap<ValueId, Array>, value: ValueId) -> Option<i128> {
    let constant = constants.get(&value)?;
    let mut elements = constant.iter_scalars();
    let Some(Scalar::Int(first)) = elements.next() else { return None };
    elements.all(|element| element == Scalar::Int(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::super::{Action, Tape};
    use pallas_ir::text::parse_function;

    /// What becomes of indices that are computed so from `%x`: whether they count from the end, and how many steps there are.
    fn scattered(zero: i32, length: i32, select: &str) -> (Option<bool>, usize) {
        let text = format!(
            "func @f(%x: i32[4096], %o: ref<i32[256]>) {{
              %0 = load %o[:] : i32[256]
              %1 = constant {zero} : i32[]
              %2 = broadcast_in_dim %1 shape=[4096] dims=[] : i32[4096]
              %3 = lt %x, %2 : bool[4096]
              %4 = constant {length} : i32[]
              %5 = broadcast_in_dim %4 shape=[4096] dims=[] : i32[4096]
              %6 = add %5, %x : i32[4096]
              %7 = select_n {select} : i32[4096]
              %8 = constant 1 : i32[]
              %9 = broadcast_in_dim %8 shape=[4096] dims=[] : i32[4096]
              %10 = broadcast_in_dim %7 shape=[4096] dims=[0] : i32[4096]
              %11 = scatter %0, %9, %10 axes=[0] mode=\"fill\" combine=\"add\" : i32[256]
              store %o[:], %11
            }}"
        );
        let tape = Tape::both(&parse_function(&text).expect("well written")).expect("well formed");
        let steps = &tape.fused.as_ref().expect("asked for").steps;
        let sum = steps.iter().find_map(|step| match &step.action {
            Action::ScatterAdd(scatter) => Some(scatter.wraps),
            _ => None,
        });
        (sum, steps.len())
    }

    #[test]
    fn indices_that_jnp_counts_from_the_end_are_positions_as_they_are() {
        assert_eq!(scattered(0, 256, "%3, %x, %6"), (Some(true), 3), "a load, a scatter and a store");
        // Of another length, where another number is compared with, and the other way round, it is another computation.
        assert_eq!(scattered(0, 255, "%3, %x, %6"), (Some(false), 4));
        assert_eq!(scattered(1, 256, "%3, %x, %6"), (Some(false), 4));
        assert_eq!(scattered(0, 256, "%3, %6, %x"), (Some(false), 4));
    }
}
