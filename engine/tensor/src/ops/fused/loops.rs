//! The loops of a chain's operations over one chunk. What is hot in `f32` has loops that read one place and write another;
//! everything else goes through the loops of [`crate::ops`], in place after a copy.

#![allow(clippy::needless_range_loop, reason = "several slices are walked through together")]

use super::CHUNK;
use super::convert::round_to;
use super::lanes::Lane;
use crate::dtype::DType;
use crate::isa::for_each_isa;
use crate::math::flush;
use crate::ops::MultiplyAdd;
use crate::ops::binary::{self, BinaryOp};
use crate::ops::compare::CompareOp;
use crate::ops::elementwise::Operand;
use crate::ops::functions::lanes;
use crate::ops::number::{Float, Integer};
use crate::ops::unary::{self, UnaryOp};

/// A type with the operations of chains. `clean` says that no operand holds a subnormal number.
pub(super) trait Compute: Lane + PartialOrd {
    /// `out = op(x)`.
    fn unary(op: UnaryOp, dtype: DType, out: &mut [Self], x: Operand<'_, Self>);
    /// `out = op(x, y)`.
    fn binary(op: BinaryOp, dtype: DType, clean: bool, out: &mut [Self], x: Operand<'_, Self>, y: Operand<'_, Self>);
    /// `out = x ** exponent`.
    fn integer_pow(exponent: i32, dtype: DType, out: &mut [Self], x: Operand<'_, Self>);
    /// What a comparison makes of an element first: subnormal floats count as zero.
    #[inline(always)]
    fn seen(self) -> Self {
        self
    }
}

/// Brings an operand to where it is changed in place.
#[inline(always)]
pub(super) fn copy<T: Copy>(out: &mut [T], x: Operand<'_, T>) {
    match x {
        Operand::Each(x) => out.copy_from_slice(x),
        Operand::All(x) => out.fill(x),
    }
}

macro_rules! integers {
    ($($type:ty),*) => { $(
        impl Compute for $type {
            fn unary(op: UnaryOp, _: DType, out: &mut [$type], x: Operand<'_, $type>) {
                copy(out, x);
                unary::integers(op, out);
            }
            fn binary(op: BinaryOp, _: DType, _: bool, out: &mut [$type], x: Operand<'_, $type>, y: Operand<'_, $type>) {
                copy(out, x);
                binary::integers_with(op, out, y, false);
            }
            fn integer_pow(exponent: i32, _: DType, out: &mut [$type], x: Operand<'_, $type>) {
                copy(out, x);
                let power = |x: $type| unary::power(x, exponent.unsigned_abs(), <$type as Integer>::ONE, Integer::mul);
                out.iter_mut().for_each(|x| *x = power(*x));
            }
        }
    )* };
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Compute for bool {
    fn unary(_: UnaryOp, _: DType, out: &mut [bool], x: Operand<'_, bool>) {
        copy(out, x);
        out.iter_mut().for_each(|x| *x = !*x);
    }

    fn binary(op: BinaryOp, _: DType, _: bool, out: &mut [bool], x: Operand<'_, bool>, y: Operand<'_, bool>) {
        copy(out, x);
        binary::booleans(op, out, y, false);
    }

    fn integer_pow(_: i32, _: DType, out: &mut [bool], x: Operand<'_, bool>) {
        copy(out, x);
    }
}

impl Compute for f64 {
    fn unary(op: UnaryOp, _: DType, out: &mut [f64], x: Operand<'_, f64>) {
        copy(out, x);
        unary::doubles(op, out);
    }

    fn binary(op: BinaryOp, _: DType, _: bool, out: &mut [f64], x: Operand<'_, f64>, y: Operand<'_, f64>) {
        copy(out, x);
        binary::doubles_with(op, out, y, false);
    }

    fn integer_pow(exponent: i32, _: DType, out: &mut [f64], x: Operand<'_, f64>) {
        copy(out, x);
        out.iter_mut().for_each(|x| *x = unary::float_power(*x, exponent));
    }

    #[inline(always)]
    fn seen(self) -> f64 {
        self.flush()
    }
}

impl Compute for f32 {
    fn unary(op: UnaryOp, dtype: DType, out: &mut [f32], x: Operand<'_, f32>) {
        if dtype != DType::F32 {
            copy(out, x);
            if !unary::stepwise(op, dtype, out) {
                unary::singles(op, out);
            }
            round_to(dtype, out);
            return;
        }
        if let Operand::Each(each) = x
            && unary_apart(op, out, each)
        {
            return;
        }
        copy(out, x);
        unary::singles(op, out);
    }

    fn binary(op: BinaryOp, dtype: DType, clean: bool, out: &mut [f32], x: Operand<'_, f32>, y: Operand<'_, f32>) {
        if !binary_apart(op, clean, out, x, y) {
            copy(out, x);
            binary::singles(op, out, y, false);
        }
        round_to(dtype, out);
    }

    fn integer_pow(exponent: i32, dtype: DType, out: &mut [f32], x: Operand<'_, f32>) {
        copy(out, x);
        match dtype {
            DType::F32 => power_in_place(exponent, out),
            _ => {
                out.iter_mut().for_each(|x| *x = unary::narrow_power(*x, exponent, dtype));
                round_to(dtype, out);
            }
        }
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

/// `out = f(x, y)` for every element. (Loops count, as what iterators call is not always compiled for the instruction set.)
#[inline(always)]
fn zip<T: Copy, R>(out: &mut [R], x: Operand<'_, T>, y: Operand<'_, T>, f: impl Fn(T, T) -> R) {
    let length = out.len();
    match (x, y) {
        (Operand::Each(x), Operand::Each(y)) => {
            let (x, y) = (&x[..length], &y[..length]);
            for i in 0..length {
                out[i] = f(x[i], y[i]);
            }
        }
        (Operand::Each(x), Operand::All(y)) => {
            let x = &x[..length];
            for i in 0..length {
                out[i] = f(x[i], y);
            }
        }
        (Operand::All(x), Operand::Each(y)) => {
            let y = &y[..length];
            for i in 0..length {
                out[i] = f(x, y[i]);
            }
        }
        (Operand::All(x), Operand::All(y)) => {
            for out in out {
                *out = f(x, y);
            }
        }
    }
}

/// `out = f(x)` for every element.
#[inline(always)]
fn map(out: &mut [f32], x: &[f32], f: impl Fn(f32) -> f32) {
    let length = out.len();
    let x = &x[..length];
    for i in 0..length {
        out[i] = f(x[i]);
    }
}

for_each_isa! {
/// Arithmetic; false if `op` is not part of it. Where operands hold no subnormal numbers only the result is flushed.
fn binary_apart<F>(op: BinaryOp, clean: bool, out: &mut [f32], x: Operand<'_, f32>, y: Operand<'_, f32>) -> bool {
    match (op, clean) {
        (BinaryOp::Add, true) => zip(out, one_clean(x), one_clean(y), |x, y| flush(x + y)),
        (BinaryOp::Sub, true) => zip(out, one_clean(x), one_clean(y), |x, y| flush(x - y)),
        (BinaryOp::Mul, true) => zip(out, one_clean(x), one_clean(y), |x, y| flush(x * y)),
        (BinaryOp::Add, false) => zip(out, x, y, Float::add),
        (BinaryOp::Sub, false) => zip(out, x, y, Float::sub),
        (BinaryOp::Mul, false) => zip(out, x, y, Float::mul),
        (BinaryOp::Div, _) => zip(out, x, y, Float::div),
        (BinaryOp::Max, _) => zip(out, x, y, Float::maximum),
        (BinaryOp::Min, _) => zip(out, x, y, Float::minimum),
        _ => return false,
    }
    true
}

/// Functions of one operand; false if `op` is none of them.
fn unary_apart<F>(op: UnaryOp, out: &mut [f32], x: &[f32]) -> bool {
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

/// `out = x * y + z` with the signs of the form, rounded once; none of the operands holds a subnormal number if `clean`.
fn multiply_add_apart<F>(
    form: MultiplyAdd,
    clean: bool,
    out: &mut [f32],
    x: &[f32],
    y: Operand<'_, f32>,
    z: Operand<'_, f32>,
) {
    if clean {
        let (y, z) = (one_clean(y), one_clean(z));
        match form {
            MultiplyAdd::Add => zip_three(out, x, y, z, |x, y, z| flush(F::fma(x, y, z))),
            MultiplyAdd::SubtractAddend => zip_three(out, x, y, z, |x, y, z| flush(F::fma(x, y, -z))),
            MultiplyAdd::SubtractProduct => zip_three(out, x, y, z, |x, y, z| flush(F::fma(-x, y, z))),
        }
        return;
    }
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

/// `out = x * (1 / y)`.
fn by_reciprocal_apart<F>(out: &mut [f32], x: Operand<'_, f32>, y: Operand<'_, f32>) {
    match y {
        Operand::All(y) => {
            let factor = reciprocal(y);
            zip(out, x, Operand::All(factor), |x, factor| flush(flush(x) * factor));
        }
        y => zip(out, x, y, |x, y| flush(flush(x) * reciprocal(y))),
    }
}

/// `out = x` without subnormal numbers.
fn flushed_apart<F>(out: &mut [f32], x: Operand<'_, f32>) {
    zip(out, x, x, |x, _| flush(x));
}

/// `out = 1 / y`.
fn reciprocals<F>(out: &mut [f32], y: &[f32]) {
    map(out, y, reciprocal);
}

/// `out = compare(x, y)`.
fn comparison<F, T: Compute>(op: CompareOp, out: &mut [bool], x: Operand<'_, T>, y: Operand<'_, T>) {
    match op {
        CompareOp::Eq => zip(out, x, y, |x, y| x.seen() == y.seen()),
        CompareOp::Ne => zip(out, x, y, |x, y| x.seen() != y.seen()),
        CompareOp::Lt => zip(out, x, y, |x, y| x.seen() < y.seen()),
        CompareOp::Le => zip(out, x, y, |x, y| x.seen() <= y.seen()),
        CompareOp::Gt => zip(out, x, y, |x, y| x.seen() > y.seen()),
        CompareOp::Ge => zip(out, x, y, |x, y| x.seen() >= y.seen()),
    }
}

/// `out = yes` where the condition holds, else `no`.
fn choice<F, T: Lane>(out: &mut [T], which: &[bool], no: Operand<'_, T>, yes: Operand<'_, T>) {
    let length = out.len();
    let which = &which[..length];
    match (no, yes) {
        (Operand::Each(no), Operand::Each(yes)) => {
            let (no, yes) = (&no[..length], &yes[..length]);
            for i in 0..length {
                out[i] = if which[i] { yes[i] } else { no[i] };
            }
        }
        (Operand::All(no), Operand::Each(yes)) => {
            let yes = &yes[..length];
            for i in 0..length {
                out[i] = if which[i] { yes[i] } else { no };
            }
        }
        (Operand::Each(no), Operand::All(yes)) => {
            let no = &no[..length];
            for i in 0..length {
                out[i] = if which[i] { yes } else { no[i] };
            }
        }
        (Operand::All(no), Operand::All(yes)) => {
            for i in 0..length {
                out[i] = if which[i] { yes } else { no };
            }
        }
    }
}
}

/// `out = f(x, y, z)` for every element.
#[inline(always)]
fn zip_three(out: &mut [f32], x: &[f32], y: Operand<'_, f32>, z: Operand<'_, f32>, f: impl Fn(f32, f32, f32) -> f32) {
    let length = out.len();
    let x = &x[..length];
    match (y, z) {
        (Operand::Each(y), Operand::Each(z)) => {
            let (y, z) = (&y[..length], &z[..length]);
            for i in 0..length {
                out[i] = f(x[i], y[i], z[i]);
            }
        }
        (Operand::Each(y), Operand::All(z)) => {
            let y = &y[..length];
            for i in 0..length {
                out[i] = f(x[i], y[i], z);
            }
        }
        (Operand::All(y), Operand::Each(z)) => {
            let z = &z[..length];
            for i in 0..length {
                out[i] = f(x[i], y, z[i]);
            }
        }
        (Operand::All(y), Operand::All(z)) => {
            for i in 0..length {
                out[i] = f(x[i], y, z);
            }
        }
    }
}

/// `1 / x`, rounded, as the factor of a product.
#[inline(always)]
fn reciprocal(value: f32) -> f32 {
    flush(1.0 / flush(value))
}

/// `out = x * y + z`, or `x * (1 / y) + z`, with the signs of the form.
pub(super) fn multiply_add(
    form: MultiplyAdd,
    divides: bool,
    clean: bool,
    out: &mut [f32],
    [x, y, z]: [Operand<'_, f32>; 3],
) {
    let mut space = [0.0f32; CHUNK];
    if divides {
        // A reciprocal is never subnormal after it was rounded as a factor, but the other operands may be.
        match y {
            Operand::All(y) => return multiply_add(form, false, false, out, [x, Operand::All(reciprocal(y)), z]),
            Operand::Each(y) => {
                let space = &mut space[..y.len()];
                reciprocals(space, y);
                return multiply_add(form, false, false, out, [x, Operand::Each(space), z]);
            }
        }
    }
    // The order of factors does not matter.
    match (x, y) {
        (Operand::Each(x), y) => multiply_add_apart(form, clean, out, x, y, z),
        (x, Operand::Each(y)) => multiply_add_apart(form, clean, out, y, x, z),
        (Operand::All(x), y) => {
            let space = &mut space[..out.len()];
            space.fill(flush(x));
            multiply_add_apart(form, clean, out, space, y, z);
        }
    }
}

/// `out = x * (1 / y)`.
pub(super) fn by_reciprocal(out: &mut [f32], x: Operand<'_, f32>, y: Operand<'_, f32>) {
    by_reciprocal_apart(out, x, y);
}

/// `out = x` without subnormal numbers.
pub(super) fn flushed(out: &mut [f32], x: Operand<'_, f32>) {
    flushed_apart(out, x);
}

/// `out = compare(x, y)`.
pub(super) fn compare<T: Compute>(op: CompareOp, out: &mut [bool], x: Operand<'_, T>, y: Operand<'_, T>) {
    comparison(op, out, x, y);
}

/// `out = yes` where the condition holds, else `no`.
pub(super) fn select<T: Lane>(out: &mut [T], which: Operand<'_, bool>, no: Operand<'_, T>, yes: Operand<'_, T>) {
    match which {
        Operand::All(which) => copy(out, if which { yes } else { no }),
        Operand::Each(which) => choice(out, which, no, yes),
    }
}

/// Whether a number is finite.
pub(super) fn is_finite<T: Copy>(out: &mut [bool], x: Operand<'_, T>, finite: impl Fn(T) -> bool) {
    match x {
        Operand::Each(x) => out.iter_mut().zip(x).for_each(|(out, &x)| *out = finite(x)),
        Operand::All(x) => out.fill(finite(x)),
    }
}
