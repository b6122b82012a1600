//! `jax.nn`: activations and their relatives, as jax/_src/nn/functions.py composes them.

pub mod derivatives;

use crate::context::Context;
use crate::convert;
use crate::jnp::arithmetic as a;
use crate::pallas::add_functions;
use crate::primitive as p;
use crate::tile::Tile;
use crate::transform::custom::stop_gradient;
use pallas_ir::{OpDef, ops};
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use pallas_tensor::{DType, Scalar};
use std::rc::Rc;

/// `jax.nn`, and `jax.scipy.special` as far as it is the same.
pub static MODULES: &[&ModuleDef] = &[&NN, &SCIPY, &SPECIAL];

static NN: ModuleDef = ModuleDef {
    name: "jax.nn",
    doc: "Activations and other functions of neural networks.",
    functions: &[],
    populate: |_interp, namespace| {
        FUNCTIONS.iter().for_each(|table| add_functions(namespace, "jax.nn", table));
        // Other names of the same functions.
        for (name, original) in [("swish", "silu"), ("hard_swish", "hard_silu")] {
            if let Some(function) = namespace.get(original).cloned() {
                namespace.insert(Name::from(name), function);
            }
        }
        crate::written::extend("jax.nn", namespace);
    },
};

static SCIPY: ModuleDef =
    ModuleDef { name: "jax.scipy", doc: "Functions of scipy.", functions: &[], populate: |_, _| {} };

static SPECIAL: ModuleDef = ModuleDef {
    name: "jax.scipy.special",
    doc: "Special functions.",
    functions: &[],
    populate: |_interp, namespace| {
        SPECIAL_FUNCTIONS.iter().for_each(|table| add_functions(namespace, "jax.scipy.special", table));
        crate::written::extend("jax.scipy.special", namespace);
    },
};

/// A function of one array and nothing else.
macro_rules! unary_rows {
    ($table:ident: $($name:literal $doc:literal $function:expr;)*) => {
        static $table: &[NativeDef] = &[$(NativeDef {
            name: $name,
            signature: "(x)",
            doc: $doc,
            run: |interp, args| {
                let [x] = args.take();
                let cx = Context::jax(interp);
                let x = convert::tile(&cx, &x, $name)?;
                let f: fn(&Context<'_>, &Tile) -> PyResult<Tile> = $function;
                Ok(convert::value(&cx, f(&cx, &x)?))
            },
        }),*];
    };
}

unary_rows! { UNARY:
    "relu" "`max(x, 0)`" |cx, x| {
        let body = |cx: &Context<'_>, x: &[Tile]| floor_zero(cx, &x[0]);
        derivatives::gated(cx, "relu", x, Rc::new(body), positive)
    };
    "relu6" "`min(max(x, 0), 6)`" |cx, x| {
        let body = |cx: &Context<'_>, x: &[Tile]| {
            let floor = floor_zero(cx, &x[0])?;
            a::simple(cx, "minimum", &ops::MIN, &floor, &p::scalar_like_weak(&x[0], 6.0))
        };
        derivatives::gated(cx, "relu6", x, Rc::new(body), |cx, x| {
            let below = a::simple(cx, "less", &ops::LT, x, &p::scalar_like_weak(x, 6.0))?;
            p::binary(cx, &ops::AND, &positive(cx, x)?, &below)
        })
    };
    "sigmoid" "`1 / (1 + exp(-x))`" |cx, x| p::unary(cx, &ops::LOGISTIC, x);
    "silu" "`x * sigmoid(x)`" silu;
    "log_sigmoid" "`-softplus(-x)`" |cx, x| {
        let x = inexact(cx, x)?;
        a::negative(cx, &softplus(cx, &a::negative(cx, &x)?)?)
    };
    "softplus" "`log(1 + exp(x))`" softplus;
    "soft_sign" "`x / (1 + |x|)`" |cx, x| {
        let x = inexact(cx, x)?;
        a::true_divide(cx, &x, &a::add(cx, &a::absolute(cx, &x)?, &p::weak(1.0))?)
    };
    "tanh" "The hyperbolic tangent." |cx, x| inexact_op(cx, &ops::TANH, x);
    "selu" "`scale * elu(x, alpha)` with the self-normalising constants." |cx, x| {
        let curve = elu(cx, x, 1.673_263_242_354_377_2)?;
        a::multiply(cx, &p::weak(1.050_700_987_355_480_5), &curve)
    };
    "hard_sigmoid" "`relu6(x + 3) / 6`" hard_sigmoid;
    "hard_silu" "`x * hard_sigmoid(x)`" |cx, x| a::multiply(cx, x, &hard_sigmoid(cx, x)?);
    "hard_tanh" "`clip(x, -1, 1)`" |cx, x| {
        let below = a::simple(cx, "maximum", &ops::MAX, x, &p::scalar_like_weak(x, -1.0))?;
        a::simple(cx, "minimum", &ops::MIN, &below, &p::scalar_like_weak(x, 1.0))
    };
    "mish" "`x * tanh(softplus(x))`" |cx, x| {
        let x = inexact(cx, x)?;
        a::multiply(cx, &x, &p::unary(cx, &ops::TANH, &softplus(cx, &x)?)?)
    };
}

