//! `dot_general`: batched sums of products.

use super::eval::{one, take};
use super::rule::{self, tuple};
use crate::attribute::Attributes;
use crate::op::{EvalError, InferContext, InferError, OpDef, OpKind, Types};
use crate::types::TensorType;
use pallas_tensor::ops::{self, DotDimensions};
use pallas_tensor::{DType, Kind, Shape};

/// Sums of products. Operands: `lhs`, `rhs`. Attributes: `contracting = [[lhs axes], [rhs axes]]`, `batch` likewise
/// (absent: none), `dtype` of the result (absent: lax's choice from the operands), `precision` (a string such as
/// `highest`, kept for back ends; the interpreter always computes in full precision), `in_order` (whether `bfloat16` products
/// are added one after the other, see [`DotDimensions::in_order`]). Result: batch, free `lhs`, free
/// `rhs` dimensions.
pub static DOT_GENERAL: OpDef = OpDef {
    name: "dot_general",
    doc: "Sums of products over the contracting axes, in step over the batch axes; operands: lhs, rhs",
    attributes: &["contracting", "batch", "dtype", "precision", "in_order"],
    infer,
    kind: OpKind::Pure {
        eval: |context, operands| {
            let [lhs, rhs] = take(operands)?;
            let dimensions = dimensions(context.attributes)
                .ok_or_else(|| EvalError::new("dot_general: the axes are missing or negative"))?;
            let dtype = context.results.first().map_or(lhs.dtype(), |ty| ty.dtype());
            one(ops::dot_general(&lhs, &rhs, &dimensions, dtype))
        },
        interval: None,
    },
};

/// The axes; `None` if an attribute is missing, has not two lists, or holds a negative axis.
fn dimensions(attributes: &Attributes) -> Option<DotDimensions> {
    let axes = |list: &[i64]| -> Option<Vec<usize>> { list.iter().map(|&axis| usize::try_from(axis).ok()).collect() };
    let pair = |name| -> Option<(Vec<usize>, Vec<usize>)> {
        match attributes.int_lists(name)? {
            [left, right] => Some((axes(left)?, axes(right)?)),
            _ => None,
        }
    };
    let (left_contracting, right_contracting) = pair("contracting")?;
    let (left_batch, right_batch) = match attributes.get("batch") {
        None => (Vec::new(), Vec::new()),
        Some(_) => pair("batch")?,
    };
    let in_order = attributes.flag("in_order");
    Some(DotDimensions { left_contracting, right_contracting, left_batch, right_batch, in_order })
}

fn infer(context: &InferContext<'_>) -> Result<Types, InferError> {
    rule::count(context, "dot_general", 2)?;
    let (lhs, rhs) = (context.tensor(0)?, context.tensor(1)?);
    let axes = dimensions(context.attributes).ok_or_else(|| {
        InferError::type_error(
            "dot_general needs the attribute contracting = [[lhs axes], [rhs axes]], and batch likewise, of \
             nonnegative axes",
        )
    })?;
    check_axes("lhs", lhs, &axes.left_contracting, &axes.left_batch)?;
    check_axes("rhs", rhs, &axes.right_contracting, &axes.right_batch)?;
    if axes.left_batch.len() != axes.right_batch.len() {
        return Err(InferError::type_error(format!(
            "dot_general requires equal numbers of lhs_batch and rhs_batch dimensions, got lhs_batch {} and rhs_batch \
             {}.",
            tuple(&axes.left_batch),
            tuple(&axes.right_batch)
        )));
    }
    check_distinct("lhs", &axes.left_contracting, &axes.left_batch)?;
    check_distinct("rhs", &axes.right_contracting, &axes.right_batch)?;
    let pick = |ty: &TensorType, axes: &[usize]| -> Shape { axes.iter().map(|&axis| ty.shape[axis]).collect() };
    let batch = (pick(lhs, &axes.left_batch), pick(rhs, &axes.right_batch));
    if batch.0 != batch.1 {
        return Err(InferError::type_error(format!(
            "dot_general requires lhs batch dimensions and rhs batch dimensions to have the same shape, got {} and {}.",
            batch.0, batch.1
        ))
        .with_code("PL303"));
    }
    let contracting = (pick(lhs, &axes.left_contracting), pick(rhs, &axes.right_contracting));
    if contracting.0 != contracting.1 {
        return Err(InferError::type_error(format!(
            "dot_general requires contracting dimensions to have the same shape, got {} and {}.",
            contracting.0, contracting.1
        ))
        .with_code("PL303"));
    }
    let free = |ty: &TensorType, contracting: &[usize], batch: &[usize]| -> Vec<usize> {
        let used = |axis: &usize| contracting.contains(axis) || batch.contains(axis);
        (0..ty.shape.rank()).filter(|axis| !used(axis)).map(|axis| ty.shape[axis]).collect()
    };
    let shape = batch
        .0
        .iter()
        .copied()
        .chain(free(lhs, &axes.left_contracting, &axes.left_batch))
        .chain(free(rhs, &axes.right_contracting, &axes.right_batch))
        .collect();
    Ok(rule::one(TensorType {
        dtype: dot_general_dtype(lhs.dtype, rhs.dtype, context.attributes.dtype("dtype"))?,
        shape,
        weak: lhs.weak && rhs.weak,
    }))
}

