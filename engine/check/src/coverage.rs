//! What part of an output no program's block covers. Each dimension is answered by formula where its index is affine;
//! grids whose axes serve several dimensions at once, and maps that are not affine, are enumerated up to a limit.

use pallas_ir::{BlockDim, BlockMap, IndexForm, Launch, Operand};
use std::ops::Range;

/// Programs that are enumerated for affine maps, and for others, whose evaluation takes longer.
const PROGRAMS: (usize, usize) = (100_000, 16_384);
/// Pieces of an output that are told apart.
const CELLS: usize = 1 << 20;
/// Pieces of a dimension that are told apart.
const SEGMENTS: usize = 1 << 17;

/// The first region of an output that no program covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// Everything at these positions along one dimension.
    Along {
        /// The dimension.
        axis: usize,
        /// The positions.
        range: Range<usize>,
    },
    /// A box: a range per dimension.
    Box(Vec<Range<usize>>),
}

/// Looks for what the blocks of an output leave out; `None` also where that is not known.
pub(crate) fn first_gap(launch: &Launch, operand: &Operand) -> Option<Gap> {
    let shape = &operand.array.shape;
    if launch.programs() == 0 || shape.contains(&0) || operand.block.len() != shape.len() {
        return None;
    }
    let map = BlockMap::new(operand, launch.grid.len());
    // What is left out along one dimension is left out whatever the others do.
    for (axis, form) in map.dims.iter().enumerate() {
        if let IndexForm::Affine { constant, coefficients } = form
            // Along an axis of unknown extent there may be as many programs as it takes.
            && !launch.dynamic.iter().any(|&axis| coefficients.get(axis).is_some_and(|&c| c != 0))
            && let Some(range) = gap_along(operand.block[axis], shape[axis], *constant, coefficients, &launch.grid)
        {
            return Some(Gap::Along { axis, range });
        }
    }
    match is_separable(&map.dims, &launch.grid) || !launch.dynamic.is_empty() {
        true => None,
        false => enumerate(launch, operand, &map).map(Gap::Box),
    }
}

/// Whether each grid axis moves along one dimension only, so that blocks are all combinations of those per dimension.
fn is_separable(forms: &[IndexForm], grid: &[usize]) -> bool {
    let uses = |form: &IndexForm, axis: usize| match form {
        IndexForm::Affine { coefficients, .. } => Some(coefficients.get(axis).is_some_and(|&c| c != 0)),
        IndexForm::General | IndexForm::Unknown => None,
    };
    (0..grid.len()).filter(|&axis| grid[axis] > 1).all(|axis| {
        let used: Option<Vec<bool>> = forms.iter().map(|form| uses(form, axis)).collect();
        used.is_some_and(|used| used.iter().filter(|&&used| used).count() <= 1)
    })
}

/// The first positions along a dimension that no block covers.
fn gap_along(
    block: BlockDim,
    extent: usize,
    constant: i64,
    coefficients: &[i64],
    grid: &[usize],
) -> Option<Range<usize>> {
    let size = i128::try_from(block.size()).ok().filter(|&size| size > 0)?;
    let unit = match block {
        BlockDim::Blocked(_) => size,
        BlockDim::Squeezed | BlockDim::Element { .. } => 1,
    };
    let mut base = i128::from(block.start(0)) + i128::from(constant) * unit;
    let mut terms: Vec<(i128, i128)> = Vec::new();
    for (&coefficient, &extent) in coefficients.iter().zip(grid) {
        let (step, steps) = (i128::from(coefficient) * unit, extent as i128 - 1);
        if step < 0 {
            base += step * steps;
        }
        if step != 0 && steps > 0 {
            terms.push((step.abs(), steps));
        }
    }
    terms.sort_unstable();
    // Blocks side by side make one longer block; where a step is longer than that, there are several.
    let mut length = size;
    let mut starts = vec![base];
    for (step, steps) in terms {
        if step <= length && starts.len() == 1 {
            length += step * steps;
            continue;
        }
        // Beyond the array nothing is covered: longer steps need not be followed.
        let useful = steps.min((extent as i128 - base).max(0) / step + 1);
        if (useful + 1).saturating_mul(starts.len() as i128) > SEGMENTS as i128 {
            return None;
        }
        starts = (0..=useful).flat_map(|k| starts.iter().map(move |start| start + k * step)).collect();
    }
    starts.sort_unstable();
    let extent = extent as i128;
    let mut covered = 0;
    let mut end = extent;
    for start in starts {
        if start > covered {
            end = start.min(extent);
            break;
        }
        covered = covered.max(start + length);
    }
    // Both lie within the array now, so they fit.
    (covered < extent).then_some(covered as usize..end as usize)
}

