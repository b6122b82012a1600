//! Virtual time: when threads, copies and products would do what they do, on a machine that takes so long for each. Who runs
//! has a clock; copies of a block share one path to main memory, products its tensor cores; barriers, semaphores and
//! groups of copies hand times on. What is computed is of no interest here.

use super::engines::{Lane as Queue, Task, Work};
use crate::semaphores::Place;
use pallas_ir::OpId;
use pallas_ir::function::Location;
use std::collections::HashMap;

/// What a machine takes, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pace {
    /// What each op of the kernel takes whoever does it, by number.
    pub ops: Vec<f64>,
    /// What a copy takes at least.
    pub latency: f64,
    /// What a byte of a copy takes on the path of one block to main memory.
    pub byte: f64,
}

/// Who does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LaneKind {
    /// A thread of a block (a warpgroup), or a warp of it.
    Thread,
    /// The engine that copies for a block.
    Copies,
    /// The tensor cores of a block.
    Products,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneStage {
    /// A thread computes.
    Compute,
    /// A block is on its way into shared memory.
    CopyIn,
    /// A block is on its way out.
    CopyOut,
    /// A product.
    Product,
    /// A thread waits.
    Wait,
}

/// One that does things one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedLane {
    /// `thread 1 of block (0, 2)`, `copies of block (0, 2)`.
    pub name: String,
    /// What it is.
    pub kind: LaneKind,
}

/// Something that takes time.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedEvent {
    /// Who, by position among the lanes.
    pub lane: usize,
    /// What.
    pub stage: LaneStage,
    /// The barrier that is waited for or arrived at; empty where there is none.
    pub name: String,
    /// Where in the source it was started.
    pub location: Location,
    /// Begin in nanoseconds.
    pub start: f64,
    /// End in nanoseconds.
    pub end: f64,
    /// Bytes that are copied.
    pub bytes: u64,
}

/// What the blocks that run at the same time do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimedLanes {
    /// Who.
    pub lanes: Vec<TimedLane>,
    /// What, each lane's in order.
    pub events: Vec<TimedEvent>,
    /// When all is done, in nanoseconds.
    pub time: f64,
    /// Whether the events are all there are.
    pub complete: bool,
}

/// Events that are kept.
const MOST: usize = 8192;

/// An agent's clock.
#[derive(Debug, Default)]
struct Clock {
    now: f64,
    lane: usize,
    /// Where and when it began to compute.
    open: Option<(f64, u32)>,
    /// Its groups of copies out: when each has been read, and written.
    groups: Vec<(usize, f64, f64)>,
    /// Its products into registers: when each is done.
    products: Vec<f64>,
    /// When all is done that it told tensor cores.
    tensor: f64,
}

#[derive(Debug, Default)]
struct Phase {
    gathered: f64,
    complete: f64,
}

/// The clocks of agents that run at the same time.
#[derive(Debug)]
pub(super) struct Times {
    pace: Pace,
    agents: Vec<Clock>,
    lanes: Vec<TimedLane>,
    ends: Vec<f64>,
    numbers: HashMap<(usize, LaneKind, usize), usize>,
    /// Until when a block's path to memory is taken, and its tensor cores.
    paths: HashMap<usize, f64>,
    cores: HashMap<usize, f64>,
    phases: HashMap<Place, Phase>,
    signals: HashMap<Place, f64>,
    events: Vec<(TimedEvent, u32)>,
    complete: bool,
    /// When what happens now happens.
    now: f64,
    /// The step that is being run.
    here: u32,
}

impl Times {
    pub(super) fn new(pace: Pace) -> Times {
        Times {
            pace,
            agents: Vec::new(),
            lanes: Vec::new(),
            ends: Vec::new(),
            numbers: HashMap::new(),
            paths: HashMap::new(),
            cores: HashMap::new(),
            phases: HashMap::new(),
            signals: HashMap::new(),
            events: Vec::new(),
            complete: true,
            now: 0.0,
            here: 0,
        }
    }

