//! The software pipeline in time: what each buffer slot and the processor do, step by step, by the model and as measured;
//! and what the schedule says of the step at the cursor. From afar each column stands for several whole steps, and its
//! height for the share of their time.
//!
//! ```text
//! ┌ Pipeline  steps 0 to 7 of 32 ──────────────────────────────────────────┐
//! │ modelled    0 ns        500 ns        1 µs                             │
//! │ x slot 0    ▒0▒▒▒▒▒▒▒▒▒──────▒2▒▒▒▒▒▒▒▒▒                               │
//! │ x slot 1    ▒1▒▒▒▒▒▒▒▒▒▒─────────                                      │
//! │ compute     ┄┄┄┄┄┄┄┄┄┄┄█0█┄┄┄█1█                                       │
//! │ step        0─────────────┤1                                           │
//! └────────────────────────────────────────────────────────────────────────┘
//! ```

use super::{cut, empty, frame, row};
use crate::app::report::{grouped, tuple};
use crate::app::timeline::{Lane, Lanes, Slice, Timeline};
use crate::app::{App, Pane};
use crate::report::profile::words::{bytes, percent, time};
use crate::styles::{self, Depth, Styles};
use pallas_engine::pipeline::{Instruction, Timing};
use pallas_engine::report::{LaunchReport, Stage};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::ops::Range;

/// Lines that the step at the cursor is told in.
const TOLD: u16 = 9;

/// Columns of the lanes' names, for a pane of this width.
fn names(launch: &LaunchReport, width: u16) -> u16 {
    let longest = launch.operands.iter().map(|operand| operand.name.chars().count()).max().unwrap_or(0);
    u16::try_from(longest + 9).unwrap_or(u16::MAX).clamp(12, 24).min(width / 3)
}

/// Columns of the lanes in a pane of this width.
pub(crate) fn columns(launch: &LaunchReport, width: u16) -> usize {
    usize::from(width.saturating_sub(names(launch, width) + 2))
}

