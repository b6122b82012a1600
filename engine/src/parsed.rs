//! Syntax trees of imported files, kept while their text stays the same: an edit of one file parses that file alone.

use pallas_syntax::ast::Module;
use pallas_syntax::{FileId, SourceFile};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Beyond so much text, what is kept is forgotten: trees take about twenty times the room of their text.
const MOST_TEXT: usize = 16 << 20;

/// The trees. Clones share them.
#[derive(Clone, Default)]
pub struct ParsedFiles(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    // Spans name the file by its number, so a tree serves only where the file gets the same number: as long as imports
    // come in the same order.
    trees: HashMap<(Arc<str>, FileId), Arc<Module>>,
    text: usize,
}

impl ParsedFiles {
    /// The tree of a source.
    pub fn parse(&self, source: Arc<SourceFile>) -> Arc<Module> {
        let key = (source.path.clone(), source.id);
        // The lock is held for single operations of the map, so a panic elsewhere has not damaged it.
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).trees.get(&key).cloned();
        if let Some(tree) = known.filter(|tree| tree.source.text == source.text) {
            return tree;
        }
        let tree = Arc::new(pallas_syntax::parse(source));
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.text += tree.source.text.len();
        if kept.text > MOST_TEXT {
            kept.trees.clear();
            kept.text = tree.source.text.len();
        }
        kept.trees.insert(key, tree.clone());
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(id: u32, text: &str) -> Arc<SourceFile> {
        Arc::new(SourceFile::new(FileId(id), "/a.py", text))
    }

    #[test]
    fn a_tree_is_kept_while_its_text_and_number_stay() {
        let parsed = ParsedFiles::default();
        let first = parsed.parse(source(1, "x = 1\n"));
        assert!(Arc::ptr_eq(&first, &parsed.parse(source(1, "x = 1\n"))));
        assert!(!Arc::ptr_eq(&first, &parsed.parse(source(2, "x = 1\n"))));
        assert!(!Arc::ptr_eq(&first, &parsed.parse(source(1, "x = 2\n"))));
        assert_eq!(parsed.parse(source(1, "x = 3\n")).source.text.as_ref(), "x = 3\n");
    }
}
