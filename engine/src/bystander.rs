//! Files that have nothing to do with JAX: neither they nor what they import mention it. Once that is known of a file, edits of it
//! are not analysed, until it, its imports, or what it imports say otherwise.

use crate::files::FileSystem;
use pallas_syntax::SourceFile;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A file that was found to have nothing to do with JAX.
pub(crate) struct Bystander {
    imports: u64,
    /// What it imports, directly or not.
    imported: Vec<Arc<SourceFile>>,
}

/// Whether a text mentions JAX or Pallas.
pub(crate) fn mentions_jax(text: &str) -> bool {
    text.contains("jax") || text.contains("pallas")
}

impl Bystander {
    /// What is to be remembered of a file and all files that were read with it; `None` where one of them mentions JAX.
    pub(crate) fn new(source: &SourceFile, sources: &[Arc<SourceFile>]) -> Option<Bystander> {
        if mentions_jax(&source.text) || sources.iter().any(|source| mentions_jax(&source.text)) {
            return None;
        }
        let imported = sources.iter().filter(|other| other.path != source.path).cloned().collect();
        Some(Bystander { imports: imports(&source.text), imported })
    }

    /// Whether another version of the file has nothing to do with JAX either.
    pub(crate) fn is_still(&self, text: &str, files: &dyn FileSystem) -> bool {
        let is_same = |source: &Arc<SourceFile>| {
            // What is embedded has no file.
            source.path.starts_with('<')
                || files.read(&source.path).is_ok_and(|text| text.is_some_and(|text| *text == *source.text))
        };
        !mentions_jax(text) && imports(text) == self.imports && self.imported.iter().all(is_same)
    }
}

/// Names the lines that import something.
fn imports(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.lines().filter(|line| line.contains("import")).for_each(|line| line.hash(&mut hasher));
    hasher.finish()
}
