//! Elementwise operations of one array.

use crate::array::Array;
use crate::buffer::Buffer;
use crate::deferred::put_off;
use crate::dtype::DType;
use crate::error::OpError;
use crate::isa::for_each_isa;
use crate::ops::elementwise::{copied, in_f32_chunks, round_narrow, wrap_four_bits};
use crate::ops::functions::{double, lanes, single};
use crate::ops::fused::Code;
use crate::ops::number::{Float, Integer};

/// An elementwise operation of one array, with the meaning of the `lax` function of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the documentation: those of lax")]
pub enum UnaryOp {
    Neg,
    Sign,
    Abs,
    Floor,
    Ceil,
    /// Halves away from zero (`lax.RoundingMethod.AWAY_FROM_ZERO`).
    Round,
    /// Halves to even (`lax.RoundingMethod.TO_NEAREST_EVEN`).
    RoundEven,
    Exp,
    Exp2,
    Expm1,
    Log,
    /// Not in `lax`; `jnp.log2` and Pallas Triton use it.
    Log2,
    Log1p,
    Sqrt,
    Rsqrt,
    Cbrt,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Logistic,
    Erf,
    Erfc,
    ErfInv,
    Lgamma,
    Digamma,
    /// To `bool`.
    IsFinite,
    /// Bitwise on integers, logical on `bool`.
    Not,
    PopulationCount,
    Clz,
    Square,
    Reciprocal,
}

use UnaryOp::*;

/// (operation, its name in jaxprs, on `bool`, on integers, on floats)
static TABLE: [(UnaryOp, &str, bool, bool, bool); 40] = [
    (Neg, "neg", false, true, true),
    (Sign, "sign", false, true, true),
    (Abs, "abs", false, true, true),
    (Floor, "floor", false, false, true),
    (Ceil, "ceil", false, false, true),
    (Round, "round", false, false, true),
    (RoundEven, "round", false, false, true),
    (Exp, "exp", false, false, true),
    (Exp2, "exp2", false, false, true),
    (Expm1, "expm1", false, false, true),
    (Log, "log", false, false, true),
    (Log2, "log2", false, false, true),
    (Log1p, "log1p", false, false, true),
    (Sqrt, "sqrt", false, false, true),
    (Rsqrt, "rsqrt", false, false, true),
    (Cbrt, "cbrt", false, false, true),
    (Sin, "sin", false, false, true),
    (Cos, "cos", false, false, true),
    (Tan, "tan", false, false, true),
    (Asin, "asin", false, false, true),
    (Acos, "acos", false, false, true),
    (Atan, "atan", false, false, true),
    (Sinh, "sinh", false, false, true),
    (Cosh, "cosh", false, false, true),
    (Tanh, "tanh", false, false, true),
    (Asinh, "asinh", false, false, true),
    (Acosh, "acosh", false, false, true),
    (Atanh, "atanh", false, false, true),
    (Logistic, "logistic", false, false, true),
    (Erf, "erf", false, false, true),
    (Erfc, "erfc", false, false, true),
    (ErfInv, "erf_inv", false, false, true),
    (Lgamma, "lgamma", false, false, true),
    (Digamma, "digamma", false, false, true),
    (IsFinite, "is_finite", false, false, true),
    (Not, "not", true, true, false),
    (PopulationCount, "population_count", false, true, false),
    (Clz, "clz", false, true, false),
    (Square, "square", false, true, true),
    (Reciprocal, "reciprocal", false, false, true),
];

impl UnaryOp {
    /// Every operation, in the order of the enum.
    pub fn all() -> impl Iterator<Item = UnaryOp> {
        TABLE.iter().map(|row| row.0)
    }

    /// The name in jaxprs: `exp`, `erf_inv`.
    pub fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// Whether the operation exists for the dtype.
    pub fn accepts(self, dtype: DType) -> bool {
        let (_, _, on_bool, on_integers, on_floats) = TABLE[self as usize];
        dtype.is_of(on_bool, on_integers, on_floats)
    }

