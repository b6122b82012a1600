//! The programs of devices and cores, one after the other, and the blocks that are copied before and after each.

use super::order;
use super::{PeerOperand, Peers};
use crate::agents::agent::{Frame, Kind};
use crate::agents::blocks::Blocks;
use crate::agents::devices::Devices;
use crate::agents::engines::Delay;
use crate::agents::scheduler::Scheduler;
use crate::agents::topology::Topology;
use crate::agents::world::World;
use crate::block_plan::Starts;
use crate::copies::Moves;
use crate::error::RunError;
use crate::fresh;
use crate::hooks::{Hooks, ProgramEvent, StageTimes, TileEvent};
use crate::launch::LaunchPlan;
use crate::machine::Value;
use crate::memory::{Memory, View, ViewDim};
use crate::races::Races;
use crate::times::Times;
use crate::visits::{Visits, outside};
use pallas_ir::{DeviceOptions, Interpretation, Role};
use pallas_tensor::Array;
use pallas_tensor::ops;
use smallvec::SmallVec;
use std::collections::HashMap;

/// The most cores of all devices.
const MOST: usize = 1 << 12;

/// The programs of all cores.
pub(in crate::agents) struct Sequence<'t> {
    pub(super) peers: &'t Peers,
    pub(super) plan: &'t LaunchPlan,
    pub(super) grid: &'t [usize],
    /// The order along each axis of a device.
    pub(super) orders: Vec<Vec<usize>>,
    /// The programs of each core of a device.
    pub(super) numbers: Vec<Vec<usize>>,
    pub(super) lanes: Vec<Lane>,
    /// When the last program ended: since cores take turns, a program is given the time since then.
    pub(super) tick: Option<u64>,
}

/// One core of one device.
pub(super) struct Lane {
    pub(super) device: usize,
    pub(super) core: usize,
    /// Which of its programs runs, once it has begun.
    pub(super) at: Option<usize>,
    pub(super) over: bool,
    /// The Refs of operands: buffers of blocks, or of arrays where those stay.
    pub(super) refs: Vec<usize>,
    /// The arrays of operands in main memory.
    pub(super) arrays: Vec<usize>,
    pub(super) prefetched: Vec<View>,
    /// Where the blocks of the running program begin, as asked for, and inside of their arrays.
    pub(super) asked: Vec<Starts>,
    /// Block indices of the running program.
    pub(super) indices: Vec<Vec<i64>>,
    pub(super) visits: Vec<Visits>,
    /// How many blocks of each operand have been copied, in a rehearsal.
    pub(super) copied: Vec<usize>,
}

/// Runs a launch; for each device what its outputs hold, with their padding.
pub(super) fn run(
    (peers, plan, grid): (&Peers, &LaunchPlan, &[usize]),
    memory: &mut Memory,
    arrays: Vec<Vec<Option<Array>>>,
    hooks: &mut dyn Hooks,
) -> Result<Vec<Vec<Array>>, RunError> {
    let devices = peers.devices(grid);
    if devices.saturating_mul(peers.cores) > MOST {
        return Err(RunError::eval(format!("{} cores would run at the same time, which is too many", peers.cores)));
    }
    memory.times = hooks.pace().map(|pace| Box::new(Times::new(pace)));
    let looks = peers.interpretation.detects_races() || hooks.wants_races(peers.cores * devices > 1);
    if looks && memory.times.is_none() {
        memory.races = Some(Box::new(Races::new()));
    }
    let topology = Topology { grid: grid.to_vec(), first: grid.len(), threads: false };
    let own = &grid[peers.device_axes..];
    let parallel = &peers.parallel[peers.device_axes..];
    let orders = order::orders(own, parallel, peers.seed)?;
    let core_axis = peers.core_axis.map(|axis| axis - peers.device_axes);
    let numbers = order::programs(own, parallel, core_axis, peers.cores);
    let hooks_late = hooks.late();
    memory.moves = Moves::of(hooks);
    let sequence = Sequence { peers, plan, grid, orders, numbers, lanes: Vec::new(), tick: None };
    let mut world = World {
        tape: &plan.tape,
        topology: &topology,
        scheduler: Scheduler::new(hooks.schedule()),
        delay: Delay::Never,
        tasks: Vec::new(),
        follows: false,
        hooks,
        interpretation: match (hooks_late, peers.interpretation) {
            // Whoever looks for what early copies hide has them done as late as may be.
            (true, Interpretation::Device(options)) => {
                Interpretation::Device(DeviceOptions { eager: false, ..options })
            }
            (_, interpretation) => interpretation,
        },
        agents: Vec::new(),
        blocks: Blocks::default(),
        barriers: HashMap::new(),
        parts: HashMap::new(),
        devices: Devices::default(),
        memory,
        sequence: Some(sequence),
    };
    if let Some(races) = &mut world.memory.races {
        races.begin_world();
    }
    let mut outputs = Vec::new();
    for (device, arrays) in arrays.into_iter().enumerate() {
        outputs.push(world.begin_device(device, arrays)?);
    }
    if let Some(sequence) = &world.sequence {
        sequence.barrier_in_front(world.memory)?;
    }
    world.run()?;
    world.left_over();
    let mut ended = Vec::new();
    for buffers in outputs {
        ended.push(buffers.iter().map(|&buffer| world.memory.buffers[buffer].array.clone()).collect());
    }
    // Whoever has the only reference to an array may write to it in place.
    world.memory.buffers.clear();
    Ok(ended)
}

