//! A file in pieces, one for each top-level statement, so that an edit costs what it touches. Every piece is a source of
//! its own: spans count from the piece's beginning, and the tree of a piece whose text did not change is the same tree,
//! wherever in the file the piece stands now. What was found out about it needs no moving either.
//!
//! Which piece is which goes by text: the second piece with a text is the same as the second piece with that text before.

use crate::ast::{Module, Stmt, SyntaxError};
use crate::cut::Cut;
use crate::depends;
use crate::document;
use crate::piece_list::Piece;
use crate::span::{FileId, SourceFile, Span};
use crate::text_hash::ByText;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Pieces have ids from here on; whole files have lower ones.
const FIRST: u32 = 1 << 24;
/// Pieces that were not in the last versions of the file, so many, are forgotten.
const VERSIONS: u64 = 16;

impl FileId {
    /// Whether it names a piece of a file.
    pub fn is_piece(self) -> bool {
        self.0 >= FIRST
    }
}

/// The pieces of the versions of one file.
#[derive(Default)]
pub struct Pieces {
    cut: Cut,
    known: HashMap<Arc<str>, Vec<Known>, ByText>,
    made: u32,
    version: u64,
}

/// A piece as it was parsed.
struct Known {
    source: Arc<SourceFile>,
    body: Arc<[Stmt]>,
    errors: Vec<SyntaxError>,
    words: Arc<[u64]>,
    /// The last version that had it.
    version: u64,
}

impl Pieces {
    /// Parses a version of the file. Never fails: what is wrong is in [`Module::errors`].
    pub fn parse(&mut self, source: &Arc<SourceFile>) -> Module {
        self.version += 1;
        let ranges = self.cut.again(source);
        self.parse_new(source, &ranges);
        let (mut body, mut errors) = (Vec::new(), Vec::new());
        let mut place = |(range, occurrence): (&Range<usize>, usize)| {
            let known = self.piece(source, range, occurrence);
            body.extend_from_slice(&known.body);
            errors.extend_from_slice(&known.errors);
            Piece { source: known.source.clone(), start: range.start as u32, words: known.words.clone() }
        };
        let pieces = occurrences(source, &ranges).map(&mut place).collect();
        let module = Module { source: source.clone(), body: body.into(), errors, pieces };
        let oldest = self.version.saturating_sub(VERSIONS);
        self.known.retain(|_, pieces| {
            pieces.retain(|piece| piece.version >= oldest);
            !pieces.is_empty()
        });
        module
    }

    /// Parses the pieces that are not known: one after an edit, all of them when a file is opened.
    fn parse_new(&mut self, whole: &SourceFile, ranges: &[Range<usize>]) {
        let mut sources = Vec::new();
        for (range, occurrence) in occurrences(whole, ranges) {
            let text = &whole.text[range.clone()];
            if self.known.get(text).is_none_or(|pieces| pieces.len() <= occurrence) {
                let id = FileId(FIRST + self.made);
                self.made += 1;
                let lines_before = whole.line_of(range.start as u32) - 1;
                sources.push(Arc::new(SourceFile::new(id, whole.path.clone(), text).within(whole, lines_before)));
            }
        }
        for known in parse_all(sources) {
            self.known.entry(known.source.text.clone()).or_default().push(known);
        }
    }

    fn piece(&mut self, whole: &SourceFile, range: &Range<usize>, occurrence: usize) -> &Known {
        let (text, lines_before) = (&whole.text[range.clone()], whole.line_of(range.start as u32) - 1);
        let pieces = self.known.get_mut(text).expect("parsed just now, if not before");
        let known = &mut pieces[occurrence];
        known.version = self.version;
        if known.source.lines_before() != lines_before || known.source.cells != whole.cells {
            let moved = Arc::new(known.source.within(whole, lines_before));
            // Messages about what does not parse tell of lines.
            if known.errors.is_empty() {
                known.source = moved;
            } else {
                *known = Known { version: self.version, ..Known::parse(moved) };
            }
        }
        known
    }
}

/// Each piece, with how many pieces before it have the same text.
fn occurrences<'a>(
    source: &'a SourceFile,
    ranges: &'a [Range<usize>],
) -> impl Iterator<Item = (&'a Range<usize>, usize)> {
    let mut met: HashMap<&str, usize, ByText> = HashMap::default();
    ranges.iter().map(move |range| {
        let occurrence = met.entry(&source.text[range.clone()]).and_modify(|met| *met += 1).or_insert(0);
        (range, *occurrence)
    })
}

/// So much text is worth a thread: reading it takes ten times as long as starting one.
const WORTH_A_THREAD: usize = 4096;
/// More threads would wait for memory.
const MOST_THREADS: usize = 4;

