//! How a tile is dealt to the registers of threads: linear over bits.
//!
//! Every dimension of a tile is rounded up to a power of two, so that an element's place is a string of bits, those of the
//! last dimension lowest. Registers and threads are numbered in bits too, and a layout says for each of *those* bits which
//! bits of the place it flips. The place of what thread `t` holds in register `r` is the exclusive or of what the bits of `r`
//! and `t` flip. A bit that flips nothing means copies: threads (or registers) that hold the same.
//!
//! Everything else follows: whether two layouts agree, which bits have to be folded in a reduction, who stores.

use smallvec::SmallVec;

/// A layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Extents of the tile.
    pub shape: SmallVec<[usize; 4]>,
    /// What each bit of a register's number flips.
    pub regs: SmallVec<[u32; 8]>,
    /// What each bit of a thread's number flips; the lowest five are the lane.
    pub threads: SmallVec<[u32; 10]>,
}

impl Layout {
    /// The layout that tiles of a shape have between instructions: neighbours in registers, then lanes, then warps, the rest
    /// in registers again. `threads` is the logarithm of how many there are, `vector` that of the neighbours.
    pub fn blocked(shape: &[usize], threads: usize, vector: usize) -> Layout {
        let bits: usize = shape.iter().map(|&extent| log2(extent)).sum();
        let spare = bits.saturating_sub(threads);
        let vector = spare.min(vector);
        let mut places = (0..bits).map(|bit| 1u32 << bit);
        let mut regs: SmallVec<[u32; 8]> = places.by_ref().take(vector).collect();
        let mut lanes: SmallVec<[u32; 10]> = places.by_ref().take(threads).collect();
        lanes.resize(threads, 0);
        regs.extend(places);
        Layout { shape: shape.into(), regs, threads: lanes }
    }

    /// The layout of what is left without some dimensions, however it is computed from the elements along them: registers that
    /// differed only there are one, threads that did hold the same.
    pub fn without(&self, dims: &[usize]) -> Layout {
        let kept: SmallVec<[usize; 4]> = (0..self.shape.len()).filter(|dim| !dims.contains(dim)).collect();
        let shape = kept.iter().map(|&dim| self.shape[dim]).collect();
        let mut rest = Layout { shape, regs: SmallVec::new(), threads: SmallVec::new() };
        let gone = |flips: u32| dims.iter().any(|&dim| self.coord(flips, dim) != 0);
        let moved = |flips: u32| {
            let dims = kept.iter().enumerate();
            dims.fold(0, |place, (result, &dim)| place | self.coord(flips, dim) << rest.field(result).0)
        };
        let regs = self.regs.iter().filter(|&&flips| !gone(flips)).map(|&flips| moved(flips)).collect();
        let threads = self.threads.iter().map(|&flips| if gone(flips) { 0 } else { moved(flips) }).collect();
        (rest.regs, rest.threads) = (regs, threads);
        rest
    }

    /// The layout of a part with these extents, in which each thread has what it has of the whole; `None` if threads would have nothing,
    /// or the part no extents that bits count.
    pub fn cut(&self, shape: &[usize]) -> Option<Layout> {
        if shape.len() != self.shape.len() || !shape.iter().all(|extent| extent.is_power_of_two()) {
            return None;
        }
        let mut part = Layout { shape: shape.into(), regs: SmallVec::new(), threads: SmallVec::new() };
        let moved = |flips: u32| {
            let mut dims = 0..shape.len();
            dims.try_fold(0, |place, dim| {
                let coord = self.coord(flips, dim);
                ((coord as usize) < shape[dim]).then(|| place | coord << part.field(dim).0)
            })
        };
        let threads: Option<SmallVec<[u32; 10]>> = self.threads.iter().map(|&flips| moved(flips)).collect();
        let regs = self.regs.iter().filter_map(|&flips| moved(flips)).collect();
        (part.regs, part.threads) = (regs, threads?);
        Some(part)
    }

    /// The same places, called by another shape with the same bits: dimensions of one element come and go.
    pub fn renamed(&self, shape: &[usize]) -> Layout {
        Layout { shape: shape.into(), ..self.clone() }
    }

    /// The layout of what these places become under a map that is linear over bits.
    pub fn mapped(&self, shape: &[usize], map: impl Fn(u32) -> u32) -> Layout {
        let all = |bits: &[u32]| bits.iter().map(|&flips| map(flips)).collect::<Vec<u32>>();
        Layout { shape: shape.into(), regs: all(&self.regs).into(), threads: all(&self.threads).into() }
    }

    /// How many registers each thread has.
    pub fn registers(&self) -> u32 {
        1 << self.regs.len()
    }

    /// The place of an element, in bits.
    pub fn place(&self, register: u32, thread: u32) -> u32 {
        flipped(&self.regs, register) ^ flipped(&self.threads, thread)
    }

