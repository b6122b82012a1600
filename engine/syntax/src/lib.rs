//! Python source to an AST with spans: tree-sitter underneath, our own tree on top, incremental, tolerant of errors.
//! Evaluates nothing.

pub mod ast;
pub mod span;

pub use span::{FileId, LineColumn, SourceFile, Span};
