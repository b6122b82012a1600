//! The module `numpy`: the functions that it shares with jax.numpy, those that only it has, constants and types.

use super::array::NDARRAY;
use super::methods::this;
use super::{NdArray, errors_state, files, forward, iterate, printing};
use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::dtype;
use crate::jnp::call;
use crate::jnp::creation::array_from;
use crate::primitive;
use crate::tile::Tile;
use pallas_python::class::Namespace;
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef, NativeFunction};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use pallas_tensor::{Array, DType, Shape};
use smallvec::smallvec;

/// The module.
pub(super) static MODULE: ModuleDef =
    ModuleDef { name: "numpy", doc: "Arrays, and functions on them.", functions: ROWS, populate };

macro_rules! rows {
    ($($name:literal $signature:literal $doc:literal $run:expr;)*) => {
        &[$(NativeDef {
            name: $name,
            signature: $signature,
            doc: $doc,
            run: |interp, args| call::enter(&Context::numpy(interp), args, $run),
        }),*]
    };
}

static ROWS: &[NativeDef] = rows! {
    "asarray" "(a, dtype=None, order=None, *, device=None, copy=None, like=None)" "An array, without a copy where it is one already." asarray;
    "asanyarray" "(a, dtype=None, order=None, *, device=None, copy=None, like=None)" "An array, without a copy where it is one already." asarray;
    "ascontiguousarray" "(a, dtype=None, *, like=None)" "An array whose elements follow each other in row-major order." contiguous;
    "copyto" "(dst, src, casting='same_kind', where=True)" "Writes values into an array." copyto;
    "shares_memory" "(a, b, /, max_work=-1)" "Whether two arrays have memory in common." shares_memory;
    "may_share_memory" "(a, b, /, max_work=0)" "Whether two arrays may have memory in common." shares_memory;
    "fill_diagonal" "(a, val, wrap=False)" "Sets the diagonal of an array in place." fill_diagonal;
    "put" "(a, ind, v, mode='raise')" "Sets elements of the flattened array in place." put;
    "put_along_axis" "(arr, indices, values, axis)" "Sets elements at indices along an axis, in place." put_along_axis;
    "putmask" "(a, mask, values)" "Sets elements where a mask is true, in place." putmask;
    "place" "(arr, mask, vals)" "Sets elements where a mask is true to successive values, in place." place;
    "fromiter" "(iter, dtype, count=-1, *, like=None)" "An array of one dimension from an iterable." fromiter;
};

fn populate(interp: &Interp, namespace: &mut Namespace) {
    let add = |namespace: &mut Namespace, name: &str, value: Value| {
        namespace.insert(Name::from(name), value);
    };
    let own: Vec<(Name, Value)> = namespace.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    crate::jnp::populate_numpy(interp, namespace);
    for row in forward::ROWS.iter() {
        add(namespace, row.name, Value::Native(NativeFunction::new(row, "numpy")));
    }
    for row in [printing::ROWS, errors_state::ROWS, files::ROWS, iterate::ROWS].into_iter().flatten() {
        add(namespace, row.name, Value::Native(NativeFunction::new(row, "numpy")));
    }
    // What this module defines itself goes before what it shares.
    namespace.extend(own);
    add(namespace, "ndarray", Value::Class(interp.native_class(&NDARRAY)));
    add(namespace, "little_endian", Value::Bool(true));
    add(namespace, "True_", super::value(Tile::concrete(pallas_tensor::Array::scalar(DType::Bool, true.into()))));
    add(namespace, "False_", super::value(Tile::concrete(pallas_tensor::Array::scalar(DType::Bool, false.into()))));
    add(namespace, "__version__", Value::str("2.4.6"));
    for name in ["testing", "linalg", "random"] {
        // These modules are registered beside this one; an import can fail only where they are not.
        if let Ok(module) = interp.import(&format!("numpy.{name}")) {
            add(namespace, name, module);
        }
    }
}

/// A read-only array over the data of a JAX array: what `np.asarray` gives.
fn borrowed(tile: Tile) -> Value {
    let value = super::array_value(tile);
    if let Some(array) = value.downcast::<NdArray>() {
        array.writeable.set(false);
    }
    value
}

