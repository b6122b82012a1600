//! Table rows of the elementwise functions, and `jnp.ufunc` objects (`jnp.add.reduce`). What they compute is in
//! [`super::elementwise`] and [`super::arithmetic`].

use super::arithmetic as a;
use super::call::{self, functions, given, result, results};
use super::compose;
use super::elementwise as e;
use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::ops;
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef, NativeFunction};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;

/// A function of one tile.
type Unary = fn(&Context<'_>, &Tile) -> PyResult<Tile>;
/// A function of two tiles.
type Binary = fn(&Context<'_>, &Tile, &Tile) -> PyResult<Tile>;

macro_rules! rows {
    ($jax:ident $numpy:ident $run:ident $jax_signature:literal $numpy_signature:literal
     $( $name:literal $doc:literal $compute:expr; )*) => {
        /// Rows of `jax.numpy`.
        pub static $jax: &[NativeDef] = &[$(NativeDef {
            name: $name,
            signature: $jax_signature,
            doc: $doc,
            run: |interp, args| call::enter(&Context::jax(interp), args, |cx, args| $run(cx, args, $name, $compute)),
        }),*];
        /// Rows of `numpy`.
        pub static $numpy: &[NativeDef] = &[$(NativeDef {
            name: $name,
            signature: $numpy_signature,
            doc: $doc,
            run: |interp, args| call::enter(&Context::numpy(interp), args, |cx, args| $run(cx, args, $name, $compute)),
        }),*];
    };
}

rows! { UNARY_JAX UNARY_NUMPY run_unary "(x, /)" "(x, /, out=None, *, where=True, casting='same_kind', dtype=None)"
    "exp" "e to the power of each element." |cx, x| e::float_op(cx, &ops::EXP, x);
    "exp2" "2 to the power of each element." |cx, x| e::float_op(cx, &ops::EXP2, x);
    "expm1" "exp(x) - 1, exact near 0." |cx, x| e::float_op(cx, &ops::EXPM1, x);
    "log" "Natural logarithm." |cx, x| e::float_op(cx, &ops::LOG, x);
    "log2" "Logarithm to the base 2." e::log2;
    "log10" "Logarithm to the base 10." e::log10;
    "log1p" "log(1 + x), exact near 0." |cx, x| e::float_op(cx, &ops::LOG1P, x);
    "sqrt" "Square root." |cx, x| e::float_op(cx, &ops::SQRT, x);
    "cbrt" "Cube root." |cx, x| e::float_op(cx, &ops::CBRT, x);
    "square" "x * x." e::square;
    "reciprocal" "1 / x." e::reciprocal;
    "sin" "Sine." |cx, x| e::float_op(cx, &ops::SIN, x);
    "cos" "Cosine." |cx, x| e::float_op(cx, &ops::COS, x);
    "tan" "Tangent." |cx, x| e::float_op(cx, &ops::TAN, x);
    "arcsin" "Inverse sine." |cx, x| e::float_op(cx, &ops::ASIN, x);
    "arccos" "Inverse cosine." |cx, x| e::float_op(cx, &ops::ACOS, x);
    "arctan" "Inverse tangent." |cx, x| e::float_op(cx, &ops::ATAN, x);
    "asin" "Inverse sine." |cx, x| e::float_op(cx, &ops::ASIN, x);
    "acos" "Inverse cosine." |cx, x| e::float_op(cx, &ops::ACOS, x);
    "atan" "Inverse tangent." |cx, x| e::float_op(cx, &ops::ATAN, x);
    "sinh" "Hyperbolic sine." |cx, x| e::float_op(cx, &ops::SINH, x);
    "cosh" "Hyperbolic cosine." |cx, x| e::float_op(cx, &ops::COSH, x);
    "tanh" "Hyperbolic tangent." |cx, x| e::float_op(cx, &ops::TANH, x);
    "arcsinh" "Inverse hyperbolic sine." |cx, x| e::float_op(cx, &ops::ASINH, x);
    "arccosh" "Inverse hyperbolic cosine." |cx, x| e::float_op(cx, &ops::ACOSH, x);
    "arctanh" "Inverse hyperbolic tangent." |cx, x| e::float_op(cx, &ops::ATANH, x);
    "asinh" "Inverse hyperbolic sine." |cx, x| e::float_op(cx, &ops::ASINH, x);
    "acosh" "Inverse hyperbolic cosine." |cx, x| e::float_op(cx, &ops::ACOSH, x);
    "atanh" "Inverse hyperbolic tangent." |cx, x| e::float_op(cx, &ops::ATANH, x);
    "abs" "Absolute value." a::absolute;
    "absolute" "Absolute value." a::absolute;
    "fabs" "Absolute value, as a float." e::fabs;
    "negative" "-x." e::negative;
    "positive" "+x." e::identity;
    "sign" "-1, 0 or 1 by the sign." e::sign;
    "signbit" "Whether the sign bit is set." e::signbit;
    "floor" "Largest integer not above." e::floor;
    "ceil" "Smallest integer not below." e::ceil;
    "trunc" "Integer part." e::trunc;
    "fix" "Integer part." e::trunc;
    "rint" "Nearest integer, halves to even." e::rint;
    "sinc" "sin(pi x) / (pi x)." e::sinc;
    "deg2rad" "Degrees to radians." e::deg2rad;
    "rad2deg" "Radians to degrees." e::rad2deg;
    "radians" "Degrees to radians." e::deg2rad;
    "degrees" "Radians to degrees." e::rad2deg;
    "real" "Real part." e::identity;
    "imag" "Imaginary part." e::imag;
    "conj" "Complex conjugate." e::identity;
    "conjugate" "Complex conjugate." e::identity;
    "isnan" "Whether each element is NaN." e::isnan;
    "isposinf" "Whether each element is positive infinity." e::isposinf;
    "isneginf" "Whether each element is negative infinity." e::isneginf;
    "isinf" "Whether each element is infinite." e::isinf;
    "isfinite" "Whether each element is neither infinite nor NaN." e::isfinite;
    "iscomplex" "Whether each element has an imaginary part." e::iscomplex;
    "isreal" "Whether each element has no imaginary part." e::isreal;
    "logical_not" "Logical not." e::logical_not;
    "invert" "Bitwise not." a::invert;
    "bitwise_not" "Bitwise not." a::invert;
    "bitwise_invert" "Bitwise not." a::invert;
    "bitwise_count" "Number of bits set in the absolute value." e::bitwise_count;
    "spacing" "Distance to the next float." e::spacing;
}

rows! { BINARY_JAX BINARY_NUMPY run_binary "(x1, x2, /)" "(x1, x2, /, out=None, *, where=True, casting='same_kind', dtype=None)"
    "add" "x1 + x2." a::add;
    "subtract" "x1 - x2." a::subtract;
    "multiply" "x1 * x2." a::multiply;
    "divide" "x1 / x2, as floats." a::true_divide;
    "true_divide" "x1 / x2, as floats." a::true_divide;
    "floor_divide" "x1 // x2." a::floor_divide;
    "mod" "x1 % x2, with the sign of x2." a::remainder;
    "remainder" "x1 % x2, with the sign of x2." a::remainder;
    "fmod" "Remainder with the sign of x1." a::fmod;
    "power" "x1 ** x2." a::power;
    "pow" "x1 ** x2." a::power;
    "float_power" "x1 ** x2, as floats." e::float_power;
    "maximum" "The larger; NaN if either is." e::maximum;
    "minimum" "The smaller; NaN if either is." e::minimum;
    "fmax" "The larger; NaN only if both are." e::fmax;
    "fmin" "The smaller; NaN only if both are." e::fmin;
    "logical_and" "Logical and." |cx, x, y| e::logical(cx, &ops::AND, x, y);
    "logical_or" "Logical or." |cx, x, y| e::logical(cx, &ops::OR, x, y);
    "logical_xor" "Logical exclusive or." |cx, x, y| e::logical(cx, &ops::XOR, x, y);
    "bitwise_and" "Bitwise and." a::bitwise_and;
    "bitwise_or" "Bitwise or." a::bitwise_or;
    "bitwise_xor" "Bitwise exclusive or." a::bitwise_xor;
    "left_shift" "x1 << x2." a::left_shift;
    "right_shift" "x1 >> x2; the sign is kept." a::right_shift;
    "bitwise_left_shift" "x1 << x2." a::left_shift;
    "bitwise_right_shift" "x1 >> x2; the sign is kept." a::right_shift;
    "equal" "x1 == x2." |cx, x, y| a::simple(cx, "eq", &ops::EQ, x, y);
    "not_equal" "x1 != x2." |cx, x, y| a::simple(cx, "ne", &ops::NE, x, y);
    "less" "x1 < x2." |cx, x, y| a::simple(cx, "lt", &ops::LT, x, y);
    "less_equal" "x1 <= x2." |cx, x, y| a::simple(cx, "le", &ops::LE, x, y);
    "greater" "x1 > x2." |cx, x, y| a::simple(cx, "gt", &ops::GT, x, y);
    "greater_equal" "x1 >= x2." |cx, x, y| a::simple(cx, "ge", &ops::GE, x, y);
    "hypot" "sqrt(x1**2 + x2**2) without overflow." e::hypot;
    "arctan2" "Angle of the point (x2, x1)." e::arctan2;
    "atan2" "Angle of the point (x2, x1)." e::arctan2;
    "logaddexp" "log(exp(x1) + exp(x2)) without overflow." |cx, x, y| e::log_add_exp(cx, x, y, false);
    "logaddexp2" "log2(2**x1 + 2**x2) without overflow." |cx, x, y| e::log_add_exp(cx, x, y, true);
    "copysign" "x1 with the sign of x2." e::copysign;
    "nextafter" "The next float after x1 in the direction of x2." e::nextafter;
    "heaviside" "0 below 0, 1 above, x2 at 0." e::heaviside;
    "ldexp" "x1 * 2**x2." e::ldexp;
    "gcd" "Greatest common divisor." e::gcd;
    "lcm" "Least common multiple." e::lcm;
}

functions! { JAX_ROWS NUMPY_ROWS
    "round" "(a, decimals=0, out=None)" "Rounds to a number of decimals, halves to even." round;
    "around" "(a, decimals=0, out=None)" "Rounds to a number of decimals, halves to even." round;
    "clip" "(arr=None, /, min=None, max=None, out=None, *, a_min=None, a_max=None)" "Limits values to an interval." clip;
    "nan_to_num" "(x, copy=True, nan=0.0, posinf=None, neginf=None)" "Replaces NaN and infinities by numbers." nan_to_num;
    "divmod" "(x1, x2, /)" "Quotient and remainder." divmod;
    "modf" "(x, /, out=None)" "Fractional and integral parts." modf;
    "frexp" "(x, /)" "Fraction and exponent." frexp;
    "angle" "(z, deg=False)" "Angle of complex numbers." angle;
}

fn run_unary(cx: &Context<'_>, args: Arguments, name: &str, compute: Unary) -> PyResult<Value> {
    let x = call::operand(cx, args.get(0), name)?;
    match cx.rules {
        Rules::Jax => result(cx, compute(cx, &x)?),
        Rules::Numpy => {
            let x = with_dtype(cx, &x, args.get(4))?;
            let tile = compute(cx, &x)?;
            finish_numpy(cx, tile, args.get(1), args.get(2))
        }
    }
}

fn run_binary(cx: &Context<'_>, args: Arguments, name: &str, compute: Binary) -> PyResult<Value> {
    let x = call::operand(cx, args.get(0), name)?;
    let y = call::operand_at(cx, args.get(1), name, 1)?;
    match cx.rules {
        Rules::Jax => result(cx, compute(cx, &x, &y)?),
        Rules::Numpy => {
            let (x, y) = (with_dtype(cx, &x, args.get(5))?, with_dtype(cx, &y, args.get(5))?);
            let tile = compute(cx, &x, &y)?;
            finish_numpy(cx, tile, args.get(2), args.get(3))
        }
    }
}

/// numpy's `dtype=`: the operands are converted first.
fn with_dtype(cx: &Context<'_>, x: &Tile, dtype: &Value) -> PyResult<Tile> {
    match call::dtype(cx, dtype)? {
        Some(dtype) => p::convert(cx, x, dtype, false),
        None => Ok(x.clone()),
    }
}

/// numpy's `out=` and `where=`.
fn finish_numpy(cx: &Context<'_>, tile: Tile, out: &Value, mask: &Value) -> PyResult<Value> {
    let out = match out {
        Value::Tuple(items) if items.len() == 1 => &items[0],
        out => out,
    };
    let masked = !matches!(mask, Value::Bool(true) | Value::None | Value::Unset);
    let Some(out) = given(out) else {
        // Without `out` the elements that the mask leaves out are whatever is in memory.
        return result(cx, tile);
    };
    let tile = if masked {
        let mask = call::operand(cx, mask, "where")?;
        let before = call::operand(cx, out, "out")?;
        compose::choose(cx, &mask, &tile, &before)?
    } else {
        tile
    };
    cx.interp.set_item(out, &Value::Ellipsis, convert::value(cx, tile))?;
    Ok(out.clone())
}

fn round(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, decimals, out] = args.take();
    let x = call::operand(cx, &x, "round")?;
    let tile = e::round(cx, &x, call::integer(cx, &decimals, 0)?)?;
    if cx.rules == Rules::Numpy {
        return finish_numpy(cx, tile, &out, &Value::None);
    }
    call::refuse_out(cx, &out, "round")?;
    result(cx, tile)
}

fn clip(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, low, high, out, a_min, a_max] = args.take();
    if given(&x).is_none() {
        return Err(cx.interp.value_error("No input was provided to the clip function."));
    }
    let x = call::operand(cx, &x, "clip")?;
    let limit = |value: &Value, old: &Value, name: &str| -> PyResult<Option<Tile>> {
        given(value).or(given(old)).map(|value| call::operand(cx, value, name)).transpose()
    };
    let (low, high) = (limit(&low, &a_min, "maximum")?, limit(&high, &a_max, "minimum")?);
    let tile = e::clip(cx, &x, low.as_ref(), high.as_ref())?;
    match cx.rules {
        Rules::Jax => result(cx, tile),
        Rules::Numpy => finish_numpy(cx, tile, &out, &Value::None),
    }
}

