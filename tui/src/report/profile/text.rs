//! The profile report as text.

use super::rows::{grid, machine, notes, sections, title, verdict};
use super::words::table;
use pallas_engine::report::Report;

/// The report for terminals and logs.
pub(crate) fn text(report: &Report) -> String {
    let mut out = String::new();
    for launch in &report.launches {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&format!("{}\n  {}\n", title(report, launch), grid(launch)));
        out.push_str(&format!("  {}\n", verdict(report, launch)));
        machine(launch).iter().for_each(|why| out.push_str(&format!("  {why}\n")));
        for section in sections(report, launch) {
            out.push_str(&format!("\n  {}\n", section.title));
            for line in table(&section.rows, section.right).lines() {
                out.push_str(format!("    {line}").trim_end());
                out.push('\n');
            }
        }
    }
    let notes = notes(report);
    if !notes.is_empty() {
        out.push('\n');
        notes.iter().for_each(|note| out.push_str(&format!("note: {note}\n")));
    }
    out
}
