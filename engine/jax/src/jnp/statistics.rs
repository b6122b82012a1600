//! Order statistics and counts: quantiles, histograms, `bincount`, `digitize`, covariances. Follows
//! jax/_src/numpy/reductions.py (`_quantile`) and lax_numpy.py.

use super::arithmetic;
use super::call::{self, functions, given, operand, result, results};
use super::compose::{self, with_constant};
use super::elementwise;
use super::ranges;
use super::reductions::{self as r, Options};
use super::searching;
use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::ops;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar, Shape};

functions! { JAX_ROWS NUMPY_ROWS
    "bincount" "(x, weights=None, minlength=0, *, length=None, out_sharding=None)" "How often each integer occurs." bincount;
    "histogram" "(a, bins=10, range=None, weights=None, density=None)" "Counts of values in bins, and the edges of the bins." histogram;
    "histogram_bin_edges" "(a, bins=10, range=None, weights=None)" "The edges of a histogram's bins." histogram_bin_edges;
    "digitize" "(x, bins, right=False, *, method=None)" "The bin that each value belongs to." digitize;
    "interp" "(x, xp, fp, left=None, right=None, period=None)" "Piecewise linear interpolation." interp;
    "cov" "(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None)" "Covariance matrix." cov;
    "corrcoef" "(x, y=None, rowvar=True)" "Matrix of correlation coefficients." corrcoef;
}

/// Quantiles over axes (all, if `None`).
///
/// # Errors
/// `ValueError` for methods that do not exist and for matrices of quantiles.
pub fn quantile(
    cx: &Context<'_>,
    x: &Tile,
    q: &Tile,
    axes: Option<Vec<usize>>,
    method: &str,
    keepdims: bool,
    skip_nan: bool,
) -> PyResult<Tile> {
    if !["linear", "lower", "higher", "midpoint", "nearest"].contains(&method) {
        return Err(cx
            .interp
            .value_error("method can only be 'linear', 'lower', 'higher', 'midpoint', 'nearest' or 'inverted_cdf'"));
    }
    if q.rank() > 1 {
        return Err(cx.interp.value_error(format!("q must be have rank <= 1, got shape {}", q.shape())));
    }
    let x = elementwise::inexact(cx, x)?;
    let q = elementwise::inexact(cx, q)?;
    let axes = axes.unwrap_or_else(|| (0..x.rank()).collect());
    // The reduced axes go to the end and become one.
    let kept: Vec<usize> = (0..x.rank()).filter(|axis| !axes.contains(axis)).collect();
    let order: Vec<usize> = kept.iter().chain(&axes).copied().collect();
    let kept_shape: Vec<usize> = kept.iter().map(|&axis| x.shape()[axis]).collect();
    let count: usize = axes.iter().map(|&axis| x.shape()[axis]).product();
    let shape: Shape = kept_shape.iter().copied().chain([count]).collect();
    let flat = p::reshape(cx, &p::transpose(cx, &x, &order)?, &shape)?;
    let axis = kept.len();
    let nan = compose::is_nan(cx, &flat)?;
    let flat = if skip_nan {
        flat
    } else {
        let any = r::reduce(cx, &r::ANY, &nan, &Options::over(Some(vec![axis]), true))?;
        let any = p::broadcast_to(cx, &any, &shape)?;
        let nans = call::constant_like(cx, &flat, f64::NAN)?;
        p::select(cx, &any, &nans, &flat)?
    };
    let sorted = compose::sort(cx, &[&flat], axis, 1)?.remove(0);
    // One quantile after the other; each has its own position (one per row where NaN is left out).
    let rows = Shape::from(kept_shape.as_slice());
    let last = if skip_nan {
        let numbers = p::unary(cx, &ops::NOT, &nan)?;
        let options = Options { dtype: Some(q.dtype()), ..Options::over(Some(vec![axis]), false) };
        let numbers = r::reduce(cx, &r::SUM, &numbers, &options)?;
        with_constant(cx, &ops::SUB, &numbers, 1.0)?
    } else {
        p::full(cx, &rows, q.dtype(), Scalar::Float(count as f64 - 1.0))?
    };
    let mut values = Vec::new();
    let quantiles = if q.rank() == 0 { 1 } else { q.shape()[0] };
    for index in 0..quantiles {
        let q = if q.rank() == 0 { q.clone() } else { compose::take_axis(cx, &q, 0, index)? };
        let q = p::broadcast_to(cx, &q, &rows)?;
        values.push(one_quantile(cx, &sorted, axis, &q, &last, method)?);
    }
    let mut kept_dims: Vec<usize> = x.shape().to_vec();
    axes.iter().for_each(|&axis| kept_dims[axis] = 1);
    let target = if keepdims { Shape::from(kept_dims.as_slice()) } else { rows };
    let values = values.iter().map(|value| p::reshape(cx, value, &target)).collect::<PyResult<Vec<_>>>()?;
    if q.rank() == 0 {
        return Ok(values[0].clone());
    }
    super::joining::stack_tiles(cx, &values, 0)
}

