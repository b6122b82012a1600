//! The lines of the kernel that cost something, the dearest first: measured time, modelled FLOPs, and the code.
//!
//! ```text
//!   line  measured              FLOPs          code
//! ▸   12    4.1 ms  92 % ████▋  33.6 M  100 %  o_ref[...] += x_ref[...] @ y_ref[...]
//! ```

use super::bars::bar;
use super::{cut, empty, frame, row};
use crate::app::costs::LineCost;
use crate::app::{App, Pane};
use crate::report::profile::words::{percent, scaled, time};
use crate::styles::{self, Styles};
use pallas_engine::SourceFile;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// Draws the pane.
pub(super) fn draw(app: &App, styles: Styles, area: Rect, buffer: &mut Buffer) {
    let costs = app.costs();
    let sampled =
        app.profile().and_then(|(_, launch)| launch.measured.as_ref()).map_or(String::new(), |measured| match measured
            .programs
        {
            1 => " measured in its one program ".to_string(),
            programs => format!(" measured in {} of {programs} programs ", measured.line_programs),
        });
    let note = Line::from(Span::styled(sampled, styles::DIM));
    let inner = frame(app, styles, Pane::Lines, area, Line::from(" Lines of the kernel "), note, buffer);
    if costs.is_empty() {
        if app.launch().is_none() {
            super::launches::nothing(app, inner, buffer);
        } else {
            let is_measured = app.profile().is_some_and(|(_, launch)| launch.measured.is_some());
            let why = match is_measured {
                true => "the kernel does no arithmetic, and its time is not measured line by line",
                false => "the kernel does no arithmetic, and has not run",
            };
            empty(inner, &["no line is known to cost anything", why], buffer);
        }
        return;
    }
    let time_of_all: f64 = costs.iter().map(|cost| cost.time).sum();
    let flops_of_all: u64 = costs.iter().map(|cost| cost.flops).fold(0, u64::saturating_add);
    let measured = time_of_all > 0.0;
    let digits = costs.iter().map(|cost| line_of(app, cost).len()).max().unwrap_or(1).max(4);
    let room = if inner.width >= 90 { 16 } else { 6 };
    let head = if measured {
        let work = if flops_of_all > 0 { format!("  {:>7} {:>6}", "FLOPs", "") } else { String::new() };
        format!("  {:>digits$}  {:>8} {:>6}  {:<room$}{work}  code", "line", "measured", "", "")
    } else {
        format!("  {:>digits$}  {:>7} {:>6}  {:<room$}  code", "line", "FLOPs", "", "")
    };
    if let Some(area) = row(inner, 0) {
        Line::from(Span::styled(cut(&head, inner.width as usize), styles::DIM)).render(area, buffer);
    }
    let top = super::findings::first_shown(app.cost_line, costs.len(), (inner.height as usize).saturating_sub(1));
    for (at, cost) in costs.iter().enumerate().skip(top) {
        let Some(area) = row(inner, at - top + 1) else { break };
        let selected = at == app.cost_line;
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let of_time = share(cost.time, time_of_all);
        let of_flops = share(cost.flops as f64, flops_of_all as f64);
        let flops = if cost.flops > 0 { scaled(cost.flops as f64, "") } else { "0".to_string() };
        let look = styles::COMPUTE.style();
        let mut line = Line::from(format!("{} {:>digits$}  ", if selected { "▸" } else { " " }, line_of(app, cost)));
        if measured {
            line.push_span(Span::raw(format!("{:>8} {:>6}  ", time(cost.time), percent(of_time))));
            line.push_span(bar(of_time, room, look, styles));
            let work = format!("  {:>7} {:>6}", flops.trim(), percent(of_flops));
            line.push_span(Span::raw(if flops_of_all > 0 { work } else { String::new() }));
            line.push_span(Span::raw("  "));
        } else {
            line.push_span(Span::raw(format!("{:>7} {:>6}  ", flops.trim(), percent(of_flops))));
            line.push_span(bar(of_flops, room, look, styles));
            line.push_span(Span::raw("  "));
        }
        line.push_span(Span::raw(cut(&code(app, cost), (inner.width as usize).saturating_sub(line.width()))));
        line.render(area, buffer);
        if selected {
            let style = if app.focus == Pane::Lines { styles::SELECTED } else { styles::BOLD };
            buffer.set_style(area, style);
        }
    }
}

/// The text of a line, without its indent.
fn code(app: &App, cost: &LineCost) -> String {
    source_of(app, cost).map_or(String::new(), |source| source.line(cost.line).trim().to_string())
}

/// The number of a line; in a notebook `cell 3:2`.
fn line_of(app: &App, cost: &LineCost) -> String {
    match source_of(app, cost).map(|source| source.shown_line(cost.line)) {
        Some((Some(cell), line)) => format!("cell {}:{line}", cell.number),
        _ => cost.line.to_string(),
    }
}

fn source_of<'a>(app: &'a App, cost: &LineCost) -> Option<&'a SourceFile> {
    let mut sources = app.report.iter().flat_map(|report| &report.sources);
    sources.find(|source| source.id.0 == cost.file).map(|source| &**source)
}
