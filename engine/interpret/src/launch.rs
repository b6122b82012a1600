//! Launches: a kernel's tape, once per program, in row-major order.

use crate::affine::IndexMap;
use crate::agents::{Peers, Topology, World};
use crate::blocks::{BlockPlan, BlockState, Carry};
use crate::clock::{CopyClock, PlaceClock};
use crate::control::allocate;
use crate::error::RunError;
use crate::hooks::{Hooks, ProgramEvent, StageTimes, TileEvent};
use crate::machine::{Machine, Value, registers};
use crate::memory::{Memory, View};
use crate::outputs::{Output, OutputPart};
use crate::parallel;
use crate::races::Races;
use crate::tape::Tape;
use crate::visits::{Visits, outside};
use pallas_ir::{AxisSemantics, DeviceOptions, Interpretation, Launch, MemorySpace, Operand, RefType, Role, Type};
use pallas_tensor::{Array, DType, Scalar, Shape};
use std::sync::Arc;

/// A launch ready to run: the kernel flattened, index maps solved where they are affine.
#[derive(Debug)]
pub struct LaunchPlan {
    pub(crate) tape: Tape,
    grid: Vec<usize>,
    /// Axes whose extents are the first inputs.
    dynamic: Vec<usize>,
    pub(crate) operands: Vec<OperandPlan>,
    pub(crate) scratch: Vec<RefType>,
    /// (input, output), counted over non-output operands and over outputs.
    pub(crate) aliases: Vec<(usize, usize)>,
    /// Aliased inputs and outputs that are one place: both stay in main memory.
    shared: Vec<(usize, usize)>,
    interpretation: Interpretation,
    /// Where JAX's simulator of TPUs interprets it, which refuses some blocks.
    simulator: Option<DeviceOptions>,
    /// Of kernels whose programs act on each other: which of them run at the same time.
    topology: Option<Topology>,
    /// Of launches whose devices and cores do.
    peers: Option<Peers>,
    /// Whether programs have nothing to do with each other but through what they read and write.
    is_quiet: bool,
    /// Whether its programs run at the same time on hardware.
    concurrent: bool,
    /// Axes of the grid along which they do.
    parallel: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct OperandPlan {
    pub(crate) role: Role,
    pub(crate) blocks: BlockPlan,
    pub(crate) map: IndexMap,
    /// The kernel's name of it.
    name: Arc<str>,
    /// Whether it is another operand's memory.
    is_alias: bool,
    /// Whether programs get all of it, where it is.
    is_whole: bool,
}

impl LaunchPlan {
    /// Prepares a launch.
    ///
    /// # Errors
    /// If it is not well formed; [`pallas_ir::verify`] lists all that is wrong.
    pub fn new(launch: &Launch) -> Result<LaunchPlan, RunError> {
        let tape = Tape::both(&launch.kernel)?;
        let mut operands = Vec::with_capacity(launch.operands.len());
        for operand in &launch.operands {
            let blocks = BlockPlan::new(operand, launch.interpretation)?;
            let map = match operand.role {
                Role::Prefetch => IndexMap::Zero,
                _ => IndexMap::new(operand, launch.grid.len())?,
            };
            let is_whole = operand.index_map.is_none();
            let outputs = operands.iter().filter(|known: &&OperandPlan| known.role == Role::Output).count();
            let is_alias = operand.role == Role::Output && launch.aliases.iter().any(|(_, output)| *output == outputs);
            let name = operand.name.clone();
            operands.push(OperandPlan { role: operand.role, blocks, map, name, is_alias, is_whole });
        }
        let topology = Topology::of(launch);
        let peers = Peers::of(launch)?;
        let shared = shared(launch);
        let is_quiet = topology.is_none() && shared.is_empty() && parallel::is_quiet(&tape.body);
        let plan = LaunchPlan {
            tape,
            grid: launch.grid.clone(),
            dynamic: launch.dynamic.clone(),
            operands,
            scratch: launch.scratch.clone(),
            aliases: launch.aliases.clone(),
            shared,
            interpretation: launch.interpretation,
            simulator: launch.tpu_simulator(),
            topology,
            peers,
            is_quiet,
            concurrent: launch.has_agents()
                || launch.has_peers()
                || launch.operands.iter().any(|operand| operand.space == MemorySpace::Gmem),
            parallel: (0..launch.grid.len())
                .filter(|&axis| launch.semantics.get(axis) == Some(&AxisSemantics::Parallel))
                .collect(),
        };
        plan.check(launch)?;
        Ok(plan)
    }