/// The value at `q * last` along the sorted axis, between two elements as the method says.
fn one_quantile(cx: &Context<'_>, sorted: &Tile, axis: usize, q: &Tile, last: &Tile, method: &str) -> PyResult<Tile> {
    let position = p::binary(cx, &ops::MUL, q, last)?;
    let (low, high) = (p::unary(cx, &ops::FLOOR, &position)?, p::unary(cx, &ops::CEIL, &position)?);
    let high_weight = p::binary(cx, &ops::SUB, &position, &low)?;
    let one = call::constant_like(cx, &high_weight, 1.0)?;
    let low_weight = p::binary(cx, &ops::SUB, &one, &high_weight)?;
    let zero = call::constant_like(cx, &low, 0.0)?;
    let at = |place: &Tile| -> PyResult<Tile> {
        let place = cx.bind(&ops::CLAMP, &[&zero, place, last], Default::default())?;
        let place = p::convert(cx, &place, DType::I32, false)?;
        searching::pick_last(cx, sorted, axis, &place)
    };
    let (below, above) = (at(&low)?, at(&high)?);
    match method {
        "lower" => Ok(below),
        "higher" => Ok(above),
        "midpoint" => with_constant(cx, &ops::MUL, &p::binary(cx, &ops::ADD, &below, &above)?, 0.5),
        "nearest" => {
            let first = with_constant(cx, &ops::LE, &high_weight, 0.5)?;
            p::select(cx, &first, &below, &above)
        }
        _ => {
            let lower = p::binary(cx, &ops::MUL, &p::convert(cx, &below, q.dtype(), false)?, &low_weight)?;
            compose::multiply_add(cx, &p::convert(cx, &above, q.dtype(), false)?, &high_weight, &lower)
        }
    }
}

fn bincount(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, weights, minlength, length, _] = args.take();
    let x = operand(cx, &x, "bincount")?;
    let x = if x.dtype() == DType::Bool { p::convert(cx, &x, DType::I32, false)? } else { x };
    if !x.dtype().is_integer() {
        let message = format!("x argument to bincount must have an integer type; got {}", x.dtype().name());
        return Err(cx.interp.type_error(message));
    }
    if x.rank() != 1 {
        return Err(cx.interp.value_error("only 1-dimensional input supported."));
    }
    let least = call::integer(cx, &minlength, 0)?;
    let length = match given(&length) {
        Some(length) => call::integer(cx, length, 0)?,
        None => {
            let what = "The error occurred because of argument 'x' of jnp.bincount. To avoid this error, pass a static \
                        `length` argument.";
            let Some(array) = call::concrete(cx, &x, what)? else { return Ok(call::data_dependent(cx, "bincount")) };
            let largest = array.iter_scalars().filter_map(Scalar::as_int).max().unwrap_or(-1).max(-1);
            least.max(i64::try_from(largest + 1).unwrap_or(i64::MAX))
        }
    };
    let length = usize::try_from(length).unwrap_or(0);
    let weights = match given(&weights) {
        Some(weights) => call::operand_at(cx, weights, "bincount", 1)?,
        None => p::full(cx, x.shape(), convert::default_int(cx), Scalar::Int(1))?,
    };
    if weights.shape() != x.shape() {
        return Err(cx.interp.value_error("shape of weights must match shape of x."));
    }
    let tile = counted(cx, &x, &weights, length)?;
    result(cx, tile)
}

