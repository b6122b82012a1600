//! Where Python sources come from: a trait, the disk, and open editor buffers laid over it.
//! This is the only place of the engine that reads files.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Reads source files.
pub trait FileSystem: Send + Sync {
    /// The text of a file; `None` if there is none.
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
            Ok(text) => Ok(Some(text.strip_prefix('\u{feff}').unwrap_or(&text).into())),
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
        std::path::absolute(path).map_or_else(|_| path.to_string(), |path| path.display().to_string())
    }
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
