//! The profile report as Markdown, for issues and reviews.

use super::rows::{Section, grid, machine, notes, sections, title, verdict};
use pallas_engine::report::Report;

/// The report as Markdown.
pub(crate) fn markdown(report: &Report) -> String {
    let mut out = format!("# Profile of `{}`\n", report.program.path);
    if report.launches.is_empty() {
        out.push_str("\nNo kernel is launched.\n");
    }
    for launch in &report.launches {
        out.push_str(&format!("\n## {}\n\n", escaped(&title(report, launch))));
        out.push_str(&format!("{}; {}.\n", escaped(&grid(launch)), escaped(&verdict(report, launch))));
        machine(launch).iter().for_each(|why| out.push_str(&format!("{}.\n", escaped(&capitalised(why)))));
        for section in sections(report, launch) {
            out.push_str(&format!("\n### {}\n\n", escaped(&capitalised(&section.title))));
            out.push_str(&rows(&section));
        }
    }
    let notes = notes(report);
    if !notes.is_empty() {
        out.push_str("\n## Notes\n\n");
        notes.iter().for_each(|note| out.push_str(&format!("- {}\n", escaped(note))));
    }
    out
}

fn rows(section: &Section) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let Some((head, body)) = section.rows.split_first() else { return String::new() };
    let rule: Vec<&str> = (0..head.len()).map(|at| if section.right.contains(&at) { "---:" } else { "---" }).collect();
    let mut out = line(head);
    out.push_str(&format!("| {} |\n", rule.join(" | ")));
    body.iter().for_each(|row| out.push_str(&line(row)));
    out
}

/// Text that Markdown takes as it is.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '|' | '*' | '_' | '<' | '>' | '[' | ']' | '\\') {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
