//! Which elements of a buffer an access touches.

use crate::memory::{View, ViewDim};
use pallas_tensor::Shape;
use smallvec::SmallVec;

/// Elements of a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Region {
    /// Along each dimension the first element, how many, how far apart.
    Part(SmallVec<[(usize, usize, usize); 4]>),
    /// Row-major positions in the buffer, in order.
    Elements(Box<[i64]>),
}

impl Region {
    /// What a view of the buffer itself shows.
    pub(crate) fn of(view: &View) -> Region {
        Region::Part(
            view.dims
                .iter()
                .map(|dim| match *dim {
                    ViewDim::At(position) => (position, 1, 1),
                    ViewDim::Range { start, size, stride } => (start, size, if size < 2 { 1 } else { stride }),
                })
                .collect(),
        )
    }

    pub(crate) fn elements(mut positions: Vec<i64>) -> Region {
        positions.retain(|&position| position >= 0);
        positions.sort_unstable();
        positions.dedup();
        Region::Elements(positions.into())
    }

    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Region::Part(dims) => dims.iter().any(|&(_, size, _)| size == 0),
            Region::Elements(positions) => positions.is_empty(),
        }
    }

    /// Whether both have an element. `shape` is that of the buffer.
    pub(crate) fn overlaps(&self, other: &Region, shape: &Shape) -> bool {
        match (self, other) {
            (Region::Part(one), Region::Part(other)) => one.iter().zip(other).all(|(a, b)| meet(*a, *b)),
            (Region::Part(part), Region::Elements(positions)) | (Region::Elements(positions), Region::Part(part)) => {
                let strides = shape.strides();
                positions.iter().any(|&position| contains(part, &strides, position as usize))
            }
            (Region::Elements(one), Region::Elements(other)) => {
                let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
                short.iter().any(|position| long.binary_search(position).is_ok())
            }
        }
    }

    /// `[0:16, 3]`; nothing for all of the buffer.
    pub(crate) fn words(&self, shape: &Shape) -> String {
        match self {
            Region::Part(dims) => {
                if dims.iter().zip(shape).all(|(&dim, &extent)| dim == (0, extent, 1)) {
                    return String::new();
                }
                let parts: Vec<String> = dims
                    .iter()
                    .map(|&(start, size, stride)| match (size, stride) {
                        (1, _) => start.to_string(),
                        (_, 1) => format!("{start}:{}", start + size),
                        _ => format!("{start}:{}:{stride}", start + (size - 1) * stride + 1),
                    })
                    .collect();
                format!("[{}]", parts.join(", "))
            }
            Region::Elements(positions) => format!(" ({} elements)", positions.len()),
        }
    }
}

fn meet((start, size, stride): (usize, usize, usize), other: (usize, usize, usize)) -> bool {
    let last = |(start, size, stride): (usize, usize, usize)| start + size.saturating_sub(1) * stride;
    if size == 0 || other.1 == 0 || last((start, size, stride)) < other.0 || last(other) < start {
        return false;
    }
    if stride == 1 && other.2 == 1 {
        return true;
    }
    let holds = |(start, size, stride): (usize, usize, usize), at: usize| {
        at >= start && (at - start).is_multiple_of(stride) && (at - start) / stride < size
    };
    let (few, many) = if size < other.1 { ((start, size, stride), other) } else { (other, (start, size, stride)) };
    (0..few.1).any(|step| holds(many, few.0 + step * few.2))
}

fn contains(part: &[(usize, usize, usize)], strides: &[usize], mut position: usize) -> bool {
    part.iter().zip(strides).all(|(&(start, size, step), &stride)| {
        let at = position / stride.max(1);
        position %= stride.max(1);
        at >= start && (at - start).is_multiple_of(step) && (at - start) / step < size
    })
}

#[cfg(test)]
mod tests {
    use super::Region;
    use pallas_tensor::Shape;

    fn part(dims: &[(usize, usize, usize)]) -> Region {
        Region::Part(dims.iter().copied().collect())
    }

    #[test]
    fn parts_meet_where_all_their_dimensions_do() {
        let shape = Shape::from([16, 16]);
        let meets = |a: &Region, b: &Region| (a.overlaps(b, &shape), b.overlaps(a, &shape));
        assert_eq!(meets(&part(&[(0, 8, 1), (0, 8, 1)]), &part(&[(7, 2, 1), (7, 9, 1)])), (true, true));
        assert_eq!(meets(&part(&[(0, 8, 1), (0, 8, 1)]), &part(&[(8, 2, 1), (0, 8, 1)])), (false, false));
        // Even and odd columns.
        assert_eq!(meets(&part(&[(0, 1, 1), (0, 8, 2)]), &part(&[(0, 1, 1), (1, 8, 2)])), (false, false));
        assert_eq!(meets(&part(&[(0, 1, 1), (0, 8, 2)]), &part(&[(0, 1, 1), (0, 4, 4)])), (true, true));
        assert_eq!(meets(&part(&[(0, 0, 1), (0, 8, 1)]), &part(&[(0, 16, 1), (0, 16, 1)])), (false, false));
    }

    #[test]
    fn elements_meet_parts_and_each_other() {
        let shape = Shape::from([4, 8]);
        let elements = Region::elements(vec![9, 3, -1, 3]);
        assert!(elements.overlaps(&part(&[(1, 1, 1), (1, 1, 1)]), &shape));
        assert!(!elements.overlaps(&part(&[(1, 1, 1), (2, 6, 1)]), &shape));
        assert!(elements.overlaps(&Region::elements(vec![3]), &shape));
        assert!(!elements.overlaps(&Region::elements(vec![4]), &shape));
        assert!(Region::elements(vec![-1]).is_empty());
    }
}
