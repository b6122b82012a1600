//! Factors of `wgmma` in shared memory, as a descriptor says (PTX ISA 9.7.15.5.1), and those of `tcgen05`: where element `(row, inner)` of a factor lies, `row`
//! being that of `A` or the column of `B`.

use super::boxes::swizzled;

/// A descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Panel {
    start: u64,
    /// The leading dimension's byte offset, and the stride dimension's.
    leading: u64,
    stride: u64,
    swizzle: u32,
}

impl Panel {
    /// Reads a descriptor; `None` if it says something that has no meaning.
    pub(crate) fn of(word: u64) -> Option<Panel> {
        // The pattern is to begin at a multiple of its own length: nobody says that it does not.
        let base_offset = word >> 49 & 7;
        let swizzle = [0, 128, 64, 32][(word >> 62) as usize];
        (base_offset == 0).then(|| Panel::new(word, swizzle))
    }

    /// Where a descriptor says that a factor is, of whose swizzle is known what it is.
    pub(crate) fn new(word: u64, swizzle: u32) -> Panel {
        let field = |from: u32| (word >> from & 0x3fff) << 4;
        Panel { start: field(0), leading: field(16), stride: field(32), swizzle }
    }

    /// Whether so many bytes of a row lie in one row of the pattern.
    pub(crate) fn fits(&self, bytes: usize, turned: bool) -> bool {
        let span = u64::from(self.swizzle);
        turned || span == 0 || self.start % span + bytes as u64 <= span
    }

    /// The offset in the block's shared memory of an element of so many bytes. A factor is turned if rows follow each other in memory.
    pub(crate) fn place(&self, row: usize, inner: usize, bytes: usize, turned: bool) -> u64 {
        let (row, inner, bytes) = (row as u64, inner as u64, bytes as u64);
        let address = match (turned, self.swizzle) {
            // Matrices of 8 rows with 16 bytes each.
            (false, 0) => {
                let at = inner * bytes;
                row % 8 * 16 + row / 8 * self.stride + at % 16 + at / 16 * self.leading
            }
            // Groups of 8 rows, each as long as the swizzle.
            (false, span) => row % 8 * u64::from(span) + row / 8 * self.stride + inner * bytes,
            // The same with rows and inner elements exchanged; 8 inner elements are a group.
            (true, 0) => {
                let at = row * bytes;
                inner % 8 * 16 + inner / 8 * self.leading + at % 16 + at / 16 * self.stride
            }
            (true, span) => {
                let (at, span) = (row * bytes, u64::from(span));
                inner % 8 * span + inner / 8 * self.stride + at % span + at / span * self.leading
            }
        };
        swizzled(self.start + address, self.swizzle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_lie_where_the_canonical_layouts_put_them() {
        let word = |swizzle: u64| 0x400 >> 4 | (0x2000 >> 4) << 16 | (0x400 >> 4) << 32 | swizzle << 62;
        let place =
            |swizzle, row, inner, turned| Panel::of(word(swizzle)).expect("a panel").place(row, inner, 2, turned);
        // 128 bytes: the row says which pieces change places.
        assert_eq!(place(1, 0, 0, false), 0x400);
        assert_eq!(place(1, 1, 0, false), 0x400 + 0x80 + 0x10);
        assert_eq!(place(1, 9, 9, false), 0x800 + 0x80 + 0x02);
        assert_eq!(place(1, 70, 3, true), 0x400 + 0x2000 + 0x180 + ((12 ^ 0x30) & 0x7f));
        assert_eq!(place(0, 9, 9, false), 0x400 + 16 + 0x400 + 2 + 0x2000);
        assert_eq!(Panel::of(1 << 49), None);
    }
}
