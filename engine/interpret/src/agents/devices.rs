//! GPU kernels that reach into other devices: the blocks of all devices of a mesh run at the same time, each device with
//! arrays of its own. A Ref, a store or a signal goes to what the other device has in the place of what the program names.
//! How arrays are dealt to devices is in `peers`.

use super::act::operand;
use super::blocks::{Site, moved};
use super::engines::combination;
use super::peers::Peers;
use super::topology::Topology;
use super::world::World;
use crate::error::RunError;
use crate::hooks::Hooks;
use crate::launch::LaunchPlan;
use crate::machine::{Value, registers};
use crate::memory::{Memory, View};
use crate::races::Races;
use crate::semaphores::Place;
use crate::tape::{AgentStep, Step};
use pallas_ir::{MemorySpace, RefType, Role};
use pallas_tensor::{Array, DType, ops};
use std::collections::HashMap;
use std::sync::Arc;

/// The devices of a world, one where nothing is said.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    /// Extents of the mesh: the first axes of the grid.
    mesh: Vec<usize>,
    /// How many blocks a device has.
    blocks: usize,
    /// Buffers that stand for one on all devices along axes of the mesh, with the buffer of the device that asked.
    everywhere: HashMap<usize, (usize, Vec<usize>)>,
}

impl Devices {
    /// The number of the device of a block.
    pub(super) fn of(&self, block: usize) -> usize {
        block.checked_div(self.blocks).unwrap_or(0)
    }

    /// The first block of a device, which stands for it.
    fn first(&self, device: usize) -> usize {
        device * self.blocks
    }

    pub(super) fn count(&self) -> usize {
        self.mesh.iter().product()
    }

    pub(super) fn axes(&self) -> usize {
        self.mesh.len()
    }

    /// Where a device is along the axes of the mesh.
    pub(super) fn place(&self, mut device: usize) -> Vec<usize> {
        let mut place = vec![0; self.mesh.len()];
        for (at, &extent) in place.iter_mut().zip(&self.mesh).rev() {
            *at = device % extent.max(1);
            device /= extent.max(1);
        }
        place
    }

    fn number(&self, place: &[usize]) -> usize {
        place.iter().zip(&self.mesh).fold(0, |number, (&at, &extent)| number * extent + at)
    }

    /// The devices that lie along some axes of the mesh from one.
    fn along(&self, device: usize, axes: &[usize]) -> Vec<usize> {
        let mut found = vec![self.place(device)];
        for &axis in axes {
            let extent = self.mesh.get(axis).copied().unwrap_or(1);
            found = found
                .into_iter()
                .flat_map(|place| {
                    (0..extent).map(move |index| {
                        let mut place = place.clone();
                        if let Some(at) = place.get_mut(axis) {
                            *at = index;
                        }
                        place
                    })
                })
                .collect();
        }
        found.iter().map(|place| self.number(place)).collect()
    }
}

/// Runs a launch; for each device what its outputs hold, with their padding.
pub(super) fn run(
    (peers, plan, topology): (&Peers, &LaunchPlan, &Topology),
    memory: &mut Memory,
    arrays: Vec<Vec<Option<Array>>>,
    hooks: &mut dyn Hooks,
) -> Result<Vec<Vec<Array>>, RunError> {
    if (peers.detects_races() || hooks.wants_races(true)) && hooks.pace().is_none() {
        memory.races = Some(Box::new(Races::new()));
    }
    let mesh = topology.grid[..peers.device_axes()].to_vec();
    let devices = Devices { blocks: topology.blocks() / arrays.len().max(1), mesh, everywhere: HashMap::new() };
    let (mut shared, mut outputs, mut adopted) = (Vec::new(), Vec::new(), Vec::new());
    for (device, given) in arrays.into_iter().enumerate() {
        let mut own = registers(&plan.tape);
        let (mut buffers, mut results): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut inputs = Vec::new();
        for (position, (given, known)) in given.into_iter().zip(&plan.operands).enumerate() {
            let (ty, name) = peers.operand(position);
            let alias = plan.aliases.iter().find(|(_, output)| known.role == Role::Output && *output == results.len());
            let buffer = match (given, alias.and_then(|(input, _)| inputs.get(*input))) {
                (Some(array), _) => memory.add(array),
                (None, Some(&buffer)) => buffer,
                (None, None) => memory.add(peers.begun(position)?),
            };
            let ty = RefType::new(ty.dtype, ty.shape.clone(), MemorySpace::Any);
            memory.declare_array(buffer, Some(&format!("{name} of device {device}").into()), &ty);
            if let Some(&param) = plan.tape.body.params.get(position) {
                own[param as usize] = Value::reference(View::whole(buffer, &ty.shape));
            }
            adopted.push((buffer, (devices.first(device), Site::Operand(position)), ty));
            buffers.push(buffer);
            match known.role {
                Role::Output => results.push(buffer),
                _ => inputs.push(buffer),
            }
        }
        shared.push(own);
        outputs.push(results);
    }
    let shared: Vec<&[Value]> = shared.iter().map(Vec::as_slice).collect();
    let none = vec![0; topology.grid.len()];
    let (prepared, interpretation) = ((&*shared, &*plan.scratch), peers.interpretation());
    let mut world = World::new((&plan.tape, topology), devices, memory, hooks, interpretation, prepared, &none)?;
    for (buffer, site, ty) in adopted {
        world.blocks.adopt(buffer, site, ty);
    }
    world.run()?;
    let held = |buffer: &usize| world.memory.buffers[*buffer].array.clone();
    let ended = outputs.iter().map(|buffers| buffers.iter().map(held).collect()).collect();
    // Whoever has the only reference to an array may write to it in place.
    world.memory.buffers.clear();
    Ok(ended)
}

