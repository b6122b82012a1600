//! Where subscripts of slices and positions begin in memory whose strides are known.

use super::{Scalar, Strides};
use crate::access::{Access, Index};
use crate::error::RunError;
use crate::hooks::{Hooks, OutOfBounds};
use crate::memory::{View, ViewDim};
use pallas_ir::function::Location;
use pallas_ir::{DimIndex, OpId, Position};
use pallas_tensor::Shape;
use smallvec::SmallVec;

/// A subscript of all of a buffer.
#[derive(Debug)]
pub(super) struct Place {
    /// Where its static parts begin.
    base: usize,
    /// Positions that are computed, with the last that lies inside, and the distance of elements there.
    dims: SmallVec<[(Scalar, i64, isize); 4]>,
    access: Access,
    view: View,
    strides: Strides,
    op: OpId,
    location: u32,
    writes: bool,
}

impl Place {
    /// The place of a subscript, with the strides of what it selects; none where it is another kind of subscript, or where what is
    /// known of it lies outside.
    pub(super) fn new(
        access: &Access,
        positions: &[Scalar],
        (buffer, shape, strides): (usize, &Shape, &[isize]),
        (op, location, writes): (OpId, u32, bool),
    ) -> Option<(Place, Strides)> {
        if !access.is_plain() || access.dims.len() != shape.rank() {
            return None;
        }
        let (mut base, mut dims, mut selected) = (0, SmallVec::new(), Strides::new());
        let mut positions = positions.iter();
        for ((dim, &bound), &stride) in access.dims.iter().zip(shape).zip(strides) {
            let (position, size) = match *dim {
                DimIndex::At(position) => (position, 1),
                DimIndex::Slice { start, size, stride: 1 } => {
                    selected.push(stride);
                    (start, size)
                }
                _ => return None,
            };
            let last = bound.checked_sub(size)? as i64;
            match position {
                Position::Static(start) if (0..=last).contains(&start) => base += start as isize * stride,
                Position::Static(_) => return None,
                Position::Dynamic => dims.push((*positions.next()?, last, stride)),
            }
        }
        let (view, strides) = (View::whole(buffer, shape), Strides::from_slice(strides));
        let base = usize::try_from(base).ok()?;
        let place = Place { base, dims, access: access.clone(), view, strides, op, location, writes };
        positions.next().is_none().then_some((place, selected))
    }

    /// Whether nothing of it is computed: where it begins.
    pub(super) fn fixed(&self) -> Option<usize> {
        self.dims.is_empty().then_some(self.base)
    }

    /// Where it begins now.
    #[inline]
    pub(super) fn find(
        &self,
        position: impl Fn(Scalar) -> Option<i64>,
        (hooks, locations): (&mut dyn Hooks, &[Location]),
        ids: &[usize],
    ) -> Result<usize, RunError> {
        let mut base = self.base as isize;
        for &(scalar, last, stride) in &self.dims {
            match position(scalar) {
                Some(start) if (0..=last).contains(&start) => base += start as isize * stride,
                _ => return self.moved(position, (hooks, locations), ids),
            }
        }
        Ok(base as usize)
    }

    /// Tells the hooks of a subscript that leaves its Ref, and says where it was moved to.
    #[cold]
    fn moved(
        &self,
        position: impl Fn(Scalar) -> Option<i64>,
        (hooks, locations): (&mut dyn Hooks, &[Location]),
        ids: &[usize],
    ) -> Result<usize, RunError> {
        let missing = || RunError::malformed("an integer scalar was expected");
        let mut indices: SmallVec<[Index; 4]> = SmallVec::new();
        for &(scalar, ..) in &self.dims {
            indices.push(Index::Scalar(position(scalar).ok_or_else(missing)?));
        }
        let outside = self.access.outside(&self.view, &indices, None)?;
        if let (Some(outside), Some(location)) = (outside, locations.get(self.location as usize)) {
            let (axis, start, size) = (outside.axis, outside.start, outside.size);
            let (stride, bound, op, writes) = (outside.stride, outside.bound, self.op, self.writes);
            hooks.out_of_bounds(&OutOfBounds { op, location, ids, axis, start, size, stride, bound, writes });
        }
        let view = self.access.block_view(&self.view, &indices)?;
        let start = |dim: &ViewDim| match *dim {
            ViewDim::At(start) | ViewDim::Range { start, .. } => start as isize,
        };
        Ok(view.dims.iter().zip(&self.strides).map(|(dim, &stride)| start(dim) * stride).sum::<isize>() as usize)
    }
}
