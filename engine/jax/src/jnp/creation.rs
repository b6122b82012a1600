//! Arrays from Python values (`array`, `asarray`) and from nothing (`zeros`, `full`, `eye`, ...). Ranges are in
//! [`super::ranges`]. Follows jax/_src/numpy/array_constructors.py and array_creation.py.

use super::call::{self, functions, given, result};
use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::ops::{concatenate, reshape};
use pallas_tensor::{Array, DType, Kind, OpError, Scalar, Shape};

functions! { JAX_ROWS NUMPY_ROWS
    "array" "(object, dtype=None, *, copy=True, order='K', ndmin=0, device=None, out_sharding=None)" "Makes an array from an array, a number or nested sequences." array;
    "asarray" "(a, dtype=None, order=None, *, copy=None, device=None, out_sharding=None)" "Makes an array, without a copy where it is one already." asarray;
    "copy" "(a, order=None)" "A copy of an array." copy;
    "zeros" "(shape, dtype=None, *, device=None, out_sharding=None)" "An array of zeros." zeros;
    "ones" "(shape, dtype=None, *, device=None, out_sharding=None)" "An array of ones." ones;
    "empty" "(shape, dtype=None, *, device=None, out_sharding=None)" "An array whose values do not matter: zeros." zeros;
    "full" "(shape, fill_value, dtype=None, *, device=None, out_sharding=None)" "An array of one value." full;
    "zeros_like" "(a, dtype=None, shape=None, *, device=None, out_sharding=None)" "Zeros with the shape and dtype of an array." zeros_like;
    "ones_like" "(a, dtype=None, shape=None, *, device=None, out_sharding=None)" "Ones with the shape and dtype of an array." ones_like;
    "empty_like" "(prototype, dtype=None, shape=None, *, device=None)" "Zeros with the shape and dtype of an array." empty_like;
    "full_like" "(a, fill_value, dtype=None, shape=None, *, device=None, out_sharding=None)" "One value with the shape and dtype of an array." full_like;
    "fromfunction" "(function, shape, *, dtype=None, **kwargs)" "Calls a function with the index arrays of a shape." fromfunction;
}

/// What a nested sequence holds.
enum Leaf {
    /// A number or a concrete array's element type, in the order of the sequence.
    Known(Array),
    /// An array that has no data here.
    Staged(Tile),
}

impl Leaf {
    fn known(&self) -> Option<&Array> {
        match self {
            Leaf::Known(array) => Some(array),
            Leaf::Staged(_) => None,
        }
    }
}

/// An array from a Python value: an array, a number, or nested sequences of them, with the dtype rules of the context.
///
/// # Errors
/// `ValueError` for ragged sequences, `TypeError` for what is no number.
pub fn array_from(cx: &Context<'_>, value: &Value, dtype: Option<DType>) -> PyResult<Tile> {
    let tile = from_value(cx, value, dtype)?;
    match cx.rules {
        Rules::Jax => call::stage(cx, tile),
        Rules::Numpy => Ok(tile),
    }
}

fn from_value(cx: &Context<'_>, value: &Value, dtype: Option<DType>) -> PyResult<Tile> {
    let sequence = match value {
        Value::List(_) | Value::Tuple(_) | Value::Range(_) => true,
        Value::Instance(_) => matches!(cx.interp.plain(value), Value::List(_) | Value::Tuple(_)),
        _ => false,
    };
    if sequence {
        return from_sequence(cx, value, dtype);
    }
    if let Value::None = value {
        return Err(match cx.rules {
            Rules::Jax => cx.interp.value_error("None is not a valid value for jnp.array"),
            Rules::Numpy => cx.interp.type_error("object arrays are not supported here: got None"),
        });
    }
    if let (Some(scalar), Some(dtype)) = (call::python_scalar(value), dtype) {
        check_fits(cx, value, scalar, dtype)?;
        return Ok(Tile::concrete(Array::scalar(dtype, scalar)));
    }
    if let (Value::Int(int), Some(dtype), Rules::Numpy) = (value, dtype, cx.rules)
        && let Ok(number) = i128::try_from(int.to_big())
    {
        // numpy takes it as a C integer first.
        if dtype.kind() == Kind::Signed || (dtype.kind() == Kind::Unsigned && u64::try_from(number).is_err()) {
            return Err(cx.interp.overflow_error("Python int too large to convert to C long"));
        }
        check_fits(cx, value, Scalar::Int(number), dtype)?;
        return Ok(Tile::concrete(Array::scalar(dtype, Scalar::Int(number))));
    }
    if let (Value::Int(int), None) = (value, dtype)
        && cx.rules == Rules::Numpy
    {
        // numpy takes the first of int64 and uint64 that holds the number, and objects where neither does.
        let array = match (int.to_i64(), u64::try_from(int.to_big())) {
            (Some(number), _) => Array::scalar(DType::I64, Scalar::Int(number.into())),
            (None, Ok(number)) => Array::scalar(DType::U64, Scalar::Int(number.into())),
            (None, Err(_)) => {
                let what = format!("numpy keeps {int} as a Python object: arrays of objects are not provided");
                return Err(cx.interp.not_implemented_error(what + " by Pallas Workbench yet"));
            }
        };
        return Ok(Tile::concrete(array));
    }
    let Some(tile) = call::try_operand(cx, value)? else {
        return Err(not_array_like(cx, value));
    };
    match dtype {
        Some(dtype) => p::convert(cx, &tile, dtype, false),
        None if cx.rules == Rules::Numpy => p::convert(cx, &tile, tile.dtype(), false),
        None => Ok(tile),
    }
}