    /// The lowest bit of a dimension and how many it has.
    pub fn field(&self, dim: usize) -> (u32, u32) {
        let low: usize = self.shape[dim + 1..].iter().map(|&extent| log2(extent)).sum();
        (low as u32, log2(self.shape[dim]) as u32)
    }

    /// A place along a dimension.
    pub fn coord(&self, place: u32, dim: usize) -> u32 {
        let (low, bits) = self.field(dim);
        place >> low & mask(bits)
    }

    /// What each bit of a number flips of a dimension.
    pub fn along<'a>(&'a self, bits: &'a [u32], dim: usize) -> impl Iterator<Item = u32> + 'a {
        bits.iter().map(move |&flips| self.coord(flips, dim))
    }

    /// Whether no two threads hold the same.
    pub fn is_private(&self) -> bool {
        !self.threads.contains(&0)
    }

    /// Bits of the thread's number that make no difference.
    pub fn copies(&self) -> u32 {
        self.threads.iter().enumerate().filter(|(_, flips)| **flips == 0).map(|(bit, _)| 1 << bit).sum()
    }

    /// The dimensions whose extent is not a power of two, so that some places are no elements.
    pub fn ragged(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.shape.len()).filter(|&dim| !self.shape[dim].is_power_of_two())
    }

    /// Whether a place is an element.
    pub fn holds(&self, place: u32) -> bool {
        (0..self.shape.len()).all(|dim| (self.coord(place, dim) as usize) < self.shape[dim])
    }
}

/// How many bits an extent takes.
pub fn log2(extent: usize) -> usize {
    extent.max(1).next_power_of_two().trailing_zeros() as usize
}

fn mask(bits: u32) -> u32 {
    if bits >= 32 { u32::MAX } else { (1 << bits) - 1 }
}

fn flipped(bits: &[u32], number: u32) -> u32 {
    bits.iter().enumerate().filter(|(bit, _)| number >> bit & 1 == 1).fold(0, |place, (_, flips)| place ^ flips)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_in_registers_then_in_lanes() {
        let layout = Layout::blocked(&[4, 64], 5, 2);
        assert_eq!(layout.regs.as_slice(), [1, 2, 128]);
        assert_eq!(layout.threads.as_slice(), [4, 8, 16, 32, 64]);
        assert_eq!(layout.place(0b101, 0b00011), 1 ^ 128 ^ 4 ^ 8);
        assert_eq!((layout.coord(0b1100_0001, 0), layout.coord(0b1100_0001, 1)), (3, 1));
    }

    #[test]
    fn small_tiles_are_copied() {
        let layout = Layout::blocked(&[3], 5, 2);
        assert_eq!(layout.threads.as_slice(), [1, 2, 0, 0, 0]);
        assert_eq!((layout.registers(), layout.copies()), (1, 0b11100));
        assert!(!layout.is_private() && layout.holds(2) && !layout.holds(3));
    }

    #[test]
    fn without_a_dimension_threads_hold_copies() {
        let rows = Layout::blocked(&[4, 64], 5, 2).without(&[1]);
        assert_eq!((rows.shape.as_slice(), rows.regs.as_slice()), ([4].as_slice(), [2].as_slice()));
        assert_eq!(rows.threads.as_slice(), [0, 0, 0, 0, 1]);
        assert_eq!(rows.renamed(&[4, 1]).coord(3, 0), 3);
    }

    #[test]
    fn a_part_is_cut_out_of_registers_and_not_out_of_threads() {
        let layout = Layout {
            shape: [8, 16].as_slice().into(),
            regs: [1, 8, 64].as_slice().into(),
            threads: [2, 4, 16, 32, 0].as_slice().into(),
        };
        let part = layout.cut(&[4, 8]).expect("the upper halves are registers");
        assert_eq!((part.regs.as_slice(), part.threads.as_slice()), ([1].as_slice(), [2, 4, 8, 16, 0].as_slice()));
        assert_eq!((layout.cut(&[2, 16]), layout.cut(&[8, 4]), layout.cut(&[8, 12])), (None, None, None));
    }

    #[test]
    fn every_element_has_a_place_and_every_place_one_element() {
        for (shape, threads) in [(vec![8, 16], 5), (vec![2, 2, 128], 7), (vec![1024], 6)] {
            let layout = Layout::blocked(&shape, threads, 2);
            let mut places: Vec<u32> = (0..layout.registers())
                .flat_map(|register| (0..1u32 << threads).map(move |thread| (register, thread)))
                .map(|(register, thread)| layout.place(register, thread))
                .collect();
            places.sort_unstable();
            assert!(places.iter().enumerate().all(|(number, &place)| number as u32 == place));
        }
    }
}
