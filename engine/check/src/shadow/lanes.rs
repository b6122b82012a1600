//! Lanes that a mask lets through and that lie outside of their Ref: `offsets <= n` in the place of `offsets < n`. Only where
//! the mask and all positions are known. Accesses without a mask are looked at where whole ranges of programs are ([`crate::access`]).

use super::access::{Indices, broadcast, number};
use pallas_ir::{DimIndex, IndexPattern, OpId};
use pallas_tensor::{Array, Shape};
use smallvec::SmallVec;

/// A lane that is accessed and lies outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lane {
    /// The load or store.
    pub(crate) op: OpId,
    /// The Ref, by name.
    pub(crate) name: String,
    /// The dimension that it leaves, and its extent.
    pub(crate) axis: usize,
    pub(crate) extent: usize,
    /// Where it lies along that dimension.
    pub(crate) position: i64,
    /// The program.
    pub(crate) program: Vec<usize>,
}

/// The first lane under the mask that lies outside of a Ref of this shape: the dimension, its extent, and the position.
pub(super) fn outside(
    pattern: &IndexPattern,
    indices: &Indices,
    shape: &Shape,
    result: &Shape,
    mask: &Array,
) -> Option<(usize, usize, i64)> {
    let dims = along(pattern, indices, result)?;
    for (lane, is_taken) in mask.iter_scalars().enumerate() {
        if is_taken.as_bool() != Some(true) {
            continue;
        }
        for (axis, (dim, &extent)) in dims.iter().zip(shape.iter()).enumerate() {
            let position = dim.at(lane)?;
            if !(0..extent as i64).contains(&position) {
                return Some((axis, extent, position));
            }
        }
    }
    None
}

/// The positions of all lanes along one dimension of a Ref.
struct Along {
    positions: Vec<i64>,
    /// So many lanes in a row have one position, and after all positions they begin again.
    repeats: usize,
}

impl Along {
    fn at(&self, lane: usize) -> Option<i64> {
        self.positions.get((lane / self.repeats.max(1)) % self.positions.len().max(1)).copied()
    }
}

fn along(pattern: &IndexPattern, indices: &Indices, result: &Shape) -> Option<SmallVec<[Along; 4]>> {
    let at = pattern.array_position();
    let slices = pattern.0.iter().filter(|dim| matches!(dim, DimIndex::Slice { .. })).count();
    let of_arrays = result.rank().checked_sub(slices)?;
    let arrays: Shape = result.get(at..at + of_arrays)?.iter().copied().collect();
    let behind = |dim: usize| result.iter().skip(dim + 1).product::<usize>();
    let mut indices = indices.iter();
    let mut slice = 0;
    pattern
        .0
        .iter()
        .map(|dim| match dim {
            DimIndex::At(start) => Some(Along { positions: vec![number(*start, &mut indices)?], repeats: 1 }),
            DimIndex::Slice { start, size, stride } => {
                let start = number(*start, &mut indices)?;
                let place = if slice < at { slice } else { slice + of_arrays };
                slice += 1;
                let positions = (0..*size).map(|index| start.checked_add((index * stride) as i64));
                Some(Along { positions: positions.collect::<Option<_>>()?, repeats: behind(place) })
            }
            DimIndex::Part { .. } => None,
            DimIndex::Array => {
                let index = broadcast(indices.next()?.as_ref()?, &arrays)?;
                let positions = index.iter_scalars().map(|element| i64::try_from(element.as_int()?).ok());
                let repeats = result.iter().skip(at + of_arrays).product();
                Some(Along { positions: positions.collect::<Option<_>>()?, repeats })
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pallas_ir::Position;
    use pallas_tensor::DType;

    fn mask(shape: &[usize], lanes: &[bool]) -> Array {
        let lanes: Vec<_> = lanes.iter().map(|&lane| pallas_tensor::Scalar::Bool(lane)).collect();
        Array::from_scalars(DType::Bool, Shape::from(shape), &lanes).expect("fits")
    }

    #[test]
    fn lanes_count_where_the_mask_lets_them_through() {
        let pattern = IndexPattern([DimIndex::Array].into_iter().collect());
        let index = Array::from_i32s(Shape::from(&[4][..]), &[6, 7, 8, 9]).expect("fits");
        let indices: Indices = [Some(index)].into_iter().collect();
        let (shape, result) = (Shape::from(&[8][..]), Shape::from(&[4][..]));
        let found = |lanes| outside(&pattern, &indices, &shape, &result, &mask(&[4], lanes));
        assert_eq!(found(&[true, true, false, false]), None);
        assert_eq!(found(&[true, true, true, false]), Some((0, 8, 8)));
    }

    #[test]
    fn slices_lie_around_arrays() {
        let start = Position::Static(0);
        let slice = DimIndex::Slice { start, size: 2, stride: 1 };
        let pattern = IndexPattern([slice.clone(), DimIndex::Array, slice].into_iter().collect());
        let index = Array::from_i32s(Shape::from(&[2][..]), &[0, 5]).expect("fits");
        let indices: Indices = [Some(index)].into_iter().collect();
        let (shape, result) = (Shape::from(&[2, 4, 2][..]), Shape::from(&[2, 2, 2][..]));
        let found = |lanes| outside(&pattern, &indices, &shape, &result, &mask(&[2, 2, 2], lanes));
        assert_eq!(found(&[true, true, false, false, true, true, false, false]), None);
        assert_eq!(found(&[true, true, false, false, true, true, false, true]), Some((1, 4, 5)));
    }
}