fn nan_to_num(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, _copy, nan, positive, negative] = args.take();
    let x = call::operand(cx, &x, "nan_to_num")?;
    let optional = |value: &Value| given(value).map(|v| call::operand(cx, v, "nan_to_num")).transpose();
    let nan = call::operand(cx, &nan, "nan_to_num")?;
    let tile = e::nan_to_num(cx, &x, &nan, optional(&positive)?.as_ref(), optional(&negative)?.as_ref())?;
    result(cx, tile)
}

fn divmod(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = call::operand(cx, args.get(0), "divmod")?;
    let y = call::operand_at(cx, args.get(1), "divmod", 1)?;
    let (quotient, rest) = a::divmod(cx, &x, &y)?;
    results(cx, [quotient, rest])
}

fn modf(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let (fraction, whole) = e::modf(cx, &call::operand(cx, args.get(0), "modf")?)?;
    results(cx, [fraction, whole])
}

fn frexp(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let (fraction, exponent) = e::frexp(cx, &call::operand(cx, args.get(0), "frexp")?)?;
    results(cx, [fraction, exponent])
}

fn angle(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = e::inexact(cx, &call::operand(cx, args.get(0), "angle")?)?;
    let zero = call::constant_like(cx, &x, 0.0)?;
    let radians = p::binary(cx, &ops::ATAN2, &zero, &x)?;
    let tile = if call::flag(cx, args.get(1))? { e::rad2deg(cx, &radians)? } else { radians };
    result(cx, tile)
}

