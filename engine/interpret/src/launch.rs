//! Launches: a kernel's tape, once per program, in row-major order.

use crate::affine::IndexMap;
use crate::agents::{Peers, Topology};
use crate::apart::copied_outputs;
use crate::batch::Batch;
use crate::block_plan::BlockPlan;
use crate::copies::Moves;
use crate::counts::counted;
use crate::error::RunError;
use crate::hooks::Hooks;
use crate::outputs::{Filled, Output};
use crate::parallel;
use crate::proofs::Proofs;
use crate::ready::Kernels;
use crate::run::Run;
use crate::tape::Tape;
use pallas_ir::{AxisSemantics, DeviceOptions, Interpretation, Launch, MemorySpace, Operand, RefType, Role, Type};
use pallas_tensor::{Array, Scalar, Shape, at_once};
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
    pub(crate) shared: Vec<(usize, usize)>,
    pub(crate) interpretation: Interpretation,
    /// Where JAX's simulator of TPUs interprets it, which refuses some blocks.
    pub(crate) simulator: Option<DeviceOptions>,
    /// Of kernels whose programs act on each other: which of them run at the same time.
    pub(crate) topology: Option<Topology>,
    /// Of launches whose devices and cores do.
    pub(crate) peers: Option<Peers>,
    /// Whether programs have nothing to do with each other but through what they read and write.
    pub(crate) is_quiet: bool,
    /// Whether they do not but for copies that each of them may wait for itself.
    pub(crate) is_apart: bool,
    /// For each output whether it is only copied to, and along which axes of the grid to other places.
    pub(crate) copied: Vec<Option<u64>>,
    /// Of outputs of integers that programs only add to: along which axis, by output.
    pub(crate) counted: Vec<Option<usize>>,
    /// Whether its programs run at the same time on hardware.
    concurrent: bool,
    /// Axes of the grid along which they do.
    pub(crate) parallel: Vec<usize>,
    /// The same launch with programs taken together, where they are small and leave each other alone.
    batch: Option<Batch>,
    /// What a strict run need not look for.
    pub(crate) proofs: Proofs,
    /// The kernel for programs that nobody looks at.
    pub(crate) ready: Kernels,
}

#[derive(Debug)]
pub(crate) struct OperandPlan {
    pub(crate) role: Role,
    pub(crate) blocks: BlockPlan,
    pub(crate) map: IndexMap,
    /// The kernel's name of it.
    pub(crate) name: Arc<str>,
    /// Whether it is another operand's memory.
    pub(crate) is_alias: bool,
    /// Whether programs get all of it, where it is.
    pub(crate) is_whole: bool,
    /// Whether no block comes back once it was written, so that nobody sees what was written past the end of the array.
    pub(crate) goes_once: bool,
    /// An operand before it whose blocks have the same indices, where it takes some time to find them.
    pub(crate) twin: Option<usize>,
}

impl OperandPlan {
    /// The same operand in other blocks.
    pub(crate) fn with_blocks(&self, blocks: BlockPlan, map: IndexMap) -> OperandPlan {
        OperandPlan { blocks, map, role: self.role, name: self.name.clone(), ..*self }
    }
}

impl LaunchPlan {
    /// Prepares a launch.
    ///
    /// # Errors
    /// If it is not well formed; [`pallas_ir::verify`] lists all that is wrong.
    pub fn new(launch: &Launch) -> Result<LaunchPlan, RunError> {
        LaunchPlan::planned(launch, false)
    }

    /// Prepares a launch to be rehearsed: a kernel on one core is an agent like others.
    pub(crate) fn rehearsed(launch: &Launch) -> Result<LaunchPlan, RunError> {
        LaunchPlan::planned(launch, !launch.has_agents())
    }

