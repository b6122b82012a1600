//! Elementwise functions of `jax.lax`. Python scalars take the other operand's dtype; anything else must agree already.

use crate::context::Context;
use crate::convert;
use crate::dtype;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, OpDef, ops};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Shape};

macro_rules! unary_rows {
    ($($name:literal $op:ident $doc:literal;)*) => {
        /// Functions of one operand.
        pub(super) static UNARY: &[NativeDef] = &[$(NativeDef {
            name: $name,
            signature: "(x, accuracy=None)",
            doc: $doc,
            run: |interp, args| {
                let [x, _accuracy] = args.take();
                let cx = Context::jax(interp);
                let x = convert::operand(&cx, &x, $name)?;
                Ok(convert::value(&cx, p::unary(&cx, &ops::$op, &x)?))
            },
        }),*];
    };
}

unary_rows! {
    "abs" ABS "The absolute value.";
    "acos" ACOS "The inverse cosine.";
    "acosh" ACOSH "The inverse hyperbolic cosine.";
    "asin" ASIN "The inverse sine.";
    "asinh" ASINH "The inverse hyperbolic sine.";
    "atan" ATAN "The inverse tangent.";
    "atanh" ATANH "The inverse hyperbolic tangent.";
    "bitwise_not" NOT "Bits inverted.";
    "cbrt" CBRT "The cube root.";
    "ceil" CEIL "Rounds up.";
    "clz" CLZ "Leading zero bits.";
    "cos" COS "The cosine.";
    "cosh" COSH "The hyperbolic cosine.";
    "digamma" DIGAMMA "The derivative of lgamma.";
    "erf" ERF "The error function.";
    "erf_inv" ERF_INV "The inverse of the error function.";
    "erfc" ERFC "One minus the error function.";
    "exp" EXP "The exponential.";
    "exp2" EXP2 "Two to the power of x.";
    "expm1" EXPM1 "The exponential minus one.";
    "floor" FLOOR "Rounds down.";
    "is_finite" IS_FINITE "Neither infinite nor NaN.";
    "lgamma" LGAMMA "The logarithm of the gamma function.";
    "log" LOG "The natural logarithm.";
    "log1p" LOG1P "The logarithm of one plus x.";
    "logistic" LOGISTIC "The sigmoid.";
    "neg" NEG "The negative.";
    "population_count" POPULATION_COUNT "Bits that are set.";
    "rsqrt" RSQRT "The reciprocal square root.";
    "sign" SIGN "-1, 0 or 1.";
    "sin" SIN "The sine.";
    "sinh" SINH "The hyperbolic sine.";
    "sqrt" SQRT "The square root.";
    "square" SQUARE "x times x.";
    "tan" TAN "The tangent.";
    "tanh" TANH "The hyperbolic tangent.";
}

macro_rules! binary_rows {
    ($($name:literal $op:ident $doc:literal;)*) => {
        /// Functions of two operands.
        pub(super) static BINARY: &[NativeDef] = &[$(NativeDef {
            name: $name,
            signature: "(x, y)",
            doc: $doc,
            run: |interp, args| {
                let [x, y] = args.take();
                let cx = Context::jax(interp);
                let [x, y] = pair(&cx, &x, &y, $name)?;
                Ok(convert::value(&cx, p::binary(&cx, &ops::$op, &x, &y)?))
            },
        }),*];
    };
}

binary_rows! {
    "add" ADD "The sum.";
    "atan2" ATAN2 "The angle of a point.";
    "bitwise_and" AND "Bitwise and.";
    "bitwise_or" OR "Bitwise or.";
    "bitwise_xor" XOR "Bitwise exclusive or.";
    "div" DIV "The quotient; integers truncate.";
    "eq" EQ "Equal.";
    "ge" GE "Not less.";
    "gt" GT "Greater.";
    "le" LE "Not greater.";
    "lt" LT "Less.";
    "max" MAX "The larger.";
    "min" MIN "The smaller.";
    "mul" MUL "The product.";
    "ne" NE "Not equal.";
    "nextafter" NEXTAFTER "The float after x towards y.";
    "pow" POW "x to the power of y.";
    "rem" REM "The remainder, with the sign of x.";
    "shift_left" SHIFT_LEFT "Bits moved up.";
    "shift_right_arithmetic" SHIFT_RIGHT_ARITHMETIC "Bits moved down, the sign kept.";
    "shift_right_logical" SHIFT_RIGHT_LOGICAL "Bits moved down, zeros coming in.";
    "sub" SUB "The difference.";
}

