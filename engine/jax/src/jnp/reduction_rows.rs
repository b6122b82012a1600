//! Table rows of the reductions in [`super::reductions`] and of order statistics in [`super::statistics`].

use super::call::{self, functions, given, operand, result, results};
use super::compose;
use super::reductions::{self as r, Options, Reduction};
use super::statistics;
use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::{OpDef, ops};
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar};

functions! { JAX_ROWS NUMPY_ROWS
    "sum" "(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None, promote_integers=True)" "Sum over axes." |cx, args| summing(cx, args, &r::SUM, false);
    "prod" "(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None, promote_integers=True)" "Product over axes." |cx, args| summing(cx, args, &r::PROD, false);
    "nansum" "(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None)" "Sum over axes, NaN as 0." |cx, args| summing(cx, args, &r::SUM, true);
    "nanprod" "(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None)" "Product over axes, NaN as 1." |cx, args| summing(cx, args, &r::PROD, true);
    "max" "(a, axis=None, out=None, keepdims=False, initial=None, where=None)" "Largest element over axes." |cx, args| extreme(cx, args, &r::MAX, false);
    "min" "(a, axis=None, out=None, keepdims=False, initial=None, where=None)" "Smallest element over axes." |cx, args| extreme(cx, args, &r::MIN, false);
    "amax" "(a, axis=None, out=None, keepdims=False, initial=None, where=None)" "Largest element over axes." |cx, args| extreme(cx, args, &r::MAX, false);
    "amin" "(a, axis=None, out=None, keepdims=False, initial=None, where=None)" "Smallest element over axes." |cx, args| extreme(cx, args, &r::MIN, false);
    "nanmax" "(a, axis=None, out=None, keepdims=False, initial=None, where=None)" "Largest element over axes, NaN left out." |cx, args| extreme(cx, args, &r::MAX, true);
    "nanmin" "(a, axis=None, out=None, keepdims=False, initial=None, where=None)" "Smallest element over axes, NaN left out." |cx, args| extreme(cx, args, &r::MIN, true);
    "all" "(a, axis=None, out=None, keepdims=False, *, where=None)" "Whether all elements over axes are true." |cx, args| logical(cx, args, &r::ALL);
    "any" "(a, axis=None, out=None, keepdims=False, *, where=None)" "Whether any element over axes is true." |cx, args| logical(cx, args, &r::ANY);
    "mean" "(a, axis=None, dtype=None, out=None, keepdims=False, *, where=None)" "Mean over axes." mean;
    "nanmean" "(a, axis=None, dtype=None, out=None, keepdims=False, *, where=None)" "Mean over axes, NaN left out." nanmean;
    "var" "(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, mean=None, correction=None)" "Variance over axes." |cx, args| variance(cx, args, false);
    "std" "(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, mean=None, correction=None)" "Standard deviation over axes." |cx, args| variance(cx, args, true);
    "nanvar" "(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, mean=None)" "Variance over axes, NaN left out." |cx, args| nan_variance(cx, args, false);
    "nanstd" "(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, mean=None)" "Standard deviation over axes, NaN left out." |cx, args| nan_variance(cx, args, true);
    "average" "(a, axis=None, weights=None, returned=False, keepdims=False)" "Weighted mean over axes." average;
    "ptp" "(a, axis=None, out=None, keepdims=False)" "Largest minus smallest over axes." ptp;
    "count_nonzero" "(a, axis=None, keepdims=False)" "Number of nonzero elements over axes." count_nonzero;
    "argmax" "(a, axis=None, out=None, keepdims=None)" "Position of the largest element along an axis." |cx, args| position(cx, args, true, false);
    "argmin" "(a, axis=None, out=None, keepdims=None)" "Position of the smallest element along an axis." |cx, args| position(cx, args, false, false);
    "nanargmax" "(a, axis=None, out=None, keepdims=None)" "Position of the largest element, NaN left out." |cx, args| position(cx, args, true, true);
    "nanargmin" "(a, axis=None, out=None, keepdims=None)" "Position of the smallest element, NaN left out." |cx, args| position(cx, args, false, true);
    "cumsum" "(a, axis=None, dtype=None, out=None)" "Running sum along an axis." |cx, args| cumulative(cx, args, "cumsum", &ops::CUMSUM, None);
    "cumprod" "(a, axis=None, dtype=None, out=None)" "Running product along an axis." |cx, args| cumulative(cx, args, "cumprod", &ops::CUMPROD, None);
    "nancumsum" "(a, axis=None, dtype=None, out=None)" "Running sum along an axis, NaN as 0." |cx, args| cumulative(cx, args, "nancumsum", &ops::CUMSUM, Some(0.0));
    "nancumprod" "(a, axis=None, dtype=None, out=None)" "Running product along an axis, NaN as 1." |cx, args| cumulative(cx, args, "nancumprod", &ops::CUMPROD, Some(1.0));
    "cumulative_sum" "(x, /, *, axis=None, dtype=None, include_initial=False)" "Running sum along an axis." |cx, args| cumulative_with_initial(cx, args, "cumulative_sum", &ops::CUMSUM, 0);
    "cumulative_prod" "(x, /, *, axis=None, dtype=None, include_initial=False)" "Running product along an axis." |cx, args| cumulative_with_initial(cx, args, "cumulative_prod", &ops::CUMPROD, 1);
    "median" "(a, axis=None, out=None, overwrite_input=False, keepdims=False)" "Middle value over axes." |cx, args| median(cx, args, false);
    "nanmedian" "(a, axis=None, out=None, overwrite_input=False, keepdims=False)" "Middle value over axes, NaN left out." |cx, args| median(cx, args, true);
    "quantile" "(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False, *, weights=None)" "Quantiles over axes." |cx, args| quantile(cx, args, "quantile", false, false);
    "percentile" "(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False, *, weights=None)" "Percentiles over axes." |cx, args| quantile(cx, args, "percentile", true, false);
    "nanquantile" "(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False, *, weights=None)" "Quantiles over axes, NaN left out." |cx, args| quantile(cx, args, "nanquantile", false, true);
    "nanpercentile" "(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False, *, weights=None)" "Percentiles over axes, NaN left out." |cx, args| quantile(cx, args, "nanpercentile", true, true);
}

