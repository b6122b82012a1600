//! Agents that run at the same time: the threads of a cluster's blocks, with their memory, barriers and warps. Goes on until
//! all have ended, or nobody can go on.

use super::agent::{Agent, Frame, Kind, Thread, Turn, begin, end, operands};
use super::barriers::Barrier;
use super::blocks::{Blocks, Site};
use super::devices::Devices;
use super::engines::{Delay, Task};
use super::peers::Sequence;
use super::scheduler::{Chosen, Scheduler};
use super::topology::Topology;
use crate::error::RunError;
use crate::hooks::Hooks;
use crate::machine::{Machine, Value, registers};
use crate::memory::{Memory, View};
use crate::races::Clocks;
use crate::semaphores::Place;
use crate::tape::{Action, Step, Tape};
use crate::times::{LaneKind, Newcomer, Times};
use pallas_ir::{Interpretation, MemorySpace, RefType};
use pallas_tensor::{DType, Shape};
use smallvec::SmallVec;
use std::collections::HashMap;

/// The most agents that run at the same time.
const MOST: usize = 1 << 14;

/// Agents with what they share.
pub(crate) struct World<'t, 'h> {
    pub(crate) tape: &'t Tape,
    pub(crate) topology: &'t Topology,
    pub(crate) memory: &'t mut Memory,
    pub(crate) hooks: &'h mut dyn Hooks,
    pub(crate) interpretation: Interpretation,
    pub(crate) agents: Vec<Agent<'t>>,
    pub(crate) scheduler: Scheduler,
    pub(crate) blocks: Blocks,
    pub(crate) barriers: HashMap<Place, Barrier>,
    /// Parts of collective copies that have come for the barrier of the first block.
    pub(crate) parts: HashMap<Place, (usize, Clocks)>,
    /// The devices that the blocks belong to.
    pub(super) devices: Devices,
    /// When engines do what they are told, and what they have not done yet.
    pub(super) delay: Delay,
    pub(super) tasks: Vec<Task>,
    /// Of devices and cores: the programs that each of them runs one after the other.
    pub(super) sequence: Option<Sequence<'t>>,
    /// Whether agents are only followed: nothing is moved or computed that others do not see.
    pub(super) follows: bool,
}

impl<'t, 'h> World<'t, 'h> {
    /// The programs that run at the same time as the one with these ids, from a kernel's registers with its operands in
    /// place, for each device.
    pub(crate) fn new(
        (tape, topology): (&'t Tape, &'t Topology),
        devices: Devices,
        memory: &'t mut Memory,
        hooks: &'h mut dyn Hooks,
        interpretation: Interpretation,
        (shared, scratch): (&[&[Value]], &[RefType]),
        ids: &[usize],
    ) -> Result<Self, RunError> {
        let size = topology.size();
        if size > MOST {
            return Err(RunError::eval(format!("{size} threads would run at the same time, which is too many")));
        }
        let mut world = World {
            tape,
            topology,
            memory,
            scheduler: Scheduler::new(hooks.schedule()),
            delay: match (hooks.late(), hooks.schedule()) {
                (true, _) => Delay::Most,
                (_, Some(_)) => Delay::Drawn,
                _ => Delay::Never,
            },
            tasks: Vec::new(),
            follows: hooks.follows(),
            hooks,
            interpretation,
            agents: Vec::with_capacity(size),
            blocks: Blocks::default(),
            barriers: HashMap::new(),
            parts: HashMap::new(),
            devices,
            sequence: None,
        };
        world.memory.times = world.hooks.pace().map(|pace| Box::new(Times::new(pace)));
        if let Some(races) = &mut world.memory.races {
            races.begin_world();
        }
        world.name_operands(shared);
        let operands = tape.body.params.len() - scratch.len();
        for number in 0..size {
            let ids = world.ids(ids, number);
            let block = topology.block(&ids);
            let mut own = registers(tape);
            let Some(shared) = shared.get(world.devices.of(block)) else {
                return Err(RunError::malformed("a device has no operands"));
            };
            for &param in &tape.body.params[..operands] {
                own[param as usize] = shared[param as usize].clone();
            }
            for (position, (ty, &param)) in scratch.iter().zip(&tape.body.params[operands..]).enumerate() {
                let buffer = match ty.space {
                    MemorySpace::Registers => world.blocks.private(world.memory, ty, interpretation)?,
                    _ => {
                        let site = (block, Site::Scratch(position));
                        world.blocks.shared(world.memory, site, ty, topology.threads(), interpretation)?
                    }
                };
                world.named(buffer, param, ty);
                own[param as usize] = Value::reference(View::whole(buffer, &ty.shape));
            }
            let thread =
                Thread { number: if topology.threads { ids.last().copied().unwrap_or(0) } else { 0 }, warp: None };
            let frames = vec![Frame { block: &tape.body, next: 0, kind: Kind::Body }];
            world.agents.push(Agent { frames, ..Agent::new(own, ids, block, thread) });
            let who = world.name(&world.agents[number]);
            world.begin_clock(number, None);
            if let Some(races) = &mut world.memory.races {
                world.agents[number].actor = races.agent(who);
            }
            world.scheduler.add(number);
        }
        Ok(world)
    }

