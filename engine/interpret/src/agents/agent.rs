//! One agent: registers, and a stack of the blocks that it is in, so that it can stop anywhere and go on.

use crate::error::RunError;
use crate::machine::{Machine, Value};
use crate::tape::{Action, Block, Step};
use pallas_tensor::{Array, DType, Scalar};
use smallvec::SmallVec;
use std::sync::Arc;

/// Values that come out of a block.
pub(crate) type Values = SmallVec<[Value; 4]>;

/// A tape in motion.
pub(crate) struct Agent<'t> {
    pub(crate) registers: Vec<Value>,
    pub(crate) frames: Vec<Frame<'t>>,
    /// Program ids along all axes of the grid.
    pub(crate) ids: Vec<usize>,
    /// The block that it belongs to, by number.
    pub(crate) block: usize,
    /// Which thread of the block it is, and which warp of the thread.
    pub(crate) thread: Thread,
    /// Who waits for it to end.
    pub(crate) parent: Option<usize>,
    /// How many agents it waits for to end.
    pub(crate) children: usize,
    /// Whether it has begun to wait for them.
    pub(crate) forked: bool,
    /// What it waits for.
    pub(crate) waits: Option<Waiting>,
    /// Which branch it took last of each condition, by op.
    pub(crate) choices: Vec<(u32, usize)>,
    /// How often it has come to each scope, by op.
    pub(crate) visits: Vec<(u32, usize)>,
    /// Its number among those whose clocks count, where races are looked for.
    pub(crate) actor: u32,
    /// How many groups of copies out of shared memory it has closed.
    pub(crate) groups: usize,
}

/// A thread of a block, or a warp of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Thread {
    pub(crate) number: usize,
    pub(crate) warp: Option<usize>,
}

/// What an agent waits for, and where.
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    pub(crate) what: String,
    /// The name of the barrier or semaphore.
    pub(crate) name: Arc<str>,
    /// The barrier or semaphore.
    pub(crate) place: Option<crate::semaphores::Place>,
    pub(crate) location: u32,
}

/// A block that is being run.
pub(crate) struct Frame<'t> {
    pub(crate) block: &'t Block,
    pub(crate) next: usize,
    pub(crate) kind: Kind<'t>,
}

/// Why a block is being run.
pub(crate) enum Kind<'t> {
    /// The kernel itself, or a warp's part of it.
    Body,
    /// A round of a loop.
    For { step: &'t Step, counter: i64, upper: i64, dtype: DType },
    /// The condition of a loop; the carries wait.
    Test { step: &'t Step, body: &'t Block, carries: Vec<Value> },
    /// A round of it.
    While { step: &'t Step, condition: &'t Block },
    /// A branch.
    Branch { step: &'t Step },
    /// Scoped allocations.
    Scope { step: &'t Step, scope: super::blocks::Scope },
}

/// What became of a turn.
pub(crate) enum Turn {
    /// The agent can go on.
    Ready,
    /// It waits.
    Waits,
    /// Its tape is at its end.
    Done,
}

impl<'t> Agent<'t> {
    /// An agent that has done nothing yet, is in no block, and waits for nobody.
    pub(crate) fn new(registers: Vec<Value>, ids: Vec<usize>, block: usize, thread: Thread) -> Agent<'t> {
        Agent {
            registers,
            frames: Vec::new(),
            ids,
            block,
            thread,
            parent: None,
            children: 0,
            forked: false,
            waits: None,
            choices: Vec::new(),
            visits: Vec::new(),
            actor: 0,
            groups: 0,
        }
    }

    /// Puts the results of a step into their registers, and goes past it.
    pub(crate) fn finish(&mut self, step: &Step, values: impl IntoIterator<Item = Value>) -> Result<(), RunError> {
        let mut values = values.into_iter();
        for &register in &step.results {
            let value = values.next().ok_or_else(|| RunError::malformed("an op gave too few results"))?;
            self.registers[register as usize] = value;
        }
        for &register in &step.drops {
            self.registers[register as usize] = Value::Empty;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.next += 1;
        }
        Ok(())
    }

    /// Enters a block.
    pub(crate) fn enter(&mut self, block: &'t Block, values: impl IntoIterator<Item = Value>, kind: Kind<'t>) {
        for (&param, value) in block.params.iter().zip(values) {
            self.registers[param as usize] = value;
        }
        self.frames.push(Frame { block, next: 0, kind });
    }

    /// Notes which branch of a condition it takes.
    fn choose(&mut self, op: u32, branch: usize) {
        match self.choices.iter_mut().find(|(known, _)| *known == op) {
            Some((_, last)) => *last = branch,
            None => self.choices.push((op, branch)),
        }
    }

    /// The branch of a condition that it took last, if it ever came to it.
    pub(crate) fn chosen(&self, op: u32) -> Option<usize> {
        self.choices.iter().find(|(known, _)| *known == op).map(|(_, branch)| *branch)
    }

    /// How often it has come to a scope before.
    pub(crate) fn visit(&mut self, op: u32) -> usize {
        match self.visits.iter_mut().find(|(known, _)| *known == op) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                self.visits.push((op, 0));
                0
            }
        }
    }
}