/// The `axis` argument: an int, a tuple, or all.
pub(super) fn axes(cx: &Context<'_>, value: &Value, rank: usize) -> PyResult<Option<Vec<usize>>> {
    given(value).map(|value| convert::axes(cx, value, rank)).transpose()
}

/// The `where` argument, which must be boolean.
fn mask(cx: &Context<'_>, value: &Value, name: &str) -> PyResult<Option<Tile>> {
    let Some(value) = given(value) else { return Ok(None) };
    if matches!((cx.rules, value), (Rules::Numpy, Value::Bool(true))) {
        return Ok(None);
    }
    let tile = operand(cx, value, name)?;
    if tile.dtype() == DType::Bool {
        return Ok(Some(tile));
    }
    let shown = cx.interp.repr(&crate::dtype::value(tile.dtype()))?;
    Err(cx.interp.value_error(format!("jnp.{name}: where must be None or a boolean array; got where.dtype={shown}.")))
}

/// `out=`: refused by JAX, written to under numpy's rules.
fn finish(cx: &Context<'_>, tile: Tile, out: &Value, name: &str) -> PyResult<Value> {
    let Some(out) = given(out) else { return result(cx, tile) };
    if cx.rules == Rules::Jax {
        call::refuse_out(cx, out, name)?;
    }
    cx.interp.set_item(out, &Value::Ellipsis, convert::value(cx, tile))?;
    Ok(out.clone())
}

fn optional_scalar(cx: &Context<'_>, value: &Value, name: &str) -> PyResult<Option<Tile>> {
    given(value).map(|value| operand(cx, value, name)).transpose()
}

