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

/// Whether a source mentions JAX or Pallas. What is embedded in the workbench does not count: an interpreter that was made ahead
/// has some of it that the program did not ask for.
pub(crate) fn mentions_jax(source: &SourceFile) -> bool {
    !is_embedded(source) && (source.text.contains("jax") || source.text.contains("pallas"))
}

fn is_embedded(source: &SourceFile) -> bool {
    source.path.starts_with('<')
}

impl Bystander {
    /// What is to be remembered of a file and all files that were read with it; `None` where one of them mentions JAX.
    pub(crate) fn new(source: &SourceFile, sources: &[Arc<SourceFile>]) -> Option<Bystander> {
        if mentions_jax(source) || sources.iter().any(|source| mentions_jax(source)) {
            return None;
        }
        let is_file = |other: &&Arc<SourceFile>| other.path != source.path && !is_embedded(other);
        let imported = sources.iter().filter(is_file).cloned().collect();
        Some(Bystander { imports: imports(&source.text), imported })
    }

    /// Whether another version of the file has nothing to do with JAX either.
    pub(crate) fn is_still(&self, source: &SourceFile, files: &dyn FileSystem) -> bool {
        let is_same = |source: &Arc<SourceFile>| {
            files.read(&source.path).is_ok_and(|text| text.is_some_and(|text| *text == *source.text))
        };
        !mentions_jax(source) && imports(&source.text) == self.imports && self.imported.iter().all(is_same)
    }
}

/// Names the lines that import something.
fn imports(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.lines().filter(|line| line.contains("import")).for_each(|line| line.hash(&mut hasher));
    hasher.finish()
}
