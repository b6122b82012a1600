//! Finding and reading the files that a command is given.

use pallas_engine::syntax::notebook::is_notebook;
use pallas_engine::{Disk, FileSystem, Notebook, path_text};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The text of a file that the user named.
///
/// # Errors
/// A message that says what is wrong with it.
pub(crate) fn read(path: &Path) -> Result<Arc<str>, String> {
    let shown = path_text(path);
    if path.is_dir() {
        return Err(format!("{shown}: is a directory; name a Python file, or use `pallas-tui check {shown}`"));
    }
    match Disk.read(&shown)? {
        Some(text) => Ok(text),
        None => Err(format!("{shown}: no such file")),
    }
}

/// The line of a file that says a line of its text: of a notebook that is another one.
pub(crate) fn line_in_file(path: &Path, line: u32) -> u32 {
    let shown = path_text(path);
    if !is_notebook(&shown) {
        return line;
    }
    let json = std::fs::read_to_string(path).unwrap_or_default();
    Notebook::new(&shown, json.trim_start_matches('\u{feff}')).map_or(1, |notebook| notebook.line(line) as u32)
}

/// Python files and notebooks under the given paths, in order; folders are searched, hidden ones and caches left out.
///
/// # Errors
/// A message for the first path that does not exist, or a folder without Python files.
pub(crate) fn python_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = files.len();
            search(path, &mut files)?;
            if files.len() == before {
                return Err(format!("{}: no Python files in this folder", path.display()));
            }
        } else if path.exists() {
            files.push(path.clone());
        } else {
            return Err(format!("{}: no such file or folder", path.display()));
        }
    }
    Ok(files)
}

fn search(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut entries: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|e| e.path())).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        if name.starts_with('.') || name == "__pycache__" || name == "node_modules" {
            continue;
        }
        if path.is_dir() && !path.is_symlink() {
            search(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "py" || e == "ipynb") {
            files.push(path);
        }
    }
    Ok(())
}
