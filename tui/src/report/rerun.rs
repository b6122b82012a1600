//! A run of `watch --headless` as one line: for people, and as JSON for scripts. It says what the run came to, and what
//! changed since the one before it.

use super::comparison::share;
use super::profile::words::time;
use crate::app::report::plural;
use pallas_engine::report::{Change, Comparison, FindingReport, Report, compare};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Launches that a line describes.
const LAUNCHES: usize = 3;
/// Measured times that differ by less are the clock's business.
const NOISE: f64 = 0.02;

/// A run that has ended.
pub(crate) struct Rerun<'a> {
    /// Its number, from 1; runs that were cancelled count.
    pub(crate) number: usize,
    /// How long it took, with evaluation and checks.
    pub(crate) took: Duration,
    /// The files whose saves it was started by.
    pub(crate) changed: &'a [PathBuf],
    /// What it came to.
    pub(crate) report: &'a Report,
    /// What the last run that was not cancelled came to.
    pub(crate) previous: Option<&'a Report>,
    /// What Python would have left on standard error.
    pub(crate) stderr: &'a str,
}

impl Rerun<'_> {
    fn comparison(&self) -> Option<Comparison> {
        // A launch of one session is modelled on the same machine, unless its kernel has become one for another.
        compare(self.previous?, self.report).ok()
    }

    /// What ended the program: the last line of its traceback.
    fn problem(&self) -> Option<&str> {
        let failed = self.report.program.exit.is_some_and(|exit| exit != 0);
        let last = || self.stderr.lines().map(str::trim).rfind(|line| !line.is_empty());
        failed.then(last).flatten()
    }

    /// `kernel.py:12:3`
    fn place(&self, finding: &FindingReport) -> Option<String> {
        self.report.place(finding.place?)
    }

    fn count(report: &Report, severity: &str) -> usize {
        report.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

/// Findings by severity, with the word for one.
const SEVERITIES: [(&str, &str); 3] = [("error", "error"), ("warning", "warning"), ("info", "note")];

/// `#2 kernels.py: 1 launch, 1 warning (+1), 0.12 s; add_kernel: modelled 11.6 µs (-21.6 %: compute 0 %, wait -60 %)`
pub(crate) fn line(rerun: &Rerun<'_>) -> String {
    let report = rerun.report;
    let mut line = format!("#{} {}", rerun.number, report.program.path);
    let own = Path::new(&report.program.path);
    let others: Vec<String> = rerun
        .changed
        .iter()
        .filter(|path| path.as_path() != own)
        .map(|path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned())
        .collect();
    if !others.is_empty() {
        line.push_str(&format!(" ({} changed)", others.join(", ")));
    }
    line.push_str(": ");
    if let Some(exit) = report.program.exit.filter(|exit| *exit != 0) {
        line.push_str(&format!("failed with exit code {exit}"));
        if let Some(problem) = rerun.problem() {
            line.push_str(&format!(", {problem}"));
        }
        line.push_str("; ");
    }
    line.push_str(&plural(report.launches.len(), "launch"));
    line.push_str(&format!(", {}, {:.2} s", findings(rerun), rerun.took.as_secs_f64()));
    // The worst finding in full: findings are sorted, errors first.
    if let Some(first) = report.findings.first().filter(|finding| finding.severity != "info") {
        let place = rerun.place(first).map(|place| format!("{place} ")).unwrap_or_default();
        line.push_str(&format!("; {place}{} {}", first.code, first.message));
    }
    let launches = launches(rerun);
    if !launches.is_empty() {
        line.push_str(&format!("; {}", launches.join("; ")));
    }
    line
}

fn findings(rerun: &Rerun<'_>) -> String {
    let mut parts = Vec::new();
    for (severity, word) in SEVERITIES {
        let now = Rerun::count(rerun.report, severity);
        let before = rerun.previous.map_or(now, |previous| Rerun::count(previous, severity));
        let change = now as i64 - before as i64;
        match (now, change) {
            (0, 0) => {}
            (_, 0) => parts.push(plural(now, word)),
            _ => parts.push(format!("{} ({change:+})", plural(now, word))),
        }
    }
    if parts.is_empty() { "no findings".to_string() } else { parts.join(", ") }
}

/// A phrase for each launch: its times, and against the run before how they and their stages changed.
fn launches(rerun: &Rerun<'_>) -> Vec<String> {
    let mut phrases = Vec::new();
    match rerun.comparison() {
        None => {
            for launch in &rerun.report.launches {
                let measured = launch.measured.as_ref();
                let measured = measured.map(|m| format!(", measured {}", time(m.time / m.runs.max(1) as f64)));
                phrases.push(format!(
                    "{}: modelled {} ({} bound){}",
                    launch.kernel,
                    time(launch.modelled.time),
                    launch.modelled.bound,
                    measured.unwrap_or_default()
                ));
            }
        }
        Some(comparison) => {
            let mut names: Vec<&str> = comparison.changes.iter().map(|change| change.launch.as_str()).collect();
            names.dedup();
            for name in names {
                let of = |measured| {
                    let mine = |change: &&Change| change.launch == name && change.measured == measured;
                    delta(&comparison.changes.iter().filter(mine).collect::<Vec<_>>(), measured)
                };
                let parts: Vec<String> = [of(false), of(true)].into_iter().flatten().collect();
                phrases.push(format!("{name}: {}", parts.join(", ")));
            }
            for (names, what) in [(&comparison.new, "new"), (&comparison.gone, "gone")] {
                phrases.extend(names.iter().map(|name| format!("{name}: {what}")));
            }
        }
    }
    let more = phrases.len().saturating_sub(LAUNCHES);
    if more > 0 {
        phrases.truncate(LAUNCHES);
        phrases.push(format!("and {more} more"));
    }
    phrases
}

/// `modelled 11.6 µs (-21.6 %: compute 0 %, wait -60 %)`
fn delta(changes: &[&Change], measured: bool) -> Option<String> {
    let (whole, stages): (Vec<&Change>, Vec<&Change>) = changes.iter().partition(|change| change.what == "time");
    let whole = whole.first()?;
    let kind = if measured { "measured" } else { "modelled" };
    let is_same = whole.share().abs() < if measured { NOISE } else { 1e-9 };
    if is_same {
        return Some(format!("{kind} {} (same)", time(whole.after)));
    }
    let stages: Vec<String> = stages
        .iter()
        .filter(|change| change.before > 0.0 || change.after > 0.0)
        .map(|change| format!("{} {}", change.what, share(change.share())))
        .collect();
    Some(format!("{kind} {} ({}: {})", time(whole.after), share(whole.share()), stages.join(", ")))
}

/// The same for scripts. Times are in nanoseconds.
pub(crate) fn json(rerun: &Rerun<'_>) -> Value {
    let report = rerun.report;
    let launches: Vec<Value> = report
        .launches
        .iter()
        .map(|launch| {
            json!({
                "kernel": launch.kernel,
                "programs": launch.programs,
                "machine": report.machine_of(launch).key,
                "bound": launch.modelled.bound,
                "modelled": launch.modelled.time,
                "measured": launch.measured.as_ref().map(|m| m.time / m.runs.max(1) as f64),
            })
        })
        .collect();
    let findings: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            json!({
                "code": finding.code,
                "severity": finding.severity,
                "message": finding.message,
                "place": rerun.place(finding),
            })
        })
        .collect();
    let comparison = rerun.comparison();
    let change = |change: &Change| {
        json!({
            "launch": change.launch,
            "kind": if change.measured { "measured" } else { "modelled" },
            "stage": change.what,
            "before": change.before,
            "after": change.after,
            // JSON has no infinity: what was zero before has no share.
            "share": Some(change.share()).filter(|share| share.is_finite()),
        })
    };
    json!({
        "run": rerun.number,
        "file": report.program.path,
        "changed": rerun.changed.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        "exit": report.program.exit,
        "problem": rerun.problem(),
        "seconds": rerun.took.as_secs_f64(),
        "machine": report.machine.key,
        "counts": SEVERITIES.map(|(severity, _)| (severity.to_string(), Rerun::count(report, severity).into()))
            .into_iter().collect::<serde_json::Map<String, Value>>(),
        "findings": findings,
        "launches": launches,
        "changes": comparison.as_ref().map(|comparison| comparison.changes.iter().map(change).collect::<Vec<_>>()),
        "new": comparison.as_ref().map(|comparison| &comparison.new),
        "gone": comparison.as_ref().map(|comparison| &comparison.gone),
    })
}
