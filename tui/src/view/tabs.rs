//! The tabs: the views with their digits, and whether the file is watched.
//!
//! ```text
//!  1 Overview │ 2 Grid │ 3 Blocks │ 4 Source │ 5 Findings (2)                                      watching · ? help
//! ```

use crate::app::{App, View};
use crate::styles;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// Draws the tabs.
pub(super) fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let mut line = Line::from(" ");
    let tab = |name: String, active: bool| {
        let style = if active { styles::SELECTED } else { ratatui::style::Style::new() };
        Span::styled(name, style)
    };
    let findings = app.report.as_ref().map_or(0, |report| report.findings.len());
    for (at, view) in View::ALL.into_iter().enumerate() {
        let count = if view == View::Findings && findings > 0 { format!(" ({findings})") } else { String::new() };
        if at > 0 {
            line.push_span(Span::styled(" │ ", styles::DIM));
        }
        line.push_span(tab(format!("{} {}{count}", at + 1, view.name()), app.view == view));
    }
    let watching = match &app.watch_problem {
        _ if app.paused => "not watching",
        Some(_) => "watching slowly",
        None => "watching",
    };
    let right = Line::from(Span::styled(format!("{watching} · ? help "), styles::DIM));
    if line.width() + right.width() < area.width as usize {
        right.right_aligned().render(area, buffer);
    }
    line.render(area, buffer);
}