    /// That the kernel's parameters are the Refs that the operands give.
    fn check(&self, launch: &Launch) -> Result<(), RunError> {
        let shapes = self.operands.iter().map(|operand| {
            let shape = match operand.role {
                Role::Prefetch => operand.blocks.array(),
                _ => operand.blocks.reference(),
            };
            (shape, operand.blocks.dtype())
        });
        let scratch = self.scratch.iter().map(|ty| (&ty.shape, ty.dtype));
        let expected: Vec<(&Shape, _)> = shapes.chain(scratch).collect();
        let params = launch.kernel.params();
        let fits = params.len() == expected.len()
            && params.iter().zip(&expected).all(|(&param, (shape, dtype))| {
                matches!(launch.kernel.ty(param), Type::Ref(ty) if ty.shape == **shape && ty.dtype == *dtype)
            });
        if !fits {
            return Err(RunError::malformed(format!(
                "the parameters of {} are not the Refs of its operands",
                launch.kernel.name
            )));
        }
        let outputs = launch.with_role(Role::Output).count();
        let inputs = self.operands.len() - outputs;
        let in_range = |&(input, output): &(usize, usize)| input < inputs && output < outputs;
        if !self.aliases.iter().all(in_range) {
            return Err(RunError::malformed("an alias is out of range"));
        }
        Ok(())
    }

    /// Runs every program. Inputs are the extents of dynamic axes, then prefetched scalars and inputs in the order of the
    /// operands; the result holds the outputs in their order.
    ///
    /// # Errors
    /// If an op fails, inputs do not fit, or the hooks cancel.
    pub fn run(&self, inputs: Vec<Array>, hooks: &mut dyn Hooks) -> Result<Vec<Array>, RunError> {
        self.run_all(inputs, hooks).map_err(|mut error| {
            error.simulated |= self.interpretation.device().is_some();
            error
        })
    }

    fn run_all(&self, mut inputs: Vec<Array>, hooks: &mut dyn Hooks) -> Result<Vec<Array>, RunError> {
        let rest = inputs.split_off(self.dynamic.len().min(inputs.len()));
        let grid = self.extents(&inputs)?;
        let programs = grid.iter().fold(1usize, |total, &extent| total.saturating_mul(extent));
        let (inputs, starts) = self.prepare(rest)?;
        // What was put off is computed now, while all cores are free for it.
        inputs.iter().for_each(|input| {
            input.buffer();
        });
        if let Some(peers) = &self.peers {
            return peers.run(self, &grid, &inputs, hooks);
        }
        let watches = self.interpretation.detects_races() || hooks.wants_races(self.concurrent);
        let threads = hooks.threads();
        if threads > 1
            && !watches
            && self.is_quiet
            && let Some(outputs) = parallel::run(self, &grid, &inputs, &starts, threads, hooks)?
        {
            return Ok(outputs);
        }
        let mut outputs = self.outputs(starts)?;
        let parts = outputs.iter_mut().map(|output| output.as_mut().map(Output::part)).collect();
        let mut run = Run::new(self, &grid, inputs, parts)?;
        if watches {
            run.watch();
        }
        let mut ids = vec![0; grid.len()];
        // Programs that run at the same time are run together.
        let together = self.topology.as_ref().map_or(1, Topology::size).max(1);
        for number in (0..programs).step_by(together) {
            let result = run.program(number, &ids, hooks);
            run.hazards(hooks);
            result.map_err(|error| error.in_program(&ids))?;
            (0..together).for_each(|_| next(&mut ids, &grid));
        }
        run.unmatched(hooks);
        run.hazards(hooks);
        let mut whole = run.finish(programs, hooks)?.into_iter();
        let mut results = Vec::with_capacity(outputs.len());
        for (output, operand) in outputs.into_iter().zip(self.with_role(Role::Output)) {
            results.push(match output {
                Some(output) => output.finish(&operand.blocks)?,
                None => whole.next().ok_or_else(|| RunError::malformed("an output is missing"))?,
            });
        }
        Ok(results)
    }

