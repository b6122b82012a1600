//! Elementwise functions of one tile. The result has the operand's shape, dtype and weak type unless said otherwise.

use super::bounds;
use super::eval::{attribute, one, take};
use super::rule::{self, Accepts, FLOAT, FLOAT_OR_COMPLEX, INTEGER, NUMBER, SIGNED};
use super::rule::{BOOL_OR_INTEGER, REAL};
use crate::op::{InferContext, InferError, OpDef, OpKind, Types};
use pallas_tensor::DType;
use pallas_tensor::ops::{UnaryOp, integer_pow, unary};

macro_rules! unary_ops {
    ($($doc:literal $name:literal $static:ident $op:ident $accepts:ident $interval:expr;)*) => {
        $(
            #[doc = $doc]
            pub static $static: OpDef = OpDef {
                name: $name,
                doc: $doc,
                attributes: &[],
                infer: |context| rule::unary(context, $name, $accepts),
                kind: OpKind::Pure {
                    eval: |_, operands| {
                        let [x] = take(operands)?;
                        one(unary(UnaryOp::$op, x))
                    },
                    interval: $interval,
                },
            };
        )*
        /// The ops of the table.
        static TABLE: &[&OpDef] = &[$(&$static),*];
    };
}

unary_ops! {
    "`-x`" "neg" NEG Neg NUMBER Some(bounds::neg);
    "-1, 0 or 1 (NaN for NaN)" "sign" SIGN Sign NUMBER None;
    "Absolute value; not for unsigned integers, as in lax" "abs" ABS Abs SIGNED None;
    "Largest integer not above" "floor" FLOOR Floor FLOAT None;
    "Smallest integer not below" "ceil" CEIL Ceil FLOAT None;
    "e to the power" "exp" EXP Exp FLOAT_OR_COMPLEX None;
    "2 to the power" "exp2" EXP2 Exp2 FLOAT_OR_COMPLEX None;
    "`exp(x) - 1`, exact near 0" "expm1" EXPM1 Expm1 FLOAT_OR_COMPLEX None;
    "Natural logarithm" "log" LOG Log FLOAT_OR_COMPLEX None;
    "`log(1 + x)`, exact near 0" "log1p" LOG1P Log1p FLOAT_OR_COMPLEX None;
    "Square root" "sqrt" SQRT Sqrt FLOAT_OR_COMPLEX None;
    "Reciprocal square root" "rsqrt" RSQRT Rsqrt FLOAT_OR_COMPLEX None;
    "Cube root" "cbrt" CBRT Cbrt FLOAT None;
    "Sine" "sin" SIN Sin FLOAT_OR_COMPLEX None;
    "Cosine" "cos" COS Cos FLOAT_OR_COMPLEX None;
    "Tangent" "tan" TAN Tan FLOAT_OR_COMPLEX None;
    "Inverse sine" "asin" ASIN Asin FLOAT_OR_COMPLEX None;
    "Inverse cosine" "acos" ACOS Acos FLOAT_OR_COMPLEX None;
    "Inverse tangent" "atan" ATAN Atan FLOAT_OR_COMPLEX None;
    "Hyperbolic sine" "sinh" SINH Sinh FLOAT_OR_COMPLEX None;
    "Hyperbolic cosine" "cosh" COSH Cosh FLOAT_OR_COMPLEX None;
    "Hyperbolic tangent" "tanh" TANH Tanh FLOAT_OR_COMPLEX None;
    "Inverse hyperbolic sine" "asinh" ASINH Asinh FLOAT_OR_COMPLEX None;
    "Inverse hyperbolic cosine" "acosh" ACOSH Acosh FLOAT_OR_COMPLEX None;
    "Inverse hyperbolic tangent" "atanh" ATANH Atanh FLOAT_OR_COMPLEX None;
    "`1 / (1 + exp(-x))`" "logistic" LOGISTIC Logistic FLOAT_OR_COMPLEX None;
    "Error function" "erf" ERF Erf FLOAT None;
    "`1 - erf(x)`" "erfc" ERFC Erfc FLOAT None;
    "Inverse of the error function" "erf_inv" ERF_INV ErfInv FLOAT None;
    "Logarithm of the absolute value of the gamma function" "lgamma" LGAMMA Lgamma FLOAT None;
    "Derivative of lgamma" "digamma" DIGAMMA Digamma FLOAT None;
    "Logical not of bools, bitwise not of integers" "not" NOT Not BOOL_OR_INTEGER None;
    "Number of bits set" "population_count" POPULATION_COUNT PopulationCount INTEGER None;
    "Number of leading zero bits" "clz" CLZ Clz INTEGER None;
    "`x * x`" "square" SQUARE Square NUMBER None;
}

/// Rounds to an integer. Attribute `rounding`: 0 halves away from zero, 1 halves to even (`lax.RoundingMethod`).
pub static ROUND: OpDef = OpDef {
    name: "round",
    doc: "Nearest integer; `rounding` 0: halves away from zero, 1: halves to even",
    attributes: &["rounding"],
    infer: |context| rule::unary(context, "round", FLOAT),
    kind: OpKind::Pure {
        eval: |context, operands| {
            let [x] = take(operands)?;
            let op = match context.attributes.int("rounding") {
                Some(1) => UnaryOp::RoundEven,
                _ => UnaryOp::Round,
            };
            one(unary(op, x))
        },
        interval: None,
    },
};

/// Whether neither infinite nor NaN; the result is `bool`.
pub static IS_FINITE: OpDef = OpDef {
    name: "is_finite",
    doc: "Whether neither infinite nor NaN",
    attributes: &[],
    infer: |context| to_dtype(context, "is_finite", FLOAT, DType::Bool),
    kind: OpKind::Pure {
        eval: |_, operands| {
            let [x] = take(operands)?;
            one(unary(UnaryOp::IsFinite, x))
        },
        interval: None,
    },
};

/// `x ** y` for the integer attribute `y`, by repeated multiplication; negative `y` for floats only.
pub static INTEGER_POW: OpDef = OpDef {
    name: "integer_pow",
    doc: "`x ** y` for the integer attribute `y`",
    attributes: &["y"],
    infer: |context| {
        let ty = rule::operand(context, "integer_pow", REAL)?;
        let y = context.attributes.int("y").ok_or_else(|| rule::missing("integer_pow", "y"))?;
        if y < 0 && !ty.dtype.is_float() {
            return Err(InferError::type_error(format!(
                "Integers cannot be raised to negative powers, got integer_pow({ty}, {y})"
            )));
        }
        Ok(rule::one(ty.clone()))
    },
    kind: OpKind::Pure {
        eval: |context, operands| {
            let [x] = take(operands)?;
            let y = attribute(context.attributes.int("y"), "y")?;
            let y = i32::try_from(y)
                .map_err(|_| crate::op::EvalError::new(format!("integer_pow by {y} is out of range")))?;
            one(integer_pow(x, y))
        },
        interval: Some(|attributes, operands| match attributes.int("y") {
            Some(1) => bounds::same(attributes, operands),
            Some(2) => bounds::square(attributes, operands),
            _ => crate::Interval::ANY,
        }),
    },
};

fn to_dtype(context: &InferContext<'_>, name: &str, accepts: Accepts, dtype: DType) -> Result<Types, InferError> {
    let mut ty = rule::operand(context, name, accepts)?.clone();
    ty.dtype = dtype;
    Ok(rule::one(ty))
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    TABLE.iter().copied().chain([&ROUND, &IS_FINITE, &INTEGER_POW])
}
