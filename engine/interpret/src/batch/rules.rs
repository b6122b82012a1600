//! What an operation on tiles does to lanes. They stand in front, so every dimension that an operation names moves up by one.

use super::kernel::{Lane, Lanes, Results};
use pallas_ir::function::OpData;
use pallas_ir::{Attribute, Attributes, Op, ValueId, ops};
use pallas_tensor::Shape;
use smallvec::SmallVec;

/// Operations that work element by element, besides the families of unary, binary and compare operations.
const ELEMENTWISE: [&str; 4] = ["select_n", "clamp", "convert_element_type", "reduce_precision"];
/// Operations with `axes`.
const AXES: [&str; 9] = [
    "squeeze",
    "rev",
    "reduce_sum",
    "reduce_prod",
    "reduce_max",
    "reduce_min",
    "reduce_and",
    "reduce_or",
    "reduce_xor",
];
/// Operations with an `axis`.
const AXIS: [&str; 9] =
    ["argmax", "argmin", "cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp", "concatenate", "sort"];

/// The results of an operation of which some operand differs from lane to lane.
pub(super) fn pure(lanes: &mut Lanes<'_>, data: &OpData, operands: &[Lane]) -> Option<Results> {
    let (name, attributes) = (data.op.name, &data.attributes);
    if ops::is_elementwise_binary(data.op) || ops::is_elementwise_unary(data.op) || ELEMENTWISE.contains(&name) {
        return elementwise(lanes, data, operands);
    }
    if AXES.contains(&name) {
        let axes = attributes.ints("axes")?.iter().map(|axis| axis + 1).collect();
        return again(lanes, data, operands, replaced(attributes, "axes", Attribute::Ints(axes)));
    }
    if AXIS.contains(&name) {
        let axis = Attribute::Int(attributes.int("axis")? + 1);
        return again(lanes, data, operands, replaced(attributes, "axis", axis));
    }
    let count = lanes.count as i64;
    match name {
        "broadcast_in_dim" => {
            let shape = prefixed(count, attributes.ints("shape")?, 0);
            let dims = prefixed(0, attributes.ints("dims")?, 1);
            again(lanes, data, operands, replaced(&replaced(attributes, "shape", shape), "dims", dims))
        }
        "reshape" => {
            let shape = prefixed(count, attributes.ints("shape")?, 0);
            again(lanes, data, operands, replaced(attributes, "shape", shape))
        }
        "transpose" => {
            let permutation = prefixed(0, attributes.ints("permutation")?, 1);
            again(lanes, data, operands, replaced(attributes, "permutation", permutation))
        }
        "slice" => {
            let (start, limit) =
                (prefixed(0, attributes.ints("start")?, 0), prefixed(count, attributes.ints("limit")?, 0));
            let mut moved = replaced(&replaced(attributes, "start", start), "limit", limit);
            if let Some(strides @ [_, ..]) = attributes.ints("strides") {
                moved = replaced(&moved, "strides", prefixed(1, strides, 0));
            }
            again(lanes, data, operands, moved)
        }
        "pad" => {
            let &[x, value @ Lane { at: None, .. }] = operands else { return None };
            let mut moved = attributes.clone();
            for name in ["low", "high", "interior"] {
                moved = replaced(&moved, name, prefixed(0, attributes.ints(name)?, 0));
            }
            let x = lanes.spread(x)?;
            one(lanes.add(data.op, &[x, value.value], moved)?)
        }
        "dot_general" => product(lanes, data, operands),
        _ => None,
    }
}

/// A result with lanes.
fn one(value: ValueId) -> Option<Results> {
    Some(SmallVec::from_slice(&[Lane { value, at: Some(0) }]))
}

/// The operation on operands that all have lanes.
fn again(lanes: &mut Lanes<'_>, data: &OpData, operands: &[Lane], attributes: Attributes) -> Option<Results> {
    let operands: Option<SmallVec<[ValueId; 4]>> = operands.iter().map(|&operand| lanes.spread(operand)).collect();
    one(lanes.add(data.op, &operands?, attributes)?)
}

