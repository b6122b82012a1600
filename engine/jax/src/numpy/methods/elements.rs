//! Methods of arrays that give their elements: as a copy, under another dtype, as Python's numbers, as bytes.

use super::shape::own;
use super::{derived, this};
use crate::context::Context;
use crate::dtype;
use crate::jnp::call;
use crate::numpy::array::{NdArray, op_error};
use crate::primitive;
use crate::tile::Tile;
use pallas_python::interp::Interp;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::DType;

pub(super) fn copy(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let array = this(interp, args.get(0))?;
    if array.is_scalar() {
        return Ok(args.get(0).clone());
    }
    Ok(Value::object(NdArray::array(own(&Context::numpy(interp), &array.view())?)))
}

pub(super) fn astype(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let [this_value, target, _order, _casting, _subok, copy] = args.take();
    let array = this(interp, &this_value)?;
    if target.is_unknown() {
        return Ok(target);
    }
    let target = dtype::parse(&cx, &target)?;
    if target == array.dtype() && !call::flag(&cx, &copy)? {
        return Ok(this_value);
    }
    let tile = primitive::convert(&cx, &array.tile(&cx)?, target, false)?;
    Ok(if array.is_scalar() { crate::numpy::value(tile) } else { super::super::array_value(tile) })
}

pub(super) fn view(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let array = this(interp, args.get(0))?;
    let Some(target) = dtype::optional(&cx, args.get(1))?.filter(|&target| target != array.dtype()) else {
        return Ok(derived(args.get(0), array, array.view()));
    };
    let (from, to) = (array.dtype().size_bytes(), target.size_bytes());
    // Booleans are bytes of 0 and 1.
    let tile = match array.tile(&cx)? {
        tile if tile.dtype() == DType::Bool => primitive::convert(&cx, &tile, DType::U8, false)?,
        tile => tile,
    };
    if from == to {
        let result = match target {
            DType::Bool => crate::jnp::compose::as_bool(&cx, &tile)?,
            target => crate::jnp::compose::bitcast(&cx, &tile, target)?,
        };
        return Ok(if array.is_scalar() { crate::numpy::value(result) } else { super::super::array_value(result) });
    }
    if target == DType::Bool {
        return Err(interp.type_error("Cannot view an array of a wider dtype as booleans"));
    }
    let last = array.shape().last().copied().unwrap_or(1) * from;
    if array.shape().rank() == 0 || last % to != 0 {
        return Err(interp.value_error(
            "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis of \
             the array.",
        ));
    }
    // `bitcast_convert_type` moves the difference of sizes into (or out of) an innermost dimension.
    let mut shape = array.shape();
    let innermost = shape.rank() - 1;
    let result = if from > to {
        shape[innermost] = last / to;
        primitive::reshape(&cx, &crate::jnp::compose::bitcast(&cx, &tile, target)?, &shape)?
    } else {
        shape[innermost] = last / to;
        shape.push(to / from);
        crate::jnp::compose::bitcast(&cx, &primitive::reshape(&cx, &tile, &shape)?, target)?
    };
    Ok(crate::numpy::array_value(result))
}

/// Nested lists of the elements from `offset` on.
fn nested(array: &pallas_tensor::Array, dims: &[usize], offset: usize) -> Value {
    match dims.split_first() {
        None => array.get(offset).map_or(Value::None, crate::text::python_scalar),
        Some((&extent, inner)) => {
            let step: usize = inner.iter().product();
            Value::list((0..extent).map(|at| nested(array, inner, offset + at * step)))
        }
    }
}

pub(super) fn tolist(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    match this(interp, args.get(0))?.tile(&cx)? {
        Tile::Concrete { array, .. } => {
            interp.charge_bytes(array.size() as u128 * 24)?;
            Ok(nested(&array, array.shape(), 0))
        }
        _ => Ok(call::data_dependent(&cx, "tolist")),
    }
}

pub(super) fn item(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let array = this(interp, args.get(0))?;
    let Value::Tuple(position) = args.get(1) else { return Ok(Value::None) };
    let Tile::Concrete { array: data, .. } = array.tile(&cx)? else {
        return Ok(call::data_dependent(&cx, "item"));
    };
    let scalar = match &position[..] {
        [] if data.size() == 1 => data.get(0),
        [] => return Err(interp.value_error("can only convert an array of size 1 to a Python scalar")),
        [at] if !matches!(at, Value::Tuple(_)) => {
            let at = interp.to_i64(at)?;
            let size = data.size() as i64;
            if !(-size..size).contains(&at) {
                return Err(interp.index_error(format!("index {at} is out of bounds for axis 0 with size {size}")));
            }
            data.get(at.rem_euclid(size) as usize)
        }
        position => {
            let key = match position {
                [key] => key.clone(),
                _ => Value::tuple(position.iter().cloned()),
            };
            let element = interp.get_item(args.get(0), &key)?;
            let Some(element) = element.downcast::<NdArray>().filter(|e| e.shape().rank() == 0) else {
                return Err(interp.value_error("incorrect number of indices for array"));
            };
            element.to_array(&cx)?.item()
        }
    };
    Ok(scalar.map_or(Value::None, crate::text::python_scalar))
}

pub(super) fn tobytes(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let Tile::Concrete { array, .. } = this(interp, args.get(0))?.tile(&cx)? else {
        return Ok(call::data_dependent(&cx, "tobytes"));
    };
    // Booleans are bytes of 0 and 1.
    let array = match array.dtype() {
        DType::Bool => pallas_tensor::ops::convert(&array, DType::U8).map_err(|error| op_error(&cx, &error))?,
        _ => array,
    };
    let bytes = pallas_tensor::ops::bitcast_convert(&array, DType::U8).map_err(|error| op_error(&cx, &error))?;
    let bytes: &[u8] = bytes.elements::<u8>().unwrap_or_default();
    Ok(Value::Bytes(bytes.into()))
}

pub(super) fn array_method(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    match dtype::optional(&cx, args.get(1))? {
        Some(target) if target != this(interp, args.get(0))?.dtype() => {
            let tile = this(interp, args.get(0))?.tile(&cx)?;
            Ok(crate::numpy::array_value(primitive::convert(&cx, &tile, target, false)?))
        }
        _ => Ok(args.get(0).clone()),
    }
}
