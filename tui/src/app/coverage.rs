//! Which blocks of an operand's array the programs visit, and when: for small grids by going through them, for large ones
//! by turning the index map around, where each index follows one axis.

use super::App;
use pallas_engine::ir::{BlockDim, BlockMap};
use pallas_engine::{Launch, Operand};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Grids with more programs are not gone through.
const MOST: usize = 1 << 16;

/// When a part of an array is visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visited {
    /// By no program.
    Never,
    /// First by the program with this number.
    First(usize),
}

/// The visits of one operand.
#[derive(Clone, Debug)]
pub(crate) struct Coverage {
    /// Blocks that cut the array, along each dimension.
    counts: Vec<usize>,
    block: Vec<BlockDim>,
    shape: Vec<usize>,
    how: How,
    /// Blocks of the array that some program visits.
    pub(crate) visited: usize,
    /// Blocks that cut the array.
    pub(crate) blocks: usize,
    /// Whether visited blocks lie over each other.
    pub(crate) overlaps: bool,
}

#[derive(Clone, Debug)]
enum How {
    /// The first program of each block.
    Listed(HashMap<Vec<i64>, usize>),
    /// For each dimension a constant, a factor, and the axis that it is for; and the grid.
    Inverse(Vec<(i64, i64, Option<usize>)>, Vec<usize>),
}

/// What has been worked out, for the launch at this place in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coverages {
    known: RefCell<(usize, Vec<Option<Rc<Coverage>>>)>,
}

impl App {
    /// The visits of an operand of the launch at the cursor; `None` where they depend on data, or cannot be told quickly.
    pub(crate) fn coverage(&self, operand: usize) -> Option<Rc<Coverage>> {
        let launch = self.launch()?.launch.clone();
        let at = std::sync::Arc::as_ptr(&launch) as usize;
        let mut known = self.coverages.known.borrow_mut();
        if known.0 != at {
            let all = launch.operands.iter().map(|operand| Coverage::new(&launch, operand).map(Rc::new));
            *known = (at, all.collect());
        }
        known.1.get(operand).cloned().flatten()
    }
}

impl Coverage {
    /// The visits of an operand.
    pub(crate) fn new(launch: &Launch, operand: &Operand) -> Option<Coverage> {
        let map = BlockMap::new(operand, launch.grid.len());
        if !map.is_known() || operand.array.shape.contains(&0) {
            return None;
        }
        let shape = operand.array.shape.to_vec();
        let counts: Vec<usize> = operand.block.iter().zip(&shape).map(|(dim, &extent)| dim.blocks(extent)).collect();
        let programs = launch.programs();
        let (how, visited) = if programs <= MOST {
            let mut first = HashMap::new();
            for number in 0..programs {
                first.entry(map.indices(&launch.program(number))?).or_insert(number);
            }
            let inside = |indices: &&Vec<i64>| {
                indices.iter().zip(&counts).all(|(&index, &count)| usize::try_from(index).is_ok_and(|i| i < count))
            };
            let visited = first.keys().filter(inside).count();
            (How::Listed(first), visited)
        } else {
            inverse(&map, &launch.grid, &counts)?
        };
        let blocks = counts.iter().fold(1usize, |all, &count| all.saturating_mul(count));
        let mut coverage =
            Coverage { counts, block: operand.block.clone(), shape, how, visited, blocks, overlaps: false };
        coverage.overlaps = coverage.finds_overlaps();
        Some(coverage)
    }

    /// Whether any dimension is cut by elements.
    fn is_by_element(&self) -> bool {
        self.block.iter().any(|dim| matches!(dim, BlockDim::Element { .. }))
    }

