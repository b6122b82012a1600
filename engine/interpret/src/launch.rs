//! Launches: a kernel's tape, once per program, in row-major order.

use crate::affine::IndexMap;
use crate::agents::{Topology, World};
use crate::blocks::{BlockPlan, BlockState};
use crate::clock::{CopyClock, PlaceClock};
use crate::control::allocate;
use crate::error::RunError;
use crate::hooks::{Hooks, ProgramEvent, StageTimes, TileEvent};
use crate::machine::{Machine, Value, registers};
use crate::memory::{Memory, View};
use crate::tape::Tape;
use pallas_ir::{Interpretation, Launch, MemorySpace, Operand, RefType, Role, Type};
use pallas_tensor::{Array, DType, Scalar, Shape};

/// A launch ready to run: the kernel flattened, index maps solved where they are affine.
#[derive(Debug)]
pub struct LaunchPlan {
    tape: Tape,
    grid: Vec<usize>,
    /// Axes whose extents are the first inputs.
    dynamic: Vec<usize>,
    operands: Vec<OperandPlan>,
    scratch: Vec<RefType>,
    /// (input, output), counted over non-output operands and over outputs.
    aliases: Vec<(usize, usize)>,
    /// Aliased inputs and outputs that are one place: both stay in main memory.
    shared: Vec<(usize, usize)>,
    interpretation: Interpretation,
    /// Of kernels whose programs act on each other: which of them run at the same time.
    topology: Option<Topology>,
}

#[derive(Debug)]
struct OperandPlan {
    role: Role,
    blocks: BlockPlan,
    map: IndexMap,
}

