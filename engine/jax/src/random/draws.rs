//! Distributions, staged as one function each, as JAX jits them.

use super::keys;
use crate::context::Context;
use crate::convert;
use crate::dtype;
use crate::jnp::{arithmetic, creation};
use crate::lax::control;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{Array, DType, Scalar, Shape};

/// Rows of the module.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef { name: "bits", signature: "(key, shape=(), dtype=None)", doc: "Uniform random bits.", run: bits },
    NativeDef {
        name: "uniform",
        signature: "(key, shape=(), dtype=None, minval=0.0, maxval=1.0)",
        doc: "Uniform floats in [minval, maxval).",
        run: uniform,
    },
    NativeDef { name: "normal", signature: "(key, shape=(), dtype=None)", doc: "Standard normal floats.", run: normal },
    NativeDef {
        name: "randint",
        signature: "(key, shape, minval, maxval, dtype=None)",
        doc: "Uniform integers in [minval, maxval).",
        run: randint,
    },
    NativeDef {
        name: "bernoulli",
        signature: "(key, p=0.5, shape=None, mode='low')",
        doc: "Booleans that are true with probability `p`.",
        run: bernoulli,
    },
    NativeDef {
        name: "permutation",
        signature: "(key, x, axis=0, independent=False)",
        doc: "A random permutation of a range or of an array.",
        run: permutation,
    },
    NativeDef {
        name: "choice",
        signature: "(key, a, shape=(), replace=True, p=None, axis=0)",
        doc: "Random elements of a range or an array, with equal probability.",
        run: choice,
    },
    NativeDef {
        name: "truncated_normal",
        signature: "(key, lower, upper, shape=None, dtype=None)",
        doc: "Normal floats restricted to [lower, upper].",
        run: truncated_normal,
    },
    NativeDef {
        name: "exponential",
        signature: "(key, shape=(), dtype=None)",
        doc: "Floats with the exponential distribution of rate 1.",
        run: exponential,
    },
    NativeDef {
        name: "gumbel",
        signature: "(key, shape=(), dtype=None, mode=None)",
        doc: "Floats with the standard Gumbel distribution.",
        run: gumbel,
    },
    NativeDef {
        name: "categorical",
        signature: "(key, logits, axis=-1, shape=None)",
        doc: "Indices drawn with probabilities given by logits.",
        run: categorical,
    },
];

fn random_bits(cx: &Context<'_>, key: &Tile, width: i64, shape: &Shape) -> PyResult<Tile> {
    let shape = Attribute::Ints(shape.iter().map(|&d| d as i64).collect());
    cx.bind(&ops::RANDOM_BITS, &[key], Attributes::none().with("bit_width", Attribute::Int(width)).with("shape", shape))
}

/// Runs a distribution as one function, so that products and sums fuse as they do in JAX's jitted ones.
fn jitted(cx: &Context<'_>, name: &str, key: &Tile, build: impl FnOnce(&Tile) -> PyResult<Tile>) -> PyResult<Value> {
    let results = control::staged(cx, name, |_| Ok(vec![build(key)?]))?;
    match results.into_iter().next() {
        Some(tile) => Ok(convert::value(cx, tile)),
        None => Err(cx.interp.runtime_error(format!("{name} has no result"))),
    }
}

fn float_dtype(cx: &Context<'_>, given: &Value, function: &str) -> PyResult<DType> {
    let dtype = dtype::optional(cx, given)?.unwrap_or_else(|| convert::default_float(cx));
    if !dtype.is_float() {
        let given = dtype.name();
        return Err(cx
            .interp
            .value_error(format!("dtype argument to `{function}` must be a float dtype, got {given}")));
    }
    Ok(dtype)
}

fn unsigned(width: i64) -> DType {
    match width {
        8 => DType::U8,
        16 => DType::U16,
        64 => DType::U64,
        _ => DType::U32,
    }
}

fn bits(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [key, shape, dtype] = args.take();
    let cx = Context::jax(interp);
    let key = keys::single(&cx, &key, "bits")?;
    let shape = convert::shape(&cx, &shape)?;
    let dtype = dtype::optional(&cx, &dtype)?.unwrap_or(DType::U32);
    if dtype.is_signed() || !dtype.is_integer() {
        return Err(
            interp.value_error(format!("dtype argument to `bits` must be an unsigned int dtype, got {}", dtype.name()))
        );
    }
    Ok(convert::value(&cx, random_bits(&cx, &key, i64::from(dtype.bits()), &shape)?))
}

