//! What the `grid` of a call says: extents, names, and axes whose extents are not known yet.

use crate::context::Context;
use crate::pallas::call::PallasCall;
use crate::primitive;
use crate::refs::array_tile;
use crate::tile::Tile;
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;
use pallas_tensor::DType;
use std::rc::Rc;

/// What a `grid` says.
#[derive(Default)]
pub(super) struct Grid {
    /// One per axis; 1 where it is not known yet.
    pub(super) extents: Vec<usize>,
    /// Axes whose extents are not known yet.
    pub(super) dynamic: Vec<usize>,
    /// Those extents.
    pub(super) given: Vec<Tile>,
    /// Names of axes, where they have some.
    pub(super) names: Vec<Option<Rc<str>>>,
}

/// `grid=4`, `grid=(4, 2)`, named grids `(("i", 4), ...)`, and integer scalars that are being traced.
pub(super) fn parse_grid(cx: &Context<'_>, call: &PallasCall, value: &Value) -> PyResult<Grid> {
    let interp = cx.interp;
    let invalid = |interp: &pallas_python::Interp| {
        let shown = interp.repr(value).unwrap_or_default();
        interp.error_with(
            &interp.types().value_error,
            format!("Grid must be a tuple of integers or jax.Array, got {shown}"),
            Diagnosis {
                code: "PL101",
                span: call.grid_span,
                help: Some(
                    "count blocks in integers: `pl.cdiv(n, block)` or `n // block`; `/` gives a float".to_string(),
                ),
                ..Diagnosis::default()
            },
        )
    };
    let dims = match value {
        Value::None | Value::Unset => return Ok(Grid::default()),
        Value::Int(_) => vec![value.clone()],
        Value::Object(object) if object.is_index() => vec![value.clone()],
        Value::Tuple(_) | Value::List(_) => interp.collect(value)?,
        _ => return Err(invalid(interp)),
    };
    let mut grid = Grid::default();
    for (axis, dim) in dims.iter().enumerate() {
        let dim = match dim {
            Value::Tuple(named) if named.len() == 2 => {
                grid.names.push(Some(interp.str(&named[0])?.as_str().into()));
                &named[1]
            }
            dim => {
                grid.names.push(None);
                dim
            }
        };
        if let Some(extent) = array_tile(dim).filter(|tile| tile.array().is_none()) {
            if extent.rank() != 0 || !extent.dtype().is_integer() {
                return Err(invalid(interp));
            }
            grid.given.push(primitive::convert(cx, extent, DType::I32, false)?);
            grid.dynamic.push(axis);
            grid.extents.push(1);
            continue;
        }
        let extent = match dim {
            Value::Int(_) => interp.to_i64(dim)?,
            Value::Object(object) if object.is_index() => interp.to_i64(dim)?,
            _ => return Err(invalid(interp)),
        };
        // JAX runs no program for an extent of zero or less; the finding is made from the launch.
        grid.extents.push(usize::try_from(extent).unwrap_or(0));
    }
    Ok(grid)
}
