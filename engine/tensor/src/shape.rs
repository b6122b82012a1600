//! Shapes: sizes per dimension, row-major strides, broadcasting.

use std::fmt;
use std::ops::{Deref, DerefMut};

use smallvec::SmallVec;

/// The sizes of an array, outermost first. Dereferences to `[usize]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape(SmallVec<[usize; 6]>);

impl Shape {
    /// The shape of a scalar, `()`.
    pub fn scalar() -> Shape {
        Shape::default()
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// Number of elements, saturating at `usize::MAX`; 1 for a scalar.
    ///
    /// An [`crate::Array`] in hand never saturates, because its elements exist.
    /// For shapes that come from outside, ask [`Shape::checked_size`].
    pub fn size(&self) -> usize {
        self.checked_size().unwrap_or(usize::MAX)
    }

    /// Number of elements, or `None` if it does not fit in `usize`.
    pub fn checked_size(&self) -> Option<usize> {
        if self.0.contains(&0) {
            return Some(0);
        }
        self.0.iter().try_fold(1usize, |size, &dimension| size.checked_mul(dimension))
    }

    /// Distance in elements between neighbours along each dimension, row major.
    pub fn strides(&self) -> SmallVec<[usize; 6]> {
        let mut strides: SmallVec<[usize; 6]> = SmallVec::from_elem(1, self.rank());
        for axis in (1..self.rank()).rev() {
            strides[axis - 1] = strides[axis].saturating_mul(self[axis]);
        }
        strides
    }

    /// The common shape by numpy's rules: right-aligned, sizes equal or 1.
    pub fn broadcast(shapes: &[&Shape]) -> Option<Shape> {
        let rank = shapes.iter().map(|shape| shape.rank()).max().unwrap_or(0);
        let mut result = Shape::from_iter(std::iter::repeat_n(1, rank));
        for shape in shapes {
            let offset = rank - shape.rank();
            for (axis, &dimension) in shape.iter().enumerate() {
                let slot = &mut result[offset + axis];
                match (*slot, dimension) {
                    (common, dimension) if common == dimension => {}
                    (1, dimension) => *slot = dimension,
                    (_, 1) => {}
                    _ => return None,
                }
            }
        }
        Some(result)
    }

    /// This shape without the given axes, in order.
    pub fn without_axes(&self, axes: &[usize]) -> Shape {
        let kept = self.iter().enumerate();
        kept.filter(|(axis, _)| !axes.contains(axis)).map(|(_, &dimension)| dimension).collect()
    }

    /// Appends an innermost dimension.
    pub fn push(&mut self, dimension: usize) {
        self.0.push(dimension);
    }
}

impl Deref for Shape {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl DerefMut for Shape {
    fn deref_mut(&mut self) -> &mut [usize] {
        &mut self.0
    }
}

impl From<&[usize]> for Shape {
    fn from(dimensions: &[usize]) -> Shape {
        Shape(SmallVec::from_slice(dimensions))
    }
}

impl From<Vec<usize>> for Shape {
    fn from(dimensions: Vec<usize>) -> Shape {
        Shape(SmallVec::from_vec(dimensions))
    }
}

impl<const RANK: usize> From<[usize; RANK]> for Shape {
    fn from(dimensions: [usize; RANK]) -> Shape {
        Shape(SmallVec::from_slice(&dimensions))
    }
}

impl<const RANK: usize> From<&[usize; RANK]> for Shape {
    fn from(dimensions: &[usize; RANK]) -> Shape {
        Shape(SmallVec::from_slice(dimensions))
    }
}

impl FromIterator<usize> for Shape {
    fn from_iter<I: IntoIterator<Item = usize>>(dimensions: I) -> Shape {
        Shape(dimensions.into_iter().collect())
    }
}

impl<'a> IntoIterator for &'a Shape {
    type Item = &'a usize;
    type IntoIter = std::slice::Iter<'a, usize>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// As Python prints a tuple: `()`, `(2,)`, `(2, 3)`.
impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("(")?;
        for (axis, dimension) in self.iter().enumerate() {
            if axis > 0 {
                formatter.write_str(", ")?;
            }
            write!(formatter, "{dimension}")?;
        }
        formatter.write_str(if self.rank() == 1 { ",)" } else { ")" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_a_tuple() {
        assert_eq!(Shape::scalar().to_string(), "()");
        assert_eq!(Shape::from([2]).to_string(), "(2,)");
        assert_eq!(Shape::from([2, 3]).to_string(), "(2, 3)");
    }

    #[test]
    fn sizes_do_not_overflow() {
        assert_eq!(Shape::scalar().size(), 1);
        assert_eq!(Shape::from([2, 0, usize::MAX]).checked_size(), Some(0));
        assert_eq!(Shape::from([2, usize::MAX]).checked_size(), None);
        assert_eq!(Shape::from([usize::MAX, 0, usize::MAX]).checked_size(), Some(0));
    }

    #[test]
    fn strides_are_row_major() {
        assert_eq!(Shape::from([2, 3, 4]).strides().as_slice(), [12, 4, 1]);
        assert!(Shape::scalar().strides().is_empty());
    }

    #[test]
    fn broadcasts_as_numpy() {
        let broadcast = |left: &[usize], right: &[usize]| Shape::broadcast(&[&Shape::from(left), &Shape::from(right)]);
        assert_eq!(broadcast(&[2, 1], &[3]), Some(Shape::from([2, 3])));
        assert_eq!(broadcast(&[], &[4]), Some(Shape::from([4])));
        assert_eq!(broadcast(&[0], &[1]), Some(Shape::from([0])));
        assert_eq!(broadcast(&[2], &[3]), None);
        assert_eq!(broadcast(&[0], &[3]), None);
    }
}
