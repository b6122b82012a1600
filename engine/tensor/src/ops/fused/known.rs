//! What a chain has found out of where its operands lie, for the next time that they lie so: the programs of a launch run their chains
//! over tiles of the same shapes again and again, and with small ones most of the time would go to finding it out.
//!
//! Nothing that is known is ever replaced, so threads share it: the first few ways to lie are remembered, others are found out each
//! time.

use super::layout::{Dim, Place, Strides, merged};
use crate::shape::Shape;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::sync::OnceLock;

/// Ways in which operands lie that are remembered: of a launch, mostly one.
const WAYS: usize = 4;

/// The loops over a chain's result.
#[derive(Clone, Debug, Default)]
pub(super) struct Loops([OnceLock<Loop>; WAYS]);

/// The loop for operands with some strides.
#[derive(Clone, Debug)]
struct Loop {
    /// Those of each operand, one after the other.
    strides: SmallVec<[isize; 24]>,
    dims: SmallVec<[Dim; 4]>,
}

impl Loop {
    fn is_for<'a>(&self, operands: impl Iterator<Item = &'a [isize]>) -> bool {
        let mut known = &self.strides[..];
        for strides in operands {
            match known.split_at_checked(strides.len()) {
                // (Compared here: a call to compare a few numbers takes longer.)
                Some((first, rest)) if first.iter().zip(strides).all(|(a, b)| a == b) => known = rest,
                _ => return false,
            }
        }
        known.is_empty()
    }
}

impl Loops {
    /// The loop over a result, which always has the same shape, with as few dimensions as possible: see [`merged`].
    pub(super) fn of<'a>(&self, shape: &Shape, operands: impl Iterator<Item = &'a [isize]> + Clone) -> Cow<'_, [Dim]> {
        for known in &self.0 {
            let known = known.get_or_init(|| Loop {
                strides: operands.clone().flatten().copied().collect(),
                dims: merged(shape, operands.clone()),
            });
            if known.is_for(operands.clone()) {
                return Cow::Borrowed(&known.dims);
            }
        }
        Cow::Owned(merged(shape, operands).into_vec())
    }
}

/// Where a place lies in the first array that it was looked for in: blocks of an array differ in where they begin only.
#[derive(Clone, Debug, Default)]
pub(super) struct Located(OnceLock<(Strides, isize, Strides)>);

impl Located {
    /// The same as [`Place::locate`].
    pub(super) fn of(&self, place: &Place, base: usize, strides: &[isize]) -> (usize, Cow<'_, [isize]>) {
        let find = || {
            let (first, found) = place.locate_signed(0, strides);
            (SmallVec::from_slice(strides), first, found)
        };
        let (known, first, found) = self.0.get_or_init(find);
        if known.len() == strides.len() && known.iter().zip(strides).all(|(a, b)| a == b) {
            return (base.wrapping_add_signed(*first), Cow::Borrowed(found));
        }
        let (base, found) = place.locate(base, strides);
        (base, Cow::Owned(found.into_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_what_would_be_found_out() {
        let shape = Shape::from([2, 3, 4]);
        let ways: [[&[isize]; 2]; 6] = [
            [&[12, 4, 1], &[12, 4, 1]],
            [&[12, 4, 1], &[0, 4, 1]],
            [&[12, 4, 1], &[12, 4, 0]],
            [&[0, 4, 1], &[12, 4, 1]],
            [&[24, 8, 2], &[12, 4, 1]],
            [&[100, 8, 2], &[12, 4, 1]],
        ];
        let loops = Loops::default();
        for _ in 0..2 {
            for way in ways {
                let sizes = |dims: &[Dim]| -> Vec<(usize, Vec<isize>)> {
                    dims.iter().map(|dim| (dim.size, dim.strides.to_vec())).collect()
                };
                let found = loops.of(&shape, way.into_iter());
                assert_eq!(sizes(&found), sizes(&merged(&shape, way.into_iter())));
            }
        }
        // As many numbers in all, in other pieces.
        let flat = Loop { strides: SmallVec::from_slice(&[1, 2, 3]), dims: SmallVec::new() };
        assert!(flat.is_for([&[1, 2][..], &[3]].into_iter()) && !flat.is_for([&[1, 2][..]].into_iter()));
        assert!(!flat.is_for([&[1, 2][..], &[3, 4]].into_iter()));
    }

    #[test]
    fn a_place_is_found_in_arrays_that_lie_alike_and_in_others() {
        let place = Place {
            dims: [None, Some((0, 1)), Some((1, 2))].into_iter().collect(),
            starts: [1, 0].into_iter().collect(),
        };
        let located = Located::default();
        for (base, strides) in [(100, [10, 1]), (250, [10, 1]), (7, [1, 30]), (0, [10, 1])] {
            let (expected, along) = place.locate(base, &strides);
            let (found, known) = located.of(&place, base, &strides);
            assert_eq!((found, &known[..]), (expected, &along[..]));
        }
    }
}
