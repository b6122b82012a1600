//! Boxes of elements: a range along each dimension of a Ref.

use crate::attribute::{DimIndex, IndexPattern, Position};
use std::ops::Range;

/// A box. Along each dimension some of its elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Area(pub(super) Vec<Range<usize>>);

impl Area {
    pub(super) fn whole(shape: &[usize]) -> Area {
        Area(shape.iter().map(|&extent| 0..extent).collect())
    }

    /// The smallest box around what a subscript selects of a Ref of this shape, and whether it is all of the box.
    pub(super) fn of(pattern: &IndexPattern, shape: &[usize]) -> (Area, bool) {
        let mut exact = pattern.0.len() == shape.len();
        let ranges = shape.iter().enumerate().map(|(dim, &extent)| {
            let (range, is_all) = match pattern.0.get(dim) {
                Some(DimIndex::At(Position::Static(at))) => (usize::try_from(*at).ok().map(|at| at..at + 1), true),
                Some(DimIndex::Slice { start: Position::Static(start), size, stride }) => {
                    let length = size.saturating_sub(1).saturating_mul(*stride).saturating_add((*size).min(1));
                    let range = usize::try_from(*start).ok().map(|start| start..start.saturating_add(length));
                    (range, *stride == 1 || *size <= 1)
                }
                _ => (None, false),
            };
            let inside = range.filter(|range| range.end <= extent);
            exact &= is_all && inside.is_some();
            inside.unwrap_or(0..extent)
        });
        let ranges = ranges.collect();
        (Area(ranges), exact)
    }

    pub(super) fn contains(&self, other: &Area) -> bool {
        self.0.iter().zip(&other.0).all(|(one, two)| one.start <= two.start && two.end <= one.end)
    }

    pub(super) fn meets(&self, other: &Area) -> bool {
        self.0.iter().zip(&other.0).all(|(one, two)| one.start.max(two.start) < one.end.min(two.end))
    }

    /// Cuts it where others begin and end, so that each piece lies wholly inside or outside of each. `None`: too many pieces.
    pub(super) fn pieces(&self, others: &[&Area], most: usize) -> Option<Vec<Area>> {
        if self.0.iter().any(Range::is_empty) {
            return Some(Vec::new());
        }
        let mut pieces = vec![Vec::new()];
        for (dim, range) in self.0.iter().enumerate() {
            let ends = others
                .iter()
                .filter(|other| other.meets(self))
                .flat_map(|other| [other.0[dim].start, other.0[dim].end]);
            let mut cuts: Vec<usize> = ends.filter(|cut| range.contains(cut) && *cut > range.start).collect();
            cuts.extend([range.start, range.end]);
            cuts.sort_unstable();
            cuts.dedup();
            if pieces.len().saturating_mul(cuts.len() - 1) > most {
                return None;
            }
            let between = |cut: &[usize]| cut[0]..cut[1];
            let longer = |piece: &Vec<Range<usize>>| -> Vec<Vec<Range<usize>>> {
                cuts.windows(2).map(|cut| piece.iter().cloned().chain([between(cut)]).collect()).collect()
            };
            pieces = pieces.iter().flat_map(longer).collect();
        }
        Some(pieces.into_iter().map(Area).collect())
    }
}
