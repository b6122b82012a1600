//! A list of objects, as linters print it. Rows and columns are one-based.

use super::Batch;
use pallas_engine::{LineColumn, SourceFile, Span, check};
use serde::Serialize;

#[derive(Serialize)]
struct Row<'a> {
    code: &'a str,
    name: &'a str,
    severity: &'a str,
    certainty: &'a str,
    message: &'a str,
    filename: &'a str,
    /// The cell of a notebook; rows are its own then. Left out of other files.
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<u32>,
    location: Location,
    end_location: Location,
    help: Option<&'a str>,
    evidence: Option<&'a str>,
    fix: Option<Fix<'a>>,
    related: Vec<Related<'a>>,
    url: Option<String>,
}

#[derive(Serialize)]
struct Location {
    row: u32,
    column: u32,
}

#[derive(Serialize)]
struct Fix<'a> {
    message: &'a str,
    edits: Vec<Edit<'a>>,
}

#[derive(Serialize)]
struct Edit<'a> {
    content: &'a str,
    filename: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<u32>,
    location: Location,
    end_location: Location,
}

#[derive(Serialize)]
struct Related<'a> {
    message: &'a str,
    filename: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<u32>,
    location: Location,
    end_location: Location,
}

impl From<LineColumn> for Location {
    fn from(at: LineColumn) -> Self {
        Location { row: at.line, column: at.column }
    }
}

fn ends(source: &SourceFile, span: Span) -> (Option<u32>, Location, Location) {
    let (start, end) = (source.shown(span.start), source.shown(span.end));
    (start.cell.map(|cell| cell.number), start.at.into(), end.at.into())
}

pub(super) fn render(batches: &[Batch]) -> String {
    // Rows are plain strings and numbers, so they always serialise.
    let text = serde_json::to_string_pretty(&rows(batches)).unwrap_or_else(|_| "[]".to_string());
    format!("{text}\n")
}

/// The same as values, for reports that findings are a part of.
pub(super) fn values(batches: &[Batch]) -> serde_json::Value {
    serde_json::to_value(rows(batches)).unwrap_or_default()
}

fn rows(batches: &[Batch]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for batch in batches {
        for finding in &batch.findings {
            let Some(source) = batch.source(finding.span) else { continue };
            let (cell, location, end_location) = ends(source, finding.span);
            rows.push(Row {
                code: finding.code,
                name: check::find(finding.code).map_or("", |rule| rule.name),
                severity: finding.severity.name(),
                certainty: finding.certainty.name(),
                message: &finding.message,
                filename: &source.path,
                cell,
                location,
                end_location,
                help: finding.help.as_deref(),
                evidence: finding.evidence.as_deref(),
                fix: finding.fix.as_ref().map(|fix| {
                    let edits = fix.edits.iter().filter_map(|edit| {
                        let source = batch.source(edit.span)?;
                        let (cell, location, end_location) = ends(source, edit.span);
                        Some(Edit { content: &edit.replacement, filename: &source.path, cell, location, end_location })
                    });
                    Fix { message: &fix.title, edits: edits.collect() }
                }),
                related: finding
                    .labels
                    .iter()
                    .filter_map(|label| {
                        let source = batch.source(label.span)?;
                        let (cell, location, end_location) = ends(source, label.span);
                        Some(Related { message: &label.text, filename: &source.path, cell, location, end_location })
                    })
                    .collect(),
                url: None,
            });
        }
    }
    rows
}
