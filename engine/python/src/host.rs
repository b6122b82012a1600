//! What evaluated code may ask of the world, as a trait: the library crates themselves touch no file, clock,
//! environment or terminal. Analysis gets a host that knows source files only.

use pallas_syntax::SourceFile;
use pallas_syntax::ast::Module;
use std::sync::Arc;

/// The world outside the evaluator.
pub trait Host {
    /// Writes to standard output (`print`, `sys.stdout.write`).
    fn write_stdout(&self, text: &str);

    /// Writes to standard error.
    fn write_stderr(&self, text: &str);

    /// Reads one line for `input()`, without its newline; `None` at the end of input.
    fn read_line(&self) -> Option<String>;

    /// The text of a Python source file, for imports; `None` if there is none. Errors are for files that exist but
    /// cannot be read (not UTF-8, a directory).
    fn read_source(&self, path: &str) -> Result<Option<String>, String>;

    /// Folders searched for imports, in order; the script's folder is first.
    fn import_paths(&self) -> Vec<String>;

    /// The names of what a folder holds; `None` where there is no such folder, or where folders are not known.
    fn list_folder(&self, _path: &str) -> Option<Vec<String>> {
        None
    }

    /// Folders of installed packages, searched after [`Host::import_paths`]. What is wrong in their files is not the
    /// program's concern.
    fn package_paths(&self) -> Vec<String> {
        Vec::new()
    }

    /// What to do about a module that is in none of the folders, for the reader.
    fn import_help(&self) -> Option<String> {
        None
    }

    /// The syntax tree of a source. Hosts may keep trees from one evaluation to the next.
    fn parse(&self, source: Arc<SourceFile>) -> Arc<Module> {
        Arc::new(pallas_syntax::parse(source))
    }

    /// `sys.argv`
    fn arguments(&self) -> Vec<String>;

    /// `os.environ`; empty in analysis.
    fn environment(&self, name: &str) -> Option<String>;

    /// Seconds for `time.time()` and `time.perf_counter()`; a constant in analysis.
    fn seconds(&self) -> f64;

    /// Whether the evaluation should stop because its result is no longer wanted.
    fn cancelled(&self) -> bool {
        false
    }
}
