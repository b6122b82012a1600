//! What engines do for agents: copies, products. They are done at once, as JAX's GPU interpreter has them; or, where a run
//! looks for what that hides, at any time up to when somebody waits for them: drawn by the seed, or as late as may be.

use super::scales::{laid_out, of_halves, scaled_columns, scaled_rows};
use super::sparse;
use super::world::World;
use crate::error::RunError;
use crate::machine::Value;
use crate::memory::View;
use crate::races::Clocks;
use crate::semaphores::Place;
use crate::times::{About, Copying, LaneStage, Moment};
use pallas_ir::OpId;
use pallas_tensor::Array;
use pallas_tensor::ops::{self, BinaryOp, DotDimensions};
use std::sync::Arc;

/// When engines do what they are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delay {
    /// When they are told.
    Never,
    /// At any time until somebody waits, as the seed has it.
    Drawn,
    /// When nobody can go on, or somebody waits.
    Most,
}

/// What runs one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// Nothing else.
    Free,
    /// Nothing else; an agent's group of copies, by number.
    Group(usize),
    /// The products of an agent.
    Products,
    /// The tensor cores of a block.
    Tensor,
}

/// What an engine has been told to do.
pub(super) struct Task {
    /// For whom.
    pub(super) agent: usize,
    pub(super) actor: u32,
    pub(super) block: usize,
    pub(super) lane: Lane,
    pub(super) work: Work,
    /// The barrier that is arrived at.
    pub(super) name: Arc<str>,
    /// What is known when it is done.
    pub(super) clocks: Option<Clocks>,
    pub(super) op: OpId,
    pub(super) location: u32,
}

/// What is to be done.
pub(super) enum Work {
    /// A copy into shared memory; the barrier counts when so many parts have come.
    In { source: View, destination: View, place: Place, parts: usize },
    /// A copy out of it. `data`, once the source has been read.
    Out { source: View, destination: View, how: Option<BinaryOp>, data: Option<Array> },
    /// A store into the shared memory of another block.
    Store { value: Array, destination: View, how: Option<BinaryOp>, place: Place },
    /// `acc += left @ right` in registers.
    Product { acc: View, left: Value, right: View },
    /// The same in tensor memory: accumulators with their left factors, and the parts of the right one.
    Mma {
        factors: Vec<(View, View)>,
        halves: Vec<View>,
        /// Scales of the left factors, and of the right one.
        scales: Option<(Vec<View>, View)>,
        /// Of sparse left factors, where their elements stand.
        places_of_left: Vec<View>,
        adds: bool,
        places: Vec<Place>,
    },
    /// Copies into tensor memory.
    ToTensor { copies: Vec<(View, View)>, what: Tensor },
    /// Nothing but to arrive.
    Arrive { places: Vec<Place> },
}

/// What is copied into tensor memory.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tensor {
    Data,
    Scales,
    /// Where the elements of a sparse factor stand.
    Places,
}

impl Work {
    /// Whether it reads or writes a buffer.
    fn uses(&self, buffer: usize) -> bool {
        let is = |view: &View| view.buffer == buffer;
        match self {
            Work::In { source, destination, place, .. } => is(source) || is(destination) || place.buffer == buffer,
            Work::Out { source, destination, .. } => is(source) || is(destination),
            Work::Store { destination, place, .. } => is(destination) || place.buffer == buffer,
            Work::Product { acc, left, right } => is(acc) || is(right) || matches!(left, Value::Ref(left) if is(left)),
            Work::Mma { factors, halves, scales, places, places_of_left, .. } => {
                factors.iter().any(|(acc, left)| is(acc) || is(left))
                    || halves.iter().any(is)
                    || scales.iter().any(|(left, right)| left.iter().any(is) || is(right))
                    || places_of_left.iter().any(is)
                    || places.iter().any(|place| place.buffer == buffer)
            }
            Work::ToTensor { copies, .. } => copies.iter().any(|(from, to)| is(from) || is(to)),
            Work::Arrive { places } => places.iter().any(|place| place.buffer == buffer),
        }
    }
}

impl Task {
    /// Whether one has to be done before the other.
    fn shares_lane(&self, other: &Task) -> bool {
        match (self.lane, other.lane) {
            (Lane::Products, Lane::Products) => self.agent == other.agent,
            (Lane::Tensor, Lane::Tensor) => self.block == other.block,
            _ => false,
        }
    }
}