    /// The dtype of the result.
    pub fn result_dtype(self, dtype: DType) -> DType {
        match self {
            IsFinite => DType::Bool,
            _ => dtype,
        }
    }
}

/// Applies the operation element by element, in place if nobody else holds the buffer.
///
/// # Errors
/// For dtypes that are not accepted.
pub fn unary(op: UnaryOp, mut array: Array) -> Result<Array, OpError> {
    let dtype = array.dtype();
    if !op.accepts(dtype) {
        return Err(OpError::DType { op: op.name(), dtype });
    }
    if let Some(result) = put_off(&[&array], Code::Unary(op), op.result_dtype(dtype)) {
        return Ok(result);
    }
    if op == IsFinite {
        return is_finite(&array);
    }
    if !array.is_unique()
        && let Some(x) = array.elements::<f32>()
    {
        let result = copied(x, |_, x| singles(op, x))?;
        return Ok(Array::from_parts(dtype, array.shape().clone(), Buffer::F32(result)));
    }
    let buffer = array.make_mut();
    match buffer {
        Buffer::Bool(x) => x.iter_mut().for_each(|x| *x = !*x),
        // Leading zeros are of the four bits that the dtype has. (Ones are not: XLA counts those of
        // the sign-extended byte.)
        Buffer::I8(x) if dtype == DType::I4 && op == Clz => {
            x.iter_mut().for_each(|x| *x = Integer::leading_zeros(*x & 15) - 4);
        }
        Buffer::U8(x) if dtype == DType::U4 && op == Clz => {
            x.iter_mut().for_each(|x| *x = Integer::leading_zeros(*x) - 4);
        }
        Buffer::I8(x) => integers(op, x),
        Buffer::I16(x) => integers(op, x),
        Buffer::I32(x) => integers(op, x),
        Buffer::I64(x) => integers(op, x),
        Buffer::U8(x) if !dtype.is_float() => integers(op, x),
        Buffer::U16(x) => integers(op, x),
        Buffer::U32(x) => integers(op, x),
        Buffer::U64(x) => integers(op, x),
        Buffer::F32(x) => singles(op, x),
        Buffer::F64(x) => doubles(op, x),
        Buffer::BF16(_) | Buffer::F16(_) | Buffer::U8(_) => {
            in_f32_chunks(dtype, buffer, |_, x| {
                if !stepwise(op, dtype, x) {
                    singles(op, x);
                }
            });
        }
        // Accepts nothing.
        Buffer::Key(_) => {}
    }
    wrap_four_bits(dtype, array.make_mut());
    Ok(array)
}

#[inline(always)]
pub(super) fn each<T: Copy>(x: &mut [T], f: impl Fn(T) -> T) {
    x.iter_mut().for_each(|x| *x = f(*x));
}

pub(super) fn integers<T: Integer>(op: UnaryOp, x: &mut [T]) {
    match op {
        Neg => each(x, |x| T::ZERO.sub(x)),
        Sign => each(x, T::sign),
        Abs => each(x, T::abs),
        Not => each(x, T::not),
        PopulationCount => each(x, T::population_count),
        Clz => each(x, T::leading_zeros),
        Square => each(x, |x| x.mul(x)),
        // Refused by the table.
        _ => {}
    }
}

/// A loop with the call in it. A function as large as these is called by a closure or through a pointer where neither is compiled for the
/// instruction set, and calls the C library for each multiply-add then.
macro_rules! direct {
    ($x:ident, $function:expr) => {
        for x in $x.iter_mut() {
            *x = $function(*x);
        }
    };
}