fn asarray(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [a, target, _order, _device, copy, _like] = args.take();
    if let Some(grid) = crate::sharding::device_grid(cx.interp, &a)? {
        return Ok(grid);
    }
    let target = call::dtype(cx, &target)?;
    let copy = call::flag(cx, &copy)?;
    let same = |dtype: DType| target.is_none_or(|target| target == dtype);
    if let Some(array) = a.downcast::<NdArray>()
        && !array.is_scalar()
        && same(array.dtype())
    {
        return if copy { cx.interp.call_method(&a, "copy", []) } else { Ok(a) };
    }
    if let Some(object) = a.downcast::<ArrayObject>()
        && !object.tile.is_traced()
        && same(object.tile.dtype())
        && !copy
    {
        return Ok(borrowed(object.tile.clone()));
    }
    Ok(super::array_value(array_from(cx, &a, target)?))
}

fn contiguous(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [a, target, _like] = args.take();
    let target = call::dtype(cx, &target)?;
    if let Some(array) = a.downcast::<NdArray>()
        && array.view().is_contiguous()
        && target.is_none_or(|target| target == array.dtype())
        && array.shape().rank() > 0
    {
        return Ok(a);
    }
    let tile = array_from(cx, &a, target)?;
    let tile = if tile.rank() == 0 { primitive::reshape(cx, &tile, &Shape::from([1]))? } else { tile };
    Ok(super::array_value(tile))
}

fn copyto(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [target, source, _casting, mask] = args.take();
    let array = this(cx.interp, &target)?;
    if matches!(mask, Value::Bool(true)) {
        array.assign(cx, &Value::Ellipsis, &source)?;
        return Ok(Value::None);
    }
    let mask = array_from(cx, &mask, Some(DType::Bool))?;
    let mask = primitive::broadcast_to(cx, &mask, &array.shape())?;
    let source = array_from(cx, &source, Some(array.dtype()))?;
    let source = primitive::broadcast_to(cx, &source, &array.shape())?;
    let result = primitive::select(cx, &mask, &source, &array.tile(cx)?)?;
    array.assign(cx, &Value::Ellipsis, &super::array_value(result))?;
    Ok(Value::None)
}

fn shares_memory(_cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let (a, b) = (args.get(0).downcast::<NdArray>(), args.get(1).downcast::<NdArray>());
    let (Some(a), Some(b)) = (a, b) else { return Ok(Value::Bool(false)) };
    let (a, b) = (a.view(), b.view());
    if !std::rc::Rc::ptr_eq(&a.base, &b.base) {
        return Ok(Value::Bool(false));
    }
    let taken: std::collections::HashSet<i64> = a.positions().into_iter().collect();
    Ok(Value::Bool(b.positions().iter().any(|position| taken.contains(position))))
}

fn fill_diagonal(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let array = this(cx.interp, args.get(0))?;
    let shape = array.shape();
    if shape.rank() < 2 {
        return Err(cx.interp.value_error("array must be at least 2-d"));
    }
    if shape.rank() > 2 && shape.iter().any(|&extent| extent != shape[0]) {
        return Err(cx.interp.value_error("All dimensions of input must be of equal length"));
    }
    let count = shape.iter().copied().min().unwrap_or(0);
    let line = Value::list((0..count).map(Value::from));
    let key = Value::tuple(shape.iter().map(|_| line.clone()));
    array.assign(cx, &key, args.get(1))?;
    Ok(Value::None)
}

fn put_along_axis(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [target, indices, values, axis] = args.take();
    let array = this(cx.interp, &target)?;
    if axis.is_none() {
        return put(cx, Arguments::new(smallvec![target, indices, values, Value::from("raise")]));
    }
    let rank = array.shape().rank();
    let along = array_from(cx, &indices, None)?;
    if !along.dtype().is_integer() {
        return Err(cx.interp.index_error("`indices` must be an integer array"));
    }
    if along.rank() != rank {
        return Err(cx.interp.value_error("`indices` and `arr` must have the same number of dimensions"));
    }
    let axis = convert::axis(cx, &axis, rank)?;
    let mut key = Vec::with_capacity(rank);
    for (dim, &extent) in array.shape().iter().enumerate() {
        key.push(match dim == axis {
            true => super::array_value(along.clone()),
            false => {
                let mut shape = vec![1; rank];
                shape[dim] = extent;
                let numbers =
                    Array::iota(DType::I64, shape, dim).map_err(|error| super::array::op_error(cx, &error))?;
                super::array_value(Tile::concrete(numbers))
            }
        });
    }
    array.assign(cx, &Value::tuple(key), &values)?;
    Ok(Value::None)
}