impl LaunchPlan {
    /// Prepares a launch.
    ///
    /// # Errors
    /// If it is not well formed; [`pallas_ir::verify`] lists all that is wrong.
    pub fn new(launch: &Launch) -> Result<LaunchPlan, RunError> {
        let tape = Tape::new(&launch.kernel)?;
        let mut operands = Vec::with_capacity(launch.operands.len());
        for operand in &launch.operands {
            let blocks = BlockPlan::new(operand, launch.interpretation)?;
            let map = match operand.role {
                Role::Prefetch => IndexMap::Zero,
                _ => IndexMap::new(operand, launch.grid.len())?,
            };
            operands.push(OperandPlan { role: operand.role, blocks, map });
        }
        let plan = LaunchPlan {
            tape,
            grid: launch.grid.clone(),
            dynamic: launch.dynamic.clone(),
            operands,
            scratch: launch.scratch.clone(),
            aliases: launch.aliases.clone(),
            shared: shared(launch),
            interpretation: launch.interpretation,
            topology: Topology::of(launch),
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
    pub fn run(&self, mut inputs: Vec<Array>, hooks: &mut dyn Hooks) -> Result<Vec<Array>, RunError> {
        let rest = inputs.split_off(self.dynamic.len().min(inputs.len()));
        let grid = self.extents(&inputs)?;
        let mut run = Run::new(self, &grid, rest)?;
        let programs = grid.iter().fold(1usize, |total, &extent| total.saturating_mul(extent));
        let mut ids = vec![0; grid.len()];
        // Programs that run at the same time are run together.
        let together = self.topology.as_ref().map_or(1, Topology::size).max(1);
        for number in (0..programs).step_by(together) {
            run.program(number, &ids, hooks).map_err(|error| error.in_program(&ids))?;
            (0..together).for_each(|_| next(&mut ids, &grid));
        }
        run.unmatched(hooks);
        run.finish(programs, hooks)
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
fn next(ids: &mut [usize], grid: &[usize]) {
    for (id, &extent) in ids.iter_mut().zip(grid).rev() {
        *id += 1;
        if *id < extent {
            return;
        }
        *id = 0;
    }
}

/// A launch in motion.
struct Run<'a> {
    plan: &'a LaunchPlan,
    grid: &'a [usize],
    memory: Memory,
    registers: Vec<Value>,
    states: Vec<State>,
    /// Refs to prefetched scalars, for index maps.
    prefetched: Vec<View>,
    /// Block indices of the running program, per operand.
    indices: Vec<Vec<i64>>,
    clock: CopyClock,
}

enum State {
    /// A whole array in scalar memory. Under `interpret=True` what the kernel writes there is forgotten after the program.
    Prefetch {
        buffer: usize,
        array: Array,
    },
    Block(BlockState),
}

impl<'a> Run<'a> {
    fn new(plan: &'a LaunchPlan, grid: &'a [usize], inputs: Vec<Array>) -> Result<Run<'a>, RunError> {
        let expected: Vec<&OperandPlan> = plan.operands.iter().filter(|operand| operand.role != Role::Output).collect();
        let fits = expected.len() == inputs.len()
            && expected.iter().zip(&inputs).all(|(operand, input)| {
                *input.shape() == *operand.blocks.array() && input.dtype() == operand.blocks.dtype()
            });
        if !fits {
            return Err(RunError::malformed("the arrays do not have the types of the launch's inputs"));
        }
        // An aliased output starts as a copy of its input.
        let output_count = plan.operands.len() - inputs.len();
        let starts: Vec<Option<Array>> = (0..output_count)
            .map(|output| {
                let alias = plan.aliases.iter().find(|(_, o)| *o == output);
                alias.and_then(|&(input, _)| inputs.get(input).cloned())
            })
            .collect();
        let (mut inputs, mut starts) = (inputs.into_iter(), starts.into_iter());
        let mut memory = Memory::default();
        let mut registers = registers(&plan.tape);
        let (mut states, mut prefetched) = (Vec::new(), Vec::new());
        let mut params = plan.tape.body.params.iter();
        for operand in &plan.operands {
            let start = match operand.role {
                Role::Output => starts.next().flatten(),
                _ => inputs.next(),
            };
            let (view, state) = match (operand.role, start) {
                (Role::Prefetch, Some(array)) => {
                    let buffer = memory.add(array.clone());
                    let view = View::whole(buffer, operand.blocks.array());
                    prefetched.push(view.clone());
                    (view, State::Prefetch { buffer, array })
                }
                (_, start) => {
                    if let Some(start) = &start
                        && (start.shape() != operand.blocks.array() || start.dtype() != operand.blocks.dtype())
                    {
                        return Err(RunError::malformed(
                            "an output does not have the type of the input that it aliases",
                        ));
                    }
                    let state = BlockState::new(&operand.blocks, start, &mut memory)?;
                    let view = View::whole(state.buffer, operand.blocks.reference());
                    (view, State::Block(state))
                }
            };
            if let Some(&param) = params.next() {
                registers[param as usize] = Value::Ref(view);
            }
            states.push(state);
        }
        for (ty, &param) in plan.scratch.iter().zip(params) {
            let buffer = memory.add(allocate(ty, plan.interpretation)?);
            registers[param as usize] = Value::Ref(View::whole(buffer, &ty.shape));
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
        Ok(Run { plan, grid, memory, registers, indices, states, prefetched, clock: CopyClock::default() })
    }

    fn program(&mut self, number: usize, ids: &[usize], hooks: &mut dyn Hooks) -> Result<(), RunError> {
        if hooks.cancelled() {
            return Err(RunError::cancelled());
        }
        let reports = hooks.wants_programs();
        let tick = |hooks: &mut dyn Hooks| if reports { hooks.now() } else { None };
        let copy_in = tick(hooks);
        self.clock.begin(copy_in);
        for (position, operand) in self.plan.operands.iter().enumerate() {
            let State::Block(state) = &mut self.states[position] else { continue };
            let indices = &mut self.indices[position];
            operand.map.indices(ids, self.grid, &self.prefetched, &mut self.memory, hooks, indices)?;
            let moves = self.clock.runs() && !state.is_at(&operand.blocks, indices);
            if moves && state.is_written(&self.memory) {
                state.write_back(&operand.blocks, &mut self.memory)?;
                self.clock.copied(position, true, hooks);
            }
            state.bring(&operand.blocks, indices, &mut self.memory)?;
            if moves {
                self.clock.copied(position, false, hooks);
            }
        }
        let wants_tiles = hooks.wants_tiles(number);
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
                None
            }
            None => {
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
                machine.run(&self.plan.tape.body)?;
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

    /// What the kernel's Refs hold now, and which memory they are; a tile is none.
    fn tiles(&self) -> (Vec<Array>, Vec<usize>) {
        let of = |param: &u32| match &self.registers[*param as usize] {
            Value::Ref(view) => self.memory.array(view).ok().map(|array| (array.clone(), view.buffer)),
            Value::Tile(tile) => Some((tile.clone(), usize::MAX)),
            Value::Empty => None,
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

    /// The outputs.
    fn finish(mut self, programs: usize, hooks: &mut dyn Hooks) -> Result<Vec<Array>, RunError> {
        let reports = hooks.wants_programs();
        self.clock.begin(if reports { hooks.now() } else { None });
        let mut outputs = Vec::new();
        for (position, (operand, state)) in self.plan.operands.iter().zip(self.states).enumerate() {
            if let (State::Block(state), Role::Output) = (state, operand.role) {
                let goes = self.clock.runs() && state.is_written(&self.memory);
                outputs.push(state.finish(&operand.blocks, &mut self.memory)?);
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
