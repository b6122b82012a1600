//! What devices and cores do to each other: signals, copies, and the semaphores that count both. A signal or copy to
//! another device goes to the memory that this device has in the place of the Ref that the program names.

use crate::agents::act::operand;
use crate::agents::agent::Waiting;
use crate::agents::blocks::{Site, moved};
use crate::agents::world::World;
use crate::copies::{Ends, Pending};
use crate::error::RunError;
use crate::hooks::{Unmatched, UnmatchedSemaphore};
use crate::machine::Value;
use crate::memory::View;
use crate::semaphores::{Leftover, Place};
use crate::tape::{CopyStep, SemaphoreStep, Step};
use pallas_ir::{CopyOp, MemorySpace, RefType, SemaphoreOp};
use pallas_tensor::{DType, Scalar, Shape};
use std::sync::Arc;

impl<'t> World<'t, '_> {
    /// An op on a semaphore; whether it is over.
    pub(in crate::agents) fn peer_semaphore(
        &mut self,
        number: usize,
        step: &'t Step,
        semaphore: &SemaphoreStep,
    ) -> Result<bool, RunError> {
        match semaphore.op {
            SemaphoreOp::Barrier => {
                let ty = RefType::new(DType::I32, Shape::default(), MemorySpace::BarrierSemaphore);
                let site = (self.agents[number].block, Site::Barrier);
                let buffer = self.blocks.shared(self.memory, site, &ty, 1, self.interpretation)?;
                let view = Value::reference(View::whole(buffer, &ty.shape));
                self.agents[number].finish(step, [view])?;
                Ok(true)
            }
            SemaphoreOp::Signal => {
                let place = self.place(number, step, 0)?;
                let amount = self.integer(number, step, 1)?;
                let last = step.operands.len() - usize::from(semaphore.core);
                let device = self.device(number, step, 2, last)?;
                let core = match semaphore.core {
                    true => Some(self.integer(number, step, last)?),
                    false => None,
                };
                let there = self.core_at(number, device, core)?;
                if !self.is_barrier(place) {
                    self.reaches(number, there, step.location, false);
                }
                let place = place.of(self.at(place.buffer, there)?);
                let signal = self.memory.signal(&semaphore.name, step.location, false);
                self.memory.add_count(place, amount, signal)?;
                let far = there / self.cores() != self.agents[number].block / self.cores();
                if let Some(times) = &mut self.memory.times {
                    times.signal(place, amount, far);
                }
                if let Some(races) = &mut self.memory.races {
                    races.turn_of(self.agents[number].actor);
                    races.signal(place, None);
                }
                self.agents[number].finish(step, [])?;
                self.wake_all();
                Ok(true)
            }
            SemaphoreOp::Wait => {
                let place = self.place(number, step, 0)?;
                // The amount stays where it is: the step may be taken up again.
                let wanted = operand(step, 1)?.register as usize;
                let wanted = match self.agents[number].registers.get(wanted) {
                    Some(Value::Tile(amount)) => amount.item().and_then(Scalar::as_int).unwrap_or(0),
                    _ => 0,
                };
                let wanted = i64::try_from(wanted).unwrap_or(i64::MAX);
                if !self.count_reaches(number, step, place, wanted, &semaphore.name, false)? {
                    return Ok(false);
                }
                self.memory.timed_wait(place, (wanted, semaphore.keep), (&semaphore.name, step.location));
                self.taken(number, place, if semaphore.keep { 0 } else { wanted })?;
                self.agents[number].finish(step, [])?;
                Ok(true)
            }
            SemaphoreOp::Read => {
                self.with_machine(number, |machine| machine.step(step))?;
                if let Some(frame) = self.agents[number].frames.last_mut() {
                    frame.next += 1;
                }
                Ok(true)
            }
        }
    }

    /// A copy is started or waited for; whether that is over.
    pub(in crate::agents) fn peer_copy(
        &mut self,
        number: usize,
        step: &'t Step,
        copy: &CopyStep,
    ) -> Result<bool, RunError> {
        let (source, destination) = (self.view(number, step, 0)?, self.view(number, step, 1)?);
        let arrived = self.place(number, step, 2)?;
        let sent = match copy.remote {
            true => Some(self.place(number, step, 3)?),
            false => None,
        };
        match copy.op {
            CopyOp::Start => {
                let (mut destination, mut arrived) = (destination, arrived);
                let mut link = None;
                if copy.remote && step.operands.len() > 4 {
                    let last = step.operands.len() - usize::from(copy.core);
                    let device = self.device(number, step, 4, last)?;
                    let core = match copy.core {
                        true => self.integer(number, step, last)?,
                        // The same core of the other device.
                        false => (self.agents[number].block % self.cores()) as i64,
                    };
                    let there = self.core_at(number, device, Some(core))?;
                    self.reaches(number, there, step.location, true);
                    let devices = (self.agents[number].block / self.cores(), there / self.cores());
                    link = Some(devices).filter(|(from, to)| from != to);
                    destination = moved(&destination, self.at(destination.buffer, there)?);
                    arrived = arrived.of(self.at(arrived.buffer, there)?);
                }
                let ends = Ends { source: source.into(), destination: destination.into(), arrived, sent };
                let pending = Pending::new(self.memory, ends, copy, step.location)?;
                match self.memory.times.is_some() {
                    true => self.memory.rehearse_copy(&pending, link)?,
                    false => self.with_machine(number, |machine| machine.start_copy(pending))?,
                }
                self.agents[number].finish(step, [])?;
                self.wake_all();
                Ok(true)
            }
            CopyOp::Wait => {
                let bytes = self.memory.bytes(if copy.send { &source } else { &destination })?;
                let place = sent.filter(|_| copy.send).unwrap_or(arrived);
                if !self.count_reaches(number, step, place, bytes, copy.name(), true)? {
                    return Ok(false);
                }
                self.memory.timed_wait(place, (bytes, false), (copy.name(), step.location));
                self.taken(number, place, bytes)?;
                self.agents[number].finish(step, [])?;
                Ok(true)
            }
        }
    }

    /// An agent writes to another device: that device has to have begun, and somebody has to have said so.
    fn reaches(&mut self, number: usize, there: usize, location: u32, is_copy: bool) {
        let (cores, Some(sequence)) = (self.cores(), &self.sequence) else { return };
        let own = self.agents[number].block;
        if !sequence.meets_itself() || own / cores == there / cores {
            return;
        }
        let (actor, other) = (self.agents[number].actor, self.agents[there].actor);
        if let Some(races) = &mut self.memory.races {
            races.turn_of(actor);
            if !races.has_heard_of(other) {
                races.early(other, location, is_copy);
            }
        }
    }

    /// Whether a semaphore is the barrier semaphore, which is there before the kernel begins.
    fn is_barrier(&self, place: Place) -> bool {
        self.blocks.sites.get(&place.buffer).is_some_and(|(_, site)| *site == Site::Barrier)
    }

    /// Carries out what a semaphore needs to reach a count; whether it does. Whoever waits in vain stops.
    fn count_reaches(
        &mut self,
        number: usize,
        step: &Step,
        place: Place,
        wanted: i64,
        name: &Arc<str>,
        is_copy: bool,
    ) -> Result<bool, RunError> {
        if let Some(races) = &mut self.memory.races {
            races.turn_of(self.agents[number].actor);
        }
        if self.memory.carry_out_for(place, wanted)? {
            self.wake_all();
        }
        let count = self.memory.count(place)?;
        if count >= wanted && !self.sleeps(number, place, wanted) {
            return Ok(true);
        }
        let place_of_step = self.tape.locations.get(step.location as usize).and_then(|place| self.hooks.place(place));
        let at = place_of_step.map_or_else(String::new, |place| format!(" ({place})"));
        let what = match is_copy {
            true => format!("a copy of {wanted} bytes that {name} would count; it is at {count}{at}"),
            false => format!("{name} to reach {wanted}; it is at {count}{at}"),
        };
        let (name, location) = (name.clone(), step.location);
        self.agents[number].waits = Some(Waiting { what, name, place: Some(place), location });
        Ok(false)
    }

    /// Takes what was waited for off a count.
    fn taken(&mut self, number: usize, place: Place, amount: i64) -> Result<(), RunError> {
        if let Some(races) = &mut self.memory.races {
            races.turn_of(self.agents[number].actor);
        }
        self.memory.waited(place);
        self.memory.take_off(place, amount)
    }

    /// The device that operands name: one number, or one along each axis of the mesh. `None` where there are none.
    fn device(&mut self, number: usize, step: &Step, first: usize, last: usize) -> Result<Option<i64>, RunError> {
        let mut ids = Vec::new();
        for position in first..last {
            ids.push(self.integer(number, step, position)?);
        }
        let mesh = self.sequence.as_ref().map_or_else(Vec::new, |sequence| sequence.mesh().to_vec());
        Ok(match ids.as_slice() {
            [] => None,
            [id] => Some(*id),
            ids if ids.len() == mesh.len() => {
                Some(ids.iter().zip(&mesh).fold(0, |device, (&id, &extent)| device * extent as i64 + id))
            }
            ids => {
                return Err(RunError::eval(format!(
                    "device_id names {} axes, but the mesh has {}",
                    ids.len(),
                    mesh.len()
                )));
            }
        })
    }

    fn cores(&self) -> usize {
        self.sequence.as_ref().map_or(1, |sequence| sequence.cores())
    }

    /// The number of a core of a device: of the agent's own device, and of the first core, where nothing is said.
    fn core_at(&self, number: usize, device: Option<i64>, core: Option<i64>) -> Result<usize, RunError> {
        let cores = self.cores();
        let devices = self.sequence.as_ref().map_or(1, |sequence| sequence.devices());
        let own = self.agents[number].block / cores;
        let within = |what: &str, asked: i64, count: usize| {
            usize::try_from(asked).ok().filter(|&asked| asked < count).ok_or_else(|| {
                let plural = if count == 1 { "" } else { "s" };
                RunError::eval(format!(
                    "{what} {asked} is named, but there {} {count} {what}{plural}, numbered from 0. Take the remainder by the \
                     number of {what}s (`jax.lax.rem`) where a neighbour is computed",
                    if count == 1 { "is" } else { "are" },
                ))
            })
        };
        let device = match device {
            Some(device) => within("device", device, devices)?,
            None => own,
        };
        Ok(device * cores + within("core", core.unwrap_or(0), cores)?)
    }

    /// The buffer that another core has in the place of one.
    fn at(&mut self, buffer: usize, there: usize) -> Result<usize, RunError> {
        let Some(sequence) = &self.sequence else { return Ok(buffer) };
        let Some(ty) = self.blocks.ty(buffer).cloned() else {
            return Err(RunError::eval("a Ref that is no memory of its own is looked for on another device"));
        };
        let (block, users) = sequence.owner(there, &ty);
        self.blocks.elsewhere(self.memory, buffer, block, users, self.interpretation)
    }

    /// Lets all that wait for a semaphore look again.
    pub(in crate::agents) fn wake_all(&mut self) {
        for number in 0..self.agents.len() {
            if self.agents[number].waits.as_ref().is_some_and(|waits| waits.place.is_some()) {
                self.rouse(number);
            }
        }
    }

    /// Tells the hooks of semaphores above zero and of copies that nobody has waited for, once all programs have ended.
    pub(super) fn left_over(&mut self) {
        let mut left = self.memory.drop_copies(0);
        left.extend(self.memory.left_over(0));
        self.report_left(left);
    }

    /// The same for a buffer that is about to go.
    pub(in crate::agents) fn left_in(&mut self, buffer: usize) {
        let left = self.memory.left_in(buffer);
        self.report_left(left);
    }

    fn report_left(&mut self, left: Vec<(Place, Leftover)>) {
        for (place, Leftover { name, location, is_copy, count }) in left {
            let kind = if is_copy { Unmatched::CopyLeft } else { Unmatched::Left };
            let Some(location) = self.tape.locations.get(location as usize) else { continue };
            let owner = self.blocks.sites.get(&place.buffer).map(|(block, _)| *block);
            let name = match (owner, &self.sequence) {
                (Some(block), Some(sequence)) => {
                    sequence.named(&name, block / sequence.cores(), Some(block % sequence.cores()))
                }
                _ => name.to_string(),
            };
            let none = [];
            self.hooks.unmatched(&UnmatchedSemaphore { kind, name: &name, location, ids: &none, count, wanted: 0 });
        }
    }
}
