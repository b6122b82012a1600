//! What the tests of this crate share: a way to parse text.

pub(crate) mod cases;

use pallas_syntax::ast::Module;
use pallas_syntax::{FileId, SourceFile, parse};
use std::sync::Arc;

/// A source file of some text.
pub(crate) fn source(text: &str) -> Arc<SourceFile> {
    Arc::new(SourceFile::new(FileId(0), "case.py", text))
}

/// A parsed text.
pub(crate) fn module(text: &str) -> Module {
    parse(source(text))
}
