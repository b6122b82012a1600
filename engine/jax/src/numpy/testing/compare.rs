//! `assert_array_compare`: the comparison behind `numpy.testing`, with numpy's messages
//! (numpy/testing/_private/utils.py, numpy 2.4).

use crate::context::Context;
use crate::jnp::arithmetic;
use crate::jnp::creation::array_from;
use crate::primitive as p;
use crate::text::{PrintState, python_scalar};
use crate::tile::Tile;
use pallas_ir::ops;
use pallas_python::raise::{PyResult, Stop};
use pallas_python::value::Value;
use pallas_syntax::ast::{BinaryOp, CompareOp};
use pallas_tensor::ops::{self as tensor, compare};
use pallas_tensor::print::{PrintOptions, array2string, numpy_repr_with};
use pallas_tensor::{Array, DType, Kind, OpError, Scalar, Shape, deferring};

/// What has to hold for every pair of elements.
#[derive(Clone, Copy)]
pub(super) enum Comparison {
    /// `x == y`
    Equal,
    /// `x < y`
    Less,
    /// `abs(x - y) <= atol + rtol * abs(y)`
    Close {
        /// Relative tolerance.
        rtol: f64,
        /// Absolute tolerance.
        atol: f64,
    },
    /// `abs(x - y) < 1.5 * 10**-decimal`
    Almost {
        /// Decimals that have to agree.
        decimal: i64,
    },
}

/// A comparison with what its message says.
pub(super) struct Check<'a> {
    /// What has to hold.
    pub(super) comparison: Comparison,
    /// First line of the message.
    pub(super) header: String,
    /// The user's message.
    pub(super) message: String,
    /// Whether the arrays are printed.
    pub(super) verbose: bool,
    /// Whether shape and dtype must be the same.
    pub(super) strict: bool,
    /// Whether NaN equals NaN.
    pub(super) equal_nan: bool,
    /// Whether infinities must be in the same places.
    pub(super) equal_inf: bool,
    /// Digits with which the arrays are printed.
    pub(super) precision: usize,
    /// What the two are called.
    pub(super) names: [&'a str; 2],
}

/// The two arrays as they were given, for messages.
struct Pair<'a> {
    x: &'a Array,
    y: &'a Array,
}

