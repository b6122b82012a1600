//! The findings, one line each, and under the list what is known about the selected one.
//!
//! ```text
//! ▸ warning PL120 matmul.py:18  the last block along dimension 0 stands out of the array by 12 rows
//!   info    PL301 matmul.py:28  this block is copied once for every program
//!
//!   program (3, 0, 0): rows 384..512 of x, which has 500
//!   help: mask the tail, or choose a block that divides 500
//! ```

use super::{cut, empty, frame, row};
use crate::app::report::Report;
use crate::app::{App, Pane};
use crate::styles::{self, Styles};
use crate::wrap::wrap;
use pallas_engine::{Finding, check};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// Draws the list, and the details where there is room for both.
pub(super) fn draw(app: &App, styles: Styles, area: Rect, buffer: &mut Buffer) {
    let shown = app.shown_findings();
    let count = shown.len();
    let selected = shown.iter().position(|finding| *finding == app.finding).unwrap_or(0);
    let filter = if app.filter.is_empty() { String::new() } else { format!(" FILTER {} ·", app.filter) };
    let note = if count > 1 || !filter.is_empty() {
        format!("{filter} {} of {count} ", (selected + 1).min(count))
    } else {
        String::new()
    };
    let inner = frame(app, styles, Pane::Findings, area, Line::from(" Findings "), Line::from(note), buffer);
    let Some(report) = app.report.as_ref() else { return };
    if report.findings.is_empty() {
        let checked = match report.launches.len() {
            0 => "no launches to check".to_string(),
            n => format!("{} checked", crate::app::report::plural(n, "launch")),
        };
        empty(inner, &["no findings", &checked], buffer);
        return;
    }
    if shown.is_empty() {
        empty(inner, &["no finding has this text", "press \\ to change the filter, esc to drop it"], buffer);
        return;
    }
    let details = app.finding().map(|finding| details(report, finding, inner.width as usize)).unwrap_or_default();
    let height = inner.height as usize;
    // Where there is no room for both, the list keeps a third, and the details are cut at their end.
    let wanted = count.max(1);
    let list = if height < 5 { height } else { wanted.min((height / 3).max(height.saturating_sub(details.len()))) };
    let top = first_shown(selected, count, list);
    let mut lines = 0;
    for &at in shown.iter().skip(top).take(list) {
        let Some(area) = row(inner, lines) else { break };
        entry(report, &report.findings[at], at == app.finding, app.focus == Pane::Findings, area, buffer);
        lines += 1;
    }
    for line in details {
        let Some(area) = row(inner, lines).filter(|_| height >= 5) else { break };
        line.render(area, buffer);
        lines += 1;
    }
}

/// The first entry on the screen so that the selected one is, about in the middle.
pub(crate) fn first_shown(selected: usize, count: usize, height: usize) -> usize {
    selected.saturating_sub(height / 2).min(count.saturating_sub(height))
}

fn entry(report: &Report, finding: &Finding, selected: bool, focused: bool, area: Rect, buffer: &mut Buffer) {
    let source = report.source_of(finding.span);
    let place = source.line_place(finding.span.start);
    let place = place.rsplit('/').next().unwrap_or(&place);
    let mark = if selected { "▸ " } else { "  " };
    let severity = format!("{:<7} ", finding.severity.name());
    let head = format!("{} {place}  ", finding.code);
    let width = area.width as usize;
    let message = cut(&finding.message, width.saturating_sub(mark.chars().count() + severity.len() + head.len()));
    let line = Line::from(vec![
        Span::raw(mark),
        Span::styled(severity, styles::severity(finding.severity)),
        Span::styled(head, styles::DIM),
        Span::raw(message),
    ]);
    line.render(area, buffer);
    if selected {
        buffer.set_style(area, if focused { styles::SELECTED } else { styles::BOLD });
    }
}

/// What is known about a finding: its message in full, its evidence, other places, and what to do.
fn details(report: &Report, finding: &Finding, width: usize) -> Vec<Line<'static>> {
    let mut lines = vec![Line::default()];
    let mut say = |head: &str, text: &str, style: Style| {
        let indent = head.chars().count();
        for (at, piece) in wrap(text, width.saturating_sub(indent + 1)).into_iter().enumerate() {
            let head = if at == 0 { head.to_string() } else { " ".repeat(indent) };
            lines.push(Line::from(vec![Span::styled(head, styles::DIM), Span::styled(piece, style)]));
        }
    };
    say("  ", &finding.message, styles::BOLD);
    if let Some(evidence) = &finding.evidence {
        say("  ", evidence, Style::new());
    }
    for label in &finding.labels {
        let source = report.source_of(label.span);
        let line = source.line_words(source.line_of(label.span.start));
        say("  ", &format!("{line}: {}", label.text), Style::new());
    }
    if let Some(help) = &finding.help {
        say("  help: ", help, Style::new());
    }
    let name = check::find(finding.code).map_or("", |rule| rule.name);
    let certainty = finding.certainty.name();
    say("  ", &format!("{certainty} · {name} · pallas-tui explain {}", finding.code), styles::DIM);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_the_selection_in_sight() {
        for count in 0..12 {
            for height in 1..14 {
                for selected in 0..count {
                    let top = first_shown(selected, count, height);
                    assert!((top..top + height).contains(&selected), "{selected} of {count} in {height}");
                }
            }
        }
    }
}
