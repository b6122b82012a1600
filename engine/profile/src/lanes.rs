//! Lanes of a kernel: what threads, copies and tensor cores of the first blocks of a GPU would do on the machine, or devices, cores and
//! links of TPUs, and who waits for whom; or what the multiprocessors of a device did. The one is modelled, the other measured, and they are never in one list.

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
    /// `thread`, `core`, `copies`, `products` or `link`; `multiprocessor` where a device was measured.
    pub kind: String,
}

/// What ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneCause {
    /// Who, by position in [`Lanes::lanes`].
    pub lane: usize,
    /// The copy or product, by position in [`Lanes::events`]; none where somebody arrived or signalled.
    pub event: Option<usize>,
}

/// Something that takes time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaneEvent {
    /// Who, by position in [`Lanes::lanes`].
    pub lane: usize,
    /// `compute`, `copy_in`, `copy_out`, `send`, `product` or `wait`.
    pub stage: String,
    /// The thread or core that started it, by position in [`Lanes::lanes`]; who computes or waits itself.
    #[serde(default)]
    pub agent: usize,
    /// The barrier or semaphore that is waited for or arrived at; empty where there is none.
    pub name: String,
    /// The Ref that is copied or multiplied; empty where there is none.
    #[serde(default)]
    pub buffer: String,
    /// The slot of that Ref, or which of several barriers or semaphores is waited for.
    #[serde(default)]
    pub slot: Option<usize>,
    /// The phase of the barrier, from 1.
    #[serde(default)]
    pub phase: Option<u64>,
    /// What ended a wait.
    #[serde(default)]
    pub ended_by: Option<LaneCause>,
    /// Begin.
    pub start: f64,
    /// End.
    pub end: f64,
    /// Bytes that are copied.
    pub bytes: u64,
    /// Where it was started.
    pub place: Option<Place>,
}

impl LaneEvent {
    /// What it is about, without its stage: `x_smem[1]`, `full[1], phase 3`.
    pub fn subject(&self) -> String {
        let slot = self.slot.map_or(String::new(), |slot| format!("[{slot}]"));
        let phase = self.phase.map_or(String::new(), |phase| format!(", phase {phase}"));
        match (self.stage.as_str(), self.buffer.as_str()) {
            ("wait", "") | (_, "") if self.name.is_empty() => String::new(),
            ("wait", "") => format!("{}{slot}{phase}", self.name),
            (_, "") => self.name.clone(),
            (_, buffer) => format!("{buffer}{slot}"),
        }
    }
}

impl Lanes {
    /// The block or device that all lanes belong to, where it is one: `block (0, 2)`.
    pub fn owner(&self) -> Option<&str> {
        let owner = |lane: &Lane| lane.name.split_once(" of ").map(|(_, owner)| owner.to_string());
        let mut threads = self.lanes.iter().filter(|lane| lane.kind == "thread");
        let first = threads.next()?;
        let own = owner(first)?;
        let is_common = threads.all(|lane| owner(lane).as_deref() == Some(&own));
        first.name.split_once(" of ").map(|(_, owner)| owner).filter(|_| is_common)
    }

    /// A text about these lanes, without the owner that all of them have.
    pub fn short(&self, text: &str) -> String {
        match self.owner() {
            Some(owner) => text.replace(&format!(" of {owner}"), ""),
            None => text.to_string(),
        }
    }

    /// The longest wait of a lane.
    pub fn longest_wait(&self, lane: usize) -> Option<&LaneEvent> {
        let waits = self.events.iter().filter(|event| event.lane == lane && event.stage == "wait");
        waits.max_by(|one, other| (one.end - one.start).total_cmp(&(other.end - other.start)))
    }

    /// Whose lanes these are: `devices`, `cores`, `the kernel`, `first blocks`, `block (0, 0)` where that is the only one.
    pub fn of_whom(&self) -> &str {
        let mut cores = self.lanes.iter().filter(|lane| lane.kind == "core");
        match (cores.next(), cores.next()) {
            // A grid of one block has no name for it.
            (None, _) if self.lanes.iter().all(|lane| lane.kind != "thread" || !lane.name.contains(" of ")) => {
                "the kernel"
            }
            (None, _) => self.owner().unwrap_or("first blocks"),
            (Some(_), None) => "the kernel",
            (Some(first), _) if first.name.contains("device") => "devices",
            (Some(_), Some(_)) => "cores",
        }
    }

    /// What ended a wait, in words: `the copy of x_smem[1] by thread 1`.
    pub fn cause(&self, event: &LaneEvent) -> Option<String> {
        let cause = event.ended_by?;
        let who = &self.lanes.get(cause.lane)?.name;
        let Some(ended) = cause.event.and_then(|at| self.events.get(at)) else { return Some(who.clone()) };
        let what = match ended.stage.as_str() {
            "product" => "the product",
            "send" => "what was sent",
            _ => "the copy",
        };
        let subject = match ended.subject() {
            subject if subject.is_empty() => String::new(),
            subject => format!(" of {subject}"),
        };
        let by = match self.lanes.get(ended.agent) {
            Some(agent) if ended.agent != event.lane => format!(" by {}", agent.name),
            _ => String::new(),
        };
        Some(format!("{what}{subject}{by}"))
    }

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
