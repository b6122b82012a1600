//! Launches that were left out for a reason that is reported itself: who mends that has them checked, and need not read of them now.

use pallas_ir::{Finding, Severity};
use pallas_syntax::Span;

/// Drops what is said of launches that depend on an error or a warning.
pub(crate) fn drop_consequences(findings: &mut Vec<Finding>) {
    let places = |finding: &Finding| {
        let labels = finding.labels.iter().map(|label| label.span);
        std::iter::once(finding.span).chain(labels).collect::<Vec<Span>>()
    };
    let reported: Vec<Span> =
        findings.iter().filter(|finding| finding.severity < Severity::Info).flat_map(places).collect();
    findings.retain(|finding| {
        let follows =
            |label: &pallas_ir::Label| reported.iter().any(|span| label.span.covers(*span) || span.covers(label.span));
        finding.code != "PL010" || !finding.labels.iter().any(follows)
    });
}
