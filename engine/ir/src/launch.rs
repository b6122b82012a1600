//! A launch: the hand-over between the front half (evaluate, trace) and the back half (check, run, model).
//! Holds no data of arrays, and no opinion on whether it is right.

use crate::attribute::DimIndex;
use crate::function::Function;
use crate::interpretation::Interpretation;
use crate::op::{MemoryOp, OpKind};
use crate::pipeline::Staged;
use crate::types::{MemorySpace, RefType, TensorType};
use pallas_syntax::Span;
use std::sync::Arc;

/// One `pallas_call` as called.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The kernel. Parameters: scalar-prefetch operands, inputs, outputs, scratch; all Refs.
    pub kernel: Function,
    /// Extent of the grid along each axis; `()` runs the kernel once. 1 where it is not known before the launch runs.
    pub grid: Vec<usize>,
    /// Axes whose extent is computed on the way to the launch, in order: i32 scalars before its other operands.
    pub dynamic: Vec<usize>,
    /// Operands in the order of the kernel's parameters: prefetched scalars, inputs, outputs.
    pub operands: Vec<Operand>,
    /// Scratch Refs; they live across programs.
    pub scratch: Vec<RefType>,
    /// `input_output_aliases`: (input operand, output operand), both counted as in JAX: inputs over prefetched scalars
    /// and inputs, outputs over outputs.
    pub aliases: Vec<(usize, usize)>,
    /// How each grid axis may be run, where the program says so.
    pub semantics: Vec<AxisSemantics>,
    /// What it is compiled with, where the program says so.
    pub target: Target,
    /// Whose parameters or functions it uses, where that is not what it is compiled with: it may be interpreted. What is modelled
    /// follows it; what a compiler would refuse does not.
    pub written_for: Target,
    /// How many bytes of vector memory it may have, where the program says so (`vmem_limit_bytes`).
    pub vmem_limit: Option<usize>,
    /// What its devices wait for before they act on each other.
    pub meeting: Meeting,
    /// How it is interpreted, where the program says so.
    pub interpretation: Interpretation,
    /// Pipelines whose steps the kernel makes itself.
    pub staged: Vec<Staged>,
    /// Places in the source.
    pub spans: LaunchSpans,
}

/// The name of the fetched operand that says which devices take part in a launch: a scalar for each. No parameter of a Python
/// function is called so.
pub const TAKES_PART: &str = "takes part";

/// What devices wait for before they act on each other. A kernel that asks for the barrier semaphore meets the others there
/// itself; in front of any other the compiler puts a barrier of all devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meeting {
    /// `collective_id`: which barrier semaphore `get_barrier_semaphore` gives.
    pub collective: Option<i64>,
    /// `skip_device_barrier`: the compiler puts no barrier in front.
    pub skipped: bool,
    /// `allow_collective_id_without_custom_barrier`: an id of which nothing is made is no mistake.
    pub unused: bool,
}

/// What a launch is compiled with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Target {
    /// The program does not say, or says what differs in nothing that is looked at.
    #[default]
    Unsaid,
    /// Triton: blocks are not copied, Refs are pointers into the arrays.
    Triton,
    /// Mosaic, for a TPU v5e.
    TpuV5e,
    /// Mosaic, for a TPU v5p.
    TpuV5p,
    /// Mosaic, for a TPU v6e.
    TpuV6e,
    /// Mosaic, for a TPU of any kind.
    Tpu,
    /// Mosaic GPU, for a GPU of any kind.
    MosaicGpu,
    /// Mosaic GPU, for Hopper.
    Hopper,
    /// Mosaic GPU, for Blackwell.
    Blackwell,
}

