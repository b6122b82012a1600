//! What engines copy: boxes of arrays in global memory, and how they lie in shared memory.

use super::MemoryId;

/// A box of an array (a `CUtensorMap`). In shared memory its elements lie one after the other, those of the last dimension first,
/// and pieces of 16 bytes change places as [`TensorMap::swizzled`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// The array.
    pub memory: MemoryId,
    /// Its extents, in row-major order.
    pub extents: Vec<usize>,
    /// Extents of the box.
    pub boxed: Vec<usize>,
    /// Bytes within which pieces change places: 128, 64, 32, or 0 where they do not.
    pub swizzle: usize,
}

impl TensorMap {
    /// The most dimensions.
    pub const RANK: usize = 5;
    /// The largest extent of a box.
    pub const EXTENT: usize = 256;

    /// Elements of the box.
    pub fn size(&self) -> usize {
        self.boxed.iter().product()
    }

    /// Where the byte with this number lies in memory whose pieces change places: bits of the piece's number are flipped by those of
    /// the number of its stretch of 128 bytes.
    pub fn swizzled(byte: usize, swizzle: usize) -> usize {
        match swizzle {
            32 | 64 | 128 => byte ^ ((byte >> 7) & (swizzle / 16 - 1)) << 4,
            _ => byte,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_eight_rows_below_each_other_are_apart() {
        for row in 0..8 {
            assert_eq!(TensorMap::swizzled(row * 128, 128), row * 128 + row * 16);
            assert_eq!(TensorMap::swizzled(row * 64, 64), (row * 64) ^ ((row / 2 % 4) * 16));
        }
        assert_eq!(TensorMap::swizzled(300, 0), 300);
    }
}
