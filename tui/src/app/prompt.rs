//! What is typed: a search, a filter, or a command of the palette. One line that is edited as in a shell.

use super::{App, Effect, Metric, Pane};
use crate::keymap::{self, Action, Key};
use crate::report::profile::words;
use pallas_engine::pipeline::{MACHINES, Machines};
use ratatui::crossterm::event::KeyCode;

/// What a prompt is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    /// Where a text stands.
    Search,
    /// Which entries of a list are shown.
    Filter,
    /// What to do.
    Command,
}

/// A prompt that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prompt {
    /// What it is for.
    pub(crate) asks: Asks,
    /// What was typed.
    pub(crate) text: String,
    /// The selected command.
    pub(crate) at: usize,
}

/// Something that the palette can do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Command {
    /// In words.
    pub(crate) words: String,
    /// The key that does the same, if there is one.
    pub(crate) key: &'static str,
    /// What is done.
    pub(crate) deed: Deed,
}

/// What a command does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Deed {
    /// An action of the keymap.
    Act(Action),
    /// Shows a launch.
    Launch(usize),
    /// Goes to a program.
    Program(Vec<usize>),
    /// Colours the grid.
    Metric(Metric),
    /// Models on a machine of the table, or each launch on its own.
    Machine(Option<usize>),
}

/// Whether a text has the characters of a pattern in their order; capital letters count only where the pattern has some.
pub(crate) fn fuzzy(text: &str, pattern: &str) -> bool {
    let exact = pattern.chars().any(char::is_uppercase);
    let fold = |c: char| if exact { c } else { c.to_lowercase().next().unwrap_or(c) };
    let mut characters = text.chars().map(fold);
    pattern.chars().filter(|c| !c.is_whitespace()).map(fold).all(|wanted| characters.any(|c| c == wanted))
}

/// Whether a text holds a pattern; `!` in front of the pattern turns that around.
pub(crate) fn holds(text: &str, pattern: &str) -> bool {
    let (pattern, inverse) = match pattern.strip_prefix('!') {
        Some(rest) => (rest, true),
        None => (pattern, false),
    };
    let found = if pattern.chars().any(char::is_uppercase) {
        text.contains(pattern)
    } else {
        text.to_lowercase().contains(&pattern.to_lowercase())
    };
    found != inverse
}

impl App {
    /// Opens a prompt.
    pub(super) fn ask(&mut self, asks: Asks) {
        let text = if asks == Asks::Filter { self.filter.clone() } else { String::new() };
        self.prompt = Some(Prompt { asks, text, at: 0 });
    }

    /// A key while a prompt is open.
    pub(super) fn typed(&mut self, key: Key) -> Option<Effect> {
        let mut prompt = self.prompt.take()?;
        match (key.code(), key.is_control()) {
            (KeyCode::Esc, _) | (KeyCode::Char('c' | 'g'), true) => {
                if prompt.asks == Asks::Filter {
                    self.filter.clear();
                }
                return None;
            }
            (KeyCode::Enter, _) => return self.entered(&prompt),
            (KeyCode::Backspace, _) | (KeyCode::Char('h'), true) => {
                prompt.text.pop()?;
            }
            (KeyCode::Char('u'), true) => prompt.text.clear(),
            (KeyCode::Char('w'), true) => {
                let trimmed = prompt.text.trim_end();
                prompt.text.truncate(trimmed.rfind(' ').map_or(0, |space| space + 1));
            }
            (KeyCode::Down, _) | (KeyCode::Char('n' | 'j'), true) => prompt.at = prompt.at.saturating_add(1),
            (KeyCode::Up, _) | (KeyCode::Char('p' | 'k'), true) => prompt.at = prompt.at.saturating_sub(1),
            (KeyCode::Char(character), false) => {
                prompt.text.push(character);
                prompt.at = 0;
            }
            _ => {}
        }
        if prompt.asks == Asks::Command {
            prompt.at = prompt.at.min(self.commands(&prompt.text).len().saturating_sub(1));
        }
        if prompt.asks == Asks::Filter {
            self.filter.clone_from(&prompt.text);
            self.keep_shown();
        }
        self.prompt = Some(prompt);
        None
    }