fn summing(cx: &Context<'_>, args: Arguments, reduction: &Reduction, skip_nan: bool) -> PyResult<Value> {
    let name = reduction.name;
    let [x, axis, dtype, out, keepdims, initial, where_, promote] = args.take();
    let x = operand(cx, &x, name)?;
    let options = Options {
        axes: axes(cx, &axis, x.rank())?,
        dtype: call::dtype(cx, &dtype)?,
        keepdims: call::flag(cx, &keepdims)?,
        initial: optional_scalar(cx, &initial, name)?,
        mask: mask(cx, &where_, name)?,
        keep_integers: matches!(promote, Value::Bool(false)),
    };
    let tile = if skip_nan {
        r::nan_reduce(cx, reduction, &x, &options, false)?
    } else {
        r::reduce(cx, reduction, &x, &options)?
    };
    finish(cx, tile, &out, name)
}

fn extreme(cx: &Context<'_>, args: Arguments, reduction: &Reduction, skip_nan: bool) -> PyResult<Value> {
    let name = reduction.name;
    let [x, axis, out, keepdims, initial, where_] = args.take();
    let x = operand(cx, &x, name)?;
    let options = Options {
        axes: axes(cx, &axis, x.rank())?,
        keepdims: call::flag(cx, &keepdims)?,
        initial: optional_scalar(cx, &initial, name)?,
        mask: mask(cx, &where_, name)?,
        ..Options::default()
    };
    let tile = if skip_nan {
        r::nan_reduce(cx, reduction, &x, &options, options.initial.is_none())?
    } else {
        r::reduce(cx, reduction, &x, &options)?
    };
    finish(cx, tile, &out, name)
}

fn logical(cx: &Context<'_>, args: Arguments, reduction: &Reduction) -> PyResult<Value> {
    let [x, axis, out, keepdims, where_] = args.take();
    let x = operand(cx, &x, reduction.name)?;
    let options = Options {
        axes: axes(cx, &axis, x.rank())?,
        keepdims: call::flag(cx, &keepdims)?,
        mask: mask(cx, &where_, reduction.name)?,
        ..Options::default()
    };
    let tile = r::reduce(cx, reduction, &x, &options)?;
    finish(cx, tile, &out, reduction.name)
}

fn mean_options(cx: &Context<'_>, args: [&Value; 4], rank: usize, name: &str) -> PyResult<Options> {
    let [axis, dtype, keepdims, where_] = args;
    Ok(Options {
        axes: axes(cx, axis, rank)?,
        dtype: call::dtype(cx, dtype)?,
        keepdims: call::flag(cx, keepdims)?,
        mask: mask(cx, where_, name)?,
        ..Options::default()
    })
}

fn mean(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, axis, dtype, out, keepdims, where_] = args.take();
    let x = operand(cx, &x, "mean")?;
    let options = mean_options(cx, [&axis, &dtype, &keepdims, &where_], x.rank(), "mean")?;
    finish(cx, r::mean(cx, &x, &options)?, &out, "mean")
}

fn nanmean(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, axis, dtype, out, keepdims, where_] = args.take();
    let x = operand(cx, &x, "nanmean")?;
    let options = mean_options(cx, [&axis, &dtype, &keepdims, &where_], x.rank(), "nanmean")?;
    finish(cx, r::nan_mean(cx, &x, &options)?, &out, "nanmean")
}

fn variance(cx: &Context<'_>, args: Arguments, root: bool) -> PyResult<Value> {
    let name = if root { "std" } else { "var" };
    let [x, axis, dtype, out, ddof, keepdims, where_, mean, correction] = args.take();
    let x = operand(cx, &x, name)?;
    let options = mean_options(cx, [&axis, &dtype, &keepdims, &where_], x.rank(), name)?;
    let ddof = given(&ddof).map_or(Ok(0.0), |ddof| cx.interp.to_f64(ddof))?;
    let correction = match given(&correction) {
        Some(_) if ddof != 0.0 => {
            return Err(cx.interp.value_error("ddof and correction can't be provided simultaneously."));
        }
        Some(correction) => cx.interp.to_f64(correction)?,
        None => ddof,
    };
    let mean = optional_scalar(cx, &mean, name)?;
    let tile = if root {
        r::deviation(cx, &x, &options, correction, mean.as_ref())?
    } else {
        r::variance(cx, &x, &options, correction, mean.as_ref())?
    };
    finish(cx, tile, &out, name)
}

