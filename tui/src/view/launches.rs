//! The launches of the file, one line each.
//!
//! ```text
//! ▸ matmul_kernel  4×2×4  f32[512,256], f32[256,256] → f32[512,256]  1 finding
//!   add_kernel     64     f32[512] → f32[512]
//! ```

use super::{cut, empty, frame, row};
use crate::app::report::{grouped, plural};
use crate::app::{App, Pane};
use crate::styles::{self, Styles};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// Draws the list.
pub(super) fn draw(app: &App, styles: Styles, area: Rect, buffer: &mut Buffer) {
    let count = app.report.as_ref().map_or(0, |report| report.launches.len());
    let note = if count > 1 { format!(" {} of {count} ", app.launch + 1) } else { String::new() };
    let inner = frame(app, styles, Pane::Launches, area, Line::from(" Launches "), Line::from(note), buffer);
    let Some(report) = app.report.as_ref().filter(|report| !report.launches.is_empty()) else {
        empty(inner, &["no launches", "a launch is a pallas_call that was reached"], buffer);
        return;
    };
    let names = report.launches.iter().map(|l| l.launch.kernel.name.chars().count()).max().unwrap_or(0);
    let grids: Vec<String> = report.launches.iter().map(|launch| grid(&launch.launch)).collect();
    let grid_width = grids.iter().map(|grid| grid.chars().count()).max().unwrap_or(0);
    let top = super::findings::first_shown(app.launch, count, inner.height as usize);
    for (at, launch) in report.launches.iter().enumerate().skip(top) {
        let Some(area) = row(inner, at - top) else { break };
        let selected = at == app.launch;
        let found = match launch.findings.len() {
            0 => String::new(),
            n => format!("  {}", plural(n, "finding")),
        };
        let text = format!(
            "{} {:<names$}  {:<grid_width$}  {}{found}",
            if selected { "▸" } else { " " },
            launch.launch.kernel.name,
            grids[at],
            launch.types(),
        );
        let style = match (selected, app.focus == Pane::Launches) {
            (true, true) => styles::SELECTED,
            (true, false) => styles::BOLD,
            (false, _) => ratatui::style::Style::new(),
        };
        let width = area.width as usize;
        let text = cut(&text, width);
        Line::from(Span::styled(format!("{text:<width$}"), style)).render(area, buffer);
    }
}

/// `4×2×4`
fn grid(launch: &pallas_engine::Launch) -> String {
    if !launch.dynamic.is_empty() {
        return launch.grid_words().join("×");
    }
    let extents: Vec<String> = launch.grid.iter().map(|&extent| grouped(extent)).collect();
    if extents.is_empty() { "no grid".to_string() } else { extents.join("×") }
}
