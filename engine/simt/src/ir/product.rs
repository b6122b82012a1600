//! Products that a team starts on its tensor cores, and waits for later (`wgmma`).

use super::{MemoryId, TensorMap};
use pallas_tensor::DType;

/// A product: what is in registers becomes `acc + left * right`, in `f32`.
///
/// With `w` the warp and `g`, `t` the lane without its lowest two bits and those two, register `r` of a thread's accumulator, bit by
/// bit, is in row `16 * w + g + 8 * r1`, column `2 * t + r0 + 8 * (r2, r3, ...)`, as far as there are columns; further bits count
/// rows in steps of 64. A left factor in registers has, for each 64 rows and each step of terms, what [`Mma`](super::Mma) wants of
/// 16 rows that begin at `16 * w`. Where the team is of several warpgroups of 128 threads, all of that is said of one of them, with
/// the rows and the columns that it has.
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
    /// How many warpgroups share the rows, and how many the columns: the first ones have the first columns. All that there are.
    pub groups: [usize; 2],
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

/// A product into tensor memory (`tcgen05`): what is there becomes `left * right`, or that added to what is there, in `f32`, or in
/// `i32` for integers. Which lane and column an element of the sums has is said by [`TensorProduct::place`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorProduct {
    /// The sums.
    pub acc: MemoryId,
    /// Of both factors: `bf16`, `f16`, floats of eight bits, `i8`, or, with scales, floats of four bits: two of a row in a byte, the first
    /// one in its lower half.
    pub dtype: DType,
    /// Rows (as many as there are lanes, or half; of each of two blocks), columns (whole 16s; of two blocks or with half of the rows,
    /// whole 32s) and terms.
    pub extents: [usize; 3],
    /// Where the left factor is.
    pub left: LeftFactor,
    /// Where the right one is.
    pub right: Factor,
    /// Where tensor memory has the scales of both: one for as many terms of a row of either as
    /// [`TensorProduct::terms_of_scale`] says.
    pub scales: Option<[MemoryId; 2]>,
    /// Where tensor memory has which two of every four terms the left factor has ([`Places`](super::Places)), if it has no others.
    pub places: Option<MemoryId>,
    /// Whether the block multiplies for the next one of its cluster as well: each has its rows of the left factor and of the sums,
    /// and half of the columns of the right one, in the same places.
    pub pair: bool,
}

/// Where the left factor of a product into tensor memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftFactor {
    /// In shared memory.
    Shared(Factor),
    /// In tensor memory: a row in each lane, and in each column as many elements as four bytes have.
    Tensor(MemoryId),
}

impl LeftFactor {
    /// The array that it is in.
    pub fn memory(&self) -> MemoryId {
        match self {
            LeftFactor::Shared(factor) => factor.memory,
            LeftFactor::Tensor(memory) => *memory,
        }
    }
}

impl TensorProduct {
    /// Lanes of tensor memory.
    pub const LANES: usize = 128;
    /// Rows that have half of the lanes: each warp's are those of 16 lanes with the first half of the columns, and of 16 more with the
    /// second. Where two blocks multiply together, two warps have the first half, and two the second.
    pub const HALF: usize = 64;
    /// The most columns at a time.
    pub const COLUMNS: usize = 256;
    /// Terms that have one scale that is a power of two.
    pub const SCALED: usize = 32;
    /// Terms that have one scale with a fraction.
    pub const FINELY_SCALED: usize = 16;

    /// How many terms have one scale of a dtype; `None` where it is none of scales.
    pub fn terms_of_scale(dtype: DType) -> Option<usize> {
        match dtype {
            DType::F8E8M0Fnu => Some(TensorProduct::SCALED),
            DType::F8E4M3Fn => Some(TensorProduct::FINELY_SCALED),
            _ => None,
        }
    }

    /// Terms of an element of the arrays that factors are in, and its dtype.
    pub fn stored(&self) -> (usize, DType) {
        if self.dtype == DType::F4E2M1Fn { (2, DType::U8) } else { (1, self.dtype) }
    }

    /// Terms at a time.
    pub fn step(&self) -> usize {
        256 / self.dtype.bits() as usize * self.thin()
    }

    /// How many terms there are for each that the left factor has.
    pub fn thin(&self) -> usize {
        1 + usize::from(self.places.is_some())
    }

    /// Arrays of tensor memory that it reads.
    pub fn lanes_read(&self) -> impl Iterator<Item = MemoryId> {
        let left = match self.left {
            LeftFactor::Tensor(memory) => Some(memory),
            LeftFactor::Shared(_) => None,
        };
        left.into_iter().chain(self.scales.into_iter().flatten()).chain(self.places)
    }

    /// The dtype of the sums.
    pub fn sums(&self) -> DType {
        if self.dtype.is_float() { DType::F32 } else { DType::I32 }
    }

    /// Columns of tensor memory that so many rows and columns have.
    pub fn columns([rows, columns]: [usize; 2]) -> usize {
        if rows == TensorProduct::HALF { columns / 2 } else { columns }
    }

    /// The lane and the column of an element of so many rows and columns, of a block by itself or of one of a pair.
    pub fn place([rows, columns]: [usize; 2], pair: bool, row: usize, column: usize) -> [usize; 2] {
        if rows != TensorProduct::HALF {
            return [row, column];
        }
        let half = columns / 2;
        if pair {
            return [row + column / half * TensorProduct::HALF, column % half];
        }
        [row / 16 * 32 + column / half * 16 + row % 16, column % half]
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

    /// Threads of a warpgroup.
    pub const THREADS: usize = 128;

    /// Rows and columns of a warpgroup.
    pub fn own(&self) -> [usize; 2] {
        [self.extents[0] / self.groups[0].max(1), self.extents[1] / self.groups[1].max(1)]
    }

    /// Registers of the accumulator.
    pub fn registers(&self) -> usize {
        let [rows, columns] = self.own();
        rows / Self::ROWS * columns / 2
    }

    /// Registers of a left factor.
    pub fn left_registers(&self) -> usize {
        self.own()[0] * self.extents[2] / Self::THREADS
    }

    /// The row and the column of what a thread's register of the accumulator holds.
    pub fn place(&self, register: usize, thread: usize) -> [usize; 2] {
        let [rows, columns] = self.own();
        let (group, thread) = (thread / Self::THREADS, thread % Self::THREADS);
        let (block, within) = (register / (columns / 2), register % (columns / 2));
        let row = block * Self::ROWS + thread / 32 * 16 + thread % 32 / 4 + (within >> 1 & 1) * 8;
        let column = thread % 4 * 2 + (within & 1) + (within >> 2) * 8;
        let [down, across] = [group % self.groups[0].max(1), group / self.groups[0].max(1)];
        [down * rows + row, across * columns + column]
    }

    /// Arrays of shared memory that it reads, each once.
    pub fn factors(&self) -> impl Iterator<Item = MemoryId> {
        let left = self.left.map(|factor| factor.memory);
        left.into_iter().chain(Some(self.right.memory).filter(|right| left != Some(*right)))
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
        TensorMap::swizzled((begin + self.far(free, term, bytes)) * bytes, self.swizzle) / bytes
    }

    /// How many elements a place is from the first one, in panels in whose rows nothing has changed places.
    pub fn far(&self, free: usize, term: usize, bytes: usize) -> usize {
        let (row, column) = if self.terms_last { (free, term) } else { (term, free) };
        let width = self.width(bytes);
        column / width * self.rows * width + row * width + column % width
    }
}
