//! Interval hooks: bounds of integer results from bounds of operands. They compute without a width: whoever asks
//! gives up on a result that leaves the range of the op's dtype, where the real value wraps around.

use crate::attribute::Attributes;
use crate::interval::{Interval, gcd};
use pallas_tensor::Array;

fn at(operands: &[Interval], index: usize) -> Interval {
    operands.get(index).copied().unwrap_or(Interval::ANY)
}

/// Bounds in hand with a stride in hand; the stride is dropped where the ends do not lie on it.
fn make(lower: i64, upper: i64, stride: i64) -> Interval {
    if lower == upper {
        return Interval::exactly(lower);
    }
    let stride = stride.abs().max(1);
    let upper = if stride > 1 && lower != i64::MIN && upper != i64::MAX {
        // The largest member, so that the bound is reached.
        let span = i128::from(upper) - i128::from(lower);
        upper - (span % i128::from(stride)) as i64
    } else {
        upper
    };
    if lower == upper {
        return Interval::exactly(lower);
    }
    Interval { lower, upper, stride: if lower == i64::MIN || upper == i64::MAX { 1 } else { stride } }
}

/// The smallest interval with these ends, open where they leave `i64`.
fn from_wide(lower: i128, upper: i128, stride: i64) -> Interval {
    match (i64::try_from(lower), i64::try_from(upper)) {
        (Ok(lower), Ok(upper)) => make(lower, upper, stride),
        _ => Interval::ANY,
    }
}

fn corners(left: Interval, right: Interval, f: impl Fn(i128, i128) -> i128) -> (i128, i128) {
    let values = [
        f(left.lower.into(), right.lower.into()),
        f(left.lower.into(), right.upper.into()),
        f(left.upper.into(), right.lower.into()),
        f(left.upper.into(), right.upper.into()),
    ];
    values.iter().fold((values[0], values[0]), |(lower, upper), &value| (lower.min(value), upper.max(value)))
}

pub(super) fn add(_: &Attributes, operands: &[Interval]) -> Interval {
    let (x, y) = (at(operands, 0), at(operands, 1));
    if !x.is_bounded() || !y.is_bounded() {
        return Interval::ANY;
    }
    from_wide(
        i128::from(x.lower) + i128::from(y.lower),
        i128::from(x.upper) + i128::from(y.upper),
        gcd(x.stride, y.stride),
    )
}

pub(super) fn neg(_: &Attributes, operands: &[Interval]) -> Interval {
    let x = at(operands, 0);
    if !x.is_bounded() {
        return Interval::ANY;
    }
    from_wide(-i128::from(x.upper), -i128::from(x.lower), x.stride)
}

pub(super) fn sub(attributes: &Attributes, operands: &[Interval]) -> Interval {
    let negated = neg(attributes, &operands[operands.len().min(1)..]);
    add(attributes, &[at(operands, 0), negated])
}

pub(super) fn mul(_: &Attributes, operands: &[Interval]) -> Interval {
    let (x, y) = (at(operands, 0), at(operands, 1));
    if x == Interval::exactly(0) || y == Interval::exactly(0) {
        return Interval::exactly(0);
    }
    if !x.is_bounded() || !y.is_bounded() {
        return Interval::ANY;
    }
    let (lower, upper) = corners(x, y, |a, b| a.saturating_mul(b));
    let stride = match (x.value(), y.value()) {
        (Some(factor), _) => factor.checked_mul(y.stride).unwrap_or(1),
        (_, Some(factor)) => factor.checked_mul(x.stride).unwrap_or(1),
        // (a + i*s)(b + j*t) = ab + ajt + bis + ijst
        _ => [x.lower.checked_mul(y.stride), y.lower.checked_mul(x.stride), x.stride.checked_mul(y.stride)]
            .into_iter()
            .try_fold(0, |stride, term| Some(gcd(stride, term?)))
            .unwrap_or(1),
    };
    from_wide(lower, upper, stride)
}

