//! Elementwise operations of two arrays.

use crate::array::Array;
use crate::buffer::{Buffer, Element};
use crate::deferred::put_off;
use crate::dtype::DType;
use crate::error::OpError;
use crate::isa::{Fma, for_each_isa};
use crate::ops::elementwise::{Operand, copied, each, in_f32_chunks_with, pair, wrap_four_bits};
use crate::ops::functions::{double, single};
use crate::ops::fused::Code;
use crate::ops::number::{Float, Integer};

/// An elementwise operation of two arrays of one dtype, with the meaning of the `lax` function of
/// the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Sum; integers wrap.
    Add,
    /// Difference; integers wrap.
    Sub,
    /// Product; integers wrap.
    Mul,
    /// Quotient; integers truncate, by zero all ones.
    Div,
    /// Remainder with the sign of the dividend; integers by zero the dividend.
    Rem,
    /// Power; integers as `jnp.power` (the exponent's low six bits).
    Pow,
    /// Larger; NaN if either is.
    Max,
    /// Smaller; NaN if either is.
    Min,
    /// Angle of the point (y, x).
    Atan2,
    /// Bitwise or logical and.
    And,
    /// Bitwise or logical or.
    Or,
    /// Bitwise or logical exclusive or.
    Xor,
    /// Left shift; zero for amounts of the width or more.
    ShiftLeft,
    /// Right shift with zeros.
    ShiftRightLogical,
    /// Right shift with the sign.
    ShiftRightArithmetic,
    /// The next float from the first towards the second.
    NextAfter,
}

use BinaryOp::*;

/// (operation, its name in jaxprs, on `bool`, on integers, on floats)
static TABLE: [(BinaryOp, &str, bool, bool, bool); 16] = [
    (Add, "add", false, true, true),
    (Sub, "sub", false, true, true),
    (Mul, "mul", false, true, true),
    (Div, "div", false, true, true),
    (Rem, "rem", false, true, true),
    (Pow, "pow", false, true, true),
    (Max, "max", true, true, true),
    (Min, "min", true, true, true),
    (Atan2, "atan2", false, false, true),
    (And, "and", true, true, false),
    (Or, "or", true, true, false),
    (Xor, "xor", true, true, false),
    (ShiftLeft, "shift_left", false, true, false),
    (ShiftRightLogical, "shift_right_logical", false, true, false),
    (ShiftRightArithmetic, "shift_right_arithmetic", false, true, false),
    (NextAfter, "nextafter", false, false, true),
];

impl BinaryOp {
    /// Every operation, in the order of the enum.
    pub fn all() -> impl Iterator<Item = BinaryOp> {
        TABLE.iter().map(|row| row.0)
    }

    /// The name in jaxprs: `add`, `shift_left`.
    pub fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// Whether the operation exists for the dtype.
    pub fn accepts(self, dtype: DType) -> bool {
        let (_, _, on_bool, on_integers, on_floats) = TABLE[self as usize];
        dtype.is_of(on_bool, on_integers, on_floats)
    }
}

