//! How a grid is cut into runs of programs for threads: along which axes, into how many, and what each fills of the outputs.

use crate::affine::IndexMap;
use crate::launch::{LaunchPlan, OperandPlan};
use pallas_ir::Role;
use smallvec::{SmallVec, smallvec};

/// Of the programs that are left each run takes this part of a thread's share, so that the last ones, which others wait for, are short: threads
/// begin at different times, and some processors are slower than others.
const SHARE: usize = 2;
/// The shortest run is this part of a thread's share of all programs.
const LEAST: usize = 16;
/// Runs for each thread that a second axis is cut for, where the first has fewer: those that are cut along both are as long as each other.
const RUNS: usize = 4;
/// The same where outputs come in pieces then: what programs compute goes to a tile first, and is copied from there.
const RUNS_IN_PIECES: usize = 2;
/// Pieces of all runs together that outputs may come in.
const PIECES: usize = 1 << 16;
/// Elements of blocks that threads are worth starting for.
const WORTH: usize = 1 << 17;
/// What a program costs by itself, in elements.
const PROGRAM: usize = 256;

/// How runs of programs fill an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    /// Each some of the blocks along this dimension, which follow the axis one to one.
    Along(usize),
    /// They copy to places that are seen when they have.
    Apart,
    /// They add integers to it: each to zeros of its own, which are added up.
    Count,
}

/// An axis that the grid is cut along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) axis: usize,
    /// Where runs begin, and where the last one ends.
    pub(super) bounds: Vec<usize>,
    /// How they fill each output.
    pub(super) fills: Vec<Fill>,
}

/// The axes to cut the grid along, so that there are at least two runs: one, or two where one has fewer programs than threads could do with.
pub(super) fn cuts(plan: &LaunchPlan, grid: &[usize], threads: usize) -> Option<SmallVec<[Cut; 2]>> {
    if !is_worth(plan, grid) {
        return None;
    }
    let axes = (0..grid.len()).filter(|&axis| grid[axis] > 1);
    let candidates: Vec<(usize, Vec<Fill>)> = axes.filter_map(|axis| Some((axis, fills(plan, grid, axis)?))).collect();
    // Runs that fill stretches of memory, if there is an axis for that.
    let in_stretches = candidates.iter().find(|(_, fills)| pieces(plan, fills, None) == 1);
    let &(axis, ref fills) = in_stretches.or_else(|| {
        let runs = |axis: usize| bounds(grid[axis], threads).len() - 1;
        candidates.iter().find(|(axis, fills)| pieces(plan, fills, None).saturating_mul(runs(*axis)) <= PIECES)
    })?;
    let first = Cut { axis, bounds: bounds(grid[axis], threads), fills: fills.clone() };
    // Another axis, along which outputs follow a dimension further in.
    let along = |(other, fills): &&(usize, Vec<Fill>)| {
        let mut pairs = first.fills.iter().zip(fills);
        *other != axis && pairs.all(|pair| matches!(pair, (Fill::Along(outer), Fill::Along(inner)) if inner > outer))
    };
    let second = candidates.iter().filter(along).find_map(|&(other, ref fills)| {
        let inner = pieces(plan, fills, Some(&first));
        let runs = threads.saturating_mul(if inner == 1 { RUNS } else { RUNS_IN_PIECES });
        if grid[axis] >= runs || inner.saturating_mul(runs) > PIECES {
            return None;
        }
        let count = runs.div_ceil(grid[axis]).min(grid[other]);
        let bounds = (0..=count).map(|number| grid[other] * number / count).collect();
        Some(Cut { axis: other, bounds, fills: fills.clone() })
    });
    Some(match second {
        Some(second) => smallvec![Cut { bounds: (0..=grid[axis]).collect(), ..first }, second],
        None => smallvec![first],
    })
}

/// Whether programs are worth several threads.
fn is_worth(plan: &LaunchPlan, grid: &[usize]) -> bool {
    let programs = grid.iter().fold(1usize, |all, &extent| all.saturating_mul(extent));
    let elements = plan.operands.iter().filter(|operand| operand.role != Role::Prefetch);
    let each = elements.fold(PROGRAM, |sum, operand| sum.saturating_add(operand.blocks.block().size()));
    programs.saturating_mul(each) >= WORTH
}

/// Where runs of programs begin on an axis of this extent, from long ones to short ones, and where the last one ends.
fn bounds(extent: usize, threads: usize) -> Vec<usize> {
    let least = (extent / threads.saturating_mul(LEAST)).max(1);
    let mut bounds = vec![0];
    let mut from = 0;
    while from < extent {
        let rest = extent - from;
        from += (rest / threads.saturating_mul(SHARE)).max(least).min(rest);
        bounds.push(from);
    }
    bounds
}

/// How each output is filled by runs along an axis of the grid.
fn fills(plan: &LaunchPlan, grid: &[usize], axis: usize) -> Option<Vec<Fill>> {
    let apart = |axes: u64| 1u64.checked_shl(axis as u32).is_some_and(|bit| axes & bit != 0);
    // Where they are set anew for every program of an axis before, only what comes after the last time counts.
    let counts = |counted: Option<usize>| counted == Some(axis) && grid[..axis].iter().all(|&extent| extent == 1);
    let fill = |(operand, (copied, &counted)): (_, (&Option<u64>, &Option<usize>))| match copied {
        Some(axes) => apart(*axes).then_some(Fill::Apart),
        None if counts(counted) => Some(Fill::Count),
        None => dimension(operand, grid, axis).map(Fill::Along),
    };
    let known = plan.copied.iter().zip(&plan.counted);
    let fills: Option<Vec<Fill>> = plan.with_role(Role::Output).zip(known).map(fill).collect();
    fills.filter(|fills| !fills.is_empty())
}

