//! The functions of `math` over several numbers: exact sums, products, distances.

use crate::interp::Interp;
use crate::library::support::{number, unknown, variadic};
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::BinaryOp;

use super::floats::{frexp, ldexp};

pub(super) fn prod(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [iterable, start] = args.take();
    let mut result = start;
    let iterator = interp.iter(&iterable)?;
    while let Some(value) = interp.next(&iterator)? {
        result = interp.binary(BinaryOp::Mult, &result, &value)?;
    }
    Ok(result)
}

/// Shewchuk's algorithm, as in CPython: partial sums that do not overlap, rounded once at the end.
pub(super) fn fsum(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if let Some(unknown) = unknown(args.values()) {
        return Ok(unknown);
    }
    let mut partials: Vec<f64> = Vec::new();
    let (mut special, mut infinities) = (0.0, 0.0);
    for value in interp.collect(args.get(0))? {
        if value.is_unknown() {
            return Ok(value);
        }
        let original = number(interp, &value)?;
        let mut x = original;
        let mut kept = 0;
        for index in 0..partials.len() {
            let mut y = partials[index];
            if x.abs() < y.abs() {
                (x, y) = (y, x);
            }
            let high = x + y;
            let low = y - (high - x);
            if low != 0.0 {
                partials[kept] = low;
                kept += 1;
            }
            x = high;
        }
        partials.truncate(kept);
        if x != 0.0 {
            if x.is_finite() {
                partials.push(x);
            } else {
                if original.is_finite() {
                    return Err(interp.overflow_error("intermediate overflow in fsum"));
                }
                if original.is_infinite() {
                    infinities += original;
                }
                special += original;
                partials.clear();
            }
        }
    }
    if special != 0.0 {
        if f64::is_nan(infinities) {
            return Err(interp.value_error("-inf + inf in fsum"));
        }
        return Ok(Value::Float(special));
    }
    Ok(Value::Float(round_partials(&partials)))
}

/// The sum of non-overlapping partials, largest last, rounded half to even.
fn round_partials(partials: &[f64]) -> f64 {
    let Some((&last, rest)) = partials.split_last() else { return 0.0 };
    let mut high = last;
    let mut low = 0.0;
    let mut left = rest.len();
    while left > 0 {
        let x = high;
        left -= 1;
        let y = rest[left];
        high = x + y;
        low = y - (high - x);
        if low != 0.0 {
            break;
        }
    }
    // Half-even rounding across several partials.
    if left > 0 && ((low < 0.0 && rest[left - 1] < 0.0) || (low > 0.0 && rest[left - 1] > 0.0)) {
        let y = low * 2.0;
        let x = high + y;
        if y == x - high {
            high = x;
        }
    }
    high
}

pub(super) fn hypot(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let values = variadic(args.get(0));
    if let Some(unknown) = unknown(values) {
        return Ok(unknown);
    }
    let coordinates: Vec<f64> = values.iter().map(|value| number(interp, value)).collect::<PyResult<_>>()?;
    Ok(Value::Float(norm(coordinates)))
}

pub(super) fn dist(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if let Some(unknown) = unknown(args.values()) {
        return Ok(unknown);
    }
    let (p, q) = (interp.collect(args.get(0))?, interp.collect(args.get(1))?);
    if let Some(unknown) = unknown(&p).or_else(|| unknown(&q)) {
        return Ok(unknown);
    }
    if p.len() != q.len() {
        return Err(interp.value_error("both points must have the same number of dimensions"));
    }
    let mut differences = Vec::with_capacity(p.len());
    for (a, b) in p.iter().zip(&q) {
        differences.push(number(interp, a)? - number(interp, b)?);
    }
    Ok(Value::Float(norm(differences)))
}

/// `vector_norm` of CPython 3.11's mathmodule.c: scaled, summed with compensation, corrected once.
fn norm(mut vector: Vec<f64>) -> f64 {
    const SPLIT: f64 = 134_217_729.0; // 2**27 + 1
    let mut has_nan = false;
    let mut max = 0.0;
    for x in &mut vector {
        *x = x.abs();
        has_nan |= x.is_nan();
        if *x > max {
            max = *x;
        }
    }
    if f64::is_infinite(max) {
        return max;
    }
    if has_nan {
        return f64::NAN;
    }
    if max == 0.0 || vector.len() <= 1 {
        return max;
    }
    let exponent = frexp(max).1;
    let (mut sum, mut fraction1, mut fraction2, mut fraction3) = (1.0, 0.0, 0.0, 0.0);
    let add = |sum: &mut f64, fraction: &mut f64, x: f64| {
        let old = *sum;
        *sum += x;
        *fraction += (old - *sum) + x;
    };
    if exponent < -1023 {
        // The scale 2**-exponent would overflow.
        for x in vector {
            let x = x / max;
            add(&mut sum, &mut fraction1, x * x);
        }
        return max * (sum - 1.0 + fraction1).sqrt();
    }
    let scale = ldexp(1.0, -exponent);
    for x in vector {
        let x = x * scale;
        let t = x * SPLIT;
        let high = t - (t - x);
        let low = x - high;
        add(&mut sum, &mut fraction1, high * high);
        add(&mut sum, &mut fraction2, 2.0 * high * low);
        fraction3 += low * low;
    }
    let h = (sum - 1.0 + (fraction1 + fraction2 + fraction3)).sqrt();
    let t = h * SPLIT;
    let high = t - (t - h);
    let low = h - high;
    add(&mut sum, &mut fraction1, -high * high);
    add(&mut sum, &mut fraction2, -2.0 * high * low);
    add(&mut sum, &mut fraction3, -low * low);
    let x = sum - 1.0 + (fraction1 + fraction2 + fraction3);
    (h + x / (2.0 * h)) / scale
}