/// Applies the operation element by element.
///
/// The shapes are equal, or one operand has size 1 and meets every element of the other. A buffer
/// that nobody else holds is reused for the result, so pass arrays by value.
///
/// # Errors
/// For dtypes that differ or are not accepted, and shapes that do not fit.
pub fn binary(op: BinaryOp, left: Array, right: Array) -> Result<Array, OpError> {
    let dtype = left.dtype();
    if !op.accepts(dtype) {
        return Err(OpError::DType { op: op.name(), dtype });
    }
    if let Some(result) = put_off(&[&left, &right], Code::Binary(op), dtype) {
        return Ok(result);
    }
    let (mut target, other, swapped) = pair(op.name(), left, right)?;
    if !target.is_unique()
        && let (Some(x), Some(y)) = (target.elements::<f32>(), other.elements::<f32>())
    {
        let y = Operand::new(y, x.len());
        let result = copied(x, |start, x| singles(op, x, y.part(start, x.len()), swapped))?;
        return Ok(Array::from_parts(dtype, target.shape().clone(), Buffer::F32(result)));
    }
    let buffer = target.make_mut();
    match (&mut *buffer, other.buffer()) {
        (Buffer::Bool(x), Buffer::Bool(y)) => {
            let y = Operand::new(y, x.len());
            booleans(op, x, y, swapped);
        }
        (Buffer::I8(x), Buffer::I8(y)) => {
            if matches!(dtype, DType::I4 | DType::I2) && op == ShiftRightLogical {
                four_bit_shift_right(x, y, swapped);
            } else {
                integers(op, x, y, swapped);
            }
        }
        (Buffer::I16(x), Buffer::I16(y)) => integers(op, x, y, swapped),
        (Buffer::I32(x), Buffer::I32(y)) => integers(op, x, y, swapped),
        (Buffer::I64(x), Buffer::I64(y)) => integers(op, x, y, swapped),
        (Buffer::U8(x), Buffer::U8(y)) if dtype == DType::U4 && op == ShiftRightArithmetic => {
            let y = Operand::new(y, x.len());
            let with_sign = |x: u8| (x << 4) as i8 >> 4;
            each(x, y, swapped, |x, amount| with_sign(x).shift_right_arithmetic(amount as i8) as u8);
        }
        (Buffer::U8(x), Buffer::U8(y)) if !dtype.is_float() => integers(op, x, y, swapped),
        (Buffer::U16(x), Buffer::U16(y)) => integers(op, x, y, swapped),
        (Buffer::U32(x), Buffer::U32(y)) => integers(op, x, y, swapped),
        (Buffer::U64(x), Buffer::U64(y)) => integers(op, x, y, swapped),
        (Buffer::F32(x), Buffer::F32(y)) => {
            let y = Operand::new(y, x.len());
            singles(op, x, y, swapped);
        }
        (Buffer::F64(x), Buffer::F64(y)) => doubles(op, x, y, swapped),
        (Buffer::BF16(_) | Buffer::F16(_) | Buffer::U8(_), other) => {
            if op == NextAfter {
                return next_after_narrow(target, &other.clone(), swapped);
            }
            in_f32_chunks_with(dtype, buffer, other, |x, y| singles(op, x, y, swapped));
        }
        // `pair` made sure of equal dtypes, and keys accept nothing.
        _ => {}
    }
    wrap_four_bits(dtype, buffer);
    Ok(target)
}

impl BinaryOp {
    /// What it makes of two numbers of `int32`; none where it takes none.
    pub fn of_integers(self, x: i32, y: i32) -> Option<i32> {
        self.accepts(DType::I32).then(|| {
            let mut result = [x];
            integers_with(self, &mut result, Operand::All(y), false);
            result[0]
        })
    }

    /// What it makes of two flags; none where it takes none.
    pub fn of_flags(self, x: bool, y: bool) -> Option<bool> {
        self.accepts(DType::Bool).then(|| {
            let mut result = [x];
            booleans(self, &mut result, Operand::All(y), false);
            result[0]
        })
    }

    /// What it makes of two numbers of `float32`; none where it takes none.
    pub fn of_floats(self, x: f32, y: f32) -> Option<f32> {
        self.accepts(DType::F32).then(|| {
            let mut result = [x];
            singles(self, &mut result, Operand::All(y), false);
            result[0]
        })
    }
}

pub(super) fn booleans(op: BinaryOp, x: &mut [bool], y: Operand<'_, bool>, swapped: bool) {
    match op {
        Max | Or => each(x, y, swapped, |x, y| x | y),
        Min | And => each(x, y, swapped, |x, y| x & y),
        _ => each(x, y, swapped, |x, y| x ^ y),
    }
}

/// A 4-bit integer shifted as if its storage had no sign bits above.
fn four_bit_shift_right(x: &mut [i8], y: &[i8], swapped: bool) {
    let y = Operand::new(y, x.len());
    each(x, y, swapped, |x, amount| (x & 15).shift_right_logical(amount));
}

fn integers<T: Integer>(op: BinaryOp, x: &mut [T], y: &[T], swapped: bool) {
    let y = Operand::new(y, x.len());
    integers_with(op, x, y, swapped);
}

pub(super) fn integers_with<T: Integer>(op: BinaryOp, x: &mut [T], y: Operand<'_, T>, swapped: bool) {
    match op {
        Add => each(x, y, swapped, T::add),
        Sub => each(x, y, swapped, T::sub),
        Mul => each(x, y, swapped, T::mul),
        Div => each(x, y, swapped, T::div),
        Rem => each(x, y, swapped, T::rem),
        Pow => each(x, y, swapped, integer_power),
        Max => each(x, y, swapped, T::max),
        Min => each(x, y, swapped, T::min),
        And => each(x, y, swapped, T::and),
        Or => each(x, y, swapped, T::or),
        Xor => each(x, y, swapped, T::xor),
        ShiftLeft => each(x, y, swapped, T::shift_left),
        ShiftRightLogical => each(x, y, swapped, T::shift_right_logical),
        ShiftRightArithmetic => each(x, y, swapped, T::shift_right_arithmetic),
        // Refused by the table.
        Atan2 | NextAfter => {}
    }
}

