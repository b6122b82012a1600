//! The palette over everything else: what was typed, and the commands that it may mean, each with its key. And the line in
//! which a search or a filter is typed.
//!
//! ```text
//! ┌ Commands ─────────────────────────────────────────┐
//! │ : mach                                            │
//! │ ▸ model the launches on the next machine        M │
//! └───────────────────────────────────────────────────┘
//! ```

use super::{cut, row};
use crate::app::App;
use crate::app::layout::inside;
use crate::app::prompt::{Asks, Prompt};
use crate::styles::{self, Styles};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};

/// Draws what is open.
pub(super) fn draw(app: &App, styles: Styles, hints: Rect, buffer: &mut Buffer) {
    let Some(prompt) = &app.prompt else { return };
    if prompt.asks != Asks::Command {
        line(app, prompt, hints, buffer);
        return;
    }
    let screen = buffer.area;
    let commands = app.commands(&prompt.text);
    let width = 76.min(screen.width.saturating_sub(4));
    let height = (commands.len().max(1) as u16 + 3).min(screen.height.saturating_sub(4)).min(20);
    let area = Rect { x: screen.width.saturating_sub(width) / 2, y: 2.min(screen.height), width, height };
    Clear.render(area, buffer);
    Block::bordered()
        .border_set(styles.border_set())
        .title(Line::from(Span::styled(" Commands ", styles::BOLD)))
        .title_bottom(Line::from(Span::styled(" enter runs it, esc closes ", styles::DIM)).right_aligned())
        .render(area, buffer);
    let inner = inside(area);
    if let Some(area) = row(inner, 0) {
        Line::from(format!(" : {}█", prompt.text)).render(area, buffer);
    }
    let shown = (inner.height as usize).saturating_sub(1);
    let top = super::first_shown(prompt.at, commands.len(), shown);
    if commands.is_empty()
        && let Some(area) = row(inner, 1)
    {
        Line::from(Span::styled(" nothing is called that", styles::DIM)).render(area, buffer);
    }
    for (at, command) in commands.iter().enumerate().skip(top).take(shown) {
        let Some(area) = row(inner, at - top + 1) else { break };
        // As the help screen has it.
        let key = command
            .key
            .replace("<backtab>", "S-tab")
            .replace(['<', '>'], if command.key.len() > 1 { "" } else { command.key });
        let room = (area.width as usize).saturating_sub(key.chars().count() + 5);
        let mark = if at == prompt.at { "▸" } else { " " };
        let words = cut(&command.words, room);
        let pad = " ".repeat(room.saturating_sub(Line::from(words.as_str()).width()));
        let line = Line::from(vec![Span::raw(format!(" {mark} {words}{pad} ")), Span::styled(key, styles::DIM)]);
        line.render(area, buffer);
        if at == prompt.at {
            buffer.set_style(area, styles::SELECTED);
        }
    }
}

/// A search or a filter in the place of the hints.
fn line(app: &App, prompt: &Prompt, area: Rect, buffer: &mut Buffer) {
    Clear.render(area, buffer);
    let (sign, note) = match prompt.asks {
        Asks::Filter => ("\\", format!("{} findings shown", app.shown_findings().len())),
        _ => ("/", "enter searches, n and N go on".to_string()),
    };
    let line = Line::from(vec![
        Span::styled(format!(" {sign}"), styles::BOLD),
        Span::raw(format!("{}█  ", prompt.text)),
        Span::styled(note, styles::DIM),
    ]);
    line.render(area, buffer);
}
