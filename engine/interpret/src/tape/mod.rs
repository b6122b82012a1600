//! A function flattened: steps in order over numbered registers. Made once per launch, run once per program.

mod compile;
mod contract;
mod fuse;
mod reciprocal;
mod room;
mod scatters;
mod simplify;
mod transposed;

use crate::access::Access;
use crate::launch::LaunchPlan;
use pallas_ir::function::Location;
use pallas_ir::op::{Eval, Types};
use pallas_ir::{AgentOp, Attributes, CopyOp, OpId, Pipeline, RefType, SemaphoreOp};
use pallas_tensor::ops::fused::Chain;
use pallas_tensor::ops::{BinaryOp, CompareOp, MultiplyAdd, ReduceOp, Scatter};
use pallas_tensor::{Array, DType, Shape};
use smallvec::SmallVec;
use std::sync::Arc;

/// The number of a register.
pub(crate) type Register = u32;

/// A function ready to run.
#[derive(Debug)]
pub(crate) struct Tape {
    /// How many registers it needs.
    pub(crate) registers: usize,
    /// Registers that hold constants, filled once and never emptied.
    pub(crate) constants: Vec<(Register, Array)>,
    /// The body, a step for each op.
    pub(crate) body: Block,
    /// The body with chains in the place of elementwise ops, where both were asked for.
    pub(crate) fused: Option<Block>,
    /// How many bytes its tiles take at once, about.
    pub(crate) room: usize,
    /// The chains, by number.
    pub(crate) chains: Vec<Arc<Chain>>,
    /// How many products are rounded together with a sum, and how many divisions multiply by a reciprocal.
    pub(crate) contractions: [usize; 2],
    /// Places of the ops, for errors and findings.
    pub(crate) locations: Arc<[Location]>,
    /// What registers are called in Python.
    pub(crate) names: Vec<Option<Arc<str>>>,
}

impl Tape {
    /// What a register is called in Python.
    pub(crate) fn name(&self, register: Register) -> Option<&Arc<str>> {
        self.names.get(register as usize)?.as_ref()
    }
}

/// A region: parameters are put into registers, steps run, sources are yielded.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) params: Vec<Register>,
    pub(crate) steps: Vec<Step>,
    pub(crate) yields: Vec<Source>,
}

/// Where an operand comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub(crate) register: Register,
    /// Whether nobody reads the register after, so that the value moves out and its buffer can be reused.
    pub(crate) last_use: bool,
}

/// One op.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) action: Action,
    pub(crate) operands: SmallVec<[Source; 4]>,
    pub(crate) results: SmallVec<[Register; 1]>,
    /// Registers to empty afterwards: results that nobody reads, and values whose last reader was inside.
    pub(crate) drops: SmallVec<[Register; 2]>,
    pub(crate) op: OpId,
    pub(crate) location: u32,
    /// Of a loop: its rounds run at the same time.
    pub(crate) together: bool,
    /// Of a scope: the threads of a block have it in common.
    pub(crate) collective: bool,
}

/// A function of tiles with what it carries.
#[derive(Debug)]
pub(crate) struct Pure {
    pub(crate) eval: Eval,
    pub(crate) attributes: Attributes,
    pub(crate) results: Types,
}

/// A chain of elementwise operations.
#[derive(Debug)]
pub(crate) struct Fused {
    /// Its number.
    pub(crate) chain: usize,
    pub(crate) end: FusedEnd,
}

/// What becomes of what a chain computes.
#[derive(Debug)]
pub(crate) enum FusedEnd {
    /// It is the result.
    Tile,
    /// It is stored.
    Store(Box<Access>),
    /// So many of its elements, so far apart, are reduced to one, and are a second result if they are kept.
    Reduce { op: ReduceOp, sizes: [usize; 2], shape: Shape, keeps: bool },
}

/// A product of two matrices of `float32` or `bfloat16`, in `float32`.
#[derive(Debug)]
pub(crate) struct Product {
    /// Which dimension of either factor is summed over.
    pub(crate) contracting: [usize; 2],
    /// The subscript of the Ref that it is added to, all of it; none where it is a tile.
    pub(crate) onto: Option<Box<Access>>,
}

/// What becomes of scalars that stand in registers by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberOp {
    /// The grid axis.
    ProgramId(usize),
    /// The grid axis.
    NumPrograms(usize),
    /// Of integers.
    Binary(BinaryOp),
    /// Of floats.
    Float(BinaryOp),
    /// Of floats, rounded once.
    MultiplyAdd { form: MultiplyAdd, divides: bool },
    /// Of flags.
    Flags(BinaryOp),
    /// Of integers or flags.
    Compare(CompareOp),
    /// -1, 0 or 1 of an integer.
    Sign,
    /// The second operand where the first one, a flag, is false, else the third; with their dtype.
    Select(DType),
    /// An integer of an integer or a flag.
    Integer,
    /// A flag of either.
    Flag,
}