/// A uniform float between two scalars (or broadcast tiles) of `dtype`: `_uniform`.
fn uniform_tile(cx: &Context<'_>, key: &Tile, shape: &Shape, dtype: DType, low: &Tile, high: &Tile) -> PyResult<Tile> {
    let info = dtype.finfo().filter(|info| matches!(info.bits, 8 | 16 | 32 | 64));
    let Some(info) = info else {
        let name = dtype.name();
        return Err(cx.interp.type_error(format!("uniform only accepts 8-, 16-, 32-, or 64-bit dtypesgot {name}.")));
    };
    let (width, mantissa) = (i64::from(info.bits), i64::from(info.nmant));
    let drawn = if mantissa < 8 { 8 } else { width };
    let target = unsigned(width);
    let bits = p::convert(cx, &random_bits(cx, key, drawn, shape)?, target, false)?;
    let constant = |value: i128| p::broadcast_to(cx, &p::scalar(target, Scalar::Int(value)), shape);
    let shifted = p::binary(cx, &ops::SHIFT_RIGHT_LOGICAL, &bits, &constant(i128::from(drawn - mantissa))?)?;
    let one_bits = pallas_tensor::ops::bitcast_convert(&Array::scalar(dtype, Scalar::Float(1.0)), target).ok();
    let one_bits = one_bits.and_then(|bits| bits.item()?.as_int()).unwrap_or_default();
    let filled = p::binary(cx, &ops::OR, &shifted, &constant(one_bits)?)?;
    let floats =
        cx.bind(&ops::BITCAST_CONVERT_TYPE, &[&filled], Attributes::none().with("dtype", Attribute::DType(dtype)))?;
    let one = p::full(cx, shape, dtype, Scalar::Float(1.0))?;
    let floats = p::binary(cx, &ops::SUB, &floats, &one)?;
    let (low, high) = (p::convert(cx, low, dtype, false)?, p::convert(cx, high, dtype, false)?);
    let pair = convert::broadcast(cx, "uniform", &[low, high])?;
    let span = p::broadcast_to(cx, &p::binary(cx, &ops::SUB, &pair[1], &pair[0])?, shape)?;
    let low = p::broadcast_to(cx, &pair[0], shape)?;
    let scaled = p::binary(cx, &ops::ADD, &p::binary(cx, &ops::MUL, &floats, &span)?, &low)?;
    p::binary(cx, &ops::MAX, &low, &scaled)
}

fn uniform(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [key, shape, dtype, low, high] = args.take();
    let cx = Context::jax(interp);
    let key = keys::single(&cx, &key, "uniform")?;
    let dtype = float_dtype(&cx, &dtype, "uniform")?;
    let shape = convert::shape(&cx, &shape)?;
    let low = convert::tile(&cx, &low, "uniform")?;
    let high = convert::tile(&cx, &high, "uniform")?;
    jitted(&cx, "uniform", &key, |key| uniform_tile(&cx, key, &shape, dtype, &low, &high))
}

/// Standard normal floats: `_normal_real`.
fn normal_tile(cx: &Context<'_>, key: &Tile, shape: &Shape, dtype: DType) -> PyResult<Tile> {
    // The float after -1, towards zero.
    let low = dtype.finfo().map_or(-1.0, |info| info.epsneg - 1.0);
    let low = p::scalar(dtype, Scalar::Float(low));
    let high = p::scalar(dtype, Scalar::Float(1.0));
    let u = uniform_tile(cx, key, shape, dtype, &low, &high)?;
    let root = p::full(cx, shape, dtype, Scalar::Float(std::f64::consts::SQRT_2))?;
    p::binary(cx, &ops::MUL, &root, &p::unary(cx, &ops::ERF_INV, &u)?)
}

