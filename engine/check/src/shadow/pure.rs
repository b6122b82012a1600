//! Pure ops on tiles that are partly known: the value where all operands are known, and where labels go.
//!
//! Ops that only move elements move labels, by running on them in the place of the data. Elementwise ops join labels,
//! reductions and dots spread them over what they sum. Choices by a mask take the labels of what is chosen. Of ops that
//! are in no family here, results are taken for fine.

use super::labels::{self, Labels};
use super::region::Tile;
use pallas_ir::op::EvalContext;
use pallas_ir::{Attributes, Op, OpKind, Type, ops};
use pallas_tensor::ops::{self as tensor, ReduceOp};
use pallas_tensor::{Array, DType, Scalar, Shape};
use smallvec::{SmallVec, smallvec};

/// Larger tiles are not computed.
const LARGEST: usize = 1 << 18;

/// The results of an op.
pub(super) fn apply(op: Op, attributes: &Attributes, operands: &[&Tile], types: &[Type]) -> SmallVec<[Tile; 1]> {
    let known = values(op, attributes, operands, types);
    let labels = spread(op, attributes, operands, types);
    let mut known = known.map(|values| values.into_iter());
    let results = types.iter().enumerate().map(|(index, ty)| Tile {
        shape: ty.shape().clone(),
        known: known.as_mut().and_then(Iterator::next),
        labels: if index == 0 { labels.clone() } else { None },
    });
    results.collect()
}

fn values(op: Op, attributes: &Attributes, operands: &[&Tile], types: &[Type]) -> Option<SmallVec<[Array; 1]>> {
    let OpKind::Pure { eval, .. } = &op.kind else { return None };
    if types.iter().any(|ty| ty.shape().size() > LARGEST) {
        return None;
    }
    let operands: Option<SmallVec<[Array; 4]>> = operands.iter().map(|tile| tile.known.clone()).collect();
    eval(&EvalContext { attributes, results: types }, operands?).ok()
}

/// Where labels go.
fn spread(op: Op, attributes: &Attributes, operands: &[&Tile], types: &[Type]) -> Labels {
    if operands.iter().all(|tile| tile.labels.is_none()) {
        return None;
    }
    let result = types.first()?.shape();
    match op.name {
        "select_n" => select(operands, result),
        "and" | "or" => logic(op.name == "and", operands),
        "reduce_sum" | "reduce_prod" | "reduce_max" | "reduce_min" | "reduce_and" | "reduce_or" | "reduce_xor" => {
            let axes: Vec<usize> = attributes.ints("axes")?.iter().filter_map(|&axis| axis.try_into().ok()).collect();
            reduced(operands.first()?, &axes)
        }
        "argmax" | "argmin" => reduced(operands.first()?, &[attributes.int("axis")?.try_into().ok()?]),
        "dot_general" => dot(attributes, operands, result),
        "cumsum" | "cumprod" | "cummax" | "cummin" | "cumlogsumexp" => {
            run(ops::find("cummax")?, attributes, smallvec![operands.first()?.labels.clone()?], result)
        }
        name if MOVES.contains(&name) => moved(op, attributes, operands, result),
        name if ops::is_elementwise_unary(op) || ops::is_elementwise_binary(op) || ELEMENTWISE.contains(&name) => {
            let joined = operands.iter().map(|tile| stretched(&tile.labels, result));
            joined.fold(None, labels::either)
        }
        _ => None,
    }
}

/// Ops that are elementwise, beside those of the tables of unary and binary ops.
const ELEMENTWISE: [&str; 7] =
    ["convert_element_type", "round", "is_finite", "integer_pow", "pow", "clamp", "reduce_precision"];

/// Ops that move elements. Their data operands come first: all of them, or as many as said.
const MOVES: [&str; 10] = [
    "broadcast_in_dim",
    "reshape",
    "transpose",
    "squeeze",
    "rev",
    "concatenate",
    "slice",
    "pad",
    "dynamic_slice",
    "dynamic_update_slice",
];

fn moved(op: Op, attributes: &Attributes, operands: &[&Tile], result: &Shape) -> Labels {
    let data = match op.name {
        "dynamic_slice" => 1,
        "dynamic_update_slice" => 2,
        _ => operands.len(),
    };
    let mut arrays: SmallVec<[Array; 4]> = SmallVec::new();
    for (index, tile) in operands.iter().enumerate() {
        arrays.push(match index < data {
            true => labels::array(&tile.labels, &tile.shape)?,
            // Where the rest goes is not known: it may go where it does no harm.
            false => tile.known.clone()?,
        });
    }
    run(op, attributes, arrays, result)
}

