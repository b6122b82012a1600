//! Lanes of a GPU kernel: what threads, copies and tensor cores of the first blocks would do on the machine, and who waits for
//! whom; or what the multiprocessors of a device did. The one is modelled, the other measured, and they are never in one list.

use crate::place::Place;
use serde::{Deserialize, Serialize};

/// What the blocks that run at the same time do. Times are in nanoseconds from their begin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lanes {
    /// Who, in the order in which they first did something.
    pub lanes: Vec<Lane>,
    /// What, each lane's in order.
    pub events: Vec<LaneEvent>,
    /// When all is done.
    pub time: f64,
    /// Whether the events are all there are.
    pub complete: bool,
}

/// One that does things one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// `thread 1 of block (0, 2)`
    pub name: String,
    /// `thread`, `copies` or `products`; `multiprocessor` where a device was measured.
    pub kind: String,
}

/// Something that takes time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaneEvent {
    /// Who, by position in [`Lanes::lanes`].
    pub lane: usize,
    /// `compute`, `copy_in`, `copy_out`, `product` or `wait`.
    pub stage: String,
    /// The barrier that is waited for or arrived at; empty where there is none.
    pub name: String,
    /// Begin.
    pub start: f64,
    /// End.
    pub end: f64,
    /// Bytes that are copied.
    pub bytes: u64,
    /// Where it was started.
    pub place: Option<Place>,
}

impl Lanes {
    /// What a lane is busy with or waits for, in nanoseconds: (doing something, waiting).
    pub fn busy(&self, lane: usize) -> (f64, f64) {
        let mut sums = (0.0, 0.0);
        for event in self.events.iter().filter(|event| event.lane == lane) {
            match event.stage == "wait" {
                true => sums.1 += event.end - event.start,
                false => sums.0 += event.end - event.start,
            }
        }
        sums
    }
}
