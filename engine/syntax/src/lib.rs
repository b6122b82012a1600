//! Python source to an AST with spans: tree-sitter underneath, our own tree on top, incremental, tolerant of errors.
//! Evaluates nothing.

pub mod ast;
mod check;
mod cut;
mod depends;
mod document;
pub mod dump;
mod highlight;
mod items;
mod layout;
mod lower;
pub mod names;
pub mod notebook;
mod piece_list;
mod pieces;
mod reach;
mod recover;
mod scope;
pub mod span;
mod text_hash;
mod token;
pub mod visit;

pub use depends::Dependences;
pub use document::{Document, Grammar, parse, parse_known};
pub use highlight::{Class, highlight};
pub use items::Item;
pub use names::Names;
pub use piece_list::{Piece, PieceList};
pub use pieces::Pieces;
pub use span::{FileId, LineColumn, SourceFile, Span};
pub use token::is_keyword;
