//! Elementwise functions of two tiles of the same shape and dtype; the result has them too, and is weakly typed if both
//! are. The caller broadcasts scalars.

use super::bounds;
use super::eval::{one, take};
use super::rule::{self, ANY, BOOL_OR_INTEGER, FLOAT, FLOAT_OR_COMPLEX, INTEGER, NUMBER, REAL};
use crate::op::{InferError, OpDef, OpKind};
use crate::types::TensorType;
use pallas_tensor::ops::{BinaryOp, binary, convert};

macro_rules! binary_ops {
    ($($doc:literal $name:literal $([$attribute:literal])? $static:ident $op:ident $accepts:ident $interval:expr;)*) => {
        $(
            #[doc = $doc]
            pub static $static: OpDef = OpDef {
                name: $name,
                doc: $doc,
                attributes: &[$($attribute)?],
                infer: |context| rule::binary(context, $name, $accepts, None),
                kind: OpKind::Pure {
                    eval: |_, operands| {
                        let [x, y] = take(operands)?;
                        one(binary(BinaryOp::$op, x, y))
                    },
                    interval: $interval,
                },
            };
        )*
        /// The ops of the table.
        static TABLE: &[&OpDef] = &[$(&$static),*];
    };
}

binary_ops! {
    // Derivatives are summed with `any`: JAX has a primitive of its own for that, which computes the same.
    "`x + y`; integers wrap around" "add" ["any"] ADD Add NUMBER Some(bounds::add);
    "`x - y`; integers wrap around" "sub" SUB Sub NUMBER Some(bounds::sub);
    "`x * y`; integers wrap around" "mul" MUL Mul NUMBER Some(bounds::mul);
    "`x / y`; integers truncate towards zero, division by 0 gives -1" "div" DIV Div NUMBER Some(bounds::div);
    "Remainder with the sign of `x`" "rem" REM Rem REAL Some(bounds::rem);
    "The larger; NaN if either is" "max" MAX Max ANY Some(bounds::max);
    "The smaller; NaN if either is" "min" MIN Min ANY Some(bounds::min);
    "Angle of the point `(y, x)`" "atan2" ATAN2 Atan2 FLOAT_OR_COMPLEX None;
    "Next float after `x` in the direction of `y`" "nextafter" NEXTAFTER NextAfter FLOAT None;
    "Logical and bitwise and" "and" AND And BOOL_OR_INTEGER Some(bounds::and);
    "Logical and bitwise or" "or" OR Or BOOL_OR_INTEGER None;
    "Logical and bitwise exclusive or" "xor" XOR Xor BOOL_OR_INTEGER None;
    "`x << y`; 0 if `y` is not less than the number of bits" "shift_left" SHIFT_LEFT ShiftLeft INTEGER Some(bounds::shift_left);
    "`x >> y`, zeros shifted in" "shift_right_logical" SHIFT_RIGHT_LOGICAL ShiftRightLogical INTEGER Some(bounds::shift_right);
    "`x >> y`, the sign bit shifted in" "shift_right_arithmetic" SHIFT_RIGHT_ARITHMETIC ShiftRightArithmetic INTEGER Some(bounds::shift_right_arithmetic);
}

/// `x ** y`: `x` a float tile, `y` the same dtype or any integer one; the result has `x`'s dtype.
pub static POW: OpDef = OpDef {
    name: "pow",
    doc: "`x ** y`; `y` has the dtype of `x` or an integer one",
    attributes: &[],
    infer: |context| {
        rule::count(context, "pow", 2)?;
        let operands = rule::tensors(context)?;
        let shape = rule::same_shapes("pow", &operands)?;
        for (position, (ty, accepts)) in operands.iter().zip([FLOAT_OR_COMPLEX, NUMBER]).enumerate() {
            rule::accepted("pow", position, ty, accepts)?;
        }
        let (x, y) = (operands[0], operands[1]);
        if x.dtype != y.dtype && !y.dtype.is_integer() {
            return Err(InferError::type_error(format!(
                "the first argument to pow must have an inexact dtype (float or complex), and the second argument \
                 must have an inexact or integer dtype, and two inexact dtypes must match, but got {} and {} \
                 respectively.",
                x.dtype, y.dtype
            ))
            .with_code("PL304"));
        }
        Ok(rule::one(TensorType { dtype: x.dtype, shape, weak: rule::all_weak(&operands) }))
    },
    kind: OpKind::Pure {
        eval: |_, operands| {
            let [x, y] = take(operands)?;
            // As `_pow_lower`: an integer exponent is converted to the base's dtype.
            let y = convert(&y, x.dtype())?;
            one(binary(BinaryOp::Pow, x, y))
        },
        interval: None,
    },
};

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    TABLE.iter().copied().chain([&POW])
}