unary_rows! { SPECIAL_UNARY:
    "erf" "The error function." |cx, x| inexact_op(cx, &ops::ERF, x);
    "erfc" "One minus the error function." |cx, x| inexact_op(cx, &ops::ERFC, x);
    "erfinv" "The inverse of the error function." |cx, x| inexact_op(cx, &ops::ERF_INV, x);
    "expit" "`1 / (1 + exp(-x))`" |cx, x| inexact_op(cx, &ops::LOGISTIC, x);
    "gammaln" "The logarithm of the gamma function's magnitude." |cx, x| inexact_op(cx, &ops::LGAMMA, x);
    "digamma" "The derivative of gammaln." |cx, x| inexact_op(cx, &ops::DIGAMMA, x);
    "logit" "`log(x / (1 - x))`" |cx, x| {
        let x = inexact(cx, x)?;
        let rest = a::subtract(cx, &p::weak(1.0), &x)?;
        p::unary(cx, &ops::LOG, &a::true_divide(cx, &x, &rest)?)
    };
}

static MORE: &[NativeDef] = &[
    NativeDef {
        name: "gelu",
        signature: "(x, approximate=True)",
        doc: "The Gaussian error linear unit, by tanh or exactly.",
        run: gelu,
    },
    NativeDef {
        name: "leaky_relu",
        signature: "(x, negative_slope=0.01)",
        doc: "`x` where it is not negative, a fraction of it elsewhere.",
        run: |interp, args| {
            let [x, slope] = args.take();
            let cx = Context::jax(interp);
            let x = inexact(&cx, &convert::tile(&cx, &x, "leaky_relu")?)?;
            let slope = convert::tile(&cx, &slope, "leaky_relu")?;
            let positive = a::simple(&cx, "greater_equal", &ops::GE, &x, &p::weak(0.0))?;
            let small = a::multiply(&cx, &slope, &x)?;
            let small = p::convert(&cx, &small, x.dtype(), x.weak())?;
            Ok(convert::value(&cx, p::select(&cx, &positive, &x, &small)?))
        },
    },
    NativeDef {
        name: "elu",
        signature: "(x, alpha=1.0)",
        doc: "`x` where positive, `alpha * (exp(x) - 1)` elsewhere.",
        run: |interp, args| {
            let [x, alpha] = args.take();
            let cx = Context::jax(interp);
            let x = convert::tile(&cx, &x, "elu")?;
            let alpha = interp.to_f64(&alpha)?;
            Ok(convert::value(&cx, elu(&cx, &x, alpha)?))
        },
    },
    NativeDef {
        name: "celu",
        signature: "(x, alpha=1.0)",
        doc: "`max(x, 0) + alpha * (exp(min(x, 0) / alpha) - 1)`",
        run: |interp, args| {
            let [x, alpha] = args.take();
            let cx = Context::jax(interp);
            let x = inexact(&cx, &convert::tile(&cx, &x, "celu")?)?;
            let alpha = convert::tile(&cx, &alpha, "celu")?;
            let high = a::simple(&cx, "maximum", &ops::MAX, &x, &p::weak(0.0))?;
            let low = a::simple(&cx, "minimum", &ops::MIN, &x, &p::weak(0.0))?;
            let curve = p::unary(&cx, &ops::EXPM1, &a::true_divide(&cx, &low, &alpha)?)?;
            Ok(convert::value(&cx, a::add(&cx, &high, &a::multiply(&cx, &alpha, &curve)?)?))
        },
    },
    NativeDef {
        name: "glu",
        signature: "(x, axis=-1)",
        doc: "The first half times the sigmoid of the second half.",
        run: |interp, args| {
            let [x, axis] = args.take();
            let cx = Context::jax(interp);
            let x = convert::tile(&cx, &x, "glu")?;
            let axis = convert::axis(&cx, &axis, x.rank())?;
            let size = x.shape()[axis];
            if size % 2 != 0 {
                return Err(interp.value_error("axis size must be divisible by 2".to_string()));
            }
            let half = |from: usize, to: usize| {
                let mut start = vec![0; x.rank()];
                let mut limit = x.shape().to_vec();
                (start[axis], limit[axis]) = (from, to);
                p::slice(&cx, &x, &start, &limit, &vec![1; x.rank()])
            };
            let gate = p::unary(&cx, &ops::LOGISTIC, &half(size / 2, size)?)?;
            Ok(convert::value(&cx, a::multiply(&cx, &half(0, size / 2)?, &gate)?))
        },
    },
    NativeDef {
        name: "softmax",
        signature: "(x, axis=-1, where=None)",
        doc: "`exp(x) / sum(exp(x))` along an axis.",
        run: |interp, args| normalised(interp, args, false),
    },
    NativeDef {
        name: "log_softmax",
        signature: "(x, axis=-1, where=None)",
        doc: "The logarithm of the softmax.",
        run: |interp, args| normalised(interp, args, true),
    },
    LOGSUMEXP,
    NativeDef {
        name: "squareplus",
        signature: "(x, b=4)",
        doc: "`(x + sqrt(x**2 + b)) / 2`",
        run: |interp, args| {
            let [x, b] = args.take();
            let cx = Context::jax(interp);
            let x = inexact(&cx, &convert::tile(&cx, &x, "squareplus")?)?;
            let b = convert::tile(&cx, &b, "squareplus")?;
            let root = p::unary(&cx, &ops::SQRT, &a::add(&cx, &p::unary(&cx, &ops::SQUARE, &x)?, &b)?)?;
            Ok(convert::value(&cx, a::true_divide(&cx, &a::add(&cx, &x, &root)?, &p::weak(2.0))?))
        },
    },
    NativeDef {
        name: "one_hot",
        signature: "(x, num_classes, *, dtype=None, axis=-1)",
        doc: "Ones at the given indices, zeros elsewhere.",
        run: one_hot,
    },
    NativeDef {
        name: "standardize",
        signature: "(x, axis=-1, mean=None, variance=None, epsilon=1e-05, where=None)",
        doc: "Subtracts the mean and divides by the standard deviation.",
        run: standardize,
    },
];

