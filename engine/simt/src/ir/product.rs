//! Products that a team starts on its tensor cores, and waits for later (`wgmma`).

use super::{MemoryId, TensorMap};
use pallas_tensor::DType;

/// A product: what is in registers becomes `acc + left * right`, in `f32`.
///
/// With `w` the warp and `g`, `t` the lane without its lowest two bits and those two, register `r` of a thread's accumulator, bit by
/// bit, is in row `16 * w + g + 8 * r1`, column `2 * t + r0 + 8 * (r2, r3, ...)`, as far as there are columns; further bits count
/// rows in steps of 64. A left factor in registers has, for each 64 rows and each step of terms, what [`Mma`](super::Mma) wants of
/// 16 rows that begin at `16 * w`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// The accumulator.
    pub acc: MemoryId,
    /// Of both factors: `bf16`, `f16`, or floats of eight bits.
    pub dtype: DType,
    /// Rows (whole 64s), columns (whole 8s) and terms.
    pub extents: [usize; 3],
    /// Where the left factor is; `None`: in registers.
    pub left: Option<Factor>,
    /// Where the right one is.
    pub right: Factor,
}

/// A factor in shared memory: in panels of so many bytes, each with all rows, whose pieces change places
/// ([`TensorMap::swizzled`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    /// The memory.
    pub memory: MemoryId,
    /// Rows of a panel, whole 8s.
    pub rows: usize,
    /// Bytes of a row of a panel.
    pub swizzle: usize,
    /// Whether a row is of terms, rather than of what is not summed up.
    pub terms_last: bool,
}

/// A product into tensor memory (`tcgen05`): what is there becomes `left * right`, or that added to what is there, in `f32`. Row `r`
/// of the sums is in lane `r`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorProduct {
    /// The sums.
    pub acc: MemoryId,
    /// Of both factors: `bf16` or `f16`.
    pub dtype: DType,
    /// Rows (as many as there are lanes; of each of two blocks), columns (whole 16s; of two blocks, whole 32s) and terms.
    pub extents: [usize; 3],
    /// Where the left factor is.
    pub left: Factor,
    /// Where the right one is.
    pub right: Factor,
    /// Whether the block multiplies for the next one of its cluster as well: each has its rows of the left factor and of the sums,
    /// and half of the columns of the right one, in the same places.
    pub pair: bool,
}

impl TensorProduct {
    /// Lanes of tensor memory.
    pub const LANES: usize = 128;
    /// The most columns at a time.
    pub const COLUMNS: usize = 256;

    /// Terms at a time.
    pub fn step(&self) -> usize {
        32 / self.dtype.size_bytes()
    }
}

impl Product {
    /// Rows at a time.
    pub const ROWS: usize = 64;
    /// The most columns at a time.
    pub const COLUMNS: usize = 256;

    /// Terms at a time.
    pub fn step(&self) -> usize {
        32 / self.dtype.size_bytes()
    }

    /// Registers of the accumulator.
    pub fn registers(&self) -> usize {
        self.extents[0] / Self::ROWS * self.extents[1] / 2
    }

    /// Registers of a left factor.
    pub fn left_registers(&self) -> usize {
        self.extents[0] * self.extents[2] / 128
    }
}

impl Factor {
    /// Elements of a row of a panel.
    pub fn width(&self, bytes: usize) -> usize {
        self.swizzle / bytes
    }

    /// The element of memory that is the factor's in this place, if its first one would be at `begin` of panels in whose rows nothing
    /// has changed places.
    pub fn place(&self, begin: usize, free: usize, term: usize, bytes: usize) -> usize {
        let (row, column) = if self.terms_last { (free, term) } else { (term, free) };
        let width = self.width(bytes);
        let place = begin + column / width * self.rows * width + row * width + column % width;
        TensorMap::swizzled(place * bytes, self.swizzle) / bytes
    }
}
