//! The log of calls: a line for each, with what it was given and what it answered.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::LazyLock;

static FILE: LazyLock<Option<File>> = LazyLock::new(|| {
    let path = std::env::var_os("PALLAS_DRIVER_LOG")?;
    OpenOptions::new().create(true).append(true).open(path).ok()
});

/// Writes a line at once: the process may end in any way.
pub(crate) fn line(text: &str) {
    if let Some(mut file) = FILE.as_ref() {
        // A log that cannot be written is missed by the test that reads it.
        let _ = file.write_all(format!("{text}\n").as_bytes());
    }
}
