//! Ctrl-C while something long is under way: the first one asks it to stop, so that what was finished can be kept and said;
//! the second ends the program at once.

use pallas_engine::Cancel;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};

/// Listens until it is dropped.
pub(crate) struct Interrupt {
    handle: Option<Handle>,
}

impl Interrupt {
    /// Ctrl-C and SIGTERM set this flag. Where signals cannot be had they do what they always do.
    pub(crate) fn cancels(cancel: &Cancel) -> Interrupt {
        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return Interrupt { handle: None } };
        let handle = signals.handle();
        let cancel = cancel.clone();
        let listen = move || {
            for signal in signals.forever() {
                if cancel.is_cancelled() {
                    // Does not return; if it does, there is nothing left to try.
                    let _ = signal_hook::low_level::emulate_default_handler(signal);
                }
                cancel.cancel();
            }
        };
        match std::thread::Builder::new().name("signals".to_string()).spawn(listen) {
            Ok(_) => Interrupt { handle: Some(handle) },
            Err(_) => Interrupt { handle: None },
        }
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        if let Some(handle) = &self.handle {
            handle.close();
        }
    }
}