fn nan_variance(cx: &Context<'_>, args: Arguments, root: bool) -> PyResult<Value> {
    let [x, axis, dtype, out, ddof, keepdims, where_, _mean] = args.take();
    let x = operand(cx, &x, "nanvar")?;
    let options = mean_options(cx, [&axis, &dtype, &keepdims, &where_], x.rank(), "nanvar")?;
    let ddof = given(&ddof).map_or(Ok(0.0), |ddof| cx.interp.to_f64(ddof))?;
    let tile = r::nan_variance(cx, &x, &options, ddof)?;
    let tile = if root { p::unary(cx, &ops::SQRT, &tile)? } else { tile };
    finish(cx, tile, &out, "nanvar")
}

fn average(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, axis, weights, returned, keepdims] = args.take();
    let x = operand(cx, &x, "average")?;
    let over = axes(cx, &axis, x.rank())?;
    let options = Options::over(over.clone(), call::flag(cx, &keepdims)?);
    let Some(weights) = given(&weights) else {
        let x = super::elementwise::inexact(cx, &x)?;
        let mean = r::mean(cx, &x, &options)?;
        let size: usize = options.axes(x.rank()).iter().map(|&axis| x.shape()[axis]).product();
        if call::flag(cx, &returned)? {
            let size = call::constant_like(cx, &mean, size as f64)?;
            return results(cx, [mean, size]);
        }
        return result(cx, mean);
    };
    let weights = call::operand_at(cx, weights, "average", 1)?;
    let operands = super::elementwise::inexact_operands(cx, &[&x, &weights])?;
    let (x, mut weights) = (operands[0].clone(), operands[1].clone());
    if x.shape() != weights.shape() {
        let Some(over) = &over else {
            return Err(cx.interp.value_error("Axis must be specified when shapes of a and weights differ."));
        };
        let expected: Vec<usize> = over.iter().map(|&axis| x.shape()[axis]).collect();
        if weights.shape().to_vec() != expected {
            let message = "Shape of weights must be consistent with shape of a along specified axis.";
            return Err(cx.interp.value_error(message));
        }
        weights = p::broadcast_in_dim(cx, &weights, x.shape(), over)?;
    }
    let total = r::reduce(cx, &r::SUM, &weights, &options)?;
    let product = p::binary(cx, &ops::MUL, &x, &weights)?;
    let sum = r::reduce(cx, &r::SUM, &product, &options)?;
    let mean = p::binary(cx, &ops::DIV, &sum, &total)?;
    if call::flag(cx, &returned)? { results(cx, [mean, total]) } else { result(cx, mean) }
}

fn ptp(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, axis, out, keepdims] = args.take();
    let x = operand(cx, &x, "ptp")?;
    let options = Options::over(axes(cx, &axis, x.rank())?, call::flag(cx, &keepdims)?);
    finish(cx, r::spread(cx, &x, &options)?, &out, "ptp")
}

fn count_nonzero(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, axis, keepdims] = args.take();
    let x = operand(cx, &x, "count_nonzero")?;
    let options = Options::over(axes(cx, &axis, x.rank())?, call::flag(cx, &keepdims)?);
    result(cx, r::count_nonzero(cx, &x, &options)?)
}

