//! Running sums, products and extremes along one axis. The result has the operand's type.

use super::bounds;
use super::eval::{attribute, one, take};
use super::rule::{self, Accepts};
use crate::op::{EvalError, InferContext, InferError, OpDef, OpKind, Types};
use pallas_tensor::ops::{self, CumulativeOp};

macro_rules! cumulative_ops {
    ($($doc:literal $name:literal $static:ident $op:ident $interval:expr;)*) => {
        $(
            #[doc = concat!($doc, ". Operand: x. Attributes: `axis`; `reverse` (default false) runs from the end.")]
            pub static $static: OpDef = OpDef {
                name: $name,
                doc: $doc,
                attributes: &["axis", "reverse"],
                infer: |context| infer(context, $name),
                kind: OpKind::Pure {
                    eval: |context, operands| {
                        let [x] = take(operands)?;
                        let axis = attribute(context.attributes.int("axis"), "axis")?;
                        let axis = usize::try_from(axis)
                            .map_err(|_| EvalError::new(format!("axis {axis} is negative")))?;
                        let reverse = context.attributes.flag("reverse");
                        one(ops::cumulative(CumulativeOp::$op, &x, axis, reverse))
                    },
                    interval: $interval,
                },
            };
        )*
        /// The ops of the table.
        static TABLE: &[&OpDef] = &[$(&$static),*];
    };
}

cumulative_ops! {
    "Running sum along `axis`" "cumsum" CUMSUM Sum None;
    "Running product along `axis`" "cumprod" CUMPROD Prod None;
    "Running maximum along `axis`" "cummax" CUMMAX Max Some(bounds::same);
    "Running minimum along `axis`" "cummin" CUMMIN Min Some(bounds::same);
    "Running logarithm of the sum of exponentials along `axis`" "cumlogsumexp" CUMLOGSUMEXP LogSumExp None;
}

fn infer(context: &InferContext<'_>, name: &str) -> Result<Types, InferError> {
    let accepts = Accepts { test: |dtype| dtype.is_integer() || dtype.is_float(), names: "number" };
    let ty = rule::operand(context, name, accepts)?;
    let axis = context.attributes.int("axis").ok_or_else(|| rule::missing(name, "axis"))?;
    match usize::try_from(axis) {
        Err(_) => Err(InferError::value_error("XLA operations do not allow negative axes")),
        Ok(axis) if axis >= ty.shape.rank() => {
            Err(InferError::value_error(format!("axis {axis} is out of bounds for array of shape {}", ty.shape)))
        }
        Ok(_) => Ok(rule::one(ty.clone())),
    }
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    TABLE.iter().copied()
}