fn not_array_like(cx: &Context<'_>, value: &Value) -> Box<pallas_python::Stop> {
    if value.downcast::<crate::refs::RefObject>().is_some() {
        return crate::refs::used_as_array(cx, value, "array");
    }
    let class = cx.interp.type_of(value);
    let shown = cx.interp.repr(&Value::Class(class)).unwrap_or_default();
    match (cx.rules, value) {
        (Rules::Jax, Value::Str(_)) => cx.interp.type_error(format!(
            "Value '{}' with dtype <U{} is not a valid JAX array type. Only arrays of numeric types are supported by JAX.",
            cx.interp.str(value).unwrap_or_default(),
            cx.interp.len(value).unwrap_or(0)
        )),
        (Rules::Jax, _) => cx.interp.type_error(format!("Unexpected input type for array: {shown}")),
        (Rules::Numpy, _) => cx.interp.type_error(format!("arrays of objects are not supported here: got {shown}")),
    }
}

/// numpy 2 refuses Python integers that do not fit the dtype.
fn check_fits(cx: &Context<'_>, value: &Value, scalar: Scalar, dtype: DType) -> PyResult<()> {
    let (Value::Int(_), Scalar::Int(number), Some(info)) = (value, scalar, dtype.iinfo()) else { return Ok(()) };
    if (info.min..=info.max).contains(&number) {
        return Ok(());
    }
    let message = format!("Python integer {number} out of bounds for {}", dtype.name());
    Err(cx.interp.overflow_error(message))
}

fn from_sequence(cx: &Context<'_>, value: &Value, dtype: Option<DType>) -> PyResult<Tile> {
    let mut leaves: Vec<Tile> = Vec::new();
    let mut shape = Vec::new();
    collect(cx, value, dtype, 0, &mut shape, &mut leaves)?;
    let target = match dtype {
        Some(dtype) => dtype,
        None if leaves.is_empty() => convert::default_float(cx),
        None => {
            let tiles: Vec<&Tile> = leaves.iter().collect();
            convert::common_dtype(cx, &tiles)?.0
        }
    };
    let mut pieces: Vec<Leaf> = Vec::new();
    for tile in &leaves {
        pieces.push(match tile {
            Tile::Concrete { array, .. } => {
                let array = if array.dtype() == target {
                    array.clone()
                } else {
                    pallas_tensor::ops::convert(array, target)
                        .map_err(|error| cx.interp.type_error(error.to_string()))?
                };
                Leaf::Known(array)
            }
            other => Leaf::Staged(p::convert(cx, other, target, false)?),
        });
    }
    let shape = Shape::from(shape.as_slice());
    if let [Leaf::Known(array)] = pieces.as_slice()
        && shape.checked_size() == Some(array.size())
    {
        let array = pallas_tensor::ops::reshape(array, shape);
        return array.map(Tile::concrete).map_err(|error| cx.interp.value_error(error.to_string()));
    }
    if let Some(arrays) = pieces.iter().map(Leaf::known).collect::<Option<Vec<&Array>>>() {
        let joined = || -> Result<Array, OpError> {
            if arrays.iter().all(|array| array.size() <= 1) {
                let scalars: Vec<Scalar> = arrays.iter().flat_map(|array| array.iter_scalars()).collect();
                return Array::from_scalars(target, shape, &scalars);
            }
            let flat = arrays.iter().map(|array| reshape(array, [array.size()])).collect::<Result<Vec<_>, _>>()?;
            reshape(&concatenate(&flat.iter().collect::<Vec<_>>(), 0)?, shape)
        };
        return joined().map(Tile::concrete).map_err(|error| cx.interp.value_error(error.to_string()));
    }
    // Some leaf is traced (or known by type only): concatenate the flattened leaves.
    let mut flat = Vec::new();
    for piece in pieces {
        let tile = match piece {
            Leaf::Known(array) => Tile::concrete(array),
            Leaf::Staged(tile) => tile,
        };
        let size = tile.shape().size();
        flat.push(p::reshape(cx, &tile, &Shape::from([size]))?);
    }
    let tiles: Vec<&Tile> = flat.iter().collect();
    let joined = p::concatenate(cx, &tiles, 0)?;
    p::reshape(cx, &joined, &shape)
}