/// Everything elementwise that is neither.
pub(super) static MORE: &[NativeDef] = &[
    NativeDef {
        name: "reciprocal",
        signature: "(x)",
        doc: "1 / x.",
        run: |interp, args| {
            let [x] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "reciprocal")?;
            let one = p::broadcast_to(&cx, &p::scalar_like(&x, 1.0), x.shape())?;
            Ok(convert::value(&cx, p::binary(&cx, &ops::DIV, &one, &x)?))
        },
    },
    NativeDef {
        name: "round",
        signature: "(x, rounding_method=0)",
        doc: "Rounds to integers: half away from zero, or half to even for method 1.",
        run: |interp, args| {
            let [x, method] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "round")?;
            let method = match &method {
                Value::Int(_) => interp.to_i64(&method)?,
                method => interp.to_i64(&interp.get_attr(method, "value")?)?,
            };
            let attributes = Attributes::none().with("rounding", Attribute::Int(method));
            Ok(convert::value(&cx, cx.bind(&ops::ROUND, &[&x], attributes)?))
        },
    },
    NativeDef {
        name: "integer_pow",
        signature: "(x, y)",
        doc: "x to the power of a known integer.",
        run: |interp, args| {
            let [x, y] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "integer_pow")?;
            let attributes = Attributes::none().with("y", Attribute::Int(interp.to_i64(&y)?));
            Ok(convert::value(&cx, cx.bind(&ops::INTEGER_POW, &[&x], attributes)?))
        },
    },
    NativeDef { name: "clamp", signature: "(min, x, max)", doc: "x held between two bounds.", run: clamp },
    NativeDef {
        name: "select",
        signature: "(pred, on_true, on_false)",
        doc: "Elements of one array or the other.",
        run: select,
    },
    NativeDef {
        name: "select_n",
        signature: "(which, *cases)",
        doc: "Elements of the case that `which` names.",
        run: |interp, args| {
            let [which, cases] = args.take();
            let cx = Context::jax(interp);
            let which = convert::operand(&cx, &which, "select_n")?;
            let cases = interp
                .collect(&cases)?
                .iter()
                .map(|case| convert::operand(&cx, case, "select_n"))
                .collect::<PyResult<Vec<_>>>()?;
            let operands: Vec<&Tile> = std::iter::once(&which).chain(&cases).collect();
            Ok(convert::value(&cx, cx.bind(&ops::SELECT_N, &operands, Attributes::none())?))
        },
    },
    NativeDef {
        name: "convert_element_type",
        signature: "(operand, new_dtype)",
        doc: "The elements as another dtype.",
        run: |interp, args| {
            let [x, dtype] = args.take();
            let cx = Context::jax(interp);
            let tile = convert::operand(&cx, &x, "convert_element_type")?;
            let dtype = dtype::parse_canonical(&cx, &dtype)?;
            let converted = p::convert(&cx, &tile, dtype, false)?;
            // A number of Python's in a kernel is made there; it is not captured.
            match (&x, cx.trace()) {
                (Value::Int(_) | Value::Float(_) | Value::Bool(_), Some(trace)) => {
                    let value = cx.value_in(&trace, &converted)?;
                    Ok(convert::value(&cx, trace.tile(value).unwrap_or(converted)))
                }
                _ => Ok(convert::value(&cx, converted)),
            }
        },
    },
    NativeDef {
        name: "bitcast_convert_type",
        signature: "(operand, new_dtype)",
        doc: "The bits as another dtype.",
        run: |interp, args| {
            let [x, dtype] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "bitcast_convert_type")?;
            let dtype = dtype::parse_canonical(&cx, &dtype)?;
            let attributes = Attributes::none().with("dtype", Attribute::DType(dtype));
            Ok(convert::value(&cx, cx.bind(&ops::BITCAST_CONVERT_TYPE, &[&x], attributes)?))
        },
    },
    NativeDef {
        name: "reduce_precision",
        signature: "(operand, exponent_bits, mantissa_bits)",
        doc: "Rounds as a float format with fewer bits would.",
        run: |interp, args| {
            let [x, exponent, mantissa] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "reduce_precision")?;
            let attributes = Attributes::none()
                .with("exponent_bits", Attribute::Int(interp.to_i64(&exponent)?))
                .with("mantissa_bits", Attribute::Int(interp.to_i64(&mantissa)?));
            Ok(convert::value(&cx, cx.bind(&ops::REDUCE_PRECISION, &[&x], attributes)?))
        },
    },
    NativeDef { name: "stop_gradient", signature: "(x)", doc: "x, as a constant to gradients.", run: stop_gradient },
    NativeDef {
        name: "optimization_barrier",
        signature: "(operand, /)",
        doc: "The operand, kept where it is.",
        run: same,
    },
    NativeDef {
        name: "full",
        signature: "(shape, fill_value, dtype=None, *, sharding=None)",
        doc: "An array of one value.",
        run: |interp, args| {
            let [shape, value, dtype, _] = args.take();
            let cx = Context::jax(interp);
            let shape = convert::shape(&cx, &shape)?;
            filled(&cx, &value, &dtype, &shape, None)
        },
    },
    NativeDef {
        name: "full_like",
        signature: "(x, fill_value, dtype=None, shape=None, sharding=None)",
        doc: "An array of one value, like another.",
        run: |interp, args| {
            let [like, value, dtype, shape, _] = args.take();
            let cx = Context::jax(interp);
            let Some((like_shape, like_dtype)) = crate::pallas::spec::declared(&cx, &like)? else {
                return Err(convert::not_an_array(&cx, &like, "full_like"));
            };
            let shape = match shape.given() {
                Some(shape) => convert::shape(&cx, &shape)?,
                None => like_shape,
            };
            filled(&cx, &value, &dtype, &shape, Some(like_dtype))
        },
    },
];

