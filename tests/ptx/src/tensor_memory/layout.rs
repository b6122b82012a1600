//! Where the elements of sums, of left factors, of scales and of the places of sparse factors lie in tensor memory (PTX ISA 9.7.16.10.5,
//! 9.7.16.10.7, 9.7.16.10.8).

use super::cells::Region;

/// How the sums of a product lie, in each block that multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lies {
    /// A row in each lane (layouts A and D).
    Whole,
    /// 64 rows, sixteen in the first or the second half of each warp's lanes (layout F).
    Halves { second: bool },
    /// 64 rows of each of two blocks: the second half of the columns in the lanes behind (layout B).
    Beside,
}

impl Lies {
    /// Which it is: of so many rows in so many blocks, the first of which is in that lane.
    ///
    /// # Errors
    /// The lane has to be another one.
    pub(crate) fn of(rows: usize, group: usize, lane: usize) -> Result<Lies, String> {
        match (rows / group, group, lane) {
            (128, _, 0) => Ok(Lies::Whole),
            (64, 2, 0) => Ok(Lies::Beside),
            (64, 1, 0) => Ok(Lies::Halves { second: false }),
            (64, 1, 16) => Ok(Lies::Halves { second: true }),
            _ => Err(format!("sums of {rows} rows (cta_group::{group}) that begin in lane {lane}")),
        }
    }

    /// Rows of a block.
    pub(crate) fn rows(self) -> usize {
        if self == Lies::Whole { 128 } else { 64 }
    }

    /// The lane and the column, from the first one on, of an element of so many columns.
    pub(crate) fn place(self, row: usize, column: usize, columns: usize) -> (usize, usize) {
        match self {
            Lies::Whole => (row, column),
            Lies::Halves { second } => (row / 16 * 32 + row % 16 + if second { 16 } else { 0 }, column),
            Lies::Beside => (row + column / (columns / 2) * 64, column % (columns / 2)),
        }
    }

    /// All of it.
    pub(crate) fn region(self, block: usize, first: usize, columns: usize) -> Region {
        let (chunks, columns) = match self {
            Lies::Whole => (0xff, columns),
            Lies::Halves { second } => (if second { 0b1010_1010 } else { 0b0101_0101 }, columns),
            Lies::Beside => (0xff, columns / 2),
        };
        Region { block, chunks, first, columns }
    }
}

/// The lane and the column of a row's scale: those of 32 rows are in a column, in each quarter of the lanes again.
pub(crate) fn scale(row: usize) -> (usize, usize) {
    (row % 32, row / 32)
}

/// Where it is written which two of every four terms a row has: the lane, the column from the first one on, and the bit, of the place of
/// one of its elements. `selector` is what the descriptor says, `bytes` what an element has.
pub(crate) fn place(row: usize, element: usize, bytes: usize, selector: usize) -> (usize, usize, u32) {
    match bytes {
        // Half of a word is of one row, the other half of the row eight behind; that one's lane has the other eight elements of both.
        2 => {
            let lane = row / 16 * 16 + element / 8 * 8 + row % 8;
            (lane, selector, (row / 8 % 2 * 16 + element % 8 * 2) as u32)
        }
        _ => (row, element / 16, (element % 16 * 2) as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_element_of_the_sums_has_a_cell_of_its_own() {
        for (rows, group, lane) in [(128, 1, 0), (256, 2, 0), (64, 1, 0), (64, 1, 16), (128, 2, 0)] {
            let lies = Lies::of(rows, group, lane).expect("a layout");
            let columns = 32;
            let region = lies.region(0, 0, columns);
            let cells: HashSet<(usize, usize)> =
                (0..lies.rows() * columns).map(|e| lies.place(e / columns, e % columns, columns)).collect();
            assert_eq!(cells.len(), lies.rows() * columns);
            for (lane, column) in cells {
                assert!(column < region.columns && region.chunks >> (lane / 16) & 1 == 1, "{lies:?} {lane} {column}");
            }
        }
        assert_eq!(Lies::Halves { second: true }.place(17, 3, 32), (49, 3));
        assert_eq!(Lies::Beside.place(5, 20, 32), (69, 4));
        assert!(Lies::of(128, 1, 16).is_err());
    }

    #[test]
    fn every_place_of_a_sparse_factor_is_its_own() {
        for (bytes, elements) in [(2, 16), (1, 32)] {
            let all: HashSet<_> = (0..128 * elements).map(|e| place(e / elements, e % elements, bytes, 1)).collect();
            assert_eq!(all.len(), 128 * elements);
        }
        assert_eq!(place(9, 3, 2, 1), (1, 1, 22));
        assert_eq!(place(1, 11, 2, 0), (9, 0, 6));
    }
}
