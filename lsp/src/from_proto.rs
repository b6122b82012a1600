//! From the protocol's types to ours. Total: nothing that a client sends is refused here.

use crate::positions::{Encoding, LinePosition, LineTable, replaced};
use tower_lsp_server::ls_types::{Position, Range, TextDocumentContentChangeEvent};

/// One change of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// What is replaced; `None`: everything.
    pub(crate) range: Option<(LinePosition, LinePosition)>,
    /// What comes there.
    pub(crate) text: String,
}

/// A position.
pub(crate) fn position(position: Position) -> LinePosition {
    LinePosition { line: position.line, column: position.character }
}

/// The bytes that a range covers.
pub(crate) fn range(lines: &LineTable, range: Range, encoding: Encoding) -> std::ops::Range<usize> {
    lines.range(position(range.start), position(range.end), encoding)
}

/// A change.
pub(crate) fn edit(change: TextDocumentContentChangeEvent) -> Edit {
    Edit { range: change.range.map(|range| (position(range.start), position(range.end))), text: change.text }
}

/// The text after an edit.
pub(crate) fn apply(lines: &LineTable, edit: &Edit, encoding: Encoding) -> String {
    match edit.range {
        Some((start, end)) => replaced(lines.text(), lines.range(start, end, encoding), &edit.text),
        None => edit.text.clone(),
    }
}
