//! Methods and properties of JAX arrays and tracers. Methods that `jax.numpy` has as functions call those; here is what
//! only arrays have. numpy's own are in `crate::numpy::methods`.

use super::call::{self, given, result};
use super::{compose, reductions, shaping, types};
use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::ops;
use pallas_python::CallArgs;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use pallas_tensor::{Array, Shape};

macro_rules! rows {
    ($($name:literal $signature:literal $doc:literal $run:expr;)*) => {
        &[$(NativeDef {
            name: $name,
            signature: $signature,
            doc: $doc,
            run: |interp, args| call::enter(&Context::jax(interp), args, $run),
        }),*]
    };
}

/// Methods whose arguments are those of the function of the same name, by keyword.
macro_rules! forward {
    ($name:literal) => {
        |cx, args| forward(cx, $name, args)
    };
}

/// Methods of arrays. Most are functions in JAX, of the name in front of their parameters, which errors have.
pub static METHODS: &[NativeDef] = rows! {
    "astype" "_astype(self, dtype, copy=False, device=None)" "The elements in another dtype." |cx, args| {
        let x = receiver(cx, args.get(0))?;
        result(cx, types::astype_of(cx, &x, args.get(1))?)
    };
    "reshape" "_reshape(self, *args, order='C', out_sharding=None)" "The same elements in another shape." reshape;
    "ravel" "_flatten(self, order='C', *, out_sharding=None)" "The elements in one dimension." ravel;
    "flatten" "_flatten(self, order='C', *, out_sharding=None)" "The elements in one dimension." ravel;
    "transpose" "_transpose(self, *args)" "Permutes the dimensions; reverses them by default." transpose;
    "copy" "_copy(self)" "A copy." |cx, args| result(cx, receiver(cx, args.get(0))?);
    "item" "_item(self, *args)" "An element as a Python number." item;
    "tolist" "(self)" "Nested lists of Python numbers." tolist;
    "view" "_view(self, dtype=None, type=None)" "The same bits as another dtype." view;
    "tobytes" "(self, order='C')" "The bytes of the elements." tobytes;
    "block_until_ready" "(self)" "The array itself, computed." |_cx, args| {
        crate::array::compute(args.get(0));
        Ok(args.get(0).clone())
    };
    "copy_to_host_async" "(self)" "Does nothing: arrays are on the host." |_cx, _args| Ok(Value::None);
    "is_deleted" "(self)" "Whether the array was donated: never." |_cx, _args| Ok(Value::Bool(false));
    "delete" "(self)" "Does nothing: memory is freed when it is no longer used." |_cx, _args| Ok(Value::None);
    "devices" "(self)" "The devices that the array is on." devices;
    "on_device_size_in_bytes" "(self)" "Bytes of the elements." nbytes;
    "unsafe_buffer_pointer" "(self)" "Not available: arrays have no address." |cx, _args| {
        Err(cx.interp.not_implemented_error("arrays have no address here"))
    };
    "__array__" "(self, dtype=None, context=None, copy=None)" "The elements as a numpy array." array;
    "__len__" "(self)" "Extent of the first dimension." |cx, args| cx.interp.len(args.get(0)).map(Value::from);
    "__contains__" "(self, item)" "Whether an element is equal." contains;
    "__round__" "(self, ndigits=None)" "Rounds." |cx, args| {
        let x = receiver(cx, args.get(0))?;
        let digits = call::integer(cx, args.get(1), 0)?;
        result(cx, super::elementwise::round(cx, &x, digits)?)
    };
    "__abs__" "(self)" "Absolute value." |cx, args| {
        let x = receiver(cx, args.get(0))?;
        result(cx, super::arithmetic::absolute(cx, &x)?)
    };
    "__divmod__" "(self, other)" "Quotient and remainder." |cx, args| divmod(cx, args.get(0), args.get(1));
    "__rdivmod__" "(self, other)" "Quotient and remainder." |cx, args| divmod(cx, args.get(1), args.get(0));
    "__copy__" "(self)" "The array itself: it never changes." |_cx, args| Ok(args.get(0).clone());
    "__deepcopy__" "(self, memo)" "The array itself: it never changes." |_cx, args| Ok(args.get(0).clone());
    "__jax_array__" "(self)" "The array itself." |_cx, args| Ok(args.get(0).clone());
    "addressable_data" "(self, index)" "The part that one device has." |cx, args| {
        shards(cx, "data", [args.get(0).clone(), args.get(1).clone()])
    };
    "all" "_all(self, axis=None, out=None, keepdims=False, *, where=None)" "Whether all elements over axes are true." forward!("all");
    "any" "_any(self, axis=None, out=None, keepdims=False, *, where=None)" "Whether any element over axes is true." forward!("any");
    "argmax" "_argmax(self, axis=None, out=None, keepdims=None)" "Position of the largest element." forward!("argmax");
    "argmin" "_argmin(self, axis=None, out=None, keepdims=None)" "Position of the smallest element." forward!("argmin");
    "argpartition" "_argpartition(self, kth, axis=-1)" "The positions of a partition." forward!("argpartition");
    "argsort" "_argsort(self, axis=-1, *, kind=None, order=None, stable=True, descending=False)" "The positions of the elements in order." forward!("argsort");
    "choose" "_choose(self, choices, out=None, mode='raise')" "For each element the choice with its number." forward!("choose");
    "clip" "_clip(self, min=None, max=None)" "Limits values to an interval." forward!("clip");
    "compress" "_compress(self, condition, axis=None, *, out=None, size=None, fill_value=0)" "The slices where a condition holds." compress;
    "conj" "_conj(self)" "Complex conjugate." forward!("conj");
    "conjugate" "_conjugate(self)" "Complex conjugate." forward!("conjugate");
    "cumprod" "_cumprod(self, axis=None, dtype=None, out=None)" "Running product." forward!("cumprod");
    "cumsum" "_cumsum(self, axis=None, dtype=None, out=None)" "Running sum." forward!("cumsum");
    "diagonal" "_diagonal(self, offset=0, axis1=0, axis2=1)" "The diagonal of matrices." forward!("diagonal");
    "dot" "_dot(self, b, *, precision=None, preferred_element_type=None)" "Product with another array." forward!("dot");
    "max" "_max(self, axis=None, out=None, keepdims=False, initial=None, where=None)" "Largest element over axes." forward!("max");
    "mean" "_mean(self, axis=None, dtype=None, out=None, keepdims=False, *, where=None)" "Mean over axes." forward!("mean");
    "min" "_min(self, axis=None, out=None, keepdims=False, initial=None, where=None)" "Smallest element over axes." forward!("min");
    "nonzero" "_nonzero(self, *, fill_value=None, size=None)" "Positions of the elements that are not zero." forward!("nonzero");
    "prod" "_prod(self, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None, promote_integers=True)" "Product over axes." forward!("prod");
    "ptp" "_ptp(self, axis=None, out=None, keepdims=False)" "Largest minus smallest over axes." forward!("ptp");
    "repeat" "_repeat(self, repeats, axis=None, *, total_repeat_length=None, out_sharding=None)" "Repeats elements." forward!("repeat");
    "round" "_round(self, decimals=0, out=None)" "Rounds to a number of decimals." forward!("round");
    "searchsorted" "_searchsorted(self, v, side='left', sorter=None, *, method='scan')" "Where values would be put into the sorted array." forward!("searchsorted");
    "sort" "_sort(self, axis=-1, *, kind=None, order=None, stable=True, descending=False)" "The elements in order." forward!("sort");
    "squeeze" "_squeeze(self, axis=None)" "Drops dimensions of 1." forward!("squeeze");
    "std" "_std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, correction=None)" "Standard deviation over axes." forward!("std");
    "sum" "_sum(self, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None, promote_integers=True)" "Sum over axes." forward!("sum");
    "swapaxes" "_swapaxes(self, axis1, axis2)" "Swaps two dimensions." forward!("swapaxes");
    "take" "_take(self, indices, axis=None, out=None, mode=None, unique_indices=False, indices_are_sorted=False, fill_value=None)" "Elements at positions." forward!("take");
    "trace" "_trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None)" "The sum of a diagonal." forward!("trace");
    "var" "_var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, correction=None)" "Variance over axes." forward!("var");
};

