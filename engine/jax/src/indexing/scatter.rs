//! Updating by subscript: `x.at[key].set(y)` and its kin as one `scatter`, or as a static slice update where every
//! position is known (`_scatter_update` in jax/_src/ops/scatter.py).

use super::parse::{Positions, expand_masks, parse};
use super::plan::{Item, Plan, normalized};
use super::{Mode, Options};
use crate::context::Context;
use crate::convert;
use crate::jnp::compose;
use crate::jnp::creation::array_from;
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar, Shape};

/// `x` with `value` combined in (`set`, `add`, `sub`, `mul`, `min`, `max`) at `key`; `None` where analysis does not
/// know the key, and the result has the type of `x`.
pub(super) fn update(
    cx: &Context<'_>,
    x: &Tile,
    key: &Value,
    value: &Value,
    combine: &str,
    options: &Options,
) -> PyResult<Option<Tile>> {
    let y = match value {
        // A Python int that fits takes the array's dtype.
        Value::Int(int) if x.dtype().is_integer() => {
            let info = x.dtype().iinfo();
            let fits = int.to_i64().zip(info).is_some_and(|(v, i)| (i.min..=i.max).contains(&v.into()));
            array_from(cx, value, fits.then_some(x.dtype()))?
        }
        value => array_from(cx, value, None)?,
    };
    update_tile(cx, x, key, &y, combine, options)
}

/// As [`update`], with an array.
pub(super) fn update_tile(
    cx: &Context<'_>,
    x: &Tile,
    key: &Value,
    y: &Tile,
    combine: &str,
    options: &Options,
) -> PyResult<Option<Tile>> {
    let Some(entries) = parse(cx, x.shape(), key)? else { return Ok(None) };
    let Some(entries) = expand_masks(cx, x.shape(), entries)? else { return Ok(None) };
    let plan = Plan::new(cx, x.shape(), &entries)?;
    let (dtype, weak) = (x.dtype(), x.weak());
    let promoted = convert::promote_dtypes(cx, &[x, y])?;
    let [x, y] = promoted.as_slice() else {
        return Err(cx.interp.runtime_error("promotion lost an operand"));
    };
    let result = by_index(cx, x, &plan, y, combine, options)?;
    primitive::convert(cx, &result, dtype, weak).map(Some)
}

/// A dimension of the updates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    /// Of the index arrays.
    Index(usize),
    /// An axis of the array.
    Axis(usize),
}

fn by_index(cx: &Context<'_>, x: &Tile, plan: &Plan, y: &Tile, combine: &str, options: &Options) -> PyResult<Tile> {
    let (index_axes, indices) = plan.indices(cx, options.wrap)?;
    let index_shape = indices.first().map_or_else(Shape::default, |tile| tile.shape().clone());
    // The shape that the updates are broadcast to, and its dimensions, new axes left out.
    let (mut shape, mut labels, mut inserted) = (Shape::default(), Vec::new(), Vec::new());
    let place = plan.index_place();
    for (number, item) in plan.items.iter().enumerate() {
        if number == place {
            for (dim, &extent) in index_shape.iter().enumerate() {
                shape.push(extent);
                labels.push(Label::Index(dim));
            }
        }
        match item {
            Item::New => {
                inserted.push(shape.rank());
                shape.push(1);
            }
            Item::Slice { axis, positions } => {
                shape.push(positions.count);
                labels.push(Label::Axis(*axis));
            }
            Item::Dynamic { axis, size, .. } => {
                shape.push(*size);
                labels.push(Label::Axis(*axis));
            }
            Item::Index { .. } => {}
        }
    }
    let y = updates(cx, y, &shape)?;
    if shape.contains(&0) {
        return Ok(x.clone());
    }
    let y = primitive::squeeze(cx, &y, &inserted)?;
    let whole = primitive::expand_dims(cx, x, &plan.inserted)?;
    let result = match static_slices(plan, &index_axes, &indices) {
        Some(parts) => slice_update(cx, &whole, &parts, &y, combine)?,
        None => scatter(cx, &whole, plan, (index_axes, indices), &y, &labels, combine, options)?,
    };
    primitive::squeeze(cx, &result, &plan.inserted)
}

/// `y` broadcast to the shape of the updates, refused in JAX's words.
fn updates(cx: &Context<'_>, y: &Tile, shape: &Shape) -> PyResult<Tile> {
    if y.rank() > shape.rank() {
        let message = format!("Cannot broadcast to shape with fewer dimensions: arr_shape={} shape={shape}", y.shape());
        return Err(cx.interp.value_error(message));
    }
    let offset = shape.rank() - y.rank();
    if y.shape().iter().zip(&shape[offset..]).any(|(&given, &wanted)| given != 1 && given != wanted) {
        let wanted = pallas_ir::TensorType::new(y.dtype(), shape.clone());
        return Err(cx.interp.error_with(
            &cx.interp.types().value_error,
            format!(
                "Incompatible types for broadcasting: input type={} and requested type={}",
                primitive::type_text(&y.ty()),
                primitive::type_text(&wanted)
            ),
            pallas_python::Diagnosis { code: "PL303", ..Default::default() },
        ));
    }
    primitive::broadcast_to(cx, y, shape)
}

