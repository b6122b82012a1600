//! Subscripts of numpy arrays: basic ones are views, those with arrays name positions of the buffer. numpy's rules and
//! words (numpy/_core/src/multiarray/mapping.c).

use super::NdArray;
use super::view::{View, expand};
use crate::array::ArrayObject;
use crate::context::Context;
use crate::indexing::where_true;
use crate::jnp::call;
use crate::jnp::creation::array_from;
use crate::tile::Tile;
use pallas_python::raise::{PyResult, Stop};
use pallas_python::value::{Slice, Value};
use pallas_tensor::{Array, Scalar, Shape};
use std::rc::Rc;

/// What a subscript selects.
pub(super) enum Selection {
    /// Elements that a view can name; `scalar` where every axis has an integer.
    View {
        /// The view.
        view: View,
        /// Whether the element itself is meant, not an array of rank 0.
        scalar: bool,
    },
    /// Elements at positions of the buffer.
    Positions {
        /// The positions in row-major order.
        positions: Vec<i64>,
        /// The shape of the result.
        shape: Shape,
    },
    /// As many elements as the shape has, of which analysis does not know which.
    Shape(Shape),
    /// Analysis does not know how many.
    Unknown,
}

/// One index.
enum Index {
    New,
    Ellipsis,
    Slice(Rc<Slice>),
    Integer(i64),
    /// Positions along one axis, not yet checked.
    Array(Array),
    /// As many positions along one axis, which analysis does not know.
    Unknown(Shape),
    /// A mask.
    Mask(Array),
}

/// A dimension that stays, or an axis that an array indexes.
enum Part {
    Kept {
        extent: usize,
        stride: i64,
    },
    Indexed {
        positions: Array,
        stride: i64,
    },
    /// By positions that analysis does not know.
    Unknown(Shape),
}

/// Resolves a subscript.
///
/// # Errors
/// numpy's `IndexError`s; JAX's conversion errors for tracers.
pub(super) fn select(cx: &Context<'_>, view: &View, key: &Value) -> PyResult<Selection> {
    let key = cx.interp.plain(key);
    if call::find_unknown(&key, 4).is_some() {
        return Ok(Selection::Unknown);
    }
    let keys: Vec<Value> = match &key {
        Value::Tuple(items) => items.to_vec(),
        _ => vec![key],
    };
    let mut indices = Vec::with_capacity(keys.len());
    for key in &keys {
        match index(cx, key)? {
            Some(index) => indices.push(index),
            None => return Ok(Selection::Unknown),
        }
    }
    let rank = view.shape.rank();
    if indices.iter().filter(|index| matches!(index, Index::Ellipsis)).count() > 1 {
        return Err(cx.interp.index_error("an index can only have a single ellipsis ('...')"));
    }
    let consumed: usize = indices
        .iter()
        .map(|index| match index {
            Index::New | Index::Ellipsis => 0,
            Index::Mask(mask) => mask.rank(),
            _ => 1,
        })
        .sum();
    if consumed > rank {
        return Err(cx.interp.index_error(format!(
            "too many indices for array: array is {rank}-dimensional, but {consumed} were indexed"
        )));
    }
    if indices.iter().any(|index| matches!(index, Index::Array(_) | Index::Unknown(_) | Index::Mask(_))) {
        advanced(cx, view, indices, rank - consumed)
    } else {
        basic(cx, view, indices, rank - consumed)
    }
}

