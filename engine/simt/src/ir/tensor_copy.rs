//! Copies from shared into tensor memory, which are done in turn with products; and how scales of factors lie in both.

use super::{Factor, MemoryId};

/// A copy into tensor memory (`tcgen05.cp`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorCopy {
    /// Where to.
    pub to: MemoryId,
    /// Where from.
    pub from: TensorSource,
    /// Rows and columns.
    pub extents: [usize; 2],
    /// Whether the block copies for the next one of its cluster as well: each from its own shared memory into its own tensor memory.
    pub pair: bool,
}

/// What is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorSource {
    /// A matrix with a row for each lane, in panels.
    Rows(Factor),
    /// Scales, as [`Scales::lies`] says.
    Scales(MemoryId),
    /// Words that say where elements of a sparse factor stand, as [`Places`](super::Places) says.
    Places(MemoryId),
}

impl TensorSource {
    /// The array that it is in.
    pub fn memory(&self) -> MemoryId {
        match self {
            TensorSource::Rows(factor) => factor.memory,
            TensorSource::Scales(memory) | TensorSource::Places(memory) => *memory,
        }
    }
}

/// Scales of a factor, of one byte: so many rows, whole 128s, of so many each, whole fours. Tensor memory has those of 32 rows in 32
/// lanes, and the same again in the lanes behind them; four of a row lie in one column of four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scales {
    /// Rows.
    pub rows: usize,
    /// Scales of a row.
    pub count: usize,
}

impl Scales {
    /// Rows, and scales of a row, that lie together.
    pub const TILE: [usize; 2] = [128, 4];
    /// Lanes that have scales of their own.
    pub const LANES: usize = 32;

    /// Bytes of those that lie together, in shared memory.
    pub const BYTES: usize = Scales::TILE[0] * Scales::TILE[1];

    /// Those that take so many bytes of a lane, so many for each row.
    pub fn of(width: usize, count: usize) -> Scales {
        Scales { rows: width / (4 * count.max(1)) * Scales::TILE[0], count }
    }

    /// Tiles of rows.
    pub fn tiles(&self) -> usize {
        self.rows / Scales::TILE[0]
    }

    /// Bytes of tensor memory that a lane has.
    pub fn width(&self) -> usize {
        self.tiles() * self.count * 4
    }

    /// The lane, of the first ones, and the byte of it that a scale has.
    pub fn place(&self, row: usize, number: usize) -> [usize; 2] {
        let tile = number / 4 * self.tiles() + row / Scales::TILE[0];
        [row % Scales::LANES, tile * 16 + row % Scales::TILE[0] / Scales::LANES * 4 + number % 4]
    }

    /// Where it lies in shared memory: tiles of rows in turn, each with 16 bytes for each of its lanes.
    pub fn lies(&self, row: usize, number: usize) -> usize {
        let tile = row / Scales::TILE[0] * (self.count / 4) + number / 4;
        tile * Scales::BYTES + row % Scales::LANES * 16 + row % Scales::TILE[0] / Scales::LANES * 4 + number % 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scale_has_one_place() {
        let scales = Scales { rows: 256, count: 8 };
        let all = || (0..scales.rows).flat_map(|row| (0..scales.count).map(move |number| (row, number)));
        let mut places: Vec<usize> = all()
            .map(|(row, number)| {
                let [lane, byte] = scales.place(row, number);
                lane * scales.width() + byte
            })
            .collect();
        places.sort_unstable();
        assert!(places.iter().enumerate().all(|(number, &place)| number == place));
        let mut lies: Vec<usize> = all().map(|(row, number)| scales.lies(row, number)).collect();
        lies.sort_unstable();
        assert!(lies.iter().enumerate().all(|(number, &place)| number == place));
        // Row 128 + 32 * 2 + 5, scale 6: the second tile of rows of the second four.
        assert_eq!(scales.place(128 + 64 + 5, 6), [5, 3 * 16 + 2 * 4 + 2]);
    }
}