fn check_axes(side: &str, ty: &TensorType, contracting: &[usize], batch: &[usize]) -> Result<(), InferError> {
    let rank = ty.shape.rank();
    if contracting.iter().chain(batch).all(|&axis| axis < rank) {
        return Ok(());
    }
    Err(InferError::type_error(format!(
        "dot_general requires {side} dimension numbers to be nonnegative and less than the number of axes of the {side} \
         value, got {side}_batch of {} and {side}_contracting of {} for {side} of rank {rank}",
        tuple(batch),
        tuple(contracting)
    )))
}

fn check_distinct(side: &str, contracting: &[usize], batch: &[usize]) -> Result<(), InferError> {
    if !rule::are_distinct(batch) {
        return Err(InferError::type_error(format!(
            "dot_general requires {side} batch dimensions to be distinct, got {side}_batch {}.",
            tuple(batch)
        )));
    }
    if !rule::are_distinct(contracting) {
        return Err(InferError::type_error(format!(
            "dot_general requires {side} contracting dimensions to be distinct, got {side}_contracting {}.",
            tuple(contracting)
        )));
    }
    if contracting.iter().any(|axis| batch.contains(axis)) {
        return Err(InferError::type_error(format!(
            "dot_general requires {side} batch dimensions to be disjoint from contracting dimensions, got {side}_batch \
             {} and {side}_contracting {}.",
            tuple(batch),
            tuple(contracting)
        )));
    }
    Ok(())
}

/// The dtype of a product: the operand dtype with the larger properties, or what is wished for (JAX's
/// `_dot_general_dtype_rule`). Operands need not have a dtype in common, nor one that they are promoted to.
///
/// # Errors
/// Two dtypes of which neither is larger, and results that are narrower than integer operands.
pub fn dot_general_dtype(lhs: DType, rhs: DType, wish: Option<DType>) -> Result<DType, InferError> {
    // (largest exponent, mantissa bits, bits, signed), compared as Python compares tuples.
    let properties = |dtype: DType| {
        let (exponent, mantissa) =
            dtype.finfo().map_or((-1, -1), |info| (i64::from(info.maxexp), i64::from(info.nmant)));
        let bits = if dtype == DType::Bool { 1 } else { dtype.bits() };
        (exponent, mantissa, bits, dtype.kind() != Kind::Unsigned)
    };
    let type_error =
        || InferError::type_error(format!("lax.dot_general argument type error: {lhs}, {rhs}")).with_code("PL304");
    if lhs.kind() == Kind::Key || rhs.kind() == Kind::Key {
        return Err(type_error());
    }
    let dtype = match properties(lhs).cmp(&properties(rhs)) {
        std::cmp::Ordering::Greater => lhs,
        std::cmp::Ordering::Less => rhs,
        std::cmp::Ordering::Equal if lhs == rhs => lhs,
        std::cmp::Ordering::Equal => return Err(type_error()),
    };
    match wish {
        None => Ok(dtype),
        Some(wish) if wish.kind() == Kind::Key => Err(type_error()),
        Some(wish) if !dtype.is_float() && wish.bits() < dtype.bits() => Err(InferError::type_error(format!(
            "`preferred_element_type` must not be narrower than the original type, got preferred_element_type of \
                 {wish} for result type of {dtype}."
        ))),
        Some(wish) => Ok(wish),
    }
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&DOT_GENERAL].into_iter()
}