/// Draws the pane.
pub(super) fn draw(app: &App, styles: Styles, area: Rect, buffer: &mut Buffer) {
    let inside = crate::app::layout::inside(area);
    let timeline = app.profile().and_then(|(_, launch)| app.timeline(columns(launch, inside.width)));
    let lanes = app.profile().and_then(|(_, launch)| launch.modelled.lanes.as_ref()).filter(|_| !app.has_own_lanes());
    let title = match &timeline {
        Some(_) if lanes.is_some() => format!(" Pipeline  {} ", lanes.map_or("", |lanes| lanes.of_whom())),
        Some(timeline) => {
            let last = timeline.first + timeline.count;
            let folded = match timeline.fold {
                0 => String::new(),
                1 => " · 1 column = 1 step".to_string(),
                fold => format!(" · 1 column = {} steps", grouped(fold)),
            };
            let (first, last) = (grouped(timeline.first), grouped(last.saturating_sub(1)));
            let steps = if first == last { format!("step {first}") } else { format!("steps {first} to {last}") };
            format!(" Pipeline  {steps} of {}{folded} ", grouped(timeline.steps))
        }
        None => " Pipeline ".to_string(),
    };
    let note = match app.profile() {
        _ if app.playing => " PLAYING ".to_string(),
        Some((report, launch)) if report.machine_of(launch).cores > 1 => {
            format!(" one of {} cores ", report.machine_of(launch).cores)
        }
        _ => String::new(),
    };
    let note = Line::from(Span::styled(note, styles::ACTIVE));
    let inner = frame(app, styles, Pane::Pipeline, area, Line::from(title), note, buffer);
    let Some(((report, launch), timeline)) = app.profile().zip(timeline) else {
        match app.launch() {
            Some(_) => empty(inner, &["nothing to schedule", "a launch with programs is needed"], buffer),
            None => super::launches::nothing(app, inner, buffer),
        }
        return;
    };
    let painter = Painter { app, styles, timeline: &timeline, names: names(launch, inner.width) };
    let told = if inner.height >= 20 { TOLD } else { TOLD.min(inner.height / 4) };
    let bottom = inner.bottom().saturating_sub(told);
    let mut y = inner.y;
    let m = &launch.modelled;
    let rehearsed = m.lanes.as_ref().filter(|lanes| lanes.complete);
    let own = match m.kernel_bytes {
        _ if rehearsed.is_some() => String::new(),
        0 => String::new(),
        own => {
            let least = own as f64 / report.machine_of(launch).bandwidth.value * 1e9;
            format!(", without the {} that the kernel copies itself: at least {}", bytes(own), time(least))
        }
    };
    let busy = percent(m.utilisation);
    let head = format!("modelled on {}: {}, busy {busy}{own}", report.machine_of(launch).name, time(m.time));
    if !app.has_own_lanes() {
        // What the launch itself copies and computes is a part of the lanes then, and all of that is there.
        Line::from(Span::styled(cut(&head, inner.width as usize - 1), styles::BOLD))
            .render(Rect { x: inner.x + 1, y, width: inner.width - 1, height: 1 }, buffer);
        y += 1;
    } else {
        let head = match (rehearsed, app.timing()) {
            (Some(_), Some(timing)) => {
                let own = crate::app::timeline::nanoseconds(timing.totals().time);
                format!("{head}; the blocks that the launch copies, by themselves: {}", time(own))
            }
            _ => head,
        };
        y = painter.group(&timeline.modelled, &head, true, Rect { y, height: bottom - y, ..inner }, buffer);
    }
    if let Some(lanes) = &m.lanes {
        let chosen = super::lanes::Chosen {
            lane: app.rehearsed_lane(),
            event: app.rehearsed_event(),
            focus: app.focus == Pane::Pipeline,
        };
        y = super::lanes::draw(
            lanes,
            &format!("{}, who waits for whom", lanes.of_whom()),
            chosen,
            styles,
            Rect { y, height: bottom.saturating_sub(y), ..inner },
            buffer,
        );
    }
    let between = app.between().map(|between| super::span::words(app, &between));
    if let Some(words) = between.filter(|_| y < bottom) {
        let area = Rect { x: inner.x + 1, y, width: inner.width.saturating_sub(1), height: 1 };
        Line::from(Span::styled(cut(&words, area.width as usize), styles::ACTIVE)).render(area, buffer);
        y += 1;
    }
    let on_device = launch.measured.as_ref().and_then(|measured| Some((measured, measured.on_device.as_ref()?)));
    if app.hides_measured {
        // The lanes of the model have the room.
    } else if let Some((measured, device)) = on_device.filter(|_| y + 3 < bottom) {
        let stale = if app.launch().is_some_and(|launch| launch.stale) { " before the last edit" } else { "" };
        let what = format!("measured{stale}, {}, {} multiprocessors", measured.device, device.multiprocessors);
        let y = y + 1;
        super::lanes::draw(
            &device.lanes,
            &what,
            super::lanes::Chosen::default(),
            styles,
            Rect { y, height: bottom.saturating_sub(y), ..inner },
            buffer,
        );
    } else if let Some(measured) = timeline.measured.as_ref().filter(|_| y + 3 < bottom) {
        let spent = launch.measured.as_ref().map_or(0.0, |measured| measured.time);
        let stale = if app.launch().is_some_and(|launch| launch.stale) { " before the last edit" } else { "" };
        let head = format!("measured{stale} in interpret mode, one stage after the other: {}", time(spent));
        let y = y + 1;
        painter.group(measured, &head, false, Rect { y, height: bottom - y, ..inner }, buffer);
    } else if timeline.measured.is_none() && y + 2 < bottom {
        let why = match &launch.measured {
            Some(_) if app.run.is_some() => "measured: what the report lists is being summed up",
            None if app.run.is_some() => "measured: running",
            None => "not measured: this launch has not run",
            Some(_) => "measured times of single programs are kept for the first 256 only",
        };
        let area = Rect { x: inner.x + 1, y: y + 1, width: inner.width.saturating_sub(1), height: 1 };
        Line::from(Span::styled(cut(why, area.width as usize), styles::DIM)).render(area, buffer);
    }
    if let Some(timing) = app.timing() {
        let area = Rect { y: bottom, height: inner.bottom() - bottom, ..inner };
        match m.lanes.as_ref().zip(app.rehearsed_event()) {
            Some((lanes, event)) => super::lanes::tell(lanes, event, area, buffer),
            None => tell(app, launch, &timing, &timeline, area, buffer),
        }
    }
}

