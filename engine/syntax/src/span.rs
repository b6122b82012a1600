//! Places in source text: file ids, byte spans, and the table that turns offsets into lines and columns.
//! Holds no text of its own but what a [`SourceFile`] is given; reads no files.

use crate::notebook::{Cell, Shown, cells, is_notebook};
use std::fmt;
use std::sync::Arc;

/// Names a source file within one workspace. Small and copyable, so that every span can carry it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A half-open byte range `start..end` of one file.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file that the offsets are in.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A span from byte offsets.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        // Sources are bounded to 4 GiB by the loader, so the casts cannot lose bits.
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The smallest span that covers both. Both must lie in the same file.
    pub fn cover(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Whether all of `other` lies inside, of the same file.
    pub fn covers(self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    /// Whether `offset` lies inside, the end included (an editor's cursor may stand there).
    pub fn touches(self, offset: u32) -> bool {
        self.start <= offset && offset <= self.end
    }

    /// The bytes as a range, for slicing the text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}..{}", self.file.0, self.start, self.end)
    }
}

/// One-based line and one-based column, counted in Unicode scalar values, as compilers print them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// One-based line.
    pub line: u32,
    /// One-based column in characters.
    pub column: u32,
}

/// The text of one file with its path as shown to people, and the starts of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its id in spans.
    pub id: FileId,
    /// The path as the user wrote it; only for display.
    pub path: Arc<str>,
    /// The text.
    pub text: Arc<str>,
    line_starts: Arc<[u32]>,
    /// Lines of the file that come before the text: of a piece of a file, not of a whole one.
    lines_before: u32,
    /// The cells of the file, if it is a notebook.
    pub(crate) cells: Arc<[Cell]>,
}

impl SourceFile {
    /// Indexes the lines of `text`. A line ends at `\n`; a `\r` before it belongs to the line ending.
    pub fn new(id: FileId, path: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        let (path, text) = (path.into(), text.into());
        let cells = if is_notebook(&path) { cells(&text).into() } else { Arc::default() };
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i as u32 + 1)).collect();
        SourceFile { id, path, text, line_starts, lines_before: 0, cells }
    }

    /// The same text as a piece of a file that has this many lines before it. Offsets count from the piece's beginning, lines
    /// from the file's.
    pub fn within(&self, whole: &SourceFile, lines_before: u32) -> Self {
        SourceFile { lines_before, cells: whole.cells.clone(), ..self.clone() }
    }

    /// Lines of the file that come before the text.
    pub fn lines_before(&self) -> u32 {
        self.lines_before
    }

    /// Number of lines; a final newline does not start one more for readers, but does here.
    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// Byte range of the one-based `line`, without its line ending. Empty for lines past the end.
    pub fn line_range(&self, line: u32) -> std::ops::Range<usize> {
        let Some(index) = line.checked_sub(1 + self.lines_before).map(|index| index as usize) else {
            return 0..0;
        };
        let Some(&start) = self.line_starts.get(index) else {
            return self.text.len()..self.text.len();
        };
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |&e| e as usize);
        let line = &self.text[start as usize..end];
        start as usize..start as usize + line.trim_end_matches(['\n', '\r']).len()
    }

    /// The text of the one-based `line`, without its line ending.
    pub fn line(&self, line: u32) -> &str {
        &self.text[self.line_range(line)]
    }

    /// One-based line and column of a byte offset (clamped to the text).
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let offset = (offset as usize).min(self.text.len());
        let line = self.line_starts.partition_point(|&s| s as usize <= offset);
        let start = self.line_starts[line - 1] as usize;
        let column = self.text.get(start..offset).map_or(0, |t| t.chars().count());
        LineColumn { line: line as u32 + self.lines_before, column: column as u32 + 1 }
    }

    /// Where a byte offset is, as people and their terminals read it: `file.py:3:5`, `notebook.ipynb:cell 2:3:5`.
    pub fn place(&self, offset: u32) -> String {
        let Shown { path, at, .. } = self.shown(offset);
        format!("{path}:{}:{}", at.line, at.column)
    }

    /// The same without the column.
    pub fn line_place(&self, offset: u32) -> String {
        let Shown { path, at, .. } = self.shown(offset);
        format!("{path}:{}", at.line)
    }

    /// One-based line of a byte offset.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.line_column(offset).line
    }

    /// The text a span covers; empty where the span does not fit the text.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }
}
