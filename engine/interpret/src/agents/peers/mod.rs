//! Devices of a mesh and cores of a device. Each core is an agent that runs its programs one after the other, with blocks,
//! scratch memory and semaphores of its own; arrays in main memory belong to a device. What a program does and in which
//! order follows JAX's simulator of TPUs (jax/_src/pallas/mosaic/interpret/interpret_pallas_call.py, JAX 0.10.2).
//!
//! Here is what is known of a launch before it runs, and how its arrays are dealt to devices and put together again. Programs
//! are in `programs`, their memory in `memory`, what devices do to each other in `talk`.

mod cores;
mod memory;
mod order;
mod programs;
mod rehearsed;
mod talk;

use crate::block_plan::BlockPlan;
use crate::error::RunError;
use crate::hooks::Hooks;
use crate::launch::LaunchPlan;
use crate::memory::Memory;
use pallas_ir::{
    AxisSemantics, BlockDim, BlockMap, IndexForm, Interpretation, Launch, MemorySpace, Operand, RefType, Role,
};
use pallas_tensor::ops;
use pallas_tensor::{Array, Shape};
pub(super) use programs::Sequence;

/// A launch on several devices or cores.
#[derive(Debug)]
pub(crate) struct Peers {
    /// How many of the grid's first axes are those of the mesh.
    device_axes: usize,
    /// The axis of the grid that is that of the cores, if there is one.
    core_axis: Option<usize>,
    /// Cores of a device.
    cores: usize,
    /// For each axis of the grid whether it is gone along in a drawn order.
    parallel: Vec<bool>,
    seed: u32,
    operands: Vec<PeerOperand>,
    interpretation: Interpretation,
    /// Whether nothing makes devices begin together but what the kernel does itself.
    meets_itself: bool,
}

/// An operand as one device has it.
#[derive(Debug)]
struct PeerOperand {
    /// The axes of the mesh along which devices have arrays of their own, by number. They are the first dimensions of the
    /// array that all have together.
    along: Vec<usize>,
    blocks: BlockPlan,
    /// Whether the kernel gets the array where it is, and not a block of it.
    in_place: bool,
    ty: RefType,
    name: std::sync::Arc<str>,
}

impl Peers {
    /// Where the launch is one whose devices, cores or order of programs make a difference; on one core of one device, too, where
    /// that is wanted.
    pub(crate) fn of(launch: &Launch, alone: bool) -> Result<Option<Peers>, RunError> {
        let device_axes = launch.device_axes();
        if launch.has_agents() {
            return Self::of_gpus(launch, device_axes);
        }
        let said = |axis: usize| launch.semantics.get(axis).copied();
        let core_axis = (0..launch.grid.len()).find(|&axis| said(axis) == Some(AxisSemantics::Core));
        let options = launch.tpu_simulator();
        let is_parallel =
            |axis: usize| options.is_some() && core_axis.is_none() && said(axis) == Some(AxisSemantics::Parallel);
        let parallel: Vec<bool> = (0..launch.grid.len()).map(is_parallel).collect();
        let simulates = options.is_some_and(|options| {
            options.cores > 1
                || options.recorder != 0
                || options.lenient
                || options.padded
                || parallel.iter().zip(&launch.grid).any(|(parallel, &extent)| *parallel && extent > 1)
                || has_copied_aliases(launch)
        });
        if !alone && !simulates && !launch.has_peers() {
            return Ok(None);
        }
        let cores = match core_axis {
            Some(axis) => launch.grid[axis],
            None => options.map_or(1, |options| options.cores.max(1) as usize),
        };
        let operands = launch
            .operands
            .iter()
            .map(|operand| PeerOperand::new(operand, launch, device_axes))
            .collect::<Result<Vec<_>, _>>()?;
        let (seed, interpretation) = (options.map_or(0, |options| options.seed), launch.interpretation);
        let meets_itself = launch.asks_for_barrier() || launch.meeting.skipped;
        Ok(Some(Peers { device_axes, core_axis, cores, parallel, seed, operands, interpretation, meets_itself }))
    }