    /// The operands of a role.
    pub(crate) fn with_role(&self, role: Role) -> impl Iterator<Item = &OperandPlan> {
        self.operands.iter().filter(move |operand| operand.role == role)
    }

    /// Inputs with their padding, and what outputs start with: aliased ones as a copy of their input.
    fn prepare(&self, mut inputs: Vec<Array>) -> Result<(Vec<Array>, Vec<Option<Array>>), RunError> {
        let expected: Vec<&OperandPlan> = self.operands.iter().filter(|operand| operand.role != Role::Output).collect();
        let has_type = |array: &Array, operand: &OperandPlan| {
            array.shape() == operand.blocks.array() && array.dtype() == operand.blocks.dtype()
        };
        let fits = expected.len() == inputs.len() && expected.iter().zip(&inputs).all(|(o, input)| has_type(input, o));
        if !fits {
            return Err(RunError::malformed("the arrays do not have the types of the launch's inputs"));
        }
        let mut starts = Vec::new();
        for (output, operand) in self.with_role(Role::Output).enumerate() {
            let alias = self.aliases.iter().find(|(_, o)| *o == output);
            let start = alias.and_then(|&(input, _)| inputs.get(input).cloned());
            if start.as_ref().is_some_and(|start| !has_type(start, operand)) {
                return Err(RunError::malformed("an output does not have the type of the input that it aliases"));
            }
            starts.push(start);
        }
        for (input, operand) in inputs.iter_mut().zip(expected) {
            if operand.role == Role::Input {
                *input = operand.blocks.pad(input.clone())?;
            }
        }
        Ok((inputs, starts))
    }

    /// Outputs in the making; none for those of one block, which is the array itself.
    pub(crate) fn outputs(&self, starts: Vec<Option<Array>>) -> Result<Vec<Option<Output>>, RunError> {
        let make = |(operand, start): (&OperandPlan, Option<Array>)| match (operand.blocks.is_one(), start) {
            (true, None) => Ok(None),
            (_, start) => Output::new(&operand.blocks, start).map(Some),
        };
        self.with_role(Role::Output).zip(starts).map(make).collect()
    }

    /// The grid with the extents that are known now. No program runs along an extent of zero or less.
    fn extents(&self, given: &[Array]) -> Result<Vec<usize>, RunError> {
        if given.len() != self.dynamic.len() {
            return Err(RunError::malformed("an extent of the grid is missing"));
        }
        let mut grid = self.grid.clone();
        for (&axis, extent) in self.dynamic.iter().zip(given) {
            let number = extent.item().and_then(Scalar::as_int);
            let (Some(slot), Some(number)) = (grid.get_mut(axis), number) else {
                return Err(RunError::malformed("an extent of the grid is no integer"));
            };
            *slot = usize::try_from(number).unwrap_or(0);
        }
        Ok(grid)
    }
}

/// The ids of the next program, the last axis fastest.
pub(crate) fn next(ids: &mut [usize], grid: &[usize]) {
    for (id, &extent) in ids.iter_mut().zip(grid).rev() {
        *id += 1;
        if *id < extent {
            return;
        }
        *id = 0;
    }
}

/// A launch in motion.
pub(crate) struct Run<'a> {
    plan: &'a LaunchPlan,
    grid: &'a [usize],
    memory: Memory,
    registers: Vec<Value>,
    states: Vec<State<'a>>,
    /// Refs to prefetched scalars, for index maps.
    prefetched: Vec<View>,
    /// Block indices of the running program, per operand.
    indices: Vec<Vec<i64>>,
    /// Of simulated launches: which blocks of outputs have been.
    visits: Vec<Visits>,
    first_output: usize,
    clock: CopyClock,
}

enum State<'a> {
    /// A whole array in scalar memory. Under `interpret=True` what the kernel writes there is forgotten after the program.
    Prefetch {
        buffer: usize,
        array: Array,
    },
    Block(Box<BlockState<'a>>),
}