fn normal(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [key, shape, dtype] = args.take();
    let cx = Context::jax(interp);
    let key = keys::single(&cx, &key, "normal")?;
    let dtype = float_dtype(&cx, &dtype, "normal")?;
    let shape = convert::shape(&cx, &shape)?;
    jitted(&cx, "normal", &key, |key| normal_tile(&cx, key, &shape, dtype))
}

fn randint(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [key, shape, low, high, dtype] = args.take();
    let cx = Context::jax(interp);
    let key = keys::single(&cx, &key, "randint")?;
    let dtype = dtype::optional(&cx, &dtype)?.unwrap_or_else(|| convert::default_int(&cx));
    if !dtype.is_integer() {
        return Err(interp.type_error(format!("randint only accepts integer dtypes, got {}", dtype.name())));
    }
    let shape = convert::shape(&cx, &shape)?;
    let low = convert::tile(&cx, &low, "randint")?;
    let high = convert::tile(&cx, &high, "randint")?;
    // Narrow integers are drawn in 32 bits, where the bias is small, and cut down.
    let Some(info) = dtype.iinfo().filter(|info| info.bits < 32) else {
        return jitted(&cx, "randint", &key, |key| randint_tile(&cx, key, &shape, &low, &high, dtype));
    };
    let within = |tile: &Tile, highest: i128| -> PyResult<Tile> {
        let tile = p::convert(&cx, tile, DType::I32, false)?;
        let bound = |value: i128| p::broadcast_to(&cx, &p::scalar(DType::I32, Scalar::Int(value)), tile.shape());
        cx.bind(&ops::CLAMP, &[&bound(info.min)?, &tile, &bound(highest)?], Attributes::none())
    };
    let (low, high) = (within(&low, info.max)?, within(&high, info.max + 1)?);
    jitted(&cx, "randint", &key, |key| {
        let drawn = randint_tile(&cx, key, &shape, &low, &high, DType::I32)?;
        p::convert(&cx, &drawn, dtype, false)
    })
}

/// An integer tile clipped into `dtype`: `_convert_and_clip_integer`.
fn clipped(cx: &Context<'_>, x: &Tile, dtype: DType) -> PyResult<Tile> {
    let info = dtype.iinfo();
    if let (Some(array), Some(info)) = (x.array(), info)
        && let Some(value) = array.item().and_then(Scalar::as_int)
    {
        return Ok(p::scalar(dtype, Scalar::Int(value.clamp(info.min, info.max))));
    }
    p::convert(cx, x, dtype, false)
}

/// Integers in a range from twice the bits that they need: `_randint`.
fn randint_tile(cx: &Context<'_>, key: &Tile, shape: &Shape, low: &Tile, high: &Tile, dtype: DType) -> PyResult<Tile> {
    let integer = |tile: &Tile| {
        if tile.dtype().is_integer() { Ok(tile.clone()) } else { p::convert(cx, tile, convert::default_int(cx), false) }
    };
    let (low, high) = (integer(low)?, integer(high)?);
    // `maxval` may be one more than the dtype holds: randint(key, shape, 0, 256, 'uint8').
    let beyond = match (high.array().and_then(|a| a.item()).and_then(Scalar::as_int), dtype.iinfo()) {
        (Some(value), Some(info)) => value > info.max,
        _ => false,
    };
    let low = clipped(cx, &low, dtype)?;
    let high = clipped(cx, &high, dtype)?;
    let pair = convert::broadcast(cx, "randint", &[low, high])?;
    let width = i64::from(dtype.bits());
    let word = unsigned(width);
    let (first, second) = keys::pair(cx, key)?;
    let higher = random_bits(cx, &first, width, shape)?;
    let lower = random_bits(cx, &second, width, shape)?;
    let fit = |tile: &Tile| p::broadcast_to(cx, tile, shape);
    let difference = p::binary(cx, &ops::SUB, &pair[1], &pair[0])?;
    let mut span = fit(&p::convert(cx, &difference, word, false)?)?;
    let one = p::full(cx, shape, word, Scalar::Int(1))?;
    // An empty range gives its lower end; a full one wraps to a span of zero, which the remainder leaves alone.
    let empty = fit(&p::binary(cx, &ops::LE, &pair[1], &pair[0])?)?;
    span = p::select(cx, &empty, &one, &span)?;
    if beyond {
        let above = fit(&p::binary(cx, &ops::GT, &pair[1], &pair[0])?)?;
        let wider = p::binary(cx, &ops::ADD, &span, &one)?;
        span = p::select(cx, &above, &wider, &span)?;
    }
    let half = p::full(cx, shape, word, Scalar::Int(1i128 << (width / 2)))?;
    let multiplier = p::binary(cx, &ops::REM, &half, &span)?;
    let multiplier = p::binary(cx, &ops::MUL, &multiplier, &multiplier)?;
    let multiplier = p::binary(cx, &ops::REM, &multiplier, &span)?;
    let high_part = p::binary(cx, &ops::MUL, &p::binary(cx, &ops::REM, &higher, &span)?, &multiplier)?;
    let offset = p::binary(cx, &ops::ADD, &high_part, &p::binary(cx, &ops::REM, &lower, &span)?)?;
    let offset = p::binary(cx, &ops::REM, &offset, &span)?;
    p::binary(cx, &ops::ADD, &fit(&pair[0])?, &p::convert(cx, &offset, dtype, false)?)
}

