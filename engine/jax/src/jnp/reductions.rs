//! Reductions on tiles: `_reduction` of jax/_src/numpy/reductions.py and what is made of it. Results are never weak, as
//! in JAX. Their table rows are in [`super::reduction_rows`].

use super::arithmetic;
use super::call::constant_like;
use super::compose::{self, with_constant};
use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, OpDef, ops};
use pallas_python::raise::PyResult;
use pallas_tensor::{DType, Kind, Scalar, Shape};

/// A reduction: its op on numbers and on booleans, and how operands are prepared.
pub struct Reduction {
    /// As in messages.
    pub name: &'static str,
    /// Combines numbers.
    pub op: &'static OpDef,
    /// Combines booleans.
    pub bool_op: &'static OpDef,
    /// The elementwise op that combines the result with `initial`.
    pub pair: &'static OpDef,
    /// The same for booleans.
    pub bool_pair: &'static OpDef,
    /// The value that changes nothing.
    pub identity: f64,
    /// Whether empty operands have a result.
    pub has_identity: bool,
    /// What happens to the operand first.
    pub prepare: Prepare,
    /// Whether `bfloat16` and `float16` are computed in `float32` (unless a dtype is asked for).
    pub upcast: bool,
    /// Whether small integers become the default integer.
    pub promote_integers: bool,
}

/// How a reduction's operand is prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prepare {
    /// As it is.
    Nothing,
    /// Booleans become integers.
    Numeric,
    /// Everything becomes a boolean.
    Bool,
}

/// `sum`
pub static SUM: Reduction = Reduction {
    name: "sum",
    op: &ops::REDUCE_SUM,
    bool_op: &ops::REDUCE_OR,
    pair: &ops::ADD,
    bool_pair: &ops::OR,
    identity: 0.0,
    has_identity: true,
    prepare: Prepare::Numeric,
    upcast: true,
    promote_integers: true,
};
/// `prod`
pub static PROD: Reduction = Reduction {
    name: "prod",
    op: &ops::REDUCE_PROD,
    bool_op: &ops::REDUCE_AND,
    pair: &ops::MUL,
    bool_pair: &ops::AND,
    identity: 1.0,
    ..SUM
};
/// `max`
pub static MAX: Reduction = Reduction {
    name: "max",
    op: &ops::REDUCE_MAX,
    bool_op: &ops::REDUCE_MAX,
    pair: &ops::MAX,
    bool_pair: &ops::MAX,
    identity: f64::NEG_INFINITY,
    has_identity: false,
    prepare: Prepare::Nothing,
    upcast: false,
    promote_integers: false,
};
/// `min`
pub static MIN: Reduction = Reduction {
    name: "min",
    op: &ops::REDUCE_MIN,
    bool_op: &ops::REDUCE_MIN,
    pair: &ops::MIN,
    bool_pair: &ops::MIN,
    identity: f64::INFINITY,
    ..MAX
};
/// `all`
pub static ALL: Reduction = Reduction {
    name: "all",
    op: &ops::REDUCE_AND,
    bool_op: &ops::REDUCE_AND,
    pair: &ops::AND,
    bool_pair: &ops::AND,
    identity: 1.0,
    has_identity: true,
    prepare: Prepare::Bool,
    upcast: false,
    promote_integers: false,
};
/// `any`
pub static ANY: Reduction =
    Reduction { name: "any", op: &ops::REDUCE_OR, bool_op: &ops::REDUCE_OR, identity: 0.0, ..ALL };

/// What a call says besides the operand.
#[derive(Clone, Default)]
pub struct Options {
    /// Which axes; `None` for all.
    pub axes: Option<Vec<usize>>,
    /// The dtype of the result.
    pub dtype: Option<DType>,
    /// Whether reduced axes stay with extent 1.
    pub keepdims: bool,
    /// A scalar combined with the result.
    pub initial: Option<Tile>,
    /// Which elements count.
    pub mask: Option<Tile>,
    /// Whether small integers keep their dtype (`promote_integers=False`).
    pub keep_integers: bool,
}

impl Options {
    /// Over some axes, reduced ones kept or not.
    pub fn over(axes: Option<Vec<usize>>, keepdims: bool) -> Options {
        Options { axes, keepdims, ..Options::default() }
    }

    /// The axes of an operand of this rank.
    pub fn axes(&self, rank: usize) -> Vec<usize> {
        self.axes.clone().unwrap_or_else(|| (0..rank).collect())
    }
}