/// Scalars may stand beside tiles: those of lanes are stretched to the tile's dimensions.
fn elementwise(lanes: &mut Lanes<'_>, data: &OpData, operands: &[Lane]) -> Option<Results> {
    let result = lanes.function.ty(*data.results.first()?).tensor()?.shape.clone();
    let full = lanes.shape_of(&result);
    let mut values: SmallVec<[ValueId; 4]> = SmallVec::new();
    for (&operand, &old) in operands.iter().zip(&data.operands) {
        let is_scalar = lanes.function.ty(old).tensor()?.shape.rank() == 0 && result.rank() > 0;
        values.push(match (is_scalar, operand.differs()) {
            (true, true) => lanes.broadcast(operand.value, &full, &[0])?,
            (true, false) => lanes.broadcast(operand.value, &full, &[])?,
            (false, _) => lanes.spread(operand)?,
        });
    }
    one(lanes.add(data.op, &values, data.attributes.clone())?)
}

/// Lanes on both sides are a batch; on the left one alone they are more rows.
fn product(lanes: &mut Lanes<'_>, data: &OpData, operands: &[Lane]) -> Option<Results> {
    let &[left, right] = operands else { return None };
    let lists = |name: &str| -> [Vec<i64>; 2] {
        match data.attributes.int_lists(name) {
            Some([a, b]) => [a.clone(), b.clone()],
            _ => [Vec::new(), Vec::new()],
        }
    };
    let up = |dims: &[i64]| -> Vec<i64> { dims.iter().map(|dim| dim + 1).collect() };
    let ([contract_left, contract_right], [batch_left, batch_right]) = (lists("contracting"), lists("batch"));
    let has_batch = data.attributes.get("batch").is_some();
    if !right.differs() && batch_left.is_empty() {
        let contracting = vec![up(&contract_left), contract_right];
        let attributes = replaced(&data.attributes, "contracting", Attribute::IntLists(contracting));
        return one(lanes.add(data.op, &[left.value, right.value], attributes)?);
    }
    let with_lanes = |dims: &[i64]| std::iter::once(0).chain(up(dims)).collect();
    let contracting = Attribute::IntLists(vec![up(&contract_left), up(&contract_right)]);
    let batch = Attribute::IntLists(vec![with_lanes(&batch_left), with_lanes(&batch_right)]);
    let attributes = replaced(&data.attributes, "contracting", contracting);
    let attributes = match has_batch {
        true => replaced(&attributes, "batch", batch),
        false => attributes.with("batch", batch),
    };
    again(lanes, data, operands, attributes)
}

/// Puts the lanes of a tile behind so many of its dimensions.
pub(super) fn moved_back(lanes: &mut Lanes<'_>, value: ValueId, behind: usize) -> Option<ValueId> {
    let rank = lanes.tile(value)?.shape.rank();
    let order = (1..=behind).chain([0]).chain(behind + 1..rank).collect::<Vec<usize>>();
    permuted(lanes, value, &order)
}

/// Puts the lanes of a tile, which stand behind so many of its dimensions, in front.
pub(super) fn moved_front(lanes: &mut Lanes<'_>, value: ValueId, behind: usize) -> Option<ValueId> {
    let rank = lanes.tile(value)?.shape.rank();
    let order = [behind].into_iter().chain(0..behind).chain(behind + 1..rank).collect::<Vec<usize>>();
    permuted(lanes, value, &order)
}

fn permuted(lanes: &mut Lanes<'_>, value: ValueId, order: &[usize]) -> Option<ValueId> {
    if order.is_sorted() {
        return Some(value);
    }
    let shape = lanes.tile(value)?.shape.clone();
    let found: Shape = order.iter().map(|&axis| shape[axis]).collect();
    // Dimensions of size 1 go anywhere without moving an element.
    if order.iter().filter(|&&axis| shape[axis] != 1).is_sorted() {
        return lanes.add(Op(&ops::RESHAPE), &[value], Attributes::none().with("shape", ints(&found)));
    }
    lanes.add(Op(&ops::TRANSPOSE), &[value], Attributes::none().with("permutation", ints(order)))
}

/// An attribute of sizes or dimensions.
pub(super) fn ints(values: &[usize]) -> Attribute {
    Attribute::Ints(values.iter().map(|&value| value as i64).collect())
}

fn prefixed(first: i64, rest: &[i64], up: i64) -> Attribute {
    Attribute::Ints(std::iter::once(first).chain(rest.iter().map(|value| value + up)).collect())
}

/// Attributes with one replaced.
fn replaced(attributes: &Attributes, name: &'static str, value: Attribute) -> Attributes {
    let mut attributes = attributes.clone();
    for (key, slot) in &mut attributes.0 {
        if *key == name {
            *slot = value.clone();
        }
    }
    attributes
}
