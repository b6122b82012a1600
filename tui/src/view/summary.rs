//! How a launch stands: the model's verdict with where the time goes, what was measured, what would help, and what the
//! model does not know. Modelled and measured numbers stand apart.
//!
//! ```text
//! ┌ Summary  matmul_kernel ──────────────────────────────────────┐
//! │ bandwidth bound: 12.3 µs on TPU v5e, the processor is busy 25 % │
//! │                                                              │
//! │ modelled on TPU v5e                                          │
//! │   compute   3.1 µs   25 %  ██████▎                           │
//! ```

mod program;

use super::bars::{Part, bar, stacked};
use super::{frame, row};
use crate::app::layout::{self, Layout};
use crate::app::report::{grouped, plural};
use crate::app::{App, Pane};
use crate::report::comparison::share;
use crate::report::profile::left_out;
use crate::report::profile::words::{bytes, digits, flops, percent, scaled, time};
use crate::styles::{self, Depth, Ramp, Styles};
use crate::wrap::wrap;
use pallas_engine::report::{LaunchReport, Report, Stage, compare};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// Columns of the names in front of bars.
const NAME: usize = 10;

/// Draws the pane.
pub(super) fn draw(app: &App, styles: Styles, area: Rect, buffer: &mut Buffer) {
    let kernel = app.launch().map_or(String::new(), |launch| format!(" {} ", launch.launch.kernel.name));
    let note = Line::from(Span::styled(kernel, styles::DIM));
    let inner = frame(app, styles, Pane::Summary, area, Line::from(" Summary "), note, buffer);
    let lines = lines(app, styles, inner.width.saturating_sub(2) as usize);
    if lines.is_empty() {
        if app.report.is_some() {
            super::empty(
                inner,
                &["nothing to sum up", "call the function that launches, or press 7 for the source"],
                buffer,
            );
        }
        return;
    }
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let below = lines.len().saturating_sub(inner.height as usize);
    let top = app.summary_scroll.min(below);
    for (at, line) in lines.into_iter().skip(top).enumerate() {
        let Some(area) = row(inner, at) else { break };
        line.render(area, buffer);
    }
    let more = match below - top {
        0 => return,
        1 => " 1 more line ".to_string(),
        more => format!(" {more} more lines "),
    };
    if more.len() + 2 <= area.width as usize && area.height > 2 {
        let area = Rect { x: area.x + 1, y: area.bottom() - 1, width: area.width - 2, height: 1 };
        Line::from(Span::styled(more, styles::DIM)).right_aligned().render(area, buffer);
    }
}

/// The last line that it can be scrolled to, where it stands on the screen.
pub(crate) fn bottom(app: &App) -> usize {
    let Some(area) = Layout::of(app).pane(Pane::Summary) else { return 0 };
    let inner = layout::inside(area);
    let styles = Styles { depth: Depth::None, ascii: true, ramp: Ramp::default() };
    lines(app, styles, inner.width.saturating_sub(2) as usize).len().saturating_sub(inner.height as usize)
}

/// The launch, then the program around it; none where there is neither.
fn lines(app: &App, styles: Styles, width: usize) -> Vec<Line<'static>> {
    let mut lines = Lines { width, styles, lines: Vec::new() };
    if let Some((report, launch)) = app.profile() {
        lines.verdict(report, launch);
        lines.modelled(launch);
        lines.measured(app, launch);
        lines.changes(app, report);
        lines.advice(report, launch);
        lines.notes(report, launch);
    }
    lines.program(app);
    lines.lines
}

struct Lines {
    width: usize,
    styles: Styles,
    lines: Vec<Line<'static>>,
}

impl Lines {
    fn head(&mut self, text: String) {
        self.gap();
        self.say("", &text, styles::BOLD);
    }

    /// An empty line between what is said of one thing and of the next.
    fn gap(&mut self) {
        if !self.lines.is_empty() {
            self.lines.push(Line::default());
        }
    }

    /// A text over as many lines as it needs, behind an indent.
    fn say(&mut self, indent: &str, text: &str, style: Style) {
        for piece in wrap(text, self.width.saturating_sub(indent.len())) {
            self.lines.push(Line::from(vec![Span::raw(indent.to_string()), Span::styled(piece, style)]));
        }
    }