/// The default integer of a small integer's signedness.
fn promoted_integer(cx: &Context<'_>, dtype: DType) -> DType {
    let (signed, unsigned) = if cx.x64() { (DType::I64, DType::U64) } else { (DType::I32, DType::U32) };
    match dtype.kind() {
        Kind::Bool => signed,
        Kind::Unsigned if dtype.bits() < unsigned.bits() => unsigned,
        Kind::Signed if dtype.bits() < signed.bits() => signed,
        _ => dtype,
    }
}

/// `float32` for the 16-bit floats.
fn upcast(dtype: DType) -> DType {
    if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype }
}

/// The scalar that changes nothing, in a dtype: infinities are the ends of the range where there are none.
fn identity(dtype: DType, value: f64) -> Scalar {
    if dtype == DType::Bool {
        return Scalar::Bool(value > 0.0);
    }
    match (value.is_infinite(), dtype.iinfo(), dtype.finfo()) {
        (true, Some(info), _) => Scalar::Int(if value < 0.0 { info.min } else { info.max }),
        (true, None, Some(info)) if dtype.is_small_float() && dtype != DType::F8E5M2 => {
            Scalar::Float(if value < 0.0 { info.min } else { info.max })
        }
        (_, Some(_), _) => Scalar::Int(value as i128),
        _ => Scalar::Float(value),
    }
}

/// Reduces a tile.
///
/// # Errors
/// `ValueError` for empty operands without an identity, and masks that need an initial value.
pub fn reduce(cx: &Context<'_>, reduction: &Reduction, x: &Tile, options: &Options) -> PyResult<Tile> {
    if options.initial.is_none() && !reduction.has_identity && options.mask.is_some() {
        return Err(cx.interp.value_error(format!(
            "reduction operation {} does not have an identity, so to use a where mask one has to specify 'initial'",
            reduction.name
        )));
    }
    let x = match reduction.prepare {
        Prepare::Nothing => x.clone(),
        Prepare::Numeric if cx.rules == Rules::Jax => arithmetic::numeric(cx, x)?,
        Prepare::Numeric => x.clone(),
        Prepare::Bool => compose::as_bool(cx, x)?,
    };
    let axes = options.axes(x.rank());
    if options.initial.is_none() && !reduction.has_identity && axes.iter().any(|&axis| x.shape()[axis] == 0) {
        return Err(cx.interp.value_error(match cx.rules {
            Rules::Jax => format!("zero-size array to reduction operation {} which has no identity", reduction.name),
            Rules::Numpy => {
                format!("zero-size array to reduction operation {}imum which has no identity", reduction.name)
            }
        }));
    }
    let result_dtype = match options.dtype {
        Some(dtype) => dtype,
        None if reduction.promote_integers && !options.keep_integers => promoted_integer(cx, x.dtype()),
        None => x.dtype(),
    };
    let working = if reduction.upcast && options.dtype.is_none() { upcast(result_dtype) } else { result_dtype };
    let mut x = p::convert(cx, &x, working, false)?;
    let boolean = working == DType::Bool;
    if let Some(mask) = &options.mask {
        let neutral = p::scalar(working, identity(working, reduction.identity));
        x = compose::choose(cx, mask, &x, &neutral)?;
    }
    // A mask may have broadcast the operand; axes count from its original shape, as in JAX.
    let op = if boolean { reduction.bool_op } else { reduction.op };
    let mut result = reduce_numbers(cx, op, &x, &axes, identity(working, reduction.identity))?;
    if let Some(initial) = &options.initial {
        if initial.rank() > 0 {
            let message = format!("initial value must be a scalar. Got array of shape {}", initial.shape());
            return Err(cx.interp.value_error(message));
        }
        let initial = p::convert(cx, initial, working, false)?;
        let initial = p::broadcast_to(cx, &initial, result.shape())?;
        let pair = if boolean { reduction.bool_pair } else { reduction.pair };
        result = p::binary(cx, pair, &initial, &result)?;
    }
    if options.keepdims {
        result = p::expand_dims(cx, &result, &axes)?;
    }
    p::convert(cx, &result, result_dtype, false)
}