    /// Blocks by elements lie over each other where two begin closer together than they are long, and as close in all
    /// other dimensions.
    fn finds_overlaps(&self) -> bool {
        let How::Listed(first) = &self.how else { return false };
        // Every pair is looked at.
        if !self.is_by_element() || first.len() > 512 {
            return false;
        }
        let keys: Vec<&Vec<i64>> = first.keys().collect();
        let near = |a: &[i64], b: &[i64]| {
            a.iter().zip(b).zip(&self.block).all(|((&a, &b), dim)| match dim {
                BlockDim::Element { size, .. } => a.abs_diff(b) < *size as u64,
                _ => a == b,
            })
        };
        keys.iter().enumerate().any(|(at, a)| keys[at + 1..].iter().any(|b| near(a, b)))
    }

    /// When the block that holds an element is visited; `None` where that is not known. Of blocks by elements, any that
    /// holds it counts.
    pub(crate) fn at(&self, element: &[usize]) -> Option<Visited> {
        if element.len() != self.shape.len() {
            return None;
        }
        if self.is_by_element() {
            let How::Listed(first) = &self.how else { return None };
            if first.len() > 512 {
                return None;
            }
            let holds = |indices: &[i64]| {
                indices.iter().zip(&self.block).zip(element).all(|((&index, dim), &at)| {
                    let start = dim.start(index);
                    (start..start.saturating_add(dim.size() as i64)).contains(&(at as i64))
                })
            };
            let found = first.iter().filter(|(indices, _)| holds(indices)).map(|(_, number)| *number).min();
            return Some(found.map_or(Visited::Never, Visited::First));
        }
        let indices: Vec<i64> =
            element.iter().zip(&self.block).map(|(&at, dim)| (at / dim.size().max(1)) as i64).collect();
        match &self.how {
            How::Listed(first) => Some(first.get(&indices).map_or(Visited::Never, |&number| Visited::First(number))),
            How::Inverse(dims, grid) => {
                let mut ids = vec![0usize; grid.len()];
                for (&(constant, factor, axis), &index) in dims.iter().zip(&indices) {
                    let Some(axis) = axis else {
                        if index != constant {
                            return Some(Visited::Never);
                        }
                        continue;
                    };
                    let (rest, distance) = ((index - constant) % factor, (index - constant) / factor);
                    match usize::try_from(distance).ok().filter(|&id| rest == 0 && id < grid[axis]) {
                        Some(id) => ids[axis] = id,
                        None => return Some(Visited::Never),
                    }
                }
                let number =
                    ids.iter().zip(grid).fold(0usize, |n, (&id, &extent)| n.saturating_mul(extent).saturating_add(id));
                Some(Visited::First(number))
            }
        }
    }

    /// How many blocks have been visited when the program with this number has run; `None` where that takes too long.
    pub(crate) fn until(&self, number: usize) -> Option<usize> {
        let How::Listed(first) = &self.how else { return None };
        let inside = |indices: &[i64]| {
            indices.iter().zip(&self.counts).all(|(&index, &count)| usize::try_from(index).is_ok_and(|i| i < count))
        };
        Some(first.iter().filter(|(indices, first)| **first <= number && inside(indices)).count())
    }

    /// Whether blocks cut the array side by side, so that they can be counted.
    pub(crate) fn is_counted(&self) -> bool {
        !self.is_by_element()
    }
}

