//! The definition of an op: everything about it in one place. Families of ops are tables in `ops/`.

use crate::attribute::Attributes;
use crate::function::{Function, RegionId};
use crate::interval::Interval;
use crate::types::{TensorType, Type};
use pallas_tensor::Array;
use smallvec::SmallVec;
use std::fmt;

/// Types of results.
pub type Types = SmallVec<[Type; 1]>;

/// Results from operands, which are owned so that a buffer that nobody else holds is reused in place.
pub type Eval = fn(&EvalContext<'_>, SmallVec<[Array; 4]>) -> Result<SmallVec<[Array; 1]>, EvalError>;

/// Bounds of an integer result from bounds of the operands, computed without a width: a result that leaves the range of
/// the op's dtype says nothing, since the real value wraps around.
pub type IntervalHook = fn(&Attributes, &[Interval]) -> Interval;

/// An op: a pointer to its definition. Two ops are equal if they are the same definition.
#[derive(Clone, Copy)]
pub struct Op(pub &'static OpDef);

/// All there is to know of an op.
pub struct OpDef {
    /// As in the text form; lax's name where there is one.
    pub name: &'static str,
    /// One line.
    pub doc: &'static str,
    /// Names of the attributes it takes, in printing order. The reader accepts no others.
    pub attributes: &'static [&'static str],
    /// The type rule: result types from operand types, or what is wrong in JAX's words.
    pub infer: fn(&InferContext<'_>) -> Result<Types, InferError>,
    /// What it does.
    pub kind: OpKind,
}

/// What an op does, by the way it is executed.
pub enum OpKind {
    /// A function of its tiles.
    Pure {
        /// Computes the results. Operands are owned, so a buffer that nobody else holds is reused in place.
        eval: Eval,
        /// For integer results: bounds from bounds of the operands. `None` where nothing is known.
        interval: Option<IntervalHook>,
    },
    /// Reads or writes a Ref: executed by the interpreter's memory.
    Memory(MemoryOp),
    /// Runs regions.
    Control(ControlOp),
    /// Asks for the program's place in the grid.
    Program(ProgramOp),
    /// Is seen from outside: prints, checks.
    Effect(EffectOp),
    /// Moves data from Ref to Ref while the kernel goes on.
    Copy(CopyOp),
    /// Signals, waits for or reads a semaphore.
    Semaphore(SemaphoreOp),
    /// Acts between the agents of a GPU kernel.
    Agent(AgentOp),
    /// Starts a launch from a host function. Operands and results as the launch's.
    Launch,
}

/// Ops on Refs. Operand order: the Ref, the value if one is written, index operands, then `mask` and `other` if the
/// attributes `masked` and `other` are true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryOp {
    /// `value = ref[index]`
    Load,
    /// `ref[index] = value`
    Store,
    /// `old = ref[index]; ref[index] = value`
    Swap,
    /// `ref[index] = ref[index] op value`, atomically; the old value is the result. The attribute `combine` names the op.
    Atomic,
    /// A Ref to part of a Ref. No integer arrays in the index.
    View,
    /// A Ref to the same elements in another shape, or to the same bits as another dtype. No index.
    Reinterpret,
}

/// Ops with regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlOp {
    /// Operands `lower, upper, carries...`; region `(i, carries...) -> carries`.
    For,
    /// Operands `carries...`; regions `(carries...) -> bool[]` and `(carries...) -> carries`.
    While,
    /// Operand `index` (i32, clamped); one region without parameters per branch, all yielding the same types.
    Cond,
    /// No operands; region with one Ref parameter per allocation; results are what it yields.
    Scoped,
    /// Region with one parameter per operand; results are what it yields.
    Call,
    /// Operands extents, offsets, Refs; an index map per Ref and a body. The attribute `pipeline` says the rest.
    Pipeline,
}

/// Questions to the grid; attribute `axis`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramOp {
    /// Index of the running program along the axis.
    ProgramId,
    /// Extent of the grid along the axis.
    NumPrograms,
}

/// Asynchronous copies. Operands: source, destination, the semaphore that counts what has arrived; for copies to another
/// device (attribute `remote`) the semaphore that counts what has been sent, and the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyOp {
    /// Starts the copy.
    Start,
    /// Waits until as many bytes as the copy has are counted, and takes them off the count. The attribute `send` says that
    /// it is the other semaphore that is waited for.
    Wait,
}

/// Semaphores. The first operand is the semaphore, a Ref without dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SemaphoreOp {
    /// Adds the second operand; on another device or core where more operands say so.
    Signal,
    /// Waits until the count is at least the second operand, and takes it off unless the attribute `keep` is true.
    Wait,
    /// The count.
    Read,
    /// The barrier semaphore of the launch. No operands.
    Barrier,
}

