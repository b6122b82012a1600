//! Races: two accesses to an element, one of them a write, that nothing puts in an order. Whoever acts has a clock that
//! says how far it knows others to have got; barriers, semaphores and waits hand clocks on. Engines (copies, products)
//! are actors of their own: what they do is known to whoever waits for it. What is looked at is what a run does, under
//! any schedule of it: two accesses race whether or not they happened to meet.
//!
//! On GPUs engines see writes of threads to shared memory only once they have been committed (`plgpu.commit_smem`).

mod blocks;
mod clock;
mod groups;
mod history;
mod places;
mod region;
mod report;
mod tensor;
mod watched;

use crate::agents::Thread;
use crate::semaphores::Place;
pub(crate) use clock::Clocks;
use history::{History, Stamp};
use pallas_ir::{MemorySpace, Overlay, RefType};
pub(crate) use region::Region;
pub use report::{EngineKind, Hazard, MissingEdge, RacingAccess};
use report::{Found, FoundRace};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
pub(crate) use tensor::TensorTask;

/// Engines that are told apart. They take turns; two ops of one engine are told apart as long as the first is waited for
/// before the engine's next turn.
const ENGINES: u32 = 64;

/// Places that are reported of one launch.
const MOST_FOUND: usize = 32;

/// What stands for a read of memory that nobody has written, where found places are kept apart.
const UNWRITTEN: u8 = u8::MAX - 1;

/// What stands for writing to somebody who may not have begun, there.
const NOT_HEARD_OF: u8 = u8::MAX - 2;

/// An agent's part.
#[derive(Debug, Default)]
struct Agent {
    clocks: Clocks,
    who: u32,
    /// Groups of copies out of shared memory: what is known when each has been read, and written.
    reads: VecDeque<Clocks>,
    writes: VecDeque<Clocks>,
    open: Option<[Clocks; 2]>,
    /// Where the last copy was started that has not been waited for.
    copied: u32,
    /// Products into registers that have not been waited for.
    products: VecDeque<Clocks>,
    tensor: tensor::Tensor,
}

/// A barrier's part: what those who arrived know, as of now and as of the last phase that was completed.
#[derive(Debug, Default)]
struct Meeting {
    gathered: Clocks,
    complete: Clocks,
    tasks: tensor::Tasks,
}

/// Where buffers are, as far as that makes a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// Main memory, and everything of a TPU.
    Main,
    /// Shared memory of a GPU: its engines see what has been committed.
    Shared,
    /// Tensor memory: its loads and stores are asynchronous.
    Tensor,
    /// Registers: their products are waited for when they are read.
    Registers,
}

/// What an engine does for somebody.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    id: u32,
    kind: EngineKind,
    /// What is known where it was started.
    clocks: Clocks,
    /// The last time of the engine that belongs to it.
    time: u32,
    who: u32,
    location: u32,
}

impl Engine {
    /// What is known when it is done.
    pub(crate) fn done(&self) -> Clocks {
        let mut clocks = self.clocks.clone();
        if self.time > 0 {
            clocks.learn(self.id, self.time);
        }
        clocks
    }
}

/// All that is known of who has done what.
#[derive(Debug, Default)]
pub(crate) struct Races {
    world: u32,
    times: Vec<u32>,
    next_engine: u32,
    agents: Vec<Agent>,
    warps: HashMap<(u32, usize), u32>,
    current: u32,
    semaphores: HashMap<Place, Clocks>,
    meetings: HashMap<Place, Meeting>,
    buffers: HashMap<usize, History>,
    /// Where the block begins that a buffer holds, and what was done to the blocks that it held before.
    at: HashMap<usize, Vec<i64>>,
    blocks: HashMap<(usize, Vec<i64>), History>,
    spaces: HashMap<usize, Where>,
    names: Vec<String>,
    found: Vec<Found>,
    known: HashSet<(u32, u32, u8)>,
}

impl Races {
    pub(crate) fn new() -> Races {
        let mut races = Races { times: vec![0; ENGINES as usize], ..Races::default() };
        races.current = races.agent("the kernel".to_string());
        races
    }

    /// Other programs begin, that might run at the same time as those before.
    pub(crate) fn begin_world(&mut self) {
        self.world += 1;
        self.agents.clear();
        self.warps.clear();
        self.semaphores.clear();
        self.meetings.clear();
    }

