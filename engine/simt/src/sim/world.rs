//! Blocks that run at the same time, and the teams of threads that each of them has: each goes on until it has to wait or has ended.
//! What a team does is a list of frames, so that it can stop anywhere.

use super::actor::Actor;
use super::memory::{Access, Ram};
use super::phases::{Phases, Place};
use super::report::Report;
use super::{Fault, ahead, fault};
use crate::ir::{Inst, Kernel, MemoryId, Region, Space, Value, WARP};
use pallas_syntax::Span;
use pallas_tensor::{Array, DType, Scalar};
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

/// A team of threads, or a warp of one that goes its own way.
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
    /// The team, by its number among agents, which warps of it this is, and whether those go their own ways.
    pub(super) owner: usize,
    pub(super) warps: std::ops::Range<usize>,
    pub(super) forked: bool,
    /// Of a team: the last phase that each of its warps waited for, by barrier.
    pub(super) awaited: Vec<HashMap<Place, u64>>,
    /// What it waits for, and where it does.
    pub(super) waits: Option<(String, Span)>,
    /// Where its memories are.
    places: Rc<Vec<usize>>,
}

/// Who wrote an element last, as far as a kernel keeps that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    pub(super) block: usize,
    pub(super) program: i64,
    pub(super) span: Span,
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
    /// By array and element.
    pub(super) owners: HashMap<(MemoryId, i64), Owner>,
    /// For each array those that have bytes in common with it.
    sharing: Vec<Vec<MemoryId>>,
    /// Whether warps go their own ways somewhere.
    has_warps: bool,
    pub(super) claims: super::claims::Claims,
}

impl<'k> World<'k> {
    pub(super) fn new(kernel: &'k Kernel, rams: Vec<Ram>, fuel: u64) -> World<'k> {
        let (agents, report) = (Vec::new(), Report::default());
        let (threads, phases) = (kernel.threads as usize, HashMap::new());
        let clock = super::clock::Clock::new(kernel);
        let sharing = kernel.sharing();
        let mut has_warps = false;
        kernel.body.walk(&mut |inst| has_warps |= inst.op == crate::ir::Op::Warps);
        let (owners, claims) = (HashMap::new(), super::claims::Claims::new(kernel));
        World {
            kernel,
            threads,
            rams,
            report,
            agents,
            phases,
            turn: 0,
            fuel,
            clock,
            owners,
            sharing,
            has_warps,
            claims,
        }
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
                let actor = Actor::new((first / blocks) as u32, first + block, self.agents.len() as u32);
                let agent = self.agent(actor, team, self.agents.len(), Rc::new(places));
                self.agents.push(agent);
            }
        }
        let warps = if self.has_warps { self.warps_of_team() } else { 0 };
        for owner in 0..self.agents.len() {
            for warp in 0..warps {
                let (actor, team, places) = {
                    let team = &self.agents[owner];
                    (team.actor.as_ref(), team.team, team.places.clone())
                };
                let actor = Actor::new(actor.world, actor.block, self.agents.len() as u32);
                let agent = self.agent(actor, team, owner, places);
                self.agents.push(Agent { warps: warp..warp + 1, ..agent });
            }
        }
        for team in 0..blocks * teams {
            self.agents[team].frames =
                vec![Frame { region: &self.kernel.body, next: 0, then: super::control::Then::End }];
        }
        self.rams.iter_mut().for_each(Ram::begin);
        self.clock.begin();
        self.schedule()?;
        self.clock.end();
        Ok(())
    }

    /// Somebody with nothing to do yet.
    fn agent(&self, actor: Actor, team: usize, owner: usize, places: Rc<Vec<usize>>) -> Agent<'k> {
        let warps = self.warps_of_team();
        Agent {
            actor: Rc::new(actor),
            team,
            owner,
            warps: 0..warps,
            forked: false,
            values: vec![None; self.kernel.values.len()],
            frames: Vec::new(),
            copies: ahead::Copies::default(),
            sent: super::boxes::Sent::default(),
            products: super::products::Products::default(),
            tensor: super::tensor::Queue::default(),
            awaited: vec![HashMap::new(); warps],
            waits: None,
            places,
        }
    }

    pub(super) fn warps_of_team(&self) -> usize {
        self.threads / WARP as usize
    }

    /// Teams that run at the same time. Their numbers among actors are the first; then come those of warps, of both ones' tensor
    /// cores, and of engines.
    pub(super) fn teams_at_once(&self) -> usize {
        (self.kernel.cluster.max(1) * self.kernel.teams.max(1)) as usize
    }

    /// Warps of a team go their own ways; whether all have come to the end.
    pub(super) fn warps(&mut self, inst: &'k Inst) -> Result<bool, Fault> {
        let (team, warps) = (self.turn, self.warps_of_team());
        let first = self.teams_at_once() + team * warps;
        if !std::mem::replace(&mut self.agents[team].forked, true) {
            let body = inst.regions.first().ok_or_else(|| fault("warps without a body".to_string()))?;
            self.actor().meet();
            let told = self.actor().tell(false);
            for warp in 0..warps {
                let values = self.agents[team].values.clone();
                self.turn = first + warp;
                let agent = &mut self.agents[self.turn];
                agent.values = values;
                agent.frames = vec![Frame { region: body, next: 0, then: super::control::Then::End }];
                self.actor().hear(&told);
                self.actor().meet();
                let number = body.params[0];
                let array = Array::full(DType::I32, [self.len(number)].as_slice(), Scalar::Int(warp as i128))?;
                self.put(number, array);
            }
            self.turn = team;
        }
        if (first..first + warps).any(|warp| !self.agents[warp].frames.is_empty()) {
            self.agents[team].waits = Some(("its warps".to_string(), inst.span));
            return Ok(false);
        }
        for warp in first..first + warps {
            let told = Rc::make_mut(&mut self.agents[warp].actor).tell(false);
            self.actor().hear(&told);
        }
        self.actor().meet();
        self.agents[team].forked = false;
        Ok(true)
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
            let warp = if agent.warps.len() < self.warps_of_team() {
                format!("warp {} of ", agent.warps.start)
            } else {
                "".into()
            };
            format!("{warp}team {} of block {} waits for {what}", agent.team, agent.actor.block)
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
        // Elements of a lane of tensor memory.
        let lane = |id: MemoryId| match self.kernel.memory(id).space {
            Space::Tensor => self.kernel.memory(id).len.max(1),
            _ => usize::MAX,
        };
        let len = lane(memory);
        for &other in &self.sharing[memory.0 as usize] {
            let ((begin, bytes), others) = (place(other), lane(other));
            let there = self.agents[self.turn].places[other.0 as usize];
            for (position, &index) in access.indices.iter().enumerate() {
                let Ok(index) = usize::try_from(index) else { continue };
                let (row, index) = (index / len, index % len);
                let (first, end) = (at + index * size, at + (index + 1) * size);
                let elements =
                    first.saturating_sub(begin) / bytes..end.saturating_sub(begin).div_ceil(bytes).min(others);
                let far = if row == 0 { 0 } else { row * others };
                let elements = elements.start.min(elements.end) + far..elements.end + far;
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
