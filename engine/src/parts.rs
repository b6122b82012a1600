//! Which parts of a session (tests of several) findings belong to: those that ran the launch, or in which it was found.

use crate::host::Console;
use pallas_ir::{Finding, Launch};
use pallas_syntax::Span;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// Launches of one place that are told apart in one part. Of a loop whose launches all differ, the rest belongs to them.
const MOST: usize = 8;

/// What has run and was found in each part, where the console knows of parts ([`Console::part`]).
pub(crate) struct Parts {
    console: Rc<RefCell<Box<dyn Console>>>,
    ran: RefCell<Vec<(u32, Arc<Launch>)>>,
    found: RefCell<BTreeSet<(u32, &'static str, Span)>>,
}

impl Parts {
    pub(crate) fn new(console: Rc<RefCell<Box<dyn Console>>>) -> Parts {
        Parts { console, ran: RefCell::default(), found: RefCell::default() }
    }

    fn now(&self) -> Option<u32> {
        self.console.try_borrow().ok()?.part()
    }

    /// A launch runs.
    pub(crate) fn runs(&self, launch: &Launch) {
        let Some(part) = self.now() else { return };
        let mut ran = self.ran.borrow_mut();
        // The part that runs is at the end.
        let here = ran.iter().rev().take_while(|(of, _)| *of == part).map(|(_, known)| known);
        let same: Vec<_> = here.filter(|known| known.spans.apply == launch.spans.apply).take(MOST).collect();
        if same.len() < MOST && !same.iter().any(|known| ***known == *launch) {
            ran.push((part, Arc::new(launch.clone())));
        }
    }

    /// Something was found, for the first time or again.
    pub(crate) fn finds(&self, finding: &Finding) {
        if let Some(part) = self.now() {
            self.found.borrow_mut().insert((part, finding.code, finding.span));
        }
    }

    /// The parts in which something was found while it ran.
    pub(crate) fn of_finding(&self, finding: &Finding) -> Vec<u32> {
        let found = self.found.borrow();
        let same = found.iter().filter(|(_, code, span)| (*code, *span) == (finding.code, finding.span));
        same.map(|(part, ..)| *part).collect()
    }

    /// The parts that ran a launch. Transformations change a launch on its way: where no part ran it as it is, those that ran one from
    /// its place.
    pub(crate) fn of_launch(&self, launch: &Launch) -> Vec<u32> {
        let ran = self.ran.borrow();
        let there: Vec<_> = ran.iter().filter(|(_, known)| known.spans.apply == launch.spans.apply).collect();
        let same: BTreeSet<u32> = there.iter().filter(|(_, known)| **known == *launch).map(|(part, _)| *part).collect();
        let parts = if same.is_empty() { there.into_iter().map(|(part, _)| *part).collect() } else { same };
        parts.into_iter().collect()
    }
}
