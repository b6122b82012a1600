//! The loops of a chain's operations over one chunk. What is hot in `f32` has loops that read one place and write another;
//! everything else goes through the loops of [`crate::ops`], in place after a copy.

#![allow(clippy::needless_range_loop, reason = "several slices are walked through together")]

use super::CHUNK;
use super::chunk::Care;
use super::convert::round_to;
use super::lanes::Lane;
use super::lines::{Lines, Out, choose, choose_where, copy, map, zip, zip_three};
use crate::dtype::DType;
use crate::isa::{Fma, for_each_isa};
use crate::math::flush;
use crate::ops::MultiplyAdd;
use crate::ops::binary::{self, BinaryOp};
use crate::ops::compare::CompareOp;
use crate::ops::elementwise::Operand;
use crate::ops::functions::lanes;
use crate::ops::number::{Float, Integer};
use crate::ops::unary::{self, UnaryOp};

/// A type with the operations of chains.
pub(super) trait Compute: Lane + PartialOrd {
    /// `out = op(x)`.
    fn unary(op: UnaryOp, dtype: DType, out: &mut Out<'_, Self>, x: &Lines<'_, Self>);
    /// `out = op(x, y)`.
    fn binary(
        op: BinaryOp,
        dtype: DType,
        care: Care,
        out: &mut Out<'_, Self>,
        x: &Lines<'_, Self>,
        y: &Lines<'_, Self>,
    );
    /// `out = x ** exponent`.
    fn integer_pow(exponent: i32, dtype: DType, out: &mut Out<'_, Self>, x: &Lines<'_, Self>);
    /// What a comparison makes of an element first: subnormal floats count as zero.
    #[inline(always)]
    fn seen(self) -> Self {
        self
    }
}

