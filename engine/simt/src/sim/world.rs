//! Blocks that run at the same time, and the teams of threads that each of them has: each goes on until it has to wait or has ended.
//! What a team does is a list of frames, so that it can stop anywhere.

use super::actor::Actor;
use super::memory::{Access, Ram};
use super::phases::{Phases, Place};
use super::report::Report;
use super::{Fault, ahead, fault};
use crate::ir::{Kernel, MemoryId, Region, Space, Value};
use pallas_syntax::Span;
use pallas_tensor::Array;
use std::collections::HashMap;
use std::rc::Rc;

/// A region on its way, and what becomes of it at its end.
#[derive(Debug)]
pub(super) struct Frame<'k> {
    pub(super) region: &'k Region,
    /// The instruction that is next.
    pub(super) next: usize,
    pub(super) then: super::control::Then<'k>,
}

/// A team of threads.
#[derive(Debug)]
pub(super) struct Agent<'k> {
    pub(super) actor: Rc<Actor>,
    /// Elements by register, then thread.
    pub(super) values: Vec<Option<Array>>,
    pub(super) frames: Vec<Frame<'k>>,
    pub(super) copies: ahead::Copies,
    pub(super) sent: super::boxes::Sent,
    pub(super) products: super::products::Products,
    pub(super) tensor: super::tensor::Queue,
    pub(super) team: usize,
    /// The last phase that it waited for, by barrier.
    pub(super) awaited: HashMap<Place, u64>,
    /// What it waits for, and where it does.
    pub(super) waits: Option<(String, Span)>,
    /// Where its memories are.
    places: Rc<Vec<usize>>,
}

/// A kernel on its way.
#[derive(Debug)]
pub(super) struct World<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) threads: usize,
    pub(super) rams: Vec<Ram>,
    pub(super) report: Report,
    pub(super) agents: Vec<Agent<'k>>,
    pub(super) phases: HashMap<Place, Phases>,
    /// Whose turn it is.
    pub(super) turn: usize,
    pub(super) fuel: u64,
    pub(super) clock: super::clock::Clock,
    /// For each array those that have bytes in common with it.
    sharing: Vec<Vec<MemoryId>>,
}

impl<'k> World<'k> {
    pub(super) fn new(kernel: &'k Kernel, rams: Vec<Ram>, fuel: u64) -> World<'k> {
        let (agents, report) = (Vec::new(), Report::default());
        let (threads, phases) = (kernel.threads as usize, HashMap::new());
        let clock = super::clock::Clock::new(kernel);
        let sharing = kernel.sharing();
        World { kernel, threads, rams, report, agents, phases, turn: 0, fuel, clock, sharing }
    }

    /// Runs the blocks of a cluster to their end.
    pub(super) fn run(&mut self, first: usize) -> Result<(), Fault> {
        let (blocks, teams) = (self.kernel.cluster.max(1) as usize, self.kernel.teams.max(1) as usize);
        self.phases.clear();
        self.agents.clear();
        let mut next = self.kernel.memories.len();
        for block in 0..blocks {
            let mut shared: Vec<usize> = (0..self.kernel.memories.len()).collect();
            for (place, memory) in shared.iter_mut().zip(&self.kernel.memories) {
                if block > 0
                    && matches!(memory.space, Space::Shared | Space::Phases { .. } | Space::Tensor | Space::Workspace)
                {
                    *place = self.another(*place, &mut next);
                }
            }
            for team in 0..teams {
                let mut places = shared.clone();
                for (place, memory) in places.iter_mut().zip(&self.kernel.memories) {
                    if (block, team) != (0, 0) && memory.space == Space::Team {
                        *place = self.another(*place, &mut next);
                    }
                }
                let number = self.agents.len() as u32;
                self.agents.push(Agent {
                    actor: Rc::new(Actor::new((first / blocks) as u32, first + block, number)),
                    team,
                    values: vec![None; self.kernel.values.len()],
                    frames: vec![Frame { region: &self.kernel.body, next: 0, then: super::control::Then::End }],
                    copies: ahead::Copies::default(),
                    sent: super::boxes::Sent::default(),
                    products: super::products::Products::default(),
                    tensor: super::tensor::Queue::default(),
                    awaited: HashMap::new(),
                    waits: None,
                    places: Rc::new(places),
                });
            }
        }
        self.rams.iter_mut().for_each(Ram::begin);
        self.clock.begin();
        self.schedule()?;
        self.clock.end();
        Ok(())
    }

    /// Memory like another one.
    fn another(&mut self, place: usize, next: &mut usize) -> usize {
        if *next == self.rams.len() {
            let copy = self.rams[place].clone();
            self.rams.push(copy);
        }
        *next += 1;
        *next - 1
    }

    /// Teams go on in turn, each as far as it can.
    fn schedule(&mut self) -> Result<(), Fault> {
        loop {
            let mut moved = false;
            for turn in 0..self.agents.len() {
                self.turn = turn;
                while self.step()? {
                    moved = true;
                }
            }
            if self.agents.iter().all(|agent| agent.frames.is_empty()) {
                return (0..self.agents.len()).try_for_each(|turn| {
                    self.turn = turn;
                    self.wait_sent(0, false)
                });
            }
            if !moved {
                return Err(self.stuck());
            }
        }
    }

    /// Nobody can go on.
    fn stuck(&self) -> Fault {
        let waiting: Vec<&Agent<'_>> = self.agents.iter().filter(|agent| !agent.frames.is_empty()).collect();
        let words = |agent: &&Agent<'_>| {
            let what = agent.waits.as_ref().map_or("something", |(what, _)| what);
            format!("team {} of block {} waits for {what}", agent.team, agent.actor.block)
        };
        let message: Vec<String> = waiting.iter().map(words).collect();
        let span = waiting.iter().find_map(|agent| Some(agent.waits.as_ref()?.1)).unwrap_or_default();
        Fault { message: format!("nobody can go on: {}", message.join("; ")), span }
    }