impl<'t> World<'t, '_> {
    /// The next program of a core, if it has one: blocks go back and forth.
    pub(in crate::agents) fn next_program(&mut self, number: usize) -> Result<bool, RunError> {
        let Some(mut sequence) = self.sequence.take() else { return Ok(false) };
        let result = sequence.advance(self, number);
        let error = result.map_err(|error| error.in_program(&self.agents[number].ids));
        self.sequence = Some(sequence);
        error
    }
}

impl<'t> Sequence<'t> {
    fn ids(&self, lane: &Lane, number: usize) -> Vec<usize> {
        let mut ids = self.peers.place(self.grid, lane.device);
        ids.extend(order::ids(&self.grid[self.peers.device_axes..], &self.orders, number));
        ids
    }

    /// Ends a core's program, if it runs one, and begins the next one, if there is one.
    fn advance(&mut self, world: &mut World<'t, '_>, number: usize) -> Result<bool, RunError> {
        let Some(lane) = self.lanes.get(number).filter(|lane| !lane.over) else { return Ok(false) };
        if world.hooks.cancelled() {
            return Err(RunError::cancelled());
        }
        if let Some(races) = &mut world.memory.races {
            races.turn_of(world.agents[number].actor);
        }
        let after = lane.at.map_or(0, |at| at + 1);
        let next = self.numbers[lane.core].get(after).map(|&program| self.ids(lane, program));
        let (mut asked, mut indices) = (lane.asked.clone(), lane.indices.clone());
        if let Some(ids) = &next {
            for (position, (operand, known)) in self.operands() {
                if known.role == Role::Prefetch {
                    continue;
                }
                let prefetched = &self.lanes[number].prefetched;
                let own = &mut indices[position];
                known.map.indices(ids, self.grid, prefetched, world.memory, world.hooks, &mut Vec::new(), own)?;
                let first = operand.along.len().min(own.len());
                asked[position] = operand.blocks.asked(&own[first..]);
            }
        }
        if self.lanes[number].at.is_some() {
            self.end_program(world, number, next.is_some().then_some(&asked))?;
        }
        let Some(ids) = next else {
            self.lanes[number].over = true;
            self.read_outputs(world, number);
            if let Some(times) = &mut world.memory.times {
                times.end_programs(number);
            }
            return Ok(false);
        };
        if self.tick.is_none() && world.hooks.wants_programs() {
            self.tick = world.hooks.now();
        }
        world.agents[number].ids.clone_from(&ids);
        self.begin_program(world, number, &asked)?;
        let lane = &mut self.lanes[number];
        (lane.at, lane.asked, lane.indices) = (Some(after), asked, indices);
        let options = self.peers.interpretation.device();
        if let Some(recorder) = options.map(|options| options.recorder).filter(|&recorder| recorder != 0) {
            world.hooks.grid_point(recorder, &ids[self.peers.device_axes..], lane.core);
        }
        let program = self.program_number(&ids);
        if world.hooks.wants_tiles(program) {
            let (tiles, buffers) = self.tiles(world, number);
            world.hooks.tiles(TileEvent { number: program, ids: &ids, after: false, tiles, buffers });
        }
        let block = &world.tape.body;
        world.agents[number].frames.push(Frame { block, next: 0, kind: Kind::Body });
        Ok(true)
    }

