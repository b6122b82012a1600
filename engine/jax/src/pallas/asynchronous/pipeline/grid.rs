//! The grid of a pipeline while its body is traced: what `pl.program_id` and `pl.num_programs` mean there.

use super::partition::partition;
use crate::array::ArrayObject;
use crate::context::Context;
use crate::primitive;
use crate::refs::array_tile;
use crate::tile::Tile;
use crate::trace::Trace;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::DType;
use std::rc::Rc;

/// A grid, or the part of it that one core runs.
pub(super) struct Grid {
    /// Extents; `None` where one is not known while tracing.
    pub(super) extents: Vec<Option<usize>>,
    /// Those extents.
    pub(super) dynamic: Vec<Tile>,
    /// Where the part begins, along every axis.
    pub(super) offsets: Option<Vec<Tile>>,
    /// Extents as Python has them.
    pub(super) values: Vec<Value>,
}

/// A grid that the body of a pipeline may ask.
pub struct PipelineGrid {
    /// The trace of the kernel.
    pub trace: Rc<Trace>,
    /// Ids, one per axis.
    pub ids: Vec<Value>,
    /// Extents.
    pub extents: Vec<Value>,
}

impl Grid {
    pub(super) fn new(cx: &Context<'_>, grid: &[Value], core_axis: &Value, semantics: &Value) -> PyResult<Grid> {
        let interp = cx.interp;
        let is_extent = |value: &Value| matches!(value, Value::Int(_)) || array_tile(value).is_some();
        if !grid.iter().all(is_extent) {
            let types: Vec<Value> = grid.iter().map(|value| Value::Class(interp.type_of(value))).collect();
            return Err(interp.value_error(format!(
                "Grid must consist of Python integers and JAX Arrays: {}",
                interp.repr(&Value::tuple(types))?
            )));
        }
        let (values, offsets) = partition(cx, grid, core_axis, semantics)?;
        let (mut extents, mut dynamic) = (Vec::new(), Vec::new());
        for value in &values {
            match array_tile(value) {
                Some(tile) => {
                    extents.push(None);
                    dynamic.push(primitive::convert(cx, tile, DType::I32, false)?);
                }
                None => extents.push(Some(interp.to_usize(value)?)),
            }
        }
        Ok(Grid { extents, dynamic, offsets, values })
    }

    /// Makes the grid the one that is asked, while it lasts. With explicit indices it stays the kernel's.
    pub(super) fn enter<'a>(
        &self,
        cx: &'a Context<'a>,
        trace: &Rc<Trace>,
        ids: &[Value],
        explicit: bool,
    ) -> Entered<'a> {
        if explicit {
            return Entered { cx, count: 0 };
        }
        enter(cx, PipelineGrid { trace: trace.clone(), ids: ids.to_vec(), extents: self.values.clone() })
    }
}

/// Makes a grid the one that is asked, while the result lives.
pub(super) fn enter<'a>(cx: &'a Context<'a>, grid: PipelineGrid) -> Entered<'a> {
    cx.state.pipelines.borrow_mut().push(grid);
    Entered { cx, count: 1 }
}

/// The grid of a pipeline is asked while it lives.
pub(super) struct Entered<'a> {
    cx: &'a Context<'a>,
    count: usize,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let mut open = self.cx.state.pipelines.borrow_mut();
        let left = open.len().saturating_sub(self.count);
        open.truncate(left);
    }
}

/// The id or extent along an axis of the innermost pipeline that is being traced, if one is; `Err` says how many axes it
/// has.
pub(crate) fn asked(cx: &Context<'_>, axis: i64, extent: bool) -> Option<Result<Value, usize>> {
    let open = cx.state.pipelines.borrow();
    let grid = open.last()?;
    let kernel =
        cx.state.traces.borrow().iter().rev().find(|trace| trace.grid.is_some() && !trace.is_index_map()).cloned();
    if !kernel.is_some_and(|kernel| Rc::ptr_eq(&kernel, &grid.trace)) {
        return None;
    }
    let values = if extent { &grid.extents } else { &grid.ids };
    Some(usize::try_from(axis).ok().and_then(|axis| values.get(axis).cloned()).ok_or(values.len()))
}

/// A traced value for a Python value.
pub(super) fn tile_value(tile: Tile) -> Value {
    Value::object(ArrayObject { tile })
}