/// Functions that are `ufunc` objects in JAX, with the reduction and the running reduction behind their methods.
static UFUNCS: &[(&str, &str, &str)] = &[
    ("add", "sum", "cumsum"),
    ("multiply", "prod", "cumprod"),
    ("subtract", "", ""),
    ("maximum", "max", ""),
    ("minimum", "min", ""),
    ("logical_and", "all", ""),
    ("logical_or", "any", ""),
    ("logical_xor", "", ""),
    ("bitwise_and", "", ""),
    ("bitwise_or", "", ""),
    ("bitwise_xor", "", ""),
    ("logaddexp", "", ""),
    ("logaddexp2", "", ""),
];

/// `jnp.add`: callable, with `reduce`, `accumulate` and `outer`.
struct Ufunc {
    function: Rc<NativeFunction>,
    rules: Rules,
    reduce: &'static str,
    accumulate: &'static str,
}

static JAX_UFUNC: NativeClass = ufunc_class("jax.numpy");
static NUMPY_UFUNC: NativeClass = ufunc_class("numpy");

const fn ufunc_class(module: &'static str) -> NativeClass {
    NativeClass {
        name: "ufunc",
        module,
        doc: "An elementwise function with reductions.",
        methods: &[
            NativeDef {
                name: "reduce",
                signature: "(self, a, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None)",
                doc: "Combines all elements along an axis.",
                run: reduce,
            },
            NativeDef {
                name: "accumulate",
                signature: "(self, a, axis=0, dtype=None, out=None)",
                doc: "Combines the elements so far along an axis.",
                run: accumulate,
            },
            NativeDef {
                name: "outer",
                signature: "(self, a, b, /)",
                doc: "Applies the function to every pair of elements.",
                run: outer,
            },
        ],
        properties: &[],
        construct: None,
        instance_check: None,
    }
}