fn index(cx: &Context<'_>, key: &Value) -> PyResult<Option<Index>> {
    let key = cx.interp.plain(key);
    Ok(Some(match &key {
        Value::None => Index::New,
        Value::Ellipsis => Index::Ellipsis,
        Value::Slice(slice) => Index::Slice(slice.clone()),
        Value::Bool(value) => Index::Mask(Array::scalar(pallas_tensor::DType::Bool, Scalar::Bool(*value))),
        Value::Int(value) => match value.to_i64() {
            Some(value) => Index::Integer(value),
            None => return Err(cx.interp.index_error("cannot fit 'int' into an index-sized integer")),
        },
        Value::List(_) | Value::Tuple(_) | Value::Range(_) => {
            if cx.interp.len(&key)? == 0 {
                let empty = Array::zeros(pallas_tensor::DType::I64, [0]);
                Index::Array(empty.map_err(|error| cx.interp.value_error(error.to_string()))?)
            } else {
                match array_from(cx, &key, None)? {
                    Tile::Concrete { array, .. } if array.dtype().is_float() => return Err(wrong_kind(cx)),
                    Tile::Concrete { array, .. } => array_index(cx, array)?,
                    tile => return Ok(unknown_index(&tile)),
                }
            }
        }
        _ => {
            let tile = match key.downcast::<NdArray>() {
                Some(array) => array.tile(cx)?,
                None => match key.downcast::<ArrayObject>() {
                    Some(object) => match &object.tile {
                        Tile::Traced(traced) => return Err(call::tracer_in_numpy(cx, traced)),
                        tile => tile.clone(),
                    },
                    None => return Err(wrong_kind(cx)),
                },
            };
            match tile {
                Tile::Concrete { array, .. } if array.rank() == 0 && array.dtype().is_integer() => {
                    Index::Integer(array.item().and_then(Scalar::as_int).unwrap_or(0) as i64)
                }
                Tile::Concrete { array, .. } => array_index(cx, array)?,
                tile => return Ok(unknown_index(&tile)),
            }
        }
    }))
}

/// An array as an index of which only the type is known; none where the shape of the result would depend on its elements.
fn unknown_index(tile: &Tile) -> Option<Index> {
    tile.dtype().is_integer().then(|| Index::Unknown(tile.shape().clone()))
}

fn array_index(cx: &Context<'_>, array: Array) -> PyResult<Index> {
    if array.dtype() == pallas_tensor::DType::Bool {
        Ok(Index::Mask(array))
    } else if array.dtype().is_integer() {
        Ok(Index::Array(array))
    } else if array.rank() == 0 {
        Err(wrong_kind(cx))
    } else {
        Err(cx.interp.index_error("arrays used as indices must be of integer (or boolean) type"))
    }
}

fn wrong_kind(cx: &Context<'_>) -> Box<Stop> {
    cx.interp.index_error(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid \
         indices",
    )
}

fn out_of_bounds(cx: &Context<'_>, at: i128, axis: usize, extent: usize) -> Box<Stop> {
    cx.interp.index_error(format!("index {at} is out of bounds for axis {axis} with size {extent}"))
}

/// Where a known index points, as an offset of the buffer.
fn offset(cx: &Context<'_>, view: &View, axis: usize, at: i64) -> PyResult<i64> {
    let extent = view.shape[axis] as i64;
    let resolved = if at < 0 { at + extent } else { at };
    if (0..extent).contains(&resolved) {
        Ok(resolved * view.strides[axis])
    } else {
        Err(out_of_bounds(cx, at.into(), axis, view.shape[axis]))
    }
}

/// A slice of an axis: where it begins, its extent and stride.
fn sliced(cx: &Context<'_>, view: &View, axis: usize, slice: &Slice) -> PyResult<(i64, usize, i64)> {
    let extent = view.shape[axis];
    let positions = cx.interp.slice_positions(slice, extent)?;
    let start = if positions.count == 0 { 0 } else { positions.start * view.strides[axis] };
    Ok((start, positions.count, positions.step.saturating_mul(view.strides[axis])))
}

