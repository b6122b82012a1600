//! The tests that failed last, for `--lf`: kept for each folder where tests are started, in the user's cache rather than in the
//! project.

use pallas_engine::path_text;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

/// The file of this folder.
fn file() -> Option<PathBuf> {
    let folder = path_text(&std::env::current_dir().ok()?);
    let mut hasher = DefaultHasher::new();
    folder.hash(&mut hasher);
    Some(crate::calibrate::cache()?.join("tests").join(format!("{:016x}.json", hasher.finish())))
}

/// The tests of this folder that failed when they last ran. What cannot be read is nothing.
pub(super) fn read() -> BTreeSet<String> {
    let text = file().and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Notes what became of the tests that have run; what did not run stays as it was.
pub(super) fn write(run: &BTreeSet<String>, failed: &BTreeSet<String>) {
    let before = read();
    let now: BTreeSet<&String> = before.difference(run).chain(failed).collect();
    if now.iter().copied().eq(before.iter()) {
        return;
    }
    // Where nothing can be kept, `--lf` runs all tests.
    if let Some(file) = file()
        && let Some(folder) = file.parent()
        && std::fs::create_dir_all(folder).is_ok()
    {
        let _ = std::fs::write(&file, serde_json::json!(now).to_string());
    }
}