    /// `  compute   3.1 µs   25 %  ██████▎`
    fn bar(&mut self, name: &str, amount: f64, whole: f64, style: Style) {
        let part = if whole > 0.0 { amount / whole } else { 0.0 };
        let text = format!("  {name:<NAME$} {:>8} {:>6}  ", time(amount), percent(part));
        let room = self.width.saturating_sub(text.chars().count()).min(40);
        self.lines.push(Line::from(vec![Span::raw(text), bar(part, room, style, self.styles)]));
    }

    fn verdict(&mut self, report: &Report, launch: &LaunchReport) {
        let m = &launch.modelled;
        let text = format!(
            "{} bound: {} on {}, busy {}",
            m.bound,
            time(m.time),
            report.machine_of(launch).name,
            percent(m.utilisation)
        );
        self.say("", &text, styles::BOLD);
        if let Some(reason) = launch.machine.reason() {
            self.say("", &format!("{reason}; M takes another"), styles::DIM);
        }
        let why = match m.bound.as_str() {
            _ if m.lanes.as_ref().is_some_and(|lanes| lanes.complete) => match m.bound.as_str() {
                "compute" => "who computes hardly waits for copies, signals or others",
                "bandwidth" => "the path to memory, or the link to another device, is busy most of the time",
                _ => "who computes waits for copies, signals or others: the pipeline view says for which",
            },
            "compute" => "the kernel takes longer than the copies, which hide behind it",
            "bandwidth" => "the copies take longer than the kernel: the path to memory is always busy",
            // Nothing runs beside the first copy in and the last one out, however many slots there are.
            _ if m.stalls < m.fill + m.drain && launch.programs == 1 => {
                "one program has nobody to hide its copies behind: it waits for them to come, and then to leave"
            }
            _ => "programs wait for copies that could have been started earlier, with more slots or larger blocks",
        };
        self.say("", why, styles::DIM);
    }

    fn modelled(&mut self, launch: &LaunchReport) {
        let m = &launch.modelled;
        self.head(format!("modelled: {}", time(m.time)));
        let part = |amount, look| Part { amount, look };
        let parts = [
            part(m.fill, styles::COPY_IN),
            part(m.compute, styles::COMPUTE),
            part(m.stalls, styles::WAIT),
            part(m.drain, styles::COPY_OUT),
        ];
        let mut line = Line::from("  ");
        for span in stacked(&parts, m.time, self.width.saturating_sub(4).min(70)) {
            line.push_span(span);
        }
        self.lines.push(line);
        self.bar("fill", m.fill, m.time, styles::COPY_IN.style());
        self.bar("compute", m.compute, m.time, styles::COMPUTE.style());
        self.bar("stalls", m.stalls, m.time, styles::DIM);
        self.bar("drain", m.drain, m.time, styles::COPY_OUT.style());
        let copied = bytes(m.bytes.saturating_add(m.kernel_bytes));
        let work = match (m.flops, m.intensity) {
            (0, _) => format!("no FLOPs, {copied} copied"),
            (count, None) => format!("{}, nothing copied", flops(count)),
            (count, Some(value)) => format!("{}, {copied} copied: {} FLOP/B", flops(count), digits(value)),
        };
        self.say("  ", &work, Style::new());
    }

    fn measured(&mut self, app: &App, launch: &LaunchReport) {
        let Some(m) = &launch.measured else {
            let text = match (&app.run, app.report.as_ref().and_then(|report| report.ran.as_ref())) {
                (Some(_), _) => "measured: running",
                (None, Some(_)) => "not measured: this launch was not reached when the file ran",
                (None, None) => "not measured: the file has not run",
            };
            self.head(text.to_string());
            return;
        };
        let stale = app.launch().is_some_and(|launch| launch.stale);
        let runs = if m.runs > 1 { format!(" in {} runs", grouped(m.runs)) } else { String::new() };
        let programs = plural(usize::try_from(m.programs).unwrap_or(usize::MAX), "program");
        let when = if stale { " (before the last edit)" } else { "" };
        let on = if m.on_device.is_some() { "on" } else { "in" };
        self.head(format!("measured {on} {}, {programs}{runs}: {}{when}", m.device, time(m.time)));
        for (stage, spent) in [(Stage::CopyIn, m.copy_in), (Stage::Compute, m.compute), (Stage::CopyOut, m.copy_out)] {
            self.bar(stage.name(), spent, m.time, styles::stage(stage).style());
        }
    }

