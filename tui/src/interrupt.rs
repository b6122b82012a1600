//! Ctrl-C while something long is under way: the first one asks it to stop, so that what was finished can be kept and said;
//! the second ends the program at once.

use crate::signals::{Listener, Signal, listen};
use pallas_engine::Cancel;

/// Listens until it is dropped.
pub(crate) struct Interrupt {
    _listener: Option<Listener>,
}

impl Interrupt {
    /// Ctrl-C and SIGTERM set this flag. Where signals cannot be had they do what they always do.
    pub(crate) fn cancels(cancel: &Cancel) -> Interrupt {
        let cancel = cancel.clone();
        let hear = move |signal: Signal| {
            if cancel.is_cancelled() {
                // Does not return; if it does, there is nothing left to try.
                signal.act();
            }
            cancel.cancel();
            true
        };
        Interrupt { _listener: listen(&[Signal::Interrupt, Signal::Terminate], hear).ok() }
    }
}
