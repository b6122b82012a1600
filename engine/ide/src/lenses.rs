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
    let mut functions: Vec<(Span, Span)> = Vec::new();
    crate::walk::functions(&analysis.module.body, &mut |def| functions.push((def.name_span, def.span)));
    let title = |span: Span, launches: &[&Arc<Launch>]| {
        let mut parts = vec![grids(launches)];
        // A finding is about a launch if it stands in the launch, or in its kernel.
        let is_kernel = |name: &Span| launches.iter().any(|launch| launch.spans.kernel == Some(*name));
        let kernels = functions.iter().filter(|(name, _)| is_kernel(name)).map(|(_, whole)| *whole);
        let places: Vec<Span> = kernels.chain([span]).collect();
        let count = findings
            .iter()
            .filter(|finding| finding.severity != Severity::Info)
            .filter(|finding| places.iter().any(|place| contains(*place, finding.span)))
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

fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

/// Whether a launch was only seen in calls that nobody makes.
fn is_assumed(analysis: &Analysis, call: Span) -> bool {
    analysis.facts.get(call).is_some_and(|fact| fact.assumed.is_some())
}