/// Truncated division, as in XLA. Division by a range that holds 0 is not bounded (XLA gives -1).
pub(super) fn div(_: &Attributes, operands: &[Interval]) -> Interval {
    let (x, y) = (at(operands, 0), at(operands, 1));
    if !x.is_bounded() || !y.is_bounded() || (y.lower <= 0 && y.upper >= 0) {
        return Interval::ANY;
    }
    let (lower, upper) = corners(x, y, |a, b| a / b);
    let stride = match y.value() {
        // Exact division of every member keeps the stride.
        Some(divisor) if x.lower % divisor == 0 && x.stride % divisor == 0 => x.stride / divisor,
        _ => 1,
    };
    from_wide(lower, upper, stride)
}

/// Remainder with the sign of the dividend, as in XLA.
pub(super) fn rem(_: &Attributes, operands: &[Interval]) -> Interval {
    let (x, y) = (at(operands, 0), at(operands, 1));
    if !y.is_bounded() || (y.lower <= 0 && y.upper >= 0) {
        return Interval::ANY;
    }
    let largest = i128::from(y.lower).abs().max(i128::from(y.upper).abs()) - 1;
    let smallest_divisor = i128::from(y.lower).abs().min(i128::from(y.upper).abs());
    if i128::from(x.lower) > -smallest_divisor && i128::from(x.upper) < smallest_divisor {
        return x;
    }
    if let Some(divisor) = y.value()
        && x.is_bounded()
        && x.stride % divisor == 0
        && (x.lower >= 0 || x.upper <= 0)
    {
        return Interval::exactly(x.lower % divisor);
    }
    let lower = if x.lower >= 0 { 0 } else { (-largest).max(x.lower.into()) };
    let upper = if x.upper <= 0 { 0 } else { largest.min(x.upper.into()) };
    from_wide(lower, upper, 1)
}

pub(super) fn max(_: &Attributes, operands: &[Interval]) -> Interval {
    let (x, y) = (at(operands, 0), at(operands, 1));
    if x.lower >= y.upper {
        return x;
    }
    if y.lower >= x.upper {
        return y;
    }
    bounds_only(x.lower.max(y.lower), x.upper.max(y.upper))
}

pub(super) fn min(_: &Attributes, operands: &[Interval]) -> Interval {
    let (x, y) = (at(operands, 0), at(operands, 1));
    if x.upper <= y.lower {
        return x;
    }
    if y.upper <= x.lower {
        return y;
    }
    bounds_only(x.lower.min(y.lower), x.upper.min(y.upper))
}

/// `x & mask` for non-negative operands: at most the smaller.
pub(super) fn and(_: &Attributes, operands: &[Interval]) -> Interval {
    let (x, y) = (at(operands, 0), at(operands, 1));
    if let (Some(a), Some(b)) = (x.value(), y.value()) {
        return Interval::exactly(a & b);
    }
    match (x.lower >= 0, y.lower >= 0) {
        (true, true) => bounds_only(0, x.upper.min(y.upper)),
        (true, false) => bounds_only(0, x.upper),
        (false, true) => bounds_only(0, y.upper),
        (false, false) => Interval::ANY,
    }
}

pub(super) fn shift_left(attributes: &Attributes, operands: &[Interval]) -> Interval {
    match at(operands, 1).value() {
        Some(amount @ 0..=62) => mul(attributes, &[at(operands, 0), Interval::exactly(1 << amount)]),
        _ => Interval::ANY,
    }
}

/// Both right shifts: they agree on non-negative values, and the arithmetic one rounds down.
pub(super) fn shift_right(_: &Attributes, operands: &[Interval]) -> Interval {
    let x = at(operands, 0);
    match at(operands, 1).value() {
        Some(amount @ 0..=62) if x.lower >= 0 => bounds_only(x.lower >> amount, x.upper >> amount),
        _ => Interval::ANY,
    }
}

