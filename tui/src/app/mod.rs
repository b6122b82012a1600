//! The state of the terminal program and how messages change it. Knows no terminal: what has to happen outside is an
//! [`Effect`] that the session carries out. One cursor, a launch and a program of it; every pane follows it.

mod actions;
pub(crate) mod code;
pub(crate) mod costs;
pub(crate) mod coverage;
pub(crate) mod facts;
mod highlights;
pub(crate) mod layout;
pub(crate) mod map;
pub(crate) mod merge;
mod message;
pub(crate) mod metric;
pub(crate) mod mouse;
mod movement;
mod opened;
pub(crate) mod prompt;
pub(crate) mod report;
#[cfg(test)]
pub(crate) mod samples;
mod selection;
#[cfg(test)]
mod tests;
pub(crate) mod timeline;
pub(crate) mod values;
pub(crate) mod views;

use crate::keymap::{self, Place};
use crate::styles::Ramp;
use costs::CostKind;
use layout::Layout;
use map::Map;
pub(crate) use message::{Effect, Message};
pub(crate) use metric::Metric;
use pallas_engine::Span;
use pallas_engine::report as profile;
use prompt::Prompt;
use report::{LaunchReport, Report};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
pub(crate) use views::{Pane, View};

/// Columns and lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// Columns.
    pub(crate) width: u16,
    /// Lines.
    pub(crate) height: u16,
}

/// What the source pane shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// The kernel of the launch.
    Kernel,
    /// The selected finding.
    Finding,
}

/// A run under way.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    /// Since when.
    pub(crate) since: Duration,
    /// The kernel of the launch that runs, how many programs of it have run, and of how many.
    pub(crate) launch: Option<(String, usize, usize)>,
}

/// The state.
#[derive(Clone, Debug)]
pub(crate) struct App {
    /// The file, as the user named it.
    pub(crate) path: PathBuf,
    /// The terminal's size.
    pub(crate) size: Size,
    /// Whether cells can be halved.
    pub(crate) halves: bool,
    /// What is shown; `None` until the first analysis is done.
    pub(crate) report: Option<Arc<Report>>,
    /// The last report with measured times before the one that is shown.
    pub(crate) previous: Option<Arc<Report>>,
    /// When the report was made.
    pub(crate) reported: Duration,
    /// Since when an analysis is running.
    pub(crate) running: Option<Duration>,
    /// How far the run is, while there is one.
    pub(crate) run: Option<Progress>,
    /// Why the file cannot be read; the last report stays.
    pub(crate) unreadable: Option<String>,
    /// Why changes of the file are not seen as they should be.
    pub(crate) watch_problem: Option<String>,
    /// Whether changes of the file are not acted on.
    pub(crate) paused: bool,
    /// Whether the file changed while paused.
    pub(crate) stale: bool,
    /// The cursor's launch.
    pub(crate) launch: usize,
    /// The cursor's program ids.
    pub(crate) program: Vec<usize>,
    /// The selected finding.
    pub(crate) finding: usize,
    /// What the source pane shows.
    pub(crate) anchor: Anchor,
    /// The view on the screen.
    pub(crate) view: View,
    /// The pane of it that gets the keys.
    pub(crate) focus: Pane,
    /// Whether it is the only one.
    pub(crate) maximised: bool,
    /// The first line of the help screen, while it is open.
    pub(crate) help: Option<usize>,
    /// What the map is coloured by.
    pub(crate) metric: Metric,
    /// Which pair of axes is drawn.
    pub(crate) pair: usize,
    /// How far the map is zoomed in.
    pub(crate) zoom: u32,
    /// Lines that the blocks are scrolled by.
    pub(crate) blocks_scroll: usize,
    /// Lines that the summary is scrolled by.
    pub(crate) summary_scroll: usize,
    /// Counts the reports that were shown.
    pub(crate) generation: usize,
    /// What is typed now.
    pub(crate) prompt: Option<Prompt>,
    /// What was searched for.
    pub(crate) search: String,
    /// What entries of lists must have.
    pub(crate) filter: String,
    /// As what the launch is shown in the IR pane.
    pub(crate) code: code::Code,
    /// The step at which the mouse was pressed in the pipeline, while it is.
    pub(crate) dragged: Option<usize>,
    /// The first line of the IR on the screen.
    pub(crate) ir_scroll: usize,
    /// Where the values stand.
    pub(crate) values: values::Values,
    /// The colours of magnitudes.
    pub(crate) ramp: Ramp,
    /// How many steps of the pipeline are on the screen, where that was chosen.
    pub(crate) steps: Option<usize>,
    /// The selected lane of the pipeline; lanes of the rehearsal come after those of the launch's own blocks.
    pub(crate) lane: usize,
    /// When the selected event of a rehearsal begins, in nanoseconds.
    pub(crate) moment: f64,
    /// Steps that the pipeline is panned by, away from the cursor.
    pub(crate) panned: i64,
    /// The ends of the span that is measured, as steps, in the order in which they were set.
    pub(crate) marks: (Option<usize>, Option<usize>),
    /// Whether measured lanes are left out.
    pub(crate) hides_measured: bool,
    /// Whether the steps are played.
    pub(crate) playing: bool,
    /// When a step was played last.
    played: Duration,
    /// What the schedule has answered.
    answers: timeline::Answers,
    /// Quantities of the grid that have been worked out.
    heats: metric::Heats,
    /// What the pieces of sources are.
    highlights: highlights::Highlights,
    /// Which blocks are visited, as far as it has been worked out.
    coverages: coverage::Coverages,
    /// The selected line among those that cost something.
    pub(crate) cost_line: usize,
    /// Which cost stands beside the source.
    pub(crate) cost_kind: CostKind,
    /// Lines that the source is scrolled by, from its anchor.
    pub(crate) source_scroll: i64,
    /// Columns that source and IR are scrolled by to the right.
    pub(crate) sideways: usize,
    /// Something to say in passing.
    pub(crate) toast: Option<(String, Duration)>,
    /// The time, from the start.
    pub(crate) now: Duration,
}