    /// The next instruction of whose turn it is; `false` if there is none, or it has to wait.
    fn step(&mut self) -> Result<bool, Fault> {
        let Some(frame) = self.agents[self.turn].frames.last_mut() else { return Ok(false) };
        let Some(inst) = frame.region.insts.get(frame.next) else {
            self.leave()?;
            return Ok(true);
        };
        frame.next += 1;
        let depth = self.agents[self.turn].frames.len();
        let over = self.inst(inst).map_err(|mut fault| {
            if fault.span == Span::default() {
                fault.span = inst.span;
            }
            fault
        })?;
        if !over && let Some(frame) = self.agents[self.turn].frames.get_mut(depth - 1) {
            frame.next -= 1;
        }
        Ok(over)
    }

    /// Who acts.
    pub(super) fn actor(&mut self) -> &mut Actor {
        Rc::make_mut(&mut self.agents[self.turn].actor)
    }

    /// Where the memory is that whose turn it is calls so.
    pub(super) fn at(&self, memory: MemoryId) -> usize {
        self.agents[self.turn].places[memory.0 as usize]
    }

    /// Where another block of the cluster has that memory.
    pub(super) fn at_rank(&self, memory: MemoryId, rank: usize) -> Result<usize, Fault> {
        let teams = self.kernel.teams.max(1) as usize;
        let there = self.agents.get(rank * teams + self.agents[self.turn].team);
        let place = there.and_then(|agent| agent.places.get(memory.0 as usize));
        place.copied().ok_or_else(|| fault(format!("block {rank} of the cluster is not there")))
    }

    /// The number of a block in the cluster.
    pub(super) fn rank(&self, value: Value) -> Result<usize, Fault> {
        let rank = self.uniform(value)?;
        let there = usize::try_from(rank).ok().filter(|&rank| rank < self.kernel.cluster as usize);
        there.ok_or_else(|| fault(format!("a cluster of {} blocks has no block {rank}", self.kernel.cluster)))
    }

    /// What is written is lost to arrays that have the same bytes, and nobody may be using them still.
    pub(super) fn overlay(&mut self, memory: MemoryId, access: &Access<'_>) {
        let place = |id: MemoryId| {
            let memory = self.kernel.memory(id);
            (memory.at.unwrap_or(0), memory.dtype.size_bytes())
        };
        let (at, size) = place(memory);
        for &other in &self.sharing[memory.0 as usize] {
            let (begin, bytes) = place(other);
            let there = self.agents[self.turn].places[other.0 as usize];
            for (position, &index) in access.indices.iter().enumerate() {
                let Ok(index) = usize::try_from(index) else { continue };
                let (first, end) = (at + index * size, at + (index + 1) * size);
                let elements = first.saturating_sub(begin) / bytes..end.saturating_sub(begin).div_ceil(bytes);
                self.rams[there].lose(elements, access, position, &mut self.report);
            }
        }
    }

    pub(super) fn get(&self, value: Value) -> Result<Array, Fault> {
        let array = self.agents[self.turn].values.get(value.0 as usize).and_then(Option::clone);
        array.ok_or_else(|| fault(format!("{value} is not there")))
    }

    pub(super) fn put(&mut self, value: Value, array: Array) {
        self.agents[self.turn].values[value.0 as usize] = Some(array);
    }

    pub(super) fn len(&self, value: Value) -> usize {
        self.kernel.ty(value).regs as usize * self.threads
    }

    /// A number that all threads agree on.
    pub(super) fn uniform(&self, value: Value) -> Result<i64, Fault> {
        let array = self.get(value)?;
        let mut elements = array.iter_scalars();
        let first = elements.next().ok_or_else(|| fault("a value without registers".to_string()))?;
        if elements.any(|element| element != first) {
            return Err(fault(format!("the threads disagree on {value}, which all have to go by")));
        }
        let number = first.as_int().and_then(|number| i64::try_from(number).ok());
        number.ok_or_else(|| fault(format!("{value} is no integer")))
    }
}
