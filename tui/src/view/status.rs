//! The status line: what is looked at on the left, how it stands on the right.
//!
//! ```text
//!  matmul_kernel  f32[512,256], f32[256,256] → f32[512,256] · grid 4×2×4 = 32 programs             1 warning · 3 s ago
//! ```

use super::cut;
use crate::app::App;
use crate::styles::{self, Styles};
use pallas_engine::Severity;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::time::Duration;

/// One turn of the spinner; the ASCII one has the same width.
const SPINNER: [&str; 8] = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇", "⠏", "⠹"];
const ASCII_SPINNER: [&str; 4] = ["|", "/", "-", "\\"];

/// Draws the status line.
pub(super) fn draw(app: &App, styles: Styles, area: Rect, buffer: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let width = area.width as usize;
    let state = state(app, styles);
    // What is looked at comes first.
    let right = if state.width() + 12 <= width { state } else { Line::default() };
    let room = width.saturating_sub(right.width() + 2);
    let left = subject(app, room);
    left.render(area, buffer);
    let x = area.x + (width - right.width()) as u16;
    right.render(Rect { x, width: area.right() - x, ..area }, buffer);
}

/// Kernel, types and grid; what does not fit is left out, the kernel last.
fn subject(app: &App, room: usize) -> Line<'static> {
    let path = app.path.display().to_string();
    let Some(launch) = app.launch() else {
        return Line::from(Span::styled(cut(&format!(" {path}"), room), styles::BOLD));
    };
    let name = format!(" {}", launch.launch.kernel.name);
    let grid = format!(" · {}", launch.grid());
    let types = format!("  {}", launch.types());
    let left = room.saturating_sub(Line::from(name.as_str()).width());
    let mut line = Line::from(Span::styled(cut(&name, room), styles::BOLD));
    let (grid_width, types_width) = (Line::from(grid.as_str()).width(), Line::from(types.as_str()).width());
    if types_width + grid_width <= left {
        line.push_span(types);
    }
    if grid_width <= left {
        line.push_span(Span::styled(grid, styles::DIM));
    }
    line
}

/// Findings, and whether they are fresh.
fn state(app: &App, styles: Styles) -> Line<'static> {
    let mut parts: Vec<Span<'static>> = Vec::new();
    if let Some(why) = &app.unreadable {
        parts.push(Span::styled(cut(why, app.size.width as usize / 2), styles::severity(Severity::Error)));
    }
    if let Some(report) = &app.report {
        for (severity, word) in [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "note")] {
            let count = report.count(severity);
            if count > 0 {
                let text = crate::app::report::plural(count, word);
                parts.push(Span::styled(text, styles::severity(severity)));
            }
        }
        if report.findings.is_empty() {
            parts.push(Span::styled("no findings", styles::GOOD));
        }
    }
    if app.paused {
        parts.push(Span::styled(if app.stale { "PAUSED, file changed" } else { "PAUSED" }, styles::ACTIVE));
    }
    match (app.running, &app.report) {
        (Some(since), _) => {
            let elapsed = app.now.saturating_sub(since);
            let turn = (elapsed.as_millis() / 100) as usize;
            let text = format!("{} analysing {:.1} s", wheel(turn, styles), elapsed.as_secs_f64());
            parts.push(Span::styled(text, styles::ACTIVE));
        }
        (None, _) if app.run.is_some() => parts.push(Span::styled(running(app, styles), styles::ACTIVE)),
        (None, Some(report)) => {
            if let Some(ran) = report.ran.as_ref().filter(|ran| ran.stopped) {
                parts.push(Span::styled(format!("stopped after {}", duration(ran.took)), styles::ACTIVE));
            } else if let Some(ran) = report.ran.as_ref().filter(|ran| ran.exit != 0) {
                parts.push(Span::styled(
                    format!("failed with exit code {}", ran.exit),
                    styles::severity(Severity::Error),
                ));
            }
            let text = age(app.now.saturating_sub(app.reported));
            parts.push(Span::styled(text, styles::DIM));
        }
        (None, None) => {}
    }
    let mut line = Line::default();
    for (at, part) in parts.into_iter().enumerate() {
        if at > 0 {
            line.push_span(Span::styled(" · ", styles::DIM));
        }
        line.push_span(part);
    }
    line.push_span(" ");
    line
}

fn wheel(turn: usize, styles: Styles) -> &'static str {
    if styles.ascii { ASCII_SPINNER[turn % ASCII_SPINNER.len()] } else { SPINNER[turn % SPINNER.len()] }
}

/// `⠋ running matmul_kernel 42 % 1.3 s`
fn running(app: &App, styles: Styles) -> String {
    let Some(run) = &app.run else { return String::new() };
    let elapsed = app.now.saturating_sub(run.since);
    let wheel = wheel((elapsed.as_millis() / 100) as usize, styles);
    let launch = run.launch.as_ref().map_or(String::new(), |(kernel, done, programs)| {
        format!(" {kernel} {:>2} %", done.saturating_mul(100) / (*programs).max(1))
    });
    let verb = if crate::worker::is_report(&app.path) { "reading" } else { "running" };
    format!("{wheel} {verb}{launch} {:.1} s", elapsed.as_secs_f64())
}

/// Three digits and a unit: `850 µs`, `7.2 ms`, `1.3 s`.
pub(super) fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 1e-2 => format!("{:.1} ms", s * 1e3),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s => format!("{s:.1} s"),
    }
}

/// How long ago, in a width that hardly changes.
fn age(time: Duration) -> String {
    match time.as_secs() {
        0..2 => "just now".to_string(),
        seconds @ 2..60 => format!("{seconds} s ago"),
        seconds @ 60..3600 => format!("{} min ago", seconds / 60),
        seconds => format!("{} h ago", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_well() {
        assert_eq!(duration(Duration::from_micros(850)), "850 µs");
        assert_eq!(duration(Duration::from_micros(7_240)), "7.2 ms");
        assert_eq!(duration(Duration::from_millis(48)), "48 ms");
        assert_eq!(duration(Duration::from_millis(1_320)), "1.3 s");
        assert_eq!(age(Duration::from_millis(100)), "just now");
        assert_eq!(age(Duration::from_secs(59)), "59 s ago");
        assert_eq!(age(Duration::from_secs(61)), "1 min ago");
        assert_eq!(age(Duration::from_secs(7300)), "2 h ago");
    }
}