/// How long something said in passing stays.
const TOAST: Duration = Duration::from_secs(5);

impl App {
    /// The state at the start, before anything is known of the file.
    pub(crate) fn new(path: PathBuf, size: Size, halves: bool) -> App {
        App {
            path,
            size,
            halves,
            report: None,
            previous: None,
            reported: Duration::ZERO,
            running: None,
            run: None,
            unreadable: None,
            watch_problem: None,
            paused: false,
            stale: false,
            launch: 0,
            program: Vec::new(),
            finding: 0,
            anchor: Anchor::Kernel,
            view: View::Overview,
            focus: Pane::Launches,
            maximised: false,
            help: None,
            metric: Metric::Order,
            pair: 0,
            zoom: 0,
            blocks_scroll: 0,
            summary_scroll: 0,
            generation: 0,
            prompt: None,
            search: String::new(),
            filter: String::new(),
            code: code::Code::default(),
            dragged: None,
            ir_scroll: 0,
            values: values::Values::default(),
            ramp: Ramp::default(),
            steps: None,
            lane: 0,
            moment: 0.0,
            panned: 0,
            marks: (None, None),
            hides_measured: false,
            playing: false,
            played: Duration::ZERO,
            answers: timeline::Answers::default(),
            heats: metric::Heats::default(),
            highlights: highlights::Highlights::default(),
            coverages: coverage::Coverages::default(),
            cost_line: 0,
            cost_kind: CostKind::Best,
            source_scroll: 0,
            sideways: 0,
            toast: None,
            now: Duration::ZERO,
        }
    }

    /// The profile with everything that is on the screens: with the values that were looked at.
    pub(crate) fn full_report(&self) -> Option<profile::Report> {
        let shown = self.report.as_ref()?;
        let mut report = shown.with_run((**shown.profile.as_ref()?).clone());
        if let Some((launch, values)) = self.looked_at()
            && let Some(launch) = report.launches.get_mut(launch)
        {
            launch.values = values;
        }
        Some(report)
    }

    /// The launch at the cursor.
    pub(crate) fn launch(&self) -> Option<&LaunchReport> {
        self.report.as_ref()?.launches.get(self.launch)
    }

