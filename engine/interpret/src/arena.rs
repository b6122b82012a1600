//! Tiles that were handed out and are handed out again as soon as nobody else holds them: programs of a run need the same
//! tiles over and over.

use pallas_tensor::{Array, DType, OpError, Shape};

/// As many tiles are remembered.
const TILES: usize = 16;
/// Tiles of more bytes are not: they would keep much memory from others.
pub(crate) const LARGE: usize = 1 << 20;

/// Tiles of no more bytes are remembered by who gave them, and no more of them.
const SMALL: usize = 1 << 14;
const GIVERS: usize = 256;

/// What a chain gives, by its number: always a tile of the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// Its result, or what its rows are reduced to.
    Result(usize),
    /// Rows that are kept beside that.
    Rows(usize),
}

/// Tiles that somebody had.
#[derive(Debug, Default)]
pub(crate) struct Tiles {
    known: Vec<Array>,
    /// Small ones by who gave them: the last two, as one of them may still be in scratch memory when the next is given.
    given: Vec<[Option<Array>; 2]>,
    /// The next to be forgotten where there are too many.
    oldest: usize,
}

impl Tiles {
    /// A tile that nobody else holds, with anything in it.
    ///
    /// # Errors
    /// If it does not fit in memory.
    pub(crate) fn take(&mut self, dtype: DType, shape: &Shape) -> Result<Array, OpError> {
        let size = shape.size();
        if is_large(dtype, size) {
            // Whoever had one before has given its memory back.
            return Array::unwritten(dtype, shape.clone());
        }
        let fits = |tile: &Array| tile.dtype() == dtype && tile.size() == size && tile.is_unique();
        match self.known.iter().position(fits) {
            Some(place) => self.known.swap_remove(place).reshaped(shape),
            None => Array::zeros(dtype, shape.clone()),
        }
    }

    /// [`Tiles::take`] for what is given again and again.
    pub(crate) fn take_again(&mut self, given: Given, dtype: DType, shape: &Shape) -> Result<Array, OpError> {
        for slot in self.given.get_mut(given.place()).into_iter().flatten() {
            let is_free = |tile: &Array| tile.is_unique() && tile.dtype() == dtype && tile.shape() == shape;
            if slot.as_ref().is_some_and(is_free)
                && let Some(tile) = slot.take()
            {
                return Ok(tile);
            }
        }
        self.take(dtype, shape)
    }

    /// Remembers it.
    pub(crate) fn keep_for(&mut self, given: Given, tile: &Array) {
        let place = given.place();
        if tile.size_bytes() > SMALL || place >= GIVERS {
            self.keep(tile);
            return;
        }
        if self.given.len() <= place {
            self.given.resize_with(place + 1, Default::default);
        }
        let [first, second] = &mut self.given[place];
        // The latest one is first, where it is looked for first.
        let before = first.replace(tile.clone());
        if before.is_some() {
            *second = before;
        }
    }

    /// Remembers a tile.
    pub(crate) fn keep(&mut self, tile: &Array) {
        if is_large(tile.dtype(), tile.size()) {
            return;
        }
        if self.known.len() < TILES {
            self.known.push(tile.clone());
            return;
        }
        self.oldest = (self.oldest + 1) % TILES;
        self.known[self.oldest] = tile.clone();
    }
}

impl Given {
    fn place(self) -> usize {
        match self {
            Given::Result(chain) => 2 * chain,
            Given::Rows(chain) => 2 * chain + 1,
        }
    }
}

fn is_large(dtype: DType, size: usize) -> bool {
    size.saturating_mul(dtype.size_bytes()) >= LARGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_again_is_one_of_two_tiles() {
        let (mut tiles, shape) = (Tiles::default(), Shape::from([2, 3]));
        let mut give = |given: Given| {
            let tile = tiles.take_again(given, DType::F32, &shape).expect("small");
            tiles.keep_for(given, &tile);
            tile
        };
        let first = give(Given::Result(1));
        let second = give(Given::Result(1));
        let place = |tile: &Array| tile.elements::<f32>().expect("floats").as_ptr();
        let places = [place(&first), place(&second)];
        assert_ne!(places[0], places[1], "somebody holds the first");
        let rows = give(Given::Rows(1));
        assert!(!places.contains(&place(&rows)), "it is somebody else's");
        drop(first);
        let third = give(Given::Result(1));
        assert_eq!(place(&third), places[0]);
        drop((second, third));
        let fourth = give(Given::Result(1));
        assert!(places.contains(&place(&fourth)));
    }

    #[test]
    fn a_tile_comes_back_when_nobody_holds_it() {
        let mut tiles = Tiles::default();
        let (wide, tall) = (Shape::from([2, 3]), Shape::from([3, 2]));
        let first = tiles.take(DType::F32, &wide).expect("small");
        tiles.keep(&first);
        let second = tiles.take(DType::F32, &wide).expect("small");
        assert!(!second.shares_all_with(&first), "somebody holds the first");
        tiles.keep(&second);
        let bits = first.clone();
        drop((first, second));
        let third = tiles.take(DType::F32, &tall).expect("small");
        assert_eq!(third.shape(), &tall);
        assert!(third.is_unique() && tiles.known.len() == 1);
        assert!(!third.reshaped(&wide).expect("as many").shares_all_with(&bits), "the first is still held");
        assert!(tiles.take(DType::I32, &wide).expect("small").is_unique());
    }
}