fn bernoulli(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [key, probability, shape, _mode] = args.take();
    let cx = Context::jax(interp);
    let key = keys::single(&cx, &key, "bernoulli")?;
    let probability = convert::tile(&cx, &probability, "bernoulli")?;
    let dtype = if probability.dtype().is_float() { probability.dtype() } else { convert::default_float(&cx) };
    let probability = p::convert(&cx, &probability, dtype, false)?;
    let shape = match shape.given() {
        Some(shape) => convert::shape(&cx, &shape)?,
        None => probability.shape().clone(),
    };
    jitted(&cx, "bernoulli", &key, |key| {
        let low = p::scalar(dtype, Scalar::Float(0.0));
        let high = p::scalar(dtype, Scalar::Float(1.0));
        let u = uniform_tile(&cx, key, &shape, dtype, &low, &high)?;
        p::binary(&cx, &ops::LT, &u, &p::broadcast_to(&cx, &probability, &shape)?)
    })
}

/// Sorts by random words as often as it takes to tell all elements apart: `_shuffle`.
fn shuffle(cx: &Context<'_>, key: &Tile, x: &Tile, axis: usize) -> PyResult<Tile> {
    let size = x.shape().size().max(1) as f64;
    let rounds = (3.0 * size.ln() / f64::from(u32::MAX).ln()).ceil() as usize;
    let (mut key, mut x) = (key.clone(), x.clone());
    for _ in 0..rounds {
        let (next, sub) = keys::pair(cx, &key)?;
        key = next;
        let words = random_bits(cx, &sub, 32, x.shape())?;
        let attributes = Attributes::none()
            .with("axis", Attribute::Int(axis as i64))
            .with("num_keys", Attribute::Int(1))
            .with("stable", Attribute::Bool(true));
        let mut sorted = cx.bind_all(&ops::SORT, &[&words, &x], attributes)?;
        x = sorted.pop().unwrap_or(x);
    }
    Ok(x)
}

fn permutation(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [key, x, axis, independent] = args.take();
    let cx = Context::jax(interp);
    let key = keys::single(&cx, &key, "permutation")?;
    let x = match &x {
        Value::List(_) | Value::Tuple(_) => creation::array_from(&cx, &x, None)?,
        x => convert::tile(&cx, x, "permutation")?,
    };
    if x.rank() == 0 {
        let Some(count) = x.array().and_then(|a| a.item()).and_then(Scalar::as_int).filter(|_| x.dtype().is_integer())
        else {
            return Err(interp.type_error("x must be an integer or at least 1-dimensional".to_string()));
        };
        let shape = Shape::from(&[usize::try_from(count).unwrap_or(0)][..]);
        let dtype = convert::default_int(&cx);
        return jitted(&cx, "shuffle", &key, |key| shuffle(&cx, key, &p::iota(&cx, dtype, &shape, 0)?, 0));
    }
    let axis = convert::axis(&cx, &axis, x.rank())?;
    if interp.truth(&independent)? || x.rank() == 1 {
        return jitted(&cx, "shuffle", &key, |key| shuffle(&cx, key, &x, axis));
    }
    let shape = Shape::from(&[x.shape()[axis]][..]);
    let dtype = convert::default_int(&cx);
    jitted(&cx, "permutation", &key, |key| {
        let order = shuffle(&cx, key, &p::iota(&cx, dtype, &shape, 0)?, 0)?;
        gather_along(&cx, &x, &order, axis)
    })
}