/// The value of a row: a `ufunc` object where JAX or numpy has one, else a function.
pub fn function_value(row: &'static NativeDef, rules: Rules) -> Value {
    let module = if rules == Rules::Jax { "jax.numpy" } else { "numpy" };
    let function = NativeFunction::new(row, module);
    // `conj` is a method of arrays, too, and methods are functions.
    let is_elementwise =
        [UNARY_NUMPY[0].signature, BINARY_NUMPY[0].signature].contains(&row.signature) && !row.name.starts_with("conj");
    match UFUNCS.iter().find(|(name, ..)| *name == row.name) {
        Some(&(_, reduce, accumulate)) => Value::object(Ufunc { function, rules, reduce, accumulate }),
        None if rules == Rules::Numpy && is_elementwise => {
            Value::object(Ufunc { function, rules, reduce: "", accumulate: "" })
        }
        None => Value::Native(function),
    }
}

impl Object for Ufunc {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(if self.rules == Rules::Jax { &JAX_UFUNC } else { &NUMPY_UFUNC })
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some(interp.call(&Value::Native(self.function.clone()), args))
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "__name__" | "__qualname__" => Some(Value::from(self.function.def.name)),
            "__doc__" => Some(Value::from(self.function.def.doc)),
            "nout" => Some(Value::from(1i64)),
            "nin" => Some(Value::from(self.function.def.signature.matches("x").count().min(2))),
            _ => None,
        })
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        let prefix = if self.rules == Rules::Jax { "jnp." } else { "" };
        Ok(Some(format!("<{prefix}ufunc '{}'>", self.function.def.name)))
    }
}