/// The sum of weights per position; positions below zero count as zero, those past the end are dropped.
fn counted(cx: &Context<'_>, x: &Tile, weights: &Tile, length: usize) -> PyResult<Tile> {
    let zeros = p::full(cx, &Shape::from([length]), weights.dtype(), Scalar::Int(0))?;
    let x = p::binary(cx, &ops::MAX, x, &call::constant_like(cx, x, 0.0)?)?;
    compose::scatter(cx, &zeros, weights, &[0], &[&x], "add")
}

/// The edges of the bins, as floats.
fn edges(cx: &Context<'_>, x: &Tile, bins: &Value, range: &Value) -> PyResult<Tile> {
    let dtype = if x.dtype().is_float() { x.dtype() } else { convert::default_float(cx) };
    if let Value::Str(_) = bins {
        return Err(cx.interp.not_implemented_error("string values for `bins` not implemented."));
    }
    let bins = match bins {
        Value::List(_) | Value::Tuple(_) => super::creation::array_from(cx, bins, None)?,
        bins => call::operand_at(cx, bins, "histogram_bin_edges", 1)?,
    };
    if bins.rank() == 1 {
        return p::convert(cx, &bins, dtype, false);
    }
    let what = "bins argument of histogram_bin_edges";
    let Some(count) = call::concrete(cx, &bins, what)?.and_then(|b| b.item()).and_then(Scalar::as_int) else {
        return Err(cx.interp.value_error("the number of bins must be known"));
    };
    let (low, high) = match given(range) {
        Some(range) => {
            let ends = cx.interp.collect(range)?;
            let [low, high] = ends.as_slice() else {
                return Err(cx.interp.value_error("`range` must be either None or a sequence of scalars"));
            };
            (operand(cx, low, "histogram")?, operand(cx, high, "histogram")?)
        }
        None => (r::reduce(cx, &r::MIN, x, &Options::default())?, r::reduce(cx, &r::MAX, x, &Options::default())?),
    };
    let (low, high) = (p::convert(cx, &low, dtype, false)?, p::convert(cx, &high, dtype, false)?);
    let same = p::binary(cx, &ops::EQ, &p::binary(cx, &ops::SUB, &high, &low)?, &p::scalar_like(&low, 0.0))?;
    let low = p::select(cx, &same, &with_constant(cx, &ops::SUB, &low, 0.5)?, &low)?;
    let high = p::select(cx, &same, &with_constant(cx, &ops::ADD, &high, 0.5)?, &high)?;
    let count = usize::try_from(count).unwrap_or(0);
    ranges::linspace_of(cx, &low, &high, count + 1, dtype)
}

fn histogram_bin_edges(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, bins, range, _weights] = args.take();
    let x = operand(cx, &x, "histogram_bin_edges")?;
    let tile = edges(cx, &x, &bins, &range)?;
    result(cx, tile)
}

fn histogram(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, bins, range, weights, density] = args.take();
    let x = operand(cx, &x, "histogram")?;
    let x = if cx.rules == Rules::Jax { elementwise::inexact(cx, &x)? } else { x };
    let weights = match given(&weights) {
        Some(weights) => {
            let weights = operand(cx, weights, "histogram")?;
            if weights.shape() != x.shape() {
                return Err(cx.interp.value_error("weights should have the same shape as a."));
            }
            elementwise::inexact(cx, &weights)?
        }
        None if cx.rules == Rules::Jax => call::constant_like(cx, &x, 1.0)?,
        None => p::full(cx, x.shape(), DType::I64, Scalar::Int(1))?,
    };
    let edges = edges(cx, &x, &bins, &range)?;
    let x = p::convert(cx, &x, edges.dtype(), false)?;
    let flat = |tile: &Tile| p::reshape(cx, tile, &Shape::from([tile.shape().size()]));
    let (values, weights) = (flat(&x)?, flat(&weights)?);
    let count = edges.shape()[0];
    let bin = searching::search(cx, &edges, &values, false)?;
    // The last bin includes its right edge.
    let last_edge = compose::take_axis(cx, &edges, 0, count.saturating_sub(1))?;
    let at_end = p::binary(cx, &ops::EQ, &values, &p::broadcast_to(cx, &last_edge, values.shape())?)?;
    let last = call::constant_like(cx, &bin, count as f64 - 1.0)?;
    let bin = p::select(cx, &at_end, &last, &bin)?;
    let counts = counted(cx, &bin, &p::convert(cx, &weights, weights.dtype(), false)?, count)?;
    let mut counts = compose::slice_axis(cx, &counts, 0, 1, count)?;
    if call::flag(cx, &density)? {
        let widths = p::binary(
            cx,
            &ops::SUB,
            &compose::slice_axis(cx, &edges, 0, 1, count)?,
            &compose::slice_axis(cx, &edges, 0, 0, count - 1)?,
        )?;
        let total = r::reduce(cx, &r::SUM, &counts, &Options::default())?;
        counts = arithmetic::true_divide(cx, &arithmetic::true_divide(cx, &counts, &widths)?, &total)?;
    }
    results(cx, [counts, edges])
}

