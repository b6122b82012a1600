//! tree-sitter's tree to ours. One file per family of node; this one holds the cursor they share.
//! Trusts the grammar where the tree has no error, and keeps what it can where it has; finds no names.

mod bitwise;
mod clause;
mod comprehension;
mod expression;
mod fstring;
mod function;
mod import;
mod number;
mod operator;
mod pattern;
mod statement;
mod string;
mod types;

use crate::ast::{Expr, ExprKind, Name, Stmt, StmtKind, SyntaxError};
use crate::layout::Line;
use crate::span::{SourceFile, Span};
use std::collections::HashSet;
use std::num::NonZeroU16;
use std::sync::{Arc, LazyLock};
use tree_sitter::{Language, Node};

pub(crate) use function::docstring;
pub(crate) use operator::binary_op;

/// How deep our tree may be. CPython's compiler gives up at a comparable depth; whoever walks the tree recurses over it
/// and must not run out of stack either.
const MAX_DEPTH: usize = 1000;

/// What one level of recursion here counts for: its frames are several times those of a walk over the finished tree.
const RECURSION_COST: usize = 3;

/// Lowers nodes of one tree, which may have been parsed from a slice of the file that starts at `base`.
pub(crate) struct Lower<'a> {
    /// The file that names and literals are read from.
    pub(crate) source: &'a SourceFile,
    /// Where in the file the parsed slice starts. Wraps where text was put before the slice.
    pub(crate) base: usize,
    /// Where in the file the parsed slice ends: what was put after it is not seen.
    limit: usize,
    /// A block to take in place of the first one that starts at or past an offset of the slice.
    given_suite: Option<(usize, Arc<[Stmt]>)>,
    /// What was found wrong, in no particular order.
    pub(crate) errors: Vec<SyntaxError>,
    /// Where statements, clauses and decorators were seen to start, as offsets of the file.
    starts: Vec<usize>,
    names: HashSet<Name>,
    depth: usize,
}

impl<'a> Lower<'a> {
    /// A lowering of trees over `source`.
    pub(crate) fn new(source: &'a SourceFile) -> Self {
        Lower {
            source,
            base: 0,
            limit: source.text.len(),
            given_suite: None,
            errors: Vec::new(),
            starts: Vec::new(),
            names: HashSet::new(),
            depth: 0,
        }
    }

    /// Lowers trees of the slice of the file from `base` to `limit` from now on.
    pub(crate) fn at(&mut self, base: usize, limit: usize) {
        self.base = base;
        self.limit = limit;
    }

    /// Has the first block at or past an offset of the slice replaced.
    pub(crate) fn give_suite(&mut self, position: usize, body: Arc<[Stmt]>) {
        self.given_suite = Some((position, body));
    }

    /// Takes back a block that was given and not used.
    pub(crate) fn take_suite(&mut self) {
        self.given_suite = None;
    }

    /// Notes that a line of the file may start with this node.
    fn starts_line(&mut self, node: Node<'_>) {
        let start = self.place(node.start_byte());
        self.starts.push(start);
    }

    /// Whether each of these lines starts a statement, clause or decorator of what was lowered since the last question.
    /// Where a statement is cut short (`x = y.`), the grammar reads on in the next line; Python does not.
    pub(crate) fn lines_start_here(&mut self, lines: &[Line]) -> bool {
        let mut starts = std::mem::take(&mut self.starts);
        starts.sort_unstable();
        lines.iter().all(|line| starts.binary_search(&line.start).is_ok())
    }

    /// The offset in the file of an offset in the slice.
    fn place(&self, offset: usize) -> usize {
        self.base.wrapping_add(offset).min(self.limit)
    }

    /// The span of a node in the file.
    pub(crate) fn span(&self, node: Node<'_>) -> Span {
        self.span_between(node.start_byte(), node.end_byte())
    }

    /// A span of the file from offsets of the slice.
    fn span_between(&self, start: usize, end: usize) -> Span {
        Span::new(self.source.id, self.place(start), self.place(end))
    }

    /// From the start of one node to the end of another.
    fn span_over(&self, first: Node<'_>, last: Node<'_>) -> Span {
        self.span_between(first.start_byte(), last.end_byte())
    }

    /// The text of a node.
    pub(crate) fn text(&self, node: Node<'_>) -> &'a str {
        self.slice(node.start_byte(), node.end_byte())
    }

    /// The text between two offsets of the slice.
    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.source.text.get(self.place(start)..self.place(end)).unwrap_or("")
    }