    /// A GPU kernel that reaches into other devices, whose programs get arrays where they are.
    fn of_gpus(launch: &Launch, device_axes: usize) -> Result<Option<Peers>, RunError> {
        if device_axes == 0 {
            return Ok(None);
        }
        let mut operands = Vec::new();
        for operand in &launch.operands {
            let known = PeerOperand::new(operand, launch, device_axes)?;
            if known.blocks.padded() != known.blocks.reference() {
                return Err(RunError::eval(format!(
                    "{} is copied block by block, which kernels that reach into other devices are not simulated with: leave \
                     it in plgpu.GMEM, and copy its blocks in the kernel",
                    operand.name
                )));
            }
            operands.push(known);
        }
        let (parallel, interpretation) = (Vec::new(), launch.interpretation);
        Ok(Some(Peers {
            device_axes,
            core_axis: None,
            cores: 1,
            parallel,
            seed: 0,
            operands,
            interpretation,
            meets_itself: false,
        }))
    }

    pub(super) fn device_axes(&self) -> usize {
        self.device_axes
    }

    pub(super) fn interpretation(&self) -> Interpretation {
        self.interpretation
    }

    pub(super) fn detects_races(&self) -> bool {
        self.interpretation.detects_races()
    }

    /// The type and the name of an operand as one device has it.
    pub(super) fn operand(&self, position: usize) -> (&RefType, &str) {
        (&self.operands[position].ty, &self.operands[position].name)
    }

    /// What an output holds before anybody has written to it.
    pub(super) fn begun(&self, position: usize) -> Result<Array, RunError> {
        let blocks = &self.operands[position].blocks;
        blocks.fresh(blocks.padded())
    }

    /// Runs the launch on padded inputs; the result holds the outputs.
    pub(crate) fn run(
        &self,
        plan: &LaunchPlan,
        grid: &[usize],
        inputs: &[Array],
        hooks: &mut dyn Hooks,
    ) -> Result<Vec<Array>, RunError> {
        let mut memory = Memory::default();
        let arrays = self.deal(plan, grid, inputs)?;
        let ended = match &plan.topology {
            Some(topology) => super::devices::run((self, plan, topology), &mut memory, arrays, hooks),
            None => programs::run((self, plan, grid), &mut memory, arrays, hooks),
        };
        if let Some(races) = &mut memory.races {
            races.take_found(&plan.tape.locations).iter().for_each(|hazard| hooks.hazard(hazard));
        }
        self.gather(plan, grid, ended?)
    }

    fn devices(&self, grid: &[usize]) -> usize {
        grid[..self.device_axes].iter().product()
    }

    /// Where a device is along the axes of the mesh.
    fn place(&self, grid: &[usize], mut device: usize) -> Vec<usize> {
        let mut place = vec![0; self.device_axes];
        for axis in (0..self.device_axes).rev() {
            place[axis] = device % grid[axis].max(1);
            device /= grid[axis].max(1);
        }
        place
    }

    /// What each device has of each operand; `None` of outputs that begin as nothing.
    fn deal(&self, plan: &LaunchPlan, grid: &[usize], inputs: &[Array]) -> Result<Vec<Vec<Option<Array>>>, RunError> {
        let mut dealt = Vec::new();
        for device in 0..self.devices(grid) {
            let place = self.place(grid, device);
            let mut inputs = inputs.iter();
            let mut own = Vec::with_capacity(self.operands.len());
            for (operand, known) in self.operands.iter().zip(&plan.operands) {
                own.push(match known.role {
                    Role::Output => None,
                    _ => {
                        let array = inputs.next().ok_or_else(|| RunError::malformed("an operand is missing"))?;
                        Some(operand.part(array, &place)?)
                    }
                });
            }
            dealt.push(own);
        }
        Ok(dealt)
    }

    /// Outputs put together from those of the devices.
    fn gather(&self, plan: &LaunchPlan, grid: &[usize], mut ended: Vec<Vec<Array>>) -> Result<Vec<Array>, RunError> {
        let mut outputs = Vec::new();
        let of_outputs = self.operands.iter().zip(&plan.operands).filter(|(_, known)| known.role == Role::Output);
        for (number, (operand, known)) in of_outputs.enumerate() {
            let mut parts = Vec::new();
            for (device, own) in ended.iter_mut().enumerate() {
                let place = self.place(grid, device);
                // Devices along other axes hold the same.
                let first = (0..self.device_axes).all(|axis| operand.along.contains(&axis) || place[axis] == 0);
                if first {
                    let nothing =
                        Array::scalar(operand.blocks.dtype(), pallas_tensor::Scalar::zero(operand.blocks.dtype()));
                    let array = std::mem::replace(&mut own[number], nothing);
                    parts.push(operand.blocks.unpad(array)?);
                }
            }
            let shape = known.blocks.array().clone();
            outputs.push(match parts.len() {
                1 => ops::reshape(&parts[0], shape)?,
                _ => {
                    let rows: Vec<Array> = parts
                        .iter()
                        .map(|part| {
                            let row: Shape = std::iter::once(1).chain(part.shape().iter().copied()).collect();
                            ops::reshape(part, row)
                        })
                        .collect::<Result<_, _>>()?;
                    ops::reshape(&ops::concatenate(&rows.iter().collect::<Vec<_>>(), 0)?, shape)?
                }
            });
        }
        Ok(outputs)
    }
}