/// Walks nested sequences, checking that they are rectangular.
fn collect(
    cx: &Context<'_>,
    value: &Value,
    dtype: Option<DType>,
    depth: usize,
    shape: &mut Vec<usize>,
    leaves: &mut Vec<Tile>,
) -> PyResult<()> {
    let plain = cx.interp.plain(value);
    match &plain {
        Value::List(_) | Value::Tuple(_) | Value::Range(_) => {
            let items = cx.interp.collect(&plain)?;
            expect_extent(cx, shape, depth, items.len(), leaves.is_empty())?;
            for item in &items {
                cx.interp.nested(|| collect(cx, item, dtype, depth + 1, shape, leaves))?;
            }
            Ok(())
        }
        _ => {
            // Numbers take a dtype that is asked for at once: they need not fit the default one.
            let wanted = dtype.filter(|_| call::is_python_number(&plain));
            if let (None, Some(scalar), Rules::Jax) = (wanted, call::python_scalar(&plain), cx.rules) {
                check_fits(cx, &plain, scalar, convert::default_int(cx))?;
            }
            let tile = from_value(cx, &plain, wanted)?;
            for (offset, &extent) in tile.shape().iter().enumerate() {
                expect_extent(cx, shape, depth + offset, extent, leaves.is_empty())?;
            }
            if shape.len() != depth + tile.rank() {
                return Err(ragged(cx, shape, depth + tile.rank()));
            }
            leaves.push(tile);
            Ok(())
        }
    }
}

/// Checks or, on the way to the first leaf, records the extent of a dimension.
fn expect_extent(cx: &Context<'_>, shape: &mut Vec<usize>, depth: usize, extent: usize, first: bool) -> PyResult<()> {
    match shape.get(depth) {
        Some(&known) if known == extent => Ok(()),
        None if first => {
            shape.push(extent);
            Ok(())
        }
        _ => Err(ragged(cx, shape, depth)),
    }
}

fn ragged(cx: &Context<'_>, shape: &[usize], depth: usize) -> Box<pallas_python::Stop> {
    let detected = Shape::from(&shape[..depth.min(shape.len())]);
    cx.interp.value_error(format!(
        "setting an array element with a sequence. The requested array has an inhomogeneous shape after {} dimensions. \
         The detected shape was {detected} + inhomogeneous part.",
        detected.rank()
    ))
}

/// `array(object, dtype=, ndmin=)`
fn array(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [object, dtype, _copy, order, ndmin, _device, _sharding] = args.take();
    if cx.rules == Rules::Numpy
        && let Some(grid) = crate::sharding::device_grid(cx.interp, &object)?
    {
        return Ok(grid);
    }
    if let Some(Value::Str(order)) = given(&order)
        && cx.rules == Rules::Jax
        && &**order != "K"
    {
        return Err(cx.interp.not_implemented_error("Only implemented for order='K'"));
    }
    let dtype = call::dtype(cx, &dtype)?;
    let tile = array_from(cx, &object, dtype)?;
    // Only Python scalars and weak arrays stay weak; sequences never do.
    let ndmin = usize::try_from(call::integer(cx, &ndmin, 0)?).unwrap_or(0);
    let tile = at_least(cx, &tile, ndmin)?;
    if tile.rank() == 0 && cx.rules == Rules::Numpy {
        return Ok(crate::numpy::array_value(tile));
    }
    result(cx, tile)
}

/// `x` with dimensions of 1 in front, so that it has at least `rank`.
fn at_least(cx: &Context<'_>, x: &Tile, rank: usize) -> PyResult<Tile> {
    p::expand_dims(cx, x, &(0..rank.saturating_sub(x.rank())).collect::<Vec<_>>())
}

