//! The map of the grid: every program a tile, a square or half a character, as [`Map`] lays them out; the cursor, and the
//! programs that a finding names.
//!
//! ```text
//! ┌ Grid (i, j) · k = 3 of 4 ─────────────────────────── by order ┐
//! │    0      1      2      3                                     │
//! │ 0  0,0    0,1    0,2    0,3                                   │
//! │ 1  1,0   [1,1]   1,2    1,3                                   │
//! │ 2  2,0    2,1    2,2    2,3!                                  │
//! │ first ·░▒▓█ last · ! finding · 1 tile = 1 program             │
//! └───────────────────────────────────────────────────────────────┘
//! ```

use super::{cut, empty, frame};
use crate::app::map::{CellShape, Drawn, Map};
use crate::app::metric::Heat;
use crate::app::report::{grouped, tuple};
use crate::app::{App, Pane};
use crate::styles::{self, Styles};
use pallas_engine::ir::{BlockMap, axis_name};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::rc::Rc;

/// Draws the pane.
pub(super) fn draw(app: &App, styles: Styles, area: Rect, buffer: &mut Buffer) {
    let map = app.map_in(crate::app::layout::inside(area));
    let note = format!(" {} ", app.metric.title(app));
    let title = Line::from(title(app, map.as_ref()));
    let note = if app.launch().is_some() { note } else { String::new() };
    let inner = frame(app, styles, Pane::Grid, area, title, Line::from(Span::styled(note, styles::DIM)), buffer);
    let Some(report) = app.launch() else {
        super::launches::nothing(app, inner, buffer);
        return;
    };
    if report.launch.programs() == 0 {
        empty(inner, &["no programs", "an extent of the grid is 0: the kernel never runs"], buffer);
        return;
    }
    let Some(map) = map else { return };
    let painter = Painter::new(app, styles, &map);
    painter.rulers(inner, buffer);
    painter.cells(inner, buffer);
    painter.marks(inner, buffer);
    let legend = Rect { y: inner.bottom() - 1, height: 1, ..inner };
    painter.legend(legend, buffer);
}

/// Which axes are drawn, and where the others stand.
fn title(app: &App, map: Option<&Map>) -> String {
    let (Some(report), Some(map)) = (app.launch(), map) else { return " Grid ".to_string() };
    let grid = &report.launch.grid;
    let mut text = match map.drawn {
        Drawn::Nothing => " Grid".to_string(),
        Drawn::Line(axis) => format!(" Grid {}", axis_name(axis)),
        Drawn::Plane { down, right } => format!(" Grid ({}, {})", axis_name(down), axis_name(right)),
    };
    for axis in (0..grid.len()).filter(|&axis| grid[axis] > 1) {
        let drawn = match map.drawn {
            Drawn::Nothing => false,
            Drawn::Line(at) => at == axis,
            Drawn::Plane { down, right } => axis == down || axis == right,
        };
        if !drawn {
            text.push_str(&format!(" · {} = {} of {}", axis_name(axis), app.program[axis], grouped(grid[axis])));
        }
    }
    text.push(' ');
    text
}

/// What drawing the cells needs to know.
struct Painter<'a> {
    app: &'a App,
    styles: Styles,
    map: &'a Map,
    grid: &'a [usize],
    total: usize,
    /// The operand that colours, and its number of blocks.
    blocks: Option<(BlockMap<'a>, Vec<usize>)>,
    /// The quantity that colours.
    heat: Option<Rc<Heat>>,
}