impl<'a> Run<'a> {
    /// With padded inputs, and outputs to write to (none for those that are one block).
    pub(crate) fn new(
        plan: &'a LaunchPlan,
        grid: &'a [usize],
        inputs: Vec<Array>,
        outputs: Vec<Option<OutputPart<'a>>>,
    ) -> Result<Run<'a>, RunError> {
        let missing = || RunError::malformed("an operand is missing");
        let (mut inputs, mut outputs) = (inputs.into_iter(), outputs.into_iter());
        let mut memory = Memory::with_chains(&plan.tape);
        let mut registers = registers(&plan.tape);
        let (mut states, mut prefetched) = (Vec::new(), Vec::new());
        let mut params = plan.tape.body.params.iter();
        for operand in &plan.operands {
            let blocks = &operand.blocks;
            let carry = match operand.role {
                Role::Prefetch => {
                    let array = inputs.next().ok_or_else(missing)?;
                    let buffer = memory.add(array.clone());
                    let view = View::whole(buffer, blocks.array());
                    prefetched.push(view.clone());
                    if let Some(&param) = params.next() {
                        registers[param as usize] = Value::reference(view);
                    }
                    states.push(State::Prefetch { buffer, array });
                    continue;
                }
                Role::Output => match outputs.next().ok_or_else(missing)? {
                    Some(part) => Carry::Part(part),
                    None => Carry::Array(blocks.fresh(blocks.padded())?),
                },
                _ => Carry::Array(inputs.next().ok_or_else(missing)?),
            };
            let state = BlockState::new(blocks, carry, &mut memory);
            memory.buffers[state.buffer].defers = operand.role == Role::Output && plan.is_quiet;
            let view = View::whole(state.buffer, blocks.reference());
            if let Some(&param) = params.next() {
                registers[param as usize] = Value::reference(view);
            }
            states.push(State::Block(Box::new(state)));
        }
        for (ty, &param) in plan.scratch.iter().zip(params) {
            let buffer = memory.add(allocate(ty, plan.interpretation)?);
            registers[param as usize] = Value::reference(View::whole(buffer, &ty.shape));
        }
        let barrier = RefType::new(DType::I32, Shape::default(), MemorySpace::BarrierSemaphore);
        memory.barrier = Some(memory.add(allocate(&barrier, plan.interpretation)?));
        for &(input, output) in &plan.shared {
            let params = &plan.tape.body.params;
            if let (Some(&input), Some(&output)) = (params.get(input), params.get(output)) {
                registers[input as usize] = registers[output as usize].clone();
            }
        }
        let indices = vec![Vec::new(); states.len()];
        let visits = states.iter().map(|_| Visits::default()).collect();
        let first_output = plan.operands.iter().position(|operand| operand.role == Role::Output).unwrap_or(0);
        let clock = CopyClock::default();
        Ok(Run { plan, grid, memory, registers, indices, visits, first_output, states, prefetched, clock })
    }

    /// Runs the program with these ids.
    pub(crate) fn program(&mut self, number: usize, ids: &[usize], hooks: &mut dyn Hooks) -> Result<(), RunError> {
        if hooks.cancelled() {
            return Err(RunError::cancelled());
        }
        let reports = hooks.wants_programs();
        let tick = |hooks: &mut dyn Hooks| if reports { hooks.now() } else { None };
        let copy_in = tick(hooks);
        self.clock.begin(copy_in);
        let wants_tiles = hooks.wants_tiles(number);
        // Who looks at single programs sees blocks that are copied, and ops one by one.
        let plain = reports || wants_tiles || self.memory.races.is_some();
        // So does who refuses accesses outside of Refs.
        let plain = plain || self.plan.interpretation.device().is_some();
        for (position, operand) in self.plan.operands.iter().enumerate() {
            let State::Block(state) = &mut self.states[position] else { continue };
            if state.has_block() && operand.map.is_constant() {
                continue;
            }
            let indices = &mut self.indices[position];
            operand.map.indices(ids, self.grid, &self.prefetched, &mut self.memory, hooks, indices)?;
            if let Some(options) = self.plan.simulator {
                let is_output = operand.role == Role::Output;
                let asked = operand.blocks.asked(indices);
                if operand.blocks.leaves(&asked) && (is_output || !options.lenient) {
                    let what = if is_output { "output" } else { "input" };
                    return Err(outside((&operand.name, what), &operand.blocks, indices, ids));
                }
                if is_output && !operand.is_alias && !operand.is_whole {
                    self.visits[position].visit(position - self.first_output, &operand.blocks, &asked, ids)?;
                }
            }
            let moves = self.clock.runs() && !state.is_at(&operand.blocks, indices);
            if moves && state.is_written(&self.memory) {
                state.write_back(&operand.blocks, &mut self.memory)?;
                self.clock.copied(position, true, hooks);
            }
            state.bring(&operand.blocks, indices, &mut self.memory, !plain && self.plan.is_quiet)?;
            if moves {
                self.clock.copied(position, false, hooks);
            }
        }
        if plain {
            (0..self.memory.buffers.len()).try_for_each(|buffer| self.memory.settle(buffer))?;
        }
        if wants_tiles {
            let (tiles, buffers) = self.tiles();
            hooks.tiles(TileEvent { number, ids, after: false, tiles, buffers });
        }
        let compute = tick(hooks);
        let places = compute
            .filter(|_| hooks.wants_places(number))
            .map(|tick| PlaceClock::new(tick, self.plan.tape.locations.len()));
        let places = match &self.plan.topology {
            Some(topology) => {
                let (tape, interpretation) = (&self.plan.tape, self.plan.interpretation);
                let (buffers, prepared) = (self.memory.buffers.len(), (&*self.registers, &*self.plan.scratch));
                World::new((tape, topology), &mut self.memory, hooks, interpretation, prepared, ids)?.run()?;
                self.memory.buffers.truncate(buffers);
                self.memory.forget_from(buffers);
                None
            }
            None => {
                if let Some(races) = &mut self.memory.races {
                    let along = self.plan.parallel.iter();
                    let world = along.fold(0, |world, &axis| world * self.grid[axis] + ids[axis]);
                    let who = || format!("program {}", Shape::from(ids));
                    races.enter_world(u32::try_from(world).unwrap_or(u32::MAX), who);
                }
                let mut machine = Machine {
                    registers: &mut self.registers,
                    memory: &mut self.memory,
                    ids,
                    grid: self.grid,
                    hooks,
                    tape: &self.plan.tape,
                    interpretation: self.plan.interpretation,
                    places,
                };
                let plain = plain || machine.hooks.wants_stores() || machine.places.is_some();
                let plain = plain || self.plan.interpretation.skips_floats();
                match &self.plan.tape.fused {
                    Some(fused) if !plain => machine.run(fused)?,
                    _ => machine.run(&self.plan.tape.body)?,
                }
                machine.places.take()
            }
        };
        let end = tick(hooks);
        if let (Some(mut places), Some(end)) = (places, end) {
            places.enter(0, end);
            hooks.places(&self.plan.tape.locations, &places.ticks);
        }
        if wants_tiles {
            let (tiles, buffers) = self.tiles();
            hooks.tiles(TileEvent { number, ids, after: true, tiles, buffers });
        }
        for state in &self.states {
            if let State::Prefetch { buffer, array } = state
                && self.plan.interpretation == Interpretation::Plain
                && self.memory.buffers[*buffer].written
            {
                self.memory.put(*buffer, array.clone());
                self.memory.buffers[*buffer].written = false;
            }
        }
        if reports {
            let times = match (copy_in, compute, end) {
                (Some(copy_in), Some(compute), Some(end)) => Some(StageTimes { copy_in, compute, end }),
                _ => None,
            };
            hooks.program(&ProgramEvent { number, ids, blocks: &self.indices, times, copies: &self.clock.copies });
        }
        Ok(())
    }

    /// Looks for races from now on.
    fn watch(&mut self) {
        self.memory.races = Some(Box::new(Races::new()));
        let operands = self.plan.operands.iter().map(|operand| {
            let ty = RefType::new(operand.blocks.dtype(), operand.blocks.reference().clone(), MemorySpace::Any);
            (ty, operand.is_whole)
        });
        let scratch = self.plan.scratch.iter().map(|ty| (ty.clone(), false));
        for ((ty, is_whole), &param) in operands.chain(scratch).zip(&self.plan.tape.body.params) {
            let Value::Ref(view) = &self.registers[param as usize] else { continue };
            let name = self.plan.tape.name(param);
            match is_whole {
                true => self.memory.declare_array(view.buffer, name, &ty),
                false => self.memory.declare(view.buffer, name, &ty),
            }
        }
    }

    /// Tells the hooks what was found of accesses that race.
    fn hazards(&mut self, hooks: &mut dyn Hooks) {
        if let Some(races) = &mut self.memory.races {
            races.take_found(&self.plan.tape.locations).iter().for_each(|hazard| hooks.hazard(hazard));
        }
    }

    /// What the kernel's Refs hold now, and which memory they are; a tile is none.
    fn tiles(&self) -> (Vec<Array>, Vec<usize>) {
        let of = |param: &u32| match &self.registers[*param as usize] {
            Value::Ref(view) => self.memory.array(view).ok().map(|array| (array.clone(), view.buffer)),
            Value::Tile(tile) => Some((tile.clone(), usize::MAX)),
            Value::Empty | Value::Window(_) => None,
        };
        self.plan.tape.body.params.iter().filter_map(of).unzip()
    }

    /// Tells the hooks of semaphores that are left above zero, and of copies that nobody has waited for.
    fn unmatched(&mut self, hooks: &mut dyn Hooks) {
        let mut machine = Machine {
            registers: &mut self.registers,
            memory: &mut self.memory,
            ids: &[],
            grid: self.grid,
            hooks,
            tape: &self.plan.tape,
            interpretation: self.plan.interpretation,
            places: None,
        };
        machine.report_left_over(0);
    }

    /// Whether a program has written to an input, or to prefetched scalars so that later ones see it.
    pub(crate) fn wrote_inputs(&self) -> bool {
        self.plan.operands.iter().zip(&self.states).any(|(operand, state)| match state {
            State::Block(state) => operand.role != Role::Output && self.memory.buffers[state.buffer].written,
            State::Prefetch { buffer, .. } => self.memory.buffers[*buffer].written,
        })
    }

    /// From here on whoever reads scratch memory that no program of this run has written fails.
    pub(crate) fn forget_scratch(&mut self) {
        let scratch = self.plan.tape.body.params.iter().skip(self.plan.operands.len());
        self.memory.unknown = scratch
            .filter_map(|&param| match &self.registers[param as usize] {
                Value::Ref(view) => Some(view.buffer),
                _ => None,
            })
            .collect();
    }

    /// The outputs of one block; the others have been written to their parts.
    pub(crate) fn finish(mut self, programs: usize, hooks: &mut dyn Hooks) -> Result<Vec<Array>, RunError> {
        let reports = hooks.wants_programs();
        self.clock.begin(if reports { hooks.now() } else { None });
        let mut outputs = Vec::new();
        for (position, (operand, state)) in self.plan.operands.iter().zip(self.states).enumerate() {
            if let (State::Block(state), Role::Output) = (state, operand.role) {
                let goes = self.clock.runs() && state.is_written(&self.memory);
                outputs.extend(state.finish(&operand.blocks, &mut self.memory)?);
                if goes {
                    self.clock.copied(position, true, hooks);
                }
            }
        }
        if self.clock.runs() && programs > 0 {
            hooks.written_back(programs - 1, &self.clock.copies);
        }
        Ok(outputs)
    }
}

