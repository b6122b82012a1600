//! The launch as the engine has lowered it: the kernel's IR with its grid and its operands, or the code that is generated from it, as
//! `pallas-tui lower` prints them.

use super::{frame, row, slide};
use crate::app::{App, Pane};
use crate::styles::{self, Styles};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Widget, Wrap};

/// Draws the pane.
pub(super) fn draw(app: &App, styles: Styles, area: Rect, buffer: &mut Buffer) {
    let text = app.ir();
    let count = text.lines().count();
    let note = if count > 0 { format!(" {} of {count} lines ", (app.ir_scroll + 1).min(count)) } else { String::new() };
    let kernel = app.launch().map_or(String::new(), |launch| format!(" {} ", launch.launch.kernel.name));
    let title = Line::from(format!(" {} {kernel}", app.form_title()));
    let inner = frame(app, styles, Pane::Ir, area, title, Line::from(Span::styled(note, styles::DIM)), buffer);
    if text.is_empty() {
        if let (Some(_), Some(_)) = (app.code.form, app.launch()) {
            explain(app, inner, buffer);
        } else {
            super::launches::nothing(app, inner, buffer);
        }
        return;
    }
    let digits = count.to_string().len();
    let top = app.ir_scroll.min(count.saturating_sub(1));
    for (at, (number, code)) in text.lines().enumerate().skip(top).enumerate() {
        let Some(area) = row(inner, at) else { break };
        let found = app.finds(code);
        let mut line = Line::from(Span::styled(format!(" {:>digits$} │ ", number + 1), styles::DIM));
        let room = (area.width as usize).saturating_sub(digits + 4);
        line.spans.extend(slide(Line::from(pieces(code)), app.sideways, room).spans);
        line.render(area, buffer);
        if found {
            buffer.set_style(area, styles::POINTED);
        }
    }
}

/// Why there is no code: it is being made, or it cannot be.
fn explain(app: &App, area: Rect, buffer: &mut Buffer) {
    let text = match app.generated() {
        Some(Err(why)) => why.clone(),
        Some(Ok(_)) => "the code is empty".to_string(),
        None => format!("{} is being made", app.form_title()),
    };
    let area = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    Paragraph::new(text).wrap(Wrap { trim: true }).render(area, buffer);
}

/// A line in the colours of its words: values, names, types, numbers, and what is done.
fn pieces(code: &str) -> Vec<Span<'static>> {
    if code.trim_start().starts_with("//") {
        return vec![Span::styled(code.to_string(), styles::DIM)];
    }
    let mut spans = Vec::new();
    let mut rest = code;
    let mut acts = true;
    while !rest.is_empty() {
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let first = rest.chars().next().unwrap_or(' ');
        let length = match first {
            '%' | '@' => 1 + rest[1..].find(|c| !word(c)).unwrap_or(rest.len() - 1),
            _ if word(first) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            _ => rest.find(|c| c == '%' || c == '@' || word(c)).unwrap_or(rest.len()),
        };
        let (piece, after) = rest.split_at(length);
        let style = match first {
            '%' => Style::new().fg(Color::Cyan),
            '@' => styles::BOLD,
            _ if first.is_ascii_digit() => Style::new().fg(Color::Green),
            // The first word of a statement, after the names of what it gives.
            _ if acts && word(first) => {
                acts = false;
                Style::new().fg(Color::Magenta)
            }
            _ => Style::new(),
        };
        spans.push(Span::styled(piece.to_string(), style));
        rest = after;
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_kept() {
        for code in ["  %0, %1 = load %x[:, 3] : f32[8]", "", "%", "kernel @k() { }", "µ % @"] {
            let text: String = pieces(code).iter().map(|span| span.content.to_string()).collect();
            assert_eq!(text, code);
        }
    }
}
