//! Where Python sources come from: a trait, the disk, and open editor buffers laid over it.
//! This is the only place of the engine that reads files.
//!
//! Paths are texts with `/` between their parts, on Windows too: its file functions take both, and what finds the folder of a
//! file, or compares two files, knows one form. Front ends make that form of a path of theirs by [`path_text`].

use crate::notebook;
use pallas_syntax::notebook::is_notebook;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Reads source files.
pub trait FileSystem: Send + Sync {
    /// The text of a file, of a notebook that of its program; `None` if there is none.
    ///
    /// # Errors
    /// A message for the reader where the file exists but cannot be read: a directory, no permission, not UTF-8.
    fn read(&self, path: &str) -> Result<Option<Arc<str>>, String>;

    /// The names of what a folder holds, in order; `None` if there is no such folder. A file system that knows no folders
    /// has none: packages without `__init__.py` and Python environments are then not found.
    fn list(&self, _folder: &str) -> Option<Vec<String>> {
        None
    }

    /// The path from the root on.
    fn absolute(&self, path: &str) -> String {
        path.to_string()
    }
}

/// The disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

/// Files larger than this are refused: no kernel file is, and analysis must stay bounded.
const LARGEST: u64 = 32 << 20;

impl FileSystem for Disk {
    fn read(&self, path: &str) -> Result<Option<Arc<str>>, String> {
        let metadata = match std::fs::metadata(Path::new(path)) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("{path}: {error}")),
        };
        if metadata.is_dir() {
            return Err(format!("{path}: is a directory, not a Python file"));
        }
        if metadata.len() > LARGEST {
            return Err(format!("{path}: is larger than {} MiB", LARGEST >> 20));
        }
        let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
        match String::from_utf8(bytes) {
            Ok(text) => {
                let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
                Ok(Some(if is_notebook(path) { notebook::read(path, text)?.into() } else { text.into() }))
            }
            Err(error) => {
                let offset = error.utf8_error().valid_up_to();
                let line = error.as_bytes()[..offset].iter().filter(|b| **b == b'\n').count() + 1;
                Err(format!("{path}:{line}: not UTF-8 (byte {offset}); save the file as UTF-8"))
            }
        }
    }

    fn list(&self, folder: &str) -> Option<Vec<String>> {
        let entries = std::fs::read_dir(folder).ok()?;
        let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        Some(names)
    }

    fn absolute(&self, path: &str) -> String {
        std::path::absolute(path).map_or_else(|_| path.to_string(), |path| path_text(&path))
    }
}

/// A path as the engine knows it.
pub fn path_text(path: &Path) -> String {
    let text = path.display().to_string();
    if cfg!(windows) { slashed(&text) } else { text }
}

/// A path that some file or variable names, as the engine knows it: one of Windows is told by its drive or its share.
pub(crate) fn native(path: &str) -> String {
    let has_drive = matches!(path.as_bytes(), [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic());
    if has_drive || path.starts_with("\\\\") { slashed(path) } else { path.to_string() }
}

/// Whether a path, as the engine knows it, begins at a root.
pub(crate) fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || matches!(path.as_bytes(), [drive, b':', b'/', ..] if drive.is_ascii_alphabetic())
}

/// A path of Windows with `/`, with a large letter for its drive, and without the prefix that long paths have: one file has one
/// path.
fn slashed(path: &str) -> String {
    let path = match (path.strip_prefix(r"\\?\UNC\"), path.strip_prefix(r"\\?\")) {
        (Some(share), _) => format!(r"\\{share}"),
        (None, Some(rest)) => rest.to_string(),
        (None, None) => path.to_string(),
    };
    let mut path = path.replace('\\', "/");
    if path.as_bytes().get(1) == Some(&b':')
        && let Some(drive) = path.get_mut(..1)
    {
        drive.make_ascii_uppercase();
    }
    path
}

/// Texts in memory over another file system: what an editor has open.
#[derive(Clone)]
pub struct Overlay {
    texts: Arc<HashMap<String, Arc<str>>>,
    under: Arc<dyn FileSystem>,
}

impl Overlay {
    /// `texts` by path, over `under`.
    pub fn new(texts: HashMap<String, Arc<str>>, under: Arc<dyn FileSystem>) -> Self {
        Overlay { texts: Arc::new(texts), under }
    }
}

impl FileSystem for Overlay {
    fn read(&self, path: &str) -> Result<Option<Arc<str>>, String> {
        match self.texts.get(path) {
            Some(text) => Ok(Some(text.clone())),
            None => self.under.read(path),
        }
    }

    fn list(&self, folder: &str) -> Option<Vec<String>> {
        let beginning = format!("{}/", folder.trim_end_matches('/'));
        let inside = self.texts.keys().filter_map(|path| path.strip_prefix(&beginning)?.split('/').next());
        let inside: Vec<String> = inside.map(str::to_string).collect();
        let under = self.under.list(folder);
        if inside.is_empty() {
            return under;
        }
        let mut names = under.unwrap_or_default();
        names.extend(inside);
        names.sort();
        names.dedup();
        Some(names)
    }

    fn absolute(&self, path: &str) -> String {
        self.under.absolute(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_windows_have_one_form() {
        for (path, expected) in [
            (r"C:\kernels\add.py", "C:/kernels/add.py"),
            (r"c:\kernels/add.py", "C:/kernels/add.py"),
            (r"\\?\c:\kernels\add.py", "C:/kernels/add.py"),
            (r"\\server\share\add.py", "//server/share/add.py"),
            (r"\\?\UNC\server\share\add.py", "//server/share/add.py"),
            (r"kernels\add.py", "kernels/add.py"),
            ("é:\\a", "é:/a"),
            ("", ""),
        ] {
            assert_eq!(slashed(path), expected);
        }
    }

    #[test]
    fn paths_of_other_systems_stay_as_they_are() {
        for path in ["/a\\b/c.py", "a\\b.py", "é:\\a", "a:b.py", "/", ""] {
            assert_eq!(native(path), path);
        }
        assert_eq!(native(r"D:\a"), "D:/a");
        assert!(is_absolute("/a") && is_absolute("C:/a") && !is_absolute("a/b") && !is_absolute("a:b"));
    }
}