/// What the threads of a GPU kernel say to each other and have its engines do. Only launches with threads, or kernels that
/// move their data themselves, have these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentOp {
    /// Arrives at a barrier.
    Arrive,
    /// Waits until the next phase of a barrier is complete.
    Wait,
    /// Whether the next phase of a barrier is complete.
    Test,
    /// Starts a copy into shared memory, which arrives at a barrier.
    CopyIn,
    /// Starts a copy out of shared memory, which joins a group.
    CopyOut,
    /// Closes the group of copies out.
    Commit,
    /// Waits until at most so many groups of copies out are under way.
    Drain,
    /// Brings memory nearer.
    Prefetch,
    /// Stores to the shared memory of a block of the cluster, and arrives at a barrier there.
    StoreAcross,
    /// Starts a product into the registers of a warpgroup.
    Product,
    /// Waits until at most so many products are under way.
    ProductWait,
    /// Starts a product into tensor memory.
    Mma,
    /// Arrives at a barrier when the products that were started are done.
    MmaCommit,
    /// Starts a copy from shared into tensor memory.
    CopyToTmem,
    /// Orders accesses, or says something to the compiler.
    Fence,
    /// A Ref to the same place in another block of the cluster, on another device, or on all of them.
    Reach,
    /// Stores on all devices.
    StoreEverywhere,
    /// Loads from all devices and folds.
    LoadEverywhere,
    /// Signals on all devices.
    SignalEverywhere,
    /// Asks for the next block that nobody has begun.
    Cancel,
    /// What [`AgentOp::Cancel`] was given.
    CancelResult,
    /// A semaphore that stays where it is from launch to launch.
    Global,
    /// Code in another language.
    Foreign,
}

/// Effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffectOp {
    /// Prints the attribute `format`, `{}` fields filled from the operands.
    DebugPrint,
}

/// What a type rule sees.
pub struct InferContext<'a> {
    /// Types of the operands.
    pub operands: &'a [Type],
    /// The op's attributes.
    pub attributes: &'a Attributes,
    /// The function under construction, for the types that regions yield.
    pub function: &'a Function,
    /// The op's regions, already built.
    pub regions: &'a [RegionId],
}

/// What an evaluation sees besides its operands.
pub struct EvalContext<'a> {
    /// The op's attributes.
    pub attributes: &'a Attributes,
    /// The result types that inference found.
    pub results: &'a [Type],
}

/// Why a type rule refuses, in JAX's words, with the exception type that JAX raises.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InferError {
    /// `TypeError`, `ValueError`, ...
    pub exception: &'static str,
    /// What is wrong.
    pub message: String,
    /// The rule of the catalogue, such as `PL202`, or empty.
    pub code: &'static str,
    /// The same in words of our own, with what can be done about it, where JAX's words alone would not help.
    pub explained: Option<(String, &'static str)>,
}

/// Why an evaluation failed. Types have been checked, so only limits and unsupported dtypes remain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EvalError {
    /// In words.
    pub message: String,
    /// Whether there is no memory for the result.
    pub is_memory: bool,
}

impl EvalError {
    /// Anything but a lack of memory.
    pub fn new(message: impl Into<String>) -> EvalError {
        EvalError { message: message.into(), is_memory: false }
    }
}

impl From<pallas_tensor::OpError> for EvalError {
    fn from(error: pallas_tensor::OpError) -> Self {
        EvalError { message: error.to_string(), is_memory: matches!(error, pallas_tensor::OpError::TooLarge { .. }) }
    }
}

impl InferError {
    /// A `TypeError` without a rule.
    pub fn type_error(message: impl Into<String>) -> Self {
        InferError { exception: "TypeError", message: message.into(), code: "", explained: None }
    }

    /// A `ValueError` without a rule.
    pub fn value_error(message: impl Into<String>) -> Self {
        InferError { exception: "ValueError", message: message.into(), code: "", explained: None }
    }

    /// The same under a rule of the catalogue.
    pub fn with_code(mut self, code: &'static str) -> Self {
        self.code = code;
        self
    }

    /// The same with words of our own, and with what can be done about it.
    pub fn explained(mut self, words: impl Into<String>, help: &'static str) -> Self {
        self.explained = Some((words.into(), help));
        self
    }
}

impl InferContext<'_> {
    /// The tile type of operand `index`.
    pub fn tensor(&self, index: usize) -> Result<&TensorType, InferError> {
        match self.operands.get(index) {
            Some(Type::Tensor(ty)) => Ok(ty),
            Some(Type::Ref(ty)) => Err(InferError::type_error(format!("operand {index} is a {ty}, not a value"))),
            None => Err(InferError::type_error(format!("operand {index} is missing"))),
        }
    }
}

impl PartialEq for Op {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Op {}

impl std::ops::Deref for Op {
    type Target = OpDef;

    fn deref(&self) -> &OpDef {
        self.0
    }
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}
