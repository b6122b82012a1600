//! What was measured, as a table: milliseconds, and how many times longer others take.

use std::fmt::Write;
use std::time::Duration;

/// Times of many equal questions.
#[derive(Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// In milliseconds: the time that this share of all stays below.
    fn quantile(&self, share: f64) -> Option<f64> {
        let mut sorted = self.0.clone();
        sorted.sort();
        let last = sorted.len().checked_sub(1)?;
        Some(milliseconds(sorted[(last as f64 * share).round() as usize]))
    }
}

/// One server.
#[derive(Default)]
pub(crate) struct Row {
    /// What it is called.
    pub(crate) name: String,
    /// From the start of the process to its greeting.
    pub(crate) initialize: Duration,
    /// From opening the file to its diagnostics.
    pub(crate) open: Duration,
    /// From an edit to its diagnostics.
    pub(crate) edit: Times,
    /// From a question to its answer.
    pub(crate) hover: Times,
    /// The same.
    pub(crate) hints: Times,
    /// MiB at the end.
    pub(crate) memory: Option<f64>,
    /// MiB from the first diagnostics to the end.
    pub(crate) growth: Option<f64>,
    /// Answers that were not about the text as it was.
    pub(crate) stale: usize,
}

const COLUMNS: [&str; 10] =
    ["server", "initialize", "open", "edit p50", "p95", "max", "hover p50", "hints p50", "MiB", "growth"];

/// The rows, with what the others take in times of the first.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = format!("| {} |\n|{}\n", COLUMNS.join(" | "), "---|".repeat(COLUMNS.len()));
    for row in rows {
        let figures = [
            Some(milliseconds(row.initialize)),
            Some(milliseconds(row.open)),
            row.edit.quantile(0.5),
            row.edit.quantile(0.95),
            row.edit.quantile(1.0),
            row.hover.quantile(0.5),
            row.hints.quantile(0.5),
            row.memory,
            row.growth,
        ];
        let _ = write!(text, "| {} |", row.name);
        for figure in figures {
            let _ = match figure {
                Some(figure) => write!(text, " {figure:.1} |"),
                None => write!(text, " |"),
            };
        }
        text.push('\n');
    }
    let median = |row: &Row| row.edit.quantile(0.5);
    if let Some((first, others)) = rows.split_first() {
        for other in others {
            if let Some((ours, theirs)) = median(first).zip(median(other)) {
                let opens = other.open.as_secs_f64() / first.open.as_secs_f64();
                let edits = theirs / ours;
                let _ =
                    writeln!(text, "\n{} takes {edits:.1} times as long for an edit, {opens:.1} to open", other.name);
            }
        }
    }
    for row in rows.iter().filter(|row| row.stale > 0) {
        let _ = writeln!(text, "\n{}: {} answers did not show the edit", row.name, row.stale);
    }
    text
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
