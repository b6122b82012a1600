//! Where the time of a launch goes, stage by stage and operand by operand: what the model says beside what was measured.
//! The two are never added: they are of different machines.
//!
//! ```text
//!   stage     operand  copies    bytes  modelled                measured
//!   copy_in   x            32  1.05 MB   1.28 µs  12 % ██       410 µs  30 % ███▏
//!   compute                            10.2 µs  88 % ████████▋  910 µs  66 % ██████▋
//! ```

use super::bars::bar;
use super::{cut, empty, frame, row};
use crate::app::{App, Pane};
use crate::report::profile::words::{bytes, percent, time};
use crate::styles::{self, Styles};
use pallas_engine::report::{LaunchReport, Stage};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// A stage of an operand.
struct Row {
    stage: Stage,
    operand: String,
    copies: Option<u64>,
    bytes: Option<u64>,
    modelled: Option<f64>,
    measured: Option<f64>,
}

/// How many rows the pane has.
pub(crate) fn count(launch: &LaunchReport) -> usize {
    rows(launch).len()
}

fn rows(launch: &LaunchReport) -> Vec<Row> {
    let m = &launch.modelled;
    let measured = launch.measured.as_ref();
    let name = |operand: usize| launch.operands.get(operand).map_or(String::new(), |operand| operand.name.clone());
    let mut rows = Vec::new();
    for stage in [Stage::CopyIn, Stage::Compute, Stage::CopyOut] {
        if stage == Stage::Compute {
            rows.push(Row {
                stage,
                operand: String::new(),
                copies: None,
                bytes: None,
                modelled: Some(m.compute),
                measured: measured.map(|measured| measured.compute),
            });
            continue;
        }
        let streams = m.schedule.streams.iter().filter(|stream| stream.output == (stage == Stage::CopyOut));
        let mut seen: Vec<usize> = Vec::new();
        for stream in streams {
            seen.push(stream.operand);
            let all = stream.block_bytes.saturating_mul(stream.copies);
            let (over, per) = m.schedule.per_byte;
            let transfer = all as f64 * over as f64 / per.max(1) as f64 / 1e6;
            let found = measured.and_then(|measured| {
                measured.operands.iter().find(|sum| sum.operand == stream.operand && sum.stage == stage)
            });
            rows.push(Row {
                stage,
                operand: name(stream.operand),
                copies: Some(stream.copies),
                bytes: Some(all),
                // Cores share the path.
                modelled: Some(transfer / m.schedule.stride.max(1) as f64),
                measured: measured.map(|_| found.map_or(0.0, |sum| sum.time)),
            });
        }
        let others = measured.iter().flat_map(|measured| &measured.operands).filter(|sum| sum.stage == stage);
        for sum in others.filter(|sum| !seen.contains(&sum.operand)) {
            rows.push(Row {
                stage,
                operand: name(sum.operand),
                copies: Some(sum.copies),
                bytes: Some(sum.bytes),
                modelled: None,
                measured: Some(sum.time),
            });
        }
    }
    rows
}

/// Draws the pane.
pub(super) fn draw(app: &App, styles: Styles, area: Rect, buffer: &mut Buffer) {
    let profile = app.profile();
    let kernel = app.launch().map_or(String::new(), |launch| format!(" {} ", launch.launch.kernel.name));
    let note = Line::from(Span::styled(kernel, styles::DIM));
    let inner = frame(app, styles, Pane::Timings, area, Line::from(" Stages "), note, buffer);
    let Some((report, launch)) = profile else {
        if app.report.is_some() {
            empty(inner, &["no launches", "a launch is a pallas_call that was reached"], buffer);
        }
        return;
    };
    let rows = rows(launch);
    let names = rows.iter().map(|row| row.operand.chars().count()).max().unwrap_or(0).clamp(7, 16);
    let fixed = 1 + 8 + 2 + names + 2 + 7 + 2 + 8 + 2;
    let width = inner.width as usize;
    // A time, a share, and a bar of what is left, twice.
    let each = width.saturating_sub(fixed) / 2;
    let room = each.saturating_sub(8 + 1 + 6 + 2 + 2).min(30);
    let m = &launch.modelled;
    let whole = launch.measured.as_ref().map_or(0.0, |measured| measured.time);
    let stale = app.launch().is_some_and(|launch| launch.stale);
    let heads = (format!("on {}", report.machine.name), if stale { "measured before" } else { "measured here" });
    let head = format!(
        " {:<8}  {:<names$}  {:>7}  {:>8}  {:<each$}{}",
        "stage",
        "operand",
        "copies",
        "bytes",
        cut(&heads.0, each.saturating_sub(2)),
        heads.1
    );
    if let Some(area) = row(inner, 0) {
        Line::from(Span::styled(cut(&head, width), styles::DIM)).render(area, buffer);
    }
    for (at, found) in rows.iter().enumerate() {
        let Some(area) = row(inner, at + 1) else { break };
        let look = styles::stage(found.stage).style();
        let mut line = Line::from(" ");
        line.push_span(Span::styled(format!("{:<8}", found.stage.name()), look));
        line.push_span(Span::raw(format!(
            "  {:<names$}  {:>7}  {:>8}  ",
            cut(&found.operand, names),
            found.copies.map_or(String::new(), short),
            found.bytes.map_or(String::new(), bytes),
        )));
        for (spent, whole, none) in [(found.modelled, m.time, "not modelled"), (found.measured, whole, "")] {
            match spent {
                Some(spent) => {
                    let share = if whole > 0.0 { spent / whole } else { 0.0 };
                    line.push_span(Span::raw(format!("{:>8} {:>6}  ", time(spent), percent(share))));
                    line.push_span(bar(share, room, look, styles));
                    line.push_span(Span::raw(" ".repeat(each.saturating_sub(8 + 1 + 6 + 2 + room))));
                }
                None => line.push_span(Span::styled(format!("{none:<each$}"), styles::DIM)),
            }
        }
        line.render(area, buffer);
    }
    let total = rows.len() + 1;
    let verdict = format!(
        " {:<8}  {:<names$}  {:>7}  {:>8}  {:<each$}{}",
        "launch",
        "",
        "",
        bytes(m.bytes),
        format!("{:>8}", time(m.time)),
        match &launch.measured {
            Some(measured) => format!("{:>8}", time(measured.time)),
            None if app.run.is_some() => "running".to_string(),
            None => "not run".to_string(),
        },
    );
    if let Some(area) = row(inner, total) {
        Line::from(Span::styled(cut(&verdict, width), styles::BOLD)).render(area, buffer);
    }
    let note = "on the machine copies run beside the kernel: shares are of the whole time";
    if let Some(area) = row(inner, total + 1) {
        Line::from(Span::styled(cut(&format!(" {note}"), width), Style::new().patch(styles::DIM))).render(area, buffer);
    }
}

/// A count in at most seven columns.
fn short(count: u64) -> String {
    if count < 1_000_000 { count.to_string() } else { crate::report::profile::words::scaled(count as f64, "") }
}
