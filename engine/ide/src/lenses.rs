//! What stands above a launch: its grid, how many programs that is, and how much is wrong with it.

use crate::diagnostics::{diagnostics, speaks_of_jax};
use crate::launches::{programs, tuple};
use pallas_engine::{Analysis, Launch, Severity, Span};
use std::sync::Arc;

/// A line above a place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// The launch: `pl.pallas_call(...)`.
    pub span: Span,
    /// What it says: `grid (4, 4): 16 programs · 1 finding`.
    pub title: String,
}

/// The lenses of a file, in order; one for each launch in its text, however often it is launched.
pub fn lenses(analysis: &Analysis) -> Vec<Lens> {
    if !speaks_of_jax(analysis) {
        return Vec::new();
    }
    let mut places: Vec<(Span, Vec<&Arc<Launch>>)> = Vec::new();
    for launch in analysis.launches.iter().filter(|launch| launch.spans.call.file == analysis.source.id) {
        match places.iter_mut().find(|(span, _)| *span == launch.spans.call) {
            Some((_, launches)) => launches.push(launch),
            None => places.push((launch.spans.call, vec![launch])),
        }
    }
    places.sort_by_key(|(span, _)| span.start);
    let findings = diagnostics(analysis);
    let title = |span: Span, launches: &[&Arc<Launch>]| {
        let mut parts = vec![grids(launches)];
        let count = findings
            .iter()
            .filter(|finding| finding.severity != Severity::Info)
            .filter(|finding| concerns(analysis, finding.span, span, launches))
            .count();
        match count {
            0 => {}
            1 => parts.push("1 finding".to_string()),
            count => parts.push(format!("{count} findings")),
        }
        if is_assumed(analysis, span) {
            parts.push("with made-up arguments".to_string());
        }
        parts.join(" · ")
    };
    places.iter().map(|(span, launches)| Lens { span: *span, title: title(*span, launches) }).collect()
}

/// `grid (4, 4): 16 programs`, or of several launches how many grids there are.
fn grids(launches: &[&Arc<Launch>]) -> String {
    let mut grids: Vec<String> = Vec::new();
    for launch in launches {
        let grid = format!("grid {}{}", tuple(&launch.grid_words()), programs(launch));
        if !grids.contains(&grid) {
            grids.push(grid);
        }
    }
    match (grids.as_slice(), launches.len()) {
        ([grid], 1) => grid.clone(),
        ([grid], count) => format!("{grid} · launched in {count} ways"),
        _ => format!("{} · and {} more", grids[0], grids.len() - 1),
    }
}

/// Whether a finding is about a launch: it stands in the launch, or in its kernel.
fn concerns(analysis: &Analysis, finding: Span, call: Span, launches: &[&Arc<Launch>]) -> bool {
    let within = |span: Span| span.file == finding.file && span.start <= finding.start && finding.end <= span.end;
    let mut is_in_kernel = false;
    crate::walk::functions(&analysis.module.body, &mut |def| {
        is_in_kernel |= launches.iter().any(|launch| launch.spans.kernel == Some(def.name_span)) && within(def.span);
    });
    is_in_kernel || within(call)
}

/// Whether a launch was only seen in calls that nobody makes.
fn is_assumed(analysis: &Analysis, call: Span) -> bool {
    analysis.facts.get(call).is_some_and(|fact| fact.assumed.is_some())
}