struct Painter<'a> {
    app: &'a App,
    styles: Styles,
    timeline: &'a Timeline,
    names: u16,
}

impl Painter<'_> {
    /// Draws lanes with their head, their clock and their steps, and gives the line behind them.
    fn group(&self, lanes: &Lanes, head: &str, modelled: bool, area: Rect, buffer: &mut Buffer) -> u16 {
        let plot = Rect { x: area.x + self.names + 1, width: area.width.saturating_sub(self.names + 2), ..area };
        // Columns of whole steps seldom fill the pane, and the clock is as wide as they are.
        let folded = lanes.lanes.iter().map(|lane| lane.shares.len()).max().unwrap_or(0);
        let width = u16::try_from(folded).unwrap_or(u16::MAX);
        let plot = if width > 0 { Rect { width: plot.width.min(width), ..plot } } else { plot };
        let mut y = area.y;
        let line = |y: u16| Rect { x: area.x + 1, y, width: area.width.saturating_sub(1), height: 1 };
        if y < area.bottom() {
            Line::from(Span::styled(cut(head, area.width as usize - 1), styles::BOLD)).render(line(y), buffer);
            y += 1;
        }
        if y < area.bottom() {
            clock(&lanes.time, Rect { y, height: 1, ..plot }, buffer);
            y += 1;
        }
        // The steps' own line is worth more than the last lanes.
        let room = area.bottom().saturating_sub(y + 1) as usize;
        if let Some(hidden) = lanes.lanes.len().checked_sub(room).filter(|hidden| *hidden > 0 && y > area.y) {
            let words = format!(" +{} ", crate::app::report::plural(hidden, "lane"));
            let width = (words.len() as u16).min(area.width);
            let end = Rect { x: area.right() - width, y: area.y, width, height: 1 };
            Line::from(Span::styled(words, styles::ACTIVE)).render(end, buffer);
        }
        let from = if modelled { self.app.lane.saturating_sub(room.saturating_sub(1)) } else { 0 };
        for (at, lane) in lanes.lanes.iter().enumerate().skip(from).take(room) {
            let selected = modelled && at == self.app.lane && self.app.focus == Pane::Pipeline;
            let style = if selected { styles::SELECTED } else { styles::stage(lane.stage).style() };
            let width = (self.names as usize).saturating_sub(1);
            let name = format!("{:<width$}", cut(&lane.name, width));
            Line::from(Span::styled(name, style)).render(line(y), buffer);
            let plot = Rect { y, height: 1, ..plot };
            if lane.slices.is_empty() && !lane.shares.is_empty() {
                self.shares(lane, plot, buffer);
            } else {
                self.slices(lane, lanes, plot, buffer);
            }
            y += 1;
        }
        if y < area.bottom() {
            Line::from(Span::styled("step", styles::DIM)).render(line(y), buffer);
            self.steps(lanes, Rect { y, height: 1, ..plot }, buffer);
            self.marks(lanes, Rect { y, height: 1, ..plot }, buffer);
            y += 1;
        }
        y
    }

    /// Shares of columns as bars of eighths.
    fn shares(&self, lane: &Lane, plot: Rect, buffer: &mut Buffer) {
        const LEVELS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
        const ASCII: [&str; 6] = [".", ":", "-", "=", "%", "#"];
        let style = styles::stage(lane.stage).style();
        for (share, x) in lane.shares.iter().zip(plot.x..plot.right()) {
            let symbol = if self.styles.ascii {
                ASCII[((share * ASCII.len() as f64) as usize).min(ASCII.len() - 1)]
            } else {
                let level = (share * 8.0).round() as usize;
                // What is there at all is seen.
                LEVELS[level.max(usize::from(*share > 0.0)).min(8)]
            };
            buffer.set_string(x, plot.y, symbol, style);
        }
    }

    fn slices(&self, lane: &Lane, lanes: &Lanes, plot: Rect, buffer: &mut Buffer) {
        let span = lanes.time.end - lanes.time.start;
        if span <= 0.0 || plot.width == 0 {
            return;
        }
        let width = f64::from(plot.width);
        let column = |time: f64| (time - lanes.time.start) / span * width;
        for x in 0..plot.width {
            let (from, to) = (f64::from(x), f64::from(x) + 1.0);
            let pieces = lane.slices.iter().filter_map(|slice| {
                let piece = (column(slice.start).max(from) - from, column(slice.end).min(to) - from);
                (piece.1 - piece.0 > 1e-9).then_some((slice, piece))
            });
            let pieces: Vec<(&Slice, (f64, f64))> = pieces.collect();
            let (symbol, style) = self.cell(lane, &pieces);
            buffer.set_string(plot.x + x, plot.y, symbol, style);
        }
        for slice in lane.slices.iter().filter(|slice| slice.stage.is_some_and(|stage| stage != Stage::Wait)) {
            let (from, to) = (column(slice.start).max(0.0).ceil(), column(slice.end).min(width).floor());
            let label = slice.program.to_string();
            if to - from >= label.len() as f64 + 1.0 && column(slice.start) >= -0.5 {
                let style = match self.color(lane.stage, slice.program) {
                    Color::Reset => styles::BOLD,
                    color => Style::new().bg(color).fg(styles::ink(color)),
                };
                buffer.set_string(plot.x + from as u16, plot.y, label, style);
            }
        }
    }

    /// One character of an exact lane: what is done for most of it; an edge between two things is exact to an eighth.
    fn cell(&self, lane: &Lane, pieces: &[(&Slice, (f64, f64))]) -> (&'static str, Style) {
        const EIGHTHS: [&str; 8] = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
        let solid: Vec<&(&Slice, (f64, f64))> =
            pieces.iter().filter(|(slice, _)| slice.stage.is_some_and(|stage| stage != Stage::Wait)).collect();
        let covered: f64 = solid.iter().map(|(_, (from, to))| to - from).sum();
        let look = styles::stage(lane.stage);
        if covered < 1.0 / 16.0 {
            let widest = pieces.iter().max_by(|a, b| (a.1.1 - a.1.0).total_cmp(&(b.1.1 - b.1.0)));
            return match widest.map(|(slice, _)| slice.stage) {
                Some(Some(Stage::Wait)) => (styles::WAIT.symbol, styles::DIM),
                Some(None) => ("─", look.style()),
                _ => (" ", Style::new()),
            };
        }
        let program = solid.first().map_or(0, |(slice, _)| slice.program);
        let style = Style::new().fg(self.color(lane.stage, program));
        if self.styles.ascii || self.styles.depth == Depth::None {
            let symbol = if self.styles.ascii { letter(lane.stage) } else { look.symbol };
            return if covered >= 0.5 { (symbol, style) } else { ("─", look.style()) };
        }
        let eighths = |share: f64| ((share * 8.0).round() as usize).clamp(1, 7);
        match solid.as_slice() {
            _ if covered >= 15.0 / 16.0 && solid.len() == 1 => ("█", style),
            [(_, (from, to))] if *from <= 1.0 / 16.0 => (EIGHTHS[eighths(*to)], style),
            // The right part of a cell: the left part, the other way round.
            [(_, (from, to))] if *to >= 15.0 / 16.0 => {
                (EIGHTHS[eighths(*from)], style.add_modifier(Modifier::REVERSED))
            }
            [_] => (EIGHTHS[eighths(covered)], style),
            [(_, (_, edge)), (next, _)] if covered >= 15.0 / 16.0 => {
                (EIGHTHS[eighths(*edge)], style.bg(self.color(lane.stage, next.program)))
            }
            _ => (if covered >= 0.5 { "▓" } else { "▒" }, style),
        }
    }

    /// The colour of a stage; neighbouring programs differ a little.
    fn color(&self, stage: Stage, program: usize) -> Color {
        let color = styles::stage(stage).style().fg.unwrap_or(Color::Reset);
        match color {
            _ if self.styles.depth == Depth::None => Color::Reset,
            Color::Rgb(r, g, b) if (program / self.timeline.stride).is_multiple_of(2) => {
                let darker = |value: u8| (u16::from(value) * 4 / 5) as u8;
                if self.styles.depth >= Depth::Cube { Color::Rgb(darker(r), darker(g), darker(b)) } else { color }
            }
            color => color,
        }
    }

    /// Where steps begin, the cursor's as a range.
    fn steps(&self, lanes: &Lanes, plot: Rect, buffer: &mut Buffer) {
        let cursor = self.app.step();
        if self.timeline.fold > 0 {
            let fold = self.timeline.fold;
            let column = u16::try_from((cursor - self.timeline.first.min(cursor)) / fold).unwrap_or(u16::MAX);
            let mark = format!("▲{}", grouped(cursor));
            // Where the line ends, the number stands in front of its mark.
            let width = mark.chars().count() as u16;
            let (from, mark) = if column + width <= plot.width {
                (column, mark)
            } else {
                ((column + 1).saturating_sub(width), format!("{}▲", grouped(cursor)))
            };
            let own = from.saturating_sub(1)..from + width + 1;
            let mut free = 0;
            for (at, steps) in self.timeline.columns().enumerate().step_by(10) {
                let label = grouped(steps.start);
                let (at, end) = (at as u16, at as u16 + label.chars().count() as u16);
                if at >= free && end <= plot.width && (end <= own.start || at >= own.end) {
                    buffer.set_string(plot.x + at, plot.y, &label, styles::DIM);
                    free = end + 1;
                }
            }
            if column < plot.width {
                let mark = cut(&mark, (plot.width - from) as usize);
                buffer.set_string(plot.x + from, plot.y, mark, styles::ACTIVE);
            }
            return;
        }
        let span = lanes.time.end - lanes.time.start;
        if span <= 0.0 {
            return;
        }
        let column = |time: f64| {
            let at = (time - lanes.time.start) / span * f64::from(plot.width);
            (at.clamp(0.0, f64::from(plot.width)).round()) as u16
        };
        let mut free = 0;
        for (at, &begin) in lanes.begins.iter().enumerate().filter(|(_, begin)| begin.is_finite()) {
            let step = self.timeline.first + at;
            let from = column(begin);
            let later = lanes.begins[at + 1..].iter().copied().find(|begin| begin.is_finite());
            let to = column(later.unwrap_or(lanes.time.end)).max(from + 1);
            let label = grouped(step);
            if step == cursor {
                let width = (to.min(plot.width) - from.min(plot.width)) as usize;
                let mut mark = format!("▲{label}");
                let used = mark.chars().count();
                if width > used + 1 {
                    mark.push_str(&"─".repeat(width - used - 1));
                    mark.push('┤');
                }
                let mark = cut(&mark, (plot.width.saturating_sub(from)) as usize);
                buffer.set_string(plot.x + from, plot.y, &mark, styles::ACTIVE);
                free = from + mark.chars().count() as u16 + 1;
            } else if from >= free && from + (label.len() as u16) <= plot.width {
                buffer.set_string(plot.x + from, plot.y, &label, styles::DIM);
                free = from + label.chars().count() as u16 + 1;
            }
        }
    }
}

