//! Elements that change hands: from a tile dealt in one way to a tile dealt in another. What both say is where each element lies
//! in an imagined array; who holds what is then compared, and the cheapest way is taken: registers of the same thread, other
//! lanes of the warp, or shared memory.

use super::context::{Lower, Tile, row_major};
use super::number::Number;
use crate::ir::{Value, WARP};
use crate::layout::Layout;
use pallas_tensor::DType;

/// Where the elements of a tile lie in an imagined array: `base + sum(coordinate * stride)`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Map {
    pub(crate) base: Number,
    pub(crate) strides: Vec<i64>,
}

impl Map {
    pub(crate) fn row_major(shape: &[usize]) -> Map {
        Map { base: Number::Known(0), strides: row_major(shape) }
    }

    fn at(&self, layout: &Layout, place: u32) -> Option<i64> {
        let Number::Known(base) = self.base else { return None };
        Some(
            self.strides
                .iter()
                .enumerate()
                .fold(base, |sum, (dim, stride)| sum + i64::from(layout.coord(place, dim)) * stride),
        )
    }
}

/// How registers of one tile become those of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Conversion {
    /// Each thread has what it needs, in these registers.
    Registers(Vec<u32>),
    /// Another lane of the warp has it: the lane that differs in these bits, in these registers.
    Shuffle(u32, Vec<u32>),
    /// Through memory that all threads of the block have in common.
    Shared,
}

/// More places than this are not compared one by one.
const COMPARED: usize = 1 << 18;

/// Finds the cheapest way. Only elements are compared; what is at other places matters to nobody.
pub(crate) fn classify(from: (&Layout, &Map), to: (&Layout, &Map), log_threads: usize) -> Conversion {
    let threads = 1u32 << log_threads;
    let size = (from.0.registers().max(to.0.registers()) as usize) << log_threads;
    let known = [&from.1.base, &to.1.base].iter().all(|base| matches!(base, Number::Known(_)));
    if size > COMPARED || !known {
        return Conversion::Shared;
    }
    let addresses = |(layout, map): (&Layout, &Map), thread: u32| -> Vec<Option<i64>> {
        (0..layout.registers())
            .map(|register| layout.place(register, thread))
            .map(|place| if layout.holds(place) { map.at(layout, place) } else { None })
            .collect()
    };
    let has: Vec<Vec<Option<i64>>> = (0..threads).map(|thread| addresses(from, thread)).collect();
    let wants: Vec<Vec<Option<i64>>> = (0..threads).map(|thread| addresses(to, thread)).collect();
    for lane in 0..WARP {
        // The register that the first thread that wants anything would take has to be the same for all.
        let source = |thread: u32| &has[(thread ^ lane) as usize];
        let table: Option<Vec<u32>> = (0..to.0.registers() as usize)
            .map(|register| {
                let Some(first) = (0..threads).find(|&thread| wants[thread as usize][register].is_some()) else {
                    return Some(0);
                };
                let wanted = wants[first as usize][register];
                let fits = |candidate: usize| {
                    (0..threads).all(|thread| {
                        let wanted = wants[thread as usize][register];
                        wanted.is_none() || source(thread)[candidate] == wanted
                    })
                };
                let mut candidates = (0..from.0.registers() as usize).filter(|&r| source(first)[r] == wanted);
                candidates.find(|&candidate| fits(candidate)).map(|candidate| candidate as u32)
            })
            .collect();
        match (lane, table) {
            (0, Some(table)) => return Conversion::Registers(table),
            (lane, Some(table)) => return Conversion::Shuffle(lane, table),
            _ => {}
        }
    }
    Conversion::Shared
}

