//! The part of a pipeline's grid that one core runs, as `_partition_grid` of jax/_src/pallas/mosaic/pipeline.py: along the
//! first parallel axis that the number of cores divides, else along the largest, as evenly as may be.

use super::grid::tile_value;
use crate::context::Context;
use crate::convert;
use crate::primitive;
use crate::refs::array_tile;
use crate::tile::Tile;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::{BinaryOp, CompareOp};
use pallas_tensor::{DType, Scalar};

/// Extents, and where the part begins along each axis if there are several cores.
type Part = (Vec<Value>, Option<Vec<Tile>>);

/// The grid, or this core's part.
pub(super) fn partition(cx: &Context<'_>, grid: &[Value], core_axis: &Value, semantics: &Value) -> PyResult<Part> {
    let interp = cx.interp;
    if core_axis.is_none() {
        return Ok((grid.to_vec(), None));
    }
    let (module, id, count) = match core_axis {
        Value::Int(_) => ("jax.experimental.pallas", "program_id", "num_programs"),
        _ => ("jax.lax", "axis_index", "axis_size"),
    };
    let ask = |name: &str| {
        let function = interp.get_attr(&interp.import(module)?, name)?;
        interp.call_values(&function, [core_axis.clone()])
    };
    let cores = ask(count)?;
    if !matches!(cores, Value::Int(_)) {
        return Err(interp.not_implemented_error(format!(
            "Cannot partition grid over dynamic number of cores: core_axis={}",
            interp.repr(core_axis)?
        )));
    }
    let cores = interp.to_usize(&cores)?;
    if cores == 1 {
        return Ok((grid.to_vec(), None));
    }
    let kinds = match semantics {
        Value::None | Value::Unset => vec![false; grid.len()],
        semantics => interp
            .collect(semantics)?
            .iter()
            .map(|kind| Ok(interp.str(kind)?.to_lowercase().ends_with("parallel")))
            .collect::<PyResult<Vec<_>>>()?,
    };
    if kinds.len() != grid.len() {
        return Err(interp.value_error("dimension_semantics must be the same length as grid."));
    }
    if !kinds.contains(&true) {
        let unsaid = || {
            let all = vec!["<GridDimensionSemantics.ARBITRARY: 'arbitrary'>"; grid.len()];
            format!("({}{})", all.join(", "), if all.len() == 1 { "," } else { "" })
        };
        let shown = match semantics {
            Value::None | Value::Unset => unsaid(),
            semantics => interp.repr(semantics)?,
        };
        return Err(interp.not_implemented_error(format!(
            "Cannot partition over cores without parallel grid dimensions: dimension_semantics={shown}"
        )));
    }
    let id = ask(id)?;
    let fixed = |axis: usize| match &grid[axis] {
        value @ Value::Int(_) => interp.to_usize(value).ok(),
        _ => None,
    };
    let parallel = || (0..grid.len()).filter(|&axis| kinds[axis]);
    let number = |n: usize| Value::from(n);
    let (axis, extent, offset) = match parallel().find(|&axis| fixed(axis).is_some_and(|n| n % cores == 0)) {
        Some(axis) => {
            let part = fixed(axis).unwrap_or(0) / cores;
            (axis, number(part), interp.binary(BinaryOp::Mult, &id, &number(part))?)
        }
        None => {
            let dynamic: Vec<usize> = parallel().filter(|&axis| fixed(axis).is_none()).collect();
            let largest = parallel()
                .filter_map(|axis| Some((fixed(axis)?, axis)))
                .max_by_key(|&(n, axis)| (n, usize::MAX - axis));
            let axis = match (dynamic.as_slice(), largest) {
                ([_, _, ..], _) => {
                    return Err(interp.not_implemented_error(format!(
                        "Cannot partition over multiple dynamic parallel dimensions: grid={}",
                        interp.repr(&Value::tuple(grid.iter().cloned()))?
                    )));
                }
                (_, Some((_, axis))) => axis,
                ([axis], None) => *axis,
                ([], None) => 0,
            };
            let each = interp.binary(BinaryOp::FloorDiv, &grid[axis], &number(cores))?;
            let rest = interp.binary(BinaryOp::Mod, &grid[axis], &number(cores))?;
            let more = interp.compare(CompareOp::Lt, &id, &rest)?;
            let one_more = interp.binary(BinaryOp::Add, &each, &number(1))?;
            let choose = interp.get_attr(&interp.import("jax.numpy")?, "where")?;
            let extent = interp.call_values(&choose, [more.clone(), one_more, each.clone()])?;
            let begin = interp.binary(BinaryOp::Mult, &id, &extent)?;
            let later = interp.binary(BinaryOp::Mult, &id, &each)?;
            let later = interp.binary(BinaryOp::Add, &later, &rest)?;
            (axis, extent, interp.call_values(&choose, [more, begin, later])?)
        }
    };
    let mut extents = grid.to_vec();
    extents[axis] = extent;
    let mut offsets = vec![primitive::scalar(DType::I32, Scalar::Int(0)); grid.len()];
    offsets[axis] = primitive::convert(cx, &convert::tile(cx, &offset, "emit_pipeline")?, DType::I32, false)?;
    // A part whose extent was computed from what is known is known too.
    let extents = extents
        .into_iter()
        .map(|value| match array_tile(&value).cloned() {
            Some(tile) => tile_value(tile),
            None => value,
        })
        .collect();
    Ok((extents, Some(offsets)))
}