impl<'a> Painter<'a> {
    fn new(app: &'a App, styles: Styles, map: &'a Map) -> Painter<'a> {
        let grid: &[usize] = app.launch().map_or(&[], |report| &report.launch.grid);
        let blocks = app.metric_operand().map(|operand| {
            let counts = operand.block.iter().zip(operand.array.shape.iter()).map(|(dim, &n)| dim.blocks(n)).collect();
            (BlockMap::new(operand, grid.len()), counts)
        });
        let total = grid.iter().fold(1usize, |n, &g| n.saturating_mul(g));
        let heat = if app.metric.is_quantity() { app.heat(map) } else { None };
        Painter { app, styles, map, grid, total, blocks, heat }
    }

    /// The quantity of a cell.
    fn quantity(&self, cell: (usize, usize)) -> Option<f64> {
        self.heat.as_ref()?.value(cell.0 - self.map.origin.0, cell.1 - self.map.origin.1)
    }

    /// From 0 to 1; `None` where it is not known.
    fn value(&self, cell: (usize, usize), program: &[usize]) -> Option<f64> {
        if self.app.metric.is_quantity() {
            return Some(self.heat.as_ref()?.scaled(self.quantity(cell)?));
        }
        let (number, total) = match &self.blocks {
            None => (row_major(program.iter().map(|&id| id as f64), self.grid), self.total as f64),
            Some((map, counts)) => {
                let indices = map.indices(program)?;
                let total = counts.iter().fold(1.0, |n, &c| n * c as f64);
                (row_major(indices.iter().map(|&index| index as f64), counts), total)
            }
        };
        Some(if total > 1.0 { (number / (total - 1.0)).clamp(0.0, 1.0) } else { 0.0 })
    }

    fn label(&self, cell: (usize, usize), program: &[usize]) -> String {
        if self.app.metric.is_quantity() {
            return self.quantity(cell).map_or("?".to_string(), |value| self.app.metric.words(value));
        }
        let ids: Vec<String> = match &self.blocks {
            None => match self.map.drawn {
                Drawn::Nothing => vec!["*".to_string()],
                Drawn::Line(axis) => vec![program[axis].to_string()],
                Drawn::Plane { down, right } => vec![program[down].to_string(), program[right].to_string()],
            },
            Some((map, _)) => match map.indices(program) {
                Some(indices) => indices.iter().map(i64::to_string).collect(),
                None => vec!["?".to_string()],
            },
        };
        ids.join(",")
    }

    /// Where a cell begins on the screen: columns, and lines or, for half cells, half lines.
    fn place(&self, cell: (usize, usize)) -> Option<(usize, usize)> {
        let row = cell.0.checked_sub(self.map.origin.0).filter(|&row| row < self.map.cells.0)?;
        let column = cell.1.checked_sub(self.map.origin.1).filter(|&column| column < self.map.cells.1)?;
        Some(match self.map.shape {
            CellShape::Tile { pitch, lines } => (column * pitch, row * lines),
            CellShape::Square => (column * 2, row),
            CellShape::Half | CellShape::Single => (column, row),
        })
    }

    fn is_cursor(&self, cell: (usize, usize)) -> bool {
        self.map.cell_of(&self.app.program) == cell
    }

    /// Whether a finding names a program of a cell that stands for one.
    fn is_marked(&self, program: &[usize]) -> bool {
        self.app.launch().is_some_and(|report| !report.marks_of(program).is_empty())
    }

    fn cells(&self, area: Rect, buffer: &mut Buffer) {
        let map = self.map;
        let left = area.x + map.ruler as u16;
        let top = area.y + 1;
        for row in map.origin.0..map.origin.0 + map.cells.0 {
            for column in map.origin.1..map.origin.1 + map.cells.1 {
                let Some(program) = map.first_in((row, column)) else { continue };
                let Some((x, y)) = self.place((row, column)) else { continue };
                let value = self.value((row, column), &program);
                let cursor = self.is_cursor((row, column));
                let at = (left + x as u16, top + y as u16);
                match map.shape {
                    CellShape::Tile { pitch, lines } => {
                        let label = self.label((row, column), &program);
                        self.tile(&program, &label, value, cursor, at, (pitch - 1, lines), buffer);
                    }
                    CellShape::Square => self.square(value, cursor, self.is_marked(&program), at, buffer),
                    CellShape::Half => self.half(value, cursor, (left + x as u16, top + (y / 2) as u16), y % 2, buffer),
                    CellShape::Single => self.single(value, cursor, at, buffer),
                }
            }
        }
    }

    // A tile is drawn from all that is known of its cell.
    #[allow(clippy::too_many_arguments)]
    fn tile(
        &self,
        program: &[usize],
        label: &str,
        value: Option<f64>,
        cursor: bool,
        (x, y): (u16, u16),
        (width, lines): (usize, usize),
        buffer: &mut Buffer,
    ) {
        let marked = self.is_marked(program);
        let background = value.map(|value| self.styles.heat(value)).filter(|_| self.styles.has_background());
        let mut style = match background {
            Some(color) => Style::new().bg(color).fg(styles::ink(color)),
            None => Style::new(),
        };
        if cursor {
            style = style.add_modifier(Modifier::BOLD);
            style = if background.is_none() { style.add_modifier(Modifier::REVERSED) } else { style };
        }
        let open = if cursor { "[" } else { " " };
        let close = match (marked, cursor) {
            (true, _) => "!",
            (false, true) => "]",
            (false, false) => " ",
        };
        let label = cut(label, width.saturating_sub(2));
        let room = width.saturating_sub(2);
        // Without colours the shade stands beside the label.
        let fill = match (background, value) {
            (None, Some(value)) if !cursor => self.styles.shade(value),
            _ => " ",
        };
        let pad = room.saturating_sub(label.chars().count());
        let before = if fill == " " { pad / 2 } else { 0 };
        let text = format!("{open}{}{label}{}{close}", " ".repeat(before), fill.repeat(pad - before));
        // The last line of a high tile stays free, as a gap.
        let filled = if lines > 1 { lines - 1 } else { 1 };
        let middle = (filled - 1) / 2;
        for line in 0..filled {
            let shown = if line == middle { text.clone() } else { " ".repeat(width) };
            buffer.set_string(x, y + line as u16, shown, style);
        }
        if cursor && filled > 1 {
            for line in (0..filled).filter(|&line| line != middle) {
                buffer.set_string(x, y + line as u16, "[", style);
                buffer.set_string(x + width as u16 - 1, y + line as u16, "]", style);
            }
        }
    }

    fn square(&self, value: Option<f64>, cursor: bool, marked: bool, (x, y): (u16, u16), buffer: &mut Buffer) {
        let background = value.map(|value| self.styles.heat(value)).filter(|_| self.styles.has_background());
        let text = match (cursor, marked) {
            (true, true) => "[!".to_string(),
            (true, false) => "[]".to_string(),
            (false, true) => " !".to_string(),
            (false, false) if background.is_some() => "  ".to_string(),
            (false, false) => value.map_or("??".to_string(), |value| self.styles.shade(value).repeat(2)),
        };
        let mut style = match background {
            Some(color) => Style::new().bg(color).fg(styles::ink(color)),
            None => Style::new(),
        };
        if cursor || marked {
            style = style.add_modifier(Modifier::BOLD);
        }
        if cursor && background.is_none() {
            style = style.add_modifier(Modifier::REVERSED);
        }
        buffer.set_string(x, y, text, style);
    }

    fn half(&self, value: Option<f64>, cursor: bool, at: (u16, u16), half: usize, buffer: &mut Buffer) {
        let color = value.map_or(Color::Reset, |value| self.styles.heat(value));
        let Some(cell) = buffer.cell_mut(at) else { return };
        let taken = cell.symbol() == "◆";
        if half == 0 {
            cell.set_symbol("▀").set_fg(color);
        } else {
            cell.set_bg(color);
        }
        if cursor {
            cell.set_symbol("◆").set_style(Style::new().add_modifier(Modifier::BOLD).fg(Color::Rgb(255, 255, 255)));
            if half == 0 {
                cell.set_bg(color).set_fg(styles::ink(color));
            }
        } else if taken {
            // The cursor's half came first: its sign stays.
            cell.set_symbol("◆");
        }
    }

    fn single(&self, value: Option<f64>, cursor: bool, (x, y): (u16, u16), buffer: &mut Buffer) {
        if cursor {
            buffer.set_string(x, y, "X", Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD));
        } else {
            buffer.set_string(x, y, value.map_or("?", |value| self.styles.shade(value)), Style::new());
        }
    }

    /// Findings in cells that show no label of their own: a single program must stay visible from afar.
    fn marks(&self, area: Rect, buffer: &mut Buffer) {
        if !matches!(self.map.shape, CellShape::Half | CellShape::Single) {
            return;
        }
        let Some(report) = self.app.launch() else { return };
        for (program, _) in &report.marks {
            let cell = self.map.cell_of(program);
            if !self.map.shows(program) || self.is_cursor(cell) {
                continue;
            }
            let Some((x, y)) = self.place(cell) else { continue };
            let y = if self.map.shape == CellShape::Half { y / 2 } else { y };
            let at = (area.x + (self.map.ruler + x) as u16, area.y + 1 + y as u16);
            if let Some(cell) = buffer.cell_mut(at) {
                let ink = styles::ink(cell.bg);
                cell.set_symbol("!").set_style(Style::new().fg(ink).add_modifier(Modifier::BOLD));
            }
        }
    }

    /// Program ids along the top and the left, and where the cursor stands.
    fn rulers(&self, area: Rect, buffer: &mut Buffer) {
        let map = self.map;
        let left = area.x as usize + map.ruler;
        let cursor = map.cell_of(&self.app.program);
        let (_, columns) = (map.cells.0, map.cells.1);
        let id = |column: usize| column.saturating_mul(map.per_cell.1);
        let mut free = left;
        for column in map.origin.1..map.origin.1 + columns {
            let Some((x, _)) = self.place((map.origin.0, column)) else { continue };
            let text = id(column).to_string();
            let inset = usize::from(matches!(map.shape, CellShape::Tile { .. }));
            let from = left + x + inset;
            let fits = from >= free && from + text.len() <= area.right() as usize;
            // Small cells are numbered at steps of four.
            let step = matches!(map.shape, CellShape::Tile { .. }) || (column - map.origin.1).is_multiple_of(4);
            if fits && step && column != cursor.1 {
                buffer.set_string(from as u16, area.y, &text, styles::DIM);
                free = from + text.len() + 1;
            }
            if column == cursor.1 {
                buffer.set_string((left + x + inset) as u16, area.y, "▾", styles::BOLD);
                free = free.max(left + x + inset + 2);
            }
        }
        let mut free = 0;
        for row in map.origin.0..map.origin.0 + map.cells.0 {
            let Some((_, y)) = self.place((row, map.origin.1)) else { continue };
            let half = map.shape == CellShape::Half;
            let y = if half { y / 2 } else { y };
            let offset = match map.shape {
                CellShape::Tile { lines, .. } if lines > 1 => (lines - 2) / 2,
                _ => 0,
            };
            let at = area.y as usize + 1 + y + offset;
            if row == cursor.0 {
                buffer.set_string(area.x + map.ruler as u16 - 1, at as u16, "▸", styles::BOLD);
            }
            let step =
                !matches!(map.shape, CellShape::Half | CellShape::Single) || (row - map.origin.0).is_multiple_of(4);
            if at >= free && step {
                let number = match map.drawn {
                    Drawn::Line(_) => row.saturating_mul(map.extent.1),
                    _ => row.saturating_mul(map.per_cell.0),
                };
                let width = map.ruler - 1;
                buffer.set_string(area.x, at as u16, format!("{number:>width$}"), styles::DIM);
                free = at + 1;
            }
        }
    }

    fn legend(&self, area: Rect, buffer: &mut Buffer) {
        let map = self.map;
        let (first, last) = match &self.heat {
            Some(heat) => (
                format!("{} ", self.app.metric.words(heat.range.0)),
                format!(" {}", self.app.metric.words(heat.range.1)),
            ),
            None => ("first ".to_string(), " last".to_string()),
        };
        let mut line = Line::from(Span::styled(first, styles::DIM));
        for step in 0..8 {
            let value = step as f64 / 7.0;
            line.push_span(if self.styles.has_background() {
                Span::styled(" ", Style::new().bg(self.styles.heat(value)))
            } else {
                Span::raw(self.styles.shade(value))
            });
        }
        line.push_span(Span::styled(last, styles::DIM));
        let cell = match map.shape {
            CellShape::Tile { .. } => "tile",
            _ => "cell",
        };
        let scale = match (map.is_coarse(), map.drawn) {
            (false, _) => format!("1 {cell} = 1 program"),
            (true, Drawn::Line(_)) => format!("1 {cell} = {} programs (its first)", grouped(map.per_cell.1)),
            (true, _) => {
                format!("1 {cell} = {}×{} programs (its first)", grouped(map.per_cell.0), grouped(map.per_cell.1))
            }
        };
        let mut parts = Vec::new();
        if self.app.launch().is_some_and(|report| !report.marks.is_empty()) {
            parts.push("! finding".to_string());
        }
        parts.push(scale);
        if !map.is_whole() {
            let shown = map.cells.0.saturating_mul(map.per_cell.0).min(map.extent.0);
            let columns = map.cells.1.saturating_mul(map.per_cell.1).min(map.extent.1);
            let of = format!("{}×{}", grouped(map.extent.0), grouped(map.extent.1));
            parts.push(format!("showing {}×{} of {of}", grouped(shown), grouped(columns)));
        }
        if let Some(value) = self.quantity(map.cell_of(&self.app.program)).filter(|_| self.app.metric.is_quantity()) {
            parts.insert(0, format!("here {}", self.app.metric.words(value)));
        }
        let cursor = self.app.launch().map(|report| report.marks_of(&self.app.program)).unwrap_or_default();
        if let Some((program, number)) = cursor.first()
            && let Some(finding) = self.app.report.as_ref().and_then(|report| report.findings.get(*number))
        {
            parts = vec![format!("program {}: {} {}", tuple(program), finding.code, finding.message)];
        }
        for part in parts {
            let text = format!(" · {part}");
            if line.width() + text.chars().count() <= area.width as usize {
                line.push_span(Span::styled(text, styles::DIM));
            } else {
                let left = (area.width as usize).saturating_sub(line.width());
                line.push_span(Span::styled(cut(&text, left), styles::DIM));
                break;
            }
        }
        line.render(area, buffer);
    }
}

/// The row-major number of a position, in floating point so that no grid is too large.
fn row_major(ids: impl Iterator<Item = f64>, extents: &[usize]) -> f64 {
    ids.zip(extents).fold(0.0, |n, (id, &extent)| n * extent as f64 + id)
}
