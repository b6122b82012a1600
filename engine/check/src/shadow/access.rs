//! Subscripts of Refs: the positions in the buffer that a load or store touches, as far as its index is known.

use super::memory::{View, ViewDim};
use pallas_ir::{DimIndex, IndexPattern, Position};
use pallas_tensor::ops;
use pallas_tensor::{Array, Scalar, Shape};
use smallvec::SmallVec;

/// The dynamic parts of a subscript, in order; `None` for those that are not known.
pub(super) type Indices = SmallVec<[Option<Array>; 4]>;

/// Far below every position, and so is any sum of as many as an array has dimensions.
const OUTSIDE: i64 = i64::MIN / 64;

/// Flat positions in the buffer of every element that a subscript selects, in the order of the result; `None` where the
/// index is not known, or leaves the Ref: that is another rule's business. Under a mask those that leave it are -1.
pub(super) fn positions(
    pattern: &IndexPattern,
    indices: &Indices,
    view: &View,
    buffer: &Shape,
    result: &Shape,
    is_masked: bool,
) -> Option<Vec<i64>> {
    let shape = view.shape()?;
    let (origin, steps) = view.layout(buffer)?;
    let mut indices = indices.iter();
    // Integer arrays broadcast together: their common shape is what is left of the result.
    let position = pattern.array_position();
    let slices = pattern.0.iter().filter(|dim| matches!(dim, DimIndex::Slice { .. })).count();
    let arrays: Shape = result.get(position..(result.len() + position).checked_sub(slices)?)?.iter().copied().collect();
    let mut tuples = vec![origin; arrays.size()];
    let mut offsets: Vec<Vec<i64>> = Vec::new();
    for (axis, dim) in pattern.0.iter().enumerate() {
        let (bound, step) = (*shape.get(axis)? as i64, *steps.get(axis)?);
        let inside = |position: i64| match (0..bound).contains(&position) {
            true => Some(position * step),
            false => is_masked.then_some(OUTSIDE),
        };
        match dim {
            DimIndex::At(start) => {
                let offset = inside(number(*start, &mut indices)?)?;
                tuples.iter_mut().for_each(|tuple| *tuple += offset);
            }
            DimIndex::Slice { start, size, stride } => {
                let start = number(*start, &mut indices)?;
                let along = (0..*size).map(|index| inside(start.checked_add((index * stride) as i64)?));
                offsets.push(along.collect::<Option<_>>()?);
            }
            // Only views have such parts.
            DimIndex::Part { .. } => return None,
            DimIndex::Array => {
                let index = broadcast(indices.next()?.as_ref()?, &arrays)?;
                for (tuple, element) in tuples.iter_mut().zip(index.iter_scalars()) {
                    *tuple += inside(i64::try_from(element.as_int()?).ok()?)?;
                }
            }
        }
    }
    let (before, after) = offsets.split_at(position.min(offsets.len()));
    let (before, after) = (sums(before), sums(after));
    let mut all = Vec::with_capacity(result.size());
    for outer in &before {
        for tuple in &tuples {
            all.extend(after.iter().map(|inner| (outer + tuple + inner).max(-1)));
        }
    }
    (all.len() == result.size()).then_some(all)
}

/// The view that a subscript without arrays selects.
pub(super) fn view(pattern: &IndexPattern, indices: &Indices, view: &View) -> Option<View> {
    let shape = view.shape()?;
    let mut indices = indices.iter();
    let mut parts: SmallVec<[ViewDim; 4]> = SmallVec::new();
    for (dim, &bound) in pattern.0.iter().zip(shape.iter()) {
        let (start, size, stride) = match dim {
            DimIndex::At(start) => (number(*start, &mut indices)?, 1, 1),
            DimIndex::Slice { start, size, stride } => (number(*start, &mut indices)?, *size, *stride),
            DimIndex::Part { start, .. } => {
                let start = number(*start, &mut indices)?;
                let length = number(Position::Dynamic, &mut indices)?;
                (start, usize::try_from(length).unwrap_or(0), 1)
            }
            DimIndex::Array => return None,
        };
        let start = usize::try_from(start).ok()?;
        if size > 0 && start.checked_add((size - 1) * stride)? >= bound {
            return None;
        }
        parts.push(match dim {
            DimIndex::At(_) => ViewDim::At(start),
            _ => ViewDim::Range { start, size, stride },
        });
    }
    // Parts of parts: the outer view's dimensions that are still there take the parts in order.
    let mut parts = parts.into_iter();
    let dims = view.dims.as_ref()?.iter().map(|outer| match *outer {
        ViewDim::At(position) => Some(ViewDim::At(position)),
        ViewDim::Range { start, stride, .. } => Some(match parts.next()? {
            ViewDim::At(position) => ViewDim::At(start + position * stride),
            ViewDim::Range { start: inner, size, stride: step } => {
                ViewDim::Range { start: start + inner * stride, size, stride: stride * step }
            }
        }),
    });
    Some(View { buffer: view.buffer, dims: Some(dims.collect::<Option<_>>()?) })
}

pub(super) fn number<'a>(position: Position, indices: &mut impl Iterator<Item = &'a Option<Array>>) -> Option<i64> {
    match position {
        Position::Static(start) => Some(start),
        Position::Dynamic => i64::try_from(indices.next()?.as_ref()?.item().and_then(Scalar::as_int)?).ok(),
    }
}

pub(super) fn broadcast(array: &Array, shape: &Shape) -> Option<Array> {
    if array.shape() == shape {
        return Some(array.clone());
    }
    let missing = shape.rank().checked_sub(array.rank())?;
    let dims: SmallVec<[usize; 6]> = (missing..shape.rank()).collect();
    ops::broadcast_in_dim(array, shape.clone(), &dims).ok()
}

/// The sums of every combination of one offset of each list, in row-major order.
pub(super) fn sums(lists: &[Vec<i64>]) -> Vec<i64> {
    lists.iter().fold(vec![0], |sums, list| sums.iter().flat_map(|sum| list.iter().map(move |o| sum + o)).collect())
}