for_each_isa! {
/// The arithmetic that both float types share; false if `op` is not part of it.
fn floats<F, T: Float>(op: UnaryOp, x: &mut [T]) -> bool {
    match op {
        Neg => each(x, T::negate),
        Sign => each(x, T::sign),
        Abs => each(x, T::abs),
        Floor => each(x, T::floor),
        Ceil => each(x, T::ceil),
        Round => each(x, T::round),
        RoundEven => each(x, T::round_even),
        Sqrt => each(x, T::sqrt),
        Square => each(x, |x| x.mul(x)),
        Reciprocal => each(x, |x| T::ONE.div(x)),
        _ => return false,
    }
    true
}

/// The functions that go through several elements at once; false if `op` is none of them.
fn in_lanes<F>(op: UnaryOp, x: &mut [f32]) -> bool {
    match op {
        Exp => direct!(x, lanes::exp::<F>),
        Exp2 => direct!(x, lanes::exp2::<F>),
        Expm1 => direct!(x, lanes::expm1::<F>),
        Log => direct!(x, lanes::log::<F>),
        Log2 => direct!(x, lanes::log2::<F>),
        Log1p => direct!(x, lanes::log1p::<F>),
        Tanh => direct!(x, lanes::tanh::<F>),
        Logistic => direct!(x, lanes::logistic::<F>),
        Erf => direct!(x, lanes::erf::<F>),
        Erfc => direct!(x, lanes::erfc::<F>),
        ErfInv => direct!(x, lanes::erf_inv::<F>),
        Sinh => direct!(x, lanes::sinh::<F>),
        Cosh => direct!(x, lanes::cosh::<F>),
        Lgamma => direct!(x, lanes::lgamma::<F>),
        Digamma => direct!(x, lanes::digamma::<F>),
        Sin => usual(x, lanes::sin_usual, single::sin),
        Cos => usual(x, lanes::cos_usual, single::cos),
        _ => return false,
    }
    true
}
}

/// Groups of elements with usual arguments only go through at once, others one by one.
#[inline(always)]
fn usual(x: &mut [f32], at_once: impl Fn(f32) -> f32, one: fn(f32) -> f32) {
    for group in x.chunks_mut(64) {
        // Without an early end the test goes through several at once as well.
        if group.iter().fold(true, |all, &x| all & lanes::is_usual(x)) {
            each(group, &at_once);
        } else {
            each(group, one);
        }
    }
}

macro_rules! with_functions {
    ($name:ident, $type:ty, $functions:ident, $in_lanes:expr) => {
        pub(super) fn $name(op: UnaryOp, x: &mut [$type]) {
            if floats(op, x) || $in_lanes(op, x) {
                return;
            }
            match op {
                Exp => each(x, $functions::exp),
                Exp2 => each(x, $functions::exp2),
                Expm1 => each(x, $functions::expm1),
                Log => each(x, $functions::log),
                Log2 => each(x, $functions::log2),
                Log1p => each(x, $functions::log1p),
                Rsqrt => each(x, $functions::rsqrt),
                Cbrt => each(x, $functions::cbrt),
                Sin => each(x, $functions::sin),
                Cos => each(x, $functions::cos),
                Tan => each(x, $functions::tan),
                Asin => each(x, $functions::asin),
                Acos => each(x, $functions::acos),
                Atan => each(x, $functions::atan),
                Sinh => each(x, $functions::sinh),
                Cosh => each(x, $functions::cosh),
                Tanh => each(x, $functions::tanh),
                Asinh => each(x, $functions::asinh),
                Acosh => each(x, $functions::acosh),
                Atanh => each(x, $functions::atanh),
                Logistic => each(x, $functions::logistic),
                Erf => each(x, $functions::erf),
                Erfc => each(x, $functions::erfc),
                ErfInv => each(x, $functions::erf_inv),
                Lgamma => each(x, $functions::lgamma),
                Digamma => each(x, $functions::digamma),
                // The rest is done above or refused by the table.
                _ => {}
            }
        }
    };
}
with_functions!(singles, f32, single, in_lanes);
with_functions!(doubles, f64, double, |_, _: &mut [f64]| false);

fn is_finite(array: &Array) -> Result<Array, OpError> {
    let finite = match array.elements::<f64>() {
        Some(elements) => crate::lack::collected(elements.iter().map(|x| x.is_finite())),
        None => {
            let elements: Vec<f32> = crate::ops::convert::numbers(array)?;
            crate::lack::collected(elements.iter().map(|x| x.is_finite()))
        }
    };
    Ok(Array::from_parts(DType::Bool, array.shape().clone(), Buffer::Bool(finite)))
}