impl Painter<'_> {
    /// The letters of the marks, where their steps begin.
    fn marks(&self, lanes: &Lanes, plot: Rect, buffer: &mut Buffer) {
        for (mark, letter) in [(self.app.marks.0, "A"), (self.app.marks.1, "B")] {
            let Some(at) = mark.and_then(|step| step.checked_sub(self.timeline.first)) else { continue };
            let span = lanes.time.end - lanes.time.start;
            let column =
                match self.timeline.fold {
                    0 => lanes.begins.get(at).filter(|begin| begin.is_finite() && span > 0.0).map(|begin| {
                        ((begin - lanes.time.start).max(0.0) / span * f64::from(plot.width)).round() as usize
                    }),
                    fold => Some(at / fold),
                };
            if let Some(column) = column.filter(|&column| column < usize::from(plot.width)) {
                let style = styles::ACTIVE.add_modifier(Modifier::REVERSED);
                buffer.set_string(plot.x + column as u16, plot.y, letter, style);
            }
        }
    }
}

fn letter(stage: Stage) -> &'static str {
    match stage {
        Stage::CopyIn => "I",
        Stage::Compute => "C",
        Stage::CopyOut => "O",
        Stage::Wait => ".",
    }
}

/// Round times along the top.
pub(super) fn clock(whole: &Range<f64>, plot: Rect, buffer: &mut Buffer) {
    let span = whole.end - whole.start;
    if span <= 0.0 || plot.width < 8 {
        return;
    }
    let least = span / f64::from(plot.width) * 12.0;
    let power = 10f64.powf(least.log10().floor());
    let tick = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|t| *t >= least).unwrap_or(least);
    let mut at = (whole.start / tick).ceil() * tick;
    // Ticks are not added up: an error of a rounding would.
    for _ in 0..plot.width {
        if at > whole.end {
            break;
        }
        let x = ((at - whole.start) / span * f64::from(plot.width)).round() as u16;
        let label = format!("╷{}", time(at));
        if x + label.chars().count() as u16 <= plot.width {
            buffer.set_string(plot.x + x, plot.y, label, styles::DIM);
        }
        at = (at / tick).round().mul_add(tick, tick);
    }
}