/// `x[..., indices, ...]` along an axis; indices are known to be inside.
fn gather_along(cx: &Context<'_>, x: &Tile, indices: &Tile, axis: usize) -> PyResult<Tile> {
    let attributes =
        Attributes::none().with("axes", Attribute::Ints(vec![axis as i64])).with("mode", Attribute::Str("clip".into()));
    cx.bind(&ops::GATHER, &[x, indices], attributes)
}

fn choice(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [key, options, shape, replace, probabilities, axis] = args.take();
    let cx = Context::jax(interp);
    if !probabilities.is_none() {
        return Err(
            interp.not_implemented_error("jax.random.choice with probabilities is not available here".to_string())
        );
    }
    let key = keys::single(&cx, &key, "choice")?;
    let shape = convert::shape(&cx, &shape)?;
    let options = match &options {
        Value::List(_) | Value::Tuple(_) => creation::array_from(&cx, &options, None)?,
        value => convert::tile(&cx, value, "choice")?,
    };
    let axis = if options.rank() == 0 { 0 } else { convert::axis(&cx, &axis, options.rank())? };
    let count = match options.rank() {
        0 => options.array().and_then(|a| a.item()).and_then(Scalar::as_int).unwrap_or(0) as usize,
        _ => options.shape()[axis],
    };
    if count == 0 {
        return Err(interp.value_error("a must be greater than 0 unless no samples are taken".to_string()));
    }
    let replace = interp.truth(&replace)?;
    if !replace && shape.size() > count {
        return Err(interp.value_error(format!(
            "Number of samples drawn ({}) without replacement must not exceed the population size ({count})",
            shape.size()
        )));
    }
    let dtype = convert::default_int(&cx);
    jitted(&cx, "choice", &key, |key| {
        let indices = if replace {
            let (low, high) = (p::scalar(dtype, Scalar::Int(0)), p::scalar(dtype, Scalar::Int(count as i128)));
            randint_tile(&cx, key, &shape, &low, &high, dtype)?
        } else {
            let all = shuffle(&cx, key, &p::iota(&cx, dtype, &Shape::from(&[count][..]), 0)?, 0)?;
            let taken = p::slice(&cx, &all, &[0], &[shape.size()], &[1])?;
            p::reshape(&cx, &taken, &shape)?
        };
        if options.rank() == 0 { Ok(indices) } else { gather_along(&cx, &options, &indices, axis) }
    })
}

fn truncated_normal(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [key, lower, upper, shape, dtype] = args.take();
    let cx = Context::jax(interp);
    let key = keys::single(&cx, &key, "truncated_normal")?;
    let dtype = float_dtype(&cx, &dtype, "truncated_normal")?;
    let lower = p::convert(&cx, &convert::tile(&cx, &lower, "truncated_normal")?, dtype, false)?;
    let upper = p::convert(&cx, &convert::tile(&cx, &upper, "truncated_normal")?, dtype, false)?;
    let shape = match shape.given() {
        Some(shape) => convert::shape(&cx, &shape)?,
        None => Shape::broadcast(&[lower.shape(), upper.shape()]).unwrap_or_default(),
    };
    jitted(&cx, "truncated_normal", &key, |key| {
        let root = p::scalar(dtype, Scalar::Float(std::f64::consts::SQRT_2));
        let bound = |x: &Tile| -> PyResult<Tile> {
            let scaled = p::binary(&cx, &ops::DIV, x, &p::broadcast_to(&cx, &root, x.shape())?)?;
            p::unary(&cx, &ops::ERF, &scaled)
        };
        let u = uniform_tile(&cx, key, &shape, dtype, &bound(&lower)?, &bound(&upper)?)?;
        let out = p::binary(&cx, &ops::MUL, &p::broadcast_to(&cx, &root, &shape)?, &p::unary(&cx, &ops::ERF_INV, &u)?)?;
        let infinite = |value: f64| Tile::concrete(Array::scalar(dtype, Scalar::Float(value)));
        let above =
            p::binary(&cx, &ops::NEXTAFTER, &lower, &p::broadcast_to(&cx, &infinite(f64::INFINITY), lower.shape())?)?;
        let below = p::binary(
            &cx,
            &ops::NEXTAFTER,
            &upper,
            &p::broadcast_to(&cx, &infinite(f64::NEG_INFINITY), upper.shape())?,
        )?;
        let (above, below) = (p::broadcast_to(&cx, &above, &shape)?, p::broadcast_to(&cx, &below, &shape)?);
        cx.bind(&ops::CLAMP, &[&above, &out, &below], Attributes::none())
    })
}

