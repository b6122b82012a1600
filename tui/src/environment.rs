//! What the process's environment and the command line say about where imports come from.

use pallas_engine::environment::{Environment, Wanted};
use pallas_engine::{Disk, FileSystem};
use std::path::Path;

/// `PYTHONPATH`
pub(crate) fn python_path() -> Vec<String> {
    let Some(paths) = std::env::var_os("PYTHONPATH") else { return Vec::new() };
    std::env::split_paths(&paths).map(|p| p.display().to_string()).filter(|p| !p.is_empty()).collect()
}

/// Whether the locale has more than ASCII. Without any locale variable the "C" locale holds, which has not.
pub(crate) fn is_unicode() -> bool {
    let value = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| value(name));
    locale.is_some_and(|name| name.to_uppercase().replace('-', "").contains("UTF8"))
}

/// The Python environment of a program: `--python`, `VIRTUAL_ENV`, or the `.venv` around it.
///
/// # Errors
/// What `--python` names is none.
pub(crate) fn find(python: Option<&Path>, script: &Path) -> Result<Environment, String> {
    let named = python.map(|path| path.display().to_string());
    let active = std::env::var("VIRTUAL_ENV").ok().filter(|folder| !folder.is_empty());
    let script = Disk.absolute(&script.display().to_string());
    let wanted = Wanted { python: named.as_deref(), virtual_env: active.as_deref(), script: &script };
    let found = Environment::find(&Disk, &wanted);
    match found.problem {
        Some(problem) => Err(format!("--python {problem}")),
        None => Ok(found),
    }
}