impl World<'_, '_> {
    /// The device that operands from a position on name: one number, or one along each axis of the mesh, or along those that
    /// the op names.
    pub(super) fn named_device(
        &mut self,
        number: usize,
        step: &Step,
        first: usize,
        named: Option<&[i64]>,
    ) -> Result<usize, RunError> {
        let mut ids = Vec::new();
        for position in first..step.operands.len() {
            ids.push(self.integer(number, step, position)?);
        }
        let own = self.devices.of(self.agents[number].block);
        let mesh = self.devices.mesh.clone();
        let within = |id: i64, extent: usize, what: &str| {
            usize::try_from(id).ok().filter(|&id| id < extent).ok_or_else(|| {
                RunError::eval(format!(
                    "{what} {id} is named, but there are {extent}, numbered from 0. Take the remainder by their number \
                     (`jax.lax.rem`) where a neighbour is computed",
                ))
            })
        };
        if mesh.is_empty() {
            return match ids.iter().find(|&&id| id != 0) {
                None => Ok(0),
                Some(id) => Err(RunError::eval(format!(
                    "device {id} is reached, but the kernel runs on one device: launch it in jax.shard_map over a mesh of \
                     devices"
                ))),
            };
        }
        match (named, ids.as_slice()) {
            (_, []) => Ok(own),
            (Some(axes), ids) => {
                let mut place = self.devices.place(own);
                for (&axis, &id) in axes.iter().zip(ids) {
                    let known = usize::try_from(axis).ok().filter(|&axis| axis < mesh.len());
                    let axis = known.ok_or_else(|| RunError::eval("a device is named along an axis of no mesh"))?;
                    place[axis] = within(id, mesh[axis], "a device along an axis of the mesh with number")?;
                }
                Ok(self.devices.number(&place))
            }
            (None, [id]) => within(*id, self.devices.count(), "device"),
            (None, ids) if ids.len() == mesh.len() => {
                let mut place = Vec::with_capacity(ids.len());
                for (&id, &extent) in ids.iter().zip(&mesh) {
                    place.push(within(id, extent, "a device along an axis of the mesh with number")?);
                }
                Ok(self.devices.number(&place))
            }
            (None, ids) => Err(RunError::eval(format!(
                "a device is named by {} numbers, but the mesh has {} axes",
                ids.len(),
                mesh.len()
            ))),
        }
    }

    /// The buffer that a device has in the place of one that an agent names.
    pub(super) fn on_device(&mut self, number: usize, buffer: usize, device: usize) -> Result<usize, RunError> {
        let block = self.agents[number].block;
        let own = self.devices.of(block);
        if own == device {
            return Ok(buffer);
        }
        // Arrays and global semaphores are kept for the first block of their device.
        let there = match self.blocks.sites.get(&buffer) {
            Some((_, Site::Operand(_) | Site::Global(_))) => self.devices.first(device),
            _ => block - self.devices.first(own) + self.devices.first(device),
        };
        self.elsewhere(buffer, there)
    }

    /// The devices that an op means that names axes of the mesh, its own among them.
    fn named_devices(&self, number: usize, act: &AgentStep) -> Vec<usize> {
        let axes = axes(act);
        self.devices.along(self.devices.of(self.agents[number].block), &axes)
    }

    /// A Ref that stands for one on all devices.
    pub(super) fn reach_everywhere(&mut self, view: &View, act: &AgentStep) -> Result<View, RunError> {
        let axes = axes(act);
        let known =
            self.devices.everywhere.iter().find(|(_, (buffer, along))| *buffer == view.buffer && *along == axes);
        let buffer = match known {
            Some((&buffer, _)) => buffer,
            None => {
                let array = &self.memory.buffers[view.buffer].array;
                let array = Array::zeros(array.dtype(), array.shape().clone())?;
                let buffer = self.memory.add(array);
                self.devices.everywhere.insert(buffer, (view.buffer, axes));
                buffer
            }
        };
        Ok(moved(view, buffer))
    }