    /// What differs from the run before the last edit.
    fn changes(&mut self, app: &App, report: &Report) {
        let ran = app.report.as_ref().is_some_and(|shown| shown.ran.is_some());
        let before = app.previous.as_ref().and_then(|previous| previous.profile.as_deref()).filter(|_| ran);
        let Some(comparison) = before.and_then(|before| compare(before, report).ok()) else { return };
        // Launches of one kernel are numbered from the second on.
        let name = |at: usize| &report.launches[at].kernel;
        let same = (0..app.launch).filter(|&at| name(at) == name(app.launch)).count();
        let name = if same == 0 { name(app.launch).clone() } else { format!("{}#{}", name(app.launch), same + 1) };
        let own = comparison.changes.iter().filter(|change| change.launch == name && change.what == "time");
        let mut said = Vec::new();
        for change in own {
            let kind = if change.measured { "measured" } else { "modelled" };
            let words = if (change.share()).abs() < 0.005 { "the same".to_string() } else { share(change.share()) };
            said.push(format!("{kind} {} then, {} now: {words}", time(change.before), time(change.after)));
        }
        if comparison.new.contains(&name) {
            said.push("this launch is new".to_string());
        }
        if !said.is_empty() {
            self.head("since the run before".to_string());
            said.iter().for_each(|text| self.say("  ", text, Style::new()));
        }
    }

    fn advice(&mut self, report: &Report, launch: &LaunchReport) {
        let (m, advice) = (&launch.modelled, &launch.modelled.advice);
        let mut said: Vec<String> = Vec::new();
        let now = m.formulas.slots;
        let time_of = |slots: usize| advice.slots.iter().find(|choice| choice.slots == slots).map(|c| c.time);
        if let (Some(best), true) = (advice.best_slots, report.machine_of(launch).cores == 1)
            && let Some(faster) = time_of(best).filter(|time| best != now && *time < m.time * 0.99)
        {
            // JAX's lowering for TPUs refuses more than two in a `pallas_call`.
            let how = if best > 2 && report.machine_of(launch).name.starts_with("TPU") {
                ", which takes emit_pipeline"
            } else {
                ""
            };
            let change = share(faster / m.time - 1.0);
            said.push(format!("{best} slots instead of {now}: {} ({change}){how}", time(faster)));
        }
        for choice in advice.blocks.iter().filter(|choice| choice.time < m.time * 0.99).take(3) {
            let shape = |sizes: &Vec<usize>| {
                let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
                format!("({})", sizes.join(", "))
            };
            let operands = launch.operands.iter().zip(&choice.blocks).filter(|(operand, _)| operand.role != "prefetch");
            let blocks: Vec<String> =
                operands.map(|(operand, sizes)| format!("{} {}", operand.name, shape(sizes))).collect();
            let change = share(choice.time / m.time - 1.0);
            said.push(format!(
                "blocks {}: {} ({change}), {} bound",
                blocks.join(", "),
                time(choice.time),
                choice.bound
            ));
        }
        if said.is_empty() {
            return;
        }
        self.head("what would be faster, by the model".to_string());
        said.iter().for_each(|text| self.say("  ", text, Style::new()));
    }

    fn notes(&mut self, report: &Report, launch: &LaunchReport) {
        let m = &launch.modelled;
        let limit = report.machine_of(launch).on_chip.value;
        self.gap();
        let slots = match m.fits {
            _ if limit >= 1e17 => format!("slots and scratch take {}", bytes(m.on_chip)),
            true => format!("slots and scratch take {} of {} on chip", bytes(m.on_chip), scaled(limit, "B")),
            false => {
                format!("slots and scratch need {}, and there are {} on chip", bytes(m.on_chip), scaled(limit, "B"))
            }
        };
        let style = if m.fits { styles::DIM } else { styles::severity(pallas_engine::Severity::Error) };
        self.say("", &slots, style);
        for doubt in &m.unknown {
            let line = doubt.place.map_or(String::new(), |place| format!("{}: ", report.line_words(place)));
            self.say("", &format!("not known: {line}{}", doubt.what), styles::DIM);
        }
        for left in report.left_out.iter().filter(|left| left.call == launch.call) {
            self.say("", &left_out(report, left), styles::DIM);
        }
    }
}