/// The array of an output as programs fill it.
fn array(operand: &OperandPlan) -> &[usize] {
    if operand.goes_once { operand.blocks.array() } else { operand.blocks.padded() }
}

/// The dimension of an output that follows an axis of the grid one to one.
fn dimension(operand: &OperandPlan, grid: &[usize], axis: usize) -> Option<usize> {
    let counts = operand.blocks.counts()?;
    let IndexMap::Affine(rows) = &operand.map else { return None };
    if operand.blocks.is_one() {
        return None;
    }
    (0..counts.len()).filter(|&dimension| array(operand)[dimension] != 1).find(|&dimension| {
        let Some(row) = rows.get(dimension) else { return false };
        let other = |(place, &factor): (usize, &i32)| factor == 0 || place == axis || grid[place] == 1;
        row.constant == 0
            && row.factors.get(axis) == Some(&1)
            && row.factors.iter().enumerate().all(other)
            && grid[axis] <= counts[dimension]
    })
}

/// In how many pieces what a run fills of an output comes at most: one for each place along the dimensions before, of which runs have one
/// block along those that a `first` axis was cut for.
fn pieces(plan: &LaunchPlan, fills: &[Fill], first: Option<&Cut>) -> usize {
    let of = |(number, (operand, fill)): (usize, (&OperandPlan, &Fill))| {
        let Fill::Along(dimension) = *fill else { return 1 };
        let cut = first.map(|first| first.fills[number]);
        let sizes = array(operand)[..dimension].iter().zip(operand.blocks.block()).enumerate();
        sizes.map(|(at, (&all, &block))| if cut == Some(Fill::Along(at)) { block } else { all }).product()
    };
    plan.with_role(Role::Output).zip(fills).enumerate().map(of).max().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_the_whole_axis_from_long_ones_to_short_ones() {
        for (extent, threads) in [(2, 2), (7, 2), (64, 2), (1024, 2), (1000, 7), (3, 16), (1_000_000, 64)] {
            let bounds = bounds(extent, threads);
            assert_eq!((bounds[0], bounds.last()), (0, Some(&extent)));
            let runs: Vec<usize> = bounds.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(runs.iter().all(|&run| run > 0), "{runs:?}");
            assert!(runs.is_sorted_by(|a, b| a >= b), "{runs:?}");
            // Whoever begins last finds no less than others have, and nobody waits long for the last.
            assert!(runs[0] <= extent.div_ceil(threads * 2), "{runs:?}");
            assert!(runs[runs.len() - 1] <= extent.div_ceil(threads * 16), "{runs:?}");
        }
        assert_eq!(bounds(1024, 2), [0, 256, 448, 592, 700, 781, 841, 886, 920, 952, 984, 1016, 1024]);
    }

    /// The axes that a launch is cut along, how many runs they give, and the dimensions of its output that follow them.
    fn cut(grid: &[usize], array: [usize; 3], block: [&str; 3], map: [&str; 3], threads: usize) -> Vec<[usize; 3]> {
        let names = ["%i", "%j", "%k"];
        let params: Vec<String> = names[..grid.len()].iter().map(|name| format!("{name}: i32[]")).collect();
        let sizes: Vec<&str> = block.iter().copied().filter(|&size| size != "squeezed").collect();
        let [a, b, c] = array;
        let text = format!(
            "launch grid={grid:?} {{
              output @o: f32[{a},{b},{c}] block=[{}] map @m({}) {{
                %zero = constant 0 : i32[]
                yield {}
              }}
              kernel @k(%o: ref<f32[{}]>) {{ }}
            }}",
            block.join(", "),
            params.join(", "),
            map.join(", "),
            sizes.join(",")
        );
        let launch = pallas_ir::text::parse_launch(&text).expect("well written");
        let plan = LaunchPlan::new(&launch).expect("a plan");
        let along = |cut: Cut| {
            let Fill::Along(dimension) = cut.fills[0] else { panic!("{cut:?}") };
            [cut.axis, cut.bounds.len() - 1, dimension]
        };
        cuts(&plan, grid, threads).into_iter().flatten().map(along).collect()
    }

    #[test]
    fn a_second_axis_is_cut_where_the_first_has_too_few_programs_for_the_threads() {
        // Heads and queries of an attention: stretches of memory along either.
        let attention = |heads, threads| {
            cut(&[heads, 16], [heads, 2048, 64], ["squeezed", "128", "64"], ["%i", "%j", "%zero"], threads)
        };
        assert_eq!(attention(8, 2), [[0, 7, 0]]);
        assert_eq!(attention(8, 8), [[0, 8, 0], [1, 4, 1]]);
        assert_eq!(attention(2, 8), [[0, 2, 0], [1, 16, 1]]);
        assert_eq!(attention(1, 8), [[1, 16, 1]]);
        // Blocks of a matrix: rows beside each other.
        let product = |rows, threads| {
            let block = ["squeezed", "256", "256"];
            cut(&[rows, 8, 4], [1, rows * 256, 2048], block, ["%zero", "%i", "%j"], threads)
        };
        assert_eq!(product(4, 2), [[0, 4, 1]]);
        assert_eq!(product(4, 8), [[0, 4, 1], [1, 4, 2]]);
        assert_eq!(product(1, 8), [[1, 8, 2]]);
        // An axis that no dimension of the output follows is not cut.
        assert_eq!(cut(&[8, 64], [1, 64, 4096], ["1", "1", "4096"], ["%zero", "%j", "%zero"], 8)[0][0], 1);
        assert_eq!(cut(&[8, 64], [1, 1, 4096], ["1", "1", "4096"], ["%zero", "%zero", "%zero"], 8), [[0; 3]; 0]);
    }
}