const LOGSUMEXP: NativeDef = NativeDef {
    name: "logsumexp",
    signature: "(a, axis=None, b=None, keepdims=False, return_sign=False, where=None)",
    doc: "The logarithm of the sum of exponentials.",
    run: logsumexp,
};

static SPECIAL_MORE: &[NativeDef] = &[LOGSUMEXP];

static FUNCTIONS: &[&[NativeDef]] = &[UNARY, MORE];
static SPECIAL_FUNCTIONS: &[&[NativeDef]] = &[SPECIAL_UNARY, SPECIAL_MORE];

fn inexact(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    Ok(convert::promote_inexact(cx, &[x])?.remove(0))
}

fn floor_zero(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    a::simple(cx, "maximum", &ops::MAX, x, &p::scalar_like_weak(x, 0.0))
}

fn positive(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    a::simple(cx, "greater", &ops::GT, x, &p::scalar_like_weak(x, 0.0))
}

fn inexact_op(cx: &Context<'_>, op: &'static OpDef, x: &Tile) -> PyResult<Tile> {
    p::unary(cx, op, &inexact(cx, x)?)
}

fn silu(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    a::multiply(cx, x, &p::unary(cx, &ops::LOGISTIC, x)?)
}

/// `logaddexp(x, 0)`: `max(x, 0) + log1p(exp(-|x|))`.
fn softplus(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    let x = inexact(cx, x)?;
    let zero = p::broadcast_to(cx, &p::scalar_like(&x, 0.0), x.shape())?;
    crate::jnp::elementwise::log_add_exp(cx, &x, &zero, false)
}