/// The ufunc that a method was called on.
fn receiver<'v>(interp: &Interp, value: &'v Value) -> PyResult<&'v Ufunc> {
    value.downcast::<Ufunc>().ok_or_else(|| interp.type_error("descriptor requires a 'ufunc' object"))
}

/// A function of the same module, by name.
fn sibling(interp: &Interp, rules: Rules, name: &str) -> PyResult<Value> {
    let module = interp.import(if rules == Rules::Jax { "jax.numpy" } else { "numpy" })?;
    interp.get_attr(&module, name)
}

fn keyword_call(interp: &Interp, function: &Value, x: &Value, keywords: &[(&str, &Value)]) -> PyResult<Value> {
    let mut args = CallArgs::positional([x.clone()]);
    for (name, value) in keywords {
        if given(value).is_some() || *name == "axis" {
            args.keywords.push((pallas_syntax::ast::Name::from(*name), (*value).clone()));
        }
    }
    interp.call(function, args)
}

fn reduce(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, x, axis, dtype, out, keepdims, initial, mask] = args.take();
    let ufunc = receiver(interp, &this)?;
    if !ufunc.reduce.is_empty() {
        let function = sibling(interp, ufunc.rules, ufunc.reduce)?;
        let keywords = [
            ("axis", &axis),
            ("dtype", &dtype),
            ("out", &out),
            ("keepdims", &keepdims),
            ("initial", &initial),
            ("where", &mask),
        ];
        return keyword_call(interp, &function, &x, &keywords);
    }
    // Functions without a reduction of their own combine the slices along the axis one after the other.
    let cx = Context { rules: ufunc.rules, ..Context::jax(interp) };
    let tile = call::operand(&cx, &x, "reduce")?;
    let (tile, axis) = if given(&axis).is_some() {
        let axis = convert::axis(&cx, &axis, tile.rank())?;
        (tile, axis)
    } else {
        (p::reshape(&cx, &tile, &pallas_tensor::Shape::from([tile.shape().size()]))?, 0)
    };
    let mut slices = (0..tile.shape()[axis]).map(|i| compose::take_axis(&cx, &tile, axis, i));
    let Some(first) = slices.next() else {
        let message =
            format!("zero-size array to reduction operation {} which has no identity", ufunc.function.def.name);
        return Err(interp.value_error(message));
    };
    let mut total = convert::value(&cx, first?);
    for slice in slices {
        let pair = [total, convert::value(&cx, slice?)];
        total = interp.call(&Value::Native(ufunc.function.clone()), CallArgs::positional(pair))?;
    }
    if call::flag(&cx, &keepdims)? {
        let tile = call::operand(&cx, &total, "reduce")?;
        return result(&cx, p::expand_dims(&cx, &tile, &[axis])?);
    }
    Ok(total)
}

