//! Reading by subscript: slices where the key has no arrays, `gather` where it has (`rewriting_take` in
//! jax/_src/numpy/indexing.py).

use super::parse::{Entry, Kind, Positions, expand_masks, parse, slice_positions};
use super::plan::{Item, Plan, empty_axis, normalized};
use super::{Mode, Options};
use crate::context::Context;
use crate::jnp::compose;
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar, Shape};

/// `x[key]`; `None` where analysis does not know it.
pub(super) fn get(cx: &Context<'_>, x: &Tile, key: &Value, options: &Options) -> PyResult<Option<Tile>> {
    let Some(entries) = parse(cx, x.shape(), key)? else { return Ok(None) };
    let arrays = entries.iter().any(|entry| match &entry.kind {
        Kind::Array(tile) => tile.rank() > 0,
        Kind::Boolean(_) => true,
        _ => false,
    });
    if !arrays && options.mode != Mode::Fill {
        return basic(cx, x, &entries, options).map(Some);
    }
    let Some(entries) = expand_masks(cx, x.shape(), entries)? else { return Ok(None) };
    let plan = Plan::new(cx, x.shape(), &entries)?;
    by_index(cx, x, &plan, options).map(Some)
}

/// What a basic index does to one axis.
enum Part {
    /// Positions known now.
    Static(Positions),
    /// A block whose start is computed.
    Dynamic(Tile, usize),
}

/// Integers, slices, `...` and `None`: static where everything is known, else `dynamic_slice`. Integers out of bounds
/// are clamped.
fn basic(cx: &Context<'_>, x: &Tile, entries: &[Entry], options: &Options) -> PyResult<Tile> {
    let mut parts: Vec<Part> = Vec::with_capacity(x.rank());
    // The strides that `pl.ds` asks for inside its block.
    let mut strides: Vec<usize> = Vec::with_capacity(x.rank());
    let (mut squeezed, mut inserted) = (Vec::new(), Vec::new());
    let whole = |extent: usize| Part::Static(Positions { start: 0, step: 1, count: extent });
    for entry in entries {
        let axis = entry.axes.start;
        match &entry.kind {
            Kind::NewAxis => inserted.push(parts.len() - squeezed.len() + inserted.len()),
            Kind::Ellipsis => parts.extend(entry.axes.clone().map(|axis| whole(x.shape()[axis]))),
            Kind::Slice(slice) => {
                let positions = slice_positions(cx, slice, x.shape()[axis], entry.position)?;
                parts.push(Part::Static(positions));
            }
            Kind::Dynamic { start, size, stride } => {
                let start = normalized(cx, start, x.shape()[axis], options.wrap)?;
                strides.resize(axis, 1);
                strides.push(*stride);
                parts.push(Part::Dynamic(start, (size.max(&1) - 1) * stride + 1.min(*size)));
            }
            kind => {
                squeezed.push(axis);
                parts.push(integer(cx, kind, x.shape()[axis], axis, options)?);
            }
        }
    }
    for &extent in &x.shape()[parts.len()..] {
        parts.push(whole(extent));
    }
    strides.resize(x.rank(), 1);
    let mut result = x.clone();
    if parts.iter().any(|part| matches!(part, Part::Dynamic(..))) {
        result = dynamic_part(cx, &result, &mut parts)?;
    }
    let parts: Vec<Positions> = parts
        .iter()
        .zip(&strides)
        .map(|(part, &stride)| match part {
            Part::Static(positions) => *positions,
            Part::Dynamic(_, size) => Positions { start: 0, step: stride as i64, count: size.div_ceil(stride.max(1)) },
        })
        .collect();
    result = static_part(cx, &result, &parts)?;
    result = primitive::squeeze(cx, &result, &squeezed)?;
    primitive::expand_dims(cx, &result, &inserted)
}