impl World<'_, '_> {
    /// An engine is told to do something.
    pub(super) fn start(&mut self, task: Task) -> Result<(), RunError> {
        self.time(&task)?;
        match self.delay {
            Delay::Never => self.land(task),
            _ => {
                self.tasks.push(task);
                Ok(())
            }
        }
    }

    /// What a task does to the clocks of a rehearsal.
    fn time(&mut self, task: &Task) -> Result<(), RunError> {
        if self.memory.times.is_none() {
            return Ok(());
        }
        let (block, op) = (task.block, task.op);
        let about = About { name: task.name.clone(), location: task.location, ..About::default() };
        let done = match &task.work {
            Work::In { source, destination, place, .. } => {
                let bytes = self.bytes(source)?;
                let (stage, copied) = self.memory.about_copy((source, destination), false);
                let phase = self.gathering(*place);
                self.copies(Copying { link: None, stage, bytes, about: About { phase, ..about.of(copied) } }).1
            }
            Work::Out { source, destination, .. } => {
                let bytes = self.bytes(source)?;
                let link = self.link(task.block, destination.buffer);
                let (stage, copied) = self.memory.about_copy((source, destination), link.is_some());
                // Groups are waited for, and no barrier.
                let about = About { name: "".into(), ..about.of(copied) };
                let (read, done) = self.copies(Copying { link, stage, bytes, about });
                if let (Lane::Group(group), Some(times)) = (task.lane, &mut self.memory.times) {
                    times.grouped(group, read, done);
                }
                done
            }
            Work::Store { value, destination, place, .. } => {
                let bytes = value.size() as u64 * value.dtype().size_bytes() as u64;
                let slot = self.memory.slot(destination);
                let phase = self.gathering(*place);
                let buffer = self.called(destination.buffer);
                let about = About { slot, phase, buffer, ..about };
                self.copies(Copying { link: None, stage: LaneStage::CopyOut, bytes, about }).1
            }
            Work::Product { right, .. } => {
                let about = About {
                    name: "".into(),
                    slot: self.memory.slot(right),
                    buffer: self.called(right.buffer),
                    ..about
                };
                self.multiplies(block, op, true, about)
            }
            Work::Mma { factors, places, .. } => {
                let acc = factors.first().map(|(acc, _)| acc.clone());
                let slot = acc.as_ref().and_then(|acc| self.memory.slot(acc));
                let buffer = acc.map(|acc| self.called(acc.buffer)).unwrap_or_default();
                let phase = places.first().and_then(|place| self.gathering(*place));
                let name = if places.is_empty() { "".into() } else { about.name.clone() };
                self.multiplies(block, op, false, About { name, slot, phase, buffer, ..about })
            }
            Work::ToTensor { .. } => return Ok(()),
            Work::Arrive { .. } => match &self.memory.times {
                Some(times) => times.tensor_done(),
                None => return Ok(()),
            },
        };
        if let Some(times) = &mut self.memory.times {
            times.at(done);
        }
        Ok(())
    }

    fn copies(&mut self, copying: Copying) -> (Moment, Moment) {
        self.memory.times.as_mut().map(|times| times.copy(copying)).unwrap_or_default()
    }

    fn multiplies(&mut self, block: usize, op: OpId, registers: bool, about: About) -> Moment {
        self.memory.times.as_mut().map(|times| times.product(block, op, registers, about)).unwrap_or_default()
    }

    fn called(&self, buffer: usize) -> Arc<str> {
        self.memory.times.as_ref().map(|times| times.called(buffer)).unwrap_or_default()
    }

    /// The phase of a barrier that arrivals count for now, from 1.
    fn gathering(&self, place: Place) -> Option<u64> {
        Some(self.barriers.get(&place).map_or(0, |barrier| barrier.phase) + 1)
    }

    /// From which device to which other one a copy of a block goes.
    fn link(&self, block: usize, buffer: usize) -> Option<(usize, usize)> {
        let there = self.blocks.sites.get(&buffer).map(|(block, _)| self.devices.of(*block))?;
        let here = self.devices.of(block);
        (here != there).then_some((here, there))
    }

    /// Bytes of what a Ref shows.
    fn bytes(&self, view: &View) -> Result<u64, RunError> {
        Ok(view.shape().size() as u64 * self.memory.dtype(view)?.size_bytes() as u64)
    }

