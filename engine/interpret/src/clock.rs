//! Where the time of a program goes, on the caller's clock: its copies one by one, and the kernel place by place. Without a
//! clock nothing is asked for and nothing is kept.

use crate::hooks::{CopyTimes, Hooks};

/// The copies of a program as they are made, each from the tick before it to its own.
#[derive(Debug, Default)]
pub(crate) struct CopyClock {
    /// The last tick; `None` without a clock.
    last: Option<u64>,
    pub(crate) copies: Vec<CopyTimes>,
}

impl CopyClock {
    /// Begins at a tick.
    pub(crate) fn begin(&mut self, tick: Option<u64>) {
        self.last = tick;
        self.copies.clear();
    }

    /// Whether there is a clock.
    pub(crate) fn runs(&self) -> bool {
        self.last.is_some()
    }

    /// A copy is done.
    pub(crate) fn copied(&mut self, operand: usize, out: bool, hooks: &mut dyn Hooks) {
        if let (Some(start), Some(end)) = (self.last, hooks.now()) {
            self.copies.push(CopyTimes { operand, out, start, end });
            self.last = Some(end);
        }
    }
}

/// The kernel's time by place: at each op the time since the last one is the last one's.
#[derive(Debug)]
pub(crate) struct PlaceClock {
    last: u64,
    place: usize,
    pub(crate) ticks: Vec<u64>,
}

impl PlaceClock {
    /// Begins at a tick, for so many places.
    pub(crate) fn new(tick: u64, places: usize) -> PlaceClock {
        PlaceClock { last: tick, place: 0, ticks: vec![0; places] }
    }

    /// An op at a place begins.
    pub(crate) fn enter(&mut self, place: usize, tick: u64) {
        if let Some(sum) = self.ticks.get_mut(self.place) {
            *sum += tick.saturating_sub(self.last);
        }
        (self.last, self.place) = (tick, place);
    }
}
