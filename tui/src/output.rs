//! Writing to the terminal or a pipe. A reader that went away (`| head`) has made a choice, and nothing is said of it; anything else
//! that keeps standard output from being written loses what was asked for: it is said once, and the program fails.

use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether something of standard output was lost.
static LOST: AtomicBool = AtomicBool::new(false);

/// Writes to standard output.
pub(crate) fn stdout(text: &str) {
    let mut out = io::stdout().lock();
    let result = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    drop(out);
    arrived(result);
}

/// Takes note of how a write to standard output went: whether somebody still takes what is written.
pub(crate) fn arrived(result: io::Result<()>) -> bool {
    let Err(why) = result else { return true };
    if why.kind() != ErrorKind::BrokenPipe && !LOST.swap(true, Ordering::SeqCst) {
        error(&format!("standard output cannot be written: {why}"));
    }
    false
}

/// Whether standard output misses something that a reader waits for.
pub(crate) fn is_lost() -> bool {
    LOST.load(Ordering::SeqCst)
}

/// Writes to standard error.
pub(crate) fn stderr(text: &str) {
    let mut err = io::stderr().lock();
    // There is nobody to tell.
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// Writes `pallas-tui: message` to standard error.
pub(crate) fn error(message: &str) {
    stderr(&format!("pallas-tui: {message}\n"));
}
