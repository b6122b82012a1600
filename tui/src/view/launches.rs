//! The launches of the file, one line each: how long each takes, what holds it up, what was measured and found.
//!
//! ```text
//!   kernel         grid   modelled  bound      busy  measured  findings   arrays
//! ▸ matmul_kernel  4×2×4   12.3 µs  bandwidth  71 %    3.1 ms  1 warning  f32[512,256], f32[256,256] → f32[512,256]
//!   add_kernel     64      5.21 µs  latency     4 %   12.1 µs             f32[512] → f32[512]
//! ```

use super::table::{Column, Table};
use super::{empty, frame};
use crate::app::report::{LaunchReport, Report, grouped, plural};
use crate::app::{App, Pane};
use crate::report::profile::words::{percent, time};
use crate::styles::{self, Styles};
use pallas_engine::Severity;
use pallas_engine::report as profile;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Draws the list.
pub(super) fn draw(app: &App, styles: Styles, area: Rect, buffer: &mut Buffer) {
    let count = app.report.as_ref().map_or(0, |report| report.launches.len());
    let machine = app
        .profile()
        .map_or(String::new(), |(profile, launch)| format!("modelled on {} ", profile.machine_of(launch).name));
    let left_out: u64 = app.profile().map_or(0, |(profile, _)| profile.left_out.iter().map(|left| left.launches).sum());
    let more = match usize::try_from(left_out).unwrap_or(usize::MAX) {
        0 => String::new(),
        more => format!(", {} more not listed", grouped(more)),
    };
    let note =
        if count > 1 { format!(" {} of {count}{more} · {machine}", app.launch + 1) } else { format!(" {machine}") };
    let note = Line::from(Span::styled(if machine.is_empty() { String::new() } else { note }, styles::DIM));
    let inner = frame(app, styles, Pane::Launches, area, Line::from(" Launches "), note, buffer);
    let Some(report) = app.report.as_ref().filter(|report| !report.launches.is_empty()) else {
        nothing(app, inner, buffer);
        return;
    };
    let columns = columns(report);
    let style = if app.focus == Pane::Launches { styles::SELECTED } else { styles::BOLD };
    let top = super::findings::first_shown(app.launch, count, (inner.height as usize).saturating_sub(1));
    Table { columns: &columns, top, selected: Some((app.launch, style)) }.draw(inner, buffer);
}

fn columns(report: &Report) -> Vec<Column> {
    let profiles = || {
        let profile = report.profile.as_deref();
        (0..report.launches.len()).map(move |at| profile.and_then(|profile| profile.launches.get(at)))
    };
    let number =
        |of: fn(&profile::LaunchReport) -> String| profiles().map(move |launch| launch.map_or(String::new(), of));
    let each = || report.launches.iter().zip(profiles());
    vec![
        Column::text("kernel", report.launches.iter().map(|launch| launch.launch.kernel.name.to_string())),
        Column::text("grid", report.launches.iter().map(|launch| grid(&launch.launch))),
        Column::numbers("modelled", number(|launch| time(launch.modelled.time))),
        Column::text("bound", number(|launch| launch.modelled.bound.clone())),
        Column::numbers("busy", number(|launch| percent(launch.modelled.utilisation))),
        Column::numbers("measured", each().map(|(shown, launch)| measured(report, shown, launch))),
        Column::styled("findings", report.launches.iter().map(|launch| findings(report, launch))),
        Column::text("arrays", report.launches.iter().map(LaunchReport::types)),
    ]
}

fn measured(report: &Report, shown: &LaunchReport, launch: Option<&profile::LaunchReport>) -> String {
    match launch.and_then(|launch| launch.measured.as_ref()) {
        Some(measured) if shown.stale => format!("was {}", time(measured.time)),
        Some(measured) => time(measured.time),
        None if report.ran.is_some() => "not run".to_string(),
        None => String::new(),
    }
}

/// How many of the gravest findings there are, and how many others.
fn findings(report: &Report, launch: &LaunchReport) -> (String, Style) {
    let count = |severity| launch.findings.iter().filter(|&&at| report.findings[at].severity == severity).count();
    for (severity, word) in [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "note")] {
        let found = count(severity);
        if found > 0 {
            let more = launch.findings.len() - found;
            let more = if more > 0 { format!(" +{more}") } else { String::new() };
            return (format!("{}{more}", plural(found, word)), styles::severity(severity));
        }
    }
    ("none".to_string(), styles::DIM)
}

/// What every pane about a launch says where there is none: why, and what to do.
pub(super) fn nothing(app: &App, area: Rect, buffer: &mut Buffer) {
    match (&app.report, &app.unreadable) {
        (None, Some(why)) => empty(area, &[why, "save it, or press r to try again"], buffer),
        (None, None) => empty(area, &["analysing"], buffer),
        (Some(report), _) if report.findings.is_empty() => empty(
            area,
            &["no kernel is launched in this file", "a launch is a pallas_call that is reached when the file runs"],
            buffer,
        ),
        (Some(_), _) => {
            empty(area, &["no kernel was launched", "the findings say why: press { or } to go through them"], buffer)
        }
    }
}

/// `4×2×4`
fn grid(launch: &pallas_engine::Launch) -> String {
    if !launch.dynamic.is_empty() {
        return launch.grid_words().join("×");
    }
    let extents: Vec<String> = launch.grid.iter().map(|&extent| grouped(extent)).collect();
    if extents.is_empty() { "none".to_string() } else { extents.join("×") }
}