/// The map turned around, where each index follows at most one axis and no axis two indices; and the number of blocks that
/// are visited.
fn inverse(map: &BlockMap<'_>, grid: &[usize], counts: &[usize]) -> Option<(How, usize)> {
    let mut dims = Vec::new();
    let mut used = vec![false; grid.len()];
    let mut visited = 1usize;
    for (form, &count) in map.dims.iter().zip(counts) {
        let coefficients = form.coefficients()?;
        let constant = map.indices(&vec![0; grid.len()])?.get(dims.len()).copied()?;
        let moving: Vec<usize> = (0..grid.len()).filter(|&axis| coefficients[axis] != 0 && grid[axis] > 1).collect();
        match moving.as_slice() {
            [] => {
                dims.push((constant, 1, None));
                visited = if usize::try_from(constant).is_ok_and(|at| at < count) { visited } else { 0 };
            }
            &[axis] if !used[axis] => {
                used[axis] = true;
                let factor = coefficients[axis];
                // Ids whose index lies inside of the array.
                let inside = |id: usize| {
                    let index = constant.saturating_add(factor.saturating_mul(id as i64));
                    usize::try_from(index).is_ok_and(|index| index < count)
                };
                let all = if factor > 0 {
                    let below = (0i64.saturating_sub(constant).max(0) + factor - 1) / factor;
                    let above = (count as i64 - 1 - constant).div_euclid(factor).min(grid[axis] as i64 - 1);
                    (above - below + 1).max(0) as usize
                } else {
                    (0..grid[axis].min(MOST)).filter(|&id| inside(id)).count()
                };
                visited = visited.saturating_mul(all);
                dims.push((constant, factor, Some(axis)));
            }
            _ => return None,
        }
    }
    Some((How::Inverse(dims, grid.to_vec()), visited))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::samples;

    #[test]
    fn visits_of_a_matmul() {
        let launch = samples::matmul();
        let of = |operand: usize| Coverage::new(&launch, &launch.operands[operand]).expect("they are known");
        let x = of(0);
        assert_eq!((x.visited, x.blocks, x.overlaps), (16, 16, false));
        assert_eq!(x.at(&[0, 0]), Some(Visited::First(0)));
        assert_eq!(x.at(&[130, 70]), Some(Visited::First(9)));
        assert_eq!(x.until(3), Some(4));
        let o = of(2);
        assert_eq!(o.at(&[0, 128]), Some(Visited::First(4)));
        assert_eq!(o.until(3), Some(1));
    }

    #[test]
    fn large_grids_give_what_small_ones_give() {
        // The same map by both ways.
        let launch = samples::plane(12, 20);
        for operand in &launch.operands {
            let listed = Coverage::new(&launch, operand).expect("they are known");
            let map = BlockMap::new(operand, 2);
            let (how, visited) = inverse(&map, &launch.grid, &listed.counts).expect("it turns around");
            let turned = Coverage { how, visited, ..listed.clone() };
            assert_eq!(turned.visited, listed.visited);
            for row in (0..listed.shape[0]).step_by(8) {
                for column in (0..listed.shape[1]).step_by(64) {
                    assert_eq!(turned.at(&[row, column]), listed.at(&[row, column]), "{} {row} {column}", operand.name);
                }
            }
        }
        let large = samples::plane(4096, 4096);
        let coverage = Coverage::new(&large, &large.operands[0]).expect("they are known");
        assert_eq!((coverage.visited, coverage.blocks), (1 << 24, 1 << 24));
    }

    #[test]
    fn what_is_never_visited_and_what_lies_over_each_other_is_found() {
        let launch = pallas_engine::ir::text::parse_launch(
            "launch grid=[3] {
              input @x: f32[20] block=[element(8, 0, 0)] map @x(%i: i32[]) {
                %0 = constant 4 : i32[]
                %1 = mul %i, %0 : i32[]
                yield %1
              }
              output @o: f32[32] block=[8] map @o(%i: i32[]) { yield %i }
              kernel @k(%x: ref<f32[8]>, %o: ref<f32[8]>) { }
            }",
        );
        let launch = launch.expect("it is well formed");
        let x = Coverage::new(&launch, &launch.operands[0]).expect("they are known");
        assert!(x.overlaps && !x.is_counted());
        assert_eq!(
            (x.at(&[5]), x.at(&[15]), x.at(&[19])),
            (Some(Visited::First(0)), Some(Visited::First(2)), Some(Visited::Never))
        );
        let o = Coverage::new(&launch, &launch.operands[1]).expect("they are known");
        assert_eq!((o.visited, o.blocks, o.at(&[30])), (3, 4, Some(Visited::Never)));
    }
}