fn basic(cx: &Context<'_>, view: &View, indices: Vec<Index>, elided: usize) -> PyResult<Selection> {
    let mut result = View { strides: Default::default(), shape: Shape::default(), ..view.clone() };
    let mut scalar = true;
    let mut axis = 0;
    let keep = |result: &mut View, axis: usize| {
        result.shape.push(view.shape[axis]);
        result.strides.push(view.strides[axis]);
    };
    for index in indices {
        match index {
            Index::New => {
                result.shape.push(1);
                result.strides.push(0);
            }
            Index::Ellipsis => {
                scalar = false;
                (axis..axis + elided).for_each(|axis| keep(&mut result, axis));
                axis += elided;
            }
            Index::Slice(slice) => {
                let (start, extent, stride) = sliced(cx, view, axis, &slice)?;
                result.offset += start;
                result.shape.push(extent);
                result.strides.push(stride);
                axis += 1;
            }
            Index::Integer(at) => {
                result.offset += offset(cx, view, axis, at)?;
                axis += 1;
            }
            Index::Array(_) | Index::Unknown(_) | Index::Mask(_) => return Err(wrong_kind(cx)),
        }
    }
    (axis..view.shape.rank()).for_each(|axis| keep(&mut result, axis));
    let scalar = scalar && result.shape.rank() == 0;
    Ok(Selection::View { view: result, scalar })
}

fn advanced(cx: &Context<'_>, view: &View, indices: Vec<Index>, elided: usize) -> PyResult<Selection> {
    let mut parts: Vec<Part> = Vec::new();
    // Where the arrays stand among the indices as written: they stay in place only if nothing stands between them.
    let mut places: Vec<usize> = Vec::new();
    let mut base = view.offset;
    let mut axis = 0;
    let keep = |axis: usize| Part::Kept { extent: view.shape[axis], stride: view.strides[axis] };
    for (place, index) in indices.into_iter().enumerate() {
        match index {
            Index::New => parts.push(Part::Kept { extent: 1, stride: 0 }),
            Index::Ellipsis => {
                parts.extend((axis..axis + elided).map(keep));
                axis += elided;
            }
            Index::Slice(slice) => {
                let (start, extent, stride) = sliced(cx, view, axis, &slice)?;
                base += start;
                parts.push(Part::Kept { extent, stride });
                axis += 1;
            }
            Index::Integer(at) => {
                offset(cx, view, axis, at)?;
                places.push(place);
                let at = Array::scalar(pallas_tensor::DType::I64, Scalar::Int(at.into()));
                parts.push(indexed(cx, view, axis, at)?);
                axis += 1;
            }
            Index::Array(array) => {
                places.push(place);
                parts.push(indexed(cx, view, axis, array)?);
                axis += 1;
            }
            Index::Unknown(shape) => {
                places.push(place);
                parts.push(Part::Unknown(shape));
                axis += 1;
            }
            Index::Mask(mask) => {
                places.push(place);
                if mask.rank() == 0 {
                    let count = usize::from(mask.item().and_then(Scalar::as_bool) == Some(true));
                    let positions = Array::zeros(pallas_tensor::DType::I64, [count])
                        .map_err(|error| cx.interp.value_error(error.to_string()))?;
                    parts.push(Part::Indexed { positions, stride: 0 });
                    continue;
                }
                for (dim, &extent) in mask.shape().iter().enumerate() {
                    if extent != view.shape[axis + dim] {
                        return Err(cx.interp.index_error(format!(
                            "boolean index did not match indexed array along axis {}; size of axis is {} but size of \
                             corresponding boolean axis is {extent}",
                            axis + dim,
                            view.shape[axis + dim]
                        )));
                    }
                }
                for positions in where_true(&mask) {
                    let scalars: Vec<Scalar> = positions.iter().map(|&at| Scalar::Int(at as i128)).collect();
                    let array = Array::from_scalars(pallas_tensor::DType::I64, [scalars.len()], &scalars)
                        .map_err(|error| cx.interp.value_error(error.to_string()))?;
                    parts.push(indexed(cx, view, axis, array)?);
                    axis += 1;
                }
            }
        }
    }
    parts.extend((axis..view.shape.rank()).map(keep));
    let contiguous = places.windows(2).all(|pair| pair[1] == pair[0] + 1);
    positions(cx, base, &parts, contiguous)
}