    /// Where a copy goes: the same place on several devices, where its Ref stands for that.
    pub(super) fn destinations(&mut self, number: usize, view: View) -> Result<Vec<View>, RunError> {
        let Some((buffer, axes)) = self.devices.everywhere.get(&view.buffer).cloned() else { return Ok(vec![view]) };
        let devices = self.devices.along(self.devices.of(self.agents[number].block), &axes);
        devices.into_iter().map(|device| Ok(moved(&view, self.on_device(number, buffer, device)?))).collect()
    }

    /// `multimem_store`
    pub(super) fn store_everywhere(&mut self, number: usize, step: &Step, act: &AgentStep) -> Result<(), RunError> {
        let (value, place) = (self.tile(number, step, 0)?, self.view(number, step, 1)?);
        for device in self.named_devices(number, act) {
            let there = moved(&place, self.on_device(number, place.buffer, device)?);
            self.memory.accessed(&there, true, step.location);
            self.memory.replace(&there, value.clone())?;
        }
        Ok(())
    }

    /// `multimem_load_reduce`: small floats are folded as `float32`, as the hardware does.
    pub(super) fn load_everywhere(&mut self, number: usize, step: &Step, act: &AgentStep) -> Result<Array, RunError> {
        let place = self.view(number, step, 0)?;
        let how = combination(act.attributes.str("reduce").unwrap_or("add"))?;
        let dtype = self.memory.dtype(&place)?;
        let wide = if dtype.is_float() && dtype.size_bytes() < 4 { DType::F32 } else { dtype };
        let mut folded: Option<Array> = None;
        for device in self.named_devices(number, act) {
            let there = moved(&place, self.on_device(number, place.buffer, device)?);
            self.memory.accessed(&there, false, step.location);
            let held = ops::convert(&self.memory.show(&there)?, wide)?;
            folded = Some(match folded {
                None => held,
                Some(folded) => ops::binary(how, folded, held)?,
            });
        }
        let folded = folded.ok_or_else(|| RunError::malformed("no device is named"))?;
        Ok(ops::convert(&folded, dtype)?)
    }

    /// `semaphore_signal_multicast`
    pub(super) fn signal_everywhere(&mut self, number: usize, step: &Step, act: &AgentStep) -> Result<(), RunError> {
        let place = self.place(number, step, 0)?;
        let amount = self.integer(number, step, 1)?;
        for device in self.named_devices(number, act) {
            let there = place.of(self.on_device(number, place.buffer, device)?);
            self.signal(number, there, amount, (&act.name, step.location))?;
        }
        Ok(())
    }

    /// `semaphore_signal` with a device.
    pub(super) fn signal_device(
        &mut self,
        number: usize,
        step: &Step,
        place: Place,
        name: &Arc<str>,
    ) -> Result<(), RunError> {
        operand(step, 1)?;
        let amount = self.integer(number, step, 1)?;
        let device = self.named_device(number, step, 2, None)?;
        let there = place.of(self.on_device(number, place.buffer, device)?);
        self.signal(number, there, amount, (name, step.location))
    }

    fn signal(
        &mut self,
        number: usize,
        place: Place,
        amount: i64,
        (name, location): (&Arc<str>, u32),
    ) -> Result<(), RunError> {
        let signal = self.memory.signal(name, location, false);
        self.memory.add_count(place, amount, signal)?;
        let owner = self.blocks.sites.get(&place.buffer).map(|(block, _)| self.devices.of(*block));
        let far = owner.is_some_and(|device| device != self.devices.of(self.agents[number].block));
        if let Some(times) = &mut self.memory.times {
            times.signal(place, amount, far);
        }
        if let Some(races) = &mut self.memory.races {
            races.turn_of(self.agents[number].actor);
            races.signal(place, None);
        }
        self.wake(place);
        Ok(())
    }

    /// Semaphores that a device has for a place of the kernel, whichever block asks.
    pub(super) fn global(&mut self, number: usize, op: u32, ty: &RefType) -> Result<usize, RunError> {
        let first = self.devices.first(self.devices.of(self.agents[number].block));
        self.blocks.shared(self.memory, (first, Site::Global(op)), ty, usize::MAX, self.interpretation)
    }
}

/// The axes of the mesh that an op names.
fn axes(act: &AgentStep) -> Vec<usize> {
    let axes = act.attributes.ints("devices").unwrap_or_default();
    axes.iter().filter_map(|&axis| usize::try_from(axis).ok()).collect()
}
