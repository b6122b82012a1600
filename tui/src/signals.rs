//! What the system asks of the program. Who listens hears it on a thread of its own; what is not listened to does what it always
//! does.

#[cfg_attr(unix, path = "signals/unix.rs")]
#[cfg_attr(windows, path = "signals/windows.rs")]
mod system;

pub(crate) use system::{Listener, listen};

/// What can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// Ctrl-C: to end.
    Interrupt,
    /// To end.
    Terminate,
    /// The terminal is gone.
    HangUp,
    /// Ctrl-Z: to stop until it is continued.
    Suspend,
    /// To go on.
    Continue,
}
