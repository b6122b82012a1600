//! Windows has one signal that matters here: Ctrl-C, outside of the terminal program, to which it is a key. Closing the window ends
//! the program, and there is no time to do anything about it.

use super::Signal;
use signal_hook::consts::SIGINT;
use signal_hook::{SigId, flag, low_level};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often it is looked whether there was one: nothing waits for a flag.
const LOOK: Duration = Duration::from_millis(30);

/// The status that Windows gives a program that Ctrl-C has ended.
const CONTROL_C: i32 = 0xc000_013a_u32.cast_signed();

impl Signal {
    /// Does what the signal does where nobody listens; whether it could.
    pub(crate) fn act(self) -> bool {
        match self {
            Signal::Interrupt => std::process::exit(CONTROL_C),
            Signal::Terminate | Signal::HangUp | Signal::Suspend | Signal::Continue => false,
        }
    }
}

/// Listens until it is dropped.
pub(crate) struct Listener {
    over: Arc<AtomicBool>,
    registered: Option<SigId>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        self.registered.map(low_level::unregister);
    }
}

/// Hands Ctrl-C to `hear`, until it wants no more.
///
/// # Errors
/// The system refuses.
pub(crate) fn listen(
    wanted: &'static [Signal],
    mut hear: impl FnMut(Signal) -> bool + Send + 'static,
) -> io::Result<Listener> {
    let over = Arc::new(AtomicBool::new(false));
    if !wanted.contains(&Signal::Interrupt) {
        return Ok(Listener { over, registered: None });
    }
    let pressed = Arc::new(AtomicBool::new(false));
    let registered = Some(flag::register(SIGINT, pressed.clone())?);
    let ended = over.clone();
    let listen = move || {
        while !ended.load(Ordering::SeqCst) {
            if pressed.swap(false, Ordering::SeqCst) && !hear(Signal::Interrupt) {
                return;
            }
            std::thread::sleep(LOOK);
        }
    };
    std::thread::Builder::new().name("signals".to_string()).spawn(listen)?;
    Ok(Listener { over, registered })
}
