//! Lanes and events as they are told, and the order in which they are.

use pallas_ir::function::Location;
use std::sync::Arc;

/// What a machine takes, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pace {
    /// What each op of the kernel takes whoever does it, by number.
    pub ops: Vec<f64>,
    /// What a copy takes at least.
    pub latency: f64,
    /// What a byte of a copy takes on the path of one block or device to main memory.
    pub byte: f64,
    /// What a copy or a signal to another device takes at least.
    pub link_latency: f64,
    /// What a byte of such a copy takes on the link to that device.
    pub link_byte: f64,
}

/// Who does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LaneKind {
    /// A thread of a block (a warpgroup), or a warp of it.
    Thread,
    /// A core of a TPU.
    Core,
    /// The engine that copies for a block or core.
    Copies,
    /// The tensor cores of a block.
    Products,
    /// The link from a device to another.
    Link,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneStage {
    /// A thread or core computes.
    Compute,
    /// Something is on its way from main memory.
    CopyIn,
    /// Something is on its way to main memory.
    CopyOut,
    /// Something is on its way to another device.
    Send,
    /// A product.
    Product,
    /// A thread or core waits.
    Wait,
}

/// One that does things one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedLane {
    /// `thread 1 of block (0, 2)`, `copies of device 2`.
    pub name: String,
    /// What it is.
    pub kind: LaneKind,
}

/// What ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneCause {
    /// Who, by position among the lanes.
    pub lane: usize,
    /// The copy or product, by position among the events; none where somebody arrived or signalled.
    pub event: Option<usize>,
}

/// Something that takes time.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedEvent {
    /// Who, by position among the lanes.
    pub lane: usize,
    /// What.
    pub stage: LaneStage,
    /// The thread or core that started it, by position among the lanes; who waits or computes itself.
    pub agent: usize,
    /// The barrier or semaphore that is waited for or arrived at; empty where there is none.
    pub name: Arc<str>,
    /// The Ref that is copied or multiplied; empty where there is none.
    pub buffer: Arc<str>,
    /// The slot of that Ref, or which of several barriers or semaphores.
    pub slot: Option<usize>,
    /// The phase of the barrier, from 1.
    pub phase: Option<u64>,
    /// What ended a wait.
    pub ended_by: Option<LaneCause>,
    /// Where in the source it was started.
    pub location: Location,
    /// Begin in nanoseconds.
    pub start: f64,
    /// End in nanoseconds.
    pub end: f64,
    /// Bytes that are copied.
    pub bytes: u64,
}

/// What those that run at the same time do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimedLanes {
    /// Who: threads or cores with their engines.
    pub lanes: Vec<TimedLane>,
    /// What, each lane's in order.
    pub events: Vec<TimedEvent>,
    /// When all is done, in nanoseconds.
    pub time: f64,
    /// Whether the events are all there are.
    pub complete: bool,
    /// Whether what arrays hold decides what is done: it is zero here.
    pub steered: bool,
}

/// A lane, and the block or core that it belongs to.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) lane: TimedLane,
    pub(super) owner: usize,
}

/// Lanes of one owner together, events of a lane in their order; what names them by position is kept right.
pub(super) fn sorted(lanes: Vec<Known>, events: Vec<TimedEvent>) -> (Vec<TimedLane>, Vec<TimedEvent>) {
    let mut order: Vec<usize> = (0..lanes.len()).collect();
    order.sort_by_key(|&at| (lanes[at].owner, lanes[at].lane.kind));
    let lane_at = inverse(&order);
    let mut by_time: Vec<usize> = (0..events.len()).collect();
    let key = |at: usize| (lane_at[events[at].lane], events[at].start, events[at].end);
    by_time.sort_by(|&one, &other| {
        let (one, other) = (key(one), key(other));
        one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(one.2.total_cmp(&other.2))
    });
    let event_at = inverse(&by_time);
    let moved = |event: &TimedEvent| TimedEvent {
        lane: lane_at[event.lane],
        agent: lane_at[event.agent],
        ended_by: event
            .ended_by
            .map(|cause| LaneCause { lane: lane_at[cause.lane], event: cause.event.map(|event| event_at[event]) }),
        ..event.clone()
    };
    let mut named: Vec<Option<TimedLane>> = lanes.into_iter().map(|known| Some(known.lane)).collect();
    let lanes = order.iter().filter_map(|&at| named[at].take()).collect();
    (lanes, by_time.iter().map(|&at| moved(&events[at])).collect())
}

/// Where each position has gone.
fn inverse(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    for (now, &then) in order.iter().enumerate() {
        places[then] = now;
    }
    places
}