/// One position of an axis.
fn integer(cx: &Context<'_>, kind: &Kind, extent: usize, axis: usize, options: &Options) -> PyResult<Part> {
    let tile = match kind {
        Kind::Integer(at) => {
            let known = at.to_i64();
            if known.is_none_or(|at| i32::try_from(at).is_err()) {
                return Err(cx.interp.overflow_error(format!("Python int {at} too large to convert to int32")));
            }
            primitive::scalar(DType::I64, Scalar::Int(known.unwrap_or(0).into()))
        }
        Kind::Array(tile) => tile.clone(),
        _ => return Err(cx.interp.index_error("only integers and slices are valid indices here")),
    };
    if extent == 0 {
        return Err(empty_axis(cx, axis));
    }
    let tile = normalized(cx, &tile, extent, options.wrap)?;
    Ok(match tile.array().and_then(|array| array.item()).and_then(Scalar::as_int) {
        Some(at) => {
            let start = at.clamp(0, extent as i128 - 1) as i64;
            Part::Static(Positions { start, step: 1, count: 1 })
        }
        None => Part::Dynamic(tile, 1),
    })
}

/// Takes the block of computed starts. Static parts of unit step are taken along and become whole.
fn dynamic_part(cx: &Context<'_>, x: &Tile, parts: &mut [Part]) -> PyResult<Tile> {
    let mut starts = Vec::with_capacity(parts.len());
    let mut sizes = Vec::with_capacity(parts.len());
    for (part, &extent) in parts.iter_mut().zip(x.shape().iter()) {
        let (start, size) = match part {
            Part::Dynamic(start, size) => (start.clone(), *size),
            Part::Static(Positions { start, step: 1, count }) => {
                let block = (index_scalar(*start), *count);
                *part = Part::Static(Positions { start: 0, step: 1, count: block.1 });
                block
            }
            Part::Static(_) => (index_scalar(0), extent),
        };
        starts.push(start);
        sizes.push(size as i64);
    }
    let operands: Vec<&Tile> = std::iter::once(x).chain(&starts).collect();
    cx.bind(&ops::DYNAMIC_SLICE, &operands, Attributes::none().with("sizes", Attribute::Ints(sizes)))
}

fn index_scalar(at: i64) -> Tile {
    primitive::scalar(DType::I32, Scalar::Int(at.into()))
}

/// Known positions of every axis: a strided slice, and a reversal where a step is negative.
pub(super) fn static_part(cx: &Context<'_>, x: &Tile, parts: &[Positions]) -> PyResult<Tile> {
    let (mut start, mut limit, mut strides, mut reversed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (axis, part) in parts.iter().enumerate() {
        let distance = part.step.unsigned_abs() as usize;
        let lowest = match part.count {
            0 => 0,
            count if part.step < 0 => part.start as usize - distance * (count - 1),
            _ => part.start as usize,
        };
        start.push(lowest);
        // One position needs no stride, and a stride may be larger than any axis.
        strides.push(if part.count > 1 { distance } else { 1 });
        limit.push(if part.count == 0 { lowest } else { lowest + strides[axis] * (part.count - 1) + 1 });
        if part.step < 0 && part.count > 1 {
            reversed.push(axis);
        }
    }
    let result = primitive::slice(cx, x, &start, &limit, &strides)?;
    compose::reverse(cx, &result, &reversed)
}

/// A dimension of the result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    /// Of the index arrays.
    Index(usize),
    /// An axis of the array.
    Axis(usize),
}

/// Keys with integer arrays, and scalars whose bounds matter.
fn by_index(cx: &Context<'_>, x: &Tile, plan: &Plan, options: &Options) -> PyResult<Tile> {
    let x = primitive::expand_dims(cx, x, &plan.inserted)?;
    let x = sliced(cx, &x, plan)?;
    let (axes, indices) = plan.indices(cx, options.wrap)?;
    let index_rank = indices.first().map_or(0, Tile::rank);
    let mode = if options.mode == Mode::Fill { "fill" } else { "clip" };
    let operands: Vec<&Tile> = indices.iter().collect();
    let mut result = if axes.is_empty() { x.clone() } else { compose::gather(cx, &x, &axes, &operands, mode)? };
    // Where the op puts the dimensions, and where they belong.
    let kept: Vec<usize> = (0..x.rank()).filter(|axis| !axes.contains(axis)).collect();
    let neighbours = axes.windows(2).all(|pair| pair[1] == pair[0] + 1);
    let front = axes.first().map_or(0, |&first| if neighbours { first } else { 0 });
    let index_labels = (0..index_rank).map(Label::Index);
    let given: Vec<Label> = kept[..front]
        .iter()
        .map(|&axis| Label::Axis(axis))
        .chain(index_labels.clone())
        .chain(kept[front..].iter().map(|&axis| Label::Axis(axis)))
        .collect();
    let (wanted, inserted) = arrangement(plan, index_rank);
    if let (Mode::Fill, Some(fill), false) = (options.mode, options.fill, axes.is_empty()) {
        result = with_filler(cx, &result, &x, (&axes, &indices), &given, fill)?;
    }
    // Both lists hold the same labels.
    let permutation: Vec<usize> =
        wanted.iter().filter_map(|label| given.iter().position(|other| other == label)).collect();
    let result = primitive::transpose(cx, &result, &permutation)?;
    primitive::expand_dims(cx, &result, &inserted)
}

