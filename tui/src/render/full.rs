//! Findings with the source shown, as rustc draws them, and a summary line.

use super::Batch;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use pallas_engine::{Finding, Severity, SourceFile, Span};
use std::ops::Range;

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
    let texts = texts(batch, finding);
    for text in &texts {
        let annotation = |(kind, range, label): &(AnnotationKind, Range<usize>, Option<&'_ str>)| {
            kind.span(range.clone()).label(label.map(str::to_string))
        };
        let snippet = Snippet::source(&*text.part.text).path(&*text.part.path);
        group = group.element(snippet.annotations(text.annotations.iter().map(annotation)));
    }
    if let Some(evidence) = &finding.evidence {
        group = group.element(Level::NOTE.message(evidence.as_str()));
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
}

/// A text that is shown: a file, or a cell of a notebook.
struct Text<'a> {
    part: SourceFile,
    /// Where the part begins in its file.
    start: u32,
    annotations: Vec<(AnnotationKind, Range<usize>, Option<&'a str>)>,
}

/// What is shown of a finding: the text that it is in with all that is said of it there, then the texts of other labels.
fn texts<'a>(batch: &Batch, finding: &'a Finding) -> Vec<Text<'a>> {
    let mut texts: Vec<Text<'a>> = Vec::new();
    let primary = (AnnotationKind::Primary, finding.span, None);
    let labels = finding.labels.iter().map(|label| (AnnotationKind::Context, label.span, Some(label.text.as_str())));
    for (kind, span, label) in std::iter::once(primary).chain(labels) {
        let Some(source) = batch.source(span) else { continue };
        let (part, start) = source.part_at(span.start);
        let annotation = |part: &SourceFile| (kind, range(part, start, span), label);
        match texts.iter_mut().find(|text| text.part.id == part.id && text.start == start) {
            Some(text) => text.annotations.push(annotation(&text.part)),
            None => texts.push(Text { annotations: vec![annotation(&part)], part, start }),
        }
    }
    texts
}

/// A span as byte offsets of a part that begins at `start`; they lie on character boundaries inside the text, and no longer than its first line where it
/// covers many: the beginning says enough.
fn range(part: &SourceFile, start: u32, span: Span) -> Range<usize> {
    let text = &part.text;
    let clip = |offset: u32| {
        let mut offset = (offset.saturating_sub(start) as usize).min(text.len());
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
