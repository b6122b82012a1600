//! One test file in the evaluator: the driver program is run, and started again behind a case that took too long or
//! brought the evaluator down.

use crate::report::Case;
use pallas_engine::environment::{Environment, Wanted};
use pallas_engine::{Cancel, Console, Disk, Run, RunOptions, Schedule};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const DRIVER: &str = include_str!("driver.py");

/// What every file is run with.
pub(crate) struct Settings {
    /// The folder that has `tests/pallas`.
    pub(crate) checkout: PathBuf,
    /// An environment to import from.
    pub(crate) python: Option<String>,
    /// Which cases.
    pub(crate) pattern: String,
    /// How long one case may take.
    pub(crate) limit: Duration,
    /// Whether cases are only listed.
    pub(crate) list: bool,
}

/// What the driver told so far.
#[derive(Default)]
struct Progress {
    cases: Vec<Case>,
    /// The case that runs: its number, its name, and since when.
    running: Option<(usize, String, Instant)>,
    done: bool,
    stderr: String,
}

/// The console of the driver: its lines are events, everything else is what tests print.
#[derive(Clone, Default)]
struct Events {
    progress: Arc<Mutex<Progress>>,
    line: String,
    started: Option<Instant>,
}

impl Events {
    fn event(&mut self, line: &str) {
        let Some(fields) = strings(line) else { return };
        let field = |index: usize| fields.get(index).cloned().unwrap_or_default();
        let Ok(mut progress) = self.progress.lock() else { return };
        match field(0).as_str() {
            "start" => progress.running = Some((field(1).parse().unwrap_or(0), field(2), Instant::now())),
            "end" => {
                if let Some((_, name, _)) = progress.running.take() {
                    progress.cases.push(Case {
                        file: String::new(),
                        name,
                        outcome: field(2),
                        reason: field(3),
                        place: field(4),
                        text: field(5),
                    });
                }
            }
            "done" => progress.done = true,
            _ => {}
        }
    }
}

/// The elements of a JSON list of strings and integers, as text.
fn strings(line: &str) -> Option<Vec<String>> {
    let mut letters = line.trim().strip_prefix('[')?.strip_suffix(']')?.chars().peekable();
    let mut fields = Vec::new();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                let mut text = String::new();
                loop {
                    match letters.next()? {
                        '"' => break,
                        '\\' => match letters.next()? {
                            'n' => text.push('\n'),
                            't' => text.push('\t'),
                            'r' => text.push('\r'),
                            'u' => {
                                let code: String = (0..4).filter_map(|_| letters.next()).collect();
                                text.push(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32).unwrap_or('?'));
                            }
                            other => text.push(other),
                        },
                        other => text.push(other),
                    }
                }
                fields.push(text);
            }
            ',' | ' ' => {}
            first => {
                let mut text = String::from(first);
                while let Some(next) = letters.next_if(|l| *l != ',') {
                    text.push(next);
                }
                fields.push(text);
            }
        }
    }
    Some(fields)
}

impl Console for Events {
    fn write_stdout(&mut self, text: &str) {
        self.line.push_str(text);
        while let Some(end) = self.line.find('\n') {
            let line: String = self.line.drain(..=end).collect();
            if let Some((_, event)) = line.split_once('\u{1e}') {
                self.event(event);
            }
        }
    }

    fn write_stderr(&mut self, text: &str) {
        if let Ok(mut progress) = self.progress.lock() {
            progress.stderr.push_str(text);
        }
    }

    fn read_line(&mut self) -> Option<String> {
        None
    }

    fn environment(&self, _name: &str) -> Option<String> {
        None
    }

    fn seconds(&self) -> f64 {
        self.started.map_or(0.0, |started| started.elapsed().as_secs_f64())
    }
}

/// One file.
pub(crate) struct Session<'a> {
    settings: &'a Settings,
    module: String,
}

impl<'a> Session<'a> {
    /// The session of `pallas_test.py`.
    pub(crate) fn new(settings: &'a Settings, file: &str) -> Self {
        Session { settings, module: file.trim_end_matches(".py").to_string() }
    }

    /// Runs every case; `each` hears of them as they end.
    pub(crate) fn run(&self, each: impl Fn(&Case)) -> Vec<Case> {
        let mut all = Vec::new();
        let mut first = 0;
        loop {
            let (progress, run) = self.attempt(first);
            let Ok(mut progress) = progress.lock() else { return all };
            let mut cases = std::mem::take(&mut progress.cases);
            let running = progress.running.take();
            let finished = progress.done;
            if let Some((index, name, since)) = running
                && !self.settings.list
            {
                let timed_out = since.elapsed() >= self.settings.limit;
                let reason = if timed_out {
                    format!("takes longer than {} s", self.settings.limit.as_secs())
                } else {
                    run.stderr.lines().last().unwrap_or("the evaluator stopped").to_string()
                };
                cases.push(Case {
                    name,
                    outcome: "failed".to_string(),
                    reason,
                    text: run.stderr.clone(),
                    ..Case::default()
                });
                first = index + 1;
            } else if !finished {
                cases.push(Case {
                    name: "(import)".to_string(),
                    outcome: "failed".to_string(),
                    reason: run.stderr.lines().last().unwrap_or("the driver stopped").to_string(),
                    text: run.stderr.clone(),
                    ..Case::default()
                });
            }
            let stop = finished || cases.last().is_some_and(|case| case.name == "(import)");
            cases.iter().for_each(&each);
            all.append(&mut cases);
            if stop {
                return all;
            }
        }
    }

    fn attempt(&self, first: usize) -> (Arc<Mutex<Progress>>, Run) {
        let events = Events { started: Some(Instant::now()), ..Events::default() };
        let progress = events.progress.clone();
        let cancel = Cancel::new();
        let import_paths = vec![
            self.settings.checkout.join("tests/pallas").display().to_string(),
            self.settings.checkout.display().to_string(),
        ];
        let mode = if self.settings.list { "list" } else { "run" };
        let options = RunOptions {
            files: Arc::new(Disk),
            arguments: vec![self.module.clone(), self.settings.pattern.clone(), first.to_string(), mode.to_string()],
            import_paths,
            environment: Environment::find(
                &Disk,
                &Wanted { python: self.settings.python.as_deref(), virtual_env: None, script: "driver.py" },
            ),
            schedule: Schedule::default(),
            strict: false,
            target: None,
            acceleration: None,
            console: Box::new(events),
            cancel: cancel.clone(),
        };
        let limit = self.settings.limit;
        let run = std::thread::scope(|scope| {
            let watched = progress.clone();
            let ended = Arc::new(Mutex::new(false));
            let over = ended.clone();
            scope.spawn(move || {
                while !over.lock().is_ok_and(|over| *over) {
                    std::thread::sleep(Duration::from_millis(100));
                    let late = watched.lock().is_ok_and(|progress| {
                        progress.running.as_ref().is_some_and(|(_, _, since)| since.elapsed() > limit)
                    });
                    if late {
                        cancel.cancel();
                    }
                }
            });
            let run = Run::new("driver.py", DRIVER, options);
            if let Ok(mut ended) = ended.lock() {
                *ended = true;
            }
            run
        });
        (progress, run)
    }
}
