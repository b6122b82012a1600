//! A launch in motion: memory, registers and blocks of the programs that run one after the other.

use crate::agents::{Devices, World};
use crate::blocks::{BlockState, Carry};
use crate::clock::{CopyClock, PlaceClock};
use crate::control::allocate;
use crate::copies::Moves;
use crate::error::RunError;
use crate::hooks::{Hooks, ProgramEvent, StageTimes, TileEvent};
use crate::journal::Journal;
use crate::launch::LaunchPlan;
use crate::machine::{Machine, Value, registers};
use crate::memory::{Memory, View};
use crate::outputs::Filled;
use crate::races::Races;
use crate::ready::{Outputs, Stage};
use crate::upcoming::Upcoming;
use crate::visits::{Visits, outside};
use pallas_ir::{Interpretation, MemorySpace, RefType, Role};
use pallas_tensor::ops::fused::Target;
use pallas_tensor::{Array, DType, Shape};

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
    /// What index maps compute with, per operand.
    maps: Vec<Vec<Value>>,
    /// What the next program needs.
    upcoming: Upcoming,
    /// Of simulated launches: which blocks of outputs have been.
    visits: Vec<Visits>,
    first_output: usize,
    clock: CopyClock,
    /// The kernel as it runs where nobody looks.
    stage: Stage<'a>,
    /// Whether the next program of the grid follows the one that runs.
    pub(crate) goes_on: bool,
    /// For each operand whether all of it is stored by the next program once more.
    skips: Vec<bool>,
    /// Whether blocks of outputs are watched, where races are looked for.
    watches_blocks: bool,
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
    /// With inputs, and outputs to write to (none for those that are one block).
    pub(crate) fn new(
        plan: &'a LaunchPlan,
        grid: &'a [usize],
        inputs: Vec<Array>,
        outputs: Vec<Filled<'a>>,
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
                    Filled::Part(part) => Some(Carry::Part(part)),
                    Filled::Whole => Some(Carry::Array(blocks.fresh(blocks.padded())?)),
                    Filled::Apart => None,
                },
                _ => Some(Carry::Array(inputs.next().ok_or_else(missing)?)),
            };
            let state = match carry {
                Some(carry) => BlockState::new(blocks, carry, &mut memory),
                None => BlockState::apart(blocks, &mut memory),
            };
            memory.buffers[state.buffer].defers = operand.role == Role::Output && plan.is_quiet;
            let number = states.len();
            memory.buffers[state.buffer].is_input =
                operand.role == Role::Input && operand.is_whole && !plan.shared.iter().any(|pair| pair.0 == number);
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
        let maps = vec![Vec::new(); states.len()];
        let visits = states.iter().map(|_| Visits::default()).collect();
        let first_output = plan.operands.iter().position(|operand| operand.role == Role::Output).unwrap_or(0);
        let clock = CopyClock::default();
        Ok(Run {
            plan,
            grid,
            memory,
            registers,
            indices,
            maps,
            upcoming: Upcoming::default(),
            visits,
            first_output,
            states,
            prefetched,
            clock,
            stage: Stage::default(),
            goes_on: false,
            skips: Vec::new(),
            watches_blocks: false,
        })
    }

    /// Has copies carried out when a schedule says.
    pub(crate) fn schedule(&mut self, moves: Moves) {
        self.memory.moves = moves;
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
        let plain = plain || hooks.wants_stores() || self.plan.interpretation.skips_floats();
        self.memory.lends = !plain && self.plan.is_apart;
        let lazily = !plain && self.plan.is_quiet;
        self.upcoming.begin(ids, self.grid, self.states.len());
        for (position, operand) in self.plan.operands.iter().enumerate() {
            let State::Block(state) = &mut self.states[position] else { continue };
            if state.has_block() && operand.map.is_constant() {
                continue;
            }
            let indices = &mut self.indices[position];
            let registers = &mut self.maps[position];
            if !self.upcoming.take(position, indices) {
                operand.map.indices(ids, self.grid, &self.prefetched, &mut self.memory, hooks, registers, indices)?;
            }
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
            let next = match lazily && operand.role == Role::Input && state.shows() {
                true => {
                    let map = (position, &operand.map, operand.twin);
                    self.upcoming.find(map, self.grid, &self.prefetched, &mut self.memory, registers)
                }
                false => None,
            };
            state.bring(&operand.blocks, (indices, next), &mut self.memory, lazily)?;
            if let (true, Role::Output, Some(races)) = (self.watches_blocks, operand.role, &mut self.memory.races) {
                races.moved(state.buffer, &operand.blocks.starts(indices));
            }
            if moves {
                self.clock.copied(position, false, hooks);
            }
        }
        self.upcoming.end();
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
                let (buffers, shared) = (self.memory.buffers.len(), [&*self.registers]);
                let (devices, prepared) = (Devices::default(), (&shared[..], &*self.plan.scratch));
                World::new((tape, topology), devices, &mut self.memory, hooks, interpretation, prepared, ids)?.run()?;
                self.memory.buffers.truncate(buffers);
                self.memory.forget_from(buffers);
                None
            }
            None if lazily && self.find_stage()? => {
                self.skips.clear();
                let next = self.upcoming.ids();
                let skips = self
                    .plan
                    .operands
                    .iter()
                    .map(|operand| self.goes_on && operand.role == Role::Output && operand.map.stays(ids, next));
                self.skips.extend(skips);
                let states = &mut self.states;
                let mut belongs = |operand: usize, compute: &mut dyn FnMut(&mut Target<'_>)| match &mut states[operand]
                {
                    State::Block(state) => state.compute(&self.plan.operands[operand].blocks, compute),
                    State::Prefetch { .. } => Ok(false),
                };
                let outputs = Outputs { skips: &self.skips, belongs: &mut belongs };
                self.stage.run(&mut self.memory, hooks, self.plan, (ids, self.grid), outputs)?;
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
                let plain = plain || machine.places.is_some();
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
                && self.memory.buffers[*buffer].written
            {
                self.upcoming.forget();
                if self.plan.interpretation == Interpretation::Plain {
                    self.memory.put(*buffer, array.clone());
                    self.memory.buffers[*buffer].written = false;
                }
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

    /// Whether the kernel is ready for the blocks that are there.
    fn find_stage(&mut self) -> Result<bool, RunError> {
        let programs = self.grid.iter().fold(1usize, |all, &extent| all.saturating_mul(extent));
        self.stage.find(self.plan, programs, &self.registers, &self.memory)
    }

    /// Looks for races from now on; those of programs that have the same block of an output if `blocks` are looked at, too.
    pub(crate) fn watch(&mut self, blocks: bool) {
        self.watches_blocks = blocks;
        self.memory.races = Some(Box::new(Races::new()));
        let operands = self.plan.operands.iter().map(|operand| {
            let ty = RefType::new(operand.blocks.dtype(), operand.blocks.reference().clone(), MemorySpace::Any);
            (ty, operand.is_whole || blocks && operand.role == Role::Output)
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
    pub(crate) fn hazards(&mut self, hooks: &mut dyn Hooks) {
        if let Some(races) = &mut self.memory.races {
            races.take_found(&self.plan.tape.locations).iter().for_each(|hazard| hooks.hazard(hazard));
        }
    }

    /// What the kernel's Refs hold now, and which memory they are; a tile is none.
    fn tiles(&self) -> (Vec<Array>, Vec<usize>) {
        let of = |param: &u32| match &self.registers[*param as usize] {
            Value::Ref(view) => self.memory.array(view).ok().map(|array| (array.clone(), view.buffer)),
            Value::Tile(tile) => Some((tile.clone(), usize::MAX)),
            Value::Empty | Value::Number(_) | Value::Window(_) | Value::Coming(_) => None,
        };
        self.plan.tape.body.params.iter().filter_map(of).unzip()
    }

    /// Tells the hooks of semaphores that are left above zero, and of copies that nobody has waited for.
    pub(crate) fn unmatched(&mut self, hooks: &mut dyn Hooks) {
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

    /// Outputs of one block hold zeros before the first program.
    pub(crate) fn count_from_zero(&mut self) -> Result<(), RunError> {
        for (operand, state) in self.plan.operands.iter().zip(&mut self.states) {
            if let (Role::Output, State::Block(state)) = (operand.role, state) {
                state.start_from_zero(&operand.blocks)?;
            }
        }
        Ok(())
    }

    /// From here on whoever reads scratch memory that no program of this run has written fails.
    pub(crate) fn forget_scratch(&mut self) {
        let scratch = self.plan.tape.body.params.iter().skip(self.plan.operands.len());
        self.memory.unknown = scratch
            .zip(&self.plan.scratch)
            // Programs leave semaphores at zero, or run one after the other.
            .filter(|(_, ty)| !ty.space.is_semaphore())
            .map(|(param, _)| param)
            .filter_map(|&param| match &self.registers[param as usize] {
                Value::Ref(view) => Some(view.buffer),
                _ => None,
            })
            .collect();
    }

    /// Whether nothing is under way, and no semaphore is above zero.
    pub(crate) fn is_settled(&self) -> bool {
        let count = |place| self.memory.count(place).is_ok_and(|count| count == 0);
        self.memory.pending.is_empty() && self.memory.last_signals.keys().all(|&place| count(place))
    }

    /// What was copied to outputs of which other threads fill other parts, in their order.
    pub(crate) fn journals(&mut self) -> Vec<Journal> {
        self.memory.buffers.iter_mut().filter_map(|buffer| buffer.journal.take()).collect()
    }

    /// The outputs of one block; the others have been written to their parts.
    pub(crate) fn finish(mut self, programs: usize, hooks: &mut dyn Hooks) -> Result<Vec<Array>, RunError> {
        let reports = hooks.wants_programs();
        self.clock.begin(if reports { hooks.now() } else { None });
        let mut outputs = Vec::new();
        for (position, (operand, state)) in self.plan.operands.iter().zip(self.states).enumerate() {
            if let (State::Block(state), Role::Output) = (state, operand.role) {
                if state.is_apart() {
                    continue;
                }
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
