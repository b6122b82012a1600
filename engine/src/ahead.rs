//! Texts that are taken apart by the thread that waits for a program, while the program's own thread makes an interpreter and
//! JAX's modules: the program, and the modules beside it that it imports by name.
//!
//! Only what a text alone decides is done ahead. Which file it is, and whether it is imported at all, is seen when it is.

use crate::files::{FileSystem, path_text};
use pallas_syntax::ast::Module;
use pallas_syntax::{Grammar, SourceFile};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Files that are taken apart for one program.
const MOST: usize = 64;

/// The texts. Whoever comes first to one takes it apart, and others wait for it. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Ahead(Arc<Shared>);

#[derive(Default)]
struct Shared {
    known: Mutex<Vec<Known>>,
    /// Whether the program has ended.
    is_over: AtomicBool,
}

#[derive(Clone)]
struct Known {
    text: Arc<str>,
    grammar: Arc<OnceLock<Grammar>>,
}

impl Known {
    fn grammar(&self) -> &Grammar {
        self.grammar.get_or_init(|| Grammar::of(&self.text))
    }
}

impl Ahead {
    /// For a program.
    pub(crate) fn new(program: Arc<str>) -> Ahead {
        let ahead = Ahead::default();
        ahead.note(program);
        ahead
    }

    /// Takes the program under a path apart, and modules beside it, until it has ended.
    pub(crate) fn read(&self, path: &str, files: &dyn FileSystem) {
        let folder = Path::new(path).parent().unwrap_or(Path::new(""));
        let mut next = 0;
        while let Some(known) = self.at(next).filter(|_| !self.0.is_over.load(Ordering::Relaxed)) {
            next += 1;
            known.grammar();
            for module in imported(&known.text) {
                let path = folder.join(format!("{}.py", module.replace('.', "/")));
                // What cannot be read is said where it is imported.
                if let Ok(Some(text)) = files.read(&path_text(&path)) {
                    self.note(text);
                }
            }
        }
    }

    /// The program has ended: nothing more is wanted.
    pub(crate) fn end(&self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }

    /// The tree of a source.
    pub(crate) fn parse(&self, source: Arc<SourceFile>) -> Arc<Module> {
        let known = self.all().iter().find(|known| *known.text == *source.text).cloned();
        Arc::new(match known {
            Some(known) => pallas_syntax::parse_known(source, known.grammar()),
            None => pallas_syntax::parse(source),
        })
    }

    /// Remembers a text that is not known yet.
    fn note(&self, text: Arc<str>) {
        let mut all = self.all();
        if all.len() < MOST && all.iter().all(|known| known.text != text) {
            all.push(Known { text, grammar: Arc::default() });
        }
    }

    fn at(&self, number: usize) -> Option<Known> {
        self.all().get(number).cloned()
    }

    fn all(&self) -> MutexGuard<'_, Vec<Known>> {
        // It is held for single operations of the list, so a panic elsewhere has not damaged it.
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The modules that lines without indentation import, as they are written.
fn imported(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.strip_prefix("import ").or_else(|| line.strip_prefix("from "))?;
        let name = rest.split([' ', ',', ';', '#']).next()?;
        let is_name = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
        name.split('.').all(is_name).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Disk, Overlay};
    use pallas_syntax::FileId;
    use std::collections::HashMap;

    #[test]
    fn what_was_taken_apart_ahead_is_the_same_tree() {
        let helper: Arc<str> = "def f(x):\n  return x + 1\n".into();
        let program: Arc<str> = "import jax, helper\nfrom helper import f\nfrom . import g\nprint(f(1)\n".into();
        let texts = HashMap::from([("/no/folder/helper.py".to_string(), helper.clone())]);
        let files = Overlay::new(texts, Arc::new(Disk));
        let ahead = Ahead::new(program.clone());
        ahead.read("/no/folder/main.py", &files);
        assert_eq!(ahead.all().len(), 2);
        for (number, text) in [program, helper, "x = 1\n".into()].into_iter().enumerate() {
            let source = Arc::new(SourceFile::new(FileId(number as u32), "/k/a.py", text));
            let (found, expected) = (ahead.parse(source.clone()), pallas_syntax::parse(source));
            assert_eq!(format!("{:?}", found.body), format!("{:?}", expected.body));
            assert_eq!(format!("{:?}", found.errors), format!("{:?}", expected.errors));
        }
    }

    #[test]
    fn nothing_is_read_for_a_program_that_has_ended() {
        let ahead = Ahead::new("import helper\n".into());
        ahead.end();
        ahead.read("/no/folder/main.py", &Disk);
        assert!(ahead.all().iter().all(|known| known.grammar.get().is_none()));
    }

    #[test]
    fn modules_are_found_by_how_lines_begin() {
        let text = "import a.b as c\nfrom harness import main, values\n  import d\nimportant = 1\nfrom .e import f\nimport g, h\n";
        assert_eq!(imported(text).collect::<Vec<_>>(), ["a.b", "harness", "g"]);
    }
}
