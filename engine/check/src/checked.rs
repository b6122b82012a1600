//! A launch that is being checked, with what several rules ask for worked out once.

use crate::shadow::{self, Found, Leak};
use crate::waits;
use pallas_ir::{Finding, Launch};
use std::cell::OnceCell;
use std::ops::Deref;

/// A launch, and what was found out about it so far.
pub struct Checked<'a> {
    launch: &'a Launch,
    written: &'a Launch,
    found: OnceCell<Found>,
    waits: OnceCell<Vec<Finding>>,
}

impl<'a> Checked<'a> {
    /// `written` is the launch before reads of known scalars were resolved.
    pub(crate) fn new(launch: &'a Launch, written: &'a Launch) -> Self {
        Checked { launch, written, found: OnceCell::new(), waits: OnceCell::new() }
    }

    /// The launch as the program wrote it: reads of scalars are reads there, also where the scalars are known.
    pub(crate) fn as_written(&self) -> &'a Launch {
        self.written
    }

    /// What running it without data shows.
    pub(crate) fn found(&self) -> &Found {
        self.found.get_or_init(|| shadow::run(self.launch))
    }

    /// The garbage that its outputs hold.
    pub(crate) fn leaks(&self) -> &[Leak] {
        &self.found().leaks
    }

    /// Where its waits and signals do not fit.
    pub(crate) fn waits(&self) -> &[Finding] {
        self.waits.get_or_init(|| waits::findings(self.launch))
    }
}

impl Deref for Checked<'_> {
    type Target = Launch;

    fn deref(&self) -> &Launch {
        self.launch
    }
}
