//! Tests in the editor: runs them by `pallas-tui test`, in a process of its own, and says what became of them: above them, and as
//! diagnostics where they failed. What stands in the events of that program is in docs/tests.md.

mod heard;
mod lenses;

pub(crate) use lenses::{actions, lenses, nearest};

use crate::analysis_worker::Analysed;
use crate::capabilities::Client;
use crate::positions::{Encoding, LinePosition};
use crate::presenting::{Session, names};
use crate::runner;
use crate::to_proto::range;
use crate::uris;
use heard::{Ended, Heard};
use pallas_engine::{Disk, FileSystem};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use tokio::sync::mpsc::unbounded_channel;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types as lsp;

/// Which tests are to be run, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// `TestAdd::test_rows`; all tests of the file where there is none.
    pub(crate) test: Option<String>,
    /// Whether kernels are looked at for what was not proved of them.
    pub(crate) strict: bool,
}

/// What became of tests of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tested {
    tests: Vec<Ended>,
    /// What was found in kernels while they ran, as `pallas-tui` says it, that is in this file.
    findings: Vec<Value>,
}

impl Tested {
    /// The same, with what became of tests that have run since.
    pub(crate) fn with(&self, newer: Tested) -> Tested {
        let mut tests = self.tests.clone();
        tests.retain(|old| newer.tests.iter().all(|new| new.id != old.id));
        tests.extend(newer.tests);
        Tested { tests, findings: newer.findings }
    }

    /// Failures, where they happened, and what was found in kernels that the analysis does not say.
    pub(crate) fn diagnostics(&self, analysed: &Analysed, client: &Client) -> Vec<lsp::Diagnostic> {
        let mut shown: Vec<(u32, &Ended, Vec<&str>)> = Vec::new();
        for test in self.tests.iter().filter(|test| test.is_bad()) {
            let line = if test.is_here { test.line } else { 1 };
            match shown.iter_mut().find(|(at, first, _)| *at == line && first.message == test.message) {
                Some((_, _, names)) => names.push(&test.id),
                None => shown.push((line, test, vec![&test.id])),
            }
        }
        let failures = shown.into_iter().map(|(line, test, names)| {
            let more = if names.len() > 3 { format!(" and {} more", names.len() - 3) } else { String::new() };
            let related = || {
                let others = test.calls.iter().filter(|(file, at, _)| (file, *at) != (&test.file, test.line));
                let place = |(path, at, function): &(String, u32, String)| {
                    let start = lsp::Position { line: at.saturating_sub(1), character: 0 };
                    let location = lsp::Location { uri: uris::uri(path)?, range: lsp::Range { start, end: start } };
                    Some(lsp::DiagnosticRelatedInformation { location, message: format!("in {function}") })
                };
                others.filter_map(place).collect::<Vec<_>>()
            };
            lsp::Diagnostic {
                range: line_of(analysed, client, line),
                severity: Some(lsp::DiagnosticSeverity::ERROR),
                source: Some("pallas test".to_string()),
                message: format!("{}\n{}{more}", test.message, names[..names.len().min(3)].join(", ")),
                related_information: client.related_information.then(related).filter(|related| !related.is_empty()),
                ..lsp::Diagnostic::default()
            }
        });
        let mut all: Vec<lsp::Diagnostic> = failures.collect();
        for finding in &self.findings {
            let shown = finding_of(finding, analysed, client);
            let said =
                |other: &lsp::Diagnostic| other.code == shown.code && other.range.start.line == shown.range.start.line;
            if !analysed.diagnostics.iter().any(said) {
                all.push(shown);
            }
        }
        all
    }

