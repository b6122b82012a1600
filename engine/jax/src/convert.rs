//! From Python values to tiles and back, and JAX's promotion of several operands to one dtype and shape.

use crate::array::ArrayObject;
use crate::context::{Context, Rules};
use crate::primitive;
use crate::state::RankPromotion;
use crate::tile::Tile;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{Array, DType, Scalar, Shape};

/// A value as a tile, if it is array-like: arrays, numpy arrays, Python numbers, and nested lists of them.
///
/// # Errors
/// JAX's `TypeError` for anything else, under the name of the function that was called.
pub fn tile(cx: &Context<'_>, value: &Value, function: &str) -> PyResult<Tile> {
    match try_tile(cx, value)? {
        Some(tile) => Ok(tile),
        None => Err(not_an_array(cx, value, function)),
    }
}

/// An operand of a function of `jax.lax`, which names the primitive where it refuses a Ref.
pub fn operand(cx: &Context<'_>, value: &Value, primitive: &str) -> PyResult<Tile> {
    match value.downcast::<crate::refs::RefObject>() {
        Some(object) => Err(crate::refs::passed_to_primitive(cx, object, primitive)),
        None => tile(cx, value, primitive),
    }
}

/// `sin requires ndarray or scalar arguments, got <class 'list'> at position 0.`
pub fn not_an_array(cx: &Context<'_>, value: &Value, function: &str) -> Box<pallas_python::Stop> {
    if value.downcast::<crate::refs::RefObject>().is_some() {
        return crate::refs::used_as_array(cx, value, function);
    }
    let class = cx.interp.type_of(value);
    let shown = cx.interp.repr(&Value::Class(class)).unwrap_or_default();
    let message = format!("{function} requires ndarray or scalar arguments, got {shown} at position 0.");
    if let Value::Unknown(unknown) = value {
        let diagnosis = pallas_python::Diagnosis { unknown: Some(unknown.clone()), ..Default::default() };
        return cx.interp.error_with(&cx.interp.types().type_error, message, diagnosis);
    }
    cx.interp.type_error(message)
}

/// A value as a tile, or `None` where it is no array and no number. Lists are not taken (see [`array_like`]).
pub fn try_tile(cx: &Context<'_>, value: &Value) -> PyResult<Option<Tile>> {
    Ok(Some(match value {
        Value::Bool(value) => Tile::concrete(Array::scalar(DType::Bool, Scalar::Bool(*value))),
        Value::Int(value) => python_int(cx, value)?,
        Value::Float(value) => {
            let dtype = if cx.x64() { DType::F64 } else { DType::F32 };
            Tile::Concrete { array: Array::scalar(dtype, Scalar::Float(*value)), weak: true }
        }
        // Members of an `IntEnum` are the numbers that they stand for.
        Value::Instance(instance) => match &*instance.payload.borrow() {
            number @ (Value::Bool(_) | Value::Int(_) | Value::Float(_)) => return try_tile(cx, number),
            _ => return Ok(None),
        },
        _ => {
            if let Some(object) = value.downcast::<ArrayObject>() {
                note_capture(cx, &object.tile);
                object.tile.clone()
            } else if let Some(object) = value.downcast::<crate::numpy::NdArray>() {
                match (object.tile(cx)?, cx.rules) {
                    (Tile::Concrete { array, .. }, Rules::Jax) => Tile::concrete(canonical(cx, array)?),
                    (Tile::Abstract(mut ty), Rules::Jax) => {
                        ty.dtype = pallas_tensor::canonicalize(ty.dtype, cx.x64());
                        Tile::Abstract(ty)
                    }
                    (tile, _) => tile,
                }
            } else {
                return Ok(None);
            }
        }
    }))
}

/// A JAX array that was made outside a kernel and is used inside (or outside and inside an index map) is a captured
/// constant, which Pallas refuses.
pub(crate) fn note_capture(cx: &Context<'_>, tile: &Tile) {
    if let (Some(trace), Tile::Concrete { array, .. }) = (cx.trace(), tile)
        && matches!(trace.kind, crate::trace::TraceKind::Kernel | crate::trace::TraceKind::IndexMap)
    {
        trace.capture(array, cx.interp.span());
    }
}

