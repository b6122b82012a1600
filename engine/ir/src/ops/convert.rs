//! Changes of dtype.

use super::bounds;
use super::eval::{attribute, one, take};
use super::rule::{self, FLOAT};
use crate::op::{InferContext, InferError, OpDef, OpKind, Types};
use crate::types::TensorType;
use pallas_tensor::{DType, Kind, ops};

/// Casts. Attributes: `dtype`; `weak` (default false) makes the result weakly typed.
pub static CONVERT_ELEMENT_TYPE: OpDef = OpDef {
    name: "convert_element_type",
    doc: "Casts to `dtype`: integers wrap, floats to integers truncate and saturate",
    attributes: &["dtype", "weak"],
    infer: |context| {
        rule::count(context, "convert_element_type", 1)?;
        let ty = context.tensor(0)?;
        let dtype = dtype(context, "convert_element_type")?;
        if (ty.dtype.kind() == Kind::Key) != (dtype.kind() == Kind::Key) {
            return Err(InferError::type_error(format!("Cannot convert_element_type from {} to {dtype}", ty.dtype))
                .with_code("PL304"));
        }
        Ok(rule::one(TensorType { dtype, shape: ty.shape.clone(), weak: context.attributes.flag("weak") }))
    },
    kind: OpKind::Pure {
        eval: |context, operands| {
            let [x] = take(operands)?;
            let dtype = attribute(context.attributes.dtype("dtype"), "dtype")?;
            one(ops::convert(&x, dtype))
        },
        interval: Some(bounds::same),
    },
};

/// The same bits read as another dtype. Attribute: `dtype`. A narrower dtype appends a dimension, a wider one takes the
/// last away.
pub static BITCAST_CONVERT_TYPE: OpDef = OpDef {
    name: "bitcast_convert_type",
    doc: "The same bits read as `dtype`",
    attributes: &["dtype"],
    infer: infer_bitcast,
    kind: OpKind::Pure {
        eval: |context, operands| {
            let [x] = take(operands)?;
            let dtype = attribute(context.attributes.dtype("dtype"), "dtype")?;
            one(ops::bitcast_convert(&x, dtype))
        },
        interval: None,
    },
};

fn dtype(context: &InferContext<'_>, name: &str) -> Result<DType, InferError> {
    context.attributes.dtype("dtype").ok_or_else(|| rule::missing(name, "dtype"))
}

fn infer_bitcast(context: &InferContext<'_>) -> Result<Types, InferError> {
    rule::count(context, "bitcast_convert_type", 1)?;
    let ty = context.tensor(0)?;
    let new = dtype(context, "bitcast_convert_type")?;
    if ty.dtype == new {
        return Ok(rule::one(ty.with_dtype(new)));
    }
    let is_number = |dtype: DType| dtype.is_integer() || dtype.is_float();
    if !is_number(ty.dtype) || !is_number(new) {
        return Err(InferError::type_error(format!(
            "lax.bitcast_convert_type does not support bool or complex values unless the operand and destination \
             types match. Got operand dtype={}, new_dtype=dtype('{new}'). Consider using the arr.view() method instead.",
            ty.dtype
        ))
        .with_code("PL304"));
    }
    let mut shape = ty.shape.clone();
    let (from, to) = (ty.dtype.bits() as usize, new.bits() as usize);
    if from > to {
        shape.push(from / to);
    } else if from < to {
        let last = shape.last().copied().unwrap_or(1);
        if last.saturating_mul(from) != to {
            return Err(InferError::value_error(format!(
                "Attempting to convert array of shape {} from {} of size {from} bits to {new} of size {to}, bits but \
                 {last} * {from} != {to}",
                ty.shape, ty.dtype
            )));
        }
        shape = shape[..shape.rank().saturating_sub(1)].into();
    }
    Ok(rule::one(TensorType::new(new, shape)))
}

/// Rounds to fewer bits and back. Attributes: `exponent_bits`, `mantissa_bits`.
pub static REDUCE_PRECISION: OpDef = OpDef {
    name: "reduce_precision",
    doc: "Rounds floats to `exponent_bits` and `mantissa_bits`",
    attributes: &["exponent_bits", "mantissa_bits"],
    infer: |context| {
        let exponent = rule::size(context.attributes, "reduce_precision", "exponent_bits")?;
        rule::size(context.attributes, "reduce_precision", "mantissa_bits")?;
        if exponent == 0 {
            return Err(InferError::value_error("reduce_precision: exponent_bits must be positive; got 0"));
        }
        rule::unary(context, "reduce_precision", FLOAT)
    },
    kind: OpKind::Pure { eval: super::precision::reduce_precision, interval: None },
};

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&CONVERT_ELEMENT_TYPE, &BITCAST_CONVERT_TYPE, &REDUCE_PRECISION].into_iter()
}
