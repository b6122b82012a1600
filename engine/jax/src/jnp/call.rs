//! What every function of `jax.numpy` and `numpy` does with its arguments: reading array-likes, flags, axes and sizes,
//! and the two table rows (one per module) that each function gets. Computes nothing.

use crate::context::{Context, Rules};
use crate::convert;
use crate::errors;
use crate::tile::Tile;
use pallas_python::CallArgs;
use pallas_python::Stop;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{Array, DType, Scalar};

/// A function of either module.
pub type Body = fn(&Context<'_>, Arguments) -> PyResult<Value>;

/// Tables of the same functions under JAX's and under numpy's rules.
macro_rules! functions {
    ($jax:ident $numpy:ident $( $name:literal $signature:literal $doc:literal $body:expr; )*) => {
        /// Rows of `jax.numpy`.
        pub static $jax: &[pallas_python::native::NativeDef] = &[$(pallas_python::native::NativeDef {
            name: $name,
            signature: $signature,
            doc: $doc,
            run: |interp, args| $crate::jnp::call::enter(&$crate::context::Context::jax(interp), args, $body),
        }),*];
        /// Rows of `numpy`.
        pub static $numpy: &[pallas_python::native::NativeDef] = &[$(pallas_python::native::NativeDef {
            name: $name,
            signature: $signature,
            doc: $doc,
            run: |interp, args| $crate::jnp::call::enter(&$crate::context::Context::numpy(interp), args, $body),
        }),*];
    };
}
pub(crate) use functions;

/// Runs a function; in analysis, one that is given something unknown gives something unknown.
pub fn enter(cx: &Context<'_>, args: Arguments, body: Body) -> PyResult<Value> {
    if cx.interp.is_analysis()
        && let Some(unknown) = args.values().iter().find_map(|value| find_unknown(value, 3))
    {
        return Ok(unknown);
    }
    body(cx, args)
}

/// The first unknown in a value, looking into sequences and keyword dicts.
pub fn find_unknown(value: &Value, depth: usize) -> Option<Value> {
    match value {
        Value::Unknown(_) => Some(value.clone()),
        _ if depth == 0 => None,
        Value::Tuple(items) => items.iter().find_map(|item| find_unknown(item, depth - 1)),
        Value::List(items) => items.borrow().iter().find_map(|item| find_unknown(item, depth - 1)),
        Value::Dict(entries) => entries.borrow().iter().find_map(|(_, item)| find_unknown(item, depth - 1)),
        _ => None,
    }
}

/// An argument as an array.
///
/// # Errors
/// JAX's `TypeError` for what is neither array nor number; numpy takes nested sequences, too, and refuses tracers.
pub fn operand(cx: &Context<'_>, value: &Value, function: &str) -> PyResult<Tile> {
    operand_at(cx, value, function, 0)
}

/// As [`operand`], for the argument at `position`.
pub fn operand_at(cx: &Context<'_>, value: &Value, function: &str, position: usize) -> PyResult<Tile> {
    match try_operand(cx, value)? {
        Some(tile) => Ok(tile),
        None => Err(not_an_array(cx, value, function, position)),
    }
}

/// Several arguments as arrays.
pub fn operands(cx: &Context<'_>, values: &[Value], function: &str) -> PyResult<Vec<Tile>> {
    values.iter().enumerate().map(|(position, value)| operand_at(cx, value, function, position)).collect()
}

/// A value as an array where it is one: numbers, arrays, objects with `__jax_array__`; sequences under numpy's rules.
pub fn try_operand(cx: &Context<'_>, value: &Value) -> PyResult<Option<Tile>> {
    if let Value::Instance(_) = value {
        let plain = cx.interp.plain(value);
        if !matches!(plain, Value::Instance(_)) {
            return try_operand(cx, &plain);
        }
        return match cx.interp.find_attr(value, "__jax_array__")? {
            Some(method) => {
                let array = cx.interp.call(&method, CallArgs::default())?;
                try_operand(cx, &array)
            }
            None => Ok(None),
        };
    }
    if cx.rules == Rules::Numpy && matches!(value, Value::List(_) | Value::Tuple(_) | Value::Range(_)) {
        return super::creation::array_from(cx, value, None).map(Some);
    }
    match convert::try_tile(cx, value)? {
        Some(Tile::Traced(traced)) if cx.rules == Rules::Numpy => Err(tracer_in_numpy(cx, &traced)),
        Some(Tile::Concrete { array, .. }) if cx.rules == Rules::Numpy && !is_python_number(value) => {
            Ok(Some(Tile::concrete(array)))
        }
        other => Ok(other),
    }
}

/// Whether a value is a Python number, whose dtype is weak.
pub fn is_python_number(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Int(_) | Value::Float(_))
}

/// `TracerArrayConversionError`: a numpy function was called on a value of a trace.
pub fn tracer_in_numpy(cx: &Context<'_>, traced: &crate::tile::Traced) -> Box<Stop> {
    let class = errors::tracer_array(cx.interp);
    let message = format!(
        "The numpy.ndarray conversion method __array__() was called on traced array with shape {}\n{}\nSee \
         https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerArrayConversionError",
        errors::type_text(&traced.ty),
        crate::blame::origin(cx, traced)
    );
    cx.interp.error_with(
        &class,
        message,
        pallas_python::Diagnosis {
            code: "PL308",
            help: Some("use the function of the same name in `jax.numpy`".to_string()),
            ..Default::default()
        },
    )
}

