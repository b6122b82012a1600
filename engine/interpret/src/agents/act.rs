//! What an agent does to others: arrives at barriers and waits for them, has its engines copy and multiply, reaches other
//! blocks. Copies and products are done at once, as JAX's GPU interpreter has them.

use super::agent::Waiting;
use super::barriers::{Barrier, Waited};
use super::blocks::moved;
use super::world::World;
use crate::error::{RunError, RunErrorKind};
use crate::machine::Value;
use crate::memory::{View, ViewDim};
use crate::semaphores::Place;
use crate::tape::{AgentStep, SemaphoreStep, Source, Step};
use pallas_ir::{AgentOp, SemaphoreOp, Type};
use pallas_tensor::ops::{self, BinaryOp, DotDimensions};
use pallas_tensor::{Array, DType, Scalar};
use std::sync::Arc;

impl<'t> World<'t, '_> {
    /// Whether the step is over.
    pub(crate) fn act(&mut self, number: usize, step: &'t Step, act: &AgentStep) -> Result<bool, RunError> {
        let mut results = Vec::new();
        match act.op {
            AgentOp::Wait => {
                let place = self.place(number, step, 0)?;
                let thread = self.agents[number].thread;
                let barrier = self.barrier(place, &act.name)?;
                match barrier.wait(thread).map_err(broken)? {
                    Waited::Over => {}
                    Waited::NotYet => {
                        let what = barrier.words(thread);
                        self.agents[number].waits = Some(Waiting { what, place: Some(place), location: step.location });
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
            AgentOp::StoreAcross => self.store_across(number, step, act)?,
            AgentOp::Product => self.product(number, step)?,
            AgentOp::Mma => self.mma(number, step, act)?,
            AgentOp::MmaCommit => {
                let place = self.place(number, step, 0)?;
                match self.pair(number, act) {
                    None => self.arrive_here(place, &act.name)?,
                    Some((false, _)) => {}
                    Some((true, blocks)) => {
                        for block in blocks {
                            let there = self.elsewhere(place.buffer, block)?;
                            self.arrive_here(place.of(there), &act.name)?;
                        }
                    }
                }
            }
            AgentOp::CopyToTmem => self.copy_to_tmem(number, step, act)?,
            AgentOp::Reach => results.push(Value::Ref(self.reach(number, step, act)?)),
            AgentOp::StoreEverywhere => {
                let (value, place) = (self.tile(number, step.operands[0])?, self.view(number, step, 1)?);
                self.memory.replace(&place, value)?;
            }
            AgentOp::LoadEverywhere => {
                let place = self.view(number, step, 0)?;
                results.push(Value::Tile(self.memory.show(&place)?));
            }
            AgentOp::SignalEverywhere => {
                let place = self.place(number, step, 0)?;
                let amount = self.with_machine(number, |machine| machine.integer(step.operands[1]))?;
                let signal =
                    crate::semaphores::LastSignal { name: act.name.clone(), location: step.location, is_copy: false };
                self.memory.add_count(place, amount, signal)?;
                self.wake(place);
            }
            // Every block of the grid is run: none is left to be given away.
            AgentOp::Cancel => {
                let place = self.place(number, step, 1)?;
                self.arrive_here(place, &act.name)?;
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
                let buffer = match self.globals.get(&step.op.0) {
                    Some(&buffer) => buffer,
                    None => {
                        let buffer = self.blocks.private(self.memory, ty, self.interpretation)?;
                        self.globals.insert(step.op.0, buffer);
                        buffer
                    }
                };
                results.push(Value::Ref(View::whole(buffer, &ty.shape)));
            }
            AgentOp::Foreign => {
                return Err(RunError::eval(
                    "code in another language (plgpu.inline_mgpu) is not simulated: what it computes is not known",
                ));
            }
            // What is done at once needs no wait, and all see all memory in the same order.
            AgentOp::Commit | AgentOp::Drain | AgentOp::Prefetch | AgentOp::ProductWait | AgentOp::Fence => {}
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
            let wanted = match &self.agents[number].registers[step.operands[1].register as usize] {
                Value::Tile(amount) => amount.item().and_then(Scalar::as_int).unwrap_or(0),
                _ => 0,
            };
            let count = self.memory.count(place)?;
            if i128::from(count) < wanted && !self.interpretation.only_counts() {
                let what = format!("{} to reach {wanted}; it is at {count}", semaphore.name);
                self.agents[number].waits = Some(Waiting { what, place: Some(place), location: step.location });
                return Ok(false);
            }
        }
        self.with_machine(number, |machine| machine.step(step))?;
        if let Some(frame) = self.agents[number].frames.last_mut() {
            frame.next += 1;
        }
        if let Some(place) = place {
            self.wake(place);
        }
        Ok(true)
    }

    fn view(&mut self, number: usize, step: &Step, position: usize) -> Result<View, RunError> {
        let Some(&source) = step.operands.get(position) else { return Err(RunError::malformed("a Ref is missing")) };
        self.with_machine(number, |machine| machine.reference(source))
    }

    fn tile(&mut self, number: usize, source: Source) -> Result<Array, RunError> {
        self.with_machine(number, |machine| machine.tile(source))
    }

    fn place(&mut self, number: usize, step: &Step, position: usize) -> Result<Place, RunError> {
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
            needed *= self.topology.reached(&first, &ty).len() as u32;
        }
        Ok(self.barriers.entry(place).or_insert_with(|| Barrier::new(name.clone(), needed)))
    }

    /// Arrives at one barrier.
    fn arrive_here(&mut self, place: Place, name: &Arc<str>) -> Result<(), RunError> {
        if self.barrier(place, name)?.arrive().map_err(broken)? {
            self.wake(place);
        }
        Ok(())
    }

    /// Arrives at a barrier, in all blocks that it reaches.
    fn arrive(&mut self, number: usize, place: Place, name: &Arc<str>) -> Result<(), RunError> {
        let ty = self.blocks.barriers.get(&place.buffer).copied();
        let blocks = match ty {
            Some(ty) if ty.across.iter().any(|&set| set != 0) => self.topology.reached(&self.agents[number].ids, &ty),
            _ => return self.arrive_here(place, name),
        };
        for block in blocks {
            let there = self.elsewhere(place.buffer, block)?;
            self.arrive_here(place.of(there), name)?;
        }
        Ok(())
    }

    fn elsewhere(&mut self, buffer: usize, block: usize) -> Result<usize, RunError> {
        self.blocks.elsewhere(self.memory, buffer, block, self.topology.threads(), self.interpretation)
    }

    /// Where a block is along some axes, and ids of all blocks there.
    fn along(&self, number: usize, axes: &[i64]) -> (usize, Vec<Vec<usize>>) {
        let axes: Vec<usize> = axes.iter().filter_map(|&axis| usize::try_from(axis).ok()).collect();
        let ids = &self.agents[number].ids;
        let index = axes.iter().fold(0, |index, &axis| index * self.topology.grid[axis] + ids[axis]);
        (index, self.topology.along(ids, &axes))
    }

    fn copy_in(&mut self, number: usize, step: &Step, act: &AgentStep) -> Result<(), RunError> {
        let (mut source, destination) = (self.view(number, step, 0)?, self.view(number, step, 1)?);
        let place = self.place(number, step, 2)?;
        let axes = act.attributes.ints("axes").unwrap_or_default().to_vec();
        let (index, together) = self.along(number, &axes);
        let part = act.attributes.int("partitioned").and_then(|axis| usize::try_from(axis).ok());
        if let Some(axis) = part {
            let extent = destination.shape().get(axis).copied().unwrap_or(0);
            source = part_of(&source, axis, index * extent, extent);
        }
        let data = self.memory.show(&source)?;
        let data = ops::reshape(&data, destination.shape())?;
        self.memory.replace(&destination, data)?;
        if part.is_none() && !act.attributes.flag("leader") {
            return self.arrive_here(place, &act.name);
        }
        // Only the first block counts, once all have brought their parts.
        let Some(first) = together.first().map(|ids| self.topology.block(ids)) else { return Ok(()) };
        let place = place.of(self.elsewhere(place.buffer, first)?);
        let come = self.parts.entry(place).or_default();
        *come += 1;
        if *come == together.len() {
            *come = 0;
            self.arrive_here(place, &act.name)?;
        }
        Ok(())
    }

    fn copy_out(&mut self, number: usize, step: &Step, act: &AgentStep) -> Result<(), RunError> {
        let (source, destination) = (self.view(number, step, 0)?, self.view(number, step, 1)?);
        if act.attributes.flag("predicated") {
            let made = self.tile(number, step.operands[2])?;
            if made.item().and_then(Scalar::as_bool) != Some(true) {
                return Ok(());
            }
        }
        let data = self.memory.show(&source)?;
        let data = ops::reshape(&data, destination.shape())?;
        self.combine(&destination, data, act.attributes.str("reduce"))
    }

    /// Writes, combined with what is there.
    fn combine(&mut self, place: &View, data: Array, how: Option<&str>) -> Result<(), RunError> {
        let op = match how {
            None => return self.memory.replace(place, data),
            Some("add") => BinaryOp::Add,
            Some("max" | "umax" | "smax") => BinaryOp::Max,
            Some("min" | "umin" | "smin") => BinaryOp::Min,
            Some("and") => BinaryOp::And,
            Some("or") => BinaryOp::Or,
            Some("xor") => BinaryOp::Xor,
            Some(how) => return Err(RunError::eval(format!("copies that combine by `{how}` are not simulated"))),
        };
        let old = self.memory.show(place)?;
        self.memory.replace(place, ops::binary(op, old, data)?)
    }

    fn store_across(&mut self, number: usize, step: &Step, act: &AgentStep) -> Result<(), RunError> {
        let value = self.tile(number, step.operands[0])?;
        let (place, barrier) = (self.view(number, step, 1)?, self.place(number, step, 2)?);
        let index = self.with_machine(number, |machine| machine.integer(step.operands[3]))?;
        let axis = act.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok());
        let mut ids = self.agents[number].ids.clone();
        if let Some(id) = axis.and_then(|axis| ids.get_mut(axis)) {
            *id = usize::try_from(index).unwrap_or(0);
        }
        let block = self.topology.block(&ids);
        let place = moved(&place, self.elsewhere(place.buffer, block)?);
        self.combine(&place, value, act.attributes.str("combine"))?;
        let there = self.elsewhere(barrier.buffer, block)?;
        self.arrive_here(barrier.of(there), &act.name)
    }

    fn product(&mut self, number: usize, step: &Step) -> Result<(), RunError> {
        let acc = self.view(number, step, 0)?;
        let left = match self.with_machine(number, |machine| machine.take(step.operands[1]))? {
            Value::Ref(view) => self.memory.show(&view)?,
            Value::Tile(tile) => tile,
            Value::Empty => return Err(RunError::malformed("a factor is missing")),
        };
        let right = self.view(number, step, 2)?;
        let right = self.memory.show(&right)?;
        self.accumulate(&acc, &left, &right, true)
    }

    fn accumulate(&mut self, acc: &View, left: &Array, right: &Array, adds: bool) -> Result<(), RunError> {
        let dtype = self.memory.dtype(acc)?;
        let (left, right) = (ops::convert(left, dtype)?, ops::convert(right, dtype)?);
        let product = ops::dot_general(&left, &right, &DotDimensions::matrix_product(), dtype)?;
        let value = match adds {
            true => ops::binary(BinaryOp::Add, self.memory.show(acc)?, product)?,
            false => product,
        };
        self.memory.replace(acc, value)
    }

    /// Whether the block leads those that multiply together, and which they are; `None` where each multiplies for itself.
    fn pair(&self, number: usize, act: &AgentStep) -> Option<(bool, Vec<usize>)> {
        let axis = act.attributes.int("axis")? - 1;
        let (index, ids) = self.along(number, &[axis]);
        Some((index == 0, ids.iter().map(|ids| self.topology.block(ids)).collect()))
    }

    fn mma(&mut self, number: usize, step: &Step, act: &AgentStep) -> Result<(), RunError> {
        if act.attributes.flag("scaled") || act.attributes.flag("sparse") {
            return Err(RunError::eval("products with scales or sparse factors are not simulated yet"));
        }
        let (acc, left, right) =
            (self.view(number, step, 0)?, self.view(number, step, 1)?, self.view(number, step, 2)?);
        let adds = self.tile(number, step.operands[3])?.item().and_then(Scalar::as_bool) == Some(true);
        let barrier = match act.attributes.flag("barrier") {
            true => Some(self.place(number, step, 4)?),
            false => None,
        };
        match self.pair(number, act) {
            None => {
                let (left, right) = (self.memory.show(&left)?, self.memory.show(&right)?);
                self.accumulate(&acc, &left, &right, adds)?;
                if let Some(place) = barrier {
                    self.arrive_here(place, &act.name)?;
                }
            }
            // The first block multiplies for both.
            Some((false, _)) => {}
            Some((true, blocks)) => {
                let mut halves = Vec::new();
                for &block in &blocks {
                    let there = moved(&right, self.elsewhere(right.buffer, block)?);
                    halves.push(self.memory.show(&there)?);
                }
                let halves: Vec<&Array> = halves.iter().collect();
                let right = ops::concatenate(&halves, 1)?;
                for &block in &blocks {
                    let left = moved(&left, self.elsewhere(left.buffer, block)?);
                    let left = self.memory.show(&left)?;
                    let acc = moved(&acc, self.elsewhere(acc.buffer, block)?);
                    self.accumulate(&acc, &left, &right, adds)?;
                    if let Some(place) = barrier {
                        let there = self.elsewhere(place.buffer, block)?;
                        self.arrive_here(place.of(there), &act.name)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn copy_to_tmem(&mut self, number: usize, step: &Step, act: &AgentStep) -> Result<(), RunError> {
        if act.attributes.str("what").is_some_and(|what| what != "data") {
            return Err(RunError::eval("copies of scales and metadata are not simulated yet"));
        }
        let (source, destination) = (self.view(number, step, 0)?, self.view(number, step, 1)?);
        let blocks = match self.pair(number, act) {
            None => vec![self.agents[number].block],
            Some((false, _)) => Vec::new(),
            Some((true, blocks)) => blocks,
        };
        for block in blocks {
            let own = block == self.agents[number].block;
            let (from, to) = match own {
                true => (source.clone(), destination.clone()),
                false => (
                    moved(&source, self.elsewhere(source.buffer, block)?),
                    moved(&destination, self.elsewhere(destination.buffer, block)?),
                ),
            };
            let data = self.memory.show(&from)?;
            self.memory.replace(&to, data)?;
        }
        Ok(())
    }

    fn reach(&mut self, number: usize, step: &Step, act: &AgentStep) -> Result<View, RunError> {
        let view = self.view(number, step, 0)?;
        let mut where_to = Vec::new();
        for &source in &step.operands[1..] {
            where_to.push(self.with_machine(number, |machine| machine.integer(source))?);
        }
        if act.attributes.str("what") != Some("cluster") {
            return match where_to.iter().all(|&id| id == 0) {
                true => Ok(view),
                false => Err(RunError::eval("other devices are not simulated: run the kernel on one device")),
            };
        }
        let mut ids = self.agents[number].ids.clone();
        for (&axis, index) in act.attributes.ints("axes").unwrap_or_default().iter().zip(where_to) {
            if let Some(id) = usize::try_from(axis).ok().and_then(|axis| ids.get_mut(axis)) {
                *id = usize::try_from(index).unwrap_or(0);
            }
        }
        let block = self.topology.block(&ids);
        Ok(moved(&view, self.elsewhere(view.buffer, block)?))
    }
}

/// What JAX's interpreter raises where a barrier is misused.
fn broken(message: String) -> RunError {
    RunError::new(RunErrorKind::Eval(message))
}

/// Some positions along an axis.
fn part_of(view: &View, axis: usize, start: usize, size: usize) -> View {
    let parts: Vec<ViewDim> = view
        .shape()
        .iter()
        .enumerate()
        .map(|(at, &extent)| match at == axis {
            true => ViewDim::Range { start, size, stride: 1 },
            false => ViewDim::Range { start: 0, size: extent, stride: 1 },
        })
        .collect();
    view.select(&parts)
}
