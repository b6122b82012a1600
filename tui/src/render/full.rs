//! Findings with the source shown, as rustc draws them, and a summary line.

use super::Batch;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use pallas_engine::{Finding, Severity, SourceFile, Span};
use std::ops::Range;
use std::sync::Arc;

pub(super) fn render(batches: &[Batch], color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut text = String::new();
    let (mut errors, mut warnings, mut notes) = (0, 0, 0);
    for batch in batches {
        for finding in &batch.findings {
            match finding.severity {
                Severity::Error => errors += 1,
                Severity::Warning => warnings += 1,
                Severity::Info => notes += 1,
            }
            text.push_str(&one(&renderer, batch, finding));
            text.push_str("\n\n");
        }
    }
    let counts: Vec<String> = [(errors, "error"), (warnings, "warning"), (notes, "note")]
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    if !counts.is_empty() {
        text.push_str(&format!("Found {}.\n", counts.join(", ")));
    }
    text
}

fn one(renderer: &Renderer, batch: &Batch, finding: &Finding) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let mut group = Group::with_title(level.primary_title(finding.message.as_str()).id(finding.code));
    if let Some(source) = batch.source(finding.span) {
        let mut snippet = snippet(source).annotation(AnnotationKind::Primary.span(range(source, finding.span)));
        for label in finding.labels.iter().filter(|l| l.span.file == finding.span.file) {
            let annotation = AnnotationKind::Context.span(range(source, label.span)).label(label.text.as_str());
            snippet = snippet.annotation(annotation);
        }
        group = group.element(snippet);
    }
    for label in finding.labels.iter().filter(|l| l.span.file != finding.span.file) {
        if let Some(source) = batch.source(label.span) {
            let annotation = AnnotationKind::Context.span(range(source, label.span)).label(label.text.as_str());
            group = group.element(snippet(source).annotation(annotation));
        }
    }
    if let Some(evidence) = &finding.evidence {
        group = group.element(Level::NOTE.message(evidence.as_str()));
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
}

fn snippet(source: &Arc<SourceFile>) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    Snippet::source(&*source.text).path(&*source.path)
}

/// A span as byte offsets that lie on character boundaries inside the text, and no longer than its first line where it
/// covers many: the beginning says enough.
fn range(source: &SourceFile, span: Span) -> Range<usize> {
    let text = &source.text;
    let clip = |offset: u32| {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let (start, end) = (clip(span.start), clip(span.end));
    let end = end.max(start);
    match text[start..end].find('\n') {
        Some(line) => start..start + line.max(1),
        None => start..end,
    }
}
