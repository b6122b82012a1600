//! Whether a subscript leaves its Ref: what hooks are told, apart from what JAX makes of it.

use crate::access::{Access, Index, broadcast, extent, range};
use crate::error::RunError;
use crate::memory::{View, ViewDim};
use pallas_ir::DimIndex;
use pallas_tensor::{Array, Shape};

/// A subscript that leaves its Ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outside {
    pub(crate) axis: usize,
    pub(crate) start: i64,
    pub(crate) size: usize,
    pub(crate) stride: usize,
    pub(crate) bound: usize,
}

impl View {
    /// The first dimension of its buffer along which it reaches past the end.
    pub(crate) fn past(&self, shape: &Shape) -> Option<Outside> {
        self.dims.iter().zip(shape).enumerate().find_map(|(axis, (dim, &bound))| {
            let (start, size, stride) = match *dim {
                ViewDim::At(position) => (position, 1, 1),
                ViewDim::Range { start, size, stride } => (start, size, stride),
            };
            let is_past = size > 0 && start + (size - 1) * stride >= bound;
            is_past.then_some(Outside { axis, start: start as i64, size, stride, bound })
        })
    }
}

impl Access {
    /// The first dimension along which the subscript leaves the Ref, not counting elements that `mask` (of the
    /// subscript's shape) switches off.
    pub(crate) fn outside(
        &self,
        view: &View,
        indices: &[Index],
        mask: Option<&Array>,
    ) -> Result<Option<Outside>, RunError> {
        let mut indices = indices.iter();
        let shape = view.shape();
        let mut slice = 0;
        for (axis, dim) in self.dims.iter().enumerate() {
            let bound = extent(&shape, axis)?;
            if *dim == DimIndex::Array {
                let Some(Index::Array(index)) = indices.next() else {
                    return Err(RunError::malformed("an index array is missing"));
                };
                if let Some(position) = self.array_outside(index, bound, mask)? {
                    return Ok(Some(Outside { axis, start: position, size: 1, stride: 1, bound }));
                }
                continue;
            }
            let (start, size, stride) = range(dim, &mut indices)?;
            let own = slice;
            slice += usize::from(matches!(dim, DimIndex::Slice { .. } | DimIndex::Part { .. }));
            let last = start.saturating_add(size.saturating_sub(1).saturating_mul(stride) as i64);
            if size == 0 || (start >= 0 && last < bound as i64) {
                continue;
            }
            let counts = match (mask, dim) {
                (Some(mask), DimIndex::Slice { .. }) => {
                    let result_axis =
                        if own < self.array_position || self.is_block() { own } else { own + self.index_shape.rank() };
                    any_set(mask, result_axis, |k| {
                        let position = start.saturating_add(k.saturating_mul(stride) as i64);
                        position < 0 || position >= bound as i64
                    })
                }
                (Some(mask), _) => any_set(mask, usize::MAX, |_| true),
                (None, _) => true,
            };
            if counts {
                return Ok(Some(Outside { axis, start, size, stride, bound }));
            }
        }
        Ok(None)
    }

    fn array_outside(&self, index: &Array, bound: usize, mask: Option<&Array>) -> Result<Option<i64>, RunError> {
        let is_outside = |position: i64| position < 0 || position >= bound as i64;
        let positions = |index: &Array| -> Vec<i64> {
            index
                .iter_scalars()
                .map(|element| {
                    let position = element.as_int().unwrap_or(0);
                    position.clamp(i64::MIN.into(), i64::MAX.into()) as i64
                })
                .collect()
        };
        let own = positions(index);
        let first = own.iter().copied().find(|&position| is_outside(position));
        let (Some(_), Some(mask)) = (first, mask) else {
            return Ok(first);
        };
        let all = positions(&broadcast(index, &self.index_shape)?);
        let inner: usize =
            self.shape[(self.array_position + self.index_shape.rank()).min(self.shape.rank())..].iter().product();
        let mask = mask.elements::<bool>().unwrap_or_default();
        let found = mask.iter().enumerate().find_map(|(flat, &set)| {
            let tuple = (flat / inner.max(1)) % all.len().max(1);
            let position = *all.get(tuple)?;
            (set && is_outside(position)).then_some(position)
        });
        Ok(found)
    }
}

/// Whether a mask is true anywhere where the coordinate along `axis` satisfies a condition.
fn any_set(mask: &Array, axis: usize, condition: impl Fn(usize) -> bool) -> bool {
    let shape = mask.shape();
    let size = shape.get(axis).copied().unwrap_or(1).max(1);
    let inner: usize = shape.iter().skip(axis.saturating_add(1)).product();
    let elements = mask.elements::<bool>().unwrap_or_default();
    elements.iter().enumerate().any(|(flat, &set)| set && condition((flat / inner.max(1)) % size))
}
