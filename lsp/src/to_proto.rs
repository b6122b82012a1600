//! From what the engine and `pallas-ide` say to the protocol's types.

use crate::capabilities::Client;
use crate::notebooks::Cells;
use crate::positions::{Encoding, LineTable};
use crate::rule_pages;
use crate::uris;
use pallas_engine::{SettingsFile, check};
use pallas_ide::{
    Analysis, Completion, CompletionKind, Diagnostic, Edit, Finding, Fix, Hint, HintKind, Hover, Lens, Severity,
    SignatureHelp, Span, Symbol, SymbolKind, Tag,
};
use serde_json::json;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use tower_lsp_server::ls_types as lsp;

/// What positions and places are made with.
pub(crate) struct Places<'a> {
    /// The analysis that spans are of.
    pub(crate) analysis: &'a Analysis,
    /// The lines of the analysed document, or of the cell of it that is shown.
    pub(crate) lines: &'a LineTable,
    /// Where its cells are, if it is a notebook.
    pub(crate) cells: &'a Cells,
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
            let whole = self.lines.whole();
            let (uri, lines) = match self.cells.at(whole.position(span.start as usize, encoding).line) {
                Some(cell) => (&cell.uri, whole.window(cell.lines.clone())),
                None => (self.uri, whole),
            };
            return Some(lsp::Location { uri: uri.clone(), range: range(&lines, span.range(), encoding) });
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
            range: self.location(diagnostic.span).map_or_else(Default::default, |place| place.range),
            severity: Some(severity(diagnostic.severity)),
            code: Some(lsp::NumberOrString::String(diagnostic.code.to_string())),
            code_description: self
                .client
                .code_descriptions
                .then(|| rule_pages::uri(check::find(diagnostic.code)?))
                .flatten()
                .map(|href| lsp::CodeDescription { href }),
            source: Some("pallas".to_string()),
            message,
            related_information: related.filter(|related| !related.is_empty()),
            tags: diagnostic.tag.filter(|_| self.client.tags).map(|tag| {
                vec![match tag {
                    Tag::Unnecessary => lsp::DiagnosticTag::UNNECESSARY,
                    Tag::Deprecated => lsp::DiagnosticTag::DEPRECATED,
                }]
            }),
            data: diagnostic.fix.as_ref().and_then(|fix| self.fix_data(diagnostic, fix)),
        }
    }

    /// The fix as data of its diagnostic, for clients and scripts that apply it themselves.
    fn fix_data(&self, diagnostic: &Diagnostic, fix: &Fix) -> Option<serde_json::Value> {
        let edit = |edit: &Edit| {
            let place = self.location(edit.span)?;
            Some(json!({"uri": place.uri, "range": place.range, "newText": edit.replacement}))
        };
        let edits: Vec<_> = fix.edits.iter().map(edit).collect::<Option<_>>()?;
        Some(json!({
            "name": diagnostic.name,
            "certainty": diagnostic.certainty.name(),
            "fix": {"title": fix.title, "edits": edits},
        }))
    }

    /// Edits as the client takes them.
    pub(crate) fn workspace_edit(&self, edits: &[&Edit], version: i32) -> Option<lsp::WorkspaceEdit> {
        let mut files: Vec<(lsp::Uri, Vec<lsp::TextEdit>)> = Vec::new();
        for edit in edits {
            let place = self.location(edit.span)?;
            let edit = lsp::TextEdit { range: place.range, new_text: edit.replacement.clone() };
            match files.iter_mut().find(|(uri, _)| *uri == place.uri) {
                Some((_, edits)) => edits.push(edit),
                None => files.push((place.uri, vec![edit])),
            }
        }
        Some(self.edits_of(files, version))
    }

    /// Edits by what the client calls the documents.
    pub(crate) fn edits_of(&self, files: Vec<(lsp::Uri, Vec<lsp::TextEdit>)>, version: i32) -> lsp::WorkspaceEdit {
        if !self.client.versioned_edits {
            return lsp::WorkspaceEdit { changes: Some(files.into_iter().collect()), ..lsp::WorkspaceEdit::default() };
        }
        let document = |(uri, edits): (lsp::Uri, Vec<lsp::TextEdit>)| {
            // Files that are not open have no version.
            let of_cell = self.cells.called(&uri).map(|cell| cell.version);
            let version = of_cell.or_else(|| (uri == *self.uri).then_some(version));
            lsp::TextDocumentEdit {
                text_document: lsp::OptionalVersionedTextDocumentIdentifier { uri, version },
                edits: edits.into_iter().map(lsp::OneOf::Left).collect(),
            }
        };
        let edits = files.into_iter().map(document).collect();
        lsp::WorkspaceEdit {
            document_changes: Some(lsp::DocumentChanges::Edits(edits)),
            ..lsp::WorkspaceEdit::default()
        }
    }

    /// The quick fix of a diagnostic, shown to the client as `shown`.
    pub(crate) fn quick_fix(&self, fix: &Fix, shown: &lsp::Diagnostic, version: i32) -> Option<lsp::CodeAction> {
        let edit = self.workspace_edit(&fix.edits.iter().collect::<Vec<_>>(), version)?;
        Some(lsp::CodeAction {
            title: sentence(&fix.title),
            kind: Some(lsp::CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![shown.clone()]),
            edit: Some(edit),
            is_preferred: Some(true),
            ..lsp::CodeAction::default()
        })
    }

    /// An edit that mends nothing.
    pub(crate) fn refactoring(&self, fix: &Fix, version: i32) -> Option<lsp::CodeAction> {
        let edit = self.workspace_edit(&fix.edits.iter().collect::<Vec<_>>(), version)?;
        Some(lsp::CodeAction {
            title: sentence(&fix.title),
            kind: Some(lsp::CodeActionKind::REFACTOR),
            edit: Some(edit),
            ..lsp::CodeAction::default()
        })
    }

    /// A hover.
    pub(crate) fn hover(&self, hover: Hover) -> lsp::Hover {
        let page = hover.rule.and_then(check::find).and_then(|rule| Some((rule.code, rule_pages::uri(rule)?)));
        let (kind, value) = match self.client.markdown {
            true => {
                let link =
                    page.map(|(code, uri)| format!("\n\n[{code}: why, and what to write instead]({})", uri.as_str()));
                (lsp::MarkupKind::Markdown, hover.markdown + &link.unwrap_or_default())
            }
            false => (lsp::MarkupKind::PlainText, plain(&hover.markdown)),
        };
        lsp::Hover {
            contents: lsp::HoverContents::Markup(lsp::MarkupContent { kind, value }),
            range: Some(range(self.lines, hover.span.range(), self.client.encoding)),
        }
    }

    /// The lenses of a launch: what can be done with it, and what it is. The last one does nothing: its command has no name,
    /// so that clients show it as text.
    pub(crate) fn lenses(&self, lens: Lens) -> Vec<lsp::CodeLens> {
        let range = range(self.lines, lens.span.range(), self.client.encoding);
        let settings = &self.client.settings;
        let lens_of = |command| lsp::CodeLens { range, command: Some(command), data: None };
        let mut lenses = Vec::new();
        if settings.run_lenses && settings.may_run && lens.is_launched {
            lenses.extend(["Run", "Profile"].map(|title| lens_of(self.command(title, &lens))));
        }
        if settings.grid_lenses {
            lenses.push(lens_of(lsp::Command { title: lens.title, command: String::new(), arguments: None }));
        }
        lenses
    }

    /// `Run` or `Profile` for the file of a launch.
    pub(crate) fn command(&self, title: &str, lens: &Lens) -> lsp::Command {
        let line = self.lines.position(lens.span.start as usize, self.client.encoding).line;
        let argument = json!({"uri": self.uri, "line": line, "kernel": lens.kernel});
        let command = format!("pallas.{}", title.to_lowercase());
        lsp::Command { title: title.to_string(), command, arguments: Some(vec![argument]) }
    }

    /// A symbol of the outline.
    #[expect(deprecated, reason = "the protocol's type has a field that it took back")]
    pub(crate) fn symbol(&self, symbol: Symbol) -> lsp::DocumentSymbol {
        lsp::DocumentSymbol {
            name: symbol.name,
            detail: Some(symbol.detail),
            kind: match symbol.kind {
                SymbolKind::Kernel => lsp::SymbolKind::FUNCTION,
                SymbolKind::Launch => lsp::SymbolKind::EVENT,
            },
            tags: None,
            deprecated: None,
            range: range(self.lines, symbol.span.range(), self.client.encoding),
            selection_range: range(self.lines, symbol.name_span.range(), self.client.encoding),
            children: None,
        }
    }

    /// A proposal; `rank` is its place among all of them.
    pub(crate) fn completion(&self, completion: Completion, rank: usize) -> lsp::CompletionItem {
        let range = range(self.lines, completion.replaces.range(), self.client.encoding);
        lsp::CompletionItem {
            label: completion.label,
            kind: Some(match completion.kind {
                CompletionKind::Keyword => lsp::CompletionItemKind::PROPERTY,
                CompletionKind::Value => lsp::CompletionItemKind::VALUE,
                CompletionKind::Field => lsp::CompletionItemKind::FIELD,
                CompletionKind::Function => lsp::CompletionItemKind::FUNCTION,
                CompletionKind::Class => lsp::CompletionItemKind::CLASS,
            }),
            detail: Some(completion.detail),
            documentation: Some(completion.documentation)
                .filter(|text| !text.is_empty())
                .map(lsp::Documentation::String),
            sort_text: Some(format!("{rank:03}")),
            text_edit: Some(lsp::CompletionTextEdit::Edit(lsp::TextEdit { range, new_text: completion.text })),
            ..lsp::CompletionItem::default()
        }
    }

    /// A signature.
    pub(crate) fn signature(&self, help: SignatureHelp) -> lsp::SignatureHelp {
        // Offsets into a label are counted in UTF-16 units whatever was agreed; signatures are ASCII.
        let label = |(start, end): &(usize, usize)| lsp::ParameterInformation {
            label: lsp::ParameterLabel::LabelOffsets([*start as u32, *end as u32]),
            documentation: None,
        };
        let active = help.active.map(|active| active as u32);
        lsp::SignatureHelp {
            signatures: vec![lsp::SignatureInformation {
                parameters: Some(help.parameters.iter().map(label).collect()),
                label: help.label,
                documentation: Some(help.documentation).filter(|d| !d.is_empty()).map(lsp::Documentation::String),
                active_parameter: active,
            }],
            active_signature: Some(0),
            active_parameter: active,
        }
    }

    /// An inlay hint.
    pub(crate) fn hint(&self, hint: Hint) -> lsp::InlayHint {
        lsp::InlayHint {
            position: position(self.lines, hint.offset as usize, self.client.encoding),
            label: lsp::InlayHintLabel::String(hint.label),
            kind: Some(match hint.kind {
                // The protocol has no kind for values; `PARAMETER` is what editors show like them.
                HintKind::Launch => lsp::InlayHintKind::PARAMETER,
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

/// What is wrong with a settings file.
pub(crate) fn settings_diagnostics(file: &SettingsFile, client: &Client) -> Vec<lsp::Diagnostic> {
    let lines = LineTable::new(file.source.text.clone());
    let diagnostic = |finding: &Finding| lsp::Diagnostic {
        range: range(&lines, finding.span.range(), client.encoding),
        severity: Some(severity(finding.severity)),
        code: Some(lsp::NumberOrString::String(finding.code.to_string())),
        source: Some("pallas".to_string()),
        message: finding.message.clone(),
        ..lsp::Diagnostic::default()
    };
    file.problems.iter().map(diagnostic).collect()
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