fn digitize(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, bins, right, _method] = args.take();
    let x = operand(cx, &x, "digitize")?;
    let bins = call::operand_at(cx, &bins, "digitize", 1)?;
    let right = call::flag(cx, &right)?;
    if bins.rank() != 1 {
        return Err(cx.interp.value_error("digitize: bins must be a 1-dimensional array"));
    }
    let count = bins.shape()[0];
    if count == 0 {
        return result(cx, p::full(cx, x.shape(), DType::I32, Scalar::Int(0))?);
    }
    let first = compose::take_axis(cx, &bins, 0, 0)?;
    let last = compose::take_axis(cx, &bins, 0, count - 1)?;
    let rising = p::binary(cx, &ops::GE, &last, &first)?;
    let up = searching::search(cx, &bins, &x, right)?;
    let down = searching::search(cx, &compose::reverse(cx, &bins, &[0])?, &x, right)?;
    let total = call::constant_like(cx, &down, count as f64)?;
    let tile = compose::choose(cx, &rising, &up, &p::binary(cx, &ops::SUB, &total, &down)?)?;
    result(cx, tile)
}

fn interp(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, xp, fp, left, right, period] = args.take();
    let (x, xp) = (operand(cx, &x, "interp")?, call::operand_at(cx, &xp, "interp", 1)?);
    let fp = call::operand_at(cx, &fp, "interp", 2)?;
    if xp.shape() != fp.shape() || xp.rank() != 1 || xp.shape()[0] == 0 {
        return Err(cx.interp.value_error("xp and fp must be one-dimensional arrays of equal size"));
    }
    if given(&period).is_some() {
        return Err(cx.interp.not_implemented_error("the period of interp is not supported here"));
    }
    let operands = elementwise::inexact_operands(cx, &[&x, &xp])?;
    let (x, xp) = (operands[0].clone(), operands[1].clone());
    let fp = elementwise::inexact(cx, &fp)?;
    let count = xp.shape()[0];
    let upper = searching::search(cx, &xp, &x, false)?;
    let limits = (call::constant_like(cx, &upper, 1.0)?, call::constant_like(cx, &upper, count as f64 - 1.0)?);
    let upper = p::binary(cx, &ops::MIN, &p::binary(cx, &ops::MAX, &limits.0, &upper)?, &limits.1)?;
    let lower = with_constant(cx, &ops::SUB, &upper, 1.0)?;
    let at = |tile: &Tile, index: &Tile| compose::gather(cx, tile, &[0], &[index], "clip");
    let (f0, x0) = (at(&fp, &lower)?, at(&xp, &lower)?);
    let df = p::binary(cx, &ops::SUB, &at(&fp, &upper)?, &f0)?;
    let dx = p::binary(cx, &ops::SUB, &at(&xp, &upper)?, &x0)?;
    let delta = p::binary(cx, &ops::SUB, &x, &x0)?;
    let degenerate = with_constant(cx, &ops::EQ, &dx, 0.0)?;
    let safe = p::select(cx, &degenerate, &call::constant_like(cx, &dx, 1.0)?, &dx)?;
    let ratio = p::binary(cx, &ops::DIV, &delta, &safe)?;
    let operands = convert::promote_dtypes(cx, &[&ratio, &df, &f0])?;
    let slope = compose::multiply_add(cx, &operands[0], &operands[1], &operands[2])?;
    let mut value = p::select(cx, &degenerate, &operands[2], &slope)?;
    for (side, end, op) in [(&left, 0, &ops::LT), (&right, count - 1, &ops::GT)] {
        if matches!(side, Value::Str(text) if &**text == "extrapolate") {
            continue;
        }
        let limit = p::broadcast_to(cx, &compose::take_axis(cx, &xp, 0, end)?, x.shape())?;
        let outside = p::binary(cx, op, &x, &limit)?;
        let edge = match given(side) {
            Some(edge) => operand(cx, edge, "interp")?,
            None => compose::take_axis(cx, &fp, 0, end)?,
        };
        value = compose::choose(cx, &outside, &edge, &value)?;
    }
    result(cx, value)
}