    /// Ids of a program of the world.
    fn ids(&self, first: &[usize], mut number: usize) -> Vec<usize> {
        let mut ids = first.to_vec();
        for axis in (self.topology.first..self.topology.grid.len()).rev() {
            let extent = self.topology.grid[axis].max(1);
            ids[axis] = number % extent;
            number /= extent;
        }
        ids
    }

    /// Runs until all agents have ended.
    pub(crate) fn run(&mut self) -> Result<(), RunError> {
        let result = self.go();
        if let Some(times) = self.memory.times.take() {
            self.hooks.rehearsed(times.finish(&self.tape.locations, result.is_ok()));
        }
        result
    }

    fn go(&mut self) -> Result<(), RunError> {
        let mut turns = 0_usize;
        loop {
            let fronts = if self.tasks.is_empty() { Vec::new() } else { self.fronts() };
            let chosen = match &self.memory.times {
                Some(times) if times.is_full() => return Err(RunError::cancelled()),
                Some(times) => self.scheduler.earliest(|agent| times.clock(agent)).map(Chosen::Agent),
                None => self.scheduler.next(fronts.len() + self.drawn_copies()),
            };
            let agent = match chosen {
                Some(Chosen::Agent(agent)) => agent,
                Some(Chosen::Engine(engine)) => {
                    match fronts.get(engine) {
                        Some(&front) => self.land_at(front)?,
                        None => {
                            self.memory.carry_out_at(engine - fronts.len())?;
                            self.wake_all();
                        }
                    }
                    continue;
                }
                None => break,
            };
            turns += 1;
            if turns.is_multiple_of(64) && self.hooks.cancelled() {
                return Err(RunError::cancelled());
            }
            match self.turn(agent)? {
                Turn::Ready => self.scheduler.add(agent),
                Turn::Waits => {}
                Turn::Done => self.ended(agent)?,
            }
        }
        if self.agents.iter().any(|agent| !agent.frames.is_empty()) {
            return Err(self.deadlock());
        }
        let places: Vec<Place> = self.barriers.keys().copied().collect();
        self.end_barriers(&places)
    }

    /// How many copies of devices and cores may be carried out at any time.
    fn drawn_copies(&self) -> usize {
        match self.sequence.is_some() && self.scheduler.interrupts() {
            true => self.memory.pending.len(),
            false => 0,
        }
    }

    /// In a rehearsal an agent has a clock.
    pub(super) fn begin_clock(&mut self, number: usize, parent: Option<usize>) {
        if self.memory.times.is_none() {
            return;
        }
        let agent = &self.agents[number];
        let (owner, kind) = match self.sequence {
            Some(_) => (self.name(agent), LaneKind::Core),
            None => (self.owner(agent), LaneKind::Thread),
        };
        // The cores of a device share its main memory.
        let path = self.sequence.as_ref().map_or(agent.block, |sequence| agent.block / sequence.cores().max(1));
        let owned = if self.sequence.as_ref().is_some_and(Sequence::is_alone) { String::new() } else { owner };
        let newcomer = Newcomer { name: self.name(agent), kind, owner: agent.block, owned, path };
        if let Some(times) = &mut self.memory.times {
            times.begin(number, &newcomer, parent);
        }
    }