fn accumulate(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, x, axis, dtype, out] = args.take();
    let ufunc = receiver(interp, &this)?;
    if !ufunc.accumulate.is_empty() {
        let function = sibling(interp, ufunc.rules, ufunc.accumulate)?;
        return keyword_call(interp, &function, &x, &[("axis", &axis), ("dtype", &dtype), ("out", &out)]);
    }
    let cx = Context { rules: ufunc.rules, ..Context::jax(interp) };
    let tile = call::operand(&cx, &x, "accumulate")?;
    let axis = convert::axis(&cx, &axis, tile.rank())?;
    let mut parts = Vec::new();
    for i in 0..tile.shape()[axis] {
        let slice = convert::value(&cx, compose::take_axis(&cx, &tile, axis, i)?);
        let next = match parts.last() {
            None => slice,
            Some(last) => {
                let pair = [convert::value(&cx, Tile::clone(last)), slice];
                interp.call(&Value::Native(ufunc.function.clone()), CallArgs::positional(pair))?
            }
        };
        parts.push(call::operand(&cx, &next, "accumulate")?);
    }
    if parts.is_empty() {
        return result(&cx, tile);
    }
    result(&cx, super::joining::stack_tiles(&cx, &parts, axis)?)
}

fn outer(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, x, y] = args.take();
    let ufunc = receiver(interp, &this)?;
    let cx = Context { rules: ufunc.rules, ..Context::jax(interp) };
    let (x, y) = (call::operand(&cx, &x, "outer")?, call::operand(&cx, &y, "outer")?);
    let axes: Vec<usize> = (x.rank()..x.rank() + y.rank()).collect();
    let x = p::expand_dims(&cx, &x, &axes)?;
    let pair = [convert::value(&cx, x), convert::value(&cx, y)];
    interp.call(&Value::Native(ufunc.function.clone()), CallArgs::positional(pair))
}
