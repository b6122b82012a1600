//! Methods of arrays that give the same elements in another shape or order: views where possible.

use super::{derived, this};
use crate::context::Context;
use crate::convert;
use crate::jnp::call;
use crate::numpy::array::{NdArray, op_error};
use crate::numpy::view::View;
use pallas_python::interp::Interp;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::Shape;
use std::rc::Rc;

/// A shape argument in which one extent may be -1.
///
/// # Errors
/// `ValueError: cannot reshape array of size 3 into shape (2,2)`
pub(super) fn target_shape(cx: &Context<'_>, value: &Value, size: usize) -> PyResult<Shape> {
    let given = call::int_sequence(cx, value)?;
    let known: i64 = given.iter().filter(|&&extent| extent >= 0).product();
    let fail = || {
        let text = |&extent: &i64| if extent < 0 { "newaxis".to_string() } else { extent.to_string() };
        let texts: Vec<String> = given.iter().map(text).collect();
        let comma = if texts.len() == 1 { "," } else { "" };
        cx.interp.value_error(format!("cannot reshape array of size {size} into shape ({}{comma})", texts.join(",")))
    };
    let unknown = given.iter().filter(|&&extent| extent < 0).count();
    if unknown > 1 {
        return Err(cx.interp.value_error("can only specify one unknown dimension"));
    }
    let rest = match (unknown, known) {
        (1, 0) => return Err(fail()),
        (1, known) => size as i64 / known,
        _ => 1,
    };
    let shape: Shape = given.iter().map(|&extent| if extent < 0 { rest } else { extent } as usize).collect();
    if shape.checked_size() == Some(size) { Ok(shape) } else { Err(fail()) }
}

/// The elements under another shape: a view where they are contiguous, else a copy.
pub(super) fn reshaped(cx: &Context<'_>, array: &NdArray, shape: &Shape) -> PyResult<View> {
    let view = array.view();
    if let Some(view) = view.reshaped(shape) {
        return Ok(view);
    }
    own(cx, &view)?.reshaped(shape).ok_or_else(|| cx.interp.runtime_error("a copy is contiguous"))
}

/// A copy with a buffer of its own.
pub(super) fn own(cx: &Context<'_>, view: &View) -> PyResult<View> {
    let array = view.to_array().map_err(|error| op_error(cx, &error))?;
    Ok(array.map_or_else(|| View::unknown(view.dtype(), view.shape.clone()), View::new))
}

/// `order='F'`: as `transpose`, then in C order.
fn is_fortran(order: &Value) -> bool {
    matches!(order, Value::Str(order) if &**order == "F")
}

fn fortran_view(array: &NdArray) -> View {
    let reversed: Vec<usize> = (0..array.shape().rank()).rev().collect();
    array.view().transposed(&reversed)
}

pub(super) fn reshape(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let [this_value, shape, order, _copy] = args.take();
    let array = this(interp, &this_value)?;
    let shape = match &shape {
        Value::Tuple(items) if items.len() == 1 => items[0].clone(),
        shape => shape.clone(),
    };
    if let Some(unknown) = call::find_unknown(&shape, 2) {
        return Ok(unknown);
    }
    let shape = target_shape(&cx, &shape, array.shape().size())?;
    if is_fortran(&order) {
        let reversed: Shape = shape.iter().rev().copied().collect();
        let line = NdArray::array(own(&cx, &fortran_view(array))?);
        let result = NdArray::array(reshaped(&cx, &line, &reversed)?);
        return Ok(Value::object(NdArray::array(fortran_view(&result))));
    }
    Ok(view_or_copy(&this_value, array, reshaped(&cx, array, &shape)?))
}

/// An array over a view, with the receiver as its base unless the view has memory of its own.
fn view_or_copy(receiver: &Value, array: &NdArray, view: View) -> Value {
    if array.is_scalar() || !Rc::ptr_eq(&view.base, &array.view().base) {
        return Value::object(NdArray::array(view));
    }
    Value::object(NdArray::derived(receiver, array, view))
}

pub(super) fn ravel(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let array = this(interp, args.get(0))?;
    let line = Shape::from([array.shape().size()]);
    let view = if is_fortran(args.get(1)) {
        let copy = NdArray::array(own(&cx, &fortran_view(array))?);
        reshaped(&cx, &copy, &line)?
    } else {
        reshaped(&cx, array, &line)?
    };
    Ok(view_or_copy(args.get(0), array, view))
}

pub(super) fn flatten(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let array = this(interp, args.get(0))?;
    let source = if is_fortran(args.get(1)) { fortran_view(array) } else { array.view() };
    let copy = NdArray::array(own(&cx, &source)?);
    let line = Shape::from([array.shape().size()]);
    Ok(Value::object(NdArray::array(reshaped(&cx, &copy, &line)?)))
}

pub(super) fn transpose(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let array = this(interp, args.get(0))?;
    let rank = array.shape().rank();
    let axes = match args.get(1) {
        Value::Tuple(items) if items.is_empty() => Value::None,
        Value::Tuple(items) if items.len() == 1 => items[0].clone(),
        axes => axes.clone(),
    };
    let order = match call::given(&axes) {
        None => (0..rank).rev().collect(),
        Some(axes) => {
            let given = call::int_sequence(&cx, axes)?;
            if given.len() != rank {
                return Err(interp.value_error("axes don't match array"));
            }
            given.iter().map(|&axis| convert::normalize_axis(&cx, axis, rank)).collect::<PyResult<Vec<_>>>()?
        }
    };
    let mut seen = order.clone();
    seen.sort_unstable();
    if seen.iter().enumerate().any(|(at, &axis)| at != axis) {
        return Err(interp.value_error("repeated axis in transpose"));
    }
    Ok(derived(args.get(0), array, array.view().transposed(&order)))
}

pub(super) fn swapaxes(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let array = this(interp, args.get(0))?;
    let rank = array.shape().rank();
    let mut order: Vec<usize> = (0..rank).collect();
    order.swap(convert::axis(&cx, args.get(1), rank)?, convert::axis(&cx, args.get(2), rank)?);
    Ok(derived(args.get(0), array, array.view().transposed(&order)))
}

pub(super) fn squeeze(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let array = this(interp, args.get(0))?;
    let shape = array.shape();
    let axes = match call::given(args.get(1)) {
        None => (0..shape.rank()).filter(|&axis| shape[axis] == 1).collect(),
        Some(axes) => convert::axes(&cx, axes, shape.rank())?,
    };
    if axes.iter().any(|&axis| shape[axis] != 1) {
        return Err(interp.value_error("cannot select an axis to squeeze out which has size not equal to one"));
    }
    Ok(derived(args.get(0), array, array.view().without(&axes)))
}
