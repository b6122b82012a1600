//! `device_id=`: which device a signal or a copy goes to, as operands of its op.
//!
//! Where the axes of the mesh are known, coordinates become the one number that the device has among all
//! (`device_id_to_logical` of jax/_src/pallas/primitives.py). That it was put together of them is kept: a coordinate past the end of
//! its axis is another device's number.

use crate::context::Context;
use crate::convert;
use crate::lax::collective;
use crate::primitive;
use crate::tile::Tile;
use crate::trace::Trace;
use crate::transform::named::NamedAxis;
use pallas_ir::{ValueId, ops};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar};
use std::rc::Rc;

/// Device ids as values of the trace, and how they are counted.
pub(super) struct Device {
    /// One per axis of the mesh, or one number; none for the device that we are on.
    pub ids: Vec<ValueId>,
    /// `"mesh"`, `"logical"`, or `"axes"`: a number that was put together of coordinates.
    pub kind: &'static str,
    /// The core, where coordinates name it.
    pub core: Option<ValueId>,
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
    let axes = cx.state.axes.borrow().clone();
    let mesh: Vec<NamedAxis> = axes.iter().filter(|axis| axis.shards.is_some()).cloned().collect();
    if let Value::Dict(dict) = id {
        if logical {
            return Err(interp.value_error(format!(
                "`device_id_type` must be MESH if `device_id` is a dict, got: device_id_type = {}.",
                interp.repr(kind)?
            )));
        }
        let mut named: Vec<(String, Value)> = Vec::new();
        for (key, value) in dict.borrow().iter() {
            // Several axes taken together are not told apart.
            named.push((interp.str(key)?, value.clone()));
        }
        return by_names(cx, trace, named, &axes, &mesh);
    }
    let ids = match id {
        Value::Tuple(_) | Value::List(_) => interp.collect(id)?,
        single => vec![single.clone()],
    };
    if !logical && ids.len() == mesh.len() && mesh.len() > 1 {
        let tiles = ids.iter().map(|id| scalar(cx, id)).collect::<PyResult<Vec<_>>>()?;
        let ids = vec![cx.value_in(trace, &combined(cx, &mesh, &tiles)?)?];
        return Ok(Some(Device { ids, kind: "axes", core: None }));
    }
    let ids = ids.iter().map(|id| integer(cx, trace, id)).collect::<PyResult<Vec<_>>>()?;
    Ok(Some(Device { ids, kind: if logical { "logical" } else { "mesh" }, core: None }))
}

/// Coordinates by the names of axes: those that are not named stay what they are here.
fn by_names(
    cx: &Context<'_>,
    trace: &Rc<Trace>,
    named: Vec<(String, Value)>,
    axes: &[NamedAxis],
    mesh: &[NamedAxis],
) -> PyResult<Option<Device>> {
    let of = |name: &str| named.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    let is_core = |name: &str| axes.iter().any(|axis| *axis.name == *name && axis.shards.is_none());
    let mut core = None;
    for (name, value) in &named {
        if mesh.iter().any(|axis| *axis.name == **name) {
            continue;
        }
        if is_core(name) {
            core = Some(integer(cx, trace, value)?);
        }
    }
    let names_device = mesh.iter().any(|axis| of(&axis.name).is_some());
    if mesh.is_empty() {
        // Nobody says how large the mesh is: the coordinates are kept.
        let others = named.iter().filter(|(name, _)| !is_core(name));
        let ids = others.map(|(_, value)| integer(cx, trace, value)).collect::<PyResult<Vec<_>>>()?;
        return Ok(Some(Device { ids, kind: "mesh", core }));
    }
    if !names_device {
        return Ok(Some(Device { ids: Vec::new(), kind: "mesh", core }));
    }
    let tiles = mesh
        .iter()
        .map(|axis| match of(&axis.name) {
            Some(value) => scalar(cx, &value),
            None => collective::index_on_device(cx, axis),
        })
        .collect::<PyResult<Vec<_>>>()?;
    let ids = vec![cx.value_in(trace, &combined(cx, mesh, &tiles)?)?];
    Ok(Some(Device { ids, kind: "axes", core }))
}

/// The number of a device, the last axis of the mesh innermost.
fn combined(cx: &Context<'_>, mesh: &[NamedAxis], ids: &[Tile]) -> PyResult<Tile> {
    let mut number: Option<Tile> = None;
    for (axis, id) in mesh.iter().zip(ids) {
        number = Some(match number {
            None => id.clone(),
            Some(outer) => {
                let size = primitive::scalar(DType::I32, Scalar::Int(axis.size as i128));
                primitive::binary(cx, &ops::ADD, &primitive::binary(cx, &ops::MUL, &outer, &size)?, id)?
            }
        });
    }
    Ok(number.unwrap_or_else(|| primitive::scalar(DType::I32, Scalar::Int(0))))
}

fn scalar(cx: &Context<'_>, value: &Value) -> PyResult<Tile> {
    primitive::convert(cx, &convert::tile(cx, value, "asarray")?, DType::I32, false)
}

/// An `i32` scalar of the trace.
pub(super) fn integer(cx: &Context<'_>, trace: &Rc<Trace>, value: &Value) -> PyResult<ValueId> {
    cx.value_in(trace, &scalar(cx, value)?)
}
