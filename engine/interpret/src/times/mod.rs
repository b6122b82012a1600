//! Virtual time: when threads, cores, copies and products would do what they do, on a machine that takes so long for each. Who
//! runs has a clock; copies share paths to main memory and links between devices, products the tensor cores of a block;
//! barriers, semaphores and groups of copies hand times on. What is computed is of no interest here.
//!
//! Here are the clocks of agents and what comes of it all; engines are in `engines`, barriers and semaphores in `meet`, what
//! lanes and events are called outside in `lanes`.

mod engines;
mod lanes;
mod meet;
mod watched;

pub(crate) use engines::Copying;
pub use lanes::{LaneCause, LaneKind, LaneStage, Pace, TimedEvent, TimedLane, TimedLanes};

use crate::semaphores::Place;
use lanes::Known;
use meet::{Count, Phase};
use pallas_ir::OpId;
use pallas_ir::function::Location;
use std::collections::HashMap;
use std::sync::Arc;

/// Events that are kept.
const MOST: usize = 8192;

/// When something happens, and what made it happen then.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moment {
    pub(crate) time: f64,
    pub(crate) cause: Option<LaneCause>,
}

impl Moment {
    pub(crate) fn or_later(self, other: Moment) -> Moment {
        if other.time > self.time { other } else { self }
    }
}

/// What an event is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    /// The barrier or semaphore that is waited for, arrived at or counted by; empty where there is none.
    pub(crate) name: Arc<str>,
    /// The Ref that is copied into, out of, or multiplied.
    pub(crate) buffer: Arc<str>,
    /// Which of its slots, or which of several barriers.
    pub(crate) slot: Option<usize>,
    /// The phase of the barrier, from 1.
    pub(crate) phase: Option<u64>,
    pub(crate) location: u32,
}

impl About {
    /// The same of a copy between these Refs.
    pub(crate) fn of(self, copied: About) -> About {
        About { buffer: copied.buffer, slot: copied.slot, ..self }
    }
}

/// An agent that begins.
#[derive(Debug)]
pub(crate) struct Newcomer {
    pub(crate) name: String,
    pub(crate) kind: LaneKind,
    /// Whose memory and engines it uses: its block or core, by number and by name.
    pub(crate) owner: usize,
    pub(crate) owned: String,
    /// Which path to main memory it uses.
    pub(crate) path: usize,
}

/// An agent's clock.
#[derive(Debug, Default)]
struct Clock {
    now: f64,
    lane: usize,
    /// Whose memory and engines it uses: its block or core, by number.
    owner: usize,
    /// Which path to main memory it uses.
    path: usize,
    /// Where and when it began to compute.
    open: Option<(f64, u32)>,
    /// Since when it waits for something that is known to happen at the time that its clock shows.
    asleep: Option<f64>,
    /// Its groups of copies out: when each has been read, and written.
    groups: Vec<(usize, Moment, Moment)>,
    /// Its products into registers: when each is done.
    products: Vec<Moment>,
    /// When all is done that it told tensor cores.
    tensor: Moment,
    /// When the program before the running one began, and when blocks of outputs have left, by operand.
    began: f64,
    leaving: HashMap<usize, Vec<Moment>>,
}

/// The clocks of agents that run at the same time.
#[derive(Debug)]
pub(crate) struct Times {
    pace: Pace,
    agents: Vec<Clock>,
    lanes: Vec<Known>,
    ends: Vec<f64>,
    numbers: HashMap<(usize, LaneKind, usize), usize>,
    /// What owners are called.
    owners: HashMap<usize, String>,
    /// Until when a path to memory is taken, a link between two devices, the tensor cores of a block.
    paths: HashMap<usize, f64>,
    links: HashMap<(usize, usize), f64>,
    cores: HashMap<usize, f64>,
    phases: HashMap<Place, Phase>,
    counts: HashMap<Place, Count>,
    /// What buffers are called, and whether they are in main memory.
    buffers: HashMap<usize, (Arc<str>, bool)>,
    events: Vec<TimedEvent>,
    places: Vec<u32>,
    complete: bool,
    /// Whose turn it is, where it is, and when what happens now happens.
    who: usize,
    here: u32,
    now: Moment,
}

impl Times {
    pub(crate) fn new(pace: Pace) -> Times {
        Times {
            pace,
            agents: Vec::new(),
            lanes: Vec::new(),
            ends: Vec::new(),
            numbers: HashMap::new(),
            owners: HashMap::new(),
            paths: HashMap::new(),
            links: HashMap::new(),
            cores: HashMap::new(),
            phases: HashMap::new(),
            counts: HashMap::new(),
            buffers: HashMap::new(),
            events: Vec::new(),
            places: Vec::new(),
            complete: true,
            who: 0,
            here: 0,
            now: Moment::default(),
        }
    }