    /// The profile, with that of the launch at the cursor.
    pub(crate) fn profile(&self) -> Option<(&profile::Report, &profile::LaunchReport)> {
        let profile = self.report.as_ref()?.profile.as_deref()?;
        Some((profile, profile.launches.get(self.launch)?))
    }

    /// The place of the program at the cursor in the order of the grid.
    pub(crate) fn number(&self) -> usize {
        let grid = self.launch().map_or(&[][..], |report| &report.launch.grid);
        let ids = self.program.iter().zip(grid);
        ids.fold(0usize, |number, (&id, &extent)| number.saturating_mul(extent).saturating_add(id))
    }

    /// Where keys go that do not work everywhere.
    pub(crate) fn place(&self) -> Place {
        if self.help.is_some() { Place::Text } else { self.focus.place() }
    }

    /// The selected finding.
    pub(crate) fn finding(&self) -> Option<&pallas_engine::Finding> {
        self.report.as_ref()?.findings.get(self.finding)
    }

    /// What the source pane is about.
    pub(crate) fn anchor_span(&self) -> Option<Span> {
        let report = self.report.as_ref()?;
        let finding = report.findings.get(self.finding).map(|finding| finding.span);
        let launch = self.launch().map(|launch| {
            let spans = &launch.launch.spans;
            spans.kernel.unwrap_or(spans.call)
        });
        match self.anchor {
            Anchor::Finding => finding.or(launch),
            Anchor::Kernel => launch.or(finding),
        }
    }

    /// The operand that the map is coloured by.
    pub(crate) fn metric_operand(&self) -> Option<&pallas_engine::Operand> {
        let Metric::Block(number) = self.metric else { return None };
        self.launch()?.launch.operands.get(number)
    }

    /// The map of the grid, where its pane is on the screen.
    pub(crate) fn map(&self) -> Option<Map> {
        self.map_in(layout::inside(Layout::of(self).pane(Pane::Grid)?))
    }

    /// The map of the grid in the inside of a pane. The last line is the legend's.
    pub(crate) fn map_in(&self, area: ratatui::layout::Rect) -> Option<Map> {
        let launch = &self.launch()?.launch;
        Map::new(&map::Request {
            grid: &launch.grid,
            program: &self.program,
            pair: self.pair,
            size: Size { width: area.width, height: area.height.saturating_sub(1) },
            label: self.label_width(),
            halves: self.halves,
            zoom: self.zoom,
        })
    }

    /// Columns that the labels of the map's tiles need.
    fn label_width(&self) -> usize {
        let Some(report) = self.launch() else { return 0 };
        let digits = |last: usize| last.max(1).ilog10() as usize + 1;
        if self.metric.is_quantity() {
            return 7;
        }
        let numbers: Vec<usize> = match self.metric_operand() {
            None => {
                let grid = &report.launch.grid;
                match map::drawn(grid, self.pair) {
                    map::Drawn::Nothing => Vec::new(),
                    map::Drawn::Line(axis) => vec![grid[axis]],
                    map::Drawn::Plane { down, right } => vec![grid[down], grid[right]],
                }
            }
            Some(operand) => {
                operand.block.iter().zip(operand.array.shape.iter()).map(|(dim, &n)| dim.blocks(n)).collect()
            }
        };
        let width: usize = numbers.iter().map(|&n| digits(n.saturating_sub(1)) + 1).sum();
        width.saturating_sub(1).max(1)
    }

    /// Whether something on the screen moves by itself, and how often it has to be drawn for that.
    pub(crate) fn tick(&self) -> Duration {
        if self.playing {
            movement::FRAME
        } else if self.running.is_some() || self.run.is_some() {
            Duration::from_millis(100)
        } else if self.toast.is_some() || self.now.saturating_sub(self.reported) < Duration::from_secs(60) {
            Duration::from_secs(1)
        } else {
            Duration::from_secs(20)
        }
    }

    /// Takes in what happened, and says what has to happen outside.
    pub(crate) fn update(&mut self, message: Message) -> Option<Effect> {
        self.take_in(message).or_else(|| self.want_tiles()).or_else(|| self.want_code())
    }