/// An op on labels in the place of its data.
fn run(op: Op, attributes: &Attributes, operands: SmallVec<[Array; 4]>, result: &Shape) -> Labels {
    let OpKind::Pure { eval, .. } = &op.kind else { return None };
    let types = [Type::Tensor(pallas_ir::TensorType::new(DType::I32, result.clone()))];
    let labels = eval(&EvalContext { attributes, results: &types }, operands).ok()?.into_iter().next()?;
    (labels.dtype() == DType::I32).then(|| labels::tidy(labels)).flatten()
}

fn select(operands: &[&Tile], result: &Shape) -> Labels {
    let (which, cases) = operands.split_first()?;
    let cases: Vec<Labels> = cases.iter().map(|case| stretched(&case.labels, result)).collect();
    let Some(known) = which.known.as_ref().and_then(|known| stretched_value(known, result)) else {
        let chosen = cases.into_iter().reduce(labels::both).flatten();
        return labels::either(chosen, stretched(&which.labels, result));
    };
    if known.dtype() != DType::Bool {
        return cases.into_iter().reduce(labels::both).flatten();
    }
    let [no, yes]: [Labels; 2] = cases.try_into().ok()?;
    labels::either(labels::keep_where(no, &known, false), labels::keep_where(yes, &known, true))
}

/// `x & False` is False, and `x | True` is True, whatever `x` is.
fn logic(is_and: bool, operands: &[&Tile]) -> Labels {
    let [left, right] = operands else { return None };
    let through = |tile: &Tile, other: &Tile| match &other.known {
        Some(known) if known.dtype() == DType::Bool && known.shape().size() > 1 => {
            labels::keep_where(tile.labels.clone(), known, is_and)
        }
        Some(known) if known.dtype() == DType::Bool => {
            tile.labels.clone().filter(|_| known.item().and_then(Scalar::as_bool) == Some(is_and))
        }
        _ => tile.labels.clone(),
    };
    labels::either(through(left, right), through(right, left))
}

fn reduced(tile: &Tile, axes: &[usize]) -> Labels {
    labels::tidy(tensor::reduce(ReduceOp::Max, tile.labels.as_ref()?, axes).ok()?)
}

/// Every sum with garbage among its terms is garbage.
fn dot(attributes: &Attributes, operands: &[&Tile], result: &Shape) -> Labels {
    let [left, right] = operands else { return None };
    let axes = |name: &str, side: usize| -> Vec<usize> {
        let lists = attributes.int_lists(name).unwrap_or(&[]);
        lists.get(side).map(|axes| axes.iter().filter_map(|&a| a.try_into().ok()).collect()).unwrap_or_default()
    };
    // Batch dimensions, those of the left, those of the right: where each side's dimensions stand in the result.
    let spread = |tile: &Tile, side: usize| -> Labels {
        let labels = tile.labels.as_ref()?;
        let (batch, contracting) = (axes("batch", side), axes("contracting", side));
        let rank = labels.rank();
        let reduced = tensor::reduce(ReduceOp::Max, labels, &contracting).ok()?;
        // The dimensions that are left, in their order.
        let left: Vec<usize> = (0..rank).filter(|axis| !contracting.contains(axis)).collect();
        let free: Vec<usize> = left.iter().copied().filter(|axis| !batch.contains(axis)).collect();
        let order: Vec<usize> =
            batch.iter().chain(&free).filter_map(|axis| left.iter().position(|other| other == axis)).collect();
        let ordered = tensor::transpose(&reduced, &order).ok()?;
        let first = if side == 0 { batch.len() } else { result.rank() - free.len() };
        let places: Vec<usize> = (0..batch.len()).chain(first..first + free.len()).collect();
        tensor::broadcast_in_dim(&ordered, result.clone(), &places).ok().and_then(labels::tidy)
    };
    labels::either(spread(left, 0), spread(right, 1))
}

/// The labels of an operand as those of a result: scalars are stretched.
fn stretched(labels: &Labels, result: &Shape) -> Labels {
    stretched_value(labels.as_ref()?, result)
}

fn stretched_value(array: &Array, result: &Shape) -> Option<Array> {
    match array.shape() == result {
        true => Some(array.clone()),
        false if array.size() == 1 => {
            let scalar = tensor::reshape(array, Shape::default()).ok()?;
            tensor::broadcast_in_dim(&scalar, result.clone(), &[]).ok()
        }
        false => None,
    }
}
