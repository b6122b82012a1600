//! What a session of tests tells while it runs: events stand on its standard error behind a record separator. With
//! `--output-format json` they are what is printed, one a line, and everything else that is written becomes events, too.

use crate::console::ProcessConsole;
use crate::exit::Exit;
use crate::output;
use crate::render::{Batch, rows};
use pallas_engine::Console;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// What stands before an event.
const SEPARATOR: char = '\u{1e}';

/// Takes events.
pub(super) struct Listener {
    /// Whether events are what is printed.
    pub(super) is_json: bool,
    /// The tests that have run.
    pub(super) run: BTreeSet<String>,
    /// Those of them that failed.
    pub(super) failed: BTreeSet<String>,
    /// The tests that have begun, in order: their numbers are the parts of the session that findings belong to.
    begun: Vec<String>,
    /// The last event, which is told when all is known.
    ended: Option<Value>,
}

impl Listener {
    pub(super) fn new(is_json: bool) -> Self {
        Listener { is_json, run: BTreeSet::new(), failed: BTreeSet::new(), begun: Vec::new(), ended: None }
    }

    fn event(&mut self, event: Value) {
        if event["event"] == "started"
            && let Some(id) = event["id"].as_str()
        {
            self.begun.push(id.to_string());
        }
        if event["event"] == "finished"
            && let Some(id) = event["id"].as_str()
        {
            self.run.insert(id.to_string());
            if event["outcome"] == "failed" || event["outcome"] == "error" {
                self.failed.insert(id.to_string());
            }
        }
        if event["event"] == "ended" {
            self.ended = Some(event);
        } else {
            self.print(&event);
        }
    }

    fn print(&self, event: &Value) {
        if self.is_json {
            output::stdout(&format!("{event}\n"));
        }
    }

    /// The tests of parts of the session.
    pub(super) fn tests(&self, parts: &[u32]) -> Vec<&str> {
        parts.iter().filter_map(|part| self.begun.get(*part as usize)).map(String::as_str).collect()
    }

    /// Tells the end: what pytest said of it, with the exit status, what was found in kernels, in which tests, and what went wrong beside
    /// tests. `parts` has as many entries as there are findings.
    pub(super) fn end(&mut self, exit: Exit, problem: &str, batch: &Batch, parts: &[Vec<u32>]) {
        let status = match exit {
            Exit::Program(status) => status,
            Exit::Success => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
        };
        let mut ended = self.ended.take().unwrap_or_else(|| json!({"event": "ended", "counts": {}, "stopped": null}));
        ended["exit"] = json!(status);
        ended["findings"] = rows(std::slice::from_ref(batch));
        // A finding without a source has no row.
        let shown = batch.findings.iter().zip(parts).filter(|(finding, _)| batch.source(finding.span).is_some());
        // Modules beside the tests are found in `.`; tests are named without it.
        for (finding, (_, parts)) in ended["findings"].as_array_mut().into_iter().flatten().zip(shown) {
            finding["tests"] = json!(self.tests(parts));
            if let Some(inside) = finding["filename"].as_str().and_then(|name| name.strip_prefix("./")) {
                finding["filename"] = json!(inside);
            }
        }
        if !problem.is_empty() {
            self.print(&json!({"event": "output", "stream": "stderr", "text": problem}));
        }
        self.print(&ended);
    }
}

/// The console of a session of tests.
pub(super) struct TestConsole {
    inner: ProcessConsole,
    listener: Arc<Mutex<Listener>>,
}

impl TestConsole {
    pub(super) fn new(inner: ProcessConsole, listener: Arc<Mutex<Listener>>) -> Self {
        TestConsole { inner, listener }
    }

    fn with<T>(&self, use_it: impl FnOnce(&mut Listener) -> T) -> T {
        use_it(&mut self.listener.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Console for TestConsole {
    fn write_stdout(&mut self, text: &str) {
        if self.with(|listener| listener.is_json) {
            self.with(|listener| listener.print(&json!({"event": "output", "stream": "stdout", "text": text})));
        } else {
            self.inner.write_stdout(text);
        }
    }

    fn write_stderr(&mut self, text: &str) {
        if let Some(event) = text.strip_prefix(SEPARATOR).and_then(|event| serde_json::from_str(event).ok()) {
            self.with(|listener| listener.event(event));
        } else if self.with(|listener| listener.is_json) {
            self.with(|listener| listener.print(&json!({"event": "output", "stream": "stderr", "text": text})));
        } else {
            self.inner.write_stderr(text);
        }
    }

    fn read_line(&mut self) -> Option<String> {
        self.inner.read_line()
    }

    fn environment(&self, name: &str) -> Option<String> {
        self.inner.environment(name)
    }

    fn seconds(&self) -> f64 {
        self.inner.seconds()
    }

    fn part(&self) -> Option<u32> {
        self.with(|listener| listener.begun.len().checked_sub(1)).and_then(|last| u32::try_from(last).ok())
    }
}
