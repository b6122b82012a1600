//! What the Refs of the program at the cursor hold: a line for each, and the selected one number by number or as a picture.
//! A sign behind a number says what colour alone must not: `!` is not finite, `×` is padding, `*` has changed.
//!
//! ```text
//!   Ref  type          min   max  mean  not finite  changed
//! ▸ o    f32[128,128]    0  31.5  4.25           0    16384
//!
//! o after the kernel · rows 0..128, columns 128..256
//!          128      129      130
//!   0     1.25*    2.50*    0.12*
//! ```

use super::table::{Column, Table};
use super::{cut, empty, frame, row};
use crate::app::report::{grouped, tuple};
use crate::app::values::{Coordinates, Moment, RefTile, plane};
use crate::app::{App, Pane};
use crate::styles::{self, Styles};
use pallas_engine::tensor::Scalar;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// Columns of a number with its sign and a gap.
const CELL: usize = 10;

/// Draws the pane.
pub(super) fn draw(app: &App, styles: Styles, area: Rect, buffer: &mut Buffer) {
    let title = match app.launch() {
        Some(_) => format!(" Values of program {} ", tuple(&app.program)),
        None => " Values ".to_string(),
    };
    let what = if app.store().is_some() { "store" } else { "kernel" };
    let note = match app.values.moment {
        Moment::Before => format!(" before the {what} "),
        Moment::After => format!(" after the {what} "),
        Moment::Change => format!(" change by the {what} "),
    };
    let note = Line::from(Span::styled(if app.launch().is_some() { note } else { String::new() }, styles::DIM));
    let inner = frame(app, styles, Pane::Values, area, Line::from(title), note, buffer);
    let Some(tiles) = app.tiles().filter(|tiles| !tiles.is_empty()) else {
        nothing(app, inner, buffer);
        return;
    };
    let refs = (tiles.len() as u16 + 1).min(inner.height / 2);
    table(app, tiles, Rect { height: refs, ..inner }, buffer);
    let rest = Rect { y: inner.y + refs, height: inner.height - refs, ..inner };
    if let Some(area) = row(rest, 0) {
        stores(app, area, buffer);
    }
    let Some(tile) = app.tile() else { return };
    let painter = Painter::new(app, styles, tile);
    let below = Rect { y: rest.y + 2, height: rest.height.saturating_sub(3), ..rest };
    if let Some(area) = row(rest, 1) {
        painter.head(area, buffer);
    }
    if app.values.picture {
        painter.picture(below, buffer);
    } else {
        painter.numbers(below, buffer);
    }
    if let Some(area) = rest.height.checked_sub(1).and_then(|last| row(rest, last as usize)) {
        painter.foot(area, buffer);
    }
}

fn nothing(app: &App, area: Rect, buffer: &mut Buffer) {
    let Some(shown) = app.launch() else {
        super::launches::nothing(app, area, buffer);
        return;
    };
    let asked = app
        .values
        .tiles
        .as_ref()
        .is_some_and(|set| (set.generation, set.launch, set.asked) == (app.generation, app.launch, app.number()));
    match () {
        () if app.report.as_ref().is_some_and(|report| report.is_opened()) => empty(
            area,
            &["the report was saved without values of this program", "open the file itself to see them"],
            buffer,
        ),
        () if app.run.is_some() || app.running.is_some() => {
            empty(area, &["the file is running", "values are taken when the run has ended"], buffer);
        }
        () if !shown.ran => empty(
            area,
            &["this launch has not run, so there are no values", "what was not reached by the run has shapes only"],
            buffer,
        ),
        () if asked => empty(
            area,
            &["the program was not reached", "the run ended before it: see the findings, or what it printed"],
            buffer,
        ),
        () => empty(area, &["taking values", "the file is run again up to this program"], buffer),
    }
}

/// Which store is looked at, with its line of the source; or how many there are.
fn stores(app: &App, area: Rect, buffer: &mut Buffer) {
    let Some(known) = app.program_tiles() else { return };
    let text = match (app.store(), known.stored) {
        (None, 0) => " the kernel stores nothing to its Refs in this program".to_string(),
        (None, 1) => " 1 store by the kernel: . shows it".to_string(),
        (None, many) => format!(" {} stores by the kernel: . goes through them", grouped(many)),
        (Some((at, store)), many) => {
            let source = app.report.as_ref().map(|report| report.source_of(store.span));
            let code = source.map_or(String::new(), |source| {
                let line = source.line_of(store.span.start);
                format!(
                    ": {}  {}",
                    source.line_words(line),
                    source.text.get(source.line_range(line)).unwrap_or("").trim()
                )
            });
            let changed = match store.tile.changed {
                0 => "nothing changes".to_string(),
                1 => "1 element changes".to_string(),
                count => format!("{} elements change", grouped(count)),
            };
            let name = app.ref_name(store.at);
            format!(" store {} of {}, to {name}: {changed}{code}", grouped(at + 1), grouped(many))
        }
    };
    let style = if app.store().is_some() { styles::ACTIVE } else { styles::DIM };
    Line::from(Span::styled(cut(&text, area.width as usize), style)).render(area, buffer);
}

