//! The top-level statements of a module as units of work: where each is, what its text is, which names it binds.
//! Knows nothing of what they read; that shows when they are evaluated.

use crate::ast::{Module, Name, StmtKind};
use crate::scope;
use crate::span::Span;

/// A top-level statement, as incremental analysis sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// All of it, decorators included.
    pub span: Span,
    /// Of its text and its piece: equal texts, equal hashes, wherever in the file they stand.
    pub hash: u64,
    /// The names that it binds in the module, in order of binding.
    pub binds: Vec<Name>,
    /// A region that did not parse stands here: what it binds is not known.
    pub is_error: bool,
}

impl Module {
    /// The module's items, in order: one for each statement of the body.
    pub fn items(&self) -> Vec<Item> {
        self.body
            .iter()
            .map(|statement| Item {
                span: statement.span,
                hash: mix(u64::from(statement.span.file.0), hash(self.slice(statement.span))),
                binds: scope::module_bindings(std::slice::from_ref(statement)),
                is_error: matches!(statement.kind, StmtKind::Error),
            })
            .collect()
    }
}

/// 64-bit FNV-1a, which is the same on every machine and in every build.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Takes another hash into one: order matters.
pub(crate) fn mix(state: u64, hash: u64) -> u64 {
    (state.rotate_left(23) ^ hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use crate::span::{FileId, SourceFile};
    use std::sync::Arc;

    #[test]
    fn items_have_spans_hashes_and_names() {
        let text = "import a.b, c as d\nx, *y = z = 1\n@w\ndef f(): v = 1\nfor i in x: j = i\n";
        let module = crate::parse(Arc::new(SourceFile::new(FileId(0), "t.py", text)));
        let items = module.items();
        let binds: Vec<Vec<&str>> = items.iter().map(|item| item.binds.iter().map(|name| &**name).collect()).collect();
        assert_eq!(binds, [vec!["a", "d"], vec!["x", "y", "z"], vec!["f"], vec!["i", "j"]]);
        assert_eq!(module.source.slice(items[2].span), "@w\ndef f(): v = 1");
        let moved = format!("\n\n{text}");
        let again = crate::parse(Arc::new(SourceFile::new(FileId(0), "t.py", moved))).items();
        for (before, after) in items.iter().zip(&again) {
            assert_eq!((before.hash, before.span.start + 2), (after.hash, after.span.start));
        }
        assert_ne!(items[0].hash, items[1].hash);
    }
}
