//! What stands above a launch: its grid, how many programs that is, and how much is wrong with it.

use crate::diagnostics::diagnostics;
use pallas_engine::syntax::ast::Name;
use pallas_engine::{Analysis, Launch, Severity, Span};
use std::sync::Arc;

/// A line above a place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// The launch: `pl.pallas_call(...)`.
    pub span: Span,
    /// What it says: `grid 4x4 · 16 programs · 1 finding`.
    pub title: String,
    /// The kernel's name.
    pub kernel: String,
    /// Whether the program itself launches it, so that a run does.
    pub is_launched: bool,
}

/// The lenses of a file, in order; one for each launch in its text, however often it is launched, and one for each function that
/// should have come to one.
pub fn lenses(analysis: &Analysis) -> Vec<Lens> {
    if !analysis.speaks_of_jax() {
        return Vec::new();
    }
    let mut places: Vec<(Span, Vec<&Arc<Launch>>)> = Vec::new();
    for launch in analysis.launches.iter().filter(|launch| analysis.module.holds(launch.spans.call)) {
        match places.iter_mut().find(|(span, _)| *span == launch.spans.call) {
            Some((_, launches)) => launches.push(launch),
            None => places.push((launch.spans.call, vec![launch])),
        }
    }
    places.sort_by_key(|(span, _)| analysis.place(*span).start);
    let findings = diagnostics(analysis);
    let mut functions: Vec<(Span, Span)> = Vec::new();
    crate::walk::functions(&analysis.module.body, &mut |def| functions.push((def.name_span, def.span)));
    let title = |span: Span, launches: &[&Arc<Launch>]| {
        let mut parts = vec![grids(launches)];
        // A finding is about a launch if it stands in the launch, or in its kernel.
        let is_kernel = |name: &Span| launches.iter().any(|launch| launch.spans.kernel == Some(*name));
        let kernels = functions.iter().filter(|(name, _)| is_kernel(name)).map(|(_, whole)| *whole);
        let places: Vec<Span> = kernels.chain([span]).map(|span| analysis.place(span)).collect();
        let count = findings
            .iter()
            .filter(|finding| finding.severity != Severity::Info)
            .filter(|finding| places.iter().any(|place| place.covers(finding.span)))
            .count();
        match count {
            0 => {}
            1 => parts.push("1 finding".to_string()),
            count => parts.push(format!("{count} findings")),
        }
        if let Some(function) = assumed(analysis, span) {
            // A comment, or the decorators of a test, may say them.
            let is_given = analysis.assumed.iter().any(|known| known.function == *function && known.is_given());
            parts.push(if is_given { "with given arguments" } else { "with made-up arguments" }.to_string());
        }
        parts.join(" · ")
    };
    let lens = |(span, launches): &(Span, Vec<&Arc<Launch>>)| Lens {
        span: analysis.place(*span),
        title: title(*span, launches),
        kernel: launches.first().map(|launch| launch.kernel.name.to_string()).unwrap_or_default(),
        is_launched: assumed(analysis, *span).is_none(),
    };
    let mut lenses: Vec<Lens> = places.iter().map(lens).chain(crate::calls_to_say::unreached(analysis)).collect();
    lenses.sort_by_key(|lens| lens.span.start);
    lenses
}

/// `grid 4x4 · 16 programs`
pub(crate) fn grid(launch: &Launch) -> String {
    let programs = match launch.grid.iter().try_fold(1usize, |count, extent| count.checked_mul(*extent)) {
        _ if !launch.dynamic.is_empty() => " · as many programs as the data say".to_string(),
        Some(1) => " · 1 program".to_string(),
        Some(count) => format!(" · {count} programs"),
        None => String::new(),
    };
    match launch.grid.is_empty() {
        true => "no grid · 1 program".to_string(),
        false => format!("grid {}{programs}", launch.grid_words().join("x")),
    }
}

/// `grid 4x4 · 16 programs`; of several launches the last, as in hints, and how many other grids there are.
fn grids(launches: &[&Arc<Launch>]) -> String {
    let mut grids: Vec<String> = Vec::new();
    for launch in launches {
        let grid = grid(launch);
        grids.retain(|known| *known != grid);
        grids.push(grid);
    }
    match (grids.as_slice(), launches.len()) {
        ([grid], 1) => grid.clone(),
        ([grid], count) => format!("{grid} · launched in {count} ways"),
        ([_, last], _) => format!("{last} · and another grid"),
        _ => format!("{} · and {} more grids", grids.last().map_or("", String::as_str), grids.len() - 1),
    }
}

/// The function that a launch was only seen in a call of, which nobody makes.
fn assumed(analysis: &Analysis, call: Span) -> Option<&Name> {
    analysis.facts.get(call).and_then(|fact| fact.assumed.as_ref())
}