/// `asarray(a, dtype)`
fn asarray(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [object, dtype, _order, copy, _device, _sharding] = args.take();
    let dtype = call::dtype(cx, &dtype)?;
    if !call::flag(cx, &copy)? && is_own_array(cx, &object, dtype) {
        return Ok(object);
    }
    let tile = array_from(cx, &object, dtype)?;
    if cx.rules == Rules::Numpy {
        return Ok(crate::numpy::array_value(tile));
    }
    result(cx, tile)
}

/// Whether a value is an array of this module with this dtype already.
fn is_own_array(cx: &Context<'_>, value: &Value, dtype: Option<DType>) -> bool {
    match cx.rules {
        Rules::Jax => value.downcast::<crate::array::ArrayObject>().is_some_and(|array| {
            dtype.is_none_or(|dtype| dtype == array.tile.dtype() && !array.tile.weak())
                && (cx.trace().is_none() || array.tile.is_traced())
        }),
        Rules::Numpy => value.downcast::<crate::numpy::NdArray>().is_some_and(|array| {
            dtype.is_none_or(|dtype| array.to_array(cx).is_ok_and(|array| array.dtype() == dtype))
        }),
    }
}

fn copy(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let tile = call::operand(cx, args.get(0), "copy")?;
    let tile = call::stage(cx, tile)?;
    match cx.rules {
        Rules::Jax => result(cx, tile),
        Rules::Numpy => Ok(crate::numpy::array_value(tile)),
    }
}

/// The dtype of `zeros` and `ones`: float unless said otherwise.
fn float_unless(cx: &Context<'_>, name: &str, shape: &Value, dtype: &Value) -> PyResult<DType> {
    if let (Value::Int(rows), Value::Int(columns)) = (shape, dtype) {
        let message = match cx.rules {
            Rules::Jax => format!(
                "Cannot interpret '{columns}' as a data type.\n\nDid you accidentally write \
                 `jax.numpy.{name}({rows}, {columns})` when you meant `jax.numpy.{name}(({rows}, {columns}))`, i.e. with \
                 a single tuple argument for the shape?"
            ),
            Rules::Numpy => format!("Cannot interpret '{columns}' as a data type"),
        };
        return Err(cx.interp.type_error(message));
    }
    Ok(call::dtype(cx, dtype)?.unwrap_or(convert::default_float(cx)))
}

fn constant(cx: &Context<'_>, name: &str, args: Arguments, value: i128) -> PyResult<Value> {
    let [shape, dtype, ..]: [Value; 4] = args.take();
    let dtype = float_unless(cx, name, &shape, &dtype)?;
    let shape = convert::shape(cx, &shape)?;
    check_size(cx, dtype, &shape)?;
    let tile = call::stage(cx, p::full(cx, &shape, dtype, Scalar::Int(value))?)?;
    array_result(cx, tile)
}

/// Refuses shapes that no machine holds before anything is computed.
fn check_size(cx: &Context<'_>, dtype: DType, shape: &Shape) -> PyResult<()> {
    let ty = pallas_ir::TensorType::new(dtype, shape.clone());
    if cx.trace().is_some() || cx.interp.is_analysis() {
        return Ok(());
    }
    cx.check_memory(&[ty.into()])
}

/// numpy's constructors give arrays even of rank 0.
fn array_result(cx: &Context<'_>, tile: Tile) -> PyResult<Value> {
    match cx.rules {
        Rules::Jax => result(cx, tile),
        Rules::Numpy => Ok(crate::numpy::array_value(tile)),
    }
}

fn zeros(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    constant(cx, "zeros", args, 0)
}

fn ones(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    constant(cx, "ones", args, 1)
}

fn full(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [shape, fill, dtype, ..]: [Value; 5] = args.take();
    let shape = convert::shape(cx, &shape)?;
    let dtype = call::dtype(cx, &dtype)?;
    let tile = fill_with(cx, &shape, &fill, dtype, "full")?;
    array_result(cx, tile)
}

/// `fill` broadcast to a shape; a weak value stays weak unless a dtype is asked for.
fn fill_with(cx: &Context<'_>, shape: &Shape, fill: &Value, dtype: Option<DType>, name: &str) -> PyResult<Tile> {
    let fill = match dtype {
        Some(dtype) => converted_fill(cx, fill, dtype, name)?,
        None => {
            let tile = call::operand(cx, fill, name)?;
            if cx.rules == Rules::Numpy { p::convert(cx, &tile, tile.dtype(), false)? } else { tile }
        }
    };
    if convert_shape_mismatch(fill.shape(), shape) {
        return Err(cx.interp.value_error(format!(
            "Incompatible shapes for broadcasting: {} and requested shape {shape}",
            fill.shape()
        )));
    }
    check_size(cx, fill.dtype(), shape)?;
    let tile = p::broadcast_to(cx, &fill, shape)?;
    call::stage(cx, tile)
}