/// A Python int: weakly typed, and it must fit.
fn python_int(cx: &Context<'_>, value: &pallas_python::int::Int) -> PyResult<Tile> {
    let dtype = if cx.x64() { DType::I64 } else { DType::I32 };
    let fits = value.to_i64().filter(|v| cx.x64() || i32::try_from(*v).is_ok());
    match fits {
        Some(value) => Ok(Tile::Concrete { array: Array::scalar(dtype, Scalar::Int(value.into())), weak: true }),
        None => {
            let message = format!("Python int {value} too large to convert to {}", dtype.name());
            Err(cx.interp.overflow_error(message))
        }
    }
}

/// 64-bit data becomes 32-bit unless x64 is on, as JAX takes numpy arrays in.
pub fn canonical(cx: &Context<'_>, array: Array) -> PyResult<Array> {
    let dtype = pallas_tensor::canonicalize(array.dtype(), cx.x64());
    if dtype == array.dtype() {
        return Ok(array);
    }
    pallas_tensor::ops::convert(&array, dtype).map_err(|error| cx.interp.type_error(error.to_string()))
}

/// A tile as a Python value: a JAX array under JAX's rules, a numpy array or scalar under numpy's.
pub fn value(cx: &Context<'_>, tile: Tile) -> Value {
    match cx.rules {
        Rules::Jax => Value::object(ArrayObject { tile }),
        Rules::Numpy => crate::numpy::value(tile),
    }
}

/// The dtype that operands promote to, and whether it is weak.
pub fn common_dtype(cx: &Context<'_>, tiles: &[&Tile]) -> PyResult<(DType, bool)> {
    let types: Vec<(DType, bool)> = tiles.iter().map(|t| (t.dtype(), t.weak())).collect();
    let promoted = match cx.rules {
        Rules::Jax if cx.state.strict_promotion.get() => {
            let promoted = pallas_tensor::promote_strictly(&types, cx.x64());
            return promoted.ok_or_else(|| no_strict_promotion(cx, &types));
        }
        Rules::Jax => pallas_tensor::promote(&types, cx.x64()),
        Rules::Numpy => pallas_tensor::numpy_promote(&types).map(|dtype| (dtype, false)),
    };
    promoted.ok_or_else(|| no_promotion(cx, &types))
}