impl Lower<'_> {
    /// Deals a tile anew: the element of the result that lies at an address of the imagined array is the source's that lies there.
    /// Every address that the result has is one of a source.
    pub(crate) fn deal(&mut self, sources: &[(Tile, Map)], shape: &[usize], map: &Map) -> Value {
        let layout = self.layout(shape);
        self.deal_to(sources, &layout, map)
    }

    /// As [`Lower::deal`], to any layout.
    pub(crate) fn deal_to(&mut self, sources: &[(Tile, Map)], layout: &Layout, map: &Map) -> Value {
        let parts: Vec<(Value, Layout, Map)> =
            sources.iter().map(|(tile, map)| (tile.value, tile.layout.clone(), map.clone())).collect();
        self.redeal(&parts, layout, map)
    }

    /// As [`Lower::deal`], between any layouts. There is a source.
    pub(crate) fn redeal(&mut self, sources: &[(Value, Layout, Map)], layout: &Layout, map: &Map) -> Value {
        let dtype = sources.first().map_or(DType::I32, |(first, ..)| self.b.ty(*first).dtype);
        if let [(value, from, place)] = sources {
            if self.b.constant_of(*value).is_some() {
                return self.b.pick(*value, vec![0; layout.registers() as usize]);
            }
            match classify((from, place), (layout, map), self.log_threads) {
                Conversion::Registers(table) => return self.b.pick(*value, table),
                Conversion::Shuffle(lane, table) => {
                    let picked = self.b.pick(*value, table);
                    return self.b.shuffle_xor(picked, lane);
                }
                Conversion::Shared => {}
            }
        }
        let len = sources.iter().map(|(_, layout, map)| reach(layout, map)).max().unwrap_or(1);
        let stage = self.stage(dtype, len);
        for (value, from, place) in sources {
            let mask = self.elements(from);
            let mask = self.once(from, mask);
            let index = self.address(from, &place.strides, place.base);
            self.b.store(stage, index, *value, mask, from.is_private());
        }
        let mask = self.elements(layout);
        let index = self.address(layout, &map.strides, map.base);
        self.b.load(stage, index, mask, None, false)
    }

    /// A tile stretched by numpy's rules to dimensions of a layout, of which its last is the one before `end`.
    pub(crate) fn spread(&mut self, tile: &Tile, layout: &Layout, end: usize) -> Value {
        if tile.layout == *layout {
            return tile.value;
        }
        let shape = &layout.shape;
        let first = end - tile.shape.len().min(end);
        let from = Map::row_major(&tile.shape);
        let mut strides = vec![0; shape.len()];
        for (dim, &extent) in tile.shape.iter().enumerate() {
            if extent != 1 {
                strides[first + dim] = from.strides[dim];
            }
        }
        self.deal_to(&[(tile.clone(), from)], layout, &Map { base: Number::Known(0), strides })
    }
}

/// One past the last address of a tile; of what begins at a computed place, as if it began at 0.
fn reach(layout: &Layout, map: &Map) -> usize {
    let base = match map.base {
        Number::Known(base) => base,
        Number::Computed(_) => 0,
    };
    let last = layout
        .shape
        .iter()
        .zip(&map.strides)
        .fold(base, |sum, (&extent, &stride)| sum + (extent as i64 - 1).max(0) * stride.max(0));
    usize::try_from(last + 1).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(from: &[usize], to: &[usize], map: Map, threads: usize) -> Conversion {
        let (source, result) = (Layout::blocked(from, threads, 2), Layout::blocked(to, threads, 2));
        classify((&source, &Map::row_major(from)), (&result, &map), threads)
    }

    #[test]
    fn the_same_deal_is_the_same_registers() {
        let map = Map::row_major(&[4, 64]);
        assert_eq!(between(&[4, 64], &[4, 64], map, 5), Conversion::Registers((0..8).collect()));
    }

    #[test]
    fn a_scalar_is_everywhere() {
        let map = Map { base: Number::Known(0), strides: vec![0, 0] };
        assert_eq!(between(&[], &[2, 64], map, 5), Conversion::Registers(vec![0; 4]));
    }

    #[test]
    fn a_swap_of_the_halves_of_a_warp_is_a_shuffle() {
        let (from, to) = (Layout::blocked(&[2, 16], 5, 2), Layout::blocked(&[2, 16], 5, 2));
        let swapped = Map { base: Number::Known(16), strides: vec![-16, 1] };
        assert_eq!(classify((&from, &Map::row_major(&[2, 16])), (&to, &swapped), 5), Conversion::Shuffle(16, vec![0]));
    }

    #[test]
    fn a_transposition_goes_through_shared_memory() {
        let map = Map { base: Number::Known(0), strides: vec![1, 16] };
        assert_eq!(between(&[16, 16], &[16, 16], map, 5), Conversion::Shared);
    }
}