fn position(cx: &Context<'_>, args: Arguments, largest: bool, skip_nan: bool) -> PyResult<Value> {
    let name = if largest { "argmax" } else { "argmin" };
    let [x, axis, out, keepdims] = args.take();
    let x = operand(cx, &x, name)?;
    let axis = given(&axis).map(|axis| convert::axis(cx, axis, x.rank())).transpose()?;
    let keepdims = call::flag(cx, &keepdims)?;
    let tile = if skip_nan {
        r::nan_arg_extreme(cx, &x, largest, axis, keepdims)?
    } else {
        r::arg_extreme(cx, &x, largest, axis, keepdims)?
    };
    finish(cx, tile, &out, name)
}

fn cumulative(cx: &Context<'_>, args: Arguments, name: &str, op: &'static OpDef, nan: Option<f64>) -> PyResult<Value> {
    let [x, axis, dtype, out] = args.take();
    let mut x = operand(cx, &x, name)?;
    if let Some(fill) = nan
        && x.dtype().is_float()
    {
        let fill = call::constant_like(cx, &x, fill)?;
        x = p::select(cx, &compose::is_nan(cx, &x)?, &fill, &x)?;
    }
    let axis = given(&axis).map(|axis| cx.interp.to_i64(axis)).transpose()?;
    let tile = r::cumulative(cx, op, &x, axis, call::dtype(cx, &dtype)?, false)?;
    finish(cx, tile, &out, name)
}

fn cumulative_with_initial(
    cx: &Context<'_>,
    args: Arguments,
    name: &str,
    op: &'static OpDef,
    initial: i128,
) -> PyResult<Value> {
    let [x, axis, dtype, include_initial] = args.take();
    let x = operand(cx, &x, name)?;
    let what = if initial == 0 { "sum" } else { "product" };
    if x.rank() == 0 {
        return Err(cx.interp.value_error(format!(
            "The input must be non-scalar to take a cumulative {what}, however a scalar value or scalar array was given."
        )));
    }
    let axis = match given(&axis) {
        Some(axis) => convert::axis(cx, axis, x.rank())?,
        None if x.rank() == 1 => 0,
        None => {
            return Err(cx.interp.value_error(format!(
                "The input array has rank {}, however axis was not set to an explicit value. The axis argument is only \
                 optional for one-dimensional arrays.",
                x.rank()
            )));
        }
    };
    let out = r::cumulative(cx, op, &x, Some(axis as i64), call::dtype(cx, &dtype)?, initial == 0)?;
    if !call::flag(cx, &include_initial)? {
        return result(cx, out);
    }
    let mut shape = out.shape().clone();
    shape[axis] = 1;
    let first = p::full(cx, &shape, out.dtype(), Scalar::Int(initial))?;
    result(cx, p::concatenate(cx, &[&first, &out], axis)?)
}

fn median(cx: &Context<'_>, args: Arguments, skip_nan: bool) -> PyResult<Value> {
    let [x, axis, out, _overwrite, keepdims] = args.take();
    let x = operand(cx, &x, "median")?;
    let axes = axes(cx, &axis, x.rank())?;
    let half = p::scalar(convert::default_float(cx), Scalar::Float(0.5));
    let tile = statistics::quantile(cx, &x, &half, axes, "midpoint", call::flag(cx, &keepdims)?, skip_nan)?;
    finish(cx, tile, &out, "median")
}

fn quantile(cx: &Context<'_>, args: Arguments, name: &str, percent: bool, skip_nan: bool) -> PyResult<Value> {
    let [x, q, axis, out, _overwrite, method, keepdims, weights] = args.take();
    if given(&weights).is_some() {
        return Err(cx.interp.not_implemented_error(format!("the weights of {name} are not supported here")));
    }
    let x = operand(cx, &x, name)?;
    let q = call::operand_at(cx, &q, name, 1)?;
    let q = super::elementwise::inexact(cx, &q)?;
    let q = if percent { compose::divide_by(cx, &q, 100.0)? } else { q };
    let axes = axes(cx, &axis, x.rank())?;
    let method = cx.interp.to_str(&method)?;
    let tile = statistics::quantile(cx, &x, &q, axes, &method, call::flag(cx, &keepdims)?, skip_nan)?;
    finish(cx, tile, &out, name)
}
