//! Workflow commands of GitHub Actions: `::error file=...,line=...::message`.

use super::Batch;
use pallas_engine::Severity;

pub(super) fn render(batches: &[Batch]) -> String {
    let mut text = String::new();
    for batch in batches {
        for finding in &batch.findings {
            let Some(source) = batch.source(finding.span) else { continue };
            let start = source.line_column(finding.span.start);
            let end = source.line_column(finding.span.end);
            let level = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "notice",
            };
            // Columns only where the range is on one line, as GitHub asks.
            let columns = if start.line == end.line {
                format!(",col={},endColumn={}", start.column, end.column)
            } else {
                String::new()
            };
            text.push_str(&format!(
                "::{level} title=Pallas ({code}),file={file},line={line}{columns},endLine={end_line}::{message}\n",
                code = finding.code,
                file = property(&source.path),
                line = start.line,
                end_line = end.line,
                message = data(&format!(
                    "{}:{}:{}: {} {}",
                    source.path, start.line, start.column, finding.code, finding.message
                )),
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