fn hard_sigmoid(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    let shifted = a::add(cx, x, &p::weak(3.0))?;
    let floor = a::simple(cx, "maximum", &ops::MAX, &shifted, &p::weak(0.0))?;
    let six = a::simple(cx, "minimum", &ops::MIN, &floor, &p::weak(6.0))?;
    a::true_divide(cx, &six, &p::weak(6.0))
}

fn elu(cx: &Context<'_>, x: &Tile, alpha: f64) -> PyResult<Tile> {
    let x = inexact(cx, x)?;
    let positive = a::simple(cx, "greater", &ops::GT, &x, &p::weak(0.0))?;
    let zero = p::broadcast_to(cx, &p::scalar_like(&x, 0.0), x.shape())?;
    let safe = p::select(cx, &positive, &zero, &x)?;
    let curve = a::multiply(cx, &p::weak(alpha), &p::unary(cx, &ops::EXPM1, &safe)?)?;
    p::select(cx, &positive, &x, &p::convert(cx, &curve, x.dtype(), x.weak())?)
}

fn gelu(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, approximate] = args.take();
    let cx = Context::jax(interp);
    let x = inexact(&cx, &convert::tile(&cx, &x, "gelu")?)?;
    let result = if interp.truth(&approximate)? {
        // 0.5 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x**3))) * x
        let cube = a::integer_power(&cx, &x, 3)?;
        let inner = a::add(&cx, &x, &a::multiply(&cx, &p::weak(0.044_715), &cube)?)?;
        let scale = p::scalar(x.dtype(), Scalar::Float((2.0 / std::f64::consts::PI).sqrt()));
        let curve = p::unary(&cx, &ops::TANH, &a::multiply(&cx, &scale, &inner)?)?;
        let cdf = a::multiply(&cx, &p::weak(0.5), &a::add(&cx, &p::weak(1.0), &curve)?)?;
        a::multiply(&cx, &x, &cdf)?
    } else {
        // 0.5 * x * erfc(-x / sqrt(2))
        let root = p::scalar(x.dtype(), Scalar::Float(0.5f64.sqrt()));
        let argument = a::multiply(&cx, &a::negative(&cx, &x)?, &root)?;
        let half = a::multiply(&cx, &p::weak(0.5), &x)?;
        a::multiply(&cx, &half, &p::unary(&cx, &ops::ERFC, &argument)?)?
    };
    Ok(convert::value(&cx, result))
}

/// A reduction that keeps its axes as 1.
fn reduced(cx: &Context<'_>, op: &'static OpDef, x: &Tile, axes: &[usize]) -> PyResult<Tile> {
    p::expand_dims(cx, &p::reduce(cx, op, x, axes)?, axes)
}