/// Attributes of arrays.
pub static PROPERTIES: &[NativeDef] = rows! {
    "shape" "(self)" "Extent of each dimension." |cx, args| Ok(shaping::shape_value(receiver(cx, args.get(0))?.shape()));
    "dtype" "(self)" "Element type." |cx, args| Ok(crate::dtype::value(receiver(cx, args.get(0))?.dtype()));
    "ndim" "(self)" "Number of dimensions." |cx, args| Ok(Value::from(receiver(cx, args.get(0))?.rank()));
    "size" "(self)" "Number of elements." |cx, args| Ok(Value::from(receiver(cx, args.get(0))?.shape().size()));
    "nbytes" "(self)" "Bytes of the elements." nbytes;
    "itemsize" "(self)" "Bytes of one element." |cx, args| Ok(Value::from(receiver(cx, args.get(0))?.dtype().size_bytes()));
    "weak_type" "(self)" "Whether the dtype came from a Python number." |cx, args| Ok(Value::Bool(receiver(cx, args.get(0))?.weak()));
    "aval" "(self)" "The type." aval;
    "T" "(self)" "The dimensions reversed." |cx, args| {
        let x = receiver(cx, args.get(0))?;
        result(cx, shaping::transpose_axes(cx, &x, None)?)
    };
    "mT" "(self)" "The last two dimensions swapped." |cx, args| {
        let x = receiver(cx, args.get(0))?;
        result(cx, shaping::matrix_transpose_of(cx, &x)?)
    };
    "real" "(self)" "Real part." |cx, args| result(cx, receiver(cx, args.get(0))?);
    "imag" "(self)" "Imaginary part." |cx, args| {
        let x = receiver(cx, args.get(0))?;
        result(cx, super::elementwise::imag(cx, &x)?)
    };
    "at" "(self)" "Functional updates: x.at[index].set(value)." |_cx, args| Ok(crate::indexing::at(args.get(0).clone()));
    "flat" "(self)" "The elements in one dimension." |cx, args| {
        let x = receiver(cx, args.get(0))?;
        result(cx, p::reshape(cx, &x, &Shape::from([x.shape().size()]))?)
    };
    "device" "(self)" "The device that the array is on." |cx, _args| device(cx);
    "sharding" "(self)" "How the array is distributed: as it was put, or whole on one device." |cx, args| crate::sharding::of(cx.interp, args.get(0));
    "committed" "(self)" "Whether the array was put on its device." |cx, args| Ok(crate::sharding::is_placed(cx.interp, args.get(0)));
    "is_fully_addressable" "(self)" "Whether this process sees all of it." |_cx, _args| Ok(Value::Bool(true));
    "is_fully_replicated" "(self)" "Whether every device has all of it." |cx, args| {
        cx.interp.get_attr(&crate::sharding::of(cx.interp, args.get(0))?, "is_fully_replicated")
    };
    "addressable_shards" "(self)" "What each device has of the array." |cx, args| shards(cx, "of", [args.get(0).clone()]);
    "global_shards" "(self)" "What each device has of the array." |cx, args| shards(cx, "of", [args.get(0).clone()]);
};

