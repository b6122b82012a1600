//! Workflow commands of GitHub Actions: `::error file=...,line=...::message`.

use super::Batch;
use pallas_engine::Severity;

pub(super) fn render(batches: &[Batch]) -> String {
    let mut text = String::new();
    for batch in batches {
        for finding in &batch.findings {
            let Some(source) = batch.source(finding.span) else { continue };
            let start = source.shown(finding.span.start);
            let end = source.line_column(finding.span.end);
            let level = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "notice",
            };
            // A notebook's lines are those of its cells, which are none of its file. Columns only where the range is on one line, as GitHub
            // asks.
            let lines = match start.cell {
                Some(_) => String::new(),
                None if start.at.line == end.line => {
                    format!(
                        ",line={},col={},endColumn={},endLine={}",
                        start.at.line, start.at.column, end.column, end.line
                    )
                }
                None => format!(",line={},endLine={}", start.at.line, end.line),
            };
            let place = source.place(finding.span.start);
            text.push_str(&format!(
                "::{level} title=Pallas ({code}),file={file}{lines}::{message}\n",
                code = finding.code,
                file = property(&source.path),
                message = data(&format!("{place}: {} {}", finding.code, finding.message)),
            ));
        }
    }
    text
}

/// Escapes of the message part.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
