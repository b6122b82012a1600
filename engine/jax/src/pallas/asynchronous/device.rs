//! `device_id=`: which device a signal or a copy goes to, as operands of its op.

use crate::context::Context;
use crate::convert;
use crate::primitive;
use crate::trace::Trace;
use pallas_ir::ValueId;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::DType;
use std::rc::Rc;

/// Device ids as values of the trace, and how they are counted: `"mesh"` or `"logical"`.
pub(super) struct Device {
    /// One per axis of the mesh, or one number.
    pub ids: Vec<ValueId>,
    /// `"mesh"` or `"logical"`.
    pub kind: &'static str,
}

/// Reads a `device_id` with its `device_id_type`; `None` for the device we are on.
///
/// # Errors
/// In JAX's words, where the two do not fit each other.
pub(super) fn device(cx: &Context<'_>, trace: &Rc<Trace>, id: &Value, kind: &Value) -> PyResult<Option<Device>> {
    let interp = cx.interp;
    if matches!(id, Value::None | Value::Unset) {
        return Ok(None);
    }
    let logical = match kind {
        Value::Unset => false,
        kind => matches!(interp.find_attr(kind, "value")?, Some(Value::Str(text)) if *text == *"logical"),
    };
    let ids = match id {
        Value::Tuple(_) | Value::List(_) => interp.collect(id)?,
        // Coordinates by the names of axes.
        Value::Dict(dict) => dict.borrow().iter().map(|(_, value)| value.clone()).collect(),
        single => vec![single.clone()],
    };
    if logical && matches!(id, Value::Dict(_)) {
        return Err(interp.value_error(format!(
            "`device_id_type` must be MESH if `device_id` is a dict, got: device_id_type = {}.",
            interp.repr(kind)?
        )));
    }
    let ids = ids.iter().map(|id| integer(cx, trace, id)).collect::<PyResult<Vec<_>>>()?;
    Ok(Some(Device { ids, kind: if logical { "logical" } else { "mesh" } }))
}

/// An `i32` scalar of the trace.
pub(super) fn integer(cx: &Context<'_>, trace: &Rc<Trace>, value: &Value) -> PyResult<ValueId> {
    let tile = convert::tile(cx, value, "asarray")?;
    cx.value_in(trace, &primitive::convert(cx, &tile, DType::I32, false)?)
}
