//! Why a run stopped.

use pallas_ir::function::Location;
use pallas_ir::{EvalError, OpId};
use pallas_tensor::OpError;
use std::fmt;

/// Why a run stopped, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunError {
    /// What happened.
    pub kind: RunErrorKind,
    /// The op that was running, with its place in the source.
    pub op: Option<(OpId, Location)>,
    /// The ids of the program that was running.
    pub program: Option<Vec<usize>>,
    /// Other places that have to do with it, with what each has.
    pub others: Option<Box<Others>>,
    /// Whether the launch asked for JAX's simulator of devices, whose exceptions have a class of their own.
    pub simulated: bool,
}

/// Places that have to do with an error, with what each has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Others {
    /// Where, and what is there.
    pub places: Vec<(Location, String)>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunErrorKind {
    /// The hooks asked to stop.
    Cancelled,
    /// An op could not be computed: a dtype without arithmetic.
    Eval(String),
    /// There is no memory for a tile or an output.
    Memory(String),
    /// A wait that nothing can satisfy.
    Deadlock(String),
    /// A wait for others in the launch that have taken another branch, or left a loop.
    Missing(String),
    /// A wait for a device that does not take part in the launch.
    Absent(String),
    /// A barrier that is arrived at or waited for out of step.
    Barrier(String),
    /// The function or launch is not well formed; the verifier says more.
    Malformed(String),
}

impl RunError {
    /// Other places that have to do with it.
    pub fn others(&self) -> &[(Location, String)] {
        self.others.as_ref().map_or(&[], |others| &others.places)
    }

    pub(crate) fn new(kind: RunErrorKind) -> RunError {
        RunError { kind, op: None, program: None, others: None, simulated: false }
    }

    pub(crate) fn malformed(message: impl Into<String>) -> RunError {
        RunError::new(RunErrorKind::Malformed(message.into()))
    }

    /// What cannot be computed, in words.
    pub fn eval(message: impl Into<String>) -> RunError {
        RunError::new(RunErrorKind::Eval(message.into()))
    }

    pub(crate) fn cancelled() -> RunError {
        RunError::new(RunErrorKind::Cancelled)
    }

    /// Names the op, unless an inner one has been named.
    pub(crate) fn at(mut self, op: OpId, location: &Location) -> RunError {
        self.op.get_or_insert_with(|| (op, location.clone()));
        self
    }

    /// Names the program, unless an inner launch has.
    pub(crate) fn in_program(mut self, ids: &[usize]) -> RunError {
        self.program.get_or_insert_with(|| ids.into());
        self
    }
}

impl From<OpError> for RunError {
    fn from(error: OpError) -> Self {
        RunError::new(match error {
            OpError::TooLarge { .. } => RunErrorKind::Memory(error.to_string()),
            _ => RunErrorKind::Eval(error.to_string()),
        })
    }
}

impl From<EvalError> for RunError {
    fn from(error: EvalError) -> Self {
        RunError::new(match error.is_memory {
            true => RunErrorKind::Memory(error.message),
            false => RunErrorKind::Eval(error.message),
        })
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            RunErrorKind::Cancelled => f.write_str("cancelled")?,
            RunErrorKind::Eval(message)
            | RunErrorKind::Memory(message)
            | RunErrorKind::Deadlock(message)
            | RunErrorKind::Missing(message)
            | RunErrorKind::Absent(message)
            | RunErrorKind::Barrier(message) => f.write_str(message)?,
            RunErrorKind::Malformed(message) => write!(f, "malformed IR: {message}")?,
        }
        if let Some(ids) = &self.program {
            let ids: Vec<String> = ids.iter().map(usize::to_string).collect();
            write!(f, " (in program ({}))", ids.join(", "))?;
        }
        Ok(())
    }
}

impl std::error::Error for RunError {}