/// Parses pieces, in several threads where there is much to do. The result is in order, however many there are.
fn parse_all(sources: Vec<Arc<SourceFile>>) -> Vec<Known> {
    let total: usize = sources.iter().map(|source| source.text.len()).sum();
    let threads = match total / WORTH_A_THREAD {
        0 | 1 => 1,
        worth => worth.min(MOST_THREADS).min(std::thread::available_parallelism().map_or(1, usize::from)),
    };
    if threads == 1 {
        return sources.into_iter().map(Known::parse).collect();
    }
    let mut parts: Vec<Vec<Arc<SourceFile>>> = vec![Vec::new(); threads];
    let mut before = 0;
    for source in sources {
        let part = (before * threads / total).min(threads - 1);
        before += source.text.len();
        parts[part].push(source);
    }
    let read = |part: Vec<Arc<SourceFile>>| part.into_iter().map(Known::parse).collect::<Vec<_>>();
    std::thread::scope(|scope| {
        let mut parts = parts.into_iter();
        let first = parts.next().unwrap_or_default();
        let others: Vec<_> = parts.map(|part| scope.spawn(|| read(part))).collect();
        let mut known = read(first);
        for other in others {
            // A panic goes on as it would without threads.
            known.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        known
    })
}

impl Known {
    fn parse(source: Arc<SourceFile>) -> Known {
        let words = depends::words(&source.text);
        let module = document::parse(source);
        Known { source: module.source, body: module.body, errors: module.errors, words, version: 0 }
    }
}

impl Module {
    /// A place in the file itself.
    pub fn place(&self, span: Span) -> Span {
        match self.pieces.with_id(span.file) {
            Some(piece) => Span { file: self.source.id, start: span.start + piece.start, end: span.end + piece.start },
            None => span,
        }
    }

    /// The place that spans give to an offset of the file: its piece, and the offset there. The end of a piece belongs to
    /// it.
    pub fn piece_at(&self, offset: u32) -> (FileId, u32) {
        let next = self.pieces.partition_point(|piece| piece.start <= offset);
        match next.checked_sub(1).map(|index| &self.pieces[index]) {
            Some(piece) => (piece.source.id, offset - piece.start),
            None => (self.source.id, offset),
        }
    }

    /// Whether a span lies in this file.
    pub fn holds(&self, span: Span) -> bool {
        span.file == self.source.id || self.pieces.with_id(span.file).is_some()
    }

    /// The text that a span covers; empty where the span is not of this file.
    pub fn slice(&self, span: Span) -> &str {
        match self.pieces.with_id(span.file) {
            Some(piece) => piece.source.slice(span),
            None if span.file == self.source.id => self.source.slice(span),
            None => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "import a\n\n\n@a.b\ndef f(x):\n  return x\n\n# of g\nif a:\n  b\nelse:\n  c\nd = (1,\n2)\n";

    fn source(text: &str) -> Arc<SourceFile> {
        Arc::new(SourceFile::new(FileId(0), "t.py", text))
    }

    fn texts(module: &Module) -> Vec<&str> {
        module.pieces.iter().map(|piece| &*piece.source.text).collect()
    }

    #[test]
    fn pieces_are_top_level_statements() {
        let module = Pieces::default().parse(&source(TEXT));
        let expected = ["import a", "@a.b\ndef f(x):\n  return x", "if a:\n  b\nelse:\n  c", "d = (1,\n2)"];
        assert_eq!(texts(&module), expected);
        assert_eq!(module.body.len(), 4);
        let last = module.body[3].span;
        assert_eq!((module.slice(last), module.source.slice(module.place(last))), ("d = (1,\n2)", "d = (1,\n2)"));
        let (file, offset) = module.piece_at(TEXT.find("return").expect("there") as u32);
        assert_eq!(module.slice(Span { file, start: offset, end: offset + 6 }), "return");
    }

    #[test]
    fn what_did_not_change_is_the_same() {
        let mut pieces = Pieces::default();
        let before = pieces.parse(&source(TEXT));
        let after = pieces.parse(&source(&TEXT.replace("import a", "import a\nimport b").replace("  b", "  bb")));
        let ids = |module: &Module| module.pieces.iter().map(|piece| piece.source.id.0 - FIRST).collect::<Vec<_>>();
        assert_eq!((ids(&before), ids(&after)), (vec![0, 1, 2, 3], vec![0, 4, 1, 5, 3]));
        assert_eq!(after.pieces[4].source.line_of(0), before.pieces[3].source.line_of(0) + 1);
        assert_eq!(ids(&pieces.parse(&source(TEXT))), [0, 1, 2, 3]);
    }

    #[test]
    fn equal_pieces_are_told_apart_by_their_order() {
        let mut pieces = Pieces::default();
        let twice = pieces.parse(&source("f()\nf()\n"));
        assert_ne!(twice.pieces[0].source.id, twice.pieces[1].source.id);
        let once = pieces.parse(&source("f()\n"));
        assert_eq!(once.pieces[0].source.id, twice.pieces[0].source.id);
    }

    #[test]
    fn a_header_without_a_block_keeps_what_stands_in_its_place() {
        let module = Pieces::default().parse(&source("x = 1\nif x:\ny = 2\nz = 3\n"));
        assert_eq!(texts(&module), ["x = 1", "if x:\ny = 2", "z = 3"]);
        assert_eq!(module.errors[0].message, "expected an indented block after 'if' statement on line 2");
    }
}