impl Check<'_> {
    /// Raises `AssertionError` unless the comparison holds everywhere.
    ///
    /// # Errors
    /// The `AssertionError`; what conversions to arrays raise.
    pub(super) fn run(&self, cx: &Context<'_>, actual: &Value, desired: &Value) -> PyResult<()> {
        let (x, y) = (array_from(cx, actual, None)?, array_from(cx, desired, None)?);
        let (Tile::Concrete { array: x, .. }, Tile::Concrete { array: y, .. }) = (x, y) else { return Ok(()) };
        let pair = Pair { x: &x, y: &y };
        let fits = if self.strict {
            x.shape() == y.shape() && x.dtype() == y.dtype()
        } else {
            x.rank() == 0 || y.rank() == 0 || x.shape() == y.shape()
        };
        if !fits {
            let reason = if x.shape() != y.shape() {
                format!("\n(shapes {}, {} mismatch)", x.shape(), y.shape())
            } else {
                format!("\n(dtypes {}, {} mismatch)", x.dtype().name(), y.dtype().name())
            };
            return Err(self.failure(cx, &pair, &format!("{}{reason}", self.message)));
        }
        let Some(flagged) = self.flagged(cx, &pair)? else { return Ok(()) };
        let whole = if x.rank() == 0 { y.shape() } else { x.shape() }.clone();
        let (left, right) = if any(&flagged) {
            let keep = |array: &Array| filtered(cx, &spread(cx, array, &whole)?, |at| !flagged[at]);
            (keep(&x)?, keep(&y)?)
        } else {
            (x.clone(), y.clone())
        };
        if left.size() == 0 && !flagged.is_empty() {
            return Ok(());
        }
        let valid = self.compare(cx, &left, &right)?;
        let Tile::Concrete { array: valid, .. } = valid else { return Ok(()) };
        let invalid: Vec<bool> = match valid.elements::<bool>() {
            Some(valid) if all(valid) => return Ok(()),
            Some(valid) => valid.iter().map(|valid| !valid).collect(),
            None => valid.iter_scalars().map(|scalar| scalar.as_bool() != Some(true)).collect(),
        };
        if !any(&invalid) {
            return Ok(());
        }
        let mut remarks = self.remarks(cx, &pair, &flagged, &valid, &invalid)?;
        remarks.extend(differences(cx, &left, &right, valid.shape(), &invalid)?);
        Err(self.failure(cx, &pair, &format!("{}\n{}", self.message, remarks.join("\n"))))
    }

    /// Where elements are NaN or infinite in both, which counts as equal: one flag per element, none where nothing is
    /// flagged by position, and `None` where everything is.
    fn flagged(&self, cx: &Context<'_>, pair: &Pair<'_>) -> PyResult<Option<Vec<bool>>> {
        let both_arrays = pair.x.rank() > 0 && pair.y.rank() > 0;
        let mut flagged = vec![false; if both_arrays { pair.x.size() } else { 1 }];
        if self.equal_nan {
            self.same_places(cx, pair, places_of_nan, "nan", &mut flagged)?;
        }
        if self.equal_inf {
            let before = flagged.clone();
            self.same_places(cx, pair, places_of_infinity, "inf", &mut flagged)?;
            let places: Vec<bool> = flagged.iter().zip(&before).map(|(now, before)| *now && !*before).collect();
            self.same_infinities(cx, pair, &places)?;
        }
        if both_arrays {
            Ok(Some(flagged))
        } else if flagged[0] {
            Ok(None)
        } else {
            Ok(Some(Vec::new()))
        }
    }

    fn same_places(
        &self,
        cx: &Context<'_>,
        pair: &Pair<'_>,
        places: impl Fn(&Array) -> Result<Vec<bool>, OpError>,
        what: &str,
        flagged: &mut [bool],
    ) -> PyResult<()> {
        let of = |array: &Array| places(array).map_err(|error| cx.interp.value_error(error.to_string()));
        let (x, y) = (of(pair.x)?, of(pair.y)?);
        let size = x.len().max(y.len());
        // An empty array beside a scalar has no places that could differ.
        let empty = x.is_empty() || y.is_empty();
        let at = |list: &[bool], index: usize| list[if list.len() == 1 { 0 } else { index }];
        // Where neither has any, as usual, nothing is looked at one by one.
        if !any(&x) && !any(&y) {
            return Ok(());
        }
        if !empty && (0..size).any(|index| at(&x, index) != at(&y, index)) {
            return Err(self.failure(cx, pair, &format!("{}\n{what} location mismatch:", self.message)));
        }
        if !empty {
            for (index, flag) in flagged.iter_mut().enumerate() {
                *flag |= at(&x, index);
            }
        }
        Ok(())
    }

    fn same_infinities(&self, cx: &Context<'_>, pair: &Pair<'_>, places: &[bool]) -> PyResult<()> {
        if !any(places) {
            return Ok(());
        }
        let both_arrays = pair.x.rank() > 0 && pair.y.rank() > 0;
        let chosen = |array: &Array| {
            if both_arrays { filtered(cx, array, |at| places[at]) } else { Ok(array.clone()) }
        };
        let (x, y) = (chosen(pair.x)?, chosen(pair.y)?);
        let numbers = |array: &Array| -> Vec<f64> { array.iter_scalars().filter_map(Scalar::as_f64).collect() };
        let (left, right) = (numbers(&x), numbers(&y));
        let size = left.len().max(right.len());
        let at = |list: &[f64], index: usize| list[if list.len() == 1 { 0 } else { index }];
        if (0..size).any(|index| at(&left, index) != at(&right, index)) {
            let pair = Pair { x: &x, y: &y };
            return Err(self.failure(cx, &pair, &format!("{}\ninf values mismatch:", self.message)));
        }
        Ok(())
    }

    /// The comparison, elementwise.
    fn compare(&self, cx: &Context<'_>, x: &Array, y: &Array) -> PyResult<Tile> {
        let (x, y) = (Tile::concrete(x.clone()), Tile::concrete(y.clone()));
        // Small floats have no dtype in common with integers, but compare with them.
        let (x, y) = match small_float(&x, &y) || small_float(&y, &x) {
            true => (p::convert(cx, &x, DType::F64, false)?, p::convert(cx, &y, DType::F64, false)?),
            false => (x, y),
        };
        let less = |op, a: &Tile, b: &Tile| match arithmetic::comparison(cx, op, a, b) {
            Some(result) => result,
            None => Err(cx.interp.runtime_error("not a comparison of arrays")),
        };
        let number = |value: f64| Tile::Concrete { array: Array::scalar(DType::F64, Scalar::Float(value)), weak: true };
        match self.comparison {
            Comparison::Equal => less(CompareOp::Eq, &x, &y),
            Comparison::Less => less(CompareOp::Lt, &x, &y),
            Comparison::Close { rtol, atol } => {
                // As `numpy.isclose`: the second operand is made inexact first.
                let y = inexact(cx, &y)?;
                let difference = arithmetic::absolute(cx, &arithmetic::subtract(cx, &x, &y)?)?;
                let scaled = arithmetic::multiply(cx, &number(rtol), &arithmetic::absolute(cx, &y)?)?;
                let bound = arithmetic::add(cx, &number(atol), &scaled)?;
                let close = less(CompareOp::LtE, &difference, &bound)?;
                let finite = p::unary(cx, &ops::IS_FINITE, &y)?;
                let finite = p::broadcast_to(cx, &finite, close.shape())?;
                let close = p::binary(cx, &ops::AND, &close, &finite)?;
                let equal = less(CompareOp::Eq, &x, &y)?;
                p::binary(cx, &ops::OR, &close, &equal)
            }
            Comparison::Almost { decimal } => {
                let y = inexact(cx, &y)?;
                let difference = arithmetic::absolute(cx, &arithmetic::subtract(cx, &x, &y)?)?;
                less(CompareOp::Lt, &difference, &number(1.5 * 10f64.powi(-decimal as i32)))
            }
        }
    }

    /// How many elements differ, and where.
    fn remarks(
        &self,
        cx: &Context<'_>,
        pair: &Pair<'_>,
        flagged: &[bool],
        valid: &Array,
        invalid: &[bool],
    ) -> PyResult<Vec<String>> {
        let count = invalid.iter().filter(|&&flag| flag).count();
        let size = if flagged.is_empty() { invalid.len() } else { flagged.len() };
        let percent = cx.interp.format(&Value::Float(100.0 * count as f64 / size as f64), ".3g")?;
        let mut remarks = vec![format!("Mismatched elements: {count} / {size} ({percent}%)")];
        if valid.rank() == 0 {
            return Ok(remarks);
        }
        let whole = if pair.x.rank() == 0 { pair.y.shape() } else { pair.x.shape() };
        let kept: Vec<usize> =
            if flagged.is_empty() { (0..size).collect() } else { (0..size).filter(|&at| !flagged[at]).collect() };
        let places: Vec<usize> =
            kept.into_iter().zip(invalid).filter(|(_, invalid)| **invalid).map(|(at, _)| at).collect();
        let strides = whole.strides();
        let element = |array: &Array, at: usize| -> PyResult<String> {
            let scalar = array.get(if array.rank() == 0 { 0 } else { at });
            cx.interp.format(&scalar.map_or(Value::None, python_scalar), "")
        };
        let mut lines = Vec::new();
        for &at in places.iter().take(5) {
            let position: Vec<String> =
                (0..whole.rank()).map(|axis| (at / strides[axis] % whole[axis]).to_string()).collect();
            lines.push(format!(
                " [{}]: {} ({}), {} ({})",
                position.join(", "),
                element(pair.x, at)?,
                self.names[0],
                element(pair.y, at)?,
                self.names[1]
            ));
        }
        let title = match places.len() {
            1 => "Mismatch at index:",
            0..=5 => "Mismatch at indices:",
            _ => "First 5 mismatches are at indices:",
        };
        remarks.push(format!("{title}\n{}", lines.join("\n")));
        Ok(remarks)
    }

    fn failure(&self, cx: &Context<'_>, pair: &Pair<'_>, message: &str) -> Box<Stop> {
        let options =
            PrintOptions { precision: self.precision, ..cx.interp.extension::<PrintState>().options.borrow().clone() };
        let texts = [numpy_repr_with(pair.x, &options), numpy_repr_with(pair.y, &options)];
        cx.interp.assertion_error(error_text(&self.header, message, self.verbose, self.names, texts))
    }
}