/// An axis under an array of positions, which must be in bounds; negative ones count from the end.
fn indexed(cx: &Context<'_>, view: &View, axis: usize, array: Array) -> PyResult<Part> {
    let extent = view.shape[axis] as i128;
    let mut scalars = Vec::with_capacity(array.size());
    for at in array.iter_scalars().map(|scalar| scalar.as_int().unwrap_or(0)) {
        if !(-extent..extent).contains(&at) {
            return Err(out_of_bounds(cx, at, axis, view.shape[axis]));
        }
        scalars.push(Scalar::Int(if at < 0 { at + extent } else { at }));
    }
    let positions = Array::from_scalars(pallas_tensor::DType::I64, array.shape().clone(), &scalars)
        .map_err(|error| cx.interp.value_error(error.to_string()))?;
    Ok(Part::Indexed { positions, stride: view.strides[axis] })
}

/// The positions that the parts name together.
fn positions(cx: &Context<'_>, base: i64, parts: &[Part], contiguous: bool) -> PyResult<Selection> {
    fn shape_of(part: &Part) -> Option<&Shape> {
        match part {
            Part::Indexed { positions, .. } => Some(positions.shape()),
            Part::Unknown(shape) => Some(shape),
            Part::Kept { .. } => None,
        }
    }
    let shapes: Vec<&Shape> = parts.iter().filter_map(shape_of).collect();
    let Some(index_shape) = Shape::broadcast(&shapes) else {
        let texts: Vec<String> = shapes.iter().map(|shape| shape.to_string().replace(", ", ",")).collect();
        return Err(cx.interp.index_error(format!(
            "shape mismatch: indexing arrays could not be broadcast together with shapes {} ",
            texts.join(" ")
        )));
    };
    let is_kept = |part: &Part| matches!(part, Part::Kept { .. });
    let place = if contiguous { parts.iter().position(|part| !is_kept(part)).unwrap_or(0) } else { 0 };
    let kept = |parts: &[Part]| -> Vec<(usize, i64)> {
        parts
            .iter()
            .filter_map(|part| match part {
                Part::Kept { extent, stride } => Some((*extent, *stride)),
                Part::Indexed { .. } | Part::Unknown(_) => None,
            })
            .collect()
    };
    let (before, after) = (kept(&parts[..place]), kept(&parts[place..]));
    let shape: Shape = before
        .iter()
        .map(|(extent, _)| *extent)
        .chain(index_shape.iter().copied())
        .chain(after.iter().map(|(extent, _)| *extent))
        .collect();
    if parts.iter().any(|part| matches!(part, Part::Unknown(_))) {
        return Ok(Selection::Shape(shape));
    }
    let size = shape.checked_size().unwrap_or(usize::MAX);
    cx.interp.charge_bytes(size as u128 * 8)?;
    let mut offsets = vec![0i64; index_shape.size()];
    for part in parts {
        let Part::Indexed { positions, stride } = part else { continue };
        let lead = index_shape.rank() - positions.rank();
        let dims: Vec<usize> = (lead..index_shape.rank()).collect();
        let spread = pallas_tensor::ops::broadcast_in_dim(positions, index_shape.clone(), &dims)
            .map_err(|error| cx.interp.value_error(error.to_string()))?;
        for (offset, at) in offsets.iter_mut().zip(spread.iter_scalars()) {
            *offset += at.as_int().unwrap_or(0) as i64 * stride;
        }
    }
    let mut all = Vec::with_capacity(size);
    for outer in expand(vec![base], before) {
        let nested = offsets.iter().map(|offset| outer + offset).collect();
        all.extend(expand(nested, after.iter().copied()));
    }
    Ok(Selection::Positions { positions: all, shape })
}