/// As `jnp.power` (`_pow_int_int` in jax/_src/numpy/ufuncs.py): six rounds of squaring.
fn integer_power<T: Integer>(base: T, exponent: T) -> T {
    if base == T::ZERO && exponent != T::ZERO {
        return T::ZERO;
    }
    let (mut base, mut exponent, mut result) = (base, exponent, T::ONE);
    for _ in 0..6 {
        if exponent.and(T::ONE) != T::ZERO {
            result = result.mul(base);
        }
        base = base.mul(base);
        exponent = exponent.shift_right_logical(T::ONE);
    }
    result
}

for_each_isa! {
/// The arithmetic that both float types share; false if `op` is not part of it.
fn floats<F, T: Float>(op: BinaryOp, x: &mut [T], y: Operand<'_, T>, swapped: bool) -> bool {
    match op {
        Add => each(x, y, swapped, T::add),
        Sub => each(x, y, swapped, T::sub),
        Mul => each(x, y, swapped, T::mul),
        Div => each(x, y, swapped, T::div),
        Rem => each(x, y, swapped, T::rem),
        Max => each(x, y, swapped, T::maximum),
        Min => each(x, y, swapped, T::minimum),
        NextAfter => each(x, y, swapped, T::next_after),
        _ => return false,
    }
    true
}
}

/// Elements that take the quick way to their remainder together, or not.
const GROUP: usize = 64;

for_each_isa! {
/// `x % y`, several at once where the quotients are small enough that an element of `x` tells their integers apart.
fn remainders<F>(x: &mut [f32], y: Operand<'_, f32>, swapped: bool) {
    for (number, group) in x.chunks_mut(GROUP).enumerate() {
        let y = y.part(number * GROUP, group.len());
        // Without an early end the test goes through several at once as well.
        let usual = match y {
            Operand::Each(y) => {
                group.iter().zip(y).fold(true, |all, (&x, &y)| all & if swapped { is_usual(y, x) } else { is_usual(x, y) })
            }
            Operand::All(y) if swapped => group.iter().fold(true, |all, &x| all & is_usual(y, x)),
            Operand::All(y) => {
                // Compared rather than divided: a division takes as long as all the rest.
                let limit = usual_below(y);
                group.iter().fold(true, |all, &x| all & (x.abs() < limit))
            }
        };
        if usual {
            each(group, y, swapped, remainder_of_usual::<F>);
        } else {
            each(group, y, swapped, Float::rem);
        }
    }
}
}

/// Quotients below this are told apart by their integers.
const MOST: f32 = 4_194_304.0;

/// Whether [`remainder_of_usual`] is exact.
#[inline(always)]
fn is_usual(x: f32, y: f32) -> bool {
    (y.abs() < f32::INFINITY) & ((x / y.flush()).abs() < MOST)
}

/// All numbers that are nearer to zero are usual for this divisor: the product is rounded by less than what is taken off.
#[inline(always)]
fn usual_below(y: f32) -> f32 {
    if y.abs() < f32::INFINITY { y.flush().abs() * (MOST - 1.0) } else { 0.0 }
}

/// Whether no number between zero and `most` is 2^21 times `y` or more, for a `y` that has a reciprocal far from the ends of `float32`.
pub(crate) fn remains_near(most: f64, y: f32) -> bool {
    const FAR: f32 = 1.0e30;
    (1.0 / FAR..FAR).contains(&y.abs()) && most < f64::from(y.abs()) * 2_097_152.0
}

/// `x % y` for a quotient below 2^22. With the quotient's integer `q`, `x - q * y` is a number of the last place of `y` below
/// `y`, and so exact; where the quotient was rounded up to an integer, it is one `y` too small.
#[inline(always)]
fn remainder_of_usual<F: Fma>(x: f32, y: f32) -> f32 {
    let y = y.flush();
    let rest = F::fma(-(x / y).trunc(), y, x);
    let below = (rest != 0.0) & ((rest < 0.0) != (x < 0.0));
    let rest = if below { rest + y.abs().copysign(x) } else { rest };
    rest.abs().copysign(x)
}

pub(super) fn singles(op: BinaryOp, x: &mut [f32], y: Operand<'_, f32>, swapped: bool) {
    match op {
        Rem => remainders(x, y, swapped),
        Pow => each(x, y, swapped, single::pow),
        Atan2 => each(x, y, swapped, single::atan2),
        _ => {
            floats(op, x, y, swapped);
        }
    }
}

fn doubles(op: BinaryOp, x: &mut [f64], y: &[f64], swapped: bool) {
    let y = Operand::new(y, x.len());
    doubles_with(op, x, y, swapped);
}

