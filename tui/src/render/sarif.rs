//! SARIF 2.1.0 (OASIS), the format of code-scanning services.

use super::Batch;
use pallas_engine::syntax::notebook::Shown;
use pallas_engine::{Severity, SourceFile, Span, check};
use serde_json::{Value, json};

pub(super) fn render(batches: &[Batch]) -> String {
    let mut results = Vec::new();
    let mut codes: Vec<&str> = Vec::new();
    for batch in batches {
        for finding in &batch.findings {
            let Some(source) = batch.source(finding.span) else { continue };
            if !codes.contains(&finding.code) {
                codes.push(finding.code);
            }
            let related: Vec<Value> = finding
                .labels
                .iter()
                .filter_map(|label| {
                    let source = batch.source(label.span)?;
                    let mut place = location(source, label.span);
                    place["message"] = json!({ "text": label.text });
                    Some(place)
                })
                .collect();
            let text = match (&finding.evidence, &finding.help) {
                (Some(evidence), Some(help)) => format!("{}\n{evidence}\n{help}", finding.message),
                (Some(more), None) | (None, Some(more)) => format!("{}\n{more}", finding.message),
                (None, None) => finding.message.clone(),
            };
            let mut result = json!({
                "ruleId": finding.code,
                "level": level(finding.severity),
                "message": { "text": text },
                "locations": [location(source, finding.span)],
            });
            if !related.is_empty() {
                result["relatedLocations"] = Value::Array(related);
            }
            results.push(result);
        }
    }
    codes.sort_unstable();
    let rules: Vec<Value> = codes
        .iter()
        .map(|code| match check::find(code) {
            Some(rule) => json!({
                "id": rule.code,
                "name": rule.name,
                "shortDescription": { "text": rule.summary },
                "help": { "text": rule.doc, "markdown": rule.doc },
            }),
            None => json!({ "id": code }),
        })
        .collect();
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "pallas-tui", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    // Strings and numbers only, so it always serialises.
    let text = serde_json::to_string_pretty(&log).unwrap_or_else(|_| "{}".to_string());
    format!("{text}\n")
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn location(source: &SourceFile, span: Span) -> Value {
    let end = source.line_column(span.end);
    let Shown { cell: None, at: start, .. } = source.shown(span.start) else {
        // A notebook's lines are those of its cells, which are none of its file.
        return json!({
            "physicalLocation": { "artifactLocation": { "uri": &*source.path } },
            "logicalLocations": [{ "fullyQualifiedName": source.place(span.start) }],
        });
    };
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": &*source.path },
            "region": {
                "startLine": start.line,
                "startColumn": start.column,
                "endLine": end.line,
                "endColumn": end.column,
            },
        },
    })
}
