//! Signals of Unix.

use super::Signal;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use signal_hook::iterator::{Handle, Signals};
use std::io;

const NUMBERS: [(Signal, i32); 5] = [
    (Signal::Interrupt, SIGINT),
    (Signal::Terminate, SIGTERM),
    (Signal::HangUp, SIGHUP),
    (Signal::Suspend, SIGTSTP),
    (Signal::Continue, SIGCONT),
];

impl Signal {
    /// Does what the signal does where nobody listens; whether it could.
    pub(crate) fn act(self) -> bool {
        let number = NUMBERS.iter().find(|(signal, _)| *signal == self);
        number.is_some_and(|(_, number)| signal_hook::low_level::emulate_default_handler(*number).is_ok())
    }
}

/// Listens until it is dropped.
pub(crate) struct Listener(Handle);

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Hands these signals to `hear`, until it wants no more.
///
/// # Errors
/// The system refuses.
pub(crate) fn listen(
    wanted: &'static [Signal],
    mut hear: impl FnMut(Signal) -> bool + Send + 'static,
) -> io::Result<Listener> {
    let wanted = || NUMBERS.iter().filter(|(signal, _)| wanted.contains(signal));
    let mut signals = Signals::new(wanted().map(|(_, number)| number))?;
    let handle = signals.handle();
    let listen = move || {
        for number in signals.forever() {
            let signal = NUMBERS.iter().find(|(_, one)| *one == number);
            if signal.is_some_and(|(signal, _)| !hear(*signal)) {
                return;
            }
        }
    };
    std::thread::Builder::new().name("signals".to_string()).spawn(listen)?;
    Ok(Listener(handle))
}