    /// A few words on a test, or on the tests of a class.
    fn summary(&self, place: &str) -> Option<String> {
        let is_inside = |test: &&Ended| {
            test.place.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        let tests: Vec<&Ended> = self.tests.iter().filter(is_inside).collect();
        let seconds: f64 = tests.iter().map(|test| test.seconds).sum();
        let bad: Vec<&&Ended> = tests.iter().filter(|test| test.is_bad()).collect();
        Some(match (&tests[..], &bad[..]) {
            ([], _) => return None,
            ([only], []) if only.outcome != "passed" => format!("{}: {}", word(&only.outcome), only.message),
            ([_], []) => format!("passed in {seconds:.1} s"),
            ([_], [only]) => format!("failed: {}", only.message),
            (all, []) => {
                let passed = all.iter().filter(|test| test.outcome == "passed").count();
                let others =
                    if passed == all.len() { String::new() } else { format!(", {} not run", all.len() - passed) };
                format!("{passed} passed{others} in {seconds:.1} s")
            }
            (all, [first, ..]) => format!("{} of {} failed: {}", bad.len(), all.len(), first.message),
        })
    }
}

fn word(outcome: &str) -> &str {
    match outcome {
        "xfailed" => "failed as expected",
        "xpassed" => "passed, which was not expected",
        other => other,
    }
}

/// A line without what it is set in by.
fn line_of(analysed: &Analysed, client: &Client, line: u32) -> lsp::Range {
    let lines = &analysed.lines;
    let line = line.saturating_sub(1);
    let start = lines.offset(LinePosition { line, column: 0 }, Encoding::Utf8);
    let end = lines.offset(LinePosition { line, column: u32::MAX }, Encoding::Utf8);
    let text = &lines.text()[start..end];
    let indent = text.len() - text.trim_start().len();
    range(lines, start + indent..start + text.trim_end().len().max(indent), client.encoding)
}

/// A finding of a run.
fn finding_of(finding: &Value, analysed: &Analysed, client: &Client) -> lsp::Diagnostic {
    let offset = |name: &str| {
        let number = |field: &str| finding[name][field].as_u64().unwrap_or(1).saturating_sub(1) as u32;
        analysed.lines.offset(LinePosition { line: number("row"), column: number("column") }, Encoding::Utf32)
    };
    let parts = ["message", "evidence", "help"].map(|part| finding[part].as_str());
    let [message, evidence, help] = parts;
    let help = help.map(|help| format!("help: {help}"));
    let lines = [message.map(str::to_string), evidence.map(str::to_string), help];
    let (start, end) = (offset("location"), offset("end_location"));
    lsp::Diagnostic {
        range: range(&analysed.lines, start..end.max(start), client.encoding),
        severity: Some(match finding["severity"].as_str() {
            Some("error") => lsp::DiagnosticSeverity::ERROR,
            _ => lsp::DiagnosticSeverity::WARNING,
        }),
        code: finding["code"].as_str().map(|code| lsp::NumberOrString::String(code.to_string())),
        source: Some("pallas".to_string()),
        message: lines.into_iter().flatten().collect::<Vec<_>>().join("\n"),
        ..lsp::Diagnostic::default()
    }
}

impl Session {
    /// Runs tests of a file, with progress. What became of them, and the answer to the command.
    pub(crate) async fn test(
        &self,
        wanted: &Wanted,
        uri: &lsp::Uri,
        given: Option<lsp::ProgressToken>,
        unsaved: bool,
    ) -> Result<(Tested, Value)> {
        let (path, name) = names(uri);
        let program = self.program(uri, unsaved).await?;
        let folder = folder_of(&path, &self.agreed.folders);
        let what = wanted.test.as_deref().unwrap_or(&name);
        let title = if wanted.strict { format!("Checking {what}") } else { format!("Testing {what}") };
        let (token, run) = self.begin(given, &title).await;
        let files: Arc<dyn FileSystem> = Arc::new(Disk);
        let around = self.known.of(&files, &path, &self.agreed.settings);
        let command = command_line(&program, wanted, &folder, &path, &around.settings);
        let (sender, mut events) = unbounded_channel();
        let started = std::thread::Builder::new().name("runner".to_string()).spawn(move || {
            let tell = sender.clone();
            let told = move |line: &str| {
                if let Ok(event) = serde_json::from_str(line) {
                    // Nobody listens if the server goes.
                    let _ = tell.send(Ok(event));
                }
            };
            let outcome = runner::supervise(&program, command, run, told);
            let _ = sender.send(Err(outcome));
        });
        let mut heard = Heard::default();
        let mut outcome =
            started.map(drop).map_err(|error| format!("no thread can be started: {error}")).and(Err(String::new()));
        while let Some(told) = events.recv().await {
            match told {
                Ok(event) => {
                    let shown = heard.event(&event, &folder, &path);
                    if let (Some(token), Some(message)) = (&token, shown) {
                        let report = lsp::WorkDoneProgressReport {
                            cancellable: Some(true),
                            message: Some(message),
                            percentage: None,
                        };
                        self.send(token.clone(), lsp::WorkDoneProgress::Report(report)).await;
                    }
                }
                Err(ended) => {
                    outcome = ended;
                    break;
                }
            }
        }
        if let Some(token) = token {
            let message = outcome.as_ref().ok().map(|outcome| heard.summary(outcome));
            self.send(token, lsp::WorkDoneProgress::End(lsp::WorkDoneProgressEnd { message })).await;
        }
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(problem) => return Err(self.refuse(problem).await),
        };
        let summary = heard.summary(&outcome);
        // What could not be begun, say an option that there is none of, is said on standard error.
        let text = format!("{}{}", heard.text, outcome.stderr);
        if !outcome.cancelled {
            self.present(&format!("{name}.tests.txt"), &text, &format!("{name}: {summary}")).await;
        }
        let row = |test: &Ended| {
            let place = json!({"path": test.file, "line": test.line});
            let place = if test.is_bad() { place } else { Value::Null };
            json!({"test": test.id, "outcome": test.outcome, "seconds": test.seconds, "message": test.message, "place": place})
        };
        let tests: Vec<Ended> = heard.errors.into_iter().chain(heard.ended).collect();
        let answer = json!({
            "exit": heard.exit.or(outcome.exit.map(i64::from)),
            "cancelled": outcome.cancelled,
            "summary": summary,
            "text": text,
            "tests": tests.iter().map(row).collect::<Vec<_>>(),
            "findings": heard.findings,
        });
        Ok((Tested { tests, findings: heard.findings }, answer))
    }
}

