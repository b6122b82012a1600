//! What the events of `pallas-tui test` say: tests, what became of each and why, the report.

use crate::runner::Outcome;
use serde_json::Value;
use std::path::Path;

/// What became of one test.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    /// Its name, with its parameters: `TestAdd::test_rows[8]`.
    pub(super) id: String,
    /// What stands in the file: `TestAdd::test_rows`.
    pub(super) place: String,
    /// `passed`, `failed`, `error`, `skipped`, `xfailed`, `xpassed`.
    pub(super) outcome: String,
    pub(super) seconds: f64,
    /// Why, in a line.
    pub(super) message: String,
    /// Where it went wrong: the path, and the line from one on.
    pub(super) file: String,
    pub(super) line: u32,
    /// Whether that is in the file that was tested.
    pub(super) is_here: bool,
    /// The calls that led there, by path and line.
    pub(super) calls: Vec<(String, u32, String)>,
}

impl Ended {
    pub(super) fn is_bad(&self) -> bool {
        self.outcome == "failed" || self.outcome == "error"
    }
}

/// What the events of a run say so far.
#[derive(Default)]
pub(super) struct Heard {
    /// The names of tests and what stands in the file for them.
    pub(super) collected: Vec<(String, String)>,
    pub(super) ended: Vec<Ended>,
    pub(super) errors: Vec<Ended>,
    pub(super) findings: Vec<Value>,
    pub(super) counts: Value,
    /// The report, as people read it.
    pub(super) text: String,
    pub(super) exit: Option<i64>,
}

impl Heard {
    /// Takes an event. What is to be shown of it as progress.
    pub(super) fn event(&mut self, event: &Value, folder: &Path, path: &str) -> Option<String> {
        match event["event"].as_str()? {
            "collected" => {
                for test in event["tests"].as_array().into_iter().flatten() {
                    let classes = test["classes"].as_array().into_iter().flatten().filter_map(Value::as_str);
                    let parts: Vec<&str> = classes.chain(test["function"].as_str()).collect();
                    self.collected.push((test["id"].as_str()?.to_string(), parts.join("::")));
                }
                let errors = event["errors"].as_array().into_iter().flatten();
                self.errors.extend(errors.map(|error| ended(error, "", folder, path)));
                None
            }
            "started" => {
                let id = event["id"].as_str()?;
                Some(format!("{}/{} {}", self.ended.len() + 1, self.collected.len(), inside(id)))
            }
            "finished" => {
                let id = event["id"].as_str()?;
                let place = self.collected.iter().find(|(known, _)| known == id).map(|(_, place)| place.clone());
                self.ended.push(ended(event, &place.unwrap_or_default(), folder, path));
                None
            }
            "output" => {
                self.text.push_str(event["text"].as_str()?);
                None
            }
            "ended" => {
                self.counts = event["counts"].clone();
                self.exit = event["exit"].as_i64();
                let here = |finding: &&Value| is_file(folder, finding["filename"].as_str().unwrap_or_default(), path);
                self.findings = event["findings"].as_array().into_iter().flatten().filter(here).cloned().collect();
                None
            }
            _ => None,
        }
    }

    /// `1 failed, 2 passed`, with what was found.
    pub(super) fn summary(&self, outcome: &Outcome) -> String {
        let counts = self.counts.as_object().into_iter().flatten();
        let mut parts: Vec<String> = counts.map(|(kind, count)| format!("{count} {kind}")).collect();
        match self.findings.len() {
            0 => {}
            1 => parts.push("1 finding".to_string()),
            count => parts.push(format!("{count} findings")),
        }
        match (outcome.cancelled, parts.is_empty()) {
            (true, _) => "stopped".to_string(),
            (false, false) => parts.join(", "),
            (false, true) => "no tests ran".to_string(),
        }
    }
}

/// A test without its file: `TestAdd::test_rows[8]`.
fn inside(id: &str) -> &str {
    id.split_once("::").map_or(id, |(_, test)| test)
}

/// Whether a file that is named from a folder is the one at a path.
fn is_file(folder: &Path, named: &str, path: &str) -> bool {
    !named.is_empty() && pallas_engine::path_text(&folder.join(named)) == path
}

fn ended(event: &Value, place: &str, folder: &Path, path: &str) -> Ended {
    let text = |name: &str| event[name].as_str().unwrap_or_default();
    let line = |value: &Value| value["line"].as_u64().map_or(1, |line| line as u32);
    let calls = event["places"].as_array().into_iter().flatten();
    let call = |call: &Value| {
        let file = pallas_engine::path_text(&folder.join(call["file"].as_str().unwrap_or_default()));
        (file, line(call), call["function"].as_str().unwrap_or_default().to_string())
    };
    let named = match inside(text("id")) {
        "" => "the tests of this file cannot be collected",
        id => id,
    };
    Ended {
        id: named.to_string(),
        place: place.to_string(),
        outcome: text("outcome").to_string(),
        seconds: event["seconds"].as_f64().unwrap_or_default(),
        message: text("message").to_string(),
        file: pallas_engine::path_text(&folder.join(text("file"))),
        line: line(event),
        is_here: is_file(folder, text("file"), path),
        calls: calls.map(call).collect(),
    }
}
