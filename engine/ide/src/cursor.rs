//! Where something is to be completed: the word that is typed already, what stands in front of it, and the brackets that are open.

use crate::calls::{self, Open};
use pallas_engine::{Analysis, Span};

/// The place.
pub(crate) struct Cursor<'a> {
    /// The analysis of the file.
    pub(crate) analysis: &'a Analysis,
    /// What is open.
    pub(crate) open: Open<'a>,
    /// The word so far.
    pub(crate) replaces: Span,
    /// The text in front of the word.
    before: &'a str,
}

impl<'a> Cursor<'a> {
    /// At a byte offset; `None` in comments, and in files that have nothing to do with JAX.
    pub(crate) fn at(analysis: &'a Analysis, offset: u32) -> Option<Cursor<'a>> {
        if !analysis.speaks_of_jax() {
            return None;
        }
        let text = &*analysis.source.text;
        let before = text.get(..offset as usize)?;
        let open = calls::open(text, offset as usize);
        if open.comment {
            return None;
        }
        let start = before.len() - calls::word_before(text, offset as usize).len();
        let replaces = Span::new(analysis.source.id, start, before.len());
        Some(Cursor { analysis, open, replaces, before: &before[..start] })
    }

    /// The text in front of the dot, where there is one in front of the word.
    pub(crate) fn owner(&self) -> Option<&'a str> {
        self.before.strip_suffix('.')
    }
}