    /// An agent begins, at the time of the one that started it.
    pub(super) fn begin(&mut self, agent: usize, name: &str, parent: Option<usize>) {
        let now = parent.map_or(0.0, |parent| self.agents[parent].now);
        let known = self.lanes.iter().position(|lane| lane.name == name);
        let lane = known.unwrap_or_else(|| {
            self.lanes.push(TimedLane { name: name.to_string(), kind: LaneKind::Thread });
            self.ends.push(0.0);
            self.lanes.len() - 1
        });
        if self.agents.len() <= agent {
            self.agents.resize_with(agent + 1, Clock::default);
        }
        self.agents[agent] = Clock { now, lane, ..Clock::default() };
    }

    /// An agent has ended; who waited for it goes on then.
    pub(super) fn end(&mut self, agent: usize, parent: Option<usize>) {
        self.flush(agent);
        if let Some(parent) = parent {
            let now = self.agents[agent].now;
            self.wait_until(parent, now, "its warps");
        }
    }

    /// Whose turn it is: who has got least far.
    pub(super) fn clock(&self, agent: usize) -> f64 {
        self.agents.get(agent).map_or(0.0, |clock| clock.now)
    }

    /// An agent does something.
    pub(super) fn turn_of(&mut self, agent: usize, location: u32) {
        self.now = self.clock(agent);
        self.here = location;
    }

    /// An agent computes.
    pub(super) fn compute(&mut self, agent: usize, op: OpId, location: u32) {
        let takes = self.pace.ops.get(op.0 as usize).copied().unwrap_or(0.0);
        let clock = &mut self.agents[agent];
        if takes > 0.0 {
            clock.open.get_or_insert((clock.now, location));
            clock.now += takes;
        }
    }

    /// What an agent has computed until now is an event.
    fn flush(&mut self, agent: usize) {
        let clock = &mut self.agents[agent];
        if let Some((start, location)) = clock.open.take() {
            let (lane, end) = (clock.lane, clock.now);
            self.event(lane, LaneStage::Compute, "", location, (start, end), 0);
        }
    }

    fn event(
        &mut self,
        lane: usize,
        stage: LaneStage,
        name: &str,
        location: u32,
        (start, end): (f64, f64),
        bytes: u64,
    ) {
        self.ends[lane] = self.ends[lane].max(end);
        if self.events.len() >= MOST {
            self.complete = false;
            return;
        }
        let event =
            TimedEvent { lane, stage, name: name.to_string(), location: Location::default(), start, end, bytes };
        self.events.push((event, location));
    }

    /// The lane of an engine that is free at a time: copies that are under way at the same time have lanes of their own.
    fn engine(&mut self, block: usize, kind: LaneKind, start: f64) -> usize {
        for which in 0.. {
            let known = self.numbers.get(&(block, kind, which)).copied();
            match known {
                Some(lane) if self.ends[lane] > start => {}
                Some(lane) => return lane,
                None => {
                    let what = if kind == LaneKind::Copies { "copies" } else { "tensor cores" };
                    let name = match which {
                        0 => format!("{what} of block {block}"),
                        _ => format!("{what} of block {block} ({})", which + 1),
                    };
                    self.lanes.push(TimedLane { name, kind });
                    self.ends.push(0.0);
                    let lane = self.lanes.len() - 1;
                    self.numbers.insert((block, kind, which), lane);
                    return lane;
                }
            }
        }
        0
    }