impl PeerOperand {
    fn new(operand: &Operand, launch: &Launch, device_axes: usize) -> Result<PeerOperand, RunError> {
        let along = match operand.role {
            Role::Prefetch => Vec::new(),
            _ => axes_of_devices(operand, launch, device_axes),
        };
        let skip = along.len();
        let mut own = operand.clone();
        own.block.drain(..skip);
        own.array.shape = operand.array.shape.iter().skip(skip).copied().collect();
        let blocks = match operand.role {
            Role::Prefetch => BlockPlan::new(operand, launch.interpretation)?,
            _ => BlockPlan::new(&own, launch.interpretation)?,
        };
        let in_place = operand.role != Role::Prefetch && matches!(operand.space, MemorySpace::Any | MemorySpace::Hbm);
        let space = match operand.role {
            Role::Prefetch => MemorySpace::Smem,
            _ => operand.space,
        };
        let shape = match operand.role {
            Role::Prefetch => blocks.array().clone(),
            _ => blocks.reference().clone(),
        };
        let ty = RefType::new(operand.array.dtype, shape, space);
        Ok(PeerOperand { along, blocks, in_place, ty, name: operand.name.clone() })
    }

    /// What the device at a place of the mesh has of an array.
    fn part(&self, array: &Array, place: &[usize]) -> Result<Array, RunError> {
        if self.along.is_empty() {
            return Ok(array.clone());
        }
        let shape = array.shape();
        let mut start = vec![0; shape.rank()];
        let mut limit = shape.to_vec();
        for (dim, &axis) in self.along.iter().enumerate() {
            start[dim] = place[axis];
            limit[dim] = place[axis] + 1;
        }
        let rest: Shape = shape.iter().skip(self.along.len()).copied().collect();
        Ok(ops::reshape(&ops::slice(array, &start, &limit, None)?, rest)?)
    }
}

/// The axes of the mesh that an operand's first dimensions follow, one element each.
fn axes_of_devices(operand: &Operand, launch: &Launch, device_axes: usize) -> Vec<usize> {
    if device_axes == 0 || operand.index_map.is_none() {
        return Vec::new();
    }
    let forms = BlockMap::new(operand, launch.grid.len()).dims;
    let mut axes: Vec<usize> = Vec::new();
    for ((form, block), &extent) in forms.iter().zip(&operand.block).zip(operand.array.shape.iter()) {
        let IndexForm::Affine { constant: 0, coefficients } = form else { break };
        let mut moving = coefficients.iter().enumerate().filter(|(_, factor)| **factor != 0);
        let (Some((axis, 1)), None) = (moving.next(), moving.next()) else { break };
        let after = axes.last().is_none_or(|&last| last < axis);
        if *block != BlockDim::Squeezed || axis >= device_axes || extent != launch.grid[axis] || !after {
            break;
        }
        axes.push(axis);
    }
    axes
}

/// Whether an output that is an input's memory is copied in and out in blocks: on a device the two see each other then.
fn has_copied_aliases(launch: &Launch) -> bool {
    let stays = |operand: &Operand| matches!(operand.space, MemorySpace::Any | MemorySpace::Hbm);
    let inputs: Vec<&Operand> = launch.operands.iter().filter(|operand| operand.role != Role::Output).collect();
    let outputs: Vec<&Operand> = launch.operands.iter().filter(|operand| operand.role == Role::Output).collect();
    let pairs = launch.aliases.iter().filter_map(|&(input, output)| Some((inputs.get(input)?, outputs.get(output)?)));
    let mut moving = pairs.filter(|(input, output)| !(stays(input) && stays(output)));
    launch.programs() > 1 && moving.next().is_some()
}
