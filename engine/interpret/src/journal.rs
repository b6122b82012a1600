//! What a thread's programs copy to an output that stays in main memory, while other threads fill other parts of it: kept as
//! tiles until all are done, then put together. Whether the parts are apart is only seen then.

use crate::error::RunError;
use crate::memory::{Memory, View, ViewDim, write};
use pallas_tensor::ops;
use pallas_tensor::{Array, DType, Shape};
use smallvec::SmallVec;
use std::collections::HashMap;

/// Tiles by where they go, each place once, in the order in which they were last written.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    tiles: Vec<Option<(Place, Array)>>,
    places: HashMap<Place, usize>,
    /// Elements of all tiles.
    elements: usize,
    /// How many are kept at most: more than the output has would be a waste of memory.
    most: usize,
}

type Place = SmallVec<[ViewDim; 4]>;

impl Journal {
    /// For an output of so many elements.
    pub(crate) fn new(elements: usize) -> Journal {
        Journal { most: elements, ..Journal::default() }
    }

    /// Keeps a tile that is to go to a part of the output.
    ///
    /// # Errors
    /// If the tiles become more than the output.
    pub(crate) fn write(&mut self, view: &View, tile: Array) -> Result<(), RunError> {
        let tile = ops::reshape(&tile, view.shape())?;
        if let Some(number) = self.places.insert(view.dims.clone(), self.tiles.len())
            && let Some((_, old)) = self.tiles[number].take()
        {
            self.elements -= old.size();
        }
        self.elements += tile.size();
        self.tiles.push(Some((view.dims.clone(), tile)));
        match self.elements > self.most || self.tiles.len() > 2 * self.places.len() + 64 {
            true => self.shrink(),
            false => Ok(()),
        }
    }

    /// Forgets what was written over.
    fn shrink(&mut self) -> Result<(), RunError> {
        if self.elements > self.most {
            return Err(RunError::eval("programs write to an output more than once"));
        }
        self.tiles.retain(Option::is_some);
        for (number, tile) in self.tiles.iter().enumerate() {
            if let Some((place, _)) = tile {
                self.places.insert(place.clone(), number);
            }
        }
        Ok(())
    }

    fn tiles(&self) -> impl Iterator<Item = &(Place, Array)> {
        self.tiles.iter().flatten()
    }

    /// From where to where tiles reach along a dimension; nothing where there are none.
    fn reach(&self, axis: usize) -> Option<(usize, usize)> {
        let reach = |(place, _): &(Place, Array)| match place.get(axis).copied() {
            Some(ViewDim::At(position)) => (position, position + 1),
            Some(ViewDim::Range { start, size, stride }) => (start, start + size.saturating_sub(1) * stride + 1),
            None => (0, usize::MAX),
        };
        self.tiles().map(reach).reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
    }
}

/// Whether tiles fill all of an array, each place once: where they are all the blocks that it can be cut into.
fn fill(journals: &[Journal], shape: &Shape) -> bool {
    let mut tiles = journals.iter().flat_map(Journal::tiles);
    let size = |dim: &ViewDim| match dim {
        ViewDim::At(_) => 1,
        ViewDim::Range { size, .. } => *size,
    };
    let Some((first, _)) = tiles.next() else { return false };
    let is_block = |place: &Place| {
        place.len() == shape.rank()
            && place.iter().zip(first).zip(shape.iter()).all(|((dim, first), &extent)| {
                let (start, step) = match *dim {
                    ViewDim::At(start) => (start, 1),
                    ViewDim::Range { start, stride, .. } => (start, stride),
                };
                let length = size(first).max(1);
                size(dim) == length && step == 1 && start % length == 0 && start + length <= extent
            })
    };
    let elements = journals.iter().fold(0usize, |sum, journal| sum.saturating_add(journal.elements));
    elements == shape.size() && is_block(first) && tiles.all(|(place, _)| is_block(place))
}