    /// The name that a node spells, shared with every other mention of it in the file.
    pub(crate) fn name(&mut self, node: Node<'_>) -> Name {
        let text = self.text(node);
        self.intern(text)
    }

    /// One shared copy of a name.
    pub(crate) fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.names.get(text) {
            return name.clone();
        }
        let name: Name = Arc::from(text);
        self.names.insert(name.clone());
        name
    }

    /// Reports a syntax error.
    pub(crate) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(SyntaxError { span, message: message.into() });
    }

    /// What the grammar reads without error and Python does not: an error node has an error that says so.
    fn explain(&mut self, node: Node<'_>, reported: usize) {
        if self.errors.len() == reported && !node.has_error() {
            let span = self.span(node);
            self.error(span, "invalid syntax");
        }
    }

    /// An expression that could not be read.
    fn error_expression(&self, node: Node<'_>) -> Expr {
        Expr { kind: ExprKind::Error, span: self.span(node) }
    }

    /// A statement that could not be read.
    fn error_statement(&self, node: Node<'_>) -> Stmt {
        Stmt { kind: StmtKind::Error, span: self.span(node) }
    }

    /// Runs `lower` one level deeper, or gives `None` (and an error) where the tree is too deep.
    fn deeper<T>(&mut self, node: Node<'_>, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.deeper_by(RECURSION_COST, node, lower)
    }

    /// As [`Self::deeper`], for a node that adds `cost` to the depth of the tree.
    fn deeper_by<T>(&mut self, cost: usize, node: Node<'_>, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth + cost > MAX_DEPTH {
            let span = self.span(node);
            self.error(span, "too many nested parentheses");
            return None;
        }
        self.depth += cost;
        let lowered = lower(self);
        self.depth -= cost;
        Some(lowered)
    }
}

/// Whether a node is trivia that may stand anywhere.
fn is_trivia(node: Node<'_>) -> bool {
    matches!(node.called(), "comment" | "line_continuation")
}

/// The named children without comments, in order.
pub(crate) fn named<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !is_trivia(*child)).collect()
}

/// All children without comments, tokens included.
fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).filter(|child| !is_trivia(*child)).collect()
}

/// What the grammar calls its nodes and its fields, by number: asking it by name takes longer than all else here.
struct Names {
    kinds: Vec<&'static str>,
    fields: Vec<(&'static str, NonZeroU16)>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let language = Language::from(tree_sitter_python::LANGUAGE);
    let kinds = (0..language.node_kind_count()).map(|id| language.node_kind_for_id(id as u16).unwrap_or_default());
    let numbers = (1..=language.field_count()).filter_map(|id| NonZeroU16::new(id as u16));
    let fields = numbers.filter_map(|id| Some((language.field_name_for_id(id.get())?, id)));
    Names { kinds: kinds.collect(), fields: fields.collect() }
});

/// [`Node::kind`], quickly.
trait Kind {
    /// What the grammar calls it.
    fn called(&self) -> &'static str;
}

impl Kind for Node<'_> {
    fn called(&self) -> &'static str {
        // The node of an error has a number beyond those of the grammar.
        NAMES.kinds.get(usize::from(self.kind_id())).copied().unwrap_or_else(|| self.kind())
    }
}

fn field_number(name: &str) -> Option<NonZeroU16> {
    NAMES.fields.iter().find(|(known, _)| *known == name).map(|(_, id)| *id)
}

/// The children under a field, without comments (tree-sitter may file a comment under a field).
fn fields<'t>(node: Node<'t>, field: &str) -> Vec<Node<'t>> {
    let Some(field) = field_number(field) else { return Vec::new() };
    let mut cursor = node.walk();
    node.children_by_field_id(field, &mut cursor).filter(|child| child.is_named() && !is_trivia(*child)).collect()
}

/// The first child under a field that is not a comment.
fn field<'t>(node: Node<'t>, field: &str) -> Option<Node<'t>> {
    let child = node.child_by_field_id(field_number(field)?.get())?;
    if is_trivia(child) {
        return fields(node, field).into_iter().next();
    }
    Some(child)
}

/// Whether a child is the region of an error.
fn is_error(node: Node<'_>) -> bool {
    node.is_error() || node.is_missing()
}