    /// In a rehearsal arrays in main memory have the names of their parameters.
    fn name_operands(&mut self, shared: &[&[Value]]) {
        let Some(times) = &mut self.memory.times else { return };
        for registers in shared {
            for &param in &self.tape.body.params {
                if let Some(Value::Ref(view)) = registers.get(param as usize) {
                    let ty = RefType::new(DType::I32, Shape::default(), MemorySpace::Gmem);
                    times.call(view.buffer, self.tape.name(param), &ty);
                }
            }
        }
    }

    /// A buffer of a parameter is there.
    pub(super) fn named(&mut self, buffer: usize, param: u32, ty: &RefType) {
        let known = self.memory.races.as_ref().is_none_or(|races| races.knows(buffer));
        if !known || self.memory.times.is_some() {
            self.memory.declare(buffer, self.tape.name(param), ty);
        }
    }

    /// Lets all that wait for a place look again.
    pub(crate) fn wake(&mut self, place: Place) {
        for number in 0..self.agents.len() {
            if self.agents[number].waits.as_ref().is_some_and(|waits| waits.place == Some(place)) {
                self.rouse(number);
            }
        }
    }

    /// An agent that waits looks again.
    pub(super) fn rouse(&mut self, number: usize) {
        if let Some(times) = &mut self.memory.times {
            times.rouse(number);
        }
        self.scheduler.add(number);
    }

    /// Whether an agent has to let others go first, since what it waits for lies ahead of its clock.
    pub(super) fn sleeps(&mut self, number: usize, place: Place, wanted: i64) -> bool {
        let sleeps = self.memory.times.as_mut().is_some_and(|times| times.sleeps(number, place, wanted));
        if sleeps {
            self.scheduler.add(number);
        }
        sleeps
    }

    /// Lets an agent go on until it waits, ends, or gives its turn back.
    fn turn(&mut self, number: usize) -> Result<Turn, RunError> {
        loop {
            let agent = &mut self.agents[number];
            let Some(frame) = agent.frames.last() else {
                match self.next_program(number)? {
                    true => continue,
                    false => return Ok(Turn::Done),
                }
            };
            let block = frame.block;
            let Some(step) = block.steps.get(frame.next) else {
                let yields = self.with_machine(number, |machine| {
                    Ok(machine.yields(block)?.into_iter().collect::<SmallVec<[Value; 4]>>())
                })?;
                if let Some(scope) = end(&mut self.agents[number], yields)? {
                    self.leave(&scope)?;
                }
                continue;
            };
            let done = self.step(number, step).map_err(|error| {
                let error = match self.tape.locations.get(step.location as usize) {
                    Some(location) => error.at(step.op, location),
                    None => error,
                };
                error.in_program(&self.agents[number].ids)
            })?;
            if !done {
                return Ok(Turn::Waits);
            }
            self.agents[number].waits = None;
            if (self.scheduler.interrupts() || self.memory.times.is_some()) && is_visible(&step.action) {
                return Ok(Turn::Ready);
            }
        }
    }