/// Marks what each program's block covers, in cells between the ends of blocks.
fn enumerate(launch: &Launch, operand: &Operand, map: &BlockMap<'_>) -> Option<Vec<Range<usize>>> {
    let limit = if map.is_affine() { PROGRAMS.0 } else { PROGRAMS.1 };
    let programs = launch.programs();
    if programs > limit {
        return None;
    }
    let mut regions: Vec<Vec<Range<usize>>> = Vec::new();
    for number in 0..programs {
        let program = launch.program(number);
        // Data decides: nothing is known of any program.
        map.indices(&program)?;
        // Blocks wholly outside cover nothing.
        regions.extend(map.region(&program));
    }
    let shape = &operand.array.shape;
    let ends: Vec<Vec<usize>> = (0..shape.len())
        .map(|axis| {
            let mut ends: Vec<usize> = regions
                .iter()
                .flat_map(|region| [region[axis].start, region[axis].end])
                .chain([0, shape[axis]])
                .collect();
            ends.sort_unstable();
            ends.dedup();
            ends
        })
        .collect();
    let counts: Vec<usize> = ends.iter().map(|ends| ends.len() - 1).collect();
    let cells =
        counts.iter().try_fold(1usize, |cells, &count| cells.checked_mul(count)).filter(|&cells| cells <= CELLS)?;
    let mut covered = vec![false; cells];
    let mut work = 0usize;
    for region in &regions {
        let boxed: Vec<Range<usize>> = region
            .iter()
            .zip(&ends)
            .map(|(range, ends)| {
                ends.partition_point(|&end| end < range.start)..ends.partition_point(|&end| end < range.end)
            })
            .collect();
        work = work.saturating_add(boxed.iter().map(Range::len).product::<usize>().max(1));
        if work > 8 * CELLS {
            return None;
        }
        mark(&mut covered, &counts, &boxed);
    }
    let mut first = covered.iter().position(|&covered| !covered)?;
    let mut gap = vec![0..0; shape.len()];
    for axis in (0..shape.len()).rev() {
        let cell = first % counts[axis];
        first /= counts[axis];
        gap[axis] = ends[axis][cell]..ends[axis][cell + 1];
    }
    Some(gap)
}

/// Sets the cells of a box, row by row.
fn mark(covered: &mut [bool], counts: &[usize], boxed: &[Range<usize>]) {
    let Some((last, outer)) = boxed.split_last() else {
        covered.fill(true);
        return;
    };
    let mut position: Vec<usize> = outer.iter().map(|range| range.start).collect();
    if boxed.iter().any(Range::is_empty) {
        return;
    }
    loop {
        let row = position.iter().zip(counts).fold(0, |row, (&cell, &count)| row * count + cell);
        let row = row * counts[counts.len() - 1];
        covered[row + last.start..row + last.end].fill(true);
        let Some(axis) = (0..outer.len()).rev().find(|&axis| position[axis] + 1 < outer[axis].end) else {
            return;
        };
        position[axis] += 1;
        for inner in axis + 1..outer.len() {
            position[inner] = outer[inner].start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What brute force finds.
    fn brute(
        block: BlockDim,
        extent: usize,
        constant: i64,
        coefficients: &[i64],
        grid: &[usize],
    ) -> Option<Range<usize>> {
        let mut covered = vec![false; extent];
        for number in 0..grid.iter().product::<usize>() {
            let (mut rest, mut index) = (number, constant);
            for (axis, &n) in grid.iter().enumerate().rev() {
                index += coefficients[axis] * (rest % n) as i64;
                rest /= n;
            }
            let start = block.start(index);
            for position in start..start + block.size() as i64 {
                if let Ok(position) = usize::try_from(position)
                    && position < extent
                {
                    covered[position] = true;
                }
            }
        }
        let first = covered.iter().position(|&c| !c)?;
        let length = covered[first..].iter().take_while(|&&c| !c).count();
        Some(first..first + length)
    }

    #[test]
    fn formula_and_brute_force_agree() {
        let blocks = [
            BlockDim::Blocked(4),
            BlockDim::Blocked(1),
            BlockDim::Squeezed,
            BlockDim::Element { size: 5, low: 2, high: 1 },
        ];
        let mut gaps = 0;
        for block in blocks {
            for extent in [1, 7, 16, 30] {
                for constant in [-2, 0, 1] {
                    for first in [-3, 0, 1, 2, 5] {
                        for second in [-1, 0, 1, 4] {
                            for grid in [[1, 1], [3, 2], [4, 4], [8, 3]] {
                                let found = gap_along(block, extent, constant, &[first, second], &grid);
                                let expected = brute(block, extent, constant, &[first, second], &grid);
                                gaps += usize::from(expected.is_some());
                                assert_eq!(
                                    found, expected,
                                    "{block:?} of {extent}: {constant} + {first} i + {second} j over {grid:?}"
                                );
                            }
                        }
                    }
                }
            }
        }
        assert!(gaps > 500);
    }

    #[test]
    fn very_large_grids_take_no_time() {
        let grid = [1 << 20, 1 << 20];
        let block = BlockDim::Blocked(8);
        let extent = 8 << 40;
        assert_eq!(gap_along(block, extent, 0, &[1 << 20, 1], &grid), None);
        assert_eq!(gap_along(block, extent + 3, 0, &[1 << 20, 1], &grid), Some(extent..extent + 3));
    }

    #[test]
    fn boxes_are_marked_row_by_row() {
        let mut covered = vec![false; 12];
        mark(&mut covered, &[3, 4], &[1..3, 0..2]);
        let marked: Vec<usize> = (0..12).filter(|&cell| covered[cell]).collect();
        assert_eq!(marked, [4, 5, 8, 9]);
        mark(&mut covered, &[3, 4], &[0..1, 2..2]);
        assert!(!covered[2]);
    }
}