impl Target {
    /// All that a program or its settings can say, with the words of the text form.
    pub(crate) const WORDS: [(&'static str, Target); 8] = [
        ("triton", Target::Triton),
        ("tpu_v5e", Target::TpuV5e),
        ("tpu_v5p", Target::TpuV5p),
        ("tpu_v6e", Target::TpuV6e),
        ("tpu", Target::Tpu),
        ("mosaic_gpu", Target::MosaicGpu),
        ("hopper", Target::Hopper),
        ("blackwell", Target::Blackwell),
    ];

    /// Whether it is a TPU.
    pub fn is_tpu(self) -> bool {
        matches!(self, Target::Tpu | Target::TpuV5e | Target::TpuV5p | Target::TpuV6e)
    }

    /// Whether it is a GPU through Mosaic.
    pub fn is_mosaic_gpu(self) -> bool {
        matches!(self, Target::MosaicGpu | Target::Hopper | Target::Blackwell)
    }

    /// Vector memory of a TPU's core.
    pub fn vmem_bytes(self) -> Option<usize> {
        match self {
            Target::TpuV5e | Target::TpuV6e => Some(128 << 20),
            Target::TpuV5p => Some(64 << 20),
            _ => None,
        }
    }

    /// What of it the compiler lets a kernel have where the program says nothing else.
    pub fn default_vmem_bytes(self) -> Option<usize> {
        match self {
            Target::TpuV5e | Target::TpuV5p => Some(16 << 20),
            Target::TpuV6e => Some(32 << 20),
            _ => None,
        }
    }
}

/// One array handed to a kernel, with the way it is cut into blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// The kernel's parameter name.
    pub name: Arc<str>,
    /// Which way data goes.
    pub role: Role,
    /// The whole array.
    pub array: TensorType,
    /// One entry per dimension of the array.
    pub block: Vec<BlockDim>,
    /// Program ids (and prefetched scalars, as Refs) to one block index per dimension. `None`: always block 0.
    pub index_map: Option<Function>,
    /// Where blocks are put.
    pub space: MemorySpace,
    /// Buffer slots, where the program says (`pl.Buffered(n)`).
    pub buffers: Option<usize>,
    /// Places in the source.
    pub spans: OperandSpans,
}

/// Which way an operand's data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Whole array in scalar memory, readable by index maps.
    Prefetch,
    /// Copied in.
    Input,
    /// Copied out.
    Output,
}

/// How one dimension is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockDim {
    /// Blocks of this many elements; the index counts blocks.
    Blocked(usize),
    /// One element, and the dimension is not there in the kernel (`None` or `pl.Squeezed()`); the index counts elements.
    Squeezed,
    /// This many elements; the index counts elements, after virtual padding of the array by `low` and `high`.
    Element {
        /// Elements in a block.
        size: usize,
        /// Virtual elements before the array.
        low: usize,
        /// Virtual elements after the array.
        high: usize,
    },
}

/// How programs along an axis may be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AxisSemantics {
    /// In any order, or at once.
    Parallel,
    /// In order.
    Arbitrary,
    /// At once, each on a device of its own, with arrays of its own: an axis of a mesh. The first axes.
    Device,
    /// At once, each on a core of its own of one device.
    Core,
    /// At once: blocks of one cluster, which reach each other's shared memory.
    Cluster,
    /// At once: threads of one block, which have its scratch in common. The last axis.
    Thread,
}

impl AxisSemantics {
    /// Every way.
    pub const ALL: [AxisSemantics; 6] = [
        AxisSemantics::Parallel,
        AxisSemantics::Arbitrary,
        AxisSemantics::Device,
        AxisSemantics::Core,
        AxisSemantics::Cluster,
        AxisSemantics::Thread,
    ];

    /// As in the text form.
    pub fn name(self) -> &'static str {
        match self {
            AxisSemantics::Parallel => "parallel",
            AxisSemantics::Arbitrary => "arbitrary",
            AxisSemantics::Device => "device",
            AxisSemantics::Core => "core",
            AxisSemantics::Cluster => "cluster",
            AxisSemantics::Thread => "thread",
        }
    }
}

/// Places in the source that findings about a launch point to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchSpans {
    /// The `pallas_call(...)` expression.
    pub call: Span,
    /// The expression that applied it to arrays.
    pub apply: Span,
    /// The kernel's name in its `def`, or its lambda.
    pub kernel: Option<Span>,
    /// The `grid` argument.
    pub grid: Option<Span>,
    /// The `out_shape` argument.
    pub out_shape: Option<Span>,
    /// The condition or loop before it in which devices go different ways, so that not all come to the launch.
    pub parted: Option<Span>,
}

