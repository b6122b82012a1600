//! The tabs: the overview and the panes with their digits, and whether the file is watched.
//!
//! ```text
//!  1 Overview │ 2 Grid │ 3 Blocks │ 4 Source │ 5 Findings (2) │ 6 Launches (4)                      watching · ? help
//! ```

use crate::app::{App, Pane};
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
    line.push_span(tab("1 Overview".to_string(), !app.maximised));
    let (findings, launches) = app.report.as_ref().map_or((0, 0), |r| (r.findings.len(), r.launches.len()));
    for (at, pane) in Pane::ALL.into_iter().enumerate() {
        let count = match pane {
            Pane::Findings if findings > 0 => format!(" ({findings})"),
            Pane::Launches if launches > 1 => format!(" ({launches})"),
            _ => String::new(),
        };
        line.push_span(Span::styled(" │ ", styles::DIM));
        line.push_span(tab(format!("{} {}{count}", at + 2, pane.name()), app.maximised && app.focus == pane));
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