fn normalised(interp: &Interp, args: Arguments, logarithm: bool) -> PyResult<Value> {
    let [x, axis, mask] = args.take();
    let cx = Context::jax(interp);
    let x = inexact(&cx, &convert::tile(&cx, &x, "softmax")?)?;
    let axes = convert::axes(&cx, &axis, x.rank())?;
    let mask = match mask.given() {
        Some(mask) => Some(p::broadcast_to(&cx, &convert::tile(&cx, &mask, "softmax")?, x.shape())?),
        None => None,
    };
    let masked = move |cx: &Context<'_>, tile: &Tile, fill: f64| match &mask {
        None => Ok(tile.clone()),
        Some(mask) => {
            let fill = p::broadcast_to(cx, &p::scalar_like(tile, fill), tile.shape())?;
            p::select(cx, mask, tile, &fill)
        }
    };
    let result = if logarithm {
        let highest = reduced(&cx, &ops::REDUCE_MAX, &masked(&cx, &x, f64::NEG_INFINITY)?, &axes)?;
        let shifted = a::subtract(&cx, &x, &stop_gradient(&cx, &highest)?)?;
        let powers = p::unary(&cx, &ops::EXP, &shifted)?;
        let total = reduced(&cx, &ops::REDUCE_SUM, &masked(&cx, &powers, 0.0)?, &axes)?;
        let result = a::subtract(&cx, &shifted, &p::unary(&cx, &ops::LOG, &total)?)?;
        masked(&cx, &result, f64::NEG_INFINITY)?
    } else {
        let masked = Rc::new(masked);
        let (inner, kept) = (masked.clone(), axes.clone());
        let body = move |cx: &Context<'_>, x: &[Tile]| {
            let x = &x[0];
            let highest = reduced(cx, &ops::REDUCE_MAX, &inner(cx, x, f64::NEG_INFINITY)?, &kept)?;
            let powers = p::unary(cx, &ops::EXP, &a::subtract(cx, x, &highest)?)?;
            let total = reduced(cx, &ops::REDUCE_SUM, &inner(cx, &powers, 0.0)?, &kept)?;
            inner(cx, &a::true_divide(cx, &powers, &total)?, 0.0)
        };
        derivatives::softmax(&cx, &x, &axes, Rc::new(body), move |cx, tile| masked(cx, tile, 0.0))?
    };
    strong(&cx, &result)
}

fn logsumexp(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, axis, weights, keepdims, return_sign, mask] = args.take();
    let cx = Context::jax(interp);
    let x = convert::tile(&cx, &x, "logsumexp")?;
    let (x, weights) = match weights.given() {
        None => (inexact(&cx, &x)?, None),
        Some(weights) => {
            let weights = convert::tile(&cx, &weights, "logsumexp")?;
            let mut pair = convert::promote_inexact(&cx, &[&x, &weights])?;
            let weights = pair.remove(1);
            let pair = convert::broadcast(&cx, "logsumexp", &[pair.remove(0), weights])?;
            let zero = a::simple(&cx, "equal", &ops::EQ, &pair[1], &p::weak(0.0))?;
            // What has no weight has no part in the maximum either.
            let lowest = p::broadcast_to(&cx, &p::scalar_like(&pair[0], f64::NEG_INFINITY), pair[0].shape())?;
            (p::select(&cx, &zero, &lowest, &pair[0])?, Some(pair[1].clone()))
        }
    };
    let axes = convert::axes(&cx, &axis, x.rank())?;
    let mask = match mask.given() {
        None => None,
        Some(mask) => Some(p::broadcast_to(&cx, &convert::tile(&cx, &mask, "logsumexp")?, x.shape())?),
    };
    let masked = |tile: &Tile, fill: f64| -> PyResult<Tile> {
        match &mask {
            None => Ok(tile.clone()),
            Some(mask) => {
                let fill = p::broadcast_to(&cx, &p::scalar_like(tile, fill), tile.shape())?;
                p::select(&cx, mask, tile, &fill)
            }
        }
    };
    let highest = p::reduce(&cx, &ops::REDUCE_MAX, &masked(&x, f64::NEG_INFINITY)?, &axes)?;
    // Infinite maxima are not subtracted: inf - inf is NaN.
    let finite = p::unary(&cx, &ops::IS_FINITE, &highest)?;
    let zero = p::broadcast_to(&cx, &p::scalar_like(&highest, 0.0), highest.shape())?;
    let safe = p::select(&cx, &finite, &highest, &zero)?;
    let safe = stop_gradient(&cx, &safe)?;
    let wide = p::expand_dims(&cx, &safe, &axes)?;
    let mut exponentials = p::unary(&cx, &ops::EXP, &a::subtract(&cx, &x, &wide)?)?;
    let weighted = weights.is_some();
    if let Some(weights) = weights {
        exponentials = a::multiply(&cx, &exponentials, &weights)?;
    }
    let total = p::reduce(&cx, &ops::REDUCE_SUM, &masked(&exponentials, 0.0)?, &axes)?;
    let with_sign = interp.truth(&return_sign)?;
    let sign = p::unary(&cx, &ops::SIGN, &total)?;
    let magnitude = if with_sign || weighted { p::unary(&cx, &ops::ABS, &total)? } else { total };
    let mut result = a::add(&cx, &p::unary(&cx, &ops::LOG, &magnitude)?, &safe)?;
    if weighted && !with_sign {
        let negative = a::simple(&cx, "less", &ops::LT, &sign, &p::weak(0.0))?;
        let nan = p::broadcast_to(&cx, &p::scalar_like(&result, f64::NAN), result.shape())?;
        result = p::select(&cx, &negative, &nan, &result)?;
    }
    let shaped = |tile: Tile| -> PyResult<Value> {
        let tile = if interp.truth(&keepdims)? { p::expand_dims(&cx, &tile, &axes)? } else { tile };
        strong(&cx, &tile)
    };
    match with_sign {
        true => Ok(Value::tuple([shaped(result)?, shaped(sign)?])),
        false => shaped(result),
    }
}