fn not_an_array(cx: &Context<'_>, value: &Value, function: &str, position: usize) -> Box<Stop> {
    if position == 0 || value.is_unknown() || value.downcast::<crate::refs::RefObject>().is_some() {
        return convert::not_an_array(cx, value, function);
    }
    let class = cx.interp.type_of(value);
    let shown = cx.interp.repr(&Value::Class(class)).unwrap_or_default();
    cx.interp
        .type_error(format!("{function} requires ndarray or scalar arguments, got {shown} at position {position}."))
}

/// An optional argument: `None` where it is `None` or was not given.
pub fn given(value: &Value) -> Option<&Value> {
    (!value.is_none() && !value.is_unset()).then_some(value)
}

/// A flag such as `keepdims`.
pub fn flag(cx: &Context<'_>, value: &Value) -> PyResult<bool> {
    match value {
        Value::None | Value::Unset => Ok(false),
        Value::Bool(value) => Ok(*value),
        value => cx.interp.truth(value),
    }
}

/// An integer argument, or `default` where it was not given.
pub fn integer(cx: &Context<'_>, value: &Value, default: i64) -> PyResult<i64> {
    given(value).map_or(Ok(default), |value| cx.interp.to_i64(value))
}

/// `out=` is refused, as in JAX. Under numpy's rules the result is written into it by the caller's row.
pub fn refuse_out(cx: &Context<'_>, out: &Value, function: &str) -> PyResult<()> {
    match given(out) {
        None => Ok(()),
        Some(_) => {
            Err(cx.interp.not_implemented_error(format!("The 'out' argument to jnp.{function} is not supported.")))
        }
    }
}

/// An int or a sequence of ints.
pub fn int_sequence(cx: &Context<'_>, value: &Value) -> PyResult<Vec<i64>> {
    match cx.interp.as_index(value) {
        Ok(Some(_)) => Ok(vec![cx.interp.to_i64(value)?]),
        // Arrays of several elements have no index value, but they have elements.
        _ => cx.interp.collect(value)?.iter().map(|item| cx.interp.to_i64(item)).collect(),
    }
}

/// The data of a tile, for functions whose result depends on values.
///
/// # Errors
/// `ConcretizationTypeError` for traced values.
pub fn concrete<'t>(cx: &Context<'_>, tile: &'t Tile, what: &str) -> PyResult<Option<&'t Array>> {
    match tile {
        Tile::Concrete { array, .. } => Ok(Some(array)),
        Tile::Abstract(_) => Ok(None),
        Tile::Traced(traced) => Err(errors::concrete_value_needed(cx, traced, what)),
    }
}

/// What analysis knows of a result that depends on values it does not have.
pub fn data_dependent(cx: &Context<'_>, function: &str) -> Value {
    Value::unknown(format!("the result of {function} depends on values"), Some(cx.interp.span()))
}

/// Puts concrete data into the open trace, as JAX does for every array that is made while one is open.
pub fn stage(cx: &Context<'_>, tile: Tile) -> PyResult<Tile> {
    let Some(trace) = cx.trace() else { return Ok(tile) };
    if tile.is_traced() {
        return Ok(tile);
    }
    let value = cx.value_in(&trace, &tile)?;
    Ok(trace.tile(value).unwrap_or(tile))
}

/// A dtype argument, checked and with JAX's 64-bit rule.
pub fn dtype(cx: &Context<'_>, value: &Value) -> PyResult<Option<DType>> {
    crate::dtype::optional(cx, value)
}

/// A constant of a given dtype and shape like `x`'s, weak if `x` is (`lax.full_like`, and Python numbers beside `x`).
pub fn constant_like(cx: &Context<'_>, x: &Tile, value: f64) -> PyResult<Tile> {
    crate::primitive::broadcast_to(cx, &crate::primitive::scalar_like(x, value), x.shape())
}

/// As [`constant_like`], never weak (`_constant_like` in jax/_src/numpy/ufuncs.py).
pub fn strong_constant_like(cx: &Context<'_>, x: &Tile, value: f64) -> PyResult<Tile> {
    let scalar = crate::primitive::convert(cx, &crate::primitive::scalar_like(x, value), x.dtype(), false)?;
    crate::primitive::broadcast_to(cx, &scalar, x.shape())
}

/// The scalar of a Python number.
pub fn python_scalar(value: &Value) -> Option<Scalar> {
    match value {
        Value::Bool(value) => Some(Scalar::Bool(*value)),
        Value::Int(value) => value.to_i64().map(|value| Scalar::Int(value.into())),
        Value::Float(value) => Some(Scalar::Float(*value)),
        _ => None,
    }
}

/// A tile as a value of the module whose rules apply.
pub fn result(cx: &Context<'_>, tile: Tile) -> PyResult<Value> {
    Ok(convert::value(cx, tile))
}

/// A tuple of arrays.
pub fn results(cx: &Context<'_>, tiles: impl IntoIterator<Item = Tile>) -> PyResult<Value> {
    Ok(Value::tuple(tiles.into_iter().map(|tile| convert::value(cx, tile)).collect::<Vec<_>>()))
}

/// A list of arrays.
pub fn result_list(cx: &Context<'_>, tiles: impl IntoIterator<Item = Tile>) -> PyResult<Value> {
    Ok(Value::list(tiles.into_iter().map(|tile| convert::value(cx, tile)).collect::<Vec<_>>()))
}