    /// An engine is told to do something; when it is done is what is arrived at then.
    pub(super) fn start(&mut self, task: &Task, bytes: u64) {
        let (agent, block) = (task.agent, task.block);
        self.flush(agent);
        let now = self.agents[agent].now;
        let done = match &task.work {
            Work::In { .. } | Work::Out { .. } | Work::Store { .. } => {
                let begin = self.paths.get(&block).copied().unwrap_or(0.0).max(now);
                let read = begin + bytes as f64 * self.pace.byte;
                let done = read + self.pace.latency;
                self.paths.insert(block, read);
                let stage = if matches!(task.work, Work::In { .. }) { LaneStage::CopyIn } else { LaneStage::CopyOut };
                let lane = self.engine(block, LaneKind::Copies, begin);
                self.event(lane, stage, &task.name, task.location, (begin, done), bytes);
                if let Queue::Group(group) = task.lane {
                    self.agents[agent].groups.push((group, read, done));
                }
                done
            }
            Work::Product { .. } | Work::Mma { .. } => {
                let begin = self.cores.get(&block).copied().unwrap_or(0.0).max(now);
                let done = begin + self.pace.ops.get(task.op.0 as usize).copied().unwrap_or(0.0);
                self.cores.insert(block, done);
                let lane = self.engine(block, LaneKind::Products, begin);
                self.event(lane, LaneStage::Product, &task.name, task.location, (begin, done), 0);
                let clock = &mut self.agents[agent];
                match task.work {
                    Work::Product { .. } => clock.products.push(done),
                    _ => clock.tensor = clock.tensor.max(done),
                }
                done
            }
            Work::ToTensor { .. } => now,
            Work::Arrive { .. } => self.agents[agent].tensor.max(now),
        };
        self.now = done;
    }

    /// Somebody arrives at a barrier.
    pub(super) fn arrive(&mut self, place: Place, completes: bool) {
        let now = self.now;
        let phase = self.phases.entry(place).or_default();
        phase.gathered = phase.gathered.max(now);
        if completes {
            phase.complete = phase.gathered;
        }
    }

    /// An agent has waited for a phase of a barrier.
    pub(super) fn met(&mut self, agent: usize, place: Place, name: &str) {
        let complete = self.phases.get(&place).map_or(0.0, |phase| phase.complete);
        self.wait_until(agent, complete, name);
    }

    /// An agent signals a semaphore.
    pub(super) fn signal(&mut self, agent: usize, place: Place) {
        let now = self.clock(agent);
        let signal = self.signals.entry(place).or_default();
        *signal = signal.max(now);
    }

    /// An agent has waited for a semaphore.
    pub(super) fn waited(&mut self, agent: usize, place: Place, name: &str) {
        let time = self.signals.get(&place).copied().unwrap_or(0.0);
        self.wait_until(agent, time, name);
    }

    /// An agent waits for its groups of copies before one.
    pub(super) fn drain(&mut self, agent: usize, first: usize, read_only: bool) {
        let groups = std::mem::take(&mut self.agents[agent].groups);
        let (over, left): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(group, ..)| *group < first);
        let time = over.iter().map(|&(_, read, written)| if read_only { read } else { written }).fold(0.0, f64::max);
        // Those that have been read are still being written.
        let written = over.into_iter().filter(|_| read_only).map(|(group, _, written)| (group, 0.0, written));
        self.agents[agent].groups = left.into_iter().chain(written).collect();
        self.wait_until(agent, time, "copies out");
    }

    /// An agent waits until at most so many of its products are under way.
    pub(super) fn wait_products(&mut self, agent: usize, left: usize) {
        let products = &mut self.agents[agent].products;
        let over = products.len().saturating_sub(left);
        let time = products.drain(..over).fold(0.0, f64::max);
        self.wait_until(agent, time, "products");
    }

    fn wait_until(&mut self, agent: usize, time: f64, name: &str) {
        self.flush(agent);
        let clock = &mut self.agents[agent];
        if time > clock.now {
            let (lane, start) = (clock.lane, clock.now);
            clock.now = time;
            self.event(lane, LaneStage::Wait, name, self.here, (start, time), 0);
        }
    }

    /// All that was done, with its places.
    pub(super) fn finish(mut self, locations: &[Location], ended: bool) -> TimedLanes {
        (0..self.agents.len()).for_each(|agent| self.flush(agent));
        let time = self.ends.iter().copied().fold(0.0, f64::max);
        let mut events: Vec<TimedEvent> = self
            .events
            .into_iter()
            .map(|(event, location)| {
                let location = locations.get(location as usize).cloned().unwrap_or_default();
                TimedEvent { location, ..event }
            })
            .collect();
        events.sort_by(|one, other| one.lane.cmp(&other.lane).then(one.start.total_cmp(&other.start)));
        TimedLanes { lanes: self.lanes, events, time, complete: self.complete && ended }
    }
}