fn table(app: &App, tiles: &[RefTile], area: Rect, buffer: &mut Buffer) {
    let before = app.values.moment == Moment::Before;
    let stats = |tile: &RefTile| if before { tile.stats_before } else { tile.stats_after };
    let bad = |tile: &RefTile| stats(tile).nan + stats(tile).infinite;
    let columns = vec![
        Column::text("Ref", (0..tiles.len()).map(|at| app.ref_name(at))),
        Column::text("type", tiles.iter().map(kind)),
        Column::numbers("min", tiles.iter().map(|tile| number(Scalar::Float(stats(tile).min)))),
        Column::numbers("max", tiles.iter().map(|tile| number(Scalar::Float(stats(tile).max)))),
        Column::numbers("mean", tiles.iter().map(|tile| number(Scalar::Float(stats(tile).mean)))),
        Column::numbers("not finite", tiles.iter().map(|tile| grouped(bad(tile)))),
        Column::numbers("changed", tiles.iter().map(|tile| grouped(tile.changed))),
        Column::numbers("stores", (0..tiles.len()).map(|at| stored(app, at))),
        Column::text("", (0..tiles.len()).map(|at| app.ref_facts(at).map_or("scratch".to_string(), |f| f.part()))),
    ];
    let style = if app.focus == Pane::Values { styles::SELECTED } else { styles::BOLD };
    let height = (area.height as usize).saturating_sub(1);
    let top = super::findings::first_shown(app.values.selected, tiles.len(), height);
    Table { columns: &columns, top, selected: Some((app.values.selected, style)) }.draw(area, buffer);
}

/// Stores to a Ref among those that are kept; with a `+` where not all are.
fn stored(app: &App, at: usize) -> String {
    let Some(known) = app.program_tiles() else { return String::new() };
    let count = known.stores.iter().filter(|store| store.at == at).count();
    let more = if known.stored > known.stores.len() { "+" } else { "" };
    format!("{}{more}", grouped(count))
}

fn kind(tile: &RefTile) -> String {
    let extents: Vec<String> = tile.before.shape().iter().map(usize::to_string).collect();
    format!("{}[{}]", tile.before.dtype().short_name(), extents.join(","))
}

/// A number in at most eight columns: five digits, or a power of ten.
pub(super) fn number(value: Scalar) -> String {
    if let Some(flag) = value.as_bool().filter(|_| matches!(value, Scalar::Bool(_))) {
        return if flag { "True" } else { "False" }.to_string();
    }
    if let Some(whole) = value.as_int().filter(|_| !matches!(value, Scalar::Float(_))) {
        let text = whole.to_string();
        return if text.len() <= 8 { text } else { format!("{:.2e}", whole as f64) };
    }
    let Some(value) = value.as_f64() else { return "?".to_string() };
    let size = value.abs();
    match () {
        () if value.is_nan() => "nan".to_string(),
        () if value.is_infinite() => if value > 0.0 { "inf" } else { "-inf" }.to_string(),
        () if size == 0.0 => "0".to_string(),
        () if (1e-3..1e5).contains(&size) => {
            let decimals = (4 - size.log10().floor() as i32).clamp(0, 5) as usize;
            let text = format!("{value:.decimals$}");
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
        }
        () => format!("{value:.1e}"),
    }
}

struct Painter<'a> {
    app: &'a App,
    styles: Styles,
    tile: &'a RefTile,
    rows: usize,
    columns: usize,
    planes: usize,
    coordinates: Option<Coordinates>,
    /// The range of colours.
    range: (f64, f64),
}