/// What the schedule does in the step at the cursor.
fn tell(app: &App, launch: &LaunchReport, timing: &Timing, timeline: &Timeline, area: Rect, buffer: &mut Buffer) {
    let step = app.step();
    let schedule = timing.schedule();
    let events = timing.events(step, 1);
    let operand = |stream: usize| {
        let at = schedule.streams.get(stream).map_or(usize::MAX, |stream| stream.operand);
        launch.operands.get(at).map_or("?", |operand| operand.name.as_str())
    };
    let ids = |step: usize| {
        let mut rest = step.saturating_mul(timeline.stride);
        let mut ids: Vec<usize> = launch.grid.clone();
        for id in ids.iter_mut().rev() {
            let extent = (*id).max(1);
            *id = rest % extent;
            rest /= extent;
        }
        tuple(&ids)
    };
    let mut lines = vec![Line::from(Span::styled(
        format!("step {} of {}: program {}", grouped(step), grouped(timeline.steps), ids(step)),
        styles::BOLD,
    ))];
    for instruction in Timeline::instructions(timing, step) {
        let (look, text) = match instruction {
            Instruction::Start { stream, program, slot, .. } => {
                let output = schedule.streams[stream].direction == pallas_engine::pipeline::Direction::Out;
                let (stage, from) = if output { (Stage::CopyOut, "from") } else { (Stage::CopyIn, "into") };
                let whose = if program == step { String::new() } else { format!(" of program {}", ids(program)) };
                (stage, format!("start   {} {}{whose} {from} slot {slot}", stage.name(), operand(stream)))
            }
            Instruction::Wait { stream, slot, .. } => {
                let waited = events
                    .iter()
                    .find(|event| event.stage == pallas_engine::pipeline::Stage::Wait && event.stream == Some(stream));
                let long = waited.map_or(0.0, |event| (event.end - event.start) as f64 / 1e6);
                let long = if long > 0.0 { format!(": {}", time(long)) } else { ": it is there".to_string() };
                (Stage::Wait, format!("wait    {} slot {slot}{long}", operand(stream)))
            }
            Instruction::Compute { .. } => {
                let long = timing.duration(step) as f64 / 1e6;
                (Stage::Compute, format!("compute {}", time(long)))
            }
        };
        lines.push(Line::from(Span::styled(format!("  {text}"), styles::stage(look).style())));
    }
    // Two columns where there is room for both.
    let height = area.height as usize;
    let (head, rest) = lines.split_first().map_or((Line::default(), &[][..]), |(head, rest)| (head.clone(), rest));
    let mut areas = Vec::new();
    if height > 0 {
        head.render(Rect { x: area.x + 1, height: 1, width: area.width - 1, ..area }, buffer);
        let body = Rect { x: area.x + 1, y: area.y + 1, width: area.width - 1, height: area.height - 1 };
        let columns = if area.width >= 100 { 2 } else { 1 };
        for column in 0..columns {
            let width = body.width / columns;
            let half = Rect { x: body.x + column * width, width, ..body };
            areas.extend((0..body.height as usize).filter_map(|at| row(half, at)));
        }
    }
    let shown = areas.len().min(rest.len());
    for (at, (line, area)) in rest.iter().zip(&areas).enumerate() {
        if at + 1 == shown && rest.len() > shown {
            let text = format!("  and {} more", rest.len() - at);
            Line::from(Span::styled(text, styles::DIM)).render(*area, buffer);
        } else {
            line.clone().render(*area, buffer);
        }
    }
}