/// The array that a method was called on.
fn receiver(cx: &Context<'_>, value: &Value) -> PyResult<Tile> {
    match value.downcast::<ArrayObject>() {
        Some(array) => Ok(array.tile.clone()),
        None => call::operand(cx, value, "array method"),
    }
}

/// Calls the function of `jax.numpy` with the method's arguments.
fn forward(cx: &Context<'_>, name: &str, args: Arguments) -> PyResult<Value> {
    let Some(def) = METHODS.iter().find(|def| def.name == name) else {
        return Err(cx.interp.attribute_error(format!("no method {name}")));
    };
    let module = cx.interp.import("jax.numpy")?;
    let function = cx.interp.get_attr(&module, name)?;
    let mut call = CallArgs::positional([args.get(0).clone()]);
    for (parameter, value) in parameters(def.signature).zip(args.values().iter().skip(1)) {
        // Defaults need not be passed on; the function has the same ones.
        if given(value).is_none() && parameter != "axis" || is_default(def.signature, parameter, value) {
            continue;
        }
        call.keywords.push((Name::from(parameter), value.clone()));
    }
    cx.interp.call(&function, call)
}

/// What stands between the parentheses of a signature.
fn pieces(signature: &str) -> std::str::Split<'_, &'static str> {
    signature.split_once('(').map_or("", |(_, inner)| inner).trim_end_matches(')').split(", ")
}

