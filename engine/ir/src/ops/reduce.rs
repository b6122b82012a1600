//! Reductions: the reduced axes disappear.

use super::bounds;
use super::eval::{attribute, one, sizes, take};
use super::rule::{self, Accepts, tuple};
use crate::op::{EvalError, InferContext, InferError, IntervalHook, OpDef, OpKind, Types};
use crate::types::TensorType;
use pallas_tensor::ops::{ReduceOp, arg_extreme, reduce};
use pallas_tensor::{DType, Kind};

const SAME: Option<IntervalHook> = Some(bounds::same);

/// What a reduction accepts: `None` is lax's check for logical reductions, which words it differently.
const NUMBER: Option<Accepts> = Some(Accepts { test: |dtype| dtype.is_integer() || dtype.is_float(), names: "number" });
const ANY: Option<Accepts> =
    Some(Accepts { test: |dtype| dtype.kind() != Kind::Key, names: "integer, floating, bool" });
const LOGICAL: Option<Accepts> = None;

macro_rules! reduce_ops {
    ($($doc:literal $name:literal $static:ident $op:ident $accepts:ident $interval:expr;)*) => {
        $(
            #[doc = concat!($doc, ". Operand: x. Attribute: `axes`, distinct.")]
            pub static $static: OpDef = OpDef {
                name: $name,
                doc: $doc,
                attributes: &["axes"],
                infer: |context| infer(context, $name, $accepts),
                kind: OpKind::Pure {
                    eval: |context, operands| {
                        let [x] = take(operands)?;
                        let axes = sizes(context.attributes.ints("axes"), "axes")?;
                        one(reduce(ReduceOp::$op, &x, &axes))
                    },
                    interval: $interval,
                },
            };
        )*
        /// The ops of the table.
        static TABLE: &[&OpDef] = &[$(&$static),*];
    };
}

reduce_ops! {
    "The sum" "reduce_sum" REDUCE_SUM Sum NUMBER None;
    "The product" "reduce_prod" REDUCE_PROD Prod NUMBER None;
    "The largest element; NaN if any is" "reduce_max" REDUCE_MAX Max ANY SAME;
    "The smallest element; NaN if any is" "reduce_min" REDUCE_MIN Min ANY SAME;
    "Logical or bitwise and of all elements" "reduce_and" REDUCE_AND And LOGICAL None;
    "Logical or bitwise or of all elements" "reduce_or" REDUCE_OR Or LOGICAL None;
    "Logical or bitwise exclusive or of all elements" "reduce_xor" REDUCE_XOR Xor LOGICAL None;
}

macro_rules! arg_ops {
    ($($doc:literal $name:literal $static:ident $largest:literal;)*) => {
        $(
            #[doc = concat!($doc, ". Operand: x. Attributes: `axis`; `dtype`, an integer one, of the result.")]
            pub static $static: OpDef = OpDef {
                name: $name,
                doc: $doc,
                attributes: &["axis", "dtype"],
                infer: |context| infer_arg(context, $name),
                kind: OpKind::Pure {
                    eval: |context, operands| {
                        let [x] = take(operands)?;
                        let axis = attribute(context.attributes.int("axis"), "axis")?;
                        let axis = usize::try_from(axis)
                            .map_err(|_| EvalError::new(format!("axis {axis} is negative")))?;
                        let dtype = attribute(context.attributes.dtype("dtype"), "dtype")?;
                        one(arg_extreme(&x, axis, $largest, dtype))
                    },
                    interval: None,
                },
            };
        )*
    };
}

arg_ops! {
    "Index of the first largest element along `axis`; of the first NaN if there is one" "argmax" ARGMAX true;
    "Index of the first smallest element along `axis`; of the first NaN if there is one" "argmin" ARGMIN false;
}

fn infer(context: &InferContext<'_>, name: &str, accepts: Option<Accepts>) -> Result<Types, InferError> {
    let axes = rule::sizes(context.attributes, name, "axes")?;
    let ty = match accepts {
        Some(accepts) => rule::operand(context, name, accepts)?,
        None => {
            rule::count(context, name, 1)?;
            let ty = context.tensor(0)?;
            if ty.dtype != DType::Bool && !ty.dtype.is_integer() {
                return Err(InferError::type_error(format!(
                    "logical reduction requires operand dtype bool or int, got {}.",
                    ty.dtype
                ))
                .with_code("PL304"));
            }
            ty
        }
    };
    if !rule::are_distinct(&axes) {
        return Err(InferError::value_error(format!("duplicate value in 'axes' of reduction: {}", tuple(&axes))));
    }
    if !rule::are_axes(&axes, ty.shape.rank()) {
        return Err(InferError::value_error(format!(
            "reduction axes {} contains out-of-bounds indices for {}.",
            tuple(&axes),
            rule::aval(ty)
        )));
    }
    Ok(rule::one(TensorType {
        dtype: ty.dtype,
        shape: ty.shape.without_axes(&axes),
        weak: accepts.is_some() && ty.weak,
    }))
}

fn infer_arg(context: &InferContext<'_>, name: &str) -> Result<Types, InferError> {
    let ty = rule::operand(
        context,
        name,
        Accepts { test: |dtype| dtype.kind() != Kind::Key, names: "integer, floating, bool" },
    )?;
    let axis = context.attributes.int("axis").ok_or_else(|| rule::missing(name, "axis"))?;
    let Some(axis) = usize::try_from(axis).ok().filter(|&a| a < ty.shape.rank()) else {
        return Err(InferError::value_error(format!("Invalid axis {axis} for operand shape {}", ty.shape)));
    };
    if ty.shape[axis] < 1 {
        return Err(InferError::value_error(format!(
            "argmin and argmax require non-empty reduced dimension. operand.shape={} axis={axis}",
            ty.shape
        )));
    }
    let dtype = context.attributes.dtype("dtype").ok_or_else(|| rule::missing(name, "dtype"))?;
    if !dtype.is_integer() {
        return Err(InferError::type_error(format!("index_dtype must be an integer type, but got {dtype}")));
    }
    Ok(rule::one(TensorType::new(dtype, ty.shape.without_axes(&[axis]))))
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    TABLE.iter().copied().chain([&ARGMAX, &ARGMIN])
}