    fn take_in(&mut self, message: Message) -> Option<Effect> {
        match message {
            Message::Mouse(click, column, row) => return self.mouse(click, column, row),
            Message::Tiles(set) => {
                if set.generation == self.generation {
                    self.values.tiles = Some(set);
                }
            }
            Message::Generated(code) => self.code.take(code),
            Message::Key(key) if self.prompt.is_some() => return self.typed(key),
            Message::Key(key) => {
                self.toast = None;
                return self.act(keymap::action(self.place(), key)?);
            }
            Message::Resize(size) => self.size = size,
            Message::Changed if self.paused => self.stale = true,
            Message::Changed => return Some(Effect::Analyse),
            Message::Started => {
                self.running = Some(self.now);
                self.run = None;
            }
            Message::Analysed(report) => {
                // A file that was broken for a while has launched nothing, and there is nothing to compare with in that.
                let is_whole = |last: &&Arc<Report>| {
                    !last.launches.is_empty() && last.ran.as_ref().is_some_and(|ran| !ran.stopped)
                };
                if let Some(last) = self.report.as_ref().filter(is_whole) {
                    self.previous = Some(last.clone());
                }
                let files = if report.is_opened() { vec![self.path.clone()] } else { report.files() };
                self.take(report);
                return Some(Effect::Watch(files));
            }
            // What is there already is more.
            Message::Overview(_) if self.report.is_some() => {}
            Message::Overview(report) => self.take(report),
            Message::Running => {
                self.running = None;
                self.run = Some(Progress { since: self.now, launch: None });
            }
            Message::Progress { kernel, done, programs } => {
                if let Some(run) = &mut self.run {
                    run.launch = Some((kernel, done, programs));
                }
            }
            Message::Profiled(report) => {
                self.run = None;
                let files = if report.is_opened() { vec![self.path.clone()] } else { report.files() };
                self.take(report);
                return Some(Effect::Watch(files));
            }
            Message::Unreadable(why) => {
                self.running = None;
                self.run = None;
                self.unreadable = Some(why);
            }
            Message::WatchProblem(why) => self.watch_problem = Some(why),
            Message::Say(text) => self.toast = Some((text, self.now + TOAST)),
            Message::Tick => {
                self.play();
                if self.toast.as_ref().is_some_and(|(_, until)| *until <= self.now) {
                    self.toast = None;
                }
            }
        }
        None
    }

    /// Shows a new report with the cursor where it was: on the same kernel, the same program.
    fn take(&mut self, report: Arc<Report>) {
        // The how-manieth launch of this kernel the cursor is on.
        let before = self.report.as_ref().and_then(|old| {
            let name = |at: usize| old.launches.get(at).map(|l| l.launch.kernel.name.clone());
            let kernel = name(self.launch)?;
            let earlier = (0..self.launch).filter(|&at| name(at).as_ref() == Some(&kernel)).count();
            Some((kernel, earlier))
        });
        let selected = self.finding().cloned();
        if let Some((kernel, earlier)) = before {
            let same: Vec<usize> =
                (0..report.launches.len()).filter(|&at| report.launches[at].launch.kernel.name == kernel).collect();
            self.launch = same.get(earlier).or(same.last()).copied().unwrap_or(0);
        }
        self.finding = selected
            .and_then(|old| report.findings.iter().position(|f| f.code == old.code && f.message == old.message))
            .unwrap_or_else(|| self.finding.min(report.findings.len().saturating_sub(1)));
        // A file without launches is about its findings.
        if report.launches.is_empty() && self.report.is_none() && !report.findings.is_empty() {
            self.go(View::Findings);
        }
        self.generation += 1;
        self.report = Some(report);
        self.reported = self.now;
        self.running = None;
        self.unreadable = None;
        self.stale = false;
        self.fit_cursor();
    }

    /// Puts the cursor inside the grid of its launch.
    fn fit_cursor(&mut self) {
        let grid = self.launch().map(|report| report.launch.grid.clone()).unwrap_or_default();
        self.program.resize(grid.len(), 0);
        for (id, extent) in self.program.iter_mut().zip(&grid) {
            *id = (*id).min(extent.saturating_sub(1));
        }
        if !self.metrics().contains(&self.metric) {
            self.metric = Metric::Order;
        }
    }

    /// Says something in passing.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.toast = Some((text.into(), self.now + TOAST));
    }
}