/// The op over the axes; over an axis without elements every result is the identity.
fn reduce_numbers(cx: &Context<'_>, op: &'static OpDef, x: &Tile, axes: &[usize], neutral: Scalar) -> PyResult<Tile> {
    if axes.is_empty() {
        return Ok(x.clone());
    }
    if axes.iter().any(|&axis| x.shape()[axis] == 0) {
        return p::full(cx, &x.shape().without_axes(axes), x.dtype(), neutral);
    }
    p::reduce(cx, op, x, axes)
}

/// How many elements are reduced, as a float: the number, or a tile where a mask decides.
enum Count {
    Known(f64),
    Counted(Tile),
}

fn count(cx: &Context<'_>, x: &Tile, options: &Options, dtype: DType) -> PyResult<Count> {
    let Some(mask) = &options.mask else {
        let size: usize = options.axes(x.rank()).iter().map(|&axis| x.shape()[axis]).product();
        return Ok(Count::Known(size as f64));
    };
    let mask = p::broadcast_to(cx, mask, x.shape())?;
    let counted = Options { dtype: Some(dtype), mask: None, initial: None, ..options.clone() };
    Ok(Count::Counted(reduce(cx, &SUM, &mask, &counted)?))
}

/// The dtype of means: the default float for integers.
fn inexact_dtype(cx: &Context<'_>, dtype: DType) -> DType {
    if dtype.is_float() { dtype } else { convert::default_float(cx) }
}

/// `mean`
pub fn mean(cx: &Context<'_>, x: &Tile, options: &Options) -> PyResult<Tile> {
    let result_dtype = options.dtype.unwrap_or_else(|| inexact_dtype(cx, x.dtype()));
    let working = if options.dtype.is_none() { upcast(result_dtype) } else { result_dtype };
    let total = reduce(cx, &SUM, x, &Options { dtype: Some(working), ..options.clone() })?;
    let mean = match count(cx, x, options, working)? {
        Count::Known(size) => compose::divide_by(cx, &total, size)?,
        Count::Counted(size) => p::binary(cx, &ops::DIV, &total, &size)?,
    };
    p::convert(cx, &mean, result_dtype, false)
}

/// `var`, with the correction subtracted from the count.
pub fn variance(
    cx: &Context<'_>,
    x: &Tile,
    options: &Options,
    correction: f64,
    given_mean: Option<&Tile>,
) -> PyResult<Tile> {
    let result_dtype = options.dtype.unwrap_or_else(|| inexact_dtype(cx, x.dtype()));
    let working = upcast(result_dtype);
    let x = p::convert(cx, x, working, false)?;
    let center = match given_mean {
        Some(mean) => p::convert(cx, mean, working, false)?,
        None => {
            let options = Options {
                dtype: Some(working),
                keepdims: true,
                mask: options.mask.clone(),
                ..Options::over(options.axes.clone(), true)
            };
            mean(cx, &x, &options)?
        }
    };
    let centered = p::binary(cx, &ops::SUB, &x, &p::broadcast_to(cx, &center, x.shape())?)?;
    let total = if options.mask.is_some() || options.axes(x.rank()).iter().any(|&axis| x.shape()[axis] == 0) {
        let squared = p::unary(cx, &ops::SQUARE, &centered)?;
        reduce(cx, &SUM, &squared, &Options { dtype: Some(working), ..options.clone() })?
    } else {
        let axes = options.axes(x.rank());
        let total = compose::sum_of_squares(cx, &centered, &axes)?;
        if options.keepdims { p::expand_dims(cx, &total, &axes)? } else { total }
    };
    let quotient = match count(cx, &x, options, working)? {
        // The correction is a traced argument in JAX, so this is a true division there.
        Count::Known(size) => {
            let variance = with_constant(cx, &ops::DIV, &total, size - correction)?;
            let defined = size - correction > 0.0;
            let variance = p::convert(cx, &variance, result_dtype, false)?;
            return if defined { Ok(variance) } else { constant_like(cx, &variance, f64::NAN) };
        }
        Count::Counted(size) => with_constant(cx, &ops::SUB, &size, correction)?,
    };
    let variance = p::convert(cx, &p::binary(cx, &ops::DIV, &total, &quotient)?, result_dtype, false)?;
    let defined = with_constant(cx, &ops::GT, &quotient, 0.0)?;
    compose::or_constant(cx, &defined, &variance, f64::NAN)
}