pub(super) fn doubles_with(op: BinaryOp, x: &mut [f64], y: Operand<'_, f64>, swapped: bool) {
    match op {
        Pow => each(x, y, swapped, double::pow),
        Atan2 => each(x, y, swapped, double::atan2),
        _ => {
            floats(op, x, y, swapped);
        }
    }
}

/// Narrow floats step in their own bits, not in those of `f32`.
fn next_after_narrow(target: Array, other: &Buffer, swapped: bool) -> Result<Array, OpError> {
    let dtype = target.dtype();
    let other = match other.len() {
        length if length == target.size() => Array::from_parts(dtype, target.shape().clone(), other.clone()),
        _ => {
            let one = Array::from_parts(dtype, crate::Shape::scalar(), other.clone());
            crate::ops::broadcast_in_dim(&one, target.shape().clone(), &[])?
        }
    };
    let (from, to) = if swapped { (other, target) } else { (target, other) };
    let from_values: Vec<f32> = crate::ops::convert::numbers(&from)?;
    let to_values: Vec<f32> = crate::ops::convert::numbers(&to)?;
    let unsigned = match dtype.bits() {
        8 => DType::U8,
        _ => DType::U16,
    };
    let bits = crate::ops::bitcast_convert(&from, unsigned)?;
    let mut bits: Vec<u16> = crate::ops::convert::numbers(&bits)?;
    let sign = 1u16 << (dtype.bits() - 1);
    for (bits, (from, to)) in bits.iter_mut().zip(from_values.into_iter().zip(to_values)) {
        if from.is_nan() || to.is_nan() || from == to {
            // Equal values give the second operand, whose zero may have another sign.
            *bits = narrow_bits(dtype, if from == to { to } else { f32::NAN });
        } else if from == 0.0 {
            *bits = if to > 0.0 { 1 } else { sign | 1 };
        } else if (from < to) == (from > 0.0) {
            *bits += 1;
        } else {
            *bits -= 1;
        }
    }
    let bits = Array::from_parts(DType::U16, from.shape().clone(), u16::wrap(bits));
    crate::ops::bitcast_convert(&crate::ops::convert(&bits, unsigned)?, dtype)
}

fn narrow_bits(dtype: DType, value: f32) -> u16 {
    match dtype {
        DType::BF16 => half::bf16::from_f32(value).to_bits(),
        DType::F16 => half::f16::from_f32(value).to_bits(),
        _ => crate::Float8::of(dtype).map_or(0, |format| u16::from(format.encode(value))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainders_are_exact() {
        let mut state = 7u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        let close = |bits: u32| f32::from_bits((bits % (24 << 23) + (115 << 23)) | (bits & 0x8000_0000));
        let special = [0.0, -0.0, 1.0, -1.0, 5.0, f32::INFINITY, f32::NAN, f32::MAX, 1e-45, -1e-40, f32::MIN_POSITIVE];
        let mut pairs: Vec<(f32, f32)> =
            (0..20_000).map(|_| (f32::from_bits(next()), f32::from_bits(next()))).collect();
        // Quotients at and beside integers.
        pairs.extend((0..20_000).map(|i| (i as f32 * 0.37, 5.0)));
        pairs.extend((0..20_000).map(|i| ((i as f32 * 0.1f32).next_down(), 0.1)));
        pairs.extend((0..60_000).map(|_| (close(next()), close(next()))));
        pairs.extend(special.iter().flat_map(|&x| special.iter().map(move |&y| (x, y))));
        let of = |part: fn(&(f32, f32)) -> f32| {
            let values: Vec<f32> = pairs.iter().map(part).collect();
            Array::from_f32s([values.len()], &values).expect("as many")
        };
        let is_rest = |found: f32, x: f32, y: f32| {
            let expected = x % y.flush();
            let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            assert!(same, "{x:e} % {y:e}: {found:e}");
        };
        let result = binary(Rem, of(|pair| pair.0), of(|pair| pair.1)).expect("floats");
        for (&(x, y), &found) in pairs.iter().zip(result.elements::<f32>().expect("floats")) {
            is_rest(found, x, y);
        }
        // One divisor for all, up to where quotients are no longer told apart.
        for y in special.into_iter().chain([0.1, -0.37, 1e-30, 3e38, 8.5e31]) {
            let near = [MOST - 2.0, MOST - 1.0, MOST, MOST + 1.0].map(|quotient| quotient * y);
            let near = near.iter().flat_map(|&x| [x.next_down(), x, x.next_up(), -x]);
            let mut numbers: Vec<f32> = near.chain(pairs.iter().step_by(61).map(|pair| pair.0)).collect();
            let kept = numbers.clone();
            remainders(&mut numbers, Operand::All(y), false);
            kept.iter().zip(&numbers).for_each(|(&x, &found)| is_rest(found, x, y));
        }
    }
}