impl<'a> Painter<'a> {
    fn new(app: &'a App, styles: Styles, tile: &'a RefTile) -> Painter<'a> {
        let (rows, columns, planes) = plane(tile.at(app.values.moment));
        let coordinates = app
            .launch()
            .and_then(|shown| Coordinates::new(&shown.launch, app.values.selected, &app.program, tile.before.rank()));
        let stats = if app.values.moment == Moment::Before { tile.stats_before } else { tile.stats_after };
        let range = match app.values.moment {
            Moment::Change => {
                let most = (tile.stats_after.max - tile.stats_before.min)
                    .abs()
                    .max((tile.stats_before.max - tile.stats_after.min).abs());
                (-most, most)
            }
            _ => (stats.min, stats.max),
        };
        Painter { app, styles, tile, rows, columns, planes, coordinates, range }
    }

    /// All indices of an element of the plane.
    fn element(&self, row: usize, column: usize) -> Vec<usize> {
        let shape = self.tile.before.shape();
        let mut indices = vec![0; shape.len()];
        let mut rest = self.app.values.plane % self.planes.max(1);
        let leading = shape.len().saturating_sub(2);
        for at in (0..leading).rev() {
            indices[at] = rest % shape[at].max(1);
            rest /= shape[at].max(1);
        }
        match &mut indices[leading..] {
            [r, c] => (*r, *c) = (row, column),
            [c] => *c = column,
            _ => {}
        }
        indices
    }

    fn flat(&self, row: usize, column: usize) -> usize {
        let plane = self.app.values.plane % self.planes.max(1);
        (plane * self.rows + row) * self.columns + column
    }

    fn value(&self, row: usize, column: usize) -> Option<Scalar> {
        self.tile.value(self.app.values.moment, self.flat(row, column))
    }

    fn color(&self, value: f64) -> Option<Color> {
        let (low, high) = self.range;
        (value.is_finite() && high > low && self.styles.has_background())
            .then(|| self.styles.heat((value - low) / (high - low)))
    }

    fn head(&self, area: Rect, buffer: &mut Buffer) {
        let mut text = format!(" {} {}", self.app.ref_name(self.app.values.selected), kind(self.tile));
        if self.planes > 1 {
            let leading = self.tile.before.rank() - 2;
            let indices: Vec<String> = self.element(0, 0)[..leading].iter().map(usize::to_string).collect();
            text.push_str(&format!(" · plane [{}, :, :] of {}", indices.join(", "), self.planes));
        }
        let legend = " ! not finite  × padding  * changed ";
        let width = area.width as usize;
        Line::from(Span::styled(cut(&text, width), styles::BOLD)).render(area, buffer);
        if text.chars().count() + legend.chars().count() < width {
            Line::from(Span::styled(legend, styles::DIM)).right_aligned().render(area, buffer);
        }
    }

    /// Numbers around the selected element.
    fn numbers(&self, area: Rect, buffer: &mut Buffer) {
        let ruler = (self.place(self.rows.saturating_sub(1), 0, true).len()).max(4) + 2;
        let across = (area.width as usize).saturating_sub(ruler) / CELL;
        let down = (area.height as usize).saturating_sub(1);
        if across == 0 || down == 0 || self.rows == 0 || self.columns == 0 {
            return;
        }
        let (row0, column0) = self.app.values.element;
        let top = super::findings::first_shown(row0, self.rows, down);
        let left = super::findings::first_shown(column0, self.columns, across);
        for (at, column) in (left..self.columns).take(across).enumerate() {
            let text = format!("{:>width$}", self.place(row0, column, false), width = CELL - 2);
            let x = area.x + (ruler + at * CELL) as u16;
            buffer.set_string(x, area.y, cut(&text, CELL), if column == column0 { styles::BOLD } else { styles::DIM });
        }
        for (line, row) in (top..self.rows).take(down).enumerate() {
            let y = area.y + 1 + line as u16;
            let text = format!("{:>width$}", self.place(row, column0, true), width = ruler - 1);
            buffer.set_string(area.x, y, text, if row == row0 { styles::BOLD } else { styles::DIM });
            for (at, column) in (left..self.columns).take(across).enumerate() {
                let x = area.x + (ruler + at * CELL) as u16;
                self.cell((row, column), (row, column) == (row0, column0), (x, y), buffer);
            }
        }
    }

    /// The element's index along one dimension, in the array where that is known.
    fn place(&self, row: usize, column: usize, of_row: bool) -> String {
        let element = self.element(row, column);
        let at = match (element.len(), of_row) {
            (0, _) | (1, true) => return String::new(),
            (rank, true) => rank - 2,
            (rank, false) => rank - 1,
        };
        match &self.coordinates {
            Some(coordinates) => coordinates.of(&element).get(at).map_or(String::new(), i64::to_string),
            None => element[at].to_string(),
        }
    }

    fn sign(&self, (row, column): (usize, usize)) -> char {
        let padding = self.coordinates.as_ref().is_some_and(|c| c.is_padding(&self.element(row, column)));
        let value = self.value(row, column).and_then(Scalar::as_f64);
        let index = self.flat(row, column);
        let before = self.tile.before.get(index).and_then(Scalar::as_f64);
        let after = self.tile.after.as_ref().and_then(|after| after.get(index)).and_then(Scalar::as_f64);
        let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
        match (padding, value) {
            (true, _) => '×',
            (false, Some(value)) if !value.is_finite() => '!',
            _ => match (before, after) {
                (Some(a), Some(b)) if self.app.values.moment != Moment::Before && !same(a, b) => '*',
                _ => ' ',
            },
        }
    }

    fn cell(&self, at: (usize, usize), cursor: bool, (x, y): (u16, u16), buffer: &mut Buffer) {
        let Some(value) = self.value(at.0, at.1) else { return };
        let sign = self.sign(at);
        let text = format!("{:>width$}{sign}", number(value), width = CELL - 2);
        let style = match (sign, value.as_f64().and_then(|value| self.color(value))) {
            ('!', _) => styles::severity(pallas_engine::Severity::Error),
            ('×', _) => styles::DIM,
            (_, Some(color)) => Style::new().bg(color).fg(styles::ink(color)),
            (_, None) => Style::new(),
        };
        let style = if cursor { styles::SELECTED.add_modifier(Modifier::BOLD) } else { style };
        buffer.set_string(x, y, text, style);
    }

    /// The whole plane, each character one element or several.
    fn picture(&self, area: Rect, buffer: &mut Buffer) {
        let (width, height) = (area.width as usize, area.height as usize);
        if width == 0 || height == 0 || self.rows == 0 || self.columns == 0 {
            return;
        }
        let halves = self.styles.has_heat();
        let lines = if halves { height * 2 } else { height };
        let (per_row, per_column) = (self.rows.div_ceil(lines), self.columns.div_ceil(width));
        // Cells are about square, where there is room.
        let wide = if halves || per_column > 1 { 1 } else { (width / self.columns).clamp(1, 2) };
        for row in (0..self.rows).step_by(per_row) {
            for column in (0..self.columns).step_by(per_column) {
                let (line, x) = (row / per_row, column / per_column * wide);
                let y = area.y + (if halves { line / 2 } else { line }) as u16;
                let sign = self.sign((row, column));
                let value = self.value(row, column).and_then(Scalar::as_f64).unwrap_or(f64::NAN);
                let share = (value - self.range.0) / (self.range.1 - self.range.0);
                for x in x..(x + wide).min(width) {
                    let Some(cell) = buffer.cell_mut((area.x + x as u16, y)) else { continue };
                    if halves {
                        let color = self.color(value).unwrap_or(Color::Reset);
                        if line % 2 == 0 {
                            cell.set_symbol("▀").set_fg(color);
                        } else {
                            cell.set_bg(color);
                        }
                        if matches!(sign, '!' | '×') {
                            cell.set_symbol(if sign == '!' { "!" } else { "×" }).set_fg(Color::Reset);
                        }
                    } else {
                        cell.set_symbol(match sign {
                            '!' => "!",
                            '×' => "×",
                            _ => self.styles.shade(if share.is_finite() { share } else { 0.0 }),
                        });
                    }
                }
            }
        }
    }

    /// The selected element in words; of a picture, its scale.
    fn foot(&self, area: Rect, buffer: &mut Buffer) {
        let text = if self.app.values.picture {
            let (low, high) = (number(Scalar::Float(self.range.0)), number(Scalar::Float(self.range.1)));
            let lines = if self.styles.has_heat() { 2 } else { 1 };
            let per = (
                self.rows.div_ceil((area.y.saturating_sub(1) as usize * lines).max(1)).max(1),
                self.columns.div_ceil((area.width as usize).max(1)).max(1),
            );
            let scale = if per == (1, 1) { String::new() } else { " · each cell shows its first element".to_string() };
            format!(" colours from {low} to {high}{scale}")
        } else {
            let (row, column) = self.app.values.element;
            let element =
                self.element(row.min(self.rows.saturating_sub(1)), column.min(self.columns.saturating_sub(1)));
            let index = self.flat(row.min(self.rows.saturating_sub(1)), column.min(self.columns.saturating_sub(1)));
            let name = self.app.ref_name(self.app.values.selected);
            let place = match &self.coordinates {
                Some(c) if c.is_padding(&element) => ", padding outside of the array".to_string(),
                Some(c) => format!(", element {} of the array", tuple(&c.of(&element))),
                None => String::new(),
            };
            let exact = |array: &pallas_engine::tensor::Array| match array.get(index) {
                Some(Scalar::Float(value)) => format!("{value:?}"),
                Some(value) => number(value),
                None => "nothing".to_string(),
            };
            let after = self.tile.after.as_ref().map_or("the kernel failed".to_string(), exact);
            format!(" {name}{element:?}{place}: before {}, after {after}", exact(&self.tile.before))
        };
        Line::from(Span::styled(cut(&text, area.width as usize), styles::BOLD)).render(area, buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fit_their_cells() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-0.125, "-0.125"),
            (1234.5678, "1234.6"),
            (99999.0, "99999"),
            (123456.0, "1.2e5"),
            (0.00012, "1.2e-4"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (value, text) in cases {
            assert_eq!(number(Scalar::Float(value)), text);
        }
        assert_eq!(number(Scalar::Int(-12_345_678)), "-1.23e7");
        assert_eq!(number(Scalar::Int(1234)), "1234");
        assert_eq!(number(Scalar::Bool(true)), "True");
    }
}