/// `std`
pub fn deviation(
    cx: &Context<'_>,
    x: &Tile,
    options: &Options,
    correction: f64,
    mean: Option<&Tile>,
) -> PyResult<Tile> {
    p::unary(cx, &ops::SQRT, &variance(cx, x, options, correction, mean)?)
}

/// `ptp`: the largest minus the smallest.
pub fn spread(cx: &Context<'_>, x: &Tile, options: &Options) -> PyResult<Tile> {
    p::binary(cx, &ops::SUB, &reduce(cx, &MAX, x, options)?, &reduce(cx, &MIN, x, options)?)
}

/// `count_nonzero`
pub fn count_nonzero(cx: &Context<'_>, x: &Tile, options: &Options) -> PyResult<Tile> {
    let nonzero = compose::as_bool(cx, x)?;
    reduce(cx, &SUM, &nonzero, &Options { dtype: Some(convert::default_int(cx)), ..options.clone() })
}

/// A reduction that takes NaN for the identity; NaN where all elements are, if `nan_if_all`.
pub fn nan_reduce(
    cx: &Context<'_>,
    reduction: &Reduction,
    x: &Tile,
    options: &Options,
    nan_if_all: bool,
) -> PyResult<Tile> {
    if !x.dtype().is_float() {
        return reduce(cx, reduction, x, options);
    }
    let nan = compose::is_nan(cx, x)?;
    let neutral = p::scalar(x.dtype(), identity(x.dtype(), reduction.identity));
    let neutral = p::broadcast_to(cx, &neutral, x.shape())?;
    let out = reduce(cx, reduction, &p::select(cx, &nan, &neutral, x)?, options)?;
    if !nan_if_all {
        return Ok(out);
    }
    let all_nan = reduce(cx, &ALL, &nan, &Options::over(options.axes.clone(), options.keepdims))?;
    let nans = constant_like(cx, &out, f64::NAN)?;
    p::select(cx, &all_nan, &nans, &out)
}

/// `nanmean`
pub fn nan_mean(cx: &Context<'_>, x: &Tile, options: &Options) -> PyResult<Tile> {
    if !x.dtype().is_float() {
        return mean(cx, x, options);
    }
    let dtype = options.dtype.unwrap_or(x.dtype());
    let options = Options { dtype: Some(dtype), ..options.clone() };
    let number = p::unary(cx, &ops::NOT, &compose::is_nan(cx, x)?)?;
    let size = reduce(cx, &SUM, &number, &options)?;
    let total = nan_reduce(cx, &SUM, x, &options, false)?;
    p::binary(cx, &ops::DIV, &total, &size)
}

/// `nanvar`
pub fn nan_variance(cx: &Context<'_>, x: &Tile, options: &Options, correction: f64) -> PyResult<Tile> {
    let result_dtype = options.dtype.unwrap_or_else(|| inexact_dtype(cx, x.dtype()));
    let working = upcast(result_dtype);
    let x = p::convert(cx, x, working, false)?;
    let center = nan_mean(cx, &x, &Options { dtype: Some(working), keepdims: true, ..options.clone() })?;
    let nan = compose::is_nan(cx, &x)?;
    let centered = p::binary(cx, &ops::SUB, &x, &p::broadcast_to(cx, &center, x.shape())?)?;
    let centered = p::select(cx, &nan, &constant_like(cx, &x, 0.0)?, &centered)?;
    let options = Options { dtype: Some(working), ..options.clone() };
    let size = reduce(cx, &SUM, &p::unary(cx, &ops::NOT, &nan)?, &options)?;
    let size = with_constant(cx, &ops::SUB, &size, correction)?;
    let total = reduce(cx, &SUM, &p::unary(cx, &ops::SQUARE, &centered)?, &options)?;
    let quotient = p::binary(cx, &ops::DIV, &total, &size)?;
    let defined = with_constant(cx, &ops::GT, &size, 0.0)?;
    let variance = compose::or_constant(cx, &defined, &quotient, f64::NAN)?;
    p::convert(cx, &variance, result_dtype, false)
}

