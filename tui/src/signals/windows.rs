//! Windows has no signals: Ctrl-C is a key where the terminal is in use, and ends the program elsewhere, as closing its window
//! does.

use super::Signal;
use std::io;

impl Signal {
    /// Nothing is done by default that the program would have to do.
    pub(crate) fn act(self) -> bool {
        false
    }
}

/// Hears nothing.
pub(crate) struct Listener;

/// Nothing will be heard.
///
/// # Errors
/// None.
pub(crate) fn listen(
    _wanted: &'static [Signal],
    _hear: impl FnMut(Signal) -> bool + Send + 'static,
) -> io::Result<Listener> {
    Ok(Listener)
}