macro_rules! integers {
    ($($type:ty),*) => { $(
        impl Compute for $type {
            fn unary(op: UnaryOp, _: DType, out: &mut Out<'_, $type>, x: &Lines<'_, $type>) {
                out.each_of(x, |_, out| unary::integers(op, out));
            }
            fn binary(
                op: BinaryOp,
                _: DType,
                _: Care,
                out: &mut Out<'_, $type>,
                x: &Lines<'_, $type>,
                y: &Lines<'_, $type>,
            ) {
                out.each_of(x, |row, out| binary::integers_with(op, out, y.row(row, out.len()), false));
            }
            fn integer_pow(exponent: i32, _: DType, out: &mut Out<'_, $type>, x: &Lines<'_, $type>) {
                let power = |x: $type| unary::power(x, exponent.unsigned_abs(), <$type as Integer>::ONE, Integer::mul);
                out.each_of(x, |_, out| out.iter_mut().for_each(|x| *x = power(*x)));
            }
        }
    )* };
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Compute for bool {
    fn unary(_: UnaryOp, _: DType, out: &mut Out<'_, bool>, x: &Lines<'_, bool>) {
        out.each_of(x, |_, out| out.iter_mut().for_each(|x| *x = !*x));
    }

    fn binary(op: BinaryOp, _: DType, _: Care, out: &mut Out<'_, bool>, x: &Lines<'_, bool>, y: &Lines<'_, bool>) {
        out.each_of(x, |row, out| binary::booleans(op, out, y.row(row, out.len()), false));
    }

    fn integer_pow(_: i32, _: DType, out: &mut Out<'_, bool>, x: &Lines<'_, bool>) {
        out.each_of(x, |_, _| {});
    }
}

impl Compute for f64 {
    fn unary(op: UnaryOp, _: DType, out: &mut Out<'_, f64>, x: &Lines<'_, f64>) {
        out.each_of(x, |_, out| unary::doubles(op, out));
    }

    fn binary(op: BinaryOp, _: DType, _: Care, out: &mut Out<'_, f64>, x: &Lines<'_, f64>, y: &Lines<'_, f64>) {
        out.each_of(x, |row, out| binary::doubles_with(op, out, y.row(row, out.len()), false));
    }

    fn integer_pow(exponent: i32, _: DType, out: &mut Out<'_, f64>, x: &Lines<'_, f64>) {
        out.each_of(x, |_, out| out.iter_mut().for_each(|x| *x = unary::float_power(*x, exponent)));
    }

    #[inline(always)]
    fn seen(self) -> f64 {
        self.flush()
    }
}

impl Compute for f32 {
    fn unary(op: UnaryOp, dtype: DType, out: &mut Out<'_, f32>, x: &Lines<'_, f32>) {
        if dtype != DType::F32 {
            out.each_of(x, |_, out| {
                if !unary::stepwise(op, dtype, out) {
                    unary::singles(op, out);
                }
                round_to(dtype, out);
            });
            return;
        }
        if !unary_apart(op, out, x) {
            out.each_of(x, |_, out| unary::singles(op, out));
        }
    }

    fn binary(op: BinaryOp, dtype: DType, care: Care, out: &mut Out<'_, f32>, x: &Lines<'_, f32>, y: &Lines<'_, f32>) {
        if !binary_apart(op, care, out, x, y) {
            out.each_of(x, |row, out| binary::singles(op, out, y.row(row, out.len()), false));
        }
        if dtype != DType::F32 {
            out.each(|_, out| round_to(dtype, out));
        }
    }

    fn integer_pow(exponent: i32, dtype: DType, out: &mut Out<'_, f32>, x: &Lines<'_, f32>) {
        out.each_of(x, |_, out| match dtype {
            DType::F32 => power_in_place(exponent, out),
            _ => {
                out.iter_mut().for_each(|x| *x = unary::narrow_power(*x, exponent, dtype));
                round_to(dtype, out);
            }
        });
    }

    #[inline(always)]
    fn seen(self) -> f32 {
        flush(self)
    }
}

/// One element for all, flushed where the loop takes operands to hold no subnormal numbers; what lies in memory is flushed
/// already then.
#[inline(always)]
fn one_clean(x: Operand<'_, f32>) -> Operand<'_, f32> {
    match x {
        Operand::All(x) => Operand::All(flush(x)),
        each => each,
    }
}

/// What is done to one element for a row where nothing is.
#[inline(always)]
fn as_is<T>(x: T) -> T {
    x
}

for_each_isa! {
/// Arithmetic; false if `op` is not part of it. Where operands hold no subnormal numbers only the result is flushed.
fn binary_apart<F>(
    op: BinaryOp,
    care: Care,
    out: &mut Out<'_, f32>,
    x: &Lines<'_, f32>,
    y: &Lines<'_, f32>,
) -> bool {
    match (op, care) {
        (BinaryOp::Add, Care::Nothing) => zip(out, x, y, as_is, |x, y| x + y),
        (BinaryOp::Sub, Care::Nothing) => zip(out, x, y, as_is, |x, y| x - y),
        (BinaryOp::Mul, Care::Nothing) => zip(out, x, y, as_is, |x, y| x * y),
        (BinaryOp::Add, Care::Result) => zip(out, x, y, flush, |x, y| flush(x + y)),
        (BinaryOp::Sub, Care::Result) => zip(out, x, y, flush, |x, y| flush(x - y)),
        (BinaryOp::Mul, Care::Result) => zip(out, x, y, flush, |x, y| flush(x * y)),
        (BinaryOp::Add, Care::All) => zip(out, x, y, flush, Float::add),
        (BinaryOp::Sub, Care::All) => zip(out, x, y, flush, Float::sub),
        (BinaryOp::Mul, Care::All) => zip(out, x, y, flush, Float::mul),
        (BinaryOp::Div, _) => zip(out, x, y, flush, Float::div),
        (BinaryOp::Max, _) => zip(out, x, y, flush, Float::maximum),
        (BinaryOp::Min, _) => zip(out, x, y, flush, Float::minimum),
        _ => return false,
    }
    true
}

/// Functions of one operand; false if `op` is none of them.
fn unary_apart<F>(op: UnaryOp, out: &mut Out<'_, f32>, x: &Lines<'_, f32>) -> bool {
    match op {
        UnaryOp::Neg => map(out, x, Float::negate),
        UnaryOp::Abs => map(out, x, Float::abs),
        UnaryOp::Square => map(out, x, |x| Float::mul(x, x)),
        UnaryOp::Sqrt => map(out, x, Float::sqrt),
        UnaryOp::Exp => map(out, x, lanes::exp::<F>),
        UnaryOp::Exp2 => map(out, x, lanes::exp2::<F>),
        UnaryOp::Log => map(out, x, lanes::log::<F>),
        UnaryOp::Log1p => map(out, x, lanes::log1p::<F>),
        UnaryOp::Tanh => map(out, x, lanes::tanh::<F>),
        UnaryOp::Logistic => map(out, x, lanes::logistic::<F>),
        UnaryOp::Erf => map(out, x, lanes::erf::<F>),
        _ => return false,
    }
    true
}

fn power_in_place<F>(exponent: i32, x: &mut [f32]) {
    match exponent {
        2 => x.iter_mut().for_each(|x| *x = unary::float_power(*x, 2)),
        3 => x.iter_mut().for_each(|x| *x = unary::float_power(*x, 3)),
        _ => x.iter_mut().for_each(|x| *x = unary::float_power(*x, exponent)),
    }
}

/// `out = x * y + z`, or `x * (1 / y) + z`, with the signs of the form, rounded once.
pub(super) fn multiply_add<F>(
    form: MultiplyAdd,
    divides: bool,
    care: Care,
    out: &mut Out<'_, f32>,
    operands: [&Lines<'_, f32>; 3],
) {
    if divides {
        multiply_reciprocal_add::<F>(form, out, operands);
        return;
    }
    let [x, y, z] = operands;
    for row in 0..out.rows {
        let out = out.row(row);
        let length = out.len();
        let (x, y, z) = (x.row(row, length), y.row(row, length), z.row(row, length));
        match care {
            Care::Nothing => match form {
                MultiplyAdd::Add => zip_three(out, x, y, z, |x, y, z| F::fma(x, y, z)),
                MultiplyAdd::SubtractAddend => zip_three(out, x, y, z, |x, y, z| F::fma(x, y, -z)),
                MultiplyAdd::SubtractProduct => zip_three(out, x, y, z, |x, y, z| F::fma(-x, y, z)),
            },
            Care::Result => {
                let (x, y, z) = (one_clean(x), one_clean(y), one_clean(z));
                match form {
                    MultiplyAdd::Add => zip_three(out, x, y, z, |x, y, z| flush(F::fma(x, y, z))),
                    MultiplyAdd::SubtractAddend => zip_three(out, x, y, z, |x, y, z| flush(F::fma(x, y, -z))),
                    MultiplyAdd::SubtractProduct => zip_three(out, x, y, z, |x, y, z| flush(F::fma(-x, y, z))),
                }
            }
            Care::All => careful_multiply_add::<F>(form, out, x, y, z),
        }
    }
}

/// `out = x * (1 / y)`.
pub(super) fn by_reciprocal<F>(out: &mut Out<'_, f32>, x: &Lines<'_, f32>, y: &Lines<'_, f32>) {
    for row in 0..out.rows {
        let out = out.row(row);
        let length = out.len();
        match (x.row(row, length), y.row(row, length)) {
            (Operand::Each(x), Operand::Each(y)) => {
                let (x, y) = (&x[..length], &y[..length]);
                for i in 0..length {
                    out[i] = flush(flush(x[i]) * reciprocal(y[i]));
                }
            }
            (Operand::Each(x), Operand::All(y)) => {
                let (x, factor) = (&x[..length], reciprocal(y));
                for i in 0..length {
                    out[i] = flush(flush(x[i]) * factor);
                }
            }
            (Operand::All(x), Operand::Each(y)) => {
                let (x, y) = (flush(x), &y[..length]);
                for i in 0..length {
                    out[i] = flush(x * reciprocal(y[i]));
                }
            }
            (Operand::All(x), Operand::All(y)) => out.fill(flush(flush(x) * reciprocal(y))),
        }
    }
}

/// `out = x` without subnormal numbers.
pub(super) fn flushed<F>(out: &mut Out<'_, f32>, x: &Lines<'_, f32>) {
    map(out, x, flush);
}

/// `out = compare(x, y)`.
pub(super) fn compare<F, T: Compute>(op: CompareOp, out: &mut Out<'_, bool>, x: &Lines<'_, T>, y: &Lines<'_, T>) {
    match op {
        CompareOp::Eq => zip(out, x, y, as_is, |x, y| x.seen() == y.seen()),
        CompareOp::Ne => zip(out, x, y, as_is, |x, y| x.seen() != y.seen()),
        CompareOp::Lt => zip(out, x, y, as_is, |x, y| x.seen() < y.seen()),
        CompareOp::Le => zip(out, x, y, as_is, |x, y| x.seen() <= y.seen()),
        CompareOp::Gt => zip(out, x, y, as_is, |x, y| x.seen() > y.seen()),
        CompareOp::Ge => zip(out, x, y, as_is, |x, y| x.seen() >= y.seen()),
    }
}

/// `out = yes` where the comparison holds, else `no`.
pub(super) fn choose_by<F, T: Compute>(op: CompareOp, out: &mut Out<'_, f32>, compared: [&Lines<'_, T>; 2], cases: [&Lines<'_, f32>; 2]) {
    match op {
        CompareOp::Eq => choose_where(out, compared, cases, |x, y| x.seen() == y.seen()),
        CompareOp::Ne => choose_where(out, compared, cases, |x, y| x.seen() != y.seen()),
        CompareOp::Lt => choose_where(out, compared, cases, |x, y| x.seen() < y.seen()),
        CompareOp::Le => choose_where(out, compared, cases, |x, y| x.seen() <= y.seen()),
        CompareOp::Gt => choose_where(out, compared, cases, |x, y| x.seen() > y.seen()),
        CompareOp::Ge => choose_where(out, compared, cases, |x, y| x.seen() >= y.seen()),
    }
}

/// `out = yes` where the condition holds, else `no`.
pub(super) fn select<F, T: Lane>(out: &mut Out<'_, T>, which: &Lines<'_, bool>, no: &Lines<'_, T>, yes: &Lines<'_, T>) {
    for row in 0..out.rows {
        let out = out.row(row);
        let length = out.len();
        let (no, yes) = (no.row(row, length), yes.row(row, length));
        match which.row(row, length) {
            Operand::All(which) => copy(out, if which { yes } else { no }),
            Operand::Each(which) => choose(out, which, no, yes),
        }
    }
}
}

/// One row of [`multiply_add`], operands and results flushed.
#[inline(always)]
fn careful_multiply_add<F: Fma>(
    form: MultiplyAdd,
    out: &mut [f32],
    x: Operand<'_, f32>,
    y: Operand<'_, f32>,
    z: Operand<'_, f32>,
) {
    match form {
        MultiplyAdd::Add => zip_three(out, x, y, z, |x, y, z| flush(F::fma(flush(x), flush(y), flush(z)))),
        MultiplyAdd::SubtractAddend => {
            zip_three(out, x, y, z, |x, y, z| flush(F::fma(flush(x), flush(y), -flush(z))));
        }
        MultiplyAdd::SubtractProduct => {
            zip_three(out, x, y, z, |x, y, z| flush(F::fma(-flush(x), flush(y), flush(z))));
        }
    }
}

/// [`multiply_add`] of reciprocals. They are never subnormal after they were rounded as factors, but the other operands may be.
#[inline(always)]
fn multiply_reciprocal_add<F: Fma>(form: MultiplyAdd, out: &mut Out<'_, f32>, [x, y, z]: [&Lines<'_, f32>; 3]) {
    let mut space = [0.0f32; CHUNK];
    for row in 0..out.rows {
        let out = out.row(row);
        let length = out.len();
        let (x, mut y, z) = (x.row(row, length), y.row(row, length), z.row(row, length));
        y = match y {
            Operand::All(y) => Operand::All(reciprocal(y)),
            Operand::Each(y) => {
                for i in 0..length {
                    space[i] = reciprocal(y[i]);
                }
                Operand::Each(&space[..length])
            }
        };
        careful_multiply_add::<F>(form, out, x, y, z);
    }
}

/// `1 / x`, rounded, as the factor of a product.
#[inline(always)]
fn reciprocal(value: f32) -> f32 {
    flush(1.0 / flush(value))
}

/// Whether a number is finite.
pub(super) fn is_finite<T: Copy + Default>(
    out: &mut Out<'_, bool>,
    x: &Lines<'_, T>,
    finite: impl Fn(T) -> bool + Copy,
) {
    map(out, x, finite);
}