/// `build_err_msg`: header, message, and the two sides, long ones cut after three lines.
pub(super) fn error_text(header: &str, message: &str, verbose: bool, names: [&str; 2], texts: [String; 2]) -> String {
    let mut lines = vec![format!("\n{header}")];
    if !message.is_empty() {
        if !message.contains('\n') && message.chars().count() + header.chars().count() < 79 {
            lines[0] = format!("{} {message}", lines[0]);
        } else {
            lines.push(message.to_string());
        }
    }
    if verbose {
        for (name, text) in names.iter().zip(texts) {
            let text = if text.matches('\n').count() > 3 {
                let first: Vec<&str> = text.lines().take(3).collect();
                format!("{}...", first.join("\n"))
            } else {
                text
            };
            lines.push(format!(" {name}: {text}"));
        }
    }
    lines.join("\n")
}

/// `result_type(y, 1.0)`: floats stay, others become float64.
fn inexact(cx: &Context<'_>, y: &Tile) -> PyResult<Tile> {
    if y.dtype().is_float() { Ok(y.clone()) } else { p::convert(cx, y, DType::F64, false) }
}

/// Whether one is of a float that numpy itself does not have, and the other of integers.
fn small_float(x: &Tile, y: &Tile) -> bool {
    let known_to_numpy = matches!(x.dtype(), DType::F16 | DType::F32 | DType::F64);
    x.dtype().is_float() && !known_to_numpy && y.dtype().is_integer()
}

