//! What each action does. Moves among programs, lists and text are in `movement`.

use super::prompt::Asks;
use super::{Anchor, App, CostKind, Effect, Pane, View, map, values};
use crate::keymap::{Action, Direction};
use pallas_engine::pipeline::{MACHINES, Machines};

impl App {
    /// Does what a key, a click or a command asks for.
    pub(super) fn act(&mut self, action: Action) -> Option<Effect> {
        if let Some(top) = self.help {
            match action {
                Action::Move(Direction::Up) => self.help = Some(top.saturating_sub(1)),
                Action::Jump(Direction::Up) => self.help = Some(top.saturating_sub(8)),
                Action::First => self.help = Some(0),
                Action::Move(Direction::Down) | Action::Jump(Direction::Down) | Action::Last => {
                    let by = match action {
                        Action::Move(_) => 1,
                        Action::Jump(_) => 8,
                        _ => usize::MAX,
                    };
                    self.help = Some(top.saturating_add(by).min(crate::view::help::bottom(self)));
                }
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
            Action::Form => self.next_form(),
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
            Action::NextStore => self.next_store(true),
            Action::PreviousStore => self.next_store(false),
            Action::Save => return Some(Effect::Save),
            Action::NextEvent => self.next_event(true),
            Action::PreviousEvent => self.next_event(false),
            Action::PanLeft => self.pan(false),
            Action::PanRight => self.pan(true),
            Action::Mark => self.mark(),
            Action::HideMeasured => {
                self.hides_measured = !self.hides_measured;
                self.say(if self.hides_measured { "measured lanes are hidden" } else { "measured lanes are shown" });
            }
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
        let mut text = report.source_of(span).place(span.start);
        if let Some(finding) = self.finding().filter(|_| self.anchor == Anchor::Finding) {
            text = format!("{text}: {} {}", finding.code, finding.message);
        }
        self.say(format!("copied {text}"));
        Some(Effect::Copy(text))
    }

    /// Asks for the next machine of the table; after the last one for each launch's own.
    fn next_machine(&mut self) -> Option<Effect> {
        if self.report.as_ref().is_some_and(|report| report.is_opened()) {
            self.say("a saved report keeps the machine that it was modelled on; open the file itself for another");
            return None;
        }
        let now = self.profile().map(|(_, launch)| launch.machine.clone()).unwrap_or_default();
        let next = match MACHINES.iter().position(|machine| machine.key == now.key) {
            Some(at) if now.named => MACHINES.get(at + 1),
            // From each on its own to the first that is another one.
            at => MACHINES.iter().enumerate().find(|(other, _)| Some(*other) != at).map(|(_, machine)| machine),
        };
        self.say(match next {
            Some(machine) => format!("modelled on {}", machine.name),
            None => "each launch is modelled on a machine that its kernel is for".to_string(),
        });
        Some(Effect::Model(next.map_or(Machines::Fitting, Machines::named)))
    }
}