/// An output of a shape with what the threads have copied to it; nothing if two of them may have written to one place. Where
/// there is something that nobody has written it begins as what is `fresh`.
pub(crate) fn together(
    journals: &[Journal],
    dtype: DType,
    shape: &Shape,
    fresh: impl FnOnce() -> Result<Array, RunError>,
) -> Result<Option<Array>, RunError> {
    let apart = |axis: usize| {
        let mut reaches: Vec<(usize, usize)> = journals.iter().filter_map(|journal| journal.reach(axis)).collect();
        reaches.sort_unstable();
        reaches.windows(2).all(|pair| pair[0].1 <= pair[1].0)
    };
    if !(0..shape.rank()).any(apart) {
        return Ok(None);
    }
    let mut memory = Memory::default();
    let buffer = memory.add(match fill(journals, shape) {
        true => Array::unwritten(dtype, shape.clone())?,
        false => fresh()?,
    });
    for (dims, tile) in journals.iter().flat_map(Journal::tiles) {
        write(&mut memory, &View { buffer, dims: dims.clone(), through: None }, tile.clone())?;
    }
    Ok(Some(memory.take(buffer)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pallas_tensor::Scalar;

    fn rows(start: usize, size: usize) -> View {
        let dims = [ViewDim::Range { start, size, stride: 1 }, ViewDim::Range { start: 0, size: 2, stride: 1 }];
        View { buffer: 0, dims: dims.into_iter().collect(), through: None }
    }

    fn tile(rows: usize, value: i32) -> Array {
        Array::full(DType::I32, [rows, 2], Scalar::Int(value.into())).expect("small")
    }

    #[test]
    fn the_last_tile_of_a_place_counts_and_threads_that_meet_are_noticed() {
        let fresh = || Ok(Array::full(DType::I32, [6, 2], Scalar::Int(-1)).expect("small"));
        let together = |journals: &[Journal]| together(journals, DType::I32, &Shape::from([6, 2]), fresh);
        let (mut first, mut second) = (Journal::new(12), Journal::new(12));
        first.write(&rows(0, 2), tile(2, 1)).expect("fits");
        first.write(&rows(1, 1), tile(1, 2)).expect("fits");
        first.write(&rows(0, 2), tile(2, 3)).expect("fits");
        second.write(&rows(3, 2), tile(2, 4)).expect("fits");
        let whole = together(&[first, second]).expect("runs").expect("apart");
        assert_eq!(whole.elements::<i32>(), Some(&[3, 3, 3, 3, -1, -1, 4, 4, 4, 4, -1, -1][..]));
        let (mut first, mut second) = (Journal::new(12), Journal::new(12));
        first.write(&rows(0, 3), tile(3, 1)).expect("fits");
        second.write(&rows(2, 2), tile(2, 2)).expect("fits");
        assert!(together(&[first, second]).expect("runs").is_none());
    }

    #[test]
    fn what_tiles_fill_need_not_hold_anything_before() {
        let whole = |journals: &[Journal]| {
            let fresh = || Ok(Array::full(DType::I32, [6, 2], Scalar::Int(-1)).expect("small"));
            together(journals, DType::I32, &Shape::from([6, 2]), fresh).expect("runs").expect("apart")
        };
        let of = |starts: &[usize]| {
            let mut journal = Journal::new(12);
            starts.iter().for_each(|&start| journal.write(&rows(start, 2), tile(2, start as i32)).expect("fits"));
            journal
        };
        let shape = Shape::from([6, 2]);
        let (all, some, crossing) = ([of(&[2, 0]), of(&[4])], [of(&[0]), of(&[4])], [of(&[0, 1]), of(&[4])]);
        assert!(fill(&all, &shape) && !fill(&some, &shape) && !fill(&crossing, &shape) && !fill(&[], &shape));
        assert_eq!(whole(&all).elements::<i32>(), Some(&[0, 0, 0, 0, 2, 2, 2, 2, 4, 4, 4, 4][..]));
        assert_eq!(whole(&some).elements::<i32>(), Some(&[0, 0, 0, 0, -1, -1, -1, -1, 4, 4, 4, 4][..]));
        assert_eq!(whole(&crossing).elements::<i32>(), Some(&[0, 0, 1, 1, 1, 1, -1, -1, 4, 4, 4, 4][..]));
    }

    #[test]
    fn tiles_do_not_pile_up() {
        let mut journal = Journal::new(12);
        (0..1000).for_each(|value| journal.write(&rows(0, 2), tile(2, value)).expect("one place"));
        assert!(journal.tiles.len() < 200);
        let crossing = |start| journal_write(&mut Journal::new(4), start);
        assert!(crossing(0).is_ok() && crossing(1).is_err());
    }

    /// Two tiles that overlap by one row less than `start`.
    fn journal_write(journal: &mut Journal, start: usize) -> Result<(), RunError> {
        journal.write(&rows(0, 2), tile(2, 1))?;
        journal.write(&rows(start, 2), tile(2, 2))
    }
}