/// Positions of the operands of aliases that are one place for the kernel, as on hardware: neither is copied to blocks.
/// Under `interpret=True` they are two.
fn shared(launch: &Launch) -> Vec<(usize, usize)> {
    let stays = |operand: &Operand| matches!(operand.space, MemorySpace::Any | MemorySpace::Hbm);
    let positions = |is_output: bool| {
        let fits = move |operand: &Operand| (operand.role == Role::Output) == is_output;
        launch.operands.iter().enumerate().filter(move |(_, operand)| fits(operand)).collect::<Vec<_>>()
    };
    let (inputs, outputs) = (positions(false), positions(true));
    let pairs = launch.aliases.iter().filter_map(|&(input, output)| Some((inputs.get(input)?, outputs.get(output)?)));
    match launch.interpretation {
        Interpretation::Plain => Vec::new(),
        _ => pairs.filter(|(i, o)| stays(i.1) && stays(o.1)).map(|(i, o)| (i.0, o.0)).collect(),
    }
}

/// Runs a launch once. Inputs are the prefetched scalars and inputs; the result holds the outputs.
///
/// # Errors
/// As [`LaunchPlan::new`] and [`LaunchPlan::run`].
pub fn run_launch(launch: &Launch, inputs: Vec<Array>, hooks: &mut dyn Hooks) -> Result<Vec<Array>, RunError> {
    LaunchPlan::new(launch)?.run(inputs, hooks)
}