    /// A step of an agent; whether it is over.
    fn step(&mut self, number: usize, step: &'t Step) -> Result<bool, RunError> {
        if let Some(times) = &mut self.memory.times {
            times.turn_of(number, step.location);
        }
        if let Action::For(body) = &step.action
            && step.together
        {
            return self.fork(number, step, body);
        }
        if !self.tasks.is_empty()
            && matches!(step.action, Action::Load(..) | Action::Store(..) | Action::Swap(..))
            && let Some(source) = step.operands.first()
            && let Some(Value::Ref(view)) = self.agents[number].registers.get(source.register as usize)
        {
            let buffer = view.buffer;
            self.settle(number, buffer)?;
        }
        match &step.action {
            Action::For(_) | Action::While { .. } | Action::Cond(_) => {
                if self.hooks.cancelled() {
                    return Err(RunError::cancelled());
                }
                let inputs = self.with_machine(number, |machine| operands(machine, step))?;
                begin(&mut self.agents[number], inputs, step)?;
                Ok(true)
            }
            Action::Scoped(body, allocations) => {
                let scope = self.allocate(number, step, body, allocations)?;
                let views: Vec<Value> = scope.1;
                self.agents[number].enter(body, views, Kind::Scope { step, scope: scope.0 });
                Ok(true)
            }
            Action::Agent(act) => self.act(number, step, act),
            Action::Semaphore(semaphore) if self.sequence.is_some() => self.peer_semaphore(number, step, semaphore),
            Action::Copy(copy) if self.sequence.is_some() => self.peer_copy(number, step, copy),
            Action::Semaphore(semaphore) => self.semaphore(number, step, semaphore),
            _ if self.memory.times.is_some() && self.rehearse(number, step)? => Ok(true),
            _ if self.follows && self.makes_up(number, step)? => Ok(true),
            _ => {
                self.with_machine(number, |machine| machine.step(step))?;
                if let Some(frame) = self.agents[number].frames.last_mut() {
                    frame.next += 1;
                }
                Ok(true)
            }
        }
    }

    /// A step in a rehearsal: it takes its time; whether it is over by that, as there is no need for what it computes.
    fn rehearse(&mut self, number: usize, step: &Step) -> Result<bool, RunError> {
        if let Some(times) = &mut self.memory.times {
            times.compute(number, step.op, step.location);
        }
        if let (Action::Load(..), Some(source)) = (&step.action, step.operands.first())
            && let Some(Value::Ref(view)) = self.agents[number].registers.get(source.register as usize)
            && self.blocks.is_accumulator(view.buffer)
            && let Some(times) = &mut self.memory.times
        {
            times.wait_products(number, 0);
        }
        if step.results.len() == 1
            && let Some(made_up) = self.hooks.made_up(step.op)
        {
            self.agents[number].finish(step, [Value::Tile(made_up)])?;
            return Ok(true);
        }
        // What is stored would not be read.
        let stored = step.operands.get(1).and_then(|value| self.agents[number].registers.get(value.register as usize));
        if matches!(step.action, Action::Store(..)) && matches!(stored, Some(Value::Tile(tile)) if tile.rank() > 0) {
            self.agents[number].finish(step, [])?;
            return Ok(true);
        }
        Ok(false)
    }

    /// A step of an agent that is only followed: whether what it gives is made up.
    fn makes_up(&mut self, number: usize, step: &Step) -> Result<bool, RunError> {
        if step.results.len() != 1 {
            return Ok(false);
        }
        let Some(made_up) = self.hooks.made_up(step.op) else { return Ok(false) };
        self.agents[number].finish(step, [Value::Tile(made_up)])?;
        Ok(true)
    }

    /// Runs something on an agent's registers.
    pub(crate) fn with_machine<T>(
        &mut self,
        number: usize,
        run: impl FnOnce(&mut Machine<'_>) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        let agent = &mut self.agents[number];
        if let Some(races) = &mut self.memory.races {
            races.turn_of(agent.actor);
        }
        let mut machine = Machine {
            registers: &mut agent.registers,
            memory: self.memory,
            ids: &agent.ids,
            grid: &self.topology.grid,
            hooks: self.hooks,
            tape: self.tape,
            interpretation: self.interpretation,
            places: None,
        };
        run(&mut machine)
    }
}

/// Whether others can see what a step does.
fn is_visible(action: &Action) -> bool {
    matches!(
        action,
        Action::Load(..)
            | Action::Store(..)
            | Action::Swap(..)
            | Action::Atomic { .. }
            | Action::Agent(_)
            | Action::Copy(_)
            | Action::Semaphore(_)
    )
}
