//! The state of the terminal program and how messages change it. Knows no terminal: what has to happen outside is an
//! [`Effect`] that the session carries out. One cursor, a launch and a program of it; every pane follows it.

pub(crate) mod costs;
pub(crate) mod coverage;
pub(crate) mod facts;
pub(crate) mod layout;
pub(crate) mod map;
pub(crate) mod merge;
pub(crate) mod metric;
pub(crate) mod mouse;
mod movement;
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

use crate::keymap::{self, Action, Direction, Key, Place};
use crate::styles::Ramp;
use costs::CostKind;
use layout::Layout;
use map::Map;
pub(crate) use metric::Metric;
use pallas_engine::Span;
use pallas_engine::pipeline::{MACHINES, Machine};
use pallas_engine::report as profile;
use prompt::{Asks, Prompt};
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

/// What happened outside.
#[derive(Clone, Debug)]
pub(crate) enum Message {
    /// A key was pressed.
    Key(Key),
    /// The mouse did something at this column and line.
    Mouse(mouse::Click, u16, u16),
    /// What the Refs of some programs hold.
    Tiles(Arc<values::TileSet>),
    /// The terminal has another size.
    Resize(Size),
    /// A watched file has changed.
    Changed,
    /// An analysis has begun.
    Started,
    /// An analysis is done.
    Analysed(Arc<Report>),
    /// The file is being run.
    Running,
    /// How far a launch of the run is.
    Progress {
        /// Its kernel.
        kernel: String,
        /// Programs that have run.
        done: usize,
        /// Of so many.
        programs: usize,
    },
    /// The run has ended, or what was known is modelled on another machine.
    Profiled(Arc<Report>),
    /// The file cannot be read.
    Unreadable(String),
    /// The watcher cannot watch as it should.
    WatchProblem(String),
    /// Something to say in passing.
    Say(String),
    /// Time goes by.
    Tick,
}