/// Rows as variables: promoted to floats, two-dimensional.
fn variables(cx: &Context<'_>, m: &Value, y: &Value, rowvar: &Value) -> PyResult<Tile> {
    let rows = |value: &Value| -> PyResult<Tile> {
        let tile = elementwise::inexact(cx, &operand(cx, value, "cov")?)?;
        let tile = if tile.rank() < 2 { p::reshape(cx, &tile, &Shape::from([1, tile.shape().size()]))? } else { tile };
        let by_rows = rowvar.is_unset() || call::flag(cx, rowvar)?;
        if by_rows || tile.shape()[0] == 1 { Ok(tile) } else { p::transpose(cx, &tile, &[1, 0]) }
    };
    let x = rows(m)?;
    match given(y) {
        Some(y) => {
            let operands = convert::promote_dtypes(cx, &[&x, &rows(y)?])?;
            p::concatenate(cx, &[&operands[0], &operands[1]], 0)
        }
        None => Ok(x),
    }
}

fn covariance(cx: &Context<'_>, x: &Tile, correction: f64) -> PyResult<Tile> {
    let mean = r::mean(cx, x, &Options::over(Some(vec![1]), true))?;
    let centered = p::binary(cx, &ops::SUB, x, &p::broadcast_to(cx, &mean, x.shape())?)?;
    let product = p::dot_general(cx, &centered, &centered, (&[1], &[1]), (&[], &[]), x.dtype())?;
    let product = with_constant(cx, &ops::DIV, &product, x.shape()[1] as f64 - correction)?;
    if product.shape().size() == 1 { p::reshape(cx, &product, &Shape::scalar()) } else { Ok(product) }
}

fn cov(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [m, y, rowvar, bias, ddof, fweights, aweights] = args.take();
    if given(&fweights).is_some() || given(&aweights).is_some() {
        return Err(cx.interp.not_implemented_error("the weights of cov are not supported here"));
    }
    let x = variables(cx, &m, &y, &rowvar)?;
    let default = if call::flag(cx, &bias)? { 0 } else { 1 };
    let tile = covariance(cx, &x, call::integer(cx, &ddof, default)? as f64)?;
    result(cx, tile)
}

fn corrcoef(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, y, rowvar] = args.take();
    let x = variables(cx, &x, &y, &rowvar)?;
    let matrix = covariance(cx, &x, 1.0)?;
    if matrix.rank() == 0 {
        return result(cx, p::binary(cx, &ops::DIV, &matrix, &matrix)?);
    }
    let deviations = p::unary(cx, &ops::SQRT, &super::diagonals::diagonal_of(cx, &matrix, 0, 0, 1)?)?;
    let by_row = p::broadcast_to(cx, &p::expand_dims(cx, &deviations, &[1])?, matrix.shape())?;
    let by_column = p::broadcast_to(cx, &p::expand_dims(cx, &deviations, &[0])?, matrix.shape())?;
    let matrix = p::binary(cx, &ops::DIV, &p::binary(cx, &ops::DIV, &matrix, &by_row)?, &by_column)?;
    let (low, high) = (p::scalar_like(&matrix, -1.0), p::scalar_like(&matrix, 1.0));
    let tile = elementwise::clip(cx, &matrix, Some(&low), Some(&high))?;
    result(cx, tile)
}