/// Places in the source that findings about an operand point to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperandSpans {
    /// The `BlockSpec(...)` expression.
    pub spec: Option<Span>,
    /// Its `block_shape` argument.
    pub block_shape: Option<Span>,
    /// Its `index_map` argument: the function or lambda.
    pub index_map: Option<Span>,
    /// The kernel's parameter.
    pub parameter: Option<Span>,
    /// Where the kernel says that it does not use the parameter: `del o_ref`.
    pub dropped: Option<Span>,
    /// A condition of the kernel's text behind which the parameter is used: while tracing, it may not hold.
    pub conditional: Option<Span>,
}

impl BlockDim {
    /// Elements along this dimension in one block (1 where squeezed).
    pub fn size(self) -> usize {
        match self {
            BlockDim::Blocked(size) | BlockDim::Element { size, .. } => size,
            BlockDim::Squeezed => 1,
        }
    }

    /// First element of the block with this index, in the coordinates of the array (before its virtual padding, so it
    /// may be negative).
    pub fn start(self, index: i64) -> i64 {
        match self {
            BlockDim::Blocked(size) => index.saturating_mul(size as i64),
            BlockDim::Squeezed => index,
            BlockDim::Element { low, .. } => index - low as i64,
        }
    }
}

impl Operand {
    /// The shape that the kernel's Ref has: block sizes without squeezed dimensions.
    pub fn block_shape(&self) -> Vec<usize> {
        self.block.iter().filter(|d| !matches!(d, BlockDim::Squeezed)).map(|d| d.size()).collect()
    }

    /// Whether one block is the whole array, whatever the program.
    pub fn is_whole(&self) -> bool {
        self.index_map.is_none() && self.is_one_block()
    }

    /// Whether a block has the extents of the array: there is one, though an index map may ask for another.
    fn is_one_block(&self) -> bool {
        self.block.iter().zip(self.array.shape.iter()).all(|(b, &n)| *b == BlockDim::Blocked(n))
    }
}

impl Launch {
    /// Extent of the grid along each axis, where it is known.
    pub fn extents(&self) -> Vec<Option<usize>> {
        self.grid.iter().enumerate().map(|(axis, &extent)| (!self.dynamic.contains(&axis)).then_some(extent)).collect()
    }

    /// The extents as people write them: `?` where they are not known.
    pub fn grid_words(&self) -> Vec<String> {
        self.extents().iter().map(|extent| extent.map_or("?".to_string(), |extent| extent.to_string())).collect()
    }

    /// Whether its programs act on each other: threads of a block, blocks of a cluster, and the engines that copy and
    /// multiply for them.
    pub fn has_agents(&self) -> bool {
        self.semantics.iter().any(|axis| matches!(axis, AxisSemantics::Cluster | AxisSemantics::Thread))
            || self.kernel.ops.iter().any(|op| matches!(op.op.kind, crate::op::OpKind::Agent(_)))
    }

    /// Whether its kernel is one of a GPU that reaches into other devices of a mesh, or signals them.
    pub fn reaches_devices(&self) -> bool {
        use crate::op::{AgentOp, OpKind, SemaphoreOp};
        self.has_agents()
            && self.kernel.ops.iter().any(|op| match op.op.kind {
                OpKind::Agent(AgentOp::StoreEverywhere | AgentOp::LoadEverywhere | AgentOp::SignalEverywhere) => true,
                OpKind::Agent(AgentOp::Reach) => op.attributes.str("what") != Some("cluster"),
                OpKind::Semaphore(SemaphoreOp::Signal) => op.operands.len() > 2,
                _ => false,
            })
    }

    /// The options of JAX's simulator of TPUs, where it interprets the launch.
    pub fn tpu_simulator(&self) -> Option<crate::interpretation::DeviceOptions> {
        let is_gpu = self.has_agents() || self.operands.iter().any(|operand| operand.space == MemorySpace::Gmem);
        self.interpretation.device().filter(|_| !is_gpu)
    }

