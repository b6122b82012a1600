//! Findings, the launches that they concern, and the programs that they name.

use crate::place::Place;
use crate::report::{FindingReport, LabelReport, Mark};
use pallas_ir::{Finding, Launch};
use pallas_syntax::{SourceFile, Span};
use std::sync::Arc;

pub(super) fn finding_report(finding: &Finding, sources: &[Arc<SourceFile>]) -> FindingReport {
    FindingReport {
        code: finding.code.to_string(),
        severity: finding.severity.name().to_string(),
        certainty: finding.certainty.name().to_string(),
        message: finding.message.clone(),
        place: Place::of(finding.span, sources),
        labels: finding
            .labels
            .iter()
            .map(|label| LabelReport { place: Place::of(label.span, sources), text: label.text.clone() })
            .collect(),
        evidence: finding.evidence.clone(),
        help: finding.help.clone(),
    }
}

/// The findings that lie in the parts of the source that a launch is made of: its call, its blocks, its kernel.
pub(super) fn findings_of(launch: &Launch, findings: &[Finding]) -> Vec<usize> {
    let places = launch.places();
    let encloses = |span: Span| places.iter().any(|place| place.covers(span));
    let concerns =
        |finding: &Finding| encloses(finding.span) || finding.labels.iter().any(|label| encloses(label.span));
    (0..findings.len()).filter(|&at| concerns(&findings[at])).collect()
}

/// The programs that these findings name.
pub(super) fn marks(launch: &Launch, concern: &[usize], findings: &[Finding]) -> Vec<Mark> {
    let in_grid = |program: &Vec<usize>| {
        program.len() == launch.grid.len() && program.iter().zip(&launch.grid).all(|(id, extent)| id < extent)
    };
    let mut marks: Vec<Mark> = concern
        .iter()
        .filter_map(|&at| Some(Mark { ids: findings[at].program().filter(in_grid)?, finding: at }))
        .collect();
    marks.sort_by(|a, b| (&a.ids, a.finding).cmp(&(&b.ids, b.finding)));
    marks
}