/// The functions that XLA expands into rounded steps of the narrow type; false for all others,
/// which are computed in `f32` and rounded once.
pub(super) fn stepwise(op: UnaryOp, dtype: DType, x: &mut [f32]) -> bool {
    use crate::math::stepwise;
    let round = |x: f32| round_narrow(dtype, x);
    let greatest = dtype.finfo().map_or(f32::MAX, |info| info.max as f32);
    match op {
        Exp2 => each(x, |x| stepwise::exp2(x, round)),
        Expm1 if dtype == DType::F16 => each(x, |x| stepwise::expm1(x, round)),
        Logistic => each(x, |x| stepwise::logistic(x, round)),
        Asin => each(x, |x| stepwise::asin(x, round)),
        Acos => each(x, |x| stepwise::acos(x, round)),
        Asinh => each(x, |x| stepwise::asinh(x, greatest, round)),
        Acosh => each(x, |x| stepwise::acosh(x, greatest, round)),
        Atanh => each(x, |x| stepwise::atanh(x, round)),
        _ => return false,
    }
    true
}

/// `x ** exponent` for a constant exponent, as `lax.integer_pow`: repeated squaring, and for
/// negative exponents the reciprocal of that.
///
/// # Errors
/// For `bool` and keys, and negative exponents of integers.
pub fn integer_pow(mut array: Array, exponent: i32) -> Result<Array, OpError> {
    const OP: &str = "integer_pow";
    let dtype = array.dtype();
    if !dtype.is_float() && (!dtype.is_integer() || exponent < 0) {
        return Err(OpError::DType { op: OP, dtype });
    }
    if let Some(result) = put_off(&[&array], Code::IntegerPow(exponent), dtype) {
        return Ok(result);
    }
    let buffer = array.make_mut();
    macro_rules! integer {
        ($x:expr) => {
            each($x, |x| power(x, exponent.unsigned_abs(), Integer::ONE, Integer::mul))
        };
    }
    match buffer {
        Buffer::I8(x) => integer!(x),
        Buffer::I16(x) => integer!(x),
        Buffer::I32(x) => integer!(x),
        Buffer::I64(x) => integer!(x),
        Buffer::U8(x) if !dtype.is_float() => integer!(x),
        Buffer::U16(x) => integer!(x),
        Buffer::U32(x) => integer!(x),
        Buffer::U64(x) => integer!(x),
        Buffer::F32(x) => each(x, |x| float_power(x, exponent)),
        Buffer::F64(x) => each(x, |x| float_power(x, exponent)),
        Buffer::BF16(_) | Buffer::F16(_) | Buffer::U8(_) => {
            in_f32_chunks(dtype, buffer, |_, x| each(x, |x| narrow_power(x, exponent, dtype)));
        }
        // Refused above.
        Buffer::Bool(_) | Buffer::Key(_) => {}
    }
    wrap_four_bits(dtype, array.make_mut());
    Ok(array)
}

/// Each product is rounded to the narrow type; the last quotient is not yet.
pub(super) fn narrow_power(x: f32, exponent: i32, dtype: DType) -> f32 {
    let product = |x: f32, y: f32| round_narrow(dtype, Float::mul(x, y));
    let result = power(x, exponent.unsigned_abs(), 1.0, product);
    if exponent < 0 { Float::div(1.0, result) } else { result }
}

pub(super) fn float_power<T: Float>(x: T, exponent: i32) -> T {
    let result = power(x, exponent.unsigned_abs(), T::ONE, T::mul);
    if exponent < 0 { T::ONE.div(result) } else { result }
}

/// The order of multiplications is JAX's (`_integer_pow` in jax/_src/lax/lax.py).
#[inline(always)]
pub(super) fn power<T: Copy>(mut x: T, mut exponent: u32, one: T, multiply: impl Fn(T, T) -> T) -> T {
    let mut result = None;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = Some(result.map_or(x, |result| multiply(result, x)));
        }
        exponent >>= 1;
        if exponent > 0 {
            x = multiply(x, x);
        }
    }
    result.unwrap_or(one)
}