    fn planned(launch: &Launch, as_agents: bool) -> Result<LaunchPlan, RunError> {
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
            let goes_once = launch.dynamic.is_empty() && map.goes_once(&launch.grid, &blocks);
            let takes_time = matches!(map, IndexMap::Tape(_));
            let before = &launch.operands[..operands.len()];
            let twin = before.iter().position(|other| takes_time && other.index_map == operand.index_map);
            operands.push(OperandPlan { role: operand.role, blocks, map, name, is_alias, is_whole, goes_once, twin });
        }
        let topology = Topology::of(launch);
        let peers = Peers::of(launch, as_agents)?;
        let shared = shared(launch);
        let alone = topology.is_none() && shared.is_empty();
        let is_quiet = alone && parallel::is_quiet(&tape.body, false);
        let is_apart = alone && parallel::is_quiet(&tape.body, true);
        let copied = copied_outputs(launch);
        let outputs = operands.iter().zip(launch.kernel.params()).filter(|(operand, _)| operand.role == Role::Output);
        let axes = outputs.map(|(operand, &reference)| {
            let fits = operand.blocks.is_one() && !operand.is_alias && !operand.is_whole;
            fits.then(|| counted(&launch.kernel, reference)).flatten()
        });
        let counted = axes.collect();
        let mut plan = LaunchPlan {
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
            is_apart,
            copied,
            counted,
            concurrent: launch.has_agents()
                || launch.has_peers()
                || launch.operands.iter().any(|operand| operand.space == MemorySpace::Gmem),
            parallel: (0..launch.grid.len())
                .filter(|&axis| launch.semantics.get(axis) == Some(&AxisSemantics::Parallel))
                .collect(),
            batch: None,
            proofs: Proofs::default(),
            ready: Kernels::default(),
        };
        plan.check(launch)?;
        plan.proofs = Proofs::of(launch, &plan);
        if plan.is_quiet && plan.peers.is_none() && !plan.idles() {
            plan.batch = Batch::new(launch, &plan);
        }
        Ok(plan)
    }

    /// The same launch with another kernel, for the same arrays in other shapes.
    pub(crate) fn with_kernel(&self, tape: Tape, grid: Vec<usize>, operands: Vec<OperandPlan>) -> LaunchPlan {
        LaunchPlan {
            tape,
            grid,
            dynamic: Vec::new(),
            operands,
            scratch: self.scratch.clone(),
            aliases: self.aliases.clone(),
            shared: Vec::new(),
            interpretation: self.interpretation,
            simulator: self.simulator,
            topology: None,
            peers: None,
            is_quiet: self.is_quiet,
            is_apart: self.is_apart,
            copied: self.copied.clone(),
            // Its programs are several of these, whose conditions are no longer those of one.
            counted: vec![None; self.counted.len()],
            concurrent: self.concurrent,
            parallel: self.parallel.clone(),
            batch: None,
            proofs: self.proofs,
            ready: Kernels::default(),
        }
    }

    /// Whether a strict run has to look for programs that run at the same time and write to one place.
    fn may_race(&self) -> bool {
        !self.proofs.apart && self.parallel.iter().any(|&axis| self.grid[axis] > 1)
    }

    /// Whether programs may be taken together.
    pub(crate) fn has_batch(&self) -> bool {
        self.batch.is_some()
    }

    /// Whether programs do nothing at all, so that they need not run to leave everything as it is.
    fn idles(&self) -> bool {
        self.is_quiet
            && self.tape.body.steps.is_empty()
            && self.interpretation.device().is_none()
            && self.operands.iter().all(|operand| !matches!(operand.map, IndexMap::Tape(_)))
    }

    /// Extents as far as they are known.
    pub(crate) fn grid(&self) -> &[usize] {
        &self.grid
    }

    /// Whether inputs and the outputs that begin as them have the same shape.
    pub(crate) fn has_aliases_of_one_type(&self) -> bool {
        let inputs: Vec<&OperandPlan> = self.operands.iter().filter(|operand| operand.role != Role::Output).collect();
        let outputs: Vec<&OperandPlan> = self.with_role(Role::Output).collect();
        self.aliases.iter().all(|&(input, output)| match (inputs.get(input), outputs.get(output)) {
            (Some(input), Some(output)) => input.blocks.array() == output.blocks.array(),
            _ => false,
        })
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
        let kept = (hooks.is_strict() && self.may_leak()).then(|| inputs.clone());
        // (A launch inside of a function whose operations are put off.)
        let ran = at_once(|| {
            let outputs = self.run_all(inputs, hooks)?;
            if let Some(inputs) = kept {
                self.look_for_leaks(&inputs, &outputs, hooks)?;
            }
            Ok(outputs)
        });
        ran.map_err(|mut error: RunError| {
            error.simulated |= self.interpretation.device().is_some();
            error
        })
    }

    pub(crate) fn run_all(&self, mut inputs: Vec<Array>, hooks: &mut dyn Hooks) -> Result<Vec<Array>, RunError> {
        let rest = inputs.split_off(self.dynamic.len().min(inputs.len()));
        let grid = self.extents(&inputs)?;
        let (inputs, starts) = self.prepare(rest)?;
        self.settle_inputs(&grid, &inputs, hooks);
        if let Some(peers) = &self.peers {
            return peers.run(self, &grid, &inputs, hooks);
        }
        self.run_prepared(&grid, inputs, starts, hooks)
    }

    /// Runs every program on inputs with or without their padding, with what outputs start with.
    pub(crate) fn run_prepared(
        &self,
        grid: &[usize],
        inputs: Vec<Array>,
        starts: Vec<Option<Array>>,
        hooks: &mut dyn Hooks,
    ) -> Result<Vec<Array>, RunError> {
        let programs = match self.idles() && !hooks.looks_at_programs() {
            true => 0,
            false => grid.iter().fold(1usize, |total, &extent| total.saturating_mul(extent)),
        };
        let watches = self.interpretation.detects_races()
            || hooks.wants_races(self.concurrent)
            || hooks.is_strict() && self.may_race();
        if let Some(batch) = &self.batch
            && programs > 0
            && !watches
            && !hooks.looks_at_programs()
            && let Some(outputs) = batch.run(self, &inputs, &starts, hooks)
        {
            return Ok(outputs);
        }
        let threads = parallel::threads(self, hooks);
        let moves = Moves::of(hooks);
        if threads > 1
            && programs > 0
            && !watches
            && matches!(moves, Moves::AsSaid)
            && self.is_apart
            && let Some(outputs) = parallel::run(self, grid, &inputs, &starts, threads, hooks)?
        {
            return Ok(outputs);
        }
        let mut outputs = self.outputs(starts)?;
        let parts = outputs.iter_mut().map(|output| output.as_mut().map_or(Filled::Whole, |o| Filled::Part(o.part())));
        let parts = parts.collect();
        let mut run = Run::new(self, grid, inputs, parts)?;
        run.schedule(moves);
        if watches {
            run.watch(hooks.is_strict() && self.may_race());
        }
        let mut ids = vec![0; grid.len()];
        // Programs that run at the same time are run together.
        let together = self.topology.as_ref().map_or(1, Topology::size).max(1);
        for number in (0..programs).step_by(together) {
            run.goes_on = number + together < programs;
            let result = run.program(number, &ids, hooks);
            run.hazards(hooks);
            result.map_err(|error| error.in_program(&ids))?;
            (0..together).for_each(|_| next(&mut ids, grid));
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

    /// Inputs, with their padding where they are one block, and what outputs start with: aliased ones as a copy of their input.
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
            // Blocks of others are padded when they are brought.
            if operand.role == Role::Input && (operand.blocks.is_one() || self.peers.is_some()) {
                *input = operand.blocks.pad(input.clone())?;
            }
        }
        Ok((inputs, starts))
    }

    /// Outputs in the making; none for those of one block, which is the array itself.
    pub(crate) fn outputs(&self, starts: Vec<Option<Array>>) -> Result<Vec<Option<Output>>, RunError> {
        let make = |(operand, start): (&OperandPlan, Option<Array>)| match (operand.blocks.is_one(), start) {
            (true, None) => Ok(None),
            (_, start) => Output::new(&operand.blocks, start, operand.goes_once).map(Some),
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

/// The number of the program with these ids.
pub(crate) fn number(ids: &[usize], grid: &[usize]) -> usize {
    ids.iter().zip(grid).fold(0, |number, (&id, &extent)| number * extent + id)
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

/// Positions of the operands of aliases that are one place for the kernel, as on hardware: neither is copied to blocks.
/// Under `interpret=True` they are two.
fn shared(launch: &Launch) -> Vec<(usize, usize)> {
    let stays = |operand: &Operand| matches!(operand.space, MemorySpace::Any | MemorySpace::Hbm | MemorySpace::Gmem);
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