pub(super) fn shift_right_arithmetic(_: &Attributes, operands: &[Interval]) -> Interval {
    let x = at(operands, 0);
    match at(operands, 1).value() {
        Some(amount @ 0..=62) if x.is_bounded() => bounds_only(x.lower >> amount, x.upper >> amount),
        _ => Interval::ANY,
    }
}

/// `select_n(which, cases...)`: any case that `which` can choose.
pub(super) fn select_n(_: &Attributes, operands: &[Interval]) -> Interval {
    let Some((which, cases)) = operands.split_first() else {
        return Interval::ANY;
    };
    let last = cases.len() as i64 - 1;
    let chosen = cases.iter().enumerate().filter(|(index, _)| {
        let index = *index as i64;
        // Out-of-range selectors are clamped.
        (which.lower.min(last) <= index || index == 0)
            && which.lower.clamp(0, last.max(0)) <= index
            && index <= which.upper.clamp(0, last.max(0))
    });
    chosen.map(|(_, &case)| case).reduce(union).unwrap_or(Interval::ANY)
}

/// `clamp(low, x, high)`.
pub(super) fn clamp(attributes: &Attributes, operands: &[Interval]) -> Interval {
    let raised = max(attributes, &[at(operands, 1), at(operands, 0)]);
    min(attributes, &[raised, at(operands, 2)])
}

/// Ops that only move elements of their first operand, or cast integers to integers.
pub(super) fn same(_: &Attributes, operands: &[Interval]) -> Interval {
    at(operands, 0)
}

/// Ops that mix elements of all their operands: concatenate, pad.
pub(super) fn any_of(_: &Attributes, operands: &[Interval]) -> Interval {
    operands.iter().copied().reduce(union).unwrap_or(Interval::ANY)
}

pub(super) fn iota(attributes: &Attributes, _: &[Interval]) -> Interval {
    let length = attributes
        .int("axis")
        .and_then(|axis| usize::try_from(axis).ok())
        .and_then(|axis| attributes.ints("shape")?.get(axis).copied());
    match length {
        Some(length) if length > 0 => Interval::range(0, length - 1),
        _ => Interval::exactly(0),
    }
}

pub(super) fn device(attributes: &Attributes, _: &[Interval]) -> Interval {
    match attributes.int("size") {
        Some(size) if size > 0 => Interval::range(0, size - 1),
        _ => Interval::ANY,
    }
}

/// The bounds of a constant's elements, with the stride that they share.
pub(super) fn constant(attributes: &Attributes, _: &[Interval]) -> Interval {
    attributes.array("value").map_or(Interval::ANY, of_array)
}

/// Bounds of an integer (or boolean) array; [`Interval::ANY`] for floats, empty and very large ones.
pub(crate) fn of_array(array: &Array) -> Interval {
    /// Beyond this the scan costs more than the bounds are worth.
    const LIMIT: usize = 1 << 16;
    if array.dtype().is_float() || array.size() > LIMIT {
        return Interval::ANY;
    }
    array
        .iter_scalars()
        .map(|scalar| match scalar.as_int().and_then(|v| i64::try_from(v).ok()) {
            Some(value) => Interval::exactly(value),
            None => Interval::ANY,
        })
        .reduce(union)
        .unwrap_or(Interval::ANY)
}

fn union(left: Interval, right: Interval) -> Interval {
    if left.is_bounded() && right.is_bounded() {
        left.union(right)
    } else {
        bounds_only(left.lower.min(right.lower), left.upper.max(right.upper))
    }
}

fn bounds_only(lower: i64, upper: i64) -> Interval {
    Interval::range(lower, upper)
}

pub(super) fn square(_: &Attributes, operands: &[Interval]) -> Interval {
    let x = at(operands, 0);
    if !x.is_bounded() {
        return Interval::ANY;
    }
    let (low, high) = (i128::from(x.lower), i128::from(x.upper));
    let largest = (low * low).max(high * high);
    let smallest = if low <= 0 && high >= 0 { 0 } else { (low * low).min(high * high) };
    from_wide(smallest, largest, 1)
}