    /// Whether a core has begun, and has the same block of an operand as before.
    pub(super) fn moves(&self, number: usize, position: usize, asked: &Starts) -> (bool, bool) {
        let lane = &self.lanes[number];
        (lane.at.is_some(), lane.asked[position] == *asked)
    }

    /// The array of an operand that a core uses.
    pub(super) fn array(&self, number: usize, position: usize) -> usize {
        self.lanes[number].arrays[position]
    }

    /// How many blocks of an operand a core has copied before this one.
    pub(super) fn copied(&mut self, number: usize, position: usize) -> usize {
        let count = &mut self.lanes[number].copied[position];
        *count += 1;
        *count - 1
    }

    pub(super) fn operands(
        &self,
    ) -> impl Iterator<Item = (usize, (&'t PeerOperand, &'t crate::launch::OperandPlan))> + use<'t> {
        self.peers.operands.iter().zip(&self.plan.operands).enumerate()
    }

    fn program_number(&self, ids: &[usize]) -> usize {
        crate::launch::number(ids, self.grid)
    }

    /// Blocks of outputs go back that the next program does not have.
    fn end_program(
        &mut self,
        world: &mut World<'t, '_>,
        number: usize,
        next: Option<&Vec<Starts>>,
    ) -> Result<(), RunError> {
        let ids = world.agents[number].ids.clone();
        let program = self.program_number(&ids);
        if world.hooks.wants_tiles(program) {
            let (tiles, buffers) = self.tiles(world, number);
            world.hooks.tiles(TileEvent { number: program, ids: &ids, after: true, tiles, buffers });
        }
        if world.hooks.wants_programs() {
            let end = world.hooks.now();
            let times = self.tick.zip(end).map(|(start, end)| StageTimes { copy_in: start, compute: start, end });
            self.tick = end;
            let blocks = &self.lanes[number].indices;
            world.hooks.program(&ProgramEvent { number: program, ids: &ids, blocks, times, copies: &[] });
        }
        let raises = self.peers.interpretation.device().is_some();
        let mut output = 0;
        for (position, (operand, known)) in self.operands() {
            if known.role != Role::Output {
                continue;
            }
            output += 1;
            if operand.in_place {
                continue;
            }
            let asked = self.lanes[number].asked[position].clone();
            let starts = operand.blocks.inside(&asked);
            let leaves = next.is_none_or(|next| next[position] != asked);
            if world.memory.times.is_some() {
                self.rehearse_leaving(world, number, position, leaves);
                continue;
            }
            let lane = &mut self.lanes[number];
            if leaves {
                if raises && operand.blocks.leaves(&asked) {
                    return Err(outside((&operand.name, "output"), &operand.blocks, &lane.indices[position], &ids));
                }
                let view = View::whole(lane.refs[position], &operand.ty.shape);
                let array = operand.blocks.view(lane.arrays[position], &starts);
                world.memory.accessed(&view, false, 0);
                world.memory.accessed(&array, true, 0);
                let data = world.memory.show(&view)?;
                world.memory.replace(&array, data)?;
            }
            let is_alias = self.plan.aliases.iter().any(|&(_, aliased)| aliased + 1 == output);
            if raises && !is_alias {
                lane.visits[output - 1].visit(output - 1, &operand.blocks, &starts, &ids)?;
            }
        }
        Ok(())
    }

    /// Blocks of inputs come that the program before did not have.
    fn begin_program(&mut self, world: &mut World<'t, '_>, number: usize, asked: &[Starts]) -> Result<(), RunError> {
        if world.memory.times.is_some() {
            return self.rehearse_blocks(world, number, asked);
        }
        let options = self.peers.interpretation.device();
        let ids = world.agents[number].ids.clone();
        for (position, (operand, known)) in self.operands() {
            let lane = &self.lanes[number];
            let same = lane.at.is_some() && lane.asked[position] == asked[position];
            if known.role == Role::Prefetch || same {
                continue;
            }
            let starts = operand.blocks.inside(&asked[position]);
            let array = operand.blocks.view(lane.arrays[position], &starts);
            if operand.in_place {
                if let Some(&param) = self.plan.tape.body.params.get(position) {
                    world.agents[number].registers[param as usize] = Value::reference(array);
                }
                continue;
            }
            if known.role == Role::Output {
                continue;
            }
            let leaves = options.is_some() && operand.blocks.leaves(&asked[position]);
            if leaves && !options.is_some_and(|options| options.lenient) {
                let mut indices = Vec::new();
                let (memory, hooks, registers) = (&mut *world.memory, &mut *world.hooks, &mut Vec::new());
                known.map.indices(&ids, self.grid, &lane.prefetched, memory, hooks, registers, &mut indices)?;
                let indices = &indices[operand.along.len().min(indices.len())..];
                return Err(outside((&operand.name, "input"), &operand.blocks, indices, &ids));
            }
            let view = View::whole(lane.refs[position], &operand.ty.shape);
            world.memory.accessed(&array, false, 0);
            world.memory.accessed(&view, true, 0);
            let data = match leaves {
                true => self.partly(world, operand, lane.arrays[position], &asked[position])?,
                false => world.memory.show(&array)?,
            };
            let data = ops::reshape(&data, operand.ty.shape.clone())?;
            world.memory.replace(&view, data)?;
        }
        Ok(())
    }

    /// A block that lies outside of its array in part: fresh memory there.
    fn partly(
        &self,
        world: &mut World<'t, '_>,
        operand: &PeerOperand,
        array: usize,
        asked: &Starts,
    ) -> Result<Array, RunError> {
        let (block, padded) = (operand.blocks.block(), operand.blocks.padded());
        let all = fresh(operand.ty.dtype, block.clone(), self.peers.interpretation)?;
        let mut dims: SmallVec<[ViewDim; 4]> = SmallVec::new();
        let mut first: SmallVec<[i64; 6]> = SmallVec::new();
        for ((&start, &size), &bound) in asked.iter().zip(block.iter()).zip(padded.iter()) {
            let from = start.clamp(0, bound as i64);
            let to = (start + size as i64).clamp(from, bound as i64);
            dims.push(ViewDim::Range { start: from as usize, size: (to - from) as usize, stride: 1 });
            first.push(from - start);
        }
        let inside = View { buffer: array, dims, through: None };
        if inside.shape().size() == 0 {
            return Ok(all);
        }
        let inside = world.memory.show(&inside)?;
        Ok(ops::dynamic_update_slice(all, &inside, &first)?)
    }

    /// The caller reads what a device has put out, once its only core is done. With several cores nobody knows when.
    fn read_outputs(&self, world: &mut World<'t, '_>, number: usize) {
        if self.cores() > 1 || self.devices() < 2 {
            return;
        }
        let lane = &self.lanes[number];
        for (position, (operand, known)) in self.operands() {
            if known.role == Role::Output {
                let whole = View::whole(lane.arrays[position], operand.blocks.padded());
                world.memory.accessed(&whole, false, 0);
            }
        }
    }

    /// What a core's Refs hold now, and which memory they are.
    fn tiles(&self, world: &World<'t, '_>, number: usize) -> (Vec<Array>, Vec<usize>) {
        let registers = &world.agents[number].registers;
        let of = |param: &u32| match &registers[*param as usize] {
            Value::Ref(view) => {
                let array = world.memory.array(view).ok()?;
                let shown = crate::memory::read(array, view).ok()?;
                Some((ops::reshape(&shown, view.shape()).ok()?, view.buffer))
            }
            _ => None,
        };
        self.plan.tape.body.params.iter().filter_map(of).unzip()
    }
}