/// Which elements are NaN.
fn places_of_nan(array: &Array) -> Result<Vec<bool>, OpError> {
    if !array.dtype().is_float() {
        return Ok(vec![false; array.size()]);
    }
    flags(deferring(|| compare(tensor::CompareOp::Ne, array, array))?)
}

/// Which elements are infinite.
fn places_of_infinity(array: &Array) -> Result<Vec<bool>, OpError> {
    if !array.dtype().is_float() {
        return Ok(vec![false; array.size()]);
    }
    let infinity = Array::scalar(array.dtype(), Scalar::Float(f64::INFINITY));
    if infinity.item().and_then(Scalar::as_f64) != Some(f64::INFINITY) {
        // Small floats that have none.
        return Ok(vec![false; array.size()]);
    }
    flags(deferring(|| {
        let absolute = tensor::unary(tensor::UnaryOp::Abs, array.clone())?;
        let infinity = tensor::broadcast_in_dim(&infinity, absolute.shape().clone(), &[])?;
        compare(tensor::CompareOp::Eq, &absolute, &infinity)
    })?)
}

/// Whether one of many flags is set. A search that may end at each looks at one after the other; a group is looked at together.
fn any(flags: &[bool]) -> bool {
    flags.chunks(64).any(|group| group.iter().fold(false, |any, &flag| any | flag))
}

