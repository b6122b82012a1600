//! What is true of an operand for one program, as numbers and as words: which block, which part of the array, and who
//! else gets the same block. Everything by formula; nothing is enumerated here.

use super::report::{grouped, plural, tuple};
use pallas_engine::ir::{BlockDim, BlockMap, Visits};
use pallas_engine::{Launch, Operand, Role};
use std::ops::Range;

/// Facts about one operand and one program.
#[derive(Clone, Debug)]
pub(crate) struct OperandFacts {
    /// The operand's name.
    pub(crate) name: String,
    /// Which way data goes.
    pub(crate) role: Role,
    /// Extents of the array.
    pub(crate) shape: Vec<usize>,
    /// `f32[512,256]`
    pub(crate) array: String,
    /// `(128, 256)`
    pub(crate) block: String,
    /// `(i, 0)`
    pub(crate) formula: String,
    /// Block indices; `None` where they depend on data.
    pub(crate) indices: Option<Vec<i64>>,
    /// The part of the array that the block covers; `None` where it is outside, or not known.
    pub(crate) region: Option<Vec<Range<usize>>>,
    /// Per dimension, elements of the block that lie outside the array.
    pub(crate) outside: Vec<usize>,
    /// Who else gets this block.
    pub(crate) visits: Option<Visits>,
}

impl OperandFacts {
    /// The facts of an operand of a launch for a program.
    pub(crate) fn new(launch: &Launch, operand: &Operand, program: &[usize]) -> OperandFacts {
        let map = BlockMap::new(operand, launch.grid.len());
        let starts = map.starts(program);
        let region = map.region(program);
        let dims = starts.iter().flatten().zip(&operand.block).zip(operand.array.shape.iter());
        let outside = dims.map(|((&start, dim), &extent)| outside(start, dim.size(), extent)).collect();
        OperandFacts {
            name: operand.name.to_string(),
            role: operand.role,
            shape: operand.array.shape.to_vec(),
            array: operand.array.to_string(),
            block: block(&operand.block),
            formula: map.formula(launch.grid.len()),
            indices: map.indices(program),
            visits: map.visits(&launch.grid, program),
            region,
            outside,
        }
    }

    /// `(2, 0)`, or why there is none.
    pub(crate) fn index(&self) -> String {
        self.indices.as_ref().map_or_else(|| "depends on data".to_string(), |indices| tuple(indices))
    }

    /// Whether the block lies wholly outside the array.
    pub(crate) fn is_outside(&self) -> bool {
        self.indices.is_some() && self.region.is_none()
    }

    /// `rows 256..384, all columns`
    pub(crate) fn part(&self) -> String {
        if self.indices.is_none() {
            return "which part depends on data".to_string();
        }
        let Some(region) = &self.region else { return "outside the array".to_string() };
        let whole = region.iter().zip(&self.shape).all(|(range, &extent)| *range == (0..extent));
        if whole && self.outside.iter().all(|&n| n == 0) {
            return "the whole array".to_string();
        }
        let words: &[&str] = match region.len() {
            1 => &["elements"],
            2 => &["rows", "columns"],
            _ => &[],
        };
        let parts: Vec<String> = region
            .iter()
            .enumerate()
            .map(|(dim, range)| {
                let all = *range == (0..self.shape[dim]);
                let mut text = match words.get(dim) {
                    Some(word) if all => format!("all {word}"),
                    Some(word) => format!("{word} {}..{}", range.start, range.end),
                    None if all => ":".to_string(),
                    None if range.len() == 1 => range.start.to_string(),
                    None => format!("{}..{}", range.start, range.end),
                };
                match self.outside.get(dim) {
                    Some(&count) if count > 0 => text.push_str(&format!(" ({} outside)", grouped(count))),
                    _ => {}
                }
                text
            })
            .collect();
        if words.is_empty() { format!("[{}]", parts.join(", ")) } else { parts.join(", ") }
    }

    /// `shared with 15 programs`, `revisited 8× in a row`
    pub(crate) fn sharing(&self) -> String {
        let Some(visits) = self.visits else { return "sharing depends on data".to_string() };
        match (self.role, visits.programs, visits.in_a_row) {
            (_, 1, _) => "this program alone".to_string(),
            (Role::Output, n, Some(true)) => format!("revisited {}× in a row", grouped(n)),
            (Role::Output, n, Some(false)) => format!("revisited {}×, not in a row", grouped(n)),
            (Role::Output, n, None) => format!("revisited {}×", grouped(n)),
            (Role::Prefetch | Role::Input, n, _) => format!("shared with {}", plural(n - 1, "program")),
        }
    }

    /// `in`, `out`, `scalar`
    pub(crate) fn role(&self) -> &'static str {
        match self.role {
            Role::Prefetch => "scalar",
            Role::Input => "in",
            Role::Output => "out",
        }
    }
}

/// `(128, 256)`, with `None` for squeezed dimensions and `Element(n)` as in the source.
pub(crate) fn block(dims: &[BlockDim]) -> String {
    let dims: Vec<String> = dims
        .iter()
        .map(|dim| match dim {
            BlockDim::Blocked(size) => size.to_string(),
            BlockDim::Squeezed => "None".to_string(),
            BlockDim::Element { size, low: 0, high: 0 } => format!("Element({size})"),
            BlockDim::Element { size, low, high } => format!("Element({size}, ({low}, {high}))"),
        })
        .collect();
    tuple(&dims)
}

/// Elements of `start..start + size` that are not in `0..extent`.
fn outside(start: i64, size: usize, extent: usize) -> usize {
    let end = start.saturating_add(size as i64);
    let inside = end.clamp(0, extent as i64) - start.clamp(0, extent as i64);
    size.saturating_sub(inside.max(0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::samples;

    fn facts(program: &[usize], operand: usize) -> OperandFacts {
        let launch = samples::matmul();
        OperandFacts::new(&launch, &launch.operands[operand], program)
    }

    #[test]
    fn facts_of_a_matmul() {
        let x = facts(&[2, 1, 3], 0);
        assert_eq!((x.array.as_str(), x.block.as_str(), x.formula.as_str()), ("f32[500,256]", "(128, 64)", "(i, k)"));
        assert_eq!(x.index(), "(2, 3)");
        assert_eq!(x.part(), "rows 256..384, columns 192..256");
        assert_eq!(x.sharing(), "shared with 1 program");
        let last = facts(&[3, 0, 0], 0);
        assert_eq!(last.part(), "rows 384..500 (12 outside), columns 0..64");
        let o = facts(&[2, 1, 3], 2);
        assert_eq!(o.sharing(), "revisited 4× in a row");
        assert_eq!(o.role(), "out");
    }

    #[test]
    fn blocks_may_stand_out_on_both_sides() {
        assert_eq!(outside(-2, 4, 10), 2);
        assert_eq!(outside(8, 4, 10), 2);
        assert_eq!(outside(12, 4, 10), 4);
        assert_eq!(outside(-9, 4, 10), 4);
        assert_eq!(outside(0, 4, 10), 0);
        assert_eq!(outside(i64::MAX, 4, 10), 4);
    }
}
