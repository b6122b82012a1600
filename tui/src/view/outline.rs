//! An array as an outline with one block in it, to scale: the last two dimensions are drawn, half a line high at the
//! finest. Wherever there is a block there is at least a mark, however small it is. What earlier programs have visited is
//! shaded, and what none ever visits is crossed out.
//!
//! ```text
//! ┌────────────────┐
//! │                │
//! │▄▄▄▄▄▄▄▄        │
//! │████████        │
//! └────────────────┘
//! ```

use crate::app::coverage::{Coverage, Visited};
use crate::styles::{DIM, Styles};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::widgets::{Block, Widget};
use std::ops::Range;

/// An array's outline, with its border.
pub(super) struct Outline<'a> {
    /// Extents of the array.
    pub(super) shape: &'a [usize],
    /// The part that is filled; `None` fills nothing.
    pub(super) region: Option<&'a [Range<usize>]>,
    /// The colour of the filling.
    pub(super) color: Color,
    /// When parts of the array are visited, and the number of the program that is looked at.
    pub(super) coverage: Option<(&'a Coverage, usize)>,
}

/// The last two extents; one dimension is a line.
fn plane(shape: &[usize]) -> (usize, usize) {
    match shape {
        [] => (1, 1),
        [n] => (1, *n),
        [.., m, n] => (*m, *n),
    }
}

impl Outline<'_> {
    /// Columns and lines of the outline with its border, to scale within what there is at most.
    pub(super) fn size(&self, most: (u16, u16)) -> (u16, u16) {
        let (rows, columns) = plane(self.shape);
        let most = (most.0.saturating_sub(2).max(1), most.1.saturating_sub(2).max(1));
        if rows <= 1 {
            return (most.0 + 2, 3);
        }
        // A character is about twice as high as it is wide.
        let ratio = columns.max(1) as f64 / rows as f64 * 2.0;
        let mut width = f64::from(most.1) * ratio;
        let mut height = f64::from(most.1);
        if width > f64::from(most.0) {
            width = f64::from(most.0);
            height = width / ratio;
        }
        // Very long or very thin arrays keep a visible side.
        let width = (width.round() as u16).clamp(4.min(most.0), most.0);
        let height = (height.round() as u16).clamp(1, most.1);
        (width + 2, height + 2)
    }

    /// Draws the outline in the whole area.
    pub(super) fn draw(&self, styles: Styles, area: Rect, buffer: &mut Buffer) {
        Block::bordered().border_set(styles.border_set()).border_style(DIM).render(area, buffer);
        let inner = crate::app::layout::inside(area);
        if inner.is_empty() {
            return;
        }
        let (rows, columns) = plane(self.shape);
        self.shade(inner, buffer);
        let Some(region) = self.region else { return };
        let full = |extent: usize| 0..extent;
        let (down, right) = match region {
            [] => (full(1), full(1)),
            [right] => (full(1), right.clone()),
            [.., down, right] => (down.clone(), right.clone()),
        };
        // Without half cells, lines are the finest.
        let steps = if styles.ascii { 1 } else { 2 };
        let lines = scale(&down, rows, inner.height as usize * steps);
        let across = scale(&right, columns, inner.width as usize);
        let style = Style::new().fg(self.color);
        for y in 0..inner.height {
            let covered = |half: usize| lines.contains(&(y as usize * steps + half));
            let symbol = match (covered(0), steps == 1 || covered(1)) {
                (true, true) => "█",
                (true, false) => "▀",
                (false, true) if steps == 2 => "▄",
                _ => continue,
            };
            for x in across.clone() {
                if let Some(cell) = buffer.cell_mut((inner.x + x as u16, inner.y + y)) {
                    cell.set_symbol(symbol).set_style(style);
                }
            }
        }
    }
}

impl Outline<'_> {
    /// What was visited before, and what never is. Each cell shows the element in its middle; of arrays with more than two
    /// dimensions, the plane that the block is in.
    fn shade(&self, inner: Rect, buffer: &mut Buffer) {
        let Some((coverage, number)) = self.coverage else { return };
        let (rows, columns) = plane(self.shape);
        let middle = |at: u16, cells: u16, extent: usize| {
            ((2 * usize::from(at) + 1).saturating_mul(extent) / (2 * usize::from(cells).max(1))).min(extent - 1)
        };
        if rows == 0 || columns == 0 {
            return;
        }
        let leading = self.shape.len().saturating_sub(2);
        let mut element: Vec<usize> = match self.region {
            Some(region) => region.iter().map(|range| range.start).collect(),
            None => vec![0; self.shape.len()],
        };
        if element.len() != self.shape.len() {
            return;
        }
        for y in 0..inner.height {
            for x in 0..inner.width {
                match &mut element[leading..] {
                    [row, column] => {
                        *row = middle(y, inner.height, rows);
                        *column = middle(x, inner.width, columns);
                    }
                    [column] => *column = middle(x, inner.width, columns),
                    _ => {}
                }
                let (symbol, style) = match coverage.at(&element) {
                    Some(Visited::First(first)) if first <= number => ("░", Style::new().fg(self.color)),
                    Some(Visited::Never) => ("×", DIM),
                    _ => continue,
                };
                if let Some(cell) = buffer.cell_mut((inner.x + x, inner.y + y)) {
                    cell.set_symbol(symbol).set_style(style);
                }
            }
        }
    }
}

/// A range of `0..extent` scaled to `0..cells`; never empty, and full only if it is.
fn scale(range: &Range<usize>, extent: usize, cells: usize) -> Range<usize> {
    if extent == 0 || cells == 0 {
        return 0..0;
    }
    let scaled = |at: usize| (at as u128 * cells as u128) / extent as u128;
    let start = (scaled(range.start) as usize).min(cells - 1);
    let end = (at_least(range.end, extent, cells)).max(start + 1).min(cells);
    start..end
}

/// The end of a range, rounded so that neighbouring blocks neither overlap nor leave gaps.
fn at_least(end: usize, extent: usize, cells: usize) -> usize {
    ((end as u128 * cells as u128) / extent as u128) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_touch_and_do_not_overlap() {
        for extent in [1usize, 7, 64, 100, 500] {
            for block in [1usize, 3, 8, 64] {
                let cells = 64;
                let mut covered = 0;
                for start in (0..extent).step_by(block) {
                    let range = scale(&(start..(start + block).min(extent)), extent, cells);
                    assert!(!range.is_empty());
                    if extent.div_ceil(block) <= cells {
                        assert_eq!(range.start, covered, "{extent} {block} {start}");
                    }
                    covered = range.end;
                }
                assert_eq!(covered, cells, "{extent} {block}");
            }
        }
    }

    #[test]
    fn extremes_are_drawn() {
        assert_eq!(scale(&(0..1), usize::MAX, 10), 0..1);
        assert_eq!(scale(&(usize::MAX - 1..usize::MAX), usize::MAX, 10), 9..10);
        assert_eq!(scale(&(0..0), 0, 10), 0..0);
        let shapes: &[&[usize]] = &[&[], &[0], &[usize::MAX], &[1, usize::MAX], &[usize::MAX, 1], &[0, 0]];
        for shape in shapes {
            let outline = Outline { shape, region: None, color: Color::Reset, coverage: None };
            for most in [(0, 0), (3, 3), (30, 8)] {
                let (width, height) = outline.size(most);
                assert!(width >= 3 && height >= 3 && width <= most.0.max(3) && height <= most.1.max(3), "{shape:?}");
            }
        }
    }
}