fn converted_fill(cx: &Context<'_>, fill: &Value, dtype: DType, name: &str) -> PyResult<Tile> {
    if let Some(scalar) = call::python_scalar(fill) {
        // JAX converts without a check here, unlike in `array`.
        if cx.rules == Rules::Numpy {
            check_fits(cx, fill, scalar, dtype)?;
        }
        return Ok(Tile::concrete(Array::scalar(dtype, scalar)));
    }
    let tile = call::operand(cx, fill, name)?;
    p::convert(cx, &tile, dtype, false)
}

fn convert_shape_mismatch(from: &Shape, to: &Shape) -> bool {
    Shape::broadcast(&[from, to]).is_none_or(|shape| shape != *to)
}

/// Shape, dtype and weakness of what a `_like` function is modelled on: an array, a `ShapeDtypeStruct`, a Ref.
fn model(cx: &Context<'_>, value: &Value, name: &str) -> PyResult<(Shape, DType, bool)> {
    if let Some(tile) = call::try_operand(cx, value)? {
        return Ok((tile.shape().clone(), tile.dtype(), tile.weak() && cx.rules == Rules::Jax));
    }
    let (shape, dtype) = (cx.interp.find_attr(value, "shape")?, cx.interp.find_attr(value, "dtype")?);
    match (shape, dtype) {
        (Some(shape), Some(dtype)) => {
            Ok((convert::shape(cx, &shape)?, crate::dtype::parse_canonical(cx, &dtype)?, false))
        }
        _ => call::operand(cx, value, name).map(|tile| (tile.shape().clone(), tile.dtype(), tile.weak())),
    }
}

fn like(
    cx: &Context<'_>,
    name: &str,
    model_value: &Value,
    fill: &Value,
    dtype: &Value,
    shape: &Value,
) -> PyResult<Value> {
    let (model_shape, model_dtype, weak) = model(cx, model_value, name)?;
    let asked = call::dtype(cx, dtype)?;
    let shape = match given(shape) {
        Some(shape) => convert::shape(cx, shape)?,
        None => model_shape,
    };
    let dtype = asked.unwrap_or(model_dtype);
    let weak = weak && asked.is_none();
    let fill = match call::python_scalar(fill) {
        // As `lax._convert_element_type(fill_value, dtype)`: no range check.
        Some(scalar) => Tile::Concrete { array: Array::scalar(dtype, scalar), weak },
        None => {
            let tile = call::operand_at(cx, fill, name, 1)?;
            p::convert(cx, &tile, dtype, weak)?
        }
    };
    check_size(cx, dtype, &shape)?;
    let tile = call::stage(cx, p::broadcast_to(cx, &fill, &shape)?)?;
    array_result(cx, tile)
}

fn zeros_like(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [a, dtype, shape, ..]: [Value; 5] = args.take();
    like(cx, "zeros_like", &a, &Value::from(0i64), &dtype, &shape)
}

fn ones_like(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [a, dtype, shape, ..]: [Value; 5] = args.take();
    like(cx, "ones_like", &a, &Value::from(1i64), &dtype, &shape)
}

fn empty_like(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [a, dtype, shape, ..]: [Value; 4] = args.take();
    like(cx, "empty_like", &a, &Value::from(0i64), &dtype, &shape)
}

fn full_like(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [a, fill, dtype, shape, ..]: [Value; 6] = args.take();
    like(cx, "full_like", &a, &fill, &dtype, &shape)
}

/// JAX maps the function over scalars; for elementwise functions, calling it with whole index arrays is the same.
fn fromfunction(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [function, shape, dtype, keywords] = args.take();
    let shape = convert::shape(cx, &shape)?;
    let dtype = call::dtype(cx, &dtype)?.unwrap_or(convert::default_float(cx));
    let mut call_args = pallas_python::CallArgs::default();
    for axis in 0..shape.rank() {
        let index = p::iota(cx, dtype, &shape, axis)?;
        call_args.positional.push(convert::value(cx, index));
    }
    if let Value::Dict(entries) = &keywords {
        for (name, value) in entries.borrow().iter() {
            call_args.keywords.push((pallas_syntax::ast::Name::from(&*cx.interp.to_str(name)?), value.clone()));
        }
    }
    let value = cx.interp.call(&function, call_args)?;
    match call::try_operand(cx, &value)? {
        Some(tile) if tile.shape() != &shape => result(cx, p::broadcast_to(cx, &tile, &shape)?),
        _ => Ok(value),
    }
}
