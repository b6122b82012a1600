//! The outcomes as tables of Markdown.

use crate::survey::{Outcome, Surveyed};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Reasons that the ranking shows.
const MOST_REASONS: usize = 40;

/// Sites in the order in which they were surveyed.
#[derive(Default)]
pub(crate) struct Report {
    sites: Vec<Surveyed>,
}

impl Report {
    /// Takes in the sites of a file.
    pub(crate) fn add(&mut self, sites: Vec<Surveyed>) {
        self.sites.extend(sites);
    }

    /// Takes in another report.
    pub(crate) fn extend(&mut self, other: Report) {
        self.sites.extend(other.sites);
    }

    /// The table of a folder: a line for each file, or for each site.
    pub(crate) fn text(&self, title: &str, all_sites: bool) -> String {
        let mut text = format!("## {title}\n\n{}\n\n", self.summary());
        let mut lines: Vec<String> = Vec::new();
        if all_sites {
            lines.push("| site | launcher | reached by | outcome |\n|---|---|---|---|".to_string());
            lines.extend(self.sites.iter().map(line));
        } else {
            lines.push("| file | traced | not traced | not reached | errors |\n|---|--:|--:|--:|--:|".to_string());
            let mut files: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
            for site in &self.sites {
                let counts = files.entry(&site.file).or_default();
                match site.outcome {
                    Outcome::Traced { errors } => {
                        counts[0] += 1;
                        counts[3] += errors;
                    }
                    Outcome::NotTraced(_) => counts[1] += 1,
                    Outcome::NotReached(_) => counts[2] += 1,
                }
            }
            lines.extend(files.iter().map(|(file, [a, b, c, d])| format!("| {file} | {a} | {b} | {c} | {d} |")));
        }
        text.push_str(&lines.join("\n"));
        text.push('\n');
        text
    }

    fn summary(&self) -> String {
        let count = |is: fn(&Outcome) -> bool| self.sites.iter().filter(|site| is(&site.outcome)).count();
        let errors: usize =
            self.sites.iter().map(|s| if let Outcome::Traced { errors } = s.outcome { errors } else { 0 }).sum();
        format!(
            "{} launch sites: {} traced ({errors} findings of severity error in them), {} reached but not traced, {} not \
             reached.",
            self.sites.len(),
            count(|o| matches!(o, Outcome::Traced { .. })),
            count(|o| matches!(o, Outcome::NotTraced(_))),
            count(|o| matches!(o, Outcome::NotReached(_))),
        )
    }

    /// What stands in the way, the most frequent first.
    pub(crate) fn ranking(&self) -> String {
        let mut text = format!("## All\n\n{}\n", self.summary());
        for (title, of) in [
            ("Why sites are not traced", (|o| if let Outcome::NotTraced(why) = o { Some(why) } else { None }) as Pick),
            ("Why sites are not reached", |o| if let Outcome::NotReached(why) = o { Some(why) } else { None }),
        ] {
            let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
            for why in self.sites.iter().filter_map(|site| of(&site.outcome)) {
                *reasons.entry(short(why)).or_default() += 1;
            }
            let mut ranked: Vec<(String, usize)> = reasons.into_iter().collect();
            ranked.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            let _ = write!(text, "\n### {title}\n\n| sites | reason |\n|--:|---|\n");
            for (why, count) in ranked.iter().take(MOST_REASONS) {
                let _ = writeln!(text, "| {count} | {why} |");
            }
        }
        text
    }
}

type Pick = fn(&Outcome) -> Option<&String>;

fn line(site: &Surveyed) -> String {
    let outcome = match &site.outcome {
        Outcome::Traced { errors: 0 } => "traced".to_string(),
        Outcome::Traced { errors } => format!("traced, {errors} errors"),
        Outcome::NotTraced(why) => format!("not traced: {}", short(why)),
        Outcome::NotReached(why) => format!("not reached: {}", short(why)),
    };
    let reached = match (&site.outcome, site.driven) {
        (Outcome::NotReached(_), _) => "",
        (_, true) => "a made-up call",
        (_, false) => "the file",
    };
    format!("| {}:{} | {} | {reached} | {outcome} |", site.file, site.line, site.launcher)
}

/// The first line of a reason, as a cell of a table.
fn short(why: &str) -> String {
    let line = why.lines().next().unwrap_or_default().replace('|', "\\|");
    if line.chars().count() <= 110 { line } else { line.chars().take(107).collect::<String>() + "..." }
}
