//! The outcomes as tables of Markdown.

use crate::drivers::Driver;
use crate::outcome::Outcome;
use crate::survey::{By, Surveyed};
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
            let head =
                "| file | traced | not traced | asynchronous | not reached | errors |\n|---|--:|--:|--:|--:|--:|";
            lines.push(head.to_string());
            let mut files: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
            for site in &self.sites {
                let counts = files.entry(&site.file).or_default();
                match &site.outcome {
                    Outcome::Traced { errors } => {
                        counts[0] += 1;
                        counts[4] += errors.len();
                    }
                    Outcome::NotTraced(_) => counts[1] += 1,
                    Outcome::Asynchronous(_) => counts[2] += 1,
                    Outcome::NotReached(_) => counts[3] += 1,
                }
            }
            let line = |(file, counts): (&&str, &[usize; 5])| {
                let [a, b, c, d, e] = counts;
                format!("| {file} | {a} | {b} | {c} | {d} | {e} |")
            };
            lines.extend(files.iter().map(line));
        }
        text.push_str(&lines.join("\n"));
        text.push('\n');
        text
    }

    fn errors(&self) -> impl Iterator<Item = &String> {
        self.sites.iter().flat_map(|site| match &site.outcome {
            Outcome::Traced { errors } => errors.as_slice(),
            _ => &[],
        })
    }

    /// The findings of severity error in traced launches, in full; empty where there are none.
    pub(crate) fn findings(&self) -> String {
        let errors: String = self.errors().map(String::as_str).collect();
        if errors.is_empty() { errors } else { format!("### Errors in traced launches\n\n```text\n{errors}```\n") }
    }

    fn summary(&self) -> String {
        let count = |is: fn(&Outcome) -> bool| self.sites.iter().filter(|site| is(&site.outcome)).count();
        let errors = self.errors().count();
        let traced = count(|o| matches!(o, Outcome::Traced { .. }));
        let asynchronous = count(|o| matches!(o, Outcome::Asynchronous(_)));
        let all = self.sites.len();
        format!(
            "{all} launch sites: {traced} traced ({errors} findings of severity error in them), {} reached but not traced, \
             {asynchronous} asynchronous, {} not reached. {} of all are traced, {} of those that are not asynchronous.",
            count(|o| matches!(o, Outcome::NotTraced(_))),
            count(|o| matches!(o, Outcome::NotReached(_))),
            percent(traced, all),
            percent(traced, all - asynchronous),
        )
    }

    /// What stands in the way, the most frequent first.
    pub(crate) fn ranking(&self) -> String {
        let mut text = format!("## All\n\n{}\n", self.summary());
        for (title, of) in [
            ("Why sites are not traced", (|o| if let Outcome::NotTraced(why) = o { Some(why) } else { None }) as Pick),
            ("What is missing where sites are asynchronous", |o| match o {
                Outcome::Asynchronous(why) => Some(why),
                _ => None,
            }),
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
        Outcome::Traced { errors } if errors.is_empty() => "traced".to_string(),
        Outcome::Traced { errors } => format!("traced, {} errors", errors.len()),
        Outcome::NotTraced(why) => format!("not traced: {}", short(why)),
        Outcome::Asynchronous(why) => format!("asynchronous: {}", short(why)),
        Outcome::NotReached(why) => format!("not reached: {}", short(why)),
    };
    let by = match &site.by {
        By::Driver(name) => format!("{name}.py"),
        By::MadeUpCall => "a made-up call".to_string(),
        By::File => "the file".to_string(),
    };
    let reached = if matches!(site.outcome, Outcome::NotReached(_)) { String::new() } else { by };
    format!("| {}:{} | {} | {reached} | {outcome} |", site.file, site.line, site.launcher)
}

fn percent(part: usize, whole: usize) -> String {
    // Rounded down: what is said to be all is all.
    (part * 100).checked_div(whole).map_or("none".to_string(), |percent| format!("{percent} %"))
}

/// What the analyses of the drivers found wrong, in full: errors, in `all` also warnings.
pub(crate) fn findings(drivers: &[Driver], all: bool) -> String {
    let mut text = "## Findings in the drivers\n".to_string();
    let before = text.len();
    for driver in drivers {
        let findings = driver.findings(all);
        if !findings.is_empty() {
            let _ = write!(text, "\n{}.py\n\n```text\n{findings}```\n", driver.name);
        }
    }
    if text.len() == before {
        text.push_str("\nNo errors.\n");
    }
    text
}

/// The first line of a reason, as a cell of a table.
fn short(why: &str) -> String {
    let line = why.lines().next().unwrap_or_default().replace('|', "\\|");
    if line.chars().count() <= 110 { line } else { line.chars().take(107).collect::<String>() + "..." }
}