    /// The next program of one agent begins: programs of other worlds might run at the same time.
    pub(crate) fn enter_world(&mut self, world: u32, who: impl FnOnce() -> String) {
        if world != self.world || self.names.len() < 2 {
            self.world = world;
            let who = self.named(who());
            let current = self.current;
            self.of(current).who = who;
        }
    }

    /// One more agent; its actor.
    pub(crate) fn agent(&mut self, who: String) -> u32 {
        let actor = ENGINES + self.agents.len() as u32;
        let mut agent = Agent { who: self.named(who), ..Agent::default() };
        agent.clocks.seen.set(actor, 1);
        self.agents.push(agent);
        actor
    }

    fn named(&mut self, who: String) -> u32 {
        self.names.push(who);
        self.names.len() as u32 - 1
    }

    /// A warp of an agent: the same actor whenever the agent has that warp.
    pub(crate) fn warp(&mut self, parent: u32, thread: Thread, who: impl FnOnce() -> String) -> u32 {
        let warp = (parent, thread.warp.unwrap_or(0));
        let actor = match self.warps.get(&warp) {
            Some(&actor) => actor,
            None => {
                let actor = self.agent(who());
                self.warps.insert(warp, actor);
                actor
            }
        };
        let clocks = self.of(parent).clocks.clone();
        self.of(actor).clocks.join(&clocks);
        let tasks = self.of(parent).tensor.tasks.clone();
        self.of(actor).tensor.tasks.join(&tasks);
        self.release(parent);
        self.release(actor);
        actor
    }

    /// An agent knows from now on what another one knows, which has ended.
    pub(crate) fn join(&mut self, parent: u32, child: u32) {
        let clocks = self.of(child).clocks.clone();
        let tasks = self.of(child).tensor.tasks.clone();
        self.of(parent).clocks.join(&clocks);
        self.of(parent).tensor.tasks.join(&tasks);
    }

    fn of(&mut self, actor: u32) -> &mut Agent {
        let at = actor.saturating_sub(ENGINES) as usize;
        // Actors come from `agent`, and stay until the world ends.
        &mut self.agents[at]
    }

    /// Whose turn it is.
    pub(crate) fn turn_of(&mut self, actor: u32) {
        self.current = actor;
    }

    /// What an agent did so far is told to others: what it does next is not part of it.
    fn release(&mut self, actor: u32) {
        let agent = self.of(actor);
        let time = agent.clocks.seen.get(actor) + 1;
        agent.clocks.seen.set(actor, time);
    }

    /// Whether the running agent knows that another one has begun.
    pub(crate) fn has_heard_of(&mut self, other: u32) -> bool {
        let current = self.current;
        self.of(current).clocks.seen.get(other) > 0
    }

    /// The running agent writes to a device that it has not heard of.
    pub(crate) fn early(&mut self, other: u32, location: u32, is_copy: bool) {
        if self.found.len() < MOST_FOUND && self.known.insert((location, location, NOT_HEARD_OF)) {
            let [who, other] = [self.current, other].map(|actor| self.of(actor).who as usize);
            let [who, other] = [who, other].map(|name| self.names[name].clone());
            self.found.push(Found::Early { location, who, other, is_copy });
        }
    }

    /// What the running agent knows, given away.
    pub(crate) fn told(&mut self) -> Clocks {
        let current = self.current;
        let clocks = self.of(current).clocks.clone();
        self.release(current);
        clocks
    }

    /// The running agent's writes to shared memory are there for engines.
    pub(crate) fn commit(&mut self) {
        let current = self.current;
        self.of(current).clocks.commit();
        self.release(current);
    }

    /// A buffer is there, under a name.
    fn declare(&mut self, buffer: usize, name: Option<&Arc<str>>, ty: &RefType, outlives: bool) {
        let space = match ty.space {
            MemorySpace::Shared => Where::Shared,
            MemorySpace::Tmem => Where::Tensor,
            MemorySpace::Registers => Where::Registers,
            _ => Where::Main,
        };
        let name = name.cloned().unwrap_or_else(|| "a Ref".into());
        // What lies in the same memory may have been written under another name.
        let starts_fresh = matches!(space, Where::Shared | Where::Tensor) && ty.overlay == Overlay::None;
        self.buffers.insert(buffer, History::new(name, ty.shape.clone(), outlives, starts_fresh));
        self.spaces.insert(buffer, space);
    }

