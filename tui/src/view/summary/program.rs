//! The part of the summary that is about the program and no launch of it: how long it took, how it failed, what it printed.

use super::Lines;
use crate::app::App;
use crate::app::report::Ran;
use crate::styles;
use crate::view::{cut, status};
use pallas_engine::Severity;
use ratatui::text::Line;

/// Lines that are shown of what the program has printed, and of what it said of its failure: the last ones.
const SHOWN: usize = 12;

impl Lines {
    /// How the program went, if there is anything to say of it: without launches the times alone are nothing.
    pub(super) fn program(&mut self, app: &App) {
        let Some(shown) = &app.report else { return };
        let ran = shown.ran.as_ref();
        if !self.lines.is_empty() {
            let run = ran.map_or(String::new(), |ran| format!(", run in {}", status::duration(ran.took)));
            self.say("", &format!("analysed in {}{run}", status::duration(shown.took)), styles::DIM);
        }
        let Some(ran) = ran else { return };
        if ran.exit != 0 && !ran.stopped {
            self.failure(ran);
        } else {
            self.quoted("standard error", &ran.stderr);
        }
        self.quoted("printed", &ran.printed);
    }

    /// What is said of a failure: its last line in colour, as that is what it was, after the lines that lead there.
    fn failure(&mut self, ran: &Ran) {
        let last = ran.stderr.trim_end().lines().last().map(str::to_string);
        let last = last.unwrap_or_else(|| format!("exit code {}, and nothing is said of it", ran.exit));
        self.say("", &format!("the program failed: {last}"), styles::severity(Severity::Error));
        if ran.stderr.trim_end().lines().nth(1).is_some() {
            self.quoted("standard error", &ran.stderr);
        }
    }

    /// The end of a text that the program wrote, as it is.
    fn quoted(&mut self, what: &str, text: &str) {
        let lines: Vec<&str> = text.trim_end().lines().collect();
        if lines.is_empty() {
            return;
        }
        let left_out = lines.len().saturating_sub(SHOWN);
        let of = if left_out > 0 { format!(", the last {SHOWN} of {} lines", lines.len()) } else { String::new() };
        self.head(format!("{what}{of}"));
        for line in lines.into_iter().skip(left_out) {
            // A tab moves on to the next of every eight columns: as many as there are is near enough.
            let line = line.replace('\t', "    ");
            self.lines.push(Line::from(format!("  {}", cut(&line, self.width.saturating_sub(2)))));
        }
    }
}