    fn entered(&mut self, prompt: &Prompt) -> Option<Effect> {
        match prompt.asks {
            Asks::Filter => {
                self.filter.clone_from(&prompt.text);
                self.keep_shown();
                None
            }
            Asks::Search => {
                self.search.clone_from(&prompt.text);
                self.find(true);
                None
            }
            Asks::Command => {
                let command = self.commands(&prompt.text).into_iter().nth(prompt.at)?;
                self.run_command(command.deed)
            }
        }
    }

    fn run_command(&mut self, deed: Deed) -> Option<Effect> {
        match deed {
            Deed::Act(action) => return self.act(action),
            Deed::Launch(launch) => self.choose_launch(launch),
            Deed::Program(program) => self.program = program,
            Deed::Metric(metric) => {
                self.metric = metric;
                self.go(super::View::Grid);
            }
            Deed::Machine(None) => {
                self.say("each launch is modelled on a machine that its kernel is for");
                return Some(Effect::Model(Machines::Fitting));
            }
            Deed::Machine(Some(at)) => {
                let machine = MACHINES.get(at)?;
                self.say(format!("modelled on {}", machine.name));
                return Some(Effect::Model(Machines::named(machine)));
            }
        }
        None
    }

    /// The commands that a text may mean, those of the keymap first; a program's ids mean that program.
    pub(crate) fn commands(&self, text: &str) -> Vec<Command> {
        let mut all: Vec<Command> = Vec::new();
        if let Some(program) = self.named_program(text) {
            let words = format!("go to program {}", super::report::tuple(&program));
            return vec![Command { words, key: "", deed: Deed::Program(program) }];
        }
        let place = self.place();
        for binding in keymap::bindings(place) {
            for (words, key, action) in binding.commands().into_iter().filter(|(.., action)| self.is_useful(*action)) {
                all.push(Command { words: words.to_string(), key, deed: Deed::Act(action) });
            }
        }
        let launches = self.report.iter().flat_map(|report| &report.launches).enumerate();
        if self.report.as_ref().is_some_and(|report| report.launches.len() > 1) {
            all.extend(launches.map(|(at, launch)| Command {
                words: format!("launch {}: {}, {}", at + 1, launch.launch.kernel.name, launch.grid()),
                key: "",
                deed: Deed::Launch(at),
            }));
        }
        if self.launch().is_some() {
            all.extend(self.metrics().into_iter().map(|metric| Command {
                words: format!("grid: {}", metric.title(self)),
                key: "",
                deed: Deed::Metric(metric),
            }));
            all.extend(MACHINES.iter().enumerate().map(|(at, machine)| Command {
                words: format!(
                    "machine: {}, {} and {}",
                    machine.name,
                    words::scaled(machine.bandwidth.value, "B/s"),
                    words::scaled(machine.matrix.first().map_or(0.0, |(_, rate)| rate.value), "FLOP/s"),
                ),
                key: "",
                deed: Deed::Machine(Some(at)),
            }));
            all.push(Command {
                words: "machine: for each launch one that its kernel is for".to_string(),
                key: "",
                deed: Deed::Machine(None),
            });
        }
        all.retain(|command| fuzzy(&command.words, text));
        // What holds the text as it stands comes before what only has its letters.
        all.sort_by_key(|command| !holds(&command.words, text));
        all
    }

    /// Whether an action has something to act on.
    fn is_useful(&self, action: Action) -> bool {
        let Some(report) = &self.report else { return true };
        match action {
            Action::NextMatch | Action::PreviousMatch => !self.search.is_empty(),
            Action::NextFinding | Action::PreviousFinding => !report.findings.is_empty(),
            Action::NextLaunch | Action::PreviousLaunch => report.launches.len() > 1,
            Action::Stop => self.run.is_some() || self.running.is_some(),
            _ => true,
        }
    }