/// Leaf by leaf; what is no array stays as it is.
fn stop_gradient(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x] = args.take();
    let cx = Context::jax(interp);
    let (leaves, tree) = crate::tree::flatten(interp, &x, None)?;
    let mut stopped = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        stopped.push(match crate::refs::array_tile(&leaf) {
            Some(tile) if tile.is_traced() => convert::value(&cx, crate::transform::custom::stop_gradient(&cx, tile)?),
            _ => leaf,
        });
    }
    crate::tree::unflatten(interp, &tree, &mut stopped.into_iter())
}

fn same(_interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x] = args.take();
    Ok(x)
}

fn filled(cx: &Context<'_>, value: &Value, dtype: &Value, shape: &Shape, like: Option<DType>) -> PyResult<Value> {
    let tile = convert::operand(cx, value, "full")?;
    let dtype = dtype::optional(cx, dtype)?.or(like);
    let tile = match dtype {
        Some(dtype) => p::convert(cx, &tile, dtype, false)?,
        None => tile,
    };
    Ok(convert::value(cx, p::broadcast_to(cx, &tile, shape)?))
}

/// Two operands: a Python scalar takes the other's dtype, and scalars their shape.
fn pair(cx: &Context<'_>, x: &Value, y: &Value, name: &str) -> PyResult<[Tile; 2]> {
    let mut tiles = [convert::operand(cx, x, name)?, convert::operand(cx, y, name)?];
    let weak = [is_python_scalar(x), is_python_scalar(y)];
    for (i, j) in [(0, 1), (1, 0)] {
        if weak[i] && !weak[j] {
            // A Python int is no float here: `lax.add(x, 1)` is refused for floats, as JAX refuses it.
            let fits = tiles[j].dtype().is_float() == tiles[i].dtype().is_float();
            if fits {
                tiles[i] = p::convert(cx, &tiles[i], tiles[j].dtype(), tiles[j].weak())?;
            }
        }
        if tiles[i].rank() == 0 && tiles[j].rank() > 0 {
            tiles[i] = p::broadcast_to(cx, &tiles[i], &tiles[j].shape().clone())?;
        }
    }
    Ok(tiles)
}

fn is_python_scalar(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Int(_) | Value::Float(_))
}

fn clamp(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [low, x, high] = args.take();
    let cx = Context::jax(interp);
    let tile = convert::operand(&cx, &x, "clamp")?;
    let bound = |value: &Value| -> PyResult<Tile> {
        let bound = convert::operand(&cx, value, "clamp")?;
        if is_python_scalar(value) { p::convert(&cx, &bound, tile.dtype(), tile.weak()) } else { Ok(bound) }
    };
    let (low, high) = (bound(&low)?, bound(&high)?);
    Ok(convert::value(&cx, cx.bind(&ops::CLAMP, &[&low, &tile, &high], Attributes::none())?))
}

fn select(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [predicate, on_true, on_false] = args.take();
    let cx = Context::jax(interp);
    let predicate = convert::operand(&cx, &predicate, "select")?;
    let [on_true, on_false] = pair(&cx, &on_true, &on_false, "select")?;
    Ok(convert::value(&cx, p::select(&cx, &predicate, &on_true, &on_false)?))
}

/// An op passed by reference.
pub(super) type Definition = &'static OpDef;