/// What a step does.
#[derive(Debug)]
pub(crate) enum Action {
    /// A function of tiles.
    Pure(Box<Pure>),
    /// A function of numbers.
    Number(NumberOp),
    /// Operands x, y, z: a product (or quotient) and what it is added to, rounded once.
    MultiplyAdd { form: MultiplyAdd, divides: bool },
    /// Operands x, y: `x * (1 / y)`.
    MultiplyByReciprocal,
    /// Operands x, updates (one for each, or one for all), positions: a vector with the updates added to it.
    ScatterAdd(Scatter),
    /// Operands as in the IR: the Ref, the value if one is written, index operands, mask, other.
    Load(Box<Access>, Masking),
    /// A load that only chains read. Operands as in the IR.
    Window(Box<Access>),
    /// A load of one integer whose readers take numbers. Operands as in the IR.
    Element(Box<Access>),
    /// Elementwise operations in one pass. Operands what the chain reads; before it, of a store, the Ref and positions.
    Fused(Box<Fused>),
    /// A product of matrices where they lie. Operands the factors; before them, where it is added to one, the Ref.
    Product(Box<Product>),
    /// See [`Action::Load`].
    Store(Box<Access>, Masking),
    /// See [`Action::Load`].
    Swap(Box<Access>, Masking),
    /// See [`Action::Load`]. `None` exchanges.
    Atomic {
        access: Box<Access>,
        masking: Masking,
        combine: Option<BinaryOp>,
        /// Whether several updates of one place add up (`addupdate`), or the last wins, as `atomic_rmw`'s discharge
        /// rule has it.
        accumulates: bool,
    },
    /// See [`Action::Load`].
    View(Box<Access>),
    /// Operand Ref; the type that it takes, and the order of dimensions where it is another one.
    Reinterpret(Box<RefType>, Option<Arc<[usize]>>),
    /// Operands lower, upper, carries.
    For(Block),
    /// Operands carries.
    While { condition: Block, body: Block },
    /// Operand which.
    Cond(Vec<Block>),
    /// Allocations for the time of the block.
    Scoped(Block, Vec<RefType>),
    /// Operands extents, offsets, Refs.
    Pipeline(Box<PipelineStep>),
    /// Operands source, destination, semaphore, send semaphore?, device ids.
    Copy(Box<CopyStep>),
    /// Operands semaphore, amount?, device ids and core.
    Semaphore(Box<SemaphoreStep>),
    /// Operands as in the IR.
    Agent(Box<AgentStep>),
    /// The grid axis.
    ProgramId(usize),
    /// The grid axis.
    NumPrograms(usize),
    /// The format.
    DebugPrint(Arc<str>),
    /// The launch that the operands go to.
    Launch(Box<LaunchPlan>, Arc<pallas_ir::Launch>),
}

/// A pipeline inside a kernel.
#[derive(Debug)]
pub(crate) struct PipelineStep {
    pub(crate) pipeline: Arc<Pipeline>,
    /// An index map per Ref.
    pub(crate) maps: Vec<MapBlock>,
    pub(crate) body: Block,
}

/// The index map of a Ref of a pipeline.
#[derive(Debug)]
pub(crate) struct MapBlock {
    pub(crate) block: Block,
    /// Whether it reads no Ref, so that the same ids always give the same block.
    pub(crate) is_pure: bool,
}

/// An asynchronous copy.
#[derive(Debug)]
pub(crate) struct CopyStep {
    pub(crate) op: CopyOp,
    /// Whether there are a send semaphore and device ids.
    pub(crate) remote: bool,
    /// Whether the last operand is the number of a core.
    pub(crate) core: bool,
    /// Whether it is waited for what was sent.
    pub(crate) send: bool,
    /// Whether elements are added to what is there.
    pub(crate) add: bool,
    /// Whether the semaphores of what arrived and of what was sent count copies, not bytes.
    pub(crate) counts_copies: [bool; 2],
    /// The names of the semaphores of what arrived and of what was sent.
    pub(crate) names: [Arc<str>; 2],
}

impl CopyStep {
    /// The name of the semaphore that is waited for.
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.names[usize::from(self.send)]
    }
}

/// An op on a semaphore.
#[derive(Debug)]
pub(crate) struct SemaphoreStep {
    pub(crate) op: SemaphoreOp,
    /// Whether a wait leaves the count.
    pub(crate) keep: bool,
    /// Whether the last operand is the number of a core.
    pub(crate) core: bool,
    /// The semaphore's name.
    pub(crate) name: Arc<str>,
}

/// What an agent does to others.
#[derive(Debug)]
pub(crate) struct AgentStep {
    pub(crate) op: AgentOp,
    /// The barrier's name, where there is one.
    pub(crate) name: Arc<str>,
    pub(crate) attributes: Attributes,
    pub(crate) results: Types,
}

/// Which of the optional operands of an access are there.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Masking {
    pub(crate) mask: bool,
    pub(crate) other: bool,
}