    /// Whether a buffer has been declared.
    pub(crate) fn knows(&self, buffer: usize) -> bool {
        self.spaces.contains_key(&buffer)
    }

    /// A buffer is gone.
    pub(crate) fn forget(&mut self, buffer: usize) {
        self.buffers.remove(&buffer);
        self.spaces.remove(&buffer);
        self.meetings.retain(|place, _| place.buffer != buffer);
        self.semaphores.retain(|place, _| place.buffer != buffer);
    }

    /// Buffers from a number on are gone.
    pub(crate) fn forget_from(&mut self, first: usize) {
        self.buffers.retain(|&buffer, _| buffer < first);
        self.spaces.retain(|&buffer, _| buffer < first);
        self.semaphores.retain(|place, _| place.buffer < first);
    }

    pub(crate) fn space(&self, buffer: usize) -> Where {
        self.spaces.get(&buffer).copied().unwrap_or(Where::Main)
    }

    /// The running agent accesses part of a buffer.
    pub(crate) fn access(&mut self, buffer: usize, region: Region, how: How, location: u32) {
        let current = self.current;
        match self.space(buffer) {
            Where::Registers => {
                if !how.writes {
                    self.wait_products(0);
                }
                return;
            }
            Where::Tensor => {
                let mut engine = self.engine(EngineKind::TensorMemory, location);
                self.engine_access(&mut engine, buffer, region, how.writes);
                let done = engine.done();
                self.of(current).tensor.under_way(how.writes, &done);
                return;
            }
            Where::Main | Where::Shared => {}
        }
        let agent = self.of(current);
        let stamp = Stamp {
            actor: current,
            time: agent.clocks.seen.get(current),
            world: 0,
            atomic: how.atomic,
            writes: how.writes,
            location,
            who: agent.who,
            engine: None,
        };
        let clocks = std::mem::take(&mut agent.clocks);
        self.record(buffer, region, stamp, |earlier| clocks.seen.get(earlier.actor) >= earlier.time, &clocks);
        self.of(current).clocks = clocks;
    }

    /// An engine that the running agent starts.
    pub(crate) fn engine(&mut self, kind: EngineKind, location: u32) -> Engine {
        let id = self.next_engine;
        self.next_engine = (id + 1) % ENGINES;
        let current = self.current;
        let who = self.of(current).who;
        Engine { id, kind, clocks: self.told(), time: 0, who, location }
    }

    /// An engine accesses part of a buffer.
    pub(crate) fn engine_access(&mut self, engine: &mut Engine, buffer: usize, region: Region, writes: bool) {
        let space = self.space(buffer);
        if space == Where::Registers {
            return;
        }
        let time = &mut self.times[engine.id as usize];
        *time += 1;
        engine.time = *time;
        let stamp = Stamp {
            actor: engine.id,
            time: engine.time,
            world: 0,
            atomic: engine.kind == EngineKind::Reduction,
            writes,
            location: engine.location,
            who: engine.who,
            engine: Some(engine.kind),
        };
        // What threads wrote to shared memory has to be committed; that they have read is enough.
        let shared = space == Where::Shared && !matches!(engine.kind, EngineKind::TensorMemory | EngineKind::Store);
        let clocks = &engine.clocks;
        let follows = |earlier: &Stamp| match shared && earlier.writes {
            true => clocks.committed.get(earlier.actor) >= earlier.time,
            false => clocks.seen.get(earlier.actor) >= earlier.time,
        };
        self.record(buffer, region, stamp, follows, clocks);
    }

    /// An engine adds to part of a buffer, which therefore ought to have been written.
    pub(crate) fn engine_adds(&mut self, engine: &Engine, buffer: usize, region: &Region) {
        let Some(history) = self.buffers.get(&buffer).filter(|history| history.is_fresh(region)) else { return };
        let stamp = Stamp {
            actor: engine.id,
            time: engine.time,
            world: self.world,
            atomic: false,
            writes: false,
            location: engine.location,
            who: engine.who,
            engine: Some(engine.kind),
        };
        if self.found.len() < MOST_FOUND && self.known.insert((stamp.location, stamp.location, UNWRITTEN)) {
            let who = self.names[stamp.who as usize].clone();
            self.found.push(history.unwritten(region, stamp, who));
        }
    }