/// `TypePromotionError`: operands of dtypes (and weak flags) that promote to nothing.
pub fn no_promotion(cx: &Context<'_>, types: &[(DType, bool)]) -> Box<pallas_python::Stop> {
    let mut names: Vec<String> = Vec::new();
    for (dtype, weak) in types {
        let name = match (weak, dtype.is_float()) {
            (false, _) => format!("'{}'", dtype.name()),
            (true, true) => "\"<class 'float'>\"".to_string(),
            (true, false) => "\"<class 'int'>\"".to_string(),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let any = |test: fn(DType) -> bool| types.iter().any(|(dtype, weak)| !weak && test(*dtype));
    let (kind, example) = match () {
        () if any(|dtype| dtype.is_small_float() && dtype.bits() == 8) => ("8-bit floats", "float32"),
        () if any(DType::is_small_float) => ("4-bit floats", "float32"),
        () if any(DType::is_small_integer) => ("1-bit, 2-bit and 4-bit integers", "int32"),
        () => ("", ""),
    };
    let reason = match kind {
        "" => "Try explicitly casting inputs to the desired output type.".to_string(),
        kind => format!(
            "To avoid unintended promotion, {kind} do not support implicit promotion. If you'd like your inputs to be \
             promoted to another type, you can do so explicitly using e.g. x.astype('{example}')"
        ),
    };
    let class = crate::errors::type_promotion(cx.interp);
    let message =
        format!("Input dtypes ({}) have no available implicit dtype promotion path. {reason}", names.join(", "));
    let diagnosis = pallas_python::Diagnosis {
        help: Some("convert one of the operands with `.astype(...)`".into()),
        ..Default::default()
    };
    cx.interp.error_with(&class, message, diagnosis)
}

/// The error of `jax_numpy_dtype_promotion='strict'`.
fn no_strict_promotion(cx: &Context<'_>, types: &[(DType, bool)]) -> Box<pallas_python::Stop> {
    let mut names: Vec<String> = Vec::new();
    for weak in [true, false] {
        for (dtype, _) in types.iter().filter(|(_, is_weak)| *is_weak == weak) {
            let name = match (weak, dtype.is_float()) {
                (true, true) => "\"<class 'float'>\"".to_string(),
                (true, false) => "\"<class 'int'>\"".to_string(),
                (false, _) => format!("'{}'", dtype.name()),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    cx.interp.error_with(
        &crate::errors::type_promotion(cx.interp),
        format!(
            "Input dtypes ({}) have no available implicit dtype promotion path when jax_numpy_dtype_promotion=strict. \
             Try explicitly casting inputs to the desired output type, or set jax_numpy_dtype_promotion=standard.",
            names.join(", ")
        ),
        pallas_python::Diagnosis::default(),
    )
}

/// Names that this option's message has for functions whose ops are called otherwise.
const NUMPY_NAMES: &[(&str, &str)] = &[
    ("and", "bitwise_and"),
    ("atan2", "arctan2"),
    ("div", "true_divide"),
    ("eq", "equal"),
    ("ge", "greater_equal"),
    ("gt", "greater"),
    ("le", "less_equal"),
    ("lt", "less"),
    ("max", "maximum"),
    ("min", "minimum"),
    ("mul", "multiply"),
    ("ne", "not_equal"),
    ("or", "bitwise_or"),
    ("pow", "power"),
    ("rem", "remainder"),
    ("shift_left", "left_shift"),
    ("shift_right_arithmetic", "right_shift"),
    ("shift_right_logical", "right_shift"),
    ("sub", "subtract"),
    ("xor", "bitwise_xor"),
];

/// What `jax_numpy_rank_promotion` says to operands of several ranks.
fn check_ranks(cx: &Context<'_>, function: &str, shapes: &[&Shape]) -> PyResult<()> {
    let mode = cx.state.rank_promotion.get();
    // These two broadcast without asking.
    if mode == RankPromotion::Allow || cx.rules != Rules::Jax || matches!(function, "where" | "broadcast_arrays") {
        return Ok(());
    }
    let mut ranks = shapes.iter().map(|shape| shape.len()).filter(|&rank| rank > 0);
    let first = ranks.next();
    if ranks.all(|rank| Some(rank) == first) {
        return Ok(());
    }
    let function = NUMPY_NAMES.iter().find(|(op, _)| *op == function).map_or(function, |(_, name)| name);
    let texts: Vec<String> = shapes.iter().map(ToString::to_string).collect();
    let texts = texts.join(" ");
    if mode == RankPromotion::Raise {
        return Err(cx.interp.value_error(format!(
            "Operands could not be broadcast together for {function} on shapes {texts} and with the config option \
             jax_numpy_rank_promotion='raise'. For more information, see \
             https://docs.jax.dev/en/latest/rank_promotion_warning.html."
        )));
    }
    let warn = cx.interp.get_attr(&cx.interp.import("warnings")?, "warn")?;
    let message = format!(
        "Following NumPy automatic rank promotion for {function} on shapes {texts}. Set the jax_numpy_rank_promotion \
         config option to 'allow' to disable this warning; for more information, see \
         https://docs.jax.dev/en/latest/rank_promotion_warning.html."
    );
    cx.interp.call(&warn, pallas_python::CallArgs::positional([Value::from(message)]))?;
    Ok(())
}

/// The operands of a product with one dtype. One for which the caller asked for a dtype takes them as they are, since
/// `dot_general` multiplies what has no dtype in common, too.
pub fn promote_factors(cx: &Context<'_>, tiles: &[&Tile], free: bool) -> PyResult<Vec<Tile>> {
    match free {
        true => Ok(tiles.iter().map(|&tile| tile.clone()).collect()),
        false => promote_dtypes(cx, tiles),
    }
}

/// The dtype that operands have in common, also where promotion is strict.
pub fn common_dtype_freely(cx: &Context<'_>, tiles: &[&Tile]) -> PyResult<DType> {
    let strict = cx.state.strict_promotion.replace(false);
    let common = common_dtype(cx, tiles);
    cx.state.strict_promotion.set(strict);
    common.map(|(dtype, _)| dtype)
}

/// Operands with one dtype.
pub fn promote_dtypes(cx: &Context<'_>, tiles: &[&Tile]) -> PyResult<Vec<Tile>> {
    let (dtype, weak) = common_dtype(cx, tiles)?;
    tiles.iter().map(|t| primitive::convert(cx, t, dtype, weak)).collect()
}

/// As [`promote_dtypes`], integers and booleans promoted to the default float, for functions such as `exp`.
pub fn promote_inexact(cx: &Context<'_>, tiles: &[&Tile]) -> PyResult<Vec<Tile>> {
    let (dtype, weak) = common_dtype(cx, tiles)?;
    let (dtype, weak) = if dtype.is_float() { (dtype, weak) } else { (default_float(cx), weak) };
    tiles.iter().map(|t| primitive::convert(cx, t, dtype, weak)).collect()
}

/// `float32`, or `float64` under x64 and in numpy.
pub fn default_float(cx: &Context<'_>) -> DType {
    if cx.x64() { DType::F64 } else { DType::F32 }
}

/// `int32`, or `int64` under x64 and in numpy.
pub fn default_int(cx: &Context<'_>) -> DType {
    if cx.x64() { DType::I64 } else { DType::I32 }
}

/// Operands with one dtype and one shape, for elementwise functions of several operands.
pub fn promote(cx: &Context<'_>, function: &str, tiles: &[&Tile]) -> PyResult<Vec<Tile>> {
    let tiles = promote_dtypes(cx, tiles)?;
    broadcast(cx, function, &tiles)
}

/// Operands with one shape.
///
/// # Errors
/// `TypeError: add got incompatible shapes for broadcasting: (2,), (3,).`
pub fn broadcast(cx: &Context<'_>, function: &str, tiles: &[Tile]) -> PyResult<Vec<Tile>> {
    let shapes: Vec<&Shape> = tiles.iter().map(Tile::shape).collect();
    check_ranks(cx, function, &shapes)?;
    let Some(shape) = Shape::broadcast(&shapes) else {
        return Err(incompatible(cx, function, &shapes));
    };
    tiles.iter().map(|t| primitive::broadcast_to(cx, t, &shape)).collect()
}

fn incompatible(cx: &Context<'_>, function: &str, shapes: &[&Shape]) -> Box<pallas_python::Stop> {
    let texts: Vec<String> = shapes.iter().map(|s| s.to_string()).collect();
    let diagnosis = pallas_python::Diagnosis {
        code: "PL303",
        help: Some(
            "make the trailing dimensions equal or 1, for example with `[:, None]` or `jnp.broadcast_to`".into(),
        ),
        ..Default::default()
    };
    // Operands of several ranks fail while their ranks are made equal (`promote_shapes`), under another name.
    let mut ranks = shapes.iter().map(|shape| shape.len()).filter(|&rank| rank > 0);
    let first = ranks.next();
    let several_ranks = ranks.any(|rank| Some(rank) != first);
    match cx.rules {
        Rules::Jax if several_ranks || matches!(function, "where" | "broadcast_arrays") => cx.interp.error_with(
            &cx.interp.types().value_error,
            format!("Incompatible shapes for broadcasting: shapes=[{}]", texts.join(", ")),
            diagnosis,
        ),
        Rules::Jax => cx.interp.error_with(
            &cx.interp.types().type_error,
            format!("{function} got incompatible shapes for broadcasting: {}.", texts.join(", ")),
            diagnosis,
        ),
        Rules::Numpy => cx.interp.error_with(
            &cx.interp.types().value_error,
            format!("operands could not be broadcast together with shapes {} ", texts.join(" ").replace(", ", ",")),
            diagnosis,
        ),
    }
}

/// A shape argument: an int or a sequence of ints.
///
/// # Errors
/// `TypeError` in JAX's words for what is no integer, for traced values and for negative extents; numpy's own under
/// numpy's rules.
pub fn shape(cx: &Context<'_>, value: &Value) -> PyResult<Shape> {
    let is_sequence = match value {
        Value::List(_) | Value::Tuple(_) | Value::Range(_) => true,
        Value::Object(object) => object.length(value, cx.interp).is_some_and(|length| length.is_ok()),
        Value::Instance(_) => matches!(cx.interp.plain(value), Value::List(_) | Value::Tuple(_)),
        _ => false,
    };
    let items = if is_sequence { cx.interp.collect(value)? } else { vec![value.clone()] };
    let dims = items.iter().map(|item| extent(cx, item)).collect::<PyResult<Option<Vec<i64>>>>()?;
    let Some(dims) = dims else {
        let shown = match value {
            Value::List(_) => cx.interp.repr(value)?,
            _ => cx.interp.repr(&Value::tuple(items.iter().cloned()))?,
        };
        let traced = items.iter().any(|item| crate::refs::array_tile(item).is_some_and(Tile::is_traced));
        let hint = if traced {
            "\nIf using `jit`, try using `static_argnums` or applying `jit` to smaller subfunctions."
        } else {
            ""
        };
        let message = format!("Shapes must be 1D sequences of concrete values of integer type, got {shown}.{hint}");
        return Err(match traced {
            true => crate::errors::traced_shape(cx, message),
            false => cx.interp.type_error(message),
        });
    };
    if dims.iter().any(|&dim| dim < 0) {
        let texts: Vec<String> = dims.iter().map(i64::to_string).collect();
        let comma = if texts.len() == 1 { "," } else { "" };
        return Err(match cx.rules {
            Rules::Jax => cx.interp.type_error(format!(
                "broadcast_in_dim shape must have every element be nonnegative, got ({}{comma}).",
                texts.join(", ")
            )),
            Rules::Numpy => cx.interp.value_error("negative dimensions are not allowed"),
        });
    }
    Ok(dims.into_iter().map(|dim| dim.unsigned_abs() as usize).collect())
}

/// One extent; `None` for what JAX does not take as one.
fn extent(cx: &Context<'_>, value: &Value) -> PyResult<Option<i64>> {
    if cx.rules == Rules::Jax && crate::refs::array_tile(value).is_some_and(Tile::is_traced) {
        return Ok(None);
    }
    match cx.interp.as_index(value)? {
        Some(_) => cx.interp.to_i64(value).map(Some),
        None if cx.rules == Rules::Numpy => cx.interp.to_i64(value).map(Some),
        None => Ok(None),
    }
}

/// An `axis` argument within `rank`, negative counted from the end.
pub fn axis(cx: &Context<'_>, value: &Value, rank: usize) -> PyResult<usize> {
    if let Some(Tile::Traced(traced)) = crate::refs::array_tile(value) {
        return Err(crate::errors::concrete_value_needed(cx, traced, "The axis argument must be known statically."));
    }
    let axis = cx.interp.to_i64(value)?;
    normalize_axis(cx, axis, rank)
}

/// `axis` within `rank`, negative counted from the end.
///
/// # Errors
/// `ValueError: axis 2 is out of bounds for array of dimension 2`
pub fn normalize_axis(cx: &Context<'_>, axis: i64, rank: usize) -> PyResult<usize> {
    let signed = rank as i64;
    if (-signed..signed).contains(&axis) {
        return Ok(axis.rem_euclid(signed) as usize);
    }
    let message = format!("axis {axis} is out of bounds for array of dimension {rank}");
    Err(match cx.rules {
        Rules::Jax => cx.interp.value_error(message),
        Rules::Numpy => {
            let class = cx.interp.exception_class("numpy.exceptions", "AxisError", &cx.interp.types().value_error);
            cx.interp.error(&class, message)
        }
    })
}

/// An `axis` argument that is an int, a tuple, or `None` for all axes; sorted, without repetition.
pub fn axes(cx: &Context<'_>, value: &Value, rank: usize) -> PyResult<Vec<usize>> {
    if value.is_none() || value.is_unset() {
        return Ok((0..rank).collect());
    }
    let mut axes = match value {
        Value::Tuple(_) | Value::List(_) => {
            cx.interp.collect(value)?.iter().map(|v| axis(cx, v, rank)).collect::<PyResult<Vec<_>>>()?
        }
        _ => vec![axis(cx, value, rank)?],
    };
    axes.sort_unstable();
    if axes.windows(2).any(|pair| pair[0] == pair[1]) {
        let shown = cx.interp.repr(value)?;
        return Err(cx.interp.value_error(match cx.rules {
            Rules::Jax => format!("duplicate value in 'axis': {shown}"),
            Rules::Numpy => "duplicate value in 'axis'".to_string(),
        }));
    }
    Ok(axes)
}