/// The parameter names of a signature after `self`.
fn parameters(signature: &'static str) -> impl Iterator<Item = &'static str> {
    pieces(signature)
        .skip(1)
        .filter(|piece| *piece != "*" && *piece != "/")
        .map(|piece| piece.split_once('=').map_or(piece, |(name, _)| name))
}

/// Whether a value is the default that the signature writes: functions without that parameter need not know it.
fn is_default(signature: &str, parameter: &str, value: &Value) -> bool {
    let default = pieces(signature)
        .find_map(|piece| piece.split_once('=').filter(|(name, _)| *name == parameter))
        .map(|(_, default)| default);
    match (default, value) {
        (Some("False"), Value::Bool(false)) | (Some("True"), Value::Bool(true)) | (Some("None"), Value::None) => true,
        (Some(text), Value::Int(int)) => int.to_string() == text,
        (Some(text), Value::Str(value)) => text.trim_matches('\'') == &**value,
        _ => false,
    }
}

fn reshape(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [this, shape, order, _sharding] = args.take();
    let x = receiver(cx, &this)?;
    let shape = match &shape {
        Value::Tuple(items) if items.len() == 1 => items[0].clone(),
        shape => shape.clone(),
    };
    let shape = shaping::new_shape(cx, &x, &shape)?;
    result(cx, shaping::reshape_ordered(cx, &x, &shape, &order)?)
}

fn ravel(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = receiver(cx, args.get(0))?;
    result(cx, shaping::reshape_ordered(cx, &x, &Shape::from([x.shape().size()]), args.get(1))?)
}

fn transpose(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = receiver(cx, args.get(0))?;
    let axes = match args.get(1) {
        Value::Tuple(items) if items.is_empty() => None,
        Value::Tuple(items) if items.len() == 1 => given(&items[0]).cloned(),
        axes => Some(axes.clone()),
    };
    result(cx, shaping::transpose_axes(cx, &x, axes.as_ref())?)
}

fn nbytes(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = receiver(cx, args.get(0))?;
    Ok(Value::from(x.shape().size().saturating_mul(x.dtype().size_bytes())))
}

/// The type as `ShapedArray(float32[2,3])`.
fn aval(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = receiver(cx, args.get(0))?;
    Ok(super::aval::value(x.ty()))
}

/// The data, or JAX's error for traced values.
fn data(cx: &Context<'_>, x: &Tile, what: &str) -> PyResult<Option<Array>> {
    Ok(call::concrete(cx, x, what)?.cloned())
}

fn item(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = receiver(cx, args.get(0))?;
    let x = crate::transform::known::value(cx, &x)?.unwrap_or(x);
    let Some(array) = data(cx, &x, "This occurred in the item() method of jax.Array")? else {
        return Ok(call::data_dependent(cx, "item"));
    };
    let places = cx.interp.collect(args.get(1))?;
    let places = match places.as_slice() {
        [Value::Tuple(items)] => items.to_vec(),
        places => places.to_vec(),
    };
    let size = array.size();
    let flat = match places.as_slice() {
        [] if size == 1 => 0,
        [] => {
            return Err(cx.interp.value_error("can only convert an array of size 1 to a Python scalar"));
        }
        [flat] => {
            let index = cx.interp.to_i64(flat)?;
            let signed = size as i64;
            if !(-signed..signed).contains(&index) {
                return Err(cx.interp.index_error(format!("index {index} is out of bounds for size {size}")));
            }
            index.rem_euclid(signed).unsigned_abs() as usize
        }
        several if several.len() == array.rank() => {
            let strides = array.shape().strides();
            let mut flat = 0;
            for (dim, place) in several.iter().enumerate() {
                flat += convert::normalize_axis(cx, cx.interp.to_i64(place)?, array.shape()[dim])? * strides[dim];
            }
            flat
        }
        _ => return Err(cx.interp.value_error("incorrect number of indices for array")),
    };
    Ok(array.get(flat).map_or(Value::None, crate::text::python_scalar))
}

fn tolist(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = receiver(cx, args.get(0))?;
    let what = "The problem arose with the `tolist` function.";
    let Some(array) = data(cx, &x, what)? else { return Ok(call::data_dependent(cx, "tolist")) };
    Ok(nested_list(&array))
}

/// Nested lists of Python numbers; a number for rank 0.
pub fn nested_list(array: &Array) -> Value {
    let mut values: Vec<Value> = array.iter_scalars().map(crate::text::python_scalar).collect();
    let shape = array.shape();
    if shape.is_empty() {
        return values.pop().unwrap_or(Value::None);
    }
    // From the innermost dimension outwards, runs of `extent` values become lists.
    for dim in (0..shape.rank()).rev() {
        let extent = shape[dim];
        let outer: usize = shape[..dim].iter().product();
        let mut rest = values.into_iter();
        values = (0..outer).map(|_| Value::list(rest.by_ref().take(extent).collect::<Vec<_>>())).collect();
    }
    values.pop().unwrap_or_else(|| Value::list([]))
}

fn view(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = receiver(cx, args.get(0))?;
    let Some(dtype) = call::dtype(cx, args.get(1))? else { return result(cx, x) };
    let (from, to) = (x.dtype().bits() as usize, dtype.bits() as usize);
    if x.rank() == 0 && from != to {
        return Err(cx.interp.value_error(format!(
            "view() of a 0d array is only supported if the itemsize is unchanged. Got dtypes {} and {}.",
            x.dtype().name(),
            dtype.name()
        )));
    }
    if from == to {
        return result(cx, compose::bitcast(cx, &x, dtype)?);
    }
    // A changed width stretches or shrinks the last dimension.
    let rank = x.rank();
    let mut shape = x.shape().clone();
    if from > to {
        shape[rank - 1] = shape[rank - 1].saturating_mul(from / to);
        return result(cx, p::reshape(cx, &compose::bitcast(cx, &x, dtype)?, &shape)?);
    }
    let ratio = to / from;
    if !shape[rank - 1].is_multiple_of(ratio) {
        return Err(cx.interp.value_error(
            "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis of \
             the array.",
        ));
    }
    shape[rank - 1] /= ratio;
    shape.push(ratio);
    result(cx, compose::bitcast(cx, &p::reshape(cx, &x, &shape)?, dtype)?)
}

fn tobytes(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let numpy =
        array(cx, Arguments::new(smallvec::smallvec![args.get(0).clone(), Value::None, Value::None, Value::None]))?;
    cx.interp.call_method(&numpy, "tobytes", [])
}

/// The elements as a numpy array.
fn array(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = receiver(cx, args.get(0))?;
    if let Tile::Traced(traced) = &x {
        return Err(call::tracer_in_numpy(cx, traced));
    }
    let numpy = Context { rules: crate::context::Rules::Numpy, ..cx.clone() };
    let x = match call::dtype(&numpy, args.get(1))? {
        Some(dtype) => p::convert(&numpy, &x, dtype, false)?,
        None => x,
    };
    Ok(crate::numpy::array_value(x))
}

fn compress(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [this, condition, axis, out, size, fill] = args.take();
    let module = cx.interp.import("jax.numpy")?;
    let function = cx.interp.get_attr(&module, "compress")?;
    let mut call = CallArgs::positional([condition, this]);
    for (name, value) in [("axis", axis), ("out", out), ("size", size), ("fill_value", fill)] {
        call.keywords.push((Name::from(name), value));
    }
    cx.interp.call(&function, call)
}

/// `item in x`
fn contains(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = receiver(cx, args.get(0))?;
    let item = args.get(1);
    if matches!(item, Value::None | Value::Str(_)) {
        let shown = cx.interp.repr(&Value::Class(cx.interp.type_of(item)))?;
        return Err(cx.interp.type_error(format!("Array.__contains__: unsupported operand type {shown}.")));
    }
    let query = call::operand(cx, item, "Array.__contains__")?;
    if x.rank() != 1 {
        return Err(cx.interp.value_error(format!(
            "Array.__contains__: search array must be one-dimensional, got arr.shape={}.",
            x.shape()
        )));
    }
    if query.rank() != 0 {
        return Err(cx.interp.value_error(format!(
            "Array.__contains__: query value must be a scalar, got query.shape={}",
            query.shape()
        )));
    }
    let equal = super::arithmetic::simple(cx, "eq", &ops::EQ, &x, &query)?;
    let any = reductions::reduce(cx, &reductions::ANY, &equal, &reductions::Options::default())?;
    cx.interp.truth(&convert::value(cx, any)).map(Value::Bool)
}

fn divmod(cx: &Context<'_>, x: &Value, y: &Value) -> PyResult<Value> {
    let (x, y) = (call::operand(cx, x, "divmod")?, call::operand(cx, y, "divmod")?);
    let (quotient, rest) = super::arithmetic::divmod(cx, &x, &y)?;
    call::results(cx, [quotient, rest])
}

/// Calls a function of the module that knows what devices have.
fn shards<const N: usize>(cx: &Context<'_>, name: &str, args: [Value; N]) -> PyResult<Value> {
    let function = cx.interp.get_attr(&cx.interp.import("jax._src.array_shards")?, name)?;
    cx.interp.call_values(&function, args)
}

/// The first device of `jax.devices()`.
fn device(cx: &Context<'_>) -> PyResult<Value> {
    let jax = cx.interp.import("jax")?;
    let devices = cx.interp.call_method(&jax, "devices", [])?;
    cx.interp.get_item(&devices, &Value::from(0i64))
}

fn devices(cx: &Context<'_>, _args: Arguments) -> PyResult<Value> {
    let device = device(cx)?;
    let set = Value::Class(cx.interp.types().set.clone());
    cx.interp.call_values(&set, [Value::list([device])])
}