    fn record(
        &mut self,
        buffer: usize,
        region: Region,
        stamp: Stamp,
        follows: impl Fn(&Stamp) -> bool,
        clocks: &Clocks,
    ) {
        let world = self.world;
        let Some(history) = self.buffers.get_mut(&buffer) else { return };
        if region.is_empty() {
            return;
        }
        let stamp = Stamp { world, ..stamp };
        let outlives = history.outlives;
        if !stamp.writes && history.is_fresh(&region) {
            let (known, place) = (&mut self.known, (stamp.location, stamp.location, UNWRITTEN));
            if self.found.len() < MOST_FOUND && known.insert(place) {
                let who = self.names[stamp.who as usize].clone();
                self.found.push(history.unwritten(&region, stamp, who));
            }
        }
        let races = history.access(region.clone(), stamp, |earlier| match earlier.world == world {
            true => follows(earlier),
            false => !outlives,
        });
        for (earlier_region, earlier) in races.into_iter().flatten() {
            let kinds = u8::from(earlier.writes) * 2 + u8::from(stamp.writes);
            let known = (earlier.location.min(stamp.location), earlier.location.max(stamp.location), kinds);
            if self.found.len() >= MOST_FOUND || !self.known.insert(known) {
                continue;
            }
            let missing = match (earlier.world == world, earlier.engine, stamp.engine) {
                (false, ..) => MissingEdge::Programs,
                (_, None, Some(_)) if clocks.seen.get(earlier.actor) >= earlier.time => MissingEdge::Commit,
                (_, Some(_), _) => MissingEdge::Wait,
                _ => MissingEdge::Order,
            };
            self.found.push(Found::Race(FoundRace {
                name: history.name.to_string(),
                accesses: [(earlier, &earlier_region), (stamp, &region)].map(|(stamp, region)| {
                    (stamp, self.names[stamp.who as usize].clone(), region.words(&history.shape))
                }),
                missing,
                on_chip: matches!(self.spaces.get(&buffer), Some(Where::Shared | Where::Tensor)),
            }));
        }
    }

    /// Somebody signals a semaphore: the running agent, or an engine.
    pub(crate) fn signal(&mut self, place: Place, engine: Option<&Engine>) {
        let clocks = match engine {
            Some(engine) => engine.done(),
            None => self.told(),
        };
        self.semaphores.entry(place).or_default().join(&clocks);
    }

    /// The running agent has waited for a semaphore.
    pub(crate) fn waited(&mut self, place: Place) {
        if let Some(clocks) = self.semaphores.remove(&place) {
            let current = self.current;
            self.of(current).clocks.join(&clocks);
            self.semaphores.insert(place, clocks);
        }
    }

    /// Somebody arrives at a barrier.
    pub(crate) fn arrive(&mut self, place: Place, clocks: &Clocks, completes: bool) {
        let current = self.current;
        let tasks = self.of(current).tensor.tasks.clone();
        let meeting = self.meetings.entry(place).or_default();
        meeting.gathered.join(clocks);
        meeting.tasks.join(&tasks);
        if completes {
            meeting.complete.clone_from(&meeting.gathered);
        }
    }

    /// The running agent has waited for a phase of a barrier.
    pub(crate) fn met(&mut self, place: Place) {
        let Some(meeting) = self.meetings.remove(&place) else { return };
        let current = self.current;
        let agent = self.of(current);
        agent.clocks.join(&meeting.complete);
        agent.tensor.tasks.join(&meeting.tasks);
        self.meetings.insert(place, meeting);
    }

    /// What was found, with its places.
    pub(crate) fn take_found(&mut self, locations: &[pallas_ir::function::Location]) -> Vec<Hazard> {
        std::mem::take(&mut self.found).into_iter().map(|found| found.hazard(locations)).collect()
    }
}

/// How somebody accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct How {
    pub(crate) writes: bool,
    pub(crate) atomic: bool,
}
