//! Where in a buffer an access goes, through however many ways of showing it.

use super::{How, Region};
use crate::access::{Access, Index};
use crate::error::RunError;
use crate::machine::Machine;
use crate::memory::{Memory, Shown, View, ViewDim};
use crate::tape::{Action, Step};
use pallas_tensor::{Array, Scalar, Shape};

impl Memory {
    /// The elements that a view shows; `None` where that is not followed.
    pub(crate) fn region(&self, view: &View) -> Option<Region> {
        match &view.through {
            None => Some(Region::of(view)),
            Some(_) => self.positions(view).map(Region::elements),
        }
    }

    /// Positions in the buffer of the elements that a view shows, in its own order.
    fn positions(&self, view: &View) -> Option<Vec<i64>> {
        let Some(through) = &view.through else {
            let strides = self.buffers.get(view.buffer)?.array.shape().strides();
            return Some(select(&view.dims, &strides));
        };
        let base = || self.positions(&through.base);
        let (shape, shown) = match &through.shown {
            Shown::As(ty) => {
                let same = self.dtype(&through.base).ok()?.bits() == ty.dtype.bits();
                (ty.shape.clone(), if same { base()? } else { return None })
            }
            Shown::Permuted(permutation) => {
                let shape = through.base.shape();
                let strides = shape.strides();
                let permuted: Shape = permutation.iter().map(|&axis| shape[axis]).collect();
                let order: Vec<usize> = permutation.iter().map(|&axis| strides[axis]).collect();
                let whole = View::whole(view.buffer, &permuted);
                let base = base()?;
                let positions = select(&whole.dims, &order).into_iter();
                (permuted, positions.map(|at| base.get(at as usize).copied()).collect::<Option<Vec<i64>>>()?)
            }
            Shown::Gathered(access, indices) => {
                if through.base.through.is_some() {
                    return None;
                }
                let buffer = self.buffers.get(view.buffer)?.array.shape();
                (access.shape.clone(), access.positions(&through.base, buffer, indices, true).ok()?)
            }
            Shown::Beyond(_) => return None,
        };
        select(&view.dims, &shape.strides()).into_iter().map(|at| shown.get(at as usize).copied()).collect()
    }
}

/// Row-major positions of what is selected.
fn select(dims: &[ViewDim], strides: &[usize]) -> Vec<i64> {
    let lines: Vec<Vec<i64>> = dims
        .iter()
        .zip(strides)
        .map(|(dim, &stride)| match *dim {
            ViewDim::At(position) => vec![(position * stride) as i64],
            ViewDim::Range { start, size, stride: step } => {
                (0..size).map(|k| ((start + k * step) * stride) as i64).collect()
            }
        })
        .collect();
    crate::access::product(&lines)
}

impl Machine<'_> {
    /// Watches an access of the program.
    pub(crate) fn watched(
        &mut self,
        step: &Step,
        access: &Access,
        view: &View,
        indices: &[Index],
        mask: Option<&Array>,
    ) -> Result<(), RunError> {
        let how = match step.action {
            Action::Load(..) => How { writes: false, atomic: false },
            Action::Atomic { .. } => How { writes: true, atomic: true },
            _ => How { writes: true, atomic: false },
        };
        let region = match &view.through {
            None => access.region(self.memory, view, indices, mask, !how.writes)?,
            // The Ref is shown in another way: which of its elements, the other way says.
            Some(_) => {
                let shown = self.memory.positions(view);
                let shape = view.shape();
                let inner = View::whole(view.buffer, &shape);
                let within = access.positions(&inner, &shape, indices, !how.writes)?;
                let positions = shown.map(|shown| {
                    masked(within, mask).filter_map(|at| shown.get(usize::try_from(at).ok()?).copied()).collect()
                });
                match positions {
                    Some(positions) => Region::elements(positions),
                    None => return Ok(()),
                }
            }
        };
        if let Some(races) = &mut self.memory.races {
            races.access(view.buffer, region, how, step.location);
        }
        Ok(())
    }
}

/// Positions that a mask lets through.
fn masked(positions: Vec<i64>, mask: Option<&Array>) -> impl Iterator<Item = i64> {
    let mask = mask.cloned();
    positions.into_iter().enumerate().filter_map(move |(at, position)| {
        let open = mask.as_ref().is_none_or(|mask| mask.get(at).and_then(Scalar::as_bool) != Some(false));
        open.then_some(position)
    })
}

impl Access {
    /// The elements that the subscript selects of a view of a buffer.
    fn region(
        &self,
        memory: &Memory,
        view: &View,
        indices: &[Index],
        mask: Option<&Array>,
        reads: bool,
    ) -> Result<Region, RunError> {
        let shape = memory.array(view)?.shape();
        if self.is_block() && mask.is_none() {
            return Ok(Region::of(&self.block_view(view, indices)?));
        }
        let positions = self.positions(view, shape, indices, reads)?;
        Ok(Region::elements(masked(positions, mask).collect()))
    }
}