fn exponential(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [key, shape, dtype] = args.take();
    let cx = Context::jax(interp);
    let key = keys::single(&cx, &key, "exponential")?;
    let dtype = float_dtype(&cx, &dtype, "exponential")?;
    let shape = convert::shape(&cx, &shape)?;
    jitted(&cx, "exponential", &key, |key| {
        let (low, high) = (p::scalar(dtype, Scalar::Float(0.0)), p::scalar(dtype, Scalar::Float(1.0)));
        let u = uniform_tile(&cx, key, &shape, dtype, &low, &high)?;
        p::unary(&cx, &ops::NEG, &p::unary(&cx, &ops::LOG1P, &p::unary(&cx, &ops::NEG, &u)?)?)
    })
}

/// `-log(-log(u))` with `u` from the smallest positive float.
fn gumbel_tile(cx: &Context<'_>, key: &Tile, shape: &Shape, dtype: DType) -> PyResult<Tile> {
    let tiny = dtype.finfo().map_or(f64::from(f32::MIN_POSITIVE), |info| info.tiny);
    let (low, high) = (p::scalar(dtype, Scalar::Float(tiny)), p::scalar(dtype, Scalar::Float(1.0)));
    let u = uniform_tile(cx, key, shape, dtype, &low, &high)?;
    let inner = p::unary(cx, &ops::NEG, &p::unary(cx, &ops::LOG, &u)?)?;
    p::unary(cx, &ops::NEG, &p::unary(cx, &ops::LOG, &inner)?)
}

fn gumbel(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [key, shape, dtype, _mode] = args.take();
    let cx = Context::jax(interp);
    let key = keys::single(&cx, &key, "gumbel")?;
    let dtype = float_dtype(&cx, &dtype, "gumbel")?;
    let shape = convert::shape(&cx, &shape)?;
    jitted(&cx, "gumbel", &key, |key| gumbel_tile(&cx, key, &shape, dtype))
}

fn categorical(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [key, logits, axis, shape] = args.take();
    let cx = Context::jax(interp);
    let key = keys::single(&cx, &key, "categorical")?;
    let logits = convert::promote_inexact(&cx, &[&convert::tile(&cx, &logits, "categorical")?])?.remove(0);
    let axis = convert::axis(&cx, &axis, logits.rank())?;
    let batch = logits.shape().without_axes(&[axis]);
    let shape = match shape.given() {
        Some(shape) => convert::shape(&cx, &shape)?,
        None => batch.clone(),
    };
    if shape.len() < batch.len() {
        return Err(interp
            .value_error(format!("Number of dimensions of shape {shape} is less than that of the logits {batch}")));
    }
    // One Gumbel draw per sample and logit; the largest sum is a sample of the distribution.
    let extra = shape.len() - batch.len();
    let mut full: Vec<usize> = shape.to_vec();
    full.insert(extra + axis, logits.shape()[axis]);
    let full = Shape::from(full.as_slice());
    jitted(&cx, "categorical", &key, |key| {
        let noise = gumbel_tile(&cx, key, &full, logits.dtype())?;
        let logits = p::broadcast_to(&cx, &logits, &full)?;
        let sum = arithmetic::add(&cx, &noise, &logits)?;
        let attributes = Attributes::none()
            .with("axis", Attribute::Int((extra + axis) as i64))
            .with("dtype", Attribute::DType(convert::default_int(&cx)));
        cx.bind(&ops::ARGMAX, &[&sum], attributes)
    })
}
