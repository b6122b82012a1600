//! Tables: columns as wide as their widest cell, a head, a selected row. Columns that do not fit are left out from the last
//! on, and how many they are stands at the end of the head; the last that is shown is cut where it has to be.

use super::{cut, row};
use crate::styles;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// A column with a cell for each row.
pub(super) struct Column {
    head: &'static str,
    right: bool,
    cells: Vec<(String, Style)>,
}

impl Column {
    /// Text, to the left.
    pub(super) fn text(head: &'static str, cells: impl IntoIterator<Item = String>) -> Column {
        Column { head, right: false, cells: cells.into_iter().map(|text| (text, Style::new())).collect() }
    }

    /// Numbers, to the right.
    pub(super) fn numbers(head: &'static str, cells: impl IntoIterator<Item = String>) -> Column {
        Column { right: true, ..Column::text(head, cells) }
    }

    /// Text with styles.
    pub(super) fn styled(head: &'static str, cells: impl IntoIterator<Item = (String, Style)>) -> Column {
        Column { head, right: false, cells: cells.into_iter().collect() }
    }

    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|(text, _)| Line::from(text.as_str()).width());
        cells.max().unwrap_or(0).max(self.head.len())
    }
}

/// Columns between columns.
const GAP: usize = 2;
/// What the last column has to have room for, to be shown cut.
const LEAST: usize = 8;

/// A table.
pub(super) struct Table<'a> {
    /// Its columns, the most important first.
    pub(super) columns: &'a [Column],
    /// The first row on the screen.
    pub(super) top: usize,
    /// The selected row, and how it looks.
    pub(super) selected: Option<(usize, Style)>,
}

impl Table<'_> {
    /// Draws the head in the first line and rows in the others, each with room for the mark of the selection.
    pub(super) fn draw(&self, area: Rect, buffer: &mut Buffer) {
        let mut widths: Vec<usize> = Vec::new();
        let mut left = (area.width as usize).saturating_sub(GAP);
        for column in self.columns {
            let (width, gap) = (column.width(), if widths.is_empty() { 0 } else { GAP });
            if width + gap <= left {
                widths.push(width);
                left -= width + gap;
            } else {
                if !column.right && left >= gap + LEAST || widths.is_empty() {
                    widths.push(left.saturating_sub(gap));
                }
                break;
            }
        }
        let line = |texts: Vec<(&str, Style)>, mark: &str| {
            let mut line = Line::from(format!("{mark:<GAP$}"));
            for (at, ((text, style), &width)) in texts.into_iter().zip(&widths).enumerate() {
                let text = cut(text, width);
                let pad = " ".repeat(width.saturating_sub(Line::from(text.as_str()).width()));
                let gap = if at == 0 { "" } else { "  " };
                let text =
                    if self.columns[at].right { format!("{gap}{pad}{text}") } else { format!("{gap}{text}{pad}") };
                line.push_span(Span::styled(text, style));
            }
            line
        };
        if let Some(area) = row(area, 0) {
            let heads = self.columns.iter().map(|column| (column.head, styles::DIM)).collect();
            line(heads, "").render(area, buffer);
            let left_out = self.columns.len() - widths.len();
            if left_out > 0 {
                let words = format!(" +{left_out}");
                let width = (words.len() as u16).min(area.width);
                let end = Rect { x: area.right() - width, width, ..area };
                Line::from(Span::styled(words, styles::DIM)).render(end, buffer);
            }
        }
        let count = self.columns.iter().map(|column| column.cells.len()).max().unwrap_or(0);
        for at in self.top..count {
            let Some(area) = row(area, at - self.top + 1) else { break };
            let cells = self
                .columns
                .iter()
                .map(|column| column.cells.get(at).map_or(("", Style::new()), |(text, style)| (text.as_str(), *style)));
            let selected = self.selected.filter(|(selected, _)| *selected == at);
            line(cells.collect(), if selected.is_some() { "▸" } else { "" }).render(area, buffer);
            if let Some((_, style)) = selected {
                buffer.set_style(area, style);
            }
        }
    }
}
