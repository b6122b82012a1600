//! Where the elements of a sparse left factor stand: it has two of every four terms of a row, and beside it lies which two.

use pallas_tensor::DType;

/// Places among four terms, two bits each, sixteen to a word of tensor or shared memory. Shared memory has them in tiles of 128 rows of
/// four words, one after the other; tensor memory has a row in each lane, tile beside tile.
pub struct Places;

impl Places {
    /// Rows and places of a tile.
    pub const TILE: [usize; 2] = [128, 64];
    /// Places of a word.
    pub const WORD: usize = 16;
    /// Words of a row of a tile.
    pub const WORDS: usize = Places::TILE[1] / Places::WORD;

    /// The row and the position in it that has the place of an element of a factor. Those of wide factors change places within tiles.
    pub fn lies(dtype: DType, row: usize, element: usize) -> [usize; 2] {
        if dtype.size_bytes() == 1 {
            return [row, element];
        }
        [row / 16 * 16 + element / 8 % 2 * 8 + row % 8, element / 16 * 16 + row / 8 % 2 * 8 + element % 8]
    }

    /// Steps of a product that take theirs from the same two words.
    pub fn steps(dtype: DType) -> usize {
        dtype.size_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_a_place_of_its_own() {
        for dtype in [DType::F16, DType::F8E5M2] {
            let [rows, elements] = Places::TILE;
            let all = (0..rows).flat_map(|row| (0..elements).map(move |element| Places::lies(dtype, row, element)));
            let mut places: Vec<usize> = all.map(|[row, element]| row * elements + element).collect();
            places.sort_unstable();
            assert!(places.into_iter().eq(0..rows * elements), "{dtype:?}");
        }
        // `plgpu.format_tcgen05_sparse_metadata`: eights of rows and of elements are exchanged in sixteens.
        assert_eq!(Places::lies(DType::BF16, 9, 3), [1, 11]);
    }
}
