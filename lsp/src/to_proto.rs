//! From what the engine and `pallas-ide` say to the protocol's types.

use crate::capabilities::Client;
use crate::positions::{Encoding, LineTable};
use crate::uris;
use pallas_ide::{Analysis, Diagnostic, Fix, Hint, HintKind, Hover, Lens, Severity, Span};
use serde_json::json;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use tower_lsp_server::ls_types as lsp;

/// What positions and places are made with.
pub(crate) struct Places<'a> {
    /// The analysis that spans are of.
    pub(crate) analysis: &'a Analysis,
    /// The lines of the analysed document.
    pub(crate) lines: &'a LineTable,
    /// The analysed document.
    pub(crate) uri: &'a lsp::Uri,
    /// The documents that are open, by path: clients know them under the URIs that they chose.
    pub(crate) open: &'a HashMap<Arc<str>, lsp::Uri>,
    /// What the client can do.
    pub(crate) client: &'a Client,
}

/// A position.
pub(crate) fn position(lines: &LineTable, offset: usize, encoding: Encoding) -> lsp::Position {
    let position = lines.position(offset, encoding);
    lsp::Position { line: position.line, character: position.column }
}

/// A range.
pub(crate) fn range(lines: &LineTable, range: Range<usize>, encoding: Encoding) -> lsp::Range {
    lsp::Range { start: position(lines, range.start, encoding), end: position(lines, range.end, encoding) }
}

impl Places<'_> {
    /// The place of a span; `None` where its file has no URI.
    pub(crate) fn location(&self, span: Span) -> Option<lsp::Location> {
        let encoding = self.client.encoding;
        if span.file == self.analysis.source.id {
            return Some(lsp::Location { uri: self.uri.clone(), range: range(self.lines, span.range(), encoding) });
        }
        let source = self.analysis.sources.iter().find(|source| source.id == span.file)?;
        let uri = self.open.get(&*source.path).cloned().or_else(|| uris::uri(&source.path))?;
        Some(lsp::Location { uri, range: range(&LineTable::new(source.text.clone()), span.range(), encoding) })
    }

    /// A diagnostic.
    pub(crate) fn diagnostic(&self, diagnostic: &Diagnostic) -> lsp::Diagnostic {
        let related: Option<Vec<_>> = self.client.related_information.then(|| {
            diagnostic
                .notes
                .iter()
                .filter_map(|note| {
                    let location = self.location(note.span)?;
                    Some(lsp::DiagnosticRelatedInformation { location, message: note.text.clone() })
                })
                .collect()
        });
        let message = match &related {
            Some(_) => diagnostic.message.clone(),
            None => diagnostic.message_with_notes(self.analysis),
        };
        lsp::Diagnostic {
            range: range(self.lines, diagnostic.span.range(), self.client.encoding),
            severity: Some(severity(diagnostic.severity)),
            code: Some(lsp::NumberOrString::String(diagnostic.code.to_string())),
            code_description: None,
            source: Some("pallas".to_string()),
            message,
            related_information: related.filter(|related| !related.is_empty()),
            tags: None,
            data: diagnostic.fix.as_ref().and_then(|fix| self.fix_data(diagnostic, fix)),
        }
    }

    /// The fix as data of its diagnostic, for clients and scripts that apply it themselves.
    fn fix_data(&self, diagnostic: &Diagnostic, fix: &Fix) -> Option<serde_json::Value> {
        let place = self.location(fix.span)?;
        Some(json!({
            "name": diagnostic.name,
            "certainty": diagnostic.certainty.name(),
            "fix": {"title": fix.title, "uri": place.uri, "range": place.range, "newText": fix.replacement},
        }))
    }

    /// The quick fix of a diagnostic, shown to the client as `shown`.
    pub(crate) fn quick_fix(&self, fix: &Fix, shown: &lsp::Diagnostic, version: i32) -> Option<lsp::CodeAction> {
        let place = self.location(fix.span)?;
        let edit = lsp::TextEdit { range: place.range, new_text: fix.replacement.clone() };
        let edit = if self.client.versioned_edits {
            // Files that are not open have no version.
            let version = (place.uri == *self.uri).then_some(version);
            let document = lsp::OptionalVersionedTextDocumentIdentifier { uri: place.uri, version };
            let edits = vec![lsp::OneOf::Left(edit)];
            let edit = lsp::TextDocumentEdit { text_document: document, edits };
            lsp::WorkspaceEdit {
                document_changes: Some(lsp::DocumentChanges::Edits(vec![edit])),
                ..lsp::WorkspaceEdit::default()
            }
        } else {
            lsp::WorkspaceEdit {
                changes: Some(HashMap::from([(place.uri, vec![edit])])),
                ..lsp::WorkspaceEdit::default()
            }
        };
        Some(lsp::CodeAction {
            title: sentence(&fix.title),
            kind: Some(lsp::CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![shown.clone()]),
            edit: Some(edit),
            is_preferred: Some(true),
            ..lsp::CodeAction::default()
        })
    }

    /// A hover.
    pub(crate) fn hover(&self, hover: Hover) -> lsp::Hover {
        let (kind, value) = match self.client.markdown {
            true => (lsp::MarkupKind::Markdown, hover.markdown),
            false => (lsp::MarkupKind::PlainText, plain(&hover.markdown)),
        };
        lsp::Hover {
            contents: lsp::HoverContents::Markup(lsp::MarkupContent { kind, value }),
            range: Some(range(self.lines, hover.span.range(), self.client.encoding)),
        }
    }

    /// A lens. It says something and does nothing: its command has no name, so that clients show it as text.
    pub(crate) fn lens(&self, lens: Lens) -> lsp::CodeLens {
        lsp::CodeLens {
            range: range(self.lines, lens.span.range(), self.client.encoding),
            command: Some(lsp::Command { title: lens.title, command: String::new(), arguments: None }),
            data: None,
        }
    }

    /// An inlay hint.
    pub(crate) fn hint(&self, hint: Hint) -> lsp::InlayHint {
        lsp::InlayHint {
            position: position(self.lines, hint.offset as usize, self.client.encoding),
            label: lsp::InlayHintLabel::String(hint.label),
            kind: Some(match hint.kind {
                HintKind::Ref | HintKind::Value => lsp::InlayHintKind::TYPE,
            }),
            text_edits: None,
            tooltip: hint.tooltip.map(lsp::InlayHintTooltip::String),
            padding_left: None,
            padding_right: None,
            data: None,
        }
    }
}

fn severity(severity: Severity) -> lsp::DiagnosticSeverity {
    match severity {
        Severity::Error => lsp::DiagnosticSeverity::ERROR,
        Severity::Warning => lsp::DiagnosticSeverity::WARNING,
        Severity::Info => lsp::DiagnosticSeverity::INFORMATION,
    }
}

/// Menus show sentences: the first letter large.
fn sentence(title: &str) -> String {
    let mut characters = title.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

/// Markdown for clients that show none: without fences, emphasis and code marks.
fn plain(markdown: &str) -> String {
    let lines = markdown.lines().filter(|line| !line.starts_with("```"));
    lines.map(|line| line.replace(['`', '*'], "")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_plain() {
        assert_eq!(
            plain("```python\nx: f32[8]\n```\n\n**PL104** `x` is *too long*"),
            "x: f32[8]\n\nPL104 x is too long"
        );
    }

    #[test]
    fn titles_begin_large() {
        assert_eq!(sentence("divide by the block size"), "Divide by the block size");
        assert_eq!(sentence(""), "");
    }
}