/// The known positions of every axis, if the key is made of unit-step slices and integers that are in bounds.
fn static_slices(plan: &Plan, axes: &[usize], indices: &[Tile]) -> Option<Vec<Positions>> {
    if plan.advanced {
        return None;
    }
    let mut parts: Vec<Option<Positions>> = vec![None; plan.shape.rank()];
    for item in &plan.items {
        match item {
            Item::Slice { axis, positions } if positions.step == 1 => parts[*axis] = Some(*positions),
            Item::New | Item::Index { .. } => {}
            Item::Slice { .. } | Item::Dynamic { .. } => return None,
        }
    }
    for (&axis, index) in axes.iter().zip(indices) {
        let at = index.array()?.item()?.as_int()?;
        if !(0..plan.shape[axis] as i128).contains(&at) {
            return None;
        }
        parts[axis] = Some(Positions { start: at as i64, step: 1, count: 1 });
    }
    parts.into_iter().collect()
}

/// An update of a block at a known place.
fn slice_update(cx: &Context<'_>, x: &Tile, parts: &[Positions], y: &Tile, combine: &str) -> PyResult<Tile> {
    let sizes: Shape = parts.iter().map(|part| part.count).collect();
    let mut block = primitive::reshape(cx, y, &sizes)?;
    let op = match combine {
        "add" if x.dtype() == DType::Bool => Some(&ops::OR),
        "mul" if x.dtype() == DType::Bool => Some(&ops::AND),
        "add" => Some(&ops::ADD),
        "sub" => Some(&ops::SUB),
        "mul" => Some(&ops::MUL),
        "min" => Some(&ops::MIN),
        "max" => Some(&ops::MAX),
        _ => None,
    };
    if let Some(op) = op {
        let old = super::gather::static_part(cx, x, parts)?;
        block = primitive::binary(cx, op, &old, &block)?;
    }
    let starts: Vec<Tile> =
        parts.iter().map(|part| primitive::scalar(DType::I32, Scalar::Int(part.start.into()))).collect();
    let operands: Vec<&Tile> = [x, &block].into_iter().chain(&starts).collect();
    cx.bind(&ops::DYNAMIC_UPDATE_SLICE, &operands, Attributes::none())
}

/// The general update. Slices that are not whole become index arrays, so that every updated axis has one.
#[expect(clippy::too_many_arguments, reason = "the parts of one update, computed by the only caller")]
fn scatter(
    cx: &Context<'_>,
    x: &Tile,
    plan: &Plan,
    (mut axes, indices): (Vec<usize>, Vec<Tile>),
    y: &Tile,
    labels: &[Label],
    combine: &str,
    options: &Options,
) -> PyResult<Tile> {
    let mut grid: Shape = indices.first().map_or_else(Shape::default, |tile| tile.shape().clone());
    let index_rank = grid.rank();
    // Dimensions of the grid of positions: those of the arrays, then one per slice.
    let mut dims: Vec<Label> = (0..index_rank).map(Label::Index).collect();
    let mut lines: Vec<(usize, Tile)> = Vec::new();
    for item in &plan.items {
        let (axis, line) = match item {
            Item::Slice { axis, positions } if !positions.is_whole(plan.shape[*axis]) => {
                let steps: Vec<i64> =
                    (0..positions.count as i64).map(|at| positions.start + positions.step * at).collect();
                (*axis, compose::integers(cx, DType::I32, &steps)?)
            }
            Item::Dynamic { axis, start, size, stride } => {
                let start = normalized(cx, start, plan.shape[*axis], options.wrap)?;
                let steps = compose::positions(cx, DType::I32, *size)?;
                let steps = compose::with_constant(cx, &ops::MUL, &steps, *stride as f64)?;
                let start = primitive::broadcast_to(cx, &start, steps.shape())?;
                (*axis, primitive::binary(cx, &ops::ADD, &start, &steps)?)
            }
            _ => continue,
        };
        grid.push(line.shape()[0]);
        dims.push(Label::Axis(axis));
        lines.push((axis, line));
    }
    let leading: Vec<usize> = (0..index_rank).collect();
    let mut placed: Vec<(usize, Tile)> = Vec::new();
    for (axis, index) in axes.drain(..).zip(indices) {
        placed.push((axis, primitive::broadcast_in_dim(cx, &index, &grid, &leading)?));
    }
    for (number, (axis, line)) in lines.into_iter().enumerate() {
        placed.push((axis, primitive::broadcast_in_dim(cx, &line, &grid, &[index_rank + number])?));
    }
    placed.sort_by_key(|(axis, _)| *axis);
    let (axes, tiles): (Vec<usize>, Vec<Tile>) = placed.into_iter().unzip();
    // The order of dimensions that the op expects of its updates.
    let kept: Vec<Label> = (0..x.rank()).filter(|axis| !axes.contains(axis)).map(Label::Axis).collect();
    let neighbours = axes.windows(2).all(|pair| pair[1] == pair[0] + 1);
    let front = axes.first().map_or(0, |&first| if neighbours { first } else { 0 });
    let expected = kept[..front].iter().chain(&dims).chain(&kept[front..]);
    let permutation: Vec<usize> = expected.filter_map(|label| labels.iter().position(|other| other == label)).collect();
    let y = primitive::transpose(cx, y, &permutation)?;
    let mode = if options.mode == Mode::Clip { "clip" } else { "fill" };
    let attributes = Attributes::none()
        .with("axes", Attribute::Ints(axes.iter().map(|&axis| axis as i64).collect()))
        .with("mode", Attribute::Str(mode.into()))
        .with("combine", Attribute::Str(combine.into()));
    let operands: Vec<&Tile> = [x, &y].into_iter().chain(&tiles).collect();
    cx.bind(&ops::SCATTER, &operands, attributes)
}