/// The dimensions of the result in order, new axes left out, and where those are put in.
fn arrangement(plan: &Plan, index_rank: usize) -> (Vec<Label>, Vec<usize>) {
    let (mut wanted, mut inserted) = (Vec::new(), Vec::new());
    let place = plan.index_place();
    for (number, item) in plan.items.iter().enumerate() {
        if number == place {
            wanted.extend((0..index_rank).map(Label::Index));
        }
        match item {
            Item::New => inserted.push(wanted.len() + inserted.len()),
            Item::Slice { axis, .. } | Item::Dynamic { axis, .. } => wanted.push(Label::Axis(*axis)),
            Item::Index { .. } => {}
        }
    }
    (wanted, inserted)
}

/// The array with its slices taken; indexed axes stay whole.
fn sliced(cx: &Context<'_>, x: &Tile, plan: &Plan) -> PyResult<Tile> {
    let whole = |extent: usize| Positions { start: 0, step: 1, count: extent };
    let mut parts: Vec<Positions> = plan.shape.iter().map(|&extent| whole(extent)).collect();
    let mut dynamic: Vec<Part> = plan.shape.iter().map(|&extent| Part::Static(whole(extent))).collect();
    let mut is_dynamic = false;
    for item in &plan.items {
        match item {
            Item::Slice { axis, positions } => parts[*axis] = *positions,
            Item::Dynamic { axis, start, size, stride } => {
                is_dynamic = true;
                let start = normalized(cx, start, plan.shape[*axis], true)?;
                dynamic[*axis] = Part::Dynamic(start, (size.max(&1) - 1) * stride + 1.min(*size));
                parts[*axis] = Positions { start: 0, step: *stride as i64, count: *size };
            }
            Item::New | Item::Index { .. } => {}
        }
    }
    let x = if is_dynamic { dynamic_part(cx, x, &mut dynamic)? } else { x.clone() };
    static_part(cx, &x, &parts)
}

/// The filler that was asked for, where an index is out of bounds.
fn with_filler(
    cx: &Context<'_>,
    result: &Tile,
    x: &Tile,
    (axes, indices): (&[usize], &[Tile]),
    labels: &[Label],
    fill: Scalar,
) -> PyResult<Tile> {
    let mut inside: Option<Tile> = None;
    for (&axis, index) in axes.iter().zip(indices) {
        let low = compose::with_constant(cx, &ops::GE, index, 0.0)?;
        let high = compose::with_constant(cx, &ops::LT, index, x.shape()[axis] as f64)?;
        for test in [low, high] {
            inside = Some(match inside {
                Some(all) => primitive::binary(cx, &ops::AND, &all, &test)?,
                None => test,
            });
        }
    }
    let Some(inside) = inside else { return Ok(result.clone()) };
    let dims: Vec<usize> =
        labels.iter().enumerate().filter(|(_, label)| matches!(label, Label::Index(_))).map(|(dim, _)| dim).collect();
    let shape: Shape = result.shape().clone();
    let inside = primitive::broadcast_in_dim(cx, &inside, &shape, &dims)?;
    let filler = primitive::full(cx, &shape, result.dtype(), fill)?;
    let filler = primitive::convert(cx, &filler, result.dtype(), result.weak())?;
    primitive::select(cx, &inside, result, &filler)
}