    /// The tasks that can be done next, by position.
    pub(super) fn fronts(&self) -> Vec<usize> {
        let is_front = |at: &usize| !self.tasks[..*at].iter().any(|before| before.shares_lane(&self.tasks[*at]));
        (0..self.tasks.len()).filter(is_front).collect()
    }

    /// Has a task done.
    pub(super) fn land_at(&mut self, position: usize) -> Result<(), RunError> {
        let task = self.tasks.remove(position);
        let (op, location, block) = (task.op, task.location, task.agent);
        self.land(task).map_err(|error| {
            let error = match self.tape.locations.get(location as usize) {
                Some(location) => error.at(op, location),
                None => error,
            };
            match self.agents.get(block) {
                Some(agent) => error.in_program(&agent.ids),
                None => error,
            }
        })
    }

    /// Has tasks done that somebody waits for, in their order.
    fn land_those(&mut self, wanted: impl Fn(&Task) -> bool) -> Result<(), RunError> {
        while let Some(position) = self.tasks.iter().position(&wanted) {
            self.land_at(position)?;
        }
        Ok(())
    }

    /// Has everything done that uses a buffer, which is about to go.
    pub(super) fn land_uses_of(&mut self, buffer: usize) -> Result<(), RunError> {
        while let Some(position) = self.tasks.iter().position(|task| task.work.uses(buffer)) {
            let first = self.tasks[..position].iter().position(|before| before.shares_lane(&self.tasks[position]));
            self.land_at(first.unwrap_or(position))?;
        }
        Ok(())
    }

    /// Waits until at most so many groups of an agent's copies are under way.
    pub(super) fn drain(&mut self, number: usize, left: usize, read_only: bool) -> Result<(), RunError> {
        if let Some(races) = &mut self.memory.races {
            races.drain(left, read_only);
        }
        let first = self.agents[number].groups.saturating_sub(left);
        if let Some(times) = &mut self.memory.times {
            times.drain(number, first, read_only);
        }
        let is_wanted = |task: &Task| task.agent == number && matches!(task.lane, Lane::Group(group) if group < first);
        if !read_only {
            return self.land_those(is_wanted);
        }
        for task in self.tasks.iter_mut().filter(|task| is_wanted(task)) {
            if let Work::Out { source, data: data @ None, .. } = &mut task.work {
                *data = Some(self.memory.show(source)?);
            }
        }
        Ok(())
    }

    /// Waits until at most so many products of an agent are under way.
    pub(super) fn wait_products(&mut self, number: usize, left: usize) -> Result<(), RunError> {
        if let Some(races) = &mut self.memory.races {
            races.wait_products(left);
        }
        if let Some(times) = &mut self.memory.times {
            times.wait_products(number, left);
        }
        let is_product = |task: &Task| task.agent == number && task.lane == Lane::Products;
        let mut under_way = self.tasks.iter().filter(|task| is_product(task)).count();
        while under_way > left
            && let Some(position) = self.tasks.iter().position(is_product)
        {
            self.land_at(position)?;
            under_way -= 1;
        }
        Ok(())
    }

    /// Products into registers are waited for when the registers are read or written.
    pub(super) fn settle(&mut self, number: usize, buffer: usize) -> Result<(), RunError> {
        let writes = |task: &Task| {
            task.agent == number && matches!(&task.work, Work::Product { acc, .. } if acc.buffer == buffer)
        };
        match self.tasks.iter().any(writes) {
            true => self.wait_products(number, 0),
            false => Ok(()),
        }
    }

    /// An agent has ended: what it has not waited for belongs to nobody.
    pub(super) fn disown(&mut self, number: usize) {
        for task in self.tasks.iter_mut().filter(|task| task.agent == number) {
            if let Lane::Group(_) = task.lane {
                task.lane = Lane::Free;
            }
        }
    }