/// `argmax` or `argmin`; `None` for the flattened operand.
///
/// # Errors
/// `ValueError` for empty operands.
pub fn arg_extreme(cx: &Context<'_>, x: &Tile, largest: bool, axis: Option<usize>, keepdims: bool) -> PyResult<Tile> {
    let rank = x.rank();
    let (flat, position) = match axis {
        Some(axis) => (x.clone(), axis),
        None => (p::reshape(cx, x, &Shape::from([x.shape().size()]))?, 0),
    };
    let name = if largest { "argmax" } else { "argmin" };
    if flat.shape()[position] == 0 {
        return Err(cx.interp.value_error(format!("attempt to get {name} of an empty sequence")));
    }
    let attributes = Attributes::none()
        .with("axis", Attribute::Int(position as i64))
        .with("dtype", Attribute::DType(convert::default_int(cx)));
    let result = cx.bind(if largest { &ops::ARGMAX } else { &ops::ARGMIN }, &[&flat], attributes)?;
    if !keepdims {
        return Ok(result);
    }
    let axes = axis.map_or_else(|| (0..rank).collect(), |axis| vec![axis]);
    p::expand_dims(cx, &result, &axes)
}

/// `nanargmax` or `nanargmin`: -1 where all elements are NaN.
pub fn nan_arg_extreme(
    cx: &Context<'_>,
    x: &Tile,
    largest: bool,
    axis: Option<usize>,
    keepdims: bool,
) -> PyResult<Tile> {
    if !x.dtype().is_float() {
        return arg_extreme(cx, x, largest, axis, keepdims);
    }
    let nan = compose::is_nan(cx, x)?;
    let filler = constant_like(cx, x, if largest { f64::NEG_INFINITY } else { f64::INFINITY })?;
    let position = arg_extreme(cx, &p::select(cx, &nan, &filler, x)?, largest, axis, keepdims)?;
    let all = reduce(cx, &ALL, &nan, &Options::over(axis.map(|axis| vec![axis]), keepdims))?;
    let none = constant_like(cx, &position, -1.0)?;
    p::select(cx, &all, &none, &position)
}

/// `cumsum` and kin: `None` flattens.
pub fn cumulative(
    cx: &Context<'_>,
    op: &'static OpDef,
    x: &Tile,
    axis: Option<i64>,
    dtype: Option<DType>,
    promote: bool,
) -> PyResult<Tile> {
    let x =
        if axis.is_none() || x.rank() == 0 { p::reshape(cx, x, &Shape::from([x.shape().size()]))? } else { x.clone() };
    let axis = convert::normalize_axis(cx, axis.unwrap_or(0), x.rank())?;
    // numpy promotes small integers, JAX booleans only.
    let promote = promote || x.dtype() == DType::Bool || cx.rules == Rules::Numpy;
    let natural = if promote { promoted_integer(cx, x.dtype()) } else { x.dtype() };
    let result_dtype = dtype.unwrap_or(natural);
    let (x, working) = if result_dtype == DType::Bool {
        (compose::as_bool(cx, &x)?, convert::default_int(cx))
    } else {
        (x, result_dtype)
    };
    let x = p::convert(cx, &x, working, false)?;
    let result = cx.bind(op, &[&x], Attributes::none().with("axis", Attribute::Int(axis as i64)))?;
    p::convert(cx, &result, result_dtype, false)
}

/// `logsumexp` without weights (jax/_src/ops/special.py): finite maxima are taken out before `exp`.
pub fn logsumexp(cx: &Context<'_>, x: &Tile, options: &Options) -> PyResult<Tile> {
    let x = super::elementwise::inexact(cx, x)?;
    let axes = options.axes(x.rank());
    let kept = Options { keepdims: true, ..Options::over(Some(axes.clone()), true) };
    let floor = p::scalar(x.dtype(), Scalar::Float(f64::NEG_INFINITY));
    let largest = reduce(cx, &MAX, &x, &Options { mask: options.mask.clone(), initial: Some(floor), ..kept.clone() })?;
    let finite = p::unary(cx, &ops::IS_FINITE, &largest)?;
    let largest = compose::or_constant(cx, &finite, &largest, 0.0)?;
    let largest = crate::transform::custom::stop_gradient(cx, &largest)?;
    let shifted = p::binary(cx, &ops::SUB, &x, &p::broadcast_to(cx, &largest, x.shape())?)?;
    let powers = p::unary(cx, &ops::EXP, &p::convert(cx, &shifted, x.dtype(), false)?)?;
    let total = reduce(cx, &SUM, &powers, &Options { mask: options.mask.clone(), ..kept })?;
    let result = p::binary(cx, &ops::ADD, &p::unary(cx, &ops::LOG, &total)?, &largest)?;
    if options.keepdims { Ok(result) } else { p::squeeze(cx, &result, &axes) }
}