    /// How many of the first axes are those of a mesh of devices.
    pub fn device_axes(&self) -> usize {
        self.semantics.iter().take_while(|axis| **axis == AxisSemantics::Device).count()
    }

    /// Whether its programs run on devices or cores that act on each other: they signal, copy to, or wait for others.
    pub fn has_peers(&self) -> bool {
        let is_apart = |axis: &AxisSemantics| matches!(axis, AxisSemantics::Device | AxisSemantics::Core);
        let several = self.semantics.iter().zip(&self.grid).any(|(axis, &extent)| is_apart(axis) && extent > 1);
        let communicates = |op: &crate::function::OpData| {
            matches!(op.op.kind, crate::op::OpKind::Semaphore(_))
                || (matches!(op.op.kind, crate::op::OpKind::Copy(_)) && op.attributes.flag("remote"))
        };
        several && (self.semantics.contains(&AxisSemantics::Core) || self.kernel.ops.iter().any(communicates))
    }

    /// Whether it depends on a schedule: on whose turn it is among agents, devices and cores, or on when copies are done.
    pub fn has_schedules(&self) -> bool {
        let copies = || self.kernel.ops.iter().any(|op| matches!(op.op.kind, crate::op::OpKind::Copy(_)));
        self.has_agents() || self.has_peers() || copies()
    }

    /// Whether the kernel asks for the barrier semaphore.
    pub fn asks_for_barrier(&self) -> bool {
        use crate::op::{OpKind, SemaphoreOp};
        self.kernel.ops.iter().any(|op| matches!(op.op.kind, OpKind::Semaphore(SemaphoreOp::Barrier)))
    }

    /// The parts of the source that it is made of: its call, its blocks, its kernel.
    pub fn places(&self) -> Vec<Span> {
        let spans = &self.spans;
        let mut places = vec![spans.call, spans.apply];
        places.extend([spans.kernel, spans.grid, spans.out_shape].into_iter().flatten());
        for operand in &self.operands {
            let spans = &operand.spans;
            places.extend([spans.spec, spans.block_shape, spans.index_map, spans.parameter].into_iter().flatten());
        }
        places.extend(self.kernel.locations.iter().map(|location| location.span));
        places.retain(|place| place.end > place.start);
        places
    }

    /// Number of programs; saturating. One along axes whose extent is not known.
    pub fn programs(&self) -> usize {
        self.grid.iter().fold(1, |n, &g| n.saturating_mul(g))
    }

    /// Program ids of the program with this row-major number.
    pub fn program(&self, mut number: usize) -> Vec<usize> {
        let mut ids = vec![0; self.grid.len()];
        for (id, &extent) in ids.iter_mut().zip(&self.grid).rev() {
            if extent > 0 {
                *id = number % extent;
                number /= extent;
            }
        }
        ids
    }

    /// Operands of one role with their position.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = (usize, &Operand)> {
        self.operands.iter().enumerate().filter(move |(_, o)| o.role == role)
    }

    /// Whether the kernel loads single elements of an operand.
    fn picks_from(&self, number: usize) -> bool {
        let Some(&param) = self.kernel.params().get(number) else { return false };
        self.kernel.ops.iter().any(|op| {
            let is_load = matches!(op.op.kind, OpKind::Memory(MemoryOp::Load)) && op.operands.first() == Some(&param);
            is_load
                && op.attributes.index().is_some_and(|index| index.0.iter().all(|dim| matches!(dim, DimIndex::At(_))))
        })
    }

    /// Operands of which it can be known before the grid runs what a program reads at a place: prefetched scalars, and
    /// inputs of integers that are one block, are read element by element, and share memory with no output.
    pub fn with_known_elements(&self) -> impl Iterator<Item = (usize, &Operand)> {
        self.operands.iter().enumerate().filter(|&(number, operand)| match operand.role {
            Role::Prefetch => true,
            Role::Input => {
                let is_shared = self.aliases.iter().any(|&(input, _)| input == number);
                operand.is_one_block() && operand.array.dtype.is_integer() && !is_shared && self.picks_from(number)
            }
            Role::Output => false,
        })
    }
}
