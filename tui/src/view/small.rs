//! A terminal below the smallest layout: the verdict, and what size is needed.

use super::{cut, row};
use crate::app::App;
use crate::app::layout::SMALLEST;
use crate::styles;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// Draws what there is room for, under the status line.
pub(super) fn draw(app: &App, buffer: &mut Buffer) {
    let area = Rect { x: 0, y: 1, width: buffer.area.width, height: buffer.area.height.saturating_sub(1) };
    let size = app.size;
    let mut lines: Vec<Span<'static>> = Vec::new();
    if let Some(report) = &app.report {
        lines.push(Span::raw(format!(" {}", report.verdict())));
        if let Some(finding) = app.finding() {
            lines.push(Span::raw(format!(" {} {}", finding.code, finding.message)));
        }
    }
    lines.push(Span::styled(
        format!(" too small: {}×{}, need {}×{}", size.width, size.height, SMALLEST.width, SMALLEST.height),
        styles::DIM,
    ));
    for (at, span) in lines.into_iter().enumerate() {
        if let Some(area) = row(area, at) {
            let text = cut(&span.content, area.width as usize);
            Line::from(Span::styled(text, span.style)).render(area, buffer);
        }
    }
}
