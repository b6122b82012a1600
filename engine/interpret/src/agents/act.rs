//! What an agent does to others: arrives at barriers and waits for them, starts copies and products, says what it has done.
//! What engines then do is in `engines`; whom an agent reaches in `reach`.

use super::agent::Waiting;
use super::barriers::{Barrier, Waited};
use super::engines::{Lane, Task, Tensor, Work};
use super::world::World;
use crate::error::{RunError, RunErrorKind};
use crate::machine::Value;
use crate::memory::View;
use crate::races::{Clocks, Engine, EngineKind};
use crate::semaphores::Place;
use crate::tape::{AgentStep, SemaphoreStep, Source, Step};
use crate::times::About;
use pallas_ir::{AgentOp, SemaphoreOp, Type};
use pallas_tensor::{Array, DType, Scalar};
use std::sync::Arc;

impl<'t> World<'t, '_> {
    /// Whether the step is over.
    pub(crate) fn act(&mut self, number: usize, step: &'t Step, act: &AgentStep) -> Result<bool, RunError> {
        if let Some(races) = &mut self.memory.races {
            races.turn_of(self.agents[number].actor);
        }
        let mut results = Vec::new();
        match act.op {
            AgentOp::Wait => {
                let place = self.place(number, step, 0)?;
                let thread = self.agents[number].thread;
                let barrier = self.barrier(place, &act.name)?;
                let phase = barrier.awaited(thread);
                match barrier.wait(thread).map_err(broken)? {
                    Waited::Over => {
                        if let Some(races) = &mut self.memory.races {
                            races.met(place);
                        }
                        let slot = self.memory.slot_of(place);
                        if let Some(times) = &mut self.memory.times {
                            let about = About { name: act.name.clone(), slot, phase: Some(phase), ..About::default() };
                            times.met(number, place, about);
                        }
                    }
                    Waited::NotYet => {
                        let what = barrier.words(thread);
                        let (name, place) = (act.name.clone(), Some(place));
                        self.agents[number].waits = Some(Waiting { what, name, place, location: step.location });
                        return Ok(false);
                    }
                }
            }
            AgentOp::Test => {
                let place = self.place(number, step, 0)?;
                let thread = self.agents[number].thread;
                let done = self.barrier(place, &act.name)?.test(thread);
                results.push(Value::Tile(Array::scalar(DType::Bool, Scalar::Bool(done))));
            }
            AgentOp::Arrive => {
                let place = self.place(number, step, 0)?;
                self.arrive(number, place, &act.name)?;
            }
            AgentOp::CopyIn => self.copy_in(number, step, act)?,
            AgentOp::CopyOut => self.copy_out(number, step, act)?,
            AgentOp::Commit => {
                self.agents[number].groups += 1;
                if let Some(races) = &mut self.memory.races {
                    races.close_group();
                }
            }
            AgentOp::Drain => self.drain(number, count(act), act.attributes.flag("read_only"))?,
            AgentOp::StoreAcross => self.store_across(number, step, act)?,
            AgentOp::Product => self.product(number, step)?,
            AgentOp::ProductWait => self.wait_products(number, count(act))?,
            AgentOp::Mma => self.mma(number, step, act)?,
            AgentOp::MmaCommit => self.commit_products(number, step, act)?,
            AgentOp::CopyToTmem => self.copy_to_tmem(number, step, act)?,
            AgentOp::Reach => results.push(Value::reference(self.reach(number, step, act)?)),
            AgentOp::StoreEverywhere => self.store_everywhere(number, step, act)?,
            AgentOp::LoadEverywhere => results.push(Value::Tile(self.load_everywhere(number, step, act)?)),
            AgentOp::SignalEverywhere => self.signal_everywhere(number, step, act)?,
            // Every block of the grid is run: none is left to be given away.
            AgentOp::Cancel => {
                let place = self.place(number, step, 1)?;
                let clocks = self.told();
                self.arrive_here(place, &act.name, clocks.as_ref())?;
            }
            AgentOp::CancelResult => {
                let axes = act.attributes.ints("axes").unwrap_or_default();
                let ids = &self.agents[number].ids;
                let id = |axis: &i64| usize::try_from(*axis).ok().and_then(|axis| ids.get(axis)).copied().unwrap_or(0);
                let index = |id: usize| Value::Tile(Array::scalar(DType::I32, Scalar::Int(id as i128)));
                results.extend(axes.iter().map(|axis| index(id(axis))));
                results.push(Value::Tile(Array::scalar(DType::Bool, Scalar::Bool(false))));
            }
            AgentOp::Global => {
                let Some(Type::Ref(ty)) = act.results.first() else {
                    return Err(RunError::malformed("a global semaphore is no Ref"));
                };
                let buffer = self.global(number, step.op.0, ty)?;
                results.push(Value::reference(View::whole(buffer, &ty.shape)));
            }
            AgentOp::Foreign => {
                return Err(RunError::eval(
                    "code in another language (plgpu.inline_mgpu) is not simulated: what it computes is not known",
                ));
            }
            AgentOp::Fence => {
                if let Some(races) = &mut self.memory.races {
                    match act.attributes.str("what") {
                        Some("shared") => races.commit(),
                        Some("tensor") => races.wait_tensor(true),
                        Some("tensor_loads") => races.wait_tensor(false),
                        _ => {}
                    }
                }
            }
            // Caches are not modelled.
            AgentOp::Prefetch => {}
        }
        self.agents[number].finish(step, results)?;
        Ok(true)
    }

    /// A semaphore: waiting lets others go on.
    pub(crate) fn semaphore(
        &mut self,
        number: usize,
        step: &'t Step,
        semaphore: &SemaphoreStep,
    ) -> Result<bool, RunError> {
        let place = match semaphore.op {
            SemaphoreOp::Barrier => None,
            _ => Some(self.place(number, step, 0)?),
        };
        if let (SemaphoreOp::Wait, Some(place)) = (semaphore.op, place) {
            // The amount stays where it is: the step may be taken up again.
            let wanted = operand(step, 1)?.register as usize;
            let wanted = match self.agents[number].registers.get(wanted) {
                Some(Value::Tile(amount)) => amount.item().and_then(Scalar::as_int).unwrap_or(0),
                _ => 0,
            };
            let count = self.memory.count(place)?;
            let lacks = i128::from(count) < wanted && !self.interpretation.only_counts();
            if lacks || self.sleeps(number, place, i64::try_from(wanted).unwrap_or(i64::MAX)) {
                let what = format!("{} to reach {wanted}; it is at {count}", semaphore.name);
                let (name, place) = (semaphore.name.clone(), Some(place));
                self.agents[number].waits = Some(Waiting { what, name, place, location: step.location });
                return Ok(false);
            }
        }
        match place {
            Some(place) if semaphore.op == SemaphoreOp::Signal && step.operands.len() > 2 => {
                self.signal_device(number, step, place, &semaphore.name)?;
            }
            _ => self.with_machine(number, |machine| machine.step(step))?,
        }
        if let Some(frame) = self.agents[number].frames.last_mut() {
            frame.next += 1;
        }
        if let Some(place) = place {
            self.wake(place);
        }
        Ok(true)
    }

    pub(super) fn view(&mut self, number: usize, step: &Step, position: usize) -> Result<View, RunError> {
        let source = operand(step, position)?;
        self.with_machine(number, |machine| machine.reference(source))
    }

    pub(super) fn tile(&mut self, number: usize, step: &Step, position: usize) -> Result<Array, RunError> {
        let source = operand(step, position)?;
        self.with_machine(number, |machine| machine.tile(source))
    }

    pub(super) fn integer(&mut self, number: usize, step: &Step, position: usize) -> Result<i64, RunError> {
        let source = operand(step, position)?;
        self.with_machine(number, |machine| machine.integer(source))
    }

    fn flag(&mut self, number: usize, step: &Step, position: usize) -> Result<bool, RunError> {
        Ok(self.tile(number, step, position)?.item().and_then(Scalar::as_bool) == Some(true))
    }

    pub(super) fn place(&mut self, number: usize, step: &Step, position: usize) -> Result<Place, RunError> {
        let view = self.view(number, step, position)?;
        self.with_machine(number, |machine| machine.place_of(&view))
    }

    /// The barrier at a place.
    fn barrier(&mut self, place: Place, name: &Arc<str>) -> Result<&mut Barrier, RunError> {
        let Some(ty) = self.blocks.barriers.get(&place.buffer).copied() else {
            return Err(RunError::malformed("a barrier outlived its scope"));
        };
        let mut needed = ty.arrivals;
        if ty.across.iter().any(|&set| set != 0) {
            // Each block of those that an arrival reaches arrives as often.
            let first = vec![0; self.topology.grid.len()];
            needed = needed.saturating_mul(self.topology.together(&first, &ty).len() as u32);
        }
        Ok(self.barriers.entry(place).or_insert_with(|| Barrier::new(name.clone(), needed)))
    }

    /// Arrives at one barrier; `clocks` is what whoever arrives knows.
    pub(super) fn arrive_here(
        &mut self,
        place: Place,
        name: &Arc<str>,
        clocks: Option<&Clocks>,
    ) -> Result<(), RunError> {
        let completes = self.barrier(place, name)?.arrive().map_err(broken)?;
        if let (Some(races), Some(clocks)) = (&mut self.memory.races, clocks) {
            races.arrive(place, clocks, completes);
        }
        if let Some(times) = &mut self.memory.times {
            times.arrive(place, completes);
        }
        if completes {
            self.wake(place);
        }
        Ok(())
    }

    /// Arrives at a barrier, in all blocks that it reaches.
    fn arrive(&mut self, number: usize, place: Place, name: &Arc<str>) -> Result<(), RunError> {
        let clocks = self.told();
        let ty = self.blocks.barriers.get(&place.buffer).copied();
        let blocks = match ty {
            Some(ty) if ty.across.iter().any(|&set| set != 0) => self.topology.reached(&self.agents[number].ids, &ty),
            _ => return self.arrive_here(place, name, clocks.as_ref()),
        };
        for block in blocks {
            let there = self.elsewhere(place.buffer, block)?;
            self.arrive_here(place.of(there), name, clocks.as_ref())?;
        }
        Ok(())
    }

    /// What the running agent knows, given away.
    fn told(&mut self) -> Option<Clocks> {
        self.memory.races.as_mut().map(|races| races.told())
    }

    /// An engine that the running agent starts.
    fn engine(&mut self, kind: EngineKind, step: &Step) -> Option<Engine> {
        self.memory.races.as_mut().map(|races| races.engine(kind, step.location))
    }

    /// A task of the agent.
    fn task(
        &self,
        number: usize,
        step: &Step,
        name: &Arc<str>,
        lane: Lane,
        work: Work,
        clocks: Option<Clocks>,
    ) -> Task {
        let agent = &self.agents[number];
        let (agent, actor, block) = (number, agent.actor, agent.block);
        Task { agent, actor, block, lane, work, name: name.clone(), clocks, op: step.op, location: step.location }
    }

    fn copy_in(&mut self, number: usize, step: &Step, act: &AgentStep) -> Result<(), RunError> {
        let (mut source, destination) = (self.view(number, step, 0)?, self.view(number, step, 1)?);
        let mut place = self.place(number, step, 2)?;
        let axes = act.attributes.ints("axes").unwrap_or_default().to_vec();
        let (index, together) = self.along(number, &axes);
        let part = act.attributes.int("partitioned").and_then(|axis| usize::try_from(axis).ok());
        if let Some(axis) = part {
            source = super::reach::part_of(&source, &destination, axis, index)?;
        }
        let mut parts = 1;
        if part.is_some() || act.attributes.flag("leader") {
            // Only the first block counts, once all have brought their parts.
            let Some(first) = together.first().map(|ids| self.topology.block(ids)) else { return Ok(()) };
            place = place.of(self.elsewhere(place.buffer, first)?);
            parts = together.len();
        }
        let mut engine = self.engine(EngineKind::Copy, step);
        self.memory.engine_access(&mut engine, &source, false);
        self.memory.engine_access(&mut engine, &destination, true);
        let work = Work::In { source, destination, place, parts };
        let task = self.task(number, step, &act.name, Lane::Free, work, engine.map(|engine| engine.done()));
        self.start(task)
    }

    fn copy_out(&mut self, number: usize, step: &Step, act: &AgentStep) -> Result<(), RunError> {
        let (source, destination) = (self.view(number, step, 0)?, self.view(number, step, 1)?);
        let closes = !act.attributes.flag("open");
        let made = !act.attributes.flag("predicated") || self.flag(number, step, 2)?;
        if made {
            let how = act.attributes.str("reduce").map(super::engines::combination).transpose()?;
            let kind = if how.is_some() { EngineKind::Reduction } else { EngineKind::Copy };
            let mut engine = self.engine(kind, step);
            self.memory.engine_access(&mut engine, &source, false);
            let read = engine.as_ref().map(Engine::done);
            let destinations = self.destinations(number, destination)?;
            for destination in &destinations {
                self.memory.engine_access(&mut engine, destination, true);
            }
            if let (Some(races), Some(engine), Some(read)) = (&mut self.memory.races, &engine, read) {
                races.copied_out(read, engine.done(), closes, step.location);
            }
            let lane = Lane::Group(self.agents[number].groups);
            for destination in destinations {
                let work = Work::Out { source: source.clone(), destination, how, data: None };
                let task = self.task(number, step, &act.name, lane, work, None);
                self.start(task)?;
            }
        } else if closes && let Some(races) = &mut self.memory.races {
            races.close_group();
        }
        self.agents[number].groups += usize::from(closes);
        Ok(())
    }

    fn store_across(&mut self, number: usize, step: &Step, act: &AgentStep) -> Result<(), RunError> {
        let value = self.tile(number, step, 0)?;
        let (place, barrier) = (self.view(number, step, 1)?, self.place(number, step, 2)?);
        let index = self.integer(number, step, 3)?;
        let how = act.attributes.str("combine").map(super::engines::combination).transpose()?;
        let block = self.block_at(number, &[act.attributes.int("axis").unwrap_or(-1)], &[index])?;
        let destination = super::blocks::moved(&place, self.elsewhere(place.buffer, block)?);
        let there = barrier.of(self.elsewhere(barrier.buffer, block)?);
        let kind = if how.is_some() { EngineKind::Reduction } else { EngineKind::Store };
        let mut engine = self.engine(kind, step);
        self.memory.engine_access(&mut engine, &destination, true);
        let work = Work::Store { value, destination, how, place: there };
        let task = self.task(number, step, &act.name, Lane::Free, work, engine.map(|engine| engine.done()));
        self.start(task)
    }

    fn product(&mut self, number: usize, step: &Step) -> Result<(), RunError> {
        let acc = self.view(number, step, 0)?;
        let source = operand(step, 1)?;
        let left = self.with_machine(number, |machine| machine.take(source))?;
        let right = self.view(number, step, 2)?;
        let mut engine = self.engine(EngineKind::Product, step);
        if let Value::Ref(view) = &left {
            self.memory.engine_access(&mut engine, view, false);
        }
        self.memory.engine_access(&mut engine, &right, false);
        if let (Some(races), Some(engine)) = (&mut self.memory.races, &engine) {
            races.multiplied(engine.done());
        }
        let work = Work::Product { acc, left, right };
        let task = self.task(number, step, &"a product".into(), Lane::Products, work, None);
        self.start(task)
    }

    fn mma(&mut self, number: usize, step: &Step, act: &AgentStep) -> Result<(), RunError> {
        let (acc, left, right) =
            (self.view(number, step, 0)?, self.view(number, step, 1)?, self.view(number, step, 2)?);
        let adds = self.flag(number, step, 3)?;
        let barrier = match act.attributes.flag("barrier") {
            true => Some(self.place(number, step, 4)?),
            false => None,
        };
        let first = 4 + usize::from(barrier.is_some());
        let scales = match act.attributes.flag("scaled") {
            true => Some((self.view(number, step, first)?, self.view(number, step, first + 1)?)),
            false => None,
        };
        let metadata = match act.attributes.flag("sparse") {
            true => Some(self.view(number, step, first + 2 * usize::from(scales.is_some()))?),
            false => None,
        };
        let pair = self.pair(number, act);
        let blocks = match &pair {
            None => vec![self.agents[number].block],
            // The first block multiplies for both.
            Some((false, _)) => return Ok(()),
            Some((true, blocks)) => blocks.clone(),
        };
        let is_pair = pair.is_some();
        let (mut factors, mut halves, mut places, mut of_left) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut places_of_left = Vec::new();
        for &block in &blocks {
            factors.push((self.in_block(number, &acc, block)?, self.in_block(number, &left, block)?));
            halves.push(self.in_block(number, &right, block)?);
            if let Some(metadata) = &metadata {
                places_of_left.push(self.in_block(number, metadata, block)?);
            }
            if let Some((left, _)) = &scales {
                of_left.push(self.in_block(number, left, block)?);
            }
            if let Some(place) = barrier {
                places.push(match is_pair {
                    true => place.of(self.elsewhere(place.buffer, block)?),
                    false => place,
                });
            }
        }
        let mut engine = self.engine(EngineKind::Product, step);
        let mut accumulators = Vec::new();
        if let Some(races) = &mut self.memory.races {
            for (acc, _) in &factors {
                let region = crate::races::Region::of(acc);
                let task = crate::races::TensorTask::Product { buffer: acc.buffer, region, pair: is_pair };
                if let Some(engine) = &mut engine {
                    races.behind(engine, &task);
                }
                accumulators.push(task);
            }
        }
        for (_, left) in &factors {
            self.memory.engine_access(&mut engine, left, false);
        }
        let of_factors = of_left.iter().chain(&places_of_left).chain(scales.iter().map(|(_, right)| right));
        for half in halves.iter().chain(of_factors) {
            self.memory.engine_access(&mut engine, half, false);
        }
        for (acc, _) in &factors {
            if let (true, Some(races), Some(engine)) = (adds, &mut self.memory.races, &engine) {
                races.engine_adds(engine, acc.buffer, &crate::races::Region::of(acc));
            }
            self.memory.engine_access(&mut engine, acc, true);
        }
        let done = engine.map(|engine| engine.done());
        if let (Some(races), Some(done)) = (&mut self.memory.races, &done) {
            accumulators.iter().for_each(|task| races.told_tensor(task, done));
        }
        let scales = scales.map(|(_, right)| (of_left, right));
        let work = Work::Mma { factors, halves, scales, places_of_left, adds, places };
        let task = self.task(number, step, &act.name, Lane::Tensor, work, done);
        self.start(task)
    }

    fn commit_products(&mut self, number: usize, step: &Step, act: &AgentStep) -> Result<(), RunError> {
        let place = self.place(number, step, 0)?;
        let mut places = Vec::new();
        match self.pair(number, act) {
            None => places.push(place),
            Some((false, _)) => return Ok(()),
            Some((true, blocks)) => {
                for block in blocks {
                    places.push(place.of(self.elsewhere(place.buffer, block)?));
                }
            }
        }
        let clocks = self.memory.races.as_mut().map(|races| races.tensor_done());
        let task = self.task(number, step, &act.name, Lane::Tensor, Work::Arrive { places }, clocks);
        self.start(task)
    }

    fn copy_to_tmem(&mut self, number: usize, step: &Step, act: &AgentStep) -> Result<(), RunError> {
        let what = match act.attributes.str("what") {
            Some("metadata") => Tensor::Places,
            Some("scales") => Tensor::Scales,
            _ => Tensor::Data,
        };
        let (source, destination) = (self.view(number, step, 0)?, self.view(number, step, 1)?);
        let pair = self.pair(number, act);
        let blocks = match &pair {
            None => vec![self.agents[number].block],
            Some((false, _)) => return Ok(()),
            Some((true, blocks)) => blocks.clone(),
        };
        let mut copies = Vec::new();
        for block in blocks {
            copies.push((self.in_block(number, &source, block)?, self.in_block(number, &destination, block)?));
        }
        let mut engine = self.engine(EngineKind::Copy, step);
        let copy = crate::races::TensorTask::Copy { pair: pair.is_some() };
        if let (Some(races), Some(engine)) = (&mut self.memory.races, &mut engine) {
            races.behind(engine, &copy);
        }
        for (source, destination) in &copies {
            self.memory.engine_access(&mut engine, source, false);
            self.memory.engine_access(&mut engine, destination, true);
        }
        let done = engine.map(|engine| engine.done());
        if let (Some(races), Some(done)) = (&mut self.memory.races, &done) {
            races.told_tensor(&copy, done);
        }
        let task = self.task(number, step, &act.name, Lane::Tensor, Work::ToTensor { copies, what }, done);
        self.start(task)
    }
}

/// An operand of a step; the verifier has not seen every launch.
pub(super) fn operand(step: &Step, position: usize) -> Result<Source, RunError> {
    step.operands.get(position).copied().ok_or_else(|| RunError::malformed(format!("operand {position} is missing")))
}

/// How many may still be under way.
fn count(act: &AgentStep) -> usize {
    act.attributes.int("count").and_then(|count| usize::try_from(count).ok()).unwrap_or(0)
}

/// What JAX's interpreter raises where a barrier is misused.
fn broken(message: String) -> RunError {
    RunError::new(RunErrorKind::Barrier(message))
}
