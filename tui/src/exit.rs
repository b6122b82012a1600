//! Exit codes: 0 fine, 1 findings, 2 usage or internal error. `run` exits as the file does.

use std::process::ExitCode;

/// What shells say of a program that Ctrl-C has ended.
pub(crate) const INTERRUPTED: i32 = 130;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Nothing to complain about.
    Success,
    /// Findings of severity error or warning.
    Findings,
    /// What was asked cannot be done.
    Usage,
    /// The exit status of the file that was run.
    Program(i32),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Success => ExitCode::SUCCESS,
            Exit::Findings => ExitCode::from(1),
            Exit::Usage => ExitCode::from(2),
            // The system keeps the low byte, as it does for Python.
            Exit::Program(status) => ExitCode::from((status & 0xff) as u8),
        }
    }
}