/// What has to happen outside.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Effect {
    /// Read, analyse and run the file.
    Analyse,
    /// Stop the run, and keep what it has found.
    Stop,
    /// Model the launches on another machine.
    Model(Box<Machine>),
    /// See what the Refs of a program hold, and of those around it.
    Tiles {
        /// The report that it is for.
        generation: usize,
        /// The launch.
        launch: Arc<pallas_engine::Launch>,
        /// Its place in the report.
        number: usize,
        /// The program.
        program: usize,
    },
    /// Save the screen as a picture.
    Export,
    /// Hand a text to the terminal's clipboard.
    Copy(String),
    /// Open a file at a line in the user's editor.
    Edit(PathBuf, u32),
    /// To the shell.
    Suspend,
    /// Clear the screen and draw anew.
    Redraw,
    /// Watch these files.
    Watch(Vec<PathBuf>),
    /// End.
    Quit,
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
    /// The first line of the IR on the screen.
    pub(crate) ir_scroll: usize,
    /// Where the values stand.
    pub(crate) values: values::Values,
    /// The colours of magnitudes.
    pub(crate) ramp: Ramp,
    /// How many steps of the pipeline are on the screen, where that was chosen.
    pub(crate) steps: Option<usize>,
    /// The selected lane of the pipeline.
    pub(crate) lane: usize,
    /// Whether the steps are played.
    pub(crate) playing: bool,
    /// When a step was played last.
    played: Duration,
    /// What the schedule has answered.
    answers: timeline::Answers,
    /// Quantities of the grid that have been worked out.
    heats: metric::Heats,
    /// Which blocks are visited, as far as it has been worked out.
    coverages: coverage::Coverages,
    /// The selected line among those that cost something.
    pub(crate) cost_line: usize,
    /// Which cost stands beside the source.
    pub(crate) cost_kind: CostKind,
    /// Lines that the source is scrolled by, from its anchor.
    pub(crate) source_scroll: i64,
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
            ir_scroll: 0,
            values: values::Values::default(),
            ramp: Ramp::default(),
            steps: None,
            lane: 0,
            playing: false,
            played: Duration::ZERO,
            answers: timeline::Answers::default(),
            heats: metric::Heats::default(),
            coverages: coverage::Coverages::default(),
            cost_line: 0,
            cost_kind: CostKind::Best,
            source_scroll: 0,
            toast: None,
            now: Duration::ZERO,
        }
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
        self.take_in(message).or_else(|| self.want_tiles())
    }

    fn take_in(&mut self, message: Message) -> Option<Effect> {
        match message {
            Message::Mouse(click, column, row) => return self.mouse(click, column, row),
            Message::Tiles(set) => {
                if set.generation == self.generation {
                    self.values.tiles = Some(set);
                }
            }
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
                if let Some(last) = self.report.take_if(|last| last.ran.as_ref().is_some_and(|ran| !ran.stopped)) {
                    self.previous = Some(last.clone());
                    self.report = Some(last);
                }
                let files = report.files();
                self.take(report);
                return Some(Effect::Watch(files));
            }
            Message::Running => self.run = Some(Progress { since: self.now, launch: None }),
            Message::Progress { kernel, done, programs } => {
                if let Some(run) = &mut self.run {
                    run.launch = Some((kernel, done, programs));
                }
            }
            Message::Profiled(report) => {
                self.run = None;
                let files = report.files();
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

    fn act(&mut self, action: Action) -> Option<Effect> {
        if let Some(top) = self.help {
            match action {
                Action::Move(Direction::Down) => self.help = Some(top + 1),
                Action::Move(Direction::Up) => self.help = Some(top.saturating_sub(1)),
                Action::Jump(Direction::Down) => self.help = Some(top + 8),
                Action::Jump(Direction::Up) => self.help = Some(top.saturating_sub(8)),
                Action::First => self.help = Some(0),
                Action::Quit => return Some(Effect::Quit),
                Action::Suspend => return Some(Effect::Suspend),
                Action::Redraw => return Some(Effect::Redraw),
                _ => self.help = None,
            }
            return None;
        }
        match action {
            Action::Quit => return Some(Effect::Quit),
            Action::Suspend => return Some(Effect::Suspend),
            Action::Redraw => return Some(Effect::Redraw),
            Action::Rerun => return Some(Effect::Analyse),
            Action::Edit => return self.edit(),
            Action::Help => self.help = Some(0),
            Action::PauseWatching => {
                self.paused = !self.paused;
                if !self.paused && self.stale {
                    return Some(Effect::Analyse);
                }
            }
            Action::Back => self.back(),
            Action::View(number) => {
                if let Some(&view) = number.checked_sub(1).and_then(|at| View::ALL.get(at)) {
                    self.go(view);
                }
            }
            Action::Maximise => self.maximised = !self.maximised,
            Action::NextPane => self.turn(true),
            Action::PreviousPane => self.turn(false),
            Action::NextProgram => self.step_program(1),
            Action::PreviousProgram => self.step_program(-1),
            Action::Stop => match (&self.run, self.running) {
                (None, None) => self.say("nothing is running"),
                _ => return Some(Effect::Stop),
            },
            Action::Machine => return self.next_machine(),
            Action::Cost => {
                self.cost_kind = match self.cost_kind {
                    CostKind::Best => CostKind::Modelled,
                    CostKind::Modelled => CostKind::Hidden,
                    CostKind::Hidden => CostKind::Best,
                };
            }
            Action::NextFinding => self.select_finding(1),
            Action::PreviousFinding => self.select_finding(-1),
            Action::NextLaunch => self.select_launch(1),
            Action::PreviousLaunch => self.select_launch(-1),
            Action::Open => self.open(),
            Action::Metric => self.next_metric(true),
            Action::PreviousMetric => self.next_metric(false),
            Action::Play => {
                self.playing = !self.playing;
                self.played = self.now;
            }
            Action::Search => self.ask(Asks::Search),
            Action::Filter => {
                self.go(View::Findings);
                self.ask(Asks::Filter);
            }
            Action::Palette => self.ask(Asks::Command),
            Action::NextMatch => self.find(true),
            Action::PreviousMatch => self.find(false),
            Action::Theme => {
                self.ramp = self.ramp.next();
                self.say(format!("colours: {}", self.ramp.name()));
            }
            Action::Export => return Some(Effect::Export),
            Action::Copy => return self.copied(),
            Action::NextRef => self.next_ref(true),
            Action::PreviousRef => self.next_ref(false),
            Action::Moment => {
                self.values.moment = match self.values.moment {
                    values::Moment::After => values::Moment::Change,
                    values::Moment::Change => values::Moment::Before,
                    values::Moment::Before => values::Moment::After,
                };
            }
            Action::Picture => self.values.picture = !self.values.picture,
            Action::NextEvent => self.next_event(true),
            Action::PreviousEvent => self.next_event(false),
            Action::ZoomIn if self.focus == Pane::Pipeline => self.zoom_steps(true),
            Action::ZoomOut if self.focus == Pane::Pipeline => self.zoom_steps(false),
            Action::Fit if self.focus == Pane::Pipeline => self.steps = Some(usize::MAX),
            Action::ZoomIn => {
                if self.map().is_some_and(|map| map.is_coarse()) {
                    self.zoom += 1;
                }
            }
            Action::ZoomOut => self.zoom = self.zoom.saturating_sub(1),
            Action::Fit => self.zoom = 0,
            Action::Axes => {
                let pairs = self.launch().map_or(0, |report| map::pairs(&report.launch.grid).len());
                self.pair = (self.pair + 1) % pairs.max(1);
                self.zoom = 0;
            }
            Action::Move(_)
            | Action::Jump(_)
            | Action::First
            | Action::Last
            | Action::NextSlice
            | Action::PreviousSlice => self.move_cursor(action),
        }
        None
    }

    /// Hands on where the cursor is: the place in the source, and of a finding what it says.
    fn copied(&mut self) -> Option<Effect> {
        let (report, span) = self.report.as_ref().zip(self.anchor_span())?;
        let source = report.source_of(span);
        let place = source.line_column(span.start);
        let mut text = format!("{}:{}:{}", source.path, place.line, place.column);
        if let Some(finding) = self.finding().filter(|_| self.anchor == Anchor::Finding) {
            text = format!("{text}: {} {}", finding.code, finding.message);
        }
        self.say(format!("copied {text}"));
        Some(Effect::Copy(text))
    }

    /// Says something in passing.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.toast = Some((text.into(), self.now + TOAST));
    }

    /// Asks for the next machine of the table.
    fn next_machine(&mut self) -> Option<Effect> {
        let now = self.profile().map(|(profile, _)| profile.machine.key.clone());
        let at = MACHINES.iter().position(|machine| Some(&*machine.key) == now.as_deref());
        let next = &MACHINES[at.map_or(0, |at| (at + 1) % MACHINES.len())];
        self.say(format!("modelled on {}", next.name));
        Some(Effect::Model(Box::new(next.clone())))
    }
}