/// The folder of the workspace that a file is in, where names of tests begin; its own folder, if it is in none.
fn folder_of(path: &str, folders: &[String]) -> PathBuf {
    let holds = |folder: &&String| path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
    let folder = folders.iter().filter(holds).max_by_key(|folder| folder.len());
    folder.map(PathBuf::from).or_else(|| Path::new(path).parent().map(Path::to_path_buf)).unwrap_or_default()
}

fn command_line(
    program: &Path,
    wanted: &Wanted,
    folder: &Path,
    path: &str,
    settings: &pallas_engine::Settings,
) -> Command {
    let mut command = Command::new(program);
    command.args(["test", "--color", "never", "--output-format", "json"]).current_dir(folder);
    if wanted.strict {
        command.arg("--strict");
    }
    if let Some(python) = &settings.python {
        command.args(["--python", python]);
    }
    let file = Path::new(path).strip_prefix(folder).map_or(path.to_string(), pallas_engine::path_text);
    match &wanted.test {
        Some(test) => command.arg(format!("{file}::{test}")),
        None => command.arg(file),
    };
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis_worker::tests::analysed;

    fn heard() -> Heard {
        let mut heard = Heard::default();
        let test = |id: &str, function: &str| json!({"id": id, "classes": ["TestA"], "function": function});
        let events = [
            json!({"event": "collected", "tests": [test("a.py::TestA::t[1]", "t"), test("a.py::TestA::t[2]", "t")], "errors": []}),
            json!({"event": "finished", "id": "a.py::TestA::t[1]", "outcome": "passed", "seconds": 0.25}),
            json!({"event": "finished", "id": "a.py::TestA::t[2]", "outcome": "failed", "seconds": 0.5, "message": "assert 1 == 2",
                "file": "a.py", "line": 2, "places": [{"file": "a.py", "line": 2, "function": "t"}]}),
            json!({"event": "ended", "exit": 1, "counts": {"failed": 1, "passed": 1}, "findings": []}),
        ];
        for event in &events {
            heard.event(event, Path::new("/work"), "/work/a.py");
        }
        heard
    }

    #[test]
    fn events_become_results() {
        let heard = heard();
        let tested = Tested { tests: heard.ended, findings: Vec::new() };
        assert_eq!(tested.summary("TestA").as_deref(), Some("1 of 2 failed: assert 1 == 2"));
        assert_eq!(tested.summary("TestA::t").as_deref(), Some("1 of 2 failed: assert 1 == 2"));
        assert_eq!(tested.summary("TestB"), None);
        let client = Client { related_information: true, ..Client::default() };
        let shown = serde_json::to_value(tested.diagnostics(&analysed(&client), &client)).expect("JSON");
        assert_eq!(shown[0]["message"], "assert 1 == 2\nTestA::t[2]");
        assert_eq!(shown[0]["range"]["start"], json!({"line": 1, "character": 0}));
        assert_eq!(shown[0].get("relatedInformation"), None, "the only call is where it stands");
        assert!(tested.tests[1].is_here && tested.tests[1].file == "/work/a.py");
        let mended = Ended { outcome: "passed".to_string(), ..tested.tests[1].clone() };
        let newer = tested.with(Tested { tests: vec![mended], findings: Vec::new() });
        assert_eq!(newer.summary("TestA").as_deref(), Some("2 passed in 0.8 s"));
        assert!(newer.diagnostics(&analysed(&client), &client).is_empty());
    }

    #[test]
    fn names_begin_in_the_workspace() {
        let folders = ["/work".to_string(), "/work/inner".to_string()];
        assert_eq!(folder_of("/work/inner/a/test_b.py", &folders), Path::new("/work/inner"));
        assert_eq!(folder_of("/works/test_b.py", &folders), Path::new("/works"));
    }
}
