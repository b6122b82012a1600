//! Places in the source, with lines and columns, so that a reader of the report needs no parser.

use crate::report::Report;
use pallas_syntax::notebook::is_notebook;
use pallas_syntax::{FileId, SourceFile, Span};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A span with its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Number of the file, as in the report's sources.
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// Byte behind the last.
    pub end: u32,
    /// Line of the first byte, from 1.
    pub line: u32,
    /// Column of the first byte, from 1.
    pub column: u32,
    /// Line of the end.
    pub end_line: u32,
    /// Column of the end.
    pub end_column: u32,
}

impl Report {
    /// A place as people look for it: `kernel.py:12:3`. `None` if its file is not among the sources.
    pub fn place(&self, place: Place) -> Option<String> {
        let source = self.sources.iter().find(|source| source.file == place.file)?;
        let notebook = self.notebook(place).map(|notebook| notebook.place(place.start));
        Some(notebook.unwrap_or_else(|| format!("{}:{}:{}", source.path, place.line, place.column)))
    }

    /// The line of a place in words: `line 12`, `cell 3, line 2`.
    pub fn line_words(&self, place: Place) -> String {
        let notebook = self.notebook(place).map(|notebook| notebook.line_words(place.line));
        notebook.unwrap_or_else(|| format!("line {}", place.line))
    }

    /// The source of a place, if it is a notebook.
    fn notebook(&self, place: Place) -> Option<SourceFile> {
        let source = self.sources.iter().find(|source| source.file == place.file && is_notebook(&source.path))?;
        Some(SourceFile::new(FileId(source.file), source.path.as_str(), source.text.as_str()))
    }
}

impl Place {
    /// The place of a span; `None` if its file is not among the sources, or the span is empty.
    pub fn of(span: Span, sources: &[Arc<SourceFile>]) -> Option<Place> {
        if span.end <= span.start {
            return None;
        }
        let source = sources.iter().find(|source| source.id == span.file)?;
        let (from, to) = (source.line_column(span.start), source.line_column(span.end));
        Some(Place {
            file: span.file.0,
            start: span.start,
            end: span.end,
            line: from.line,
            column: from.column,
            end_line: to.line,
            end_column: to.column,
        })
    }
}
