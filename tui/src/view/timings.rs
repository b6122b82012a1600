//! Where the time of a launch goes, stage by stage and operand by operand: what the model says beside what was measured.
//! The two are never added: they are of different machines.
//!
//! ```text
//!   stage     operand  copies    bytes  modelled                measured
//!   copy_in   x            32  1.05 MB   1.28 µs  12 % ██       410 µs  30 % ███▏
//!   compute                            10.2 µs  88 % ████████▋  910 µs  66 % ██████▋
//! ```

use super::bars::bar;
use super::{cut, frame, row};
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
    let rows = profile.map_or(Vec::new(), |(_, launch)| rows(launch));
    let names = rows.iter().map(|row| row.operand.chars().count()).max().unwrap_or(0).clamp(7, 16);
    let fit = Fit::new((area.width as usize).saturating_sub(2), names);
    let mut title = match fit.left_out() {
        Some(missing) if !rows.is_empty() => format!(" Stages, too narrow for {missing} "),
        _ => " Stages ".to_string(),
    };
    // The head and the sums have a line each, the frame two.
    let hidden = (rows.len() + 4).saturating_sub(area.height as usize);
    if hidden > 0 {
        title.push_str(&format!("+{hidden} lines "));
    }
    let inner = frame(app, styles, Pane::Timings, area, Line::from(title), note, buffer);
    let Some((report, launch)) = profile else {
        super::launches::nothing(app, inner, buffer);
        return;
    };
    let width = inner.width as usize;
    // A time, a share, and a bar of what is left, twice.
    let each = fit.each;
    let room = each.saturating_sub(8 + 1 + 6 + 2 + 2).min(30);
    let m = &launch.modelled;
    let whole = launch.measured.as_ref().map_or(0.0, |measured| measured.time);
    let stale = app.launch().is_some_and(|launch| launch.stale);
    let on_device = launch.measured.as_ref().is_some_and(|measured| measured.on_device.is_some());
    let here = match (stale, on_device) {
        (true, _) => "measured before",
        (false, true) => "measured, of a lane",
        (false, false) => "measured here",
    };
    let heads = (format!("on {}", report.machine_of(launch).name), here);
    let begin = |stage: &str, operand: &str, copies: &str, bytes: &str| {
        let mut text = format!("{stage:<8}  {:<names$}  ", cut(operand, names));
        if fit.copies {
            text.push_str(&format!("{copies:>7}  "));
        }
        if fit.bytes {
            text.push_str(&format!("{bytes:>8}  "));
        }
        text
    };
    let head = format!(
        " {}{:<each$}{}",
        begin("stage", "operand", "copies", "bytes"),
        cut(&heads.0, each.saturating_sub(2)),
        heads.1
    );
    if let Some(area) = row(inner, 0) {
        Line::from(Span::styled(cut(&head, width), styles::DIM)).render(area, buffer);
    }
    for (at, found) in rows.iter().enumerate() {
        let Some(area) = row(inner, at + 1) else { break };
        let look = styles::stage(found.stage).style();
        let (copies, bytes) = (found.copies.map_or(String::new(), short), found.bytes.map_or(String::new(), bytes));
        let text = begin(found.stage.name(), &found.operand, &copies, &bytes);
        let (stage, rest) = text.split_at(8);
        let mut line = Line::from(" ");
        line.push_span(Span::styled(stage.to_string(), look));
        line.push_span(Span::raw(rest.to_string()));
        for (spent, whole, none) in [(found.modelled, m.time, "not modelled"), (found.measured, whole, "")] {
            let Some(spent) = spent else {
                line.push_span(Span::styled(format!("{:<each$}", cut(none, each)), styles::DIM));
                continue;
            };
            let share = if whole > 0.0 { spent / whole } else { 0.0 };
            let mut text = format!("{:>8}", time(spent));
            if fit.shares {
                text.push_str(&format!(" {:>6}  ", percent(share)));
            }
            let (used, bar_room) = (text.chars().count(), if fit.shares { room } else { 0 });
            line.push_span(Span::raw(text));
            line.push_span(bar(share, bar_room, look, styles));
            line.push_span(Span::raw(" ".repeat(each.saturating_sub(used + bar_room))));
        }
        line.render(area, buffer);
    }
    let total = rows.len() + 1;
    let verdict = format!(
        " {}{:<each$}{}",
        begin("launch", "", "", &bytes(m.bytes.saturating_add(m.kernel_bytes))),
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

/// Which columns there is room for. Those that say the least of where the time goes are left out first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fit {
    copies: bool,
    bytes: bool,
    shares: bool,
    /// Columns of what is modelled, and of what was measured.
    each: usize,
}

/// A time, with a column between it and the next.
const TIME: usize = 9;
/// A time and a share.
const SHARED: usize = TIME + 7;

impl Fit {
    /// Columns in front of the times.
    fn fixed(names: usize, copies: bool, bytes: bool) -> usize {
        1 + 8 + 2 + names + 2 + if copies { 9 } else { 0 } + if bytes { 10 } else { 0 }
    }

    fn new(width: usize, names: usize) -> Fit {
        let choices = [(true, true, true), (false, true, true), (false, false, true), (false, false, false)];
        let fits = |(copies, bytes, shares): (bool, bool, bool)| {
            let each = width.saturating_sub(Fit::fixed(names, copies, bytes)) / 2;
            (each >= if shares { SHARED } else { TIME }).then_some(Fit { copies, bytes, shares, each })
        };
        let least = Fit { copies: false, bytes: false, shares: false, each: TIME };
        choices.into_iter().find_map(fits).unwrap_or(least)
    }

    /// What is not on the screen.
    fn left_out(self) -> Option<String> {
        let missing = [("copies", self.copies), ("bytes", self.bytes), ("shares", self.shares)];
        let missing: Vec<&str> = missing.into_iter().filter(|(_, shown)| !shown).map(|(name, _)| name).collect();
        (!missing.is_empty()).then(|| missing.join(", "))
    }
}

/// A count in at most seven columns.
fn short(count: u64) -> String {
    if count < 1_000_000 { count.to_string() } else { crate::report::profile::words::scaled(count as f64, "") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_do_not_fit_are_named() {
        let whole = Fit::new(200, 7);
        assert!(whole.copies && whole.bytes && whole.shares);
        assert_eq!(whole.left_out(), None);
        let narrow = Fit::new(58, 7);
        assert!(!narrow.copies && !narrow.bytes && narrow.shares, "{narrow:?}");
        assert_eq!(narrow.left_out().as_deref(), Some("copies, bytes"));
        for (width, names) in (0..200).flat_map(|width| [7, 16].map(|names| (width, names))) {
            let fit = Fit::new(width, names);
            let all = fit.copies && fit.bytes && fit.shares;
            let used = Fit::fixed(names, fit.copies, fit.bytes) + 2 * fit.each;
            assert!(used <= width || fit.each == TIME, "{width} {fit:?}");
            assert_eq!(all, width >= Fit::fixed(names, true, true) + 2 * SHARED, "{width}");
        }
    }
}
