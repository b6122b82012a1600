//! Python source to an AST with spans: tree-sitter underneath, our own tree on top, incremental, tolerant of errors.
//! Evaluates nothing.

pub mod ast;
mod document;
pub mod dump;
mod lower;
mod scope;
pub mod span;
pub mod visit;

pub use document::{Document, parse};
pub use span::{FileId, LineColumn, SourceFile, Span};
