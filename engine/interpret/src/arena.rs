//! Tiles that were handed out and are handed out again as soon as nobody else holds them: programs of a run need the same
//! tiles over and over.

use pallas_tensor::{Array, DType, OpError, Shape};

/// As many tiles are remembered.
const TILES: usize = 16;
/// Tiles of more bytes are not: they would keep much memory from others.
const LARGE: usize = 1 << 20;

/// Tiles that somebody had.
#[derive(Debug, Default)]
pub(crate) struct Tiles {
    known: Vec<Array>,
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

fn is_large(dtype: DType, size: usize) -> bool {
    size.saturating_mul(dtype.size_bytes()) >= LARGE
}

#[cfg(test)]
mod tests {
    use super::*;

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