fn one_hot(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, classes, dtype, axis] = args.take();
    let cx = Context::jax(interp);
    let x = match &x {
        Value::List(_) | Value::Tuple(_) => crate::jnp::creation::array_from(&cx, &x, None)?,
        x => convert::tile(&cx, x, "one_hot")?,
    };
    let classes = interp.to_usize(&classes)?;
    let dtype = crate::dtype::optional(&cx, &dtype)?.unwrap_or_else(|| convert::default_float(&cx));
    let axis = convert::axis(&cx, &axis, x.rank() + 1)?;
    let wide = p::expand_dims(&cx, &x, &[axis])?;
    let mut shape: Vec<usize> = wide.shape().to_vec();
    shape[axis] = classes;
    let shape = pallas_tensor::Shape::from(shape.as_slice());
    let index = if x.dtype().is_integer() { x.dtype() } else { DType::I32 };
    let numbers = p::iota(&cx, index, &shape, axis)?;
    let wide = p::broadcast_to(&cx, &p::convert(&cx, &wide, index, false)?, &shape)?;
    let hot = p::binary(&cx, &ops::EQ, &wide, &numbers)?;
    Ok(convert::value(&cx, p::convert(&cx, &hot, dtype, false)?))
}

fn standardize(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, axis, mean, variance, epsilon, mask] = args.take();
    let cx = Context::jax(interp);
    let x = inexact(&cx, &convert::tile(&cx, &x, "standardize")?)?;
    let axes = convert::axes(&cx, &axis, x.rank())?;
    let mask = match mask.given() {
        None => None,
        Some(mask) => Some(p::broadcast_to(&cx, &convert::tile(&cx, &mask, "standardize")?, x.shape())?),
    };
    let count: usize = axes.iter().map(|&d| x.shape()[d]).product();
    let average = |tile: &Tile| -> PyResult<Tile> {
        let (tile, count) = match &mask {
            None => (tile.clone(), p::weak(count as f64)),
            Some(mask) => {
                let zero = p::broadcast_to(&cx, &p::scalar_like(tile, 0.0), tile.shape())?;
                let ones = p::convert(&cx, mask, tile.dtype(), false)?;
                (p::select(&cx, mask, tile, &zero)?, reduced(&cx, &ops::REDUCE_SUM, &ones, &axes)?)
            }
        };
        let sum = reduced(&cx, &ops::REDUCE_SUM, &tile, &axes)?;
        a::true_divide(&cx, &sum, &count)
    };
    let mean = match mean.given() {
        Some(mean) => convert::tile(&cx, &mean, "standardize")?,
        None => average(&x)?,
    };
    let variance = match variance.given() {
        Some(variance) => convert::tile(&cx, &variance, "standardize")?,
        None => {
            let squares = average(&p::unary(&cx, &ops::SQUARE, &x)?)?;
            a::subtract(&cx, &squares, &p::unary(&cx, &ops::SQUARE, &mean)?)?
        }
    };
    let epsilon = convert::tile(&cx, &epsilon, "standardize")?;
    let scale = p::unary(&cx, &ops::RSQRT, &a::add(&cx, &variance, &epsilon)?)?;
    strong(&cx, &a::multiply(&cx, &a::subtract(&cx, &x, &mean)?, &scale)?)
}

/// A result that is not weakly typed, whatever it was made of.
fn strong(cx: &Context<'_>, tile: &Tile) -> PyResult<Value> {
    Ok(convert::value(cx, p::convert(cx, tile, tile.dtype(), false)?))
}