    /// An agent begins, at the time of the one that started it.
    pub(crate) fn begin(&mut self, agent: usize, newcomer: &Newcomer, parent: Option<usize>) {
        let now = parent.map_or(0.0, |parent| self.agents[parent].now);
        let Newcomer { name, kind, owner, owned, path } = newcomer;
        self.owners.entry(*owner).or_insert_with(|| owned.clone());
        let known = self.lanes.iter().position(|lane| lane.lane.name == *name);
        let lane = known.unwrap_or_else(|| self.lane(name.clone(), *kind, *owner));
        if self.agents.len() <= agent {
            self.agents.resize_with(agent + 1, Clock::default);
        }
        self.agents[agent] = Clock { now, lane, owner: *owner, path: *path, ..Clock::default() };
    }

    fn lane(&mut self, name: String, kind: LaneKind, owner: usize) -> usize {
        self.lanes.push(Known { lane: TimedLane { name, kind }, owner });
        self.ends.push(0.0);
        self.lanes.len() - 1
    }

    /// An agent has ended; who waited for it goes on then.
    pub(crate) fn end(&mut self, agent: usize, parent: Option<usize>) {
        self.flush(agent);
        if let Some(parent) = parent {
            let ended = self.moment_of(agent);
            self.wait_until(parent, ended, About { name: "its warps".into(), ..About::default() });
        }
    }

    /// Whose turn it is: who has got least far.
    pub(crate) fn clock(&self, agent: usize) -> f64 {
        self.agents.get(agent).map_or(0.0, |clock| clock.now)
    }

    /// Whether there is no room for more events: whoever goes on is not shown any more.
    pub(crate) fn is_full(&self) -> bool {
        !self.complete
    }

    /// An agent does something.
    pub(crate) fn turn_of(&mut self, agent: usize, location: u32) {
        (self.who, self.here) = (agent, location);
        self.now = self.moment_of(agent);
    }

    /// Whose turn it is.
    pub(crate) fn who(&self) -> usize {
        self.who
    }

    fn moment_of(&self, agent: usize) -> Moment {
        let Some(clock) = self.agents.get(agent) else { return Moment::default() };
        Moment { time: clock.now, cause: Some(LaneCause { lane: clock.lane, event: None }) }
    }

    /// An agent computes.
    pub(crate) fn compute(&mut self, agent: usize, op: OpId, location: u32) {
        let takes = self.pace.ops.get(op.0 as usize).copied().unwrap_or(0.0);
        if let Some(clock) = self.agents.get_mut(agent).filter(|_| takes > 0.0) {
            clock.open.get_or_insert((clock.now, location));
            clock.now += takes;
        }
    }

    /// What an agent has computed until now is an event.
    fn flush(&mut self, agent: usize) {
        let clock = &mut self.agents[agent];
        if let Some((start, location)) = clock.open.take() {
            let (lane, end) = (clock.lane, clock.now);
            self.event(lane, LaneStage::Compute, About { location, ..About::default() }, (start, end));
        }
    }

    /// Something has taken time; its number, if there is room for it.
    fn event(&mut self, lane: usize, stage: LaneStage, about: About, (start, end): (f64, f64)) -> Option<usize> {
        self.ends[lane] = self.ends[lane].max(end);
        if self.events.len() >= MOST {
            self.complete = false;
            return None;
        }
        let agent = self.agents.get(self.who).map_or(lane, |clock| clock.lane);
        let is_own = matches!(stage, LaneStage::Compute | LaneStage::Wait);
        self.events.push(TimedEvent {
            lane,
            stage,
            agent: if is_own { lane } else { agent },
            name: about.name,
            buffer: about.buffer,
            slot: about.slot,
            phase: about.phase,
            ended_by: None,
            location: Location::default(),
            start,
            end,
            bytes: 0,
        });
        self.places.push(about.location);
        Some(self.events.len() - 1)
    }

    /// An agent waits until something has happened.
    fn wait_until(&mut self, agent: usize, moment: Moment, about: About) {
        self.flush(agent);
        let here = self.here;
        let clock = &mut self.agents[agent];
        let start = clock.asleep.take().unwrap_or(clock.now);
        clock.now = start.max(moment.time);
        if moment.time > start {
            let lane = clock.lane;
            let number = self.event(lane, LaneStage::Wait, About { location: here, ..about }, (start, moment.time));
            if let Some(event) = number.and_then(|number| self.events.get_mut(number)) {
                event.ended_by = moment.cause;
            }
        }
    }

    /// All that was done, with its places: lanes of one owner together, events of a lane in their order.
    pub(crate) fn finish(mut self, locations: &[Location], ended: bool) -> TimedLanes {
        (0..self.agents.len()).for_each(|agent| self.flush(agent));
        let time = self.ends.iter().copied().fold(0.0, f64::max);
        for (event, &place) in self.events.iter_mut().zip(&self.places) {
            event.location = locations.get(place as usize).cloned().unwrap_or_default();
        }
        let (lanes, events) = lanes::sorted(self.lanes, self.events);
        TimedLanes { lanes, events, time, complete: self.complete && ended, steered: false }
    }
}