    /// Does it.
    fn land(&mut self, task: Task) -> Result<(), RunError> {
        let Task { actor, work, name, clocks, .. } = task;
        if let Some(races) = &mut self.memory.races {
            races.turn_of(actor);
        }
        let clocks = clocks.as_ref();
        // In a rehearsal nothing moves; only who arrives counts.
        let moves = self.memory.times.is_none() && !self.follows;
        match work {
            Work::In { source, destination, place, parts } => {
                if moves {
                    let data = self.memory.show(&source)?;
                    let data = ops::reshape(&data, destination.shape())?;
                    self.memory.replace(&destination, data)?;
                }
                if parts < 2 {
                    return self.arrive_here(place, &name, clocks);
                }
                let (come, known) = self.parts.entry(place).or_default();
                *come += 1;
                if let Some(clocks) = clocks {
                    known.join(clocks);
                }
                if *come == parts {
                    *come = 0;
                    let known = std::mem::take(known);
                    self.arrive_here(place, &name, Some(&known))?;
                }
            }
            Work::Out { .. } | Work::Product { .. } | Work::ToTensor { .. } if !moves => {}
            Work::Out { source, destination, how, data } => {
                let data = match data {
                    Some(data) => data,
                    None => self.memory.show(&source)?,
                };
                let data = ops::reshape(&data, destination.shape())?;
                self.combine(&destination, data, how)?;
            }
            Work::Store { value, destination, how, place } => {
                if moves {
                    self.combine(&destination, value, how)?;
                }
                self.arrive_here(place, &name, clocks)?;
            }
            Work::Product { acc, left, right } => {
                let left = match left {
                    Value::Ref(view) => self.memory.show(&view)?,
                    Value::Tile(tile) => tile,
                    Value::Empty | Value::Number(_) | Value::Window(_) | Value::Coming(_) => {
                        return Err(RunError::malformed("a factor is missing"));
                    }
                };
                let right = self.memory.show(&right)?;
                self.accumulate(&acc, &left, &right, true)?;
            }
            Work::Mma { places, .. } if !moves => {
                for place in places {
                    self.arrive_here(place, &name, clocks)?;
                }
            }
            Work::Mma { factors, halves, scales, places_of_left, adds, places } => {
                let halves = halves.iter().map(|half| self.memory.show(half)).collect::<Result<Vec<_>, _>>()?;
                let right = match halves.as_slice() {
                    [right] => right.clone(),
                    halves => ops::concatenate(&halves.iter().collect::<Vec<_>>(), 1)?,
                };
                let right = match &scales {
                    None => right,
                    Some((_, of_right)) => {
                        let of_right = self.memory.show(of_right)?;
                        let columns = right.shape().last().copied().unwrap_or(0);
                        let halved = factors.len() > 1 && factors[0].0.shape().first() == Some(&64);
                        let of_right = if halved { of_halves(&of_right, columns)? } else { of_right };
                        scaled_columns(&right, &of_right)?
                    }
                };
                for (number, (acc, left)) in factors.iter().enumerate() {
                    let left = self.memory.show(left)?;
                    let left = match places_of_left.get(number) {
                        None => left,
                        Some(places) => sparse::dense(&left, &self.memory.show(places)?)?,
                    };
                    let left = match scales.as_ref().and_then(|(of_left, _)| of_left.get(number)) {
                        None => left,
                        Some(of_left) => scaled_rows(&left, &self.memory.show(of_left)?)?,
                    };
                    self.accumulate(acc, &left, &right, adds)?;
                }
                for place in places {
                    self.arrive_here(place, &name, clocks)?;
                }
            }
            Work::ToTensor { copies, what } => {
                for (from, to) in copies {
                    let data = self.memory.show(&from)?;
                    let data = match what {
                        Tensor::Data => data,
                        Tensor::Scales => laid_out(&data, &to.shape())?,
                        Tensor::Places => sparse::laid_out(&data, &to.shape())?,
                    };
                    self.memory.replace(&to, data)?;
                }
            }
            Work::Arrive { places } => {
                for place in places {
                    self.arrive_here(place, &name, clocks)?;
                }
            }
        }
        Ok(())
    }

    /// Writes, combined with what is there.
    fn combine(&mut self, place: &View, data: Array, how: Option<BinaryOp>) -> Result<(), RunError> {
        let data = match how {
            None => data,
            Some(op) => ops::binary(op, self.memory.show(place)?, data)?,
        };
        self.memory.replace(place, data)
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
}

/// How a copy or store combines with what is there.
pub(super) fn combination(how: &str) -> Result<BinaryOp, RunError> {
    Ok(match how {
        "add" => BinaryOp::Add,
        "max" | "umax" | "smax" => BinaryOp::Max,
        "min" | "umin" | "smin" => BinaryOp::Min,
        "and" => BinaryOp::And,
        "or" => BinaryOp::Or,
        "xor" => BinaryOp::Xor,
        how => return Err(RunError::eval(format!("copies that combine by `{how}` are not simulated"))),
    })
}