/// Begins what a control step does.
pub(crate) fn begin<'t>(agent: &mut Agent<'t>, inputs: Values, step: &'t Step) -> Result<(), RunError> {
    match &step.action {
        Action::For(body) => {
            let mut inputs = inputs.into_iter();
            let (lower, upper) = (number(inputs.next())?, number(inputs.next())?);
            let (dtype, lower) = lower;
            if lower >= upper.1 {
                let carries: Values = inputs.collect();
                return agent.finish(step, carries);
            }
            let counter = Value::Tile(Array::scalar(dtype, Scalar::Int(lower.into())));
            let kind = Kind::For { step, counter: lower, upper: upper.1, dtype };
            agent.enter(body, std::iter::once(counter).chain(inputs), kind);
        }
        Action::While { condition, body } => {
            agent.enter(condition, inputs.clone(), Kind::Test { step, body, carries: inputs.into_vec() });
        }
        Action::Cond(branches) => {
            let which = inputs.into_iter().next();
            let which = match &which {
                Some(Value::Tile(array)) if array.dtype() == DType::Bool => {
                    i64::from(array.item().and_then(Scalar::as_bool) == Some(true))
                }
                _ => number(which)?.1,
            };
            let which = which.clamp(0, branches.len() as i64 - 1) as usize;
            agent.choose(step.op.0, which);
            agent.enter(&branches[which], [], Kind::Branch { step });
        }
        _ => return Err(RunError::malformed("no step of control")),
    }
    Ok(())
}

/// Ends a block: goes round, or gives its results to the step that it belongs to. The scope that ended, if one did.
pub(crate) fn end<'t>(agent: &mut Agent<'t>, yields: Values) -> Result<Option<super::blocks::Scope>, RunError> {
    let Some(frame) = agent.frames.pop() else { return Err(RunError::malformed("an agent has no block")) };
    match frame.kind {
        Kind::Body => Ok(None),
        Kind::For { step, counter, upper, dtype } => {
            let counter = counter + 1;
            if counter >= upper {
                agent.finish(step, yields)?;
            } else {
                let number = Value::Tile(Array::scalar(dtype, Scalar::Int(counter.into())));
                let kind = Kind::For { step, counter, upper, dtype };
                agent.enter(frame.block, std::iter::once(number).chain(yields), kind);
            }
            Ok(None)
        }
        Kind::Test { step, body, carries } => {
            let goes_on = match yields.first() {
                Some(Value::Tile(flag)) => flag.item().and_then(Scalar::as_bool),
                _ => None,
            };
            match goes_on.ok_or_else(|| RunError::malformed("a condition is not a bool scalar"))? {
                true => agent.enter(body, carries, Kind::While { step, condition: frame.block }),
                false => agent.finish(step, carries)?,
            }
            Ok(None)
        }
        Kind::While { step, condition } => {
            agent.enter(condition, yields.clone(), Kind::Test { step, body: frame.block, carries: yields.into_vec() });
            Ok(None)
        }
        Kind::Branch { step } => {
            agent.finish(step, yields)?;
            Ok(None)
        }
        Kind::Scope { step, scope } => {
            agent.finish(step, yields)?;
            Ok(Some(scope))
        }
    }
}

fn number(value: Option<Value>) -> Result<(DType, i64), RunError> {
    match value {
        Some(Value::Tile(array)) => {
            let number = array.item().and_then(Scalar::as_int).and_then(|number| i64::try_from(number).ok());
            number.map(|number| (array.dtype(), number))
        }
        _ => None,
    }
    .ok_or_else(|| RunError::malformed("an integer scalar was expected"))
}

/// All operands of a step.
pub(crate) fn operands(machine: &mut Machine<'_>, step: &Step) -> Result<Values, RunError> {
    step.operands.iter().map(|&source| machine.take(source)).collect()
}
