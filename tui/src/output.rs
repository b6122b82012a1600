//! Writing to the terminal or a pipe. A reader that went away is no error.

use std::io::Write;

/// Writes to standard output.
pub(crate) fn stdout(text: &str) {
    let mut out = std::io::stdout().lock();
    // A closed pipe (`| head`) is the reader's choice, not a failure.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Writes to standard error.
pub(crate) fn stderr(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// Writes `pallas-tui: message` to standard error.
pub(crate) fn error(message: &str) {
    stderr(&format!("pallas-tui: {message}\n"));
}