fn put(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [target, indices, values, mode] = args.take();
    let array = this(cx.interp, &target)?;
    let size = array.shape().size() as i64;
    let mode = cx.interp.to_str(&mode)?;
    let mut positions = Vec::new();
    for at in call::int_sequence(cx, &indices)? {
        positions.push(match &*mode {
            "clip" => at.clamp(0, (size - 1).max(0)),
            "wrap" if size > 0 => at.rem_euclid(size),
            _ if (-size..size).contains(&at) => at.rem_euclid(size),
            _ => {
                return Err(cx.interp.index_error(format!("index {at} is out of bounds for axis 0 with size {size}")));
            }
        });
    }
    let values = array_from(cx, &values, Some(array.dtype()))?;
    let Tile::Concrete { array: values, .. } = values else {
        array.view().forget();
        return Ok(Value::None);
    };
    if values.size() == 0 {
        return Ok(Value::None);
    }
    array.check_writeable(cx)?;
    let places = array.view().positions();
    let chosen: Vec<i64> = positions.iter().map(|&at| places[at as usize]).collect();
    let repeated: Vec<pallas_tensor::Scalar> =
        (0..chosen.len()).filter_map(|at| values.get(at % values.size())).collect();
    let values = pallas_tensor::Array::from_scalars(array.dtype(), [repeated.len()], &repeated)
        .map_err(|error| super::array::op_error(cx, &error))?;
    array.view().put(&chosen, &values).map_err(|error| super::array::op_error(cx, &error))?;
    Ok(Value::None)
}

/// `values[i % len(values)]` where the mask is true: by position in the array, or counted among the chosen.
fn masked(cx: &Context<'_>, args: &Arguments, by_position: bool) -> PyResult<Value> {
    let array = this(cx.interp, args.get(0))?;
    array.check_writeable(cx)?;
    let mask = array_from(cx, args.get(1), Some(DType::Bool))?;
    let values = array_from(cx, args.get(2), Some(array.dtype()))?;
    let (Tile::Concrete { array: mask, .. }, Tile::Concrete { array: values, .. }) = (mask, values) else {
        array.view().forget();
        return Ok(Value::None);
    };
    let places = array.view().positions();
    if mask.size() != places.len() {
        return Err(cx.interp.value_error(if by_position {
            "putmask: mask and data must be the same size"
        } else {
            "place: mask and data must be the same size"
        }));
    }
    let chosen: Vec<(usize, i64)> = mask
        .iter_scalars()
        .zip(places)
        .enumerate()
        .filter(|(_, (flag, _))| flag.as_bool() == Some(true))
        .map(|(at, (_, place))| (at, place))
        .collect();
    if chosen.is_empty() {
        return Ok(Value::None);
    }
    if values.size() == 0 {
        return match by_position {
            true => Ok(Value::None),
            false => Err(cx.interp.value_error("Cannot insert from an empty array!")),
        };
    }
    let scalars: Vec<pallas_tensor::Scalar> = chosen
        .iter()
        .enumerate()
        .filter_map(|(count, (at, _))| values.get(if by_position { *at } else { count } % values.size()))
        .collect();
    let values = pallas_tensor::Array::from_scalars(array.dtype(), [scalars.len()], &scalars)
        .map_err(|error| super::array::op_error(cx, &error))?;
    let places: Vec<i64> = chosen.into_iter().map(|(_, place)| place).collect();
    array.view().put(&places, &values).map_err(|error| super::array::op_error(cx, &error))?;
    Ok(Value::None)
}

fn putmask(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    masked(cx, &args, true)
}

fn place(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    masked(cx, &args, false)
}

fn fromiter(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [items, target, count, _like] = args.take();
    let target = dtype::parse(cx, &target)?;
    let mut items = cx.interp.collect(&items)?;
    let count = cx.interp.to_i64(&count)?;
    if let Ok(count) = usize::try_from(count) {
        if items.len() < count {
            return Err(cx.interp.value_error(format!(
                "iterator too short: Expected {count} but iterator had only {} items.",
                items.len()
            )));
        }
        items.truncate(count);
    }
    let tile = array_from(cx, &Value::list(items), Some(target))?;
    Ok(convert::value(cx, tile))
}
