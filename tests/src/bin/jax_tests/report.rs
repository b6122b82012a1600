//! How the cases ended: by file, by reason, and against a listing of what happens under JAX.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// One case that was run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Case {
    /// `pallas_test.py`
    pub(crate) file: String,
    /// `PallasCallTest.test_add`
    pub(crate) name: String,
    /// `passed`, `failed` or `skipped`
    pub(crate) outcome: String,
    /// The exception, or why it was skipped.
    pub(crate) reason: String,
    /// `file:line` of the innermost frame.
    pub(crate) place: String,
    /// The traceback.
    pub(crate) text: String,
}

/// The share of what passes under JAX that must pass here.
const WANTED: f64 = 0.95;

/// Reasons that are printed.
const MOST_REASONS: usize = 60;

/// All cases, in the order in which they ran.
#[derive(Default)]
pub(crate) struct Report {
    cases: Vec<Case>,
}

impl Report {
    /// The cases of one more file.
    pub(crate) fn add(&mut self, file: &str, cases: Vec<Case>) {
        self.cases.extend(cases.into_iter().map(|case| Case { file: file.to_string(), ..case }));
    }

    /// `pallas_test.py: 140 passed, 17 failed, 410 skipped`
    pub(crate) fn line(&self, file: &str) -> String {
        let count = |outcome| self.cases.iter().filter(|c| c.file == file && c.outcome == outcome).count();
        format!("{file}: {} passed, {} failed, {} skipped", count("passed"), count("failed"), count("skipped"))
    }

    /// `outcome file Class.case`, line by line, as `tests/goldens/jax_tests.py` writes it.
    pub(crate) fn listing(&self) -> String {
        self.cases.iter().map(|c| format!("{} {} {}\n", c.outcome, c.file, c.name)).collect()
    }

    /// Failures by reason, the most frequent first.
    pub(crate) fn failures(&self) -> String {
        let mut by_reason: HashMap<String, Vec<&Case>> = HashMap::new();
        for case in self.cases.iter().filter(|case| case.outcome == "failed") {
            by_reason.entry(reason_kind(&case.reason)).or_default().push(case);
        }
        let mut ranked: Vec<(String, Vec<&Case>)> = by_reason.into_iter().collect();
        ranked.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(&b.0)));
        let mut text = String::new();
        for (reason, cases) in ranked.iter().take(MOST_REASONS) {
            let first = cases[0];
            let _ =
                writeln!(text, "{:5}  {reason}\n       {} {} ({})", cases.len(), first.file, first.name, first.place);
        }
        if ranked.len() > MOST_REASONS {
            let _ = writeln!(text, "       and {} more reasons", ranked.len() - MOST_REASONS);
        }
        text
    }

    /// Against the listing: what passes there and not here, and whether enough passes.
    pub(crate) fn compared(&self, listing: &str, files: &[String], pattern: &str) -> (String, bool) {
        let ours: HashMap<(&str, &str), &Case> =
            self.cases.iter().map(|case| ((&*case.file, &*case.name), case)).collect();
        let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let mut text = String::new();
        for line in listing.lines() {
            let mut fields = line.splitn(3, ' ');
            let (Some("passed"), Some(file), Some(name)) = (fields.next(), fields.next(), fields.next()) else {
                continue;
            };
            let found = ours.get(&(file, name));
            if !files.iter().any(|f| f == file) || (!pattern.is_empty() && found.is_none()) {
                continue;
            }
            let count = counts.entry(file).or_default();
            count.1 += 1;
            match found {
                Some(case) if case.outcome == "passed" => count.0 += 1,
                Some(case) if case.outcome == "skipped" => {
                    let _ = writeln!(text, "skipped here: {file} {name}: {}", case.reason);
                }
                Some(_) => {}
                None => {
                    let _ = writeln!(text, "not found: {file} {name}");
                }
            }
        }
        let (passed, all) = counts.values().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
        for (file, (passed, all)) in &counts {
            let _ =
                writeln!(text, "{file}: {passed} of {all} that pass under JAX ({:.1} %)", share(*passed, *all) * 100.0);
        }
        let _ = writeln!(text, "all: {passed} of {all} ({:.1} %)", share(passed, all) * 100.0);
        (text, share(passed, all) >= WANTED)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// The first line without the numbers, so that like failures count together.
fn reason_kind(reason: &str) -> String {
    let line = reason.lines().find(|line| !line.trim_end_matches(": ").is_empty()).unwrap_or_default();
    let mut kind = String::new();
    let mut in_number = false;
    for letter in line.chars().take(200) {
        if letter.is_ascii_digit() {
            if !in_number {
                kind.push('#');
            }
            in_number = true;
        } else {
            kind.push(letter);
            in_number = false;
        }
    }
    kind
}
