//! What to make of a file that does not parse: every logical line is read on its own, so that a broken one costs itself
//! and nothing around it. Blocks come from indentation, headers from their first word, the rest from tree-sitter again.
//! Reports at most one error for a line.

mod compound;
mod definition;
mod diagnose;
mod simple;

use crate::ast::{Stmt, StmtKind, SyntaxError};
use crate::document::python_parser;
use crate::layout::{Line, opener, opening_word};
use crate::lower::{Lower, named};
use crate::span::Span;
use tree_sitter::{Parser, Tree};

/// Deeper blocks than CPython's limit are not read.
const MAX_BLOCKS: usize = 100;

/// Reads a file line by line.
pub(crate) fn statements(lower: &mut Lower<'_>, lines: &[Line]) -> Vec<Stmt> {
    let mut recover = Recover { lower, parser: python_parser(), blocks: 0 };
    recover.block(lines)
}

struct Recover<'l, 'a> {
    lower: &'l mut Lower<'a>,
    parser: Parser,
    blocks: usize,
}

impl<'a> Recover<'_, 'a> {
    /// The statements of lines of one block.
    fn block(&mut self, lines: &[Line]) -> Vec<Stmt> {
        let mut statements = Vec::new();
        if self.blocks >= MAX_BLOCKS {
            statements.extend(lines.first().map(|line| self.error_statement(line)));
            return statements;
        }
        self.blocks += 1;
        let mut rest = lines;
        while !rest.is_empty() {
            let (item, after) = rest.split_at(self.item_length(rest));
            self.item(item, &mut statements);
            rest = after;
        }
        self.blocks -= 1;
        statements
    }

    /// How many lines the statement that starts with the first of `lines` has: its decorators, block and clauses.
    fn item_length(&self, lines: &[Line]) -> usize {
        let indent = lines[0].indent;
        let is_decorator = |line: &Line| self.text(line).starts_with('@');
        let same_block = |line: &Line| line.indent == indent;
        let mut length = 1;
        while is_decorator(&lines[length - 1]) && lines.get(length).is_some_and(same_block) {
            length += 1;
        }
        let word = opening_word(self.lower.source, lines[length - 1].start);
        let clauses: &[&str] = match word {
            "if" => &["elif", "else"],
            "for" | "while" => &["else"],
            "try" => &["except", "else", "finally"],
            _ => &[],
        };
        loop {
            length += lines[length..].iter().take_while(|line| line.indent > indent).count();
            let continues = lines
                .get(length)
                .is_some_and(|line| same_block(line) && clauses.contains(&line.first_word(self.lower.source)));
            if !continues {
                return length;
            }
            length += 1;
        }
    }

    /// One statement, whole where it parses and piece by piece where not.
    fn item(&mut self, lines: &[Line], statements: &mut Vec<Stmt>) {
        let (first, last) = (&lines[0], &lines[lines.len() - 1]);
        let (lowered, reported) = (statements.len(), self.lower.errors.len());
        self.lower.lines_start_here(&[]);
        if lines.iter().all(|line| line.problem.is_none()) && self.lower_range(first.start, last.end, statements) {
            if self.lower.lines_start_here(lines) {
                return;
            }
            statements.truncate(lowered);
            self.lower.errors.truncate(reported);
        }
        let word = opening_word(self.lower.source, first.start);
        // `match` and `case` are names unless a block follows.
        let is_compound =
            word == "@" || (opener(word).is_some() && (first.opens_block || !matches!(word, "match" | "case")));
        if is_compound {
            self.compound(lines, statements);
            return;
        }
        self.simple(first, statements);
        // Lines indented under a statement that opens no block.
        statements.extend(self.block(&lines[1..]));
    }

    /// Lowers a range of the file if it parses without error; a few legal things that the grammar lacks are helped.
    fn lower_range(&mut self, start: usize, end: usize, statements: &mut Vec<Stmt>) -> bool {
        let text = self.slice(start, end);
        let mut tree = self.parse(text);
        if tree.as_ref().is_none_or(|tree| tree.root_node().has_error()) {
            let Some(masked) = simple::mask(text) else {
                return false;
            };
            tree = self.parse(&masked);
        }
        let Some(tree) = tree.filter(|tree| !tree.root_node().has_error()) else {
            return false;
        };
        self.lower.at(start, end);
        statements.extend(self.lower.statements(tree.root_node()));
        true
    }

    /// The one statement that `text` parses to, lowered as standing at `base` of the file, nothing past `limit` seen.
    fn lower_one(&mut self, text: &str, base: usize, limit: usize) -> Option<Stmt> {
        let tree = self.parse(text).filter(|tree| !tree.root_node().has_error())?;
        let nodes = named(tree.root_node());
        let [node] = nodes.as_slice() else {
            return None;
        };
        self.lower.at(base, limit);
        Some(self.lower.statement(*node))
    }

    fn parse(&mut self, text: &str) -> Option<Tree> {
        self.parser.parse(text, None)
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.lower.source.text.get(start..end).unwrap_or("")
    }

    fn text(&self, line: &Line) -> &'a str {
        line.text(self.lower.source)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.lower.source.id, start, end)
    }

    fn error_statement(&self, line: &Line) -> Stmt {
        Stmt { kind: StmtKind::Error, span: self.span(line.start, line.end) }
    }

    /// Says what is wrong with a line.
    fn report(&mut self, line: &Line) {
        let error = match &line.problem {
            Some(problem) => problem.clone(),
            None => self.diagnose(line),
        };
        self.push(error);
    }

    fn push(&mut self, error: SyntaxError) {
        self.lower.errors.push(error);
    }
}