/// Whether all of many flags are set.
fn all(flags: &[bool]) -> bool {
    flags.chunks(64).all(|group| group.iter().fold(true, |all, &flag| all & flag))
}

fn flags(array: Array) -> Result<Vec<bool>, OpError> {
    Ok(array.into_elements().unwrap_or_default())
}

/// The elements at positions that pass a test, in one dimension.
fn filtered(cx: &Context<'_>, array: &Array, keep: impl Fn(usize) -> bool) -> PyResult<Array> {
    let scalars: Vec<Scalar> =
        array.iter_scalars().enumerate().filter(|(at, _)| keep(*at)).map(|(_, scalar)| scalar).collect();
    Array::from_scalars(array.dtype(), [scalars.len()], &scalars)
        .map_err(|error| cx.interp.value_error(error.to_string()))
}

fn spread(cx: &Context<'_>, array: &Array, shape: &Shape) -> PyResult<Array> {
    let dims: Vec<usize> = (shape.rank() - array.rank()..shape.rank()).collect();
    pallas_tensor::ops::broadcast_in_dim(array, shape.clone(), &dims)
        .map_err(|error| cx.interp.value_error(error.to_string()))
}

/// The largest absolute and relative difference among the elements that differ; nothing for dtypes that do not
/// subtract.
fn differences(cx: &Context<'_>, x: &Array, y: &Array, shape: &Shape, invalid: &[bool]) -> PyResult<Vec<String>> {
    let (left, right) = (Tile::concrete(x.clone()), Tile::concrete(y.clone()));
    if x.dtype() == DType::Bool && y.dtype() == DType::Bool {
        return Ok(Vec::new());
    }
    let mut error = arithmetic::absolute(cx, &arithmetic::subtract(cx, &left, &right)?)?;
    if x.dtype().kind() == Kind::Unsigned {
        let other = arithmetic::absolute(cx, &arithmetic::subtract(cx, &right, &left)?)?;
        error = p::binary(cx, &ops::MIN, &error, &other)?;
    }
    let error = p::broadcast_to(cx, &error, shape)?;
    let Tile::Concrete { array: error, .. } = error else { return Ok(Vec::new()) };
    let largest = largest(cx, &filtered(cx, &error, |at| invalid[at])?)?;
    let divisor = spread(cx, y, shape)?;
    let divides = |at: usize| invalid[at] && divisor.get(at).and_then(Scalar::as_bool) == Some(true);
    let relative = if (0..invalid.len()).any(divides) {
        let error = Tile::concrete(filtered(cx, &error, divides)?);
        let divisor = arithmetic::absolute(cx, &Tile::concrete(filtered(cx, &divisor, divides)?))?;
        let quotient = arithmetic::operator(cx, BinaryOp::Div, &error, &divisor)?;
        match quotient {
            Tile::Concrete { array, .. } => self::largest(cx, &array)?,
            _ => return Ok(Vec::new()),
        }
    } else {
        Array::scalar(DType::F64, Scalar::Float(f64::INFINITY))
    };
    let options = cx.interp.extension::<PrintState>().options.borrow().clone();
    let text = |array: &Array| array2string(array, &options, " ", "", "");
    Ok(vec![
        format!("Max absolute difference among violations: {}", text(&largest)),
        format!("Max relative difference among violations: {}", text(&relative)),
    ])
}

/// The largest element; NaN if there is one.
fn largest(cx: &Context<'_>, array: &Array) -> PyResult<Array> {
    let tile = p::reduce(cx, &ops::REDUCE_MAX, &Tile::concrete(array.clone()), &[0])?;
    match tile {
        Tile::Concrete { array, .. } => Ok(array),
        _ => Err(cx.interp.runtime_error("the largest difference is not known")),
    }
}
