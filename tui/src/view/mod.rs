//! Drawing: one panel, one file. Panels take `&App` and a rectangle, and never change state.

mod bars;
mod blocks;
#[cfg(test)]
mod every;
mod findings;
mod grid;
pub(crate) mod help;
mod hints;
mod ir;
mod lanes;
mod launches;
mod lines;
mod outline;
mod palette;
pub(crate) mod pipeline;
mod python;
mod roofline;
mod small;
mod source;
mod span;
mod status;
pub(crate) mod summary;
mod table;
pub(crate) mod tabs;
#[cfg(test)]
mod tests;
pub(crate) mod timings;
mod values;

#[cfg(test)]
use crate::app::View;
use crate::app::layout::{Class, Layout};
use crate::app::{App, Pane};
use crate::styles::{self, Styles};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Widget};

/// Draws a frame: status, tabs, panes, hints, as [`Layout::of`] sketches.
pub(crate) fn draw(app: &App, styles: Styles, buffer: &mut Buffer) {
    let layout = Layout::of(app);
    let styles = Styles { ramp: app.ramp, ..styles };
    status::draw(app, styles, layout.status, buffer);
    if layout.class == Class::Small {
        small::draw(app, buffer);
    } else {
        tabs::draw(app, layout.tabs, buffer);
        for &(pane, area) in &layout.panes {
            draw_pane(app, styles, pane, area, buffer);
        }
        blocks::details(app, layout.details, buffer);
        hints::draw(app, layout.hints, buffer);
        palette::draw(app, styles, layout.hints, buffer);
        if let Some(top) = app.help {
            help::draw(app, styles, top, buffer);
        }
    }
    styles.degrade(buffer);
}

fn draw_pane(app: &App, styles: Styles, pane: Pane, area: Rect, buffer: &mut Buffer) {
    match pane {
        Pane::Grid => grid::draw(app, styles, area, buffer),
        Pane::Blocks => blocks::draw(app, styles, area, buffer),
        Pane::Source => source::draw(app, styles, area, buffer),
        Pane::Findings => findings::draw(app, styles, area, buffer),
        Pane::Launches => launches::draw(app, styles, area, buffer),
        Pane::Values => values::draw(app, styles, area, buffer),
        Pane::Ir => ir::draw(app, styles, area, buffer),
        Pane::Pipeline => pipeline::draw(app, styles, area, buffer),
        Pane::Timings => timings::draw(app, styles, area, buffer),
        Pane::Roofline => roofline::draw(app, styles, area, buffer),
        Pane::Lines => lines::draw(app, styles, area, buffer),
        Pane::Summary => summary::draw(app, styles, area, buffer),
    }
}

/// Draws the border of a pane and gives its inside. The focused pane has a bold title and a bright border.
fn frame(
    app: &App,
    styles: Styles,
    pane: Pane,
    area: Rect,
    title: Line<'_>,
    note: Line<'_>,
    buffer: &mut Buffer,
) -> Rect {
    // The note gives way to the title.
    let fits = title.width() + note.width() + 2 <= area.width as usize;
    let note = if fits { note } else { Line::default() };
    let focused = app.focus == pane;
    let border = if focused { Style::new() } else { styles::DIM };
    let title = if focused { title.patch_style(styles::BOLD) } else { title };
    Block::bordered()
        .border_set(styles.border_set())
        .border_style(border)
        .title(title)
        .title(note.right_aligned())
        .render(area, buffer);
    crate::app::layout::inside(area)
}

/// Text in the middle of a pane that has nothing to show: what is so, and what to do next.
fn empty(area: Rect, lines: &[&str], buffer: &mut Buffer) {
    let top = area.y + area.height.saturating_sub(lines.len() as u16) / 2;
    for (at, text) in lines.iter().enumerate() {
        let line = Line::from(*text).centered();
        let line = if at == 0 { line } else { line.patch_style(styles::DIM) };
        if let Some(area) = row(area, (top - area.y) as usize + at) {
            line.render(area, buffer);
        }
    }
}

pub(crate) use findings::first_shown;

/// The line number `at` of an area, if it has so many.
fn row(area: Rect, at: usize) -> Option<Rect> {
    (at < area.height as usize).then(|| Rect { y: area.y + at as u16, height: 1, ..area })
}

/// A line as much of which is shown as fits, from a column on; `…` stands for what lies to its right.
fn slide(line: Line<'static>, skipped: usize, width: usize) -> Line<'static> {
    let whole = line.width();
    if skipped == 0 && whole <= width {
        return line;
    }
    let (mut at, mut taken) = (0, 0);
    let room = if whole.saturating_sub(skipped) > width { width.saturating_sub(1) } else { width };
    let mut spans = Vec::new();
    for span in line.spans {
        let mut text = String::new();
        for character in span.content.chars() {
            let columns = Span::raw(character.to_string()).width();
            if at >= skipped && taken + columns <= room {
                text.push(character);
                taken += columns;
            }
            at += columns;
        }
        spans.push(Span::styled(text, span.style));
    }
    if room < width {
        spans.push(Span::styled("…", styles::DIM));
    }
    Line::from(spans)
}

/// Characters and columns of a text, cut where it does not fit, with `…` for the rest.
fn cut(text: &str, width: usize) -> String {
    if Line::from(text).width() <= width {
        return text.to_string();
    }
    let mut cut = String::new();
    for character in text.chars() {
        cut.push(character);
        if Line::from(cut.as_str()).width() + 1 > width {
            cut.pop();
            break;
        }
    }
    if width > 0 {
        cut.push('…');
    }
    cut
}
