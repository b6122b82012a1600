//! What chains read: values, and which of their elements. Ops that only say which elements are meant are followed back to
//! what they move.

use super::{Finder, Reads};
use pallas_ir::{Op, OpId, OpKind, ValueId, ops};
use pallas_tensor::ops::fused::{Arg, ChainBuilder, Place};
use pallas_tensor::{Array, Shape};
use smallvec::SmallVec;

/// What a chain reads, each once.
#[derive(Default)]
pub(super) struct Sources {
    pub(super) values: Reads,
    known: Vec<(ValueId, Place, Arg)>,
}

impl Sources {
    /// A value as an operand of a chain.
    pub(super) fn arg(&mut self, finder: &Finder<'_>, builder: &mut ChainBuilder, value: ValueId) -> Option<Arg> {
        let rank = builder.shape().rank();
        let ty = finder.known.tensor(value)?;
        let place = match ty.shape == *builder.shape() {
            true => Place::same(rank),
            false => Place::one(rank, ty.shape.rank()),
        };
        let (value, mut place) = origin(finder, value, place);
        if let Some(constant) = finder.known.simplified.constants.get(&value) {
            stretch(constant, &mut place);
        }
        if let Some((_, _, arg)) = self.known.iter().find(|known| known.0 == value && known.1 == place) {
            return Some(*arg);
        }
        let ty = finder.known.tensor(value)?;
        let arg = builder.read(ty.dtype, ty.shape.clone(), place.clone()).ok()?;
        self.values.push(value);
        self.known.push((value, place, arg));
        Some(arg)
    }
}

/// Constants of more elements are taken as they are.
const SMALL: usize = 1 << 16;

/// Positions, as `iota` has them, and other integers that are the same along a dimension are read as one that meets all of it:
/// what is computed of them is then computed once.
fn stretch(constant: &Array, place: &mut Place) {
    let (Some(elements), shape) = (constant.elements::<i32>(), constant.shape()) else { return };
    if elements.len() > SMALL {
        return;
    }
    for (axis, (&size, stride)) in shape.iter().zip(shape.strides()).enumerate() {
        let group = size * stride;
        let is_even = size > 1
            && elements.chunks_exact(group).all(|group| {
                let (first, rest) = group.split_at(stride);
                rest.chunks_exact(stride).all(|other| other == first)
            });
        if is_even {
            place.starts[axis] = 0;
            for dim in &mut place.dims {
                *dim = dim.filter(|&(other, _)| other != axis);
            }
        }
    }
}

/// The value that a place of another one is a place of.
fn origin(finder: &Finder<'_>, mut value: ValueId, mut place: Place) -> (ValueId, Place) {
    // Values are defined before they are used, so this ends.
    for _ in 0..finder.known.function.ops.len() {
        let constant = finder.known.simplified.constants.contains_key(&value);
        let definition = finder.definitions[value.0 as usize].filter(|_| !constant);
        let Some((from, moved)) = definition.and_then(|id| before(finder, id, &place)) else { break };
        (value, place) = (from, moved);
    }
    (value, place)
}

/// The operand of an op that only moves, and the place there of what is at a place of its result.
fn before(finder: &Finder<'_>, id: OpId, place: &Place) -> Option<(ValueId, Place)> {
    let op = finder.known.function.op(id);
    let [from] = finder.known.reads(id)[..] else { return None };
    let (_, result) = finder.result(id)?;
    let source = finder.known.tensor(from)?;
    if !matches!(op.op.kind, OpKind::Pure { .. }) || source.dtype != result.dtype || source.shape.size() == 0 {
        return None;
    }
    let ints = |name: &str| -> Option<SmallVec<[usize; 6]>> {
        op.attributes.ints(name)?.iter().map(|&value| usize::try_from(value).ok()).collect()
    };
    if op.op == Op(&ops::SLICE) {
        let (start, limit) = (ints("start")?, ints("limit")?);
        let steps = match op.attributes.ints("strides") {
            None | Some([]) => SmallVec::from_elem(1, start.len()),
            _ => ints("strides")?,
        };
        let rank = source.shape.rank();
        let inside = start.len() == rank && limit.len() == rank && steps.len() == rank && result.shape.rank() == rank;
        let inside = inside
            && (0..rank).all(|axis| {
                steps[axis] > 0
                    && start[axis] <= limit[axis]
                    && limit[axis] <= source.shape[axis]
                    && (limit[axis] - start[axis]).div_ceil(steps[axis]) == result.shape[axis]
            });
        if !inside {
            return None;
        }
        let starts = (0..rank).map(|axis| start[axis] + place.starts[axis] * steps[axis]).collect();
        let dims = place.dims.iter().map(|dim| dim.map(|(axis, step)| (axis, step * steps[axis]))).collect();
        return Some((from, Place { dims, starts }));
    }
    // For each dimension of the operand the dimension of the result that it is.
    let dims = if op.op == Op(&ops::BROADCAST_IN_DIM) {
        ints("dims")?
    } else if op.op == Op(&ops::RESHAPE) || op.op == Op(&ops::SQUEEZE) {
        same_but_ones(&source.shape, &result.shape)?
    } else {
        return None;
    };
    let fits = dims.len() == source.shape.rank()
        && dims.iter().zip(&source.shape).all(|(&dim, &size)| {
            // Dimensions of size 1 may have none to be.
            size == 1 || result.shape.get(dim) == Some(&size)
        });
    if !fits {
        return None;
    }
    let of = |dim: usize| dims.iter().zip(&source.shape).position(|(&other, &size)| other == dim && size != 1);
    let starts = dims.iter().zip(&source.shape).map(|(&dim, &size)| if size == 1 { 0 } else { place.starts[dim] });
    let starts = starts.collect();
    let dims = place.dims.iter().map(|dim| dim.and_then(|(axis, step)| Some((of(axis)?, step)))).collect();
    Some((from, Place { dims, starts }))
}

/// For each dimension of a shape the one of another shape that it is, where they differ in dimensions of size 1 only; those
/// are none.
fn same_but_ones(from: &Shape, to: &Shape) -> Option<SmallVec<[usize; 6]>> {
    let mut rest = (0..to.rank()).filter(|&axis| to[axis] != 1);
    let mut dims = SmallVec::new();
    for &size in from {
        if size == 1 {
            dims.push(usize::MAX);
            continue;
        }
        dims.push(rest.next().filter(|&axis| to[axis] == size)?);
    }
    rest.next().is_none().then_some(dims)
}
