//! The case files.

use std::path::PathBuf;

/// The folder of this crate's tests.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Name and text of every case, in order of name.
pub(crate) fn cases() -> Vec<(String, String)> {
    let folder = folder().join("cases");
    let mut cases: Vec<(String, String)> = std::fs::read_dir(&folder)
        .expect("the cases are in the repository")
        .map(|entry| entry.expect("the folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .map(|path| {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let text = std::fs::read_to_string(&path).expect("cases are UTF-8");
            (name.unwrap_or_default(), text)
        })
        .collect();
    cases.sort();
    assert!(cases.len() >= 12, "the cases were not found");
    cases
}
