//! The help screen: the keys of the focused pane, then those that work everywhere, from the keymap.
//!
//! ```text
//! ┌ Keys ─────────────────────────────────┐
//! │ Grid                                  │
//! │   hjkl arrows   move one program      │
//! │ Everywhere                            │
//! │   tab S-tab     next and previous pane│
//! └──────────────── j k scroll, esc closes┘
//! ```

use super::row;
use crate::app::layout::inside;
use crate::app::{App, Size};
use crate::keymap::{KEYMAP, Place};
use crate::styles::{self, Styles};
use crate::wrap::wrap;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};

/// Draws the help screen over everything else, from line `top` on.
pub(super) fn draw(app: &App, styles: Styles, top: usize, buffer: &mut Buffer) {
    let lines = lines(app);
    let widest = lines.iter().map(Line::width).max().unwrap_or(0) as u16;
    let screen = buffer.area;
    let width = (widest + 4).min(screen.width.saturating_sub(2));
    let height = (lines.len() as u16 + 2).min(height(app.size));
    let area =
        Rect { x: screen.width.saturating_sub(width) / 2, y: screen.height.saturating_sub(height) / 2, width, height };
    Clear.render(area, buffer);
    let inner = inside(area);
    let top = top.min(lines.len().saturating_sub(inner.height as usize));
    let note = if lines.len() > inner.height as usize { " jk scroll, esc closes " } else { " esc closes " };
    Block::bordered()
        .border_set(styles.border_set())
        .title(Line::from(Span::styled(" Keys ", styles::BOLD)))
        .title_bottom(Line::from(Span::styled(note, styles::DIM)).right_aligned())
        .render(area, buffer);
    for (at, line) in lines.into_iter().skip(top).enumerate() {
        if let Some(area) = row(inner, at) {
            line.render(area, buffer);
        }
    }
}

/// Lines that the screen has for it, border included.
fn height(screen: Size) -> u16 {
    screen.height.saturating_sub(2)
}

/// The last line that it can be scrolled to.
pub(crate) fn bottom(app: &App) -> usize {
    lines(app).len().saturating_sub(height(app.size).saturating_sub(2) as usize)
}

fn lines(app: &App) -> Vec<Line<'static>> {
    let own = app.focus.place();
    let mut places =
        vec![Place::Grid, Place::Pipeline, Place::Values, Place::List, Place::Text, Place::Source, Place::Ir];
    places.sort_by_key(|place| *place != own);
    places.insert(1, Place::Everywhere);
    let shown = KEYMAP.iter().map(|binding| binding.shown.len()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for place in places {
        let title = match place {
            Place::Grid => "In the grid",
            Place::Pipeline => "In the pipeline",
            Place::Values => "In the values",
            Place::List => "In findings and launches",
            Place::Text => "In text: the summary, blocks, source",
            Place::Source => "In the source",
            Place::Ir => "In the IR",
            Place::Everywhere => "Everywhere",
        };
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Line::from(Span::styled(format!(" {title}"), styles::BOLD)));
        for binding in KEYMAP.iter().filter(|binding| binding.place == place) {
            // What does not fit beside its keys goes on below.
            let room = (app.size.width as usize).saturating_sub(shown + 10);
            for (at, piece) in wrap(binding.help, room).into_iter().enumerate() {
                let keys = if at == 0 { binding.shown } else { "" };
                lines.push(Line::from(vec![
                    Span::raw(format!("   {keys:<shown$}  ")),
                    Span::styled(piece, styles::DIM),
                ]));
            }
        }
    }
    lines
}
