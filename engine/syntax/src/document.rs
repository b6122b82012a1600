//! A file being edited: its text, tree-sitter's tree of it, and our tree on demand.
//! The module is a function of the text alone: however the text came about, the same text gives the same module.

use crate::ast::{Module, SyntaxError};
use crate::lower::Lower;
use crate::span::SourceFile;
use crate::{check, layout, recover};
use std::ops::Range;
use std::sync::Arc;
use tree_sitter::{InputEdit, Parser, Point, Tree};

/// An open file.
pub struct Document {
    source: Arc<SourceFile>,
    parser: Parser,
    tree: Option<Tree>,
}

/// Parses a file. Never fails: what is wrong is in [`Module::errors`].
pub fn parse(source: Arc<SourceFile>) -> Module {
    Document::new(source).module()
}

/// What the grammar makes of a text, whichever file it is: most of what parsing takes.
#[derive(Clone, Debug)]
pub struct Grammar(Option<Tree>);

impl Grammar {
    /// Of a text.
    pub fn of(text: &str) -> Grammar {
        Grammar(python_parser().parse(text, None))
    }
}

/// As [`parse`], of a file whose text is known to the grammar.
pub fn parse_known(source: Arc<SourceFile>, grammar: &Grammar) -> Module {
    Document { source, parser: python_parser(), tree: grammar.0.clone() }.module()
}

/// A parser for Python; the grammar is compiled in, and its ABI is the library's, so it can be set.
pub(crate) fn python_parser() -> Parser {
    let mut parser = Parser::new();
    // On a mismatch `parse` gives `None`, which is handled as a file that does not parse.
    let _ = parser.set_language(&tree_sitter_python::LANGUAGE.into());
    parser
}

impl Document {
    /// Opens a file.
    pub fn new(source: Arc<SourceFile>) -> Self {
        let mut parser = python_parser();
        let tree = parser.parse(&*source.text, None);
        Document { source, parser, tree }
    }

    /// The text as it is now.
    pub fn source(&self) -> &Arc<SourceFile> {
        &self.source
    }

    /// tree-sitter's tree of the text as it is now.
    pub fn tree(&self) -> Option<&Tree> {
        self.tree.as_ref()
    }

    /// Replaces a range of bytes. The range is clamped to the text and widened to whole characters.
    pub fn apply_edit(&mut self, range: Range<usize>, new_text: &str) {
        let text = &self.source.text;
        let mut start = range.start.min(text.len());
        let mut end = range.end.clamp(start, text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let mut edited = String::with_capacity(text.len() + new_text.len());
        edited.push_str(&text[..start]);
        edited.push_str(new_text);
        edited.push_str(&text[end..]);
        let edited = SourceFile::new(self.source.id, self.source.path.clone(), edited);
        let new_end = start + new_text.len();
        let edit = InputEdit {
            start_byte: start,
            old_end_byte: end,
            new_end_byte: new_end,
            start_position: point(&self.source, start),
            old_end_position: point(&self.source, end),
            new_end_position: point(&edited, new_end),
        };
        let old = self.tree.take().map(|mut tree| {
            tree.edit(&edit);
            tree
        });
        self.source = Arc::new(edited);
        let text = &*self.source.text;
        self.tree = self.parser.parse(text, old.as_ref());
        // Recovery from errors may depend on the way there; the module must not.
        if old.is_some() && self.tree.as_ref().is_none_or(|t| t.root_node().has_error()) {
            self.tree = self.parser.parse(text, None);
        }
    }

    /// The syntax tree of the text as it is now.
    pub fn module(&self) -> Module {
        let mut lower = Lower::new(&self.source);
        let tree = self.tree.as_ref().map(|tree| tree.root_node());
        let whole = tree.filter(|root| !root.has_error());
        let mut lines = layout::lines(&self.source);
        if whole.is_some() {
            // The grammar is the better judge of characters; it knows no limits, though.
            for line in &mut lines {
                line.problem.take_if(|p| p.message != layout::TOO_MANY_BRACKETS);
            }
        }
        layout::check_indentation(&self.source, &mut lines);
        let whole = whole
            .filter(|_| lines.iter().all(|line| line.problem.is_none()))
            .map(|root| lower.statements(root))
            .filter(|_| lower.lines_start_here(&lines));
        let body = match whole {
            Some(body) => body,
            None => {
                lower = Lower::new(&self.source);
                recover::statements(&mut lower, &lines)
            }
        };
        let mut errors = std::mem::take(&mut lower.errors);
        errors.extend(check::module(&body, errors.is_empty()));
        Module {
            errors: one_for_a_line(&self.source, errors),
            source: self.source.clone(),
            body: body.into(),
            pieces: crate::PieceList::default(),
        }
    }
}

/// The errors in order of position, the first of each line.
fn one_for_a_line(source: &SourceFile, mut errors: Vec<SyntaxError>) -> Vec<SyntaxError> {
    errors.sort_by_key(|error| (error.span.start, error.span.end));
    errors.dedup_by_key(|error| source.line_of(error.span.start));
    errors
}

/// tree-sitter's position of an offset: row and column in bytes, from zero.
fn point(source: &SourceFile, offset: usize) -> Point {
    let line = source.line_of(offset as u32);
    Point { row: line as usize - 1, column: offset - source.line_range(line).start }
}