    /// `3, 7, 2` as ids of a program of the launch at the cursor.
    fn named_program(&self, text: &str) -> Option<Vec<usize>> {
        let grid = &self.launch()?.launch.grid;
        let text = text.trim().trim_start_matches('(').trim_end_matches(')');
        let ids: Option<Vec<usize>> =
            text.split([',', ' ']).filter(|id| !id.is_empty()).map(|id| id.parse().ok()).collect();
        let ids = ids.filter(|ids| !ids.is_empty())?;
        let fits = ids.len() == grid.len() && ids.iter().zip(grid).all(|(id, extent)| id < extent);
        fits.then_some(ids)
    }

    /// Whether a text has what was searched for.
    pub(crate) fn finds(&self, text: &str) -> bool {
        !self.search.is_empty() && holds(text, &self.search)
    }

    /// Whether an entry of a list is shown.
    pub(crate) fn shows(&self, text: &str) -> bool {
        self.filter.is_empty() || holds(text, &self.filter)
    }

    /// The findings that are shown, by position.
    pub(crate) fn shown_findings(&self) -> Vec<usize> {
        let Some(report) = &self.report else { return Vec::new() };
        (0..report.findings.len())
            .filter(|&at| {
                let finding = &report.findings[at];
                let path = &report.source_of(finding.span).path;
                self.shows(&format!("{} {} {path} {}", finding.severity.name(), finding.code, finding.message))
            })
            .collect()
    }

    /// The selection goes to a finding that is shown.
    fn keep_shown(&mut self) {
        let shown = self.shown_findings();
        if !shown.contains(&self.finding)
            && let Some(&first) = shown.first()
        {
            self.choose_finding(first);
        }
    }

    /// To the next or previous place of what was searched for.
    pub(super) fn find(&mut self, forward: bool) {
        if self.search.is_empty() {
            self.say("nothing was searched for: press /");
            return;
        }
        let (texts, now): (Vec<String>, usize) = match self.focus {
            Pane::Ir => (self.ir().lines().map(str::to_string).collect(), self.ir_scroll),
            Pane::Source => {
                let Some((report, span)) = self.report.as_ref().zip(self.anchor_span()) else { return };
                let source = report.source_of(span);
                let now = i64::from(source.line_of(span.start)) + self.source_scroll - 1;
                (source.text.lines().map(str::to_string).collect(), usize::try_from(now).unwrap_or(0))
            }
            Pane::Launches => {
                let launches = self.report.iter().flat_map(|report| &report.launches);
                (
                    launches.map(|launch| format!("{} {}", launch.launch.kernel.name, launch.types())).collect(),
                    self.launch,
                )
            }
            _ => {
                let findings = self.report.iter().flat_map(|report| &report.findings);
                (findings.map(|finding| format!("{} {}", finding.code, finding.message)).collect(), self.finding)
            }
        };
        let count = texts.len();
        let order = (1..=count).map(|by| if forward { (now + by) % count } else { (now + count - by % count) % count });
        let found: Vec<usize> = order.filter(|&at| self.finds(&texts[at])).collect();
        let Some(&there) = found.first() else {
            self.say(format!("{} is not found here", self.search));
            return;
        };
        match self.focus {
            Pane::Ir => self.ir_scroll = there,
            Pane::Source => {
                let Some((report, span)) = self.report.as_ref().zip(self.anchor_span()) else { return };
                let anchor = i64::from(report.source_of(span).line_of(span.start));
                self.source_scroll = there as i64 + 1 - anchor;
            }
            Pane::Launches => self.choose_launch(there),
            _ => self.choose_finding(there),
        }
        self.say(format!("{}: {} places", self.search, found.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_matched() {
        assert!(fuzzy("model the launches on the next machine", "mdl mach"));
        assert!(!fuzzy("quit", "qx") && !fuzzy("quit", "Q"));
        assert!(holds("PL120 stands out", "pl12") && !holds("PL120", "Pl12"));
        assert!(!holds("PL120", "!120") && holds("PL120", "!121"));
    }
}
