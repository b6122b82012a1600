//! What a launch becomes: source text, and all that a host has to know to launch it.

use crate::ir::{Doubt, Kernel, MemoryId, Space, TensorMap};
use crate::{Garbage, cuda, lower, marks};
use pallas_ir::{Launch, OpKind, Role};
use pallas_syntax::Span;
use pallas_tensor::{DType, Scalar};
use std::collections::HashMap;
use std::fmt;

/// What a program is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Architecture {
    /// Compute capability, as in `sm_90`: 80, 90, 100.
    pub capability: u32,
    /// Bytes of shared memory that a block may have.
    pub shared_bytes: usize,
}

impl Architecture {
    /// An H100 or H200: what code is shown for, and what is simulated, where no device says otherwise.
    pub const HOPPER: Architecture = Architecture { capability: 90, shared_bytes: 227 << 10 };

    /// The architecture with this compute capability, with the shared memory that CUDA's tables give it.
    pub fn new(capability: u32) -> Architecture {
        let kilobytes = match capability {
            80 | 87 => 163,
            86 | 89 | 120..=129 => 99,
            90..=119 => 227,
            _ => 48,
        };
        Architecture { capability, shared_bytes: kilobytes << 10 }
    }

    /// What a launch is for, where no device says otherwise: some of it is Blackwell's, everything else Hopper has.
    pub fn meant_by(launch: &Launch) -> Architecture {
        let asks = |op: &pallas_ir::OpData| matches!(op.op.kind, OpKind::Agent(pallas_ir::op::AgentOp::Cancel));
        match launch.kernel.ops.iter().any(|op| lower::is_for_blackwell(op) || asks(op)) {
            true => Architecture::new(100),
            false => Architecture::HOPPER,
        }
    }

    /// As NVRTC's option `-arch` wants it: `sm_90a`.
    pub fn name(self) -> String {
        let suffix = if self.capability >= 90 { "a" } else { "" };
        format!("sm_{}{suffix}", self.capability)
    }
}

/// How a launch is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// For what.
    pub architecture: Architecture,
    /// Whether the kernel tells of positions outside of its Refs, which are otherwise moved inside or dropped without a word, and of
    /// elements of outputs that other blocks write, too.
    pub checked: bool,
    /// Whether the kernel tells of NaN that it stores to outputs.
    pub traps_nan: bool,
    /// Whether the kernel notes when it does what.
    pub timed: bool,
    /// What is not left to the lowering.
    pub tuning: Tuning,
    /// What memory holds that nobody has written, where somebody looks for what depends on it. Without, that is what interpret mode has,
    /// and in memory of warpgroups what was there.
    pub garbage: Option<Garbage>,
    /// An element of an output that somebody watches: what is stored there is noted.
    pub watched: Option<Watched>,
}

/// An element of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Watched {
    /// The operand of the launch.
    pub operand: usize,
    /// The element, in row-major order.
    pub element: usize,
}

/// What was stored to the element that somebody watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// By which line of the Pallas source.
    pub span: Span,
    /// By which program, by its number in the grid.
    pub program: usize,
    /// The value; see [`Stored::bits`].
    pub bits: u64,
}

impl Stored {
    /// A value in 64 bits: integers as they are, floats as doubles, all NaN alike.
    pub fn bits(value: Scalar) -> u64 {
        match value {
            Scalar::Float(value) => if value.is_nan() { f64::NAN } else { value }.to_bits(),
            Scalar::Int(value) => value as u64,
            Scalar::Bool(value) => value.into(),
            Scalar::Key(_) => 0,
        }
    }
}

/// Numbers that the lowering chooses by rules of thumb, where somebody knows better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tuning {
    /// Warps of a block: a power of two, 32 at most.
    pub warps: Option<u32>,
    /// Slots of loops that copy ahead, as far as there is room; with one nothing is copied ahead.
    pub stages: Option<usize>,
}

impl Options {
    /// Neither checked nor timed, and everything left to the lowering.
    pub fn new(architecture: Architecture) -> Options {
        let tuning = Tuning::default();
        Options { architecture, checked: false, traps_nan: false, timed: false, tuning, garbage: None, watched: None }
    }
}

/// A launch, ready for NVRTC.
#[derive(Clone, Debug)]
pub struct Program {
    /// CUDA C++ without headers. One `extern "C" __global__` function.
    pub source: String,
    /// Its name.
    pub entry: String,
    /// How many blocks, along x. None is launched if 0: outputs are then as they begin.
    pub blocks: usize,
    /// Threads of a block, along x.
    pub threads: u32,
    /// Bytes of dynamic shared memory. More than 48 KiB have to be asked for (`CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`).
    pub shared_bytes: usize,
    /// Parameters of the function, in order: pointers to global memory, and boxes of their arrays.
    pub params: Vec<Param>,
    /// Lines of the source with the Pallas source that they come from, by line.
    pub lines: Vec<LineEntry>,
    /// What checks say, by number, and the Pallas source of each. Empty if nothing is checked.
    pub checks: Vec<Check>,
    /// The Pallas source of stores to the element that somebody watches, by number.
    pub stores: Vec<Span>,
    /// What the source was printed from.
    pub kernel: Kernel,
}

/// Words that a kernel has for each check.
pub const CHECK_WORDS: usize = 8;

/// Stores to one element that are kept.
pub const STORES: usize = 4096;

/// Words that a kernel has for each of them.
pub const STORE_WORDS: usize = 2;

/// What a check is about, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What it is about.
    pub doubt: Doubt,
    /// What it says: ``writes `o` outside of what the Ref shows``.
    pub words: String,
    /// The Pallas source.
    pub span: Span,
    /// Of a race the operand of the launch whose elements have owners.
    pub operand: Option<usize>,
}

/// The other program of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Met {
    /// Its number in the grid.
    pub program: usize,
    /// Where it wrote, if that is known.
    pub span: Option<Span>,
    /// What: an element of an operand of the launch.
    pub element: (usize, usize),
}

/// A parameter: a pointer to so many elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// What it points to.
    pub kind: ParamKind,
    /// Of the elements. Narrower ones than bytes have a byte each, but for [`Initial::GivenInPairs`]; bools are 0 or 1.
    pub dtype: DType,
    /// How many.
    pub len: usize,
    /// Whether the kernel writes there. Inputs that it writes have to be copied first: the caller's arrays stay as they are.
    pub written: bool,
    /// Whether elements are random keys, the first word the lower half of a number.
    pub keys: bool,
}

/// What a parameter points to.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamKind {
    /// The array of an operand of the launch.
    Operand {
        /// Its position among the launch's operands.
        operand: usize,
        /// What it holds before the launch.
        initial: Initial,
    },
    /// No memory: a box of another parameter's array, 128 bytes that the driver makes (`cuTensorMapEncodeTiled`), by value and
    /// aligned to 64.
    Map {
        /// The position of that parameter.
        param: usize,
        /// The box.
        map: TensorMap,
    },
    /// Memory for the blocks to work in, of any content.
    Workspace,
    /// [`CHECK_WORDS`] for each check, zeros before: how often it failed, the number of the first program in which it did, and the
    /// thread there; of a race the number of the program that had been there, one more than the number of the check where it had
    /// been, 0 if that is not known, and the element.
    Checks,
    /// For each element of outputs that are looked after, a word of 64 bits that says who wrote it last. Zeros before.
    Owners,
    /// What was stored to the element that somebody watches: a word with how often, one that is nothing, and [`STORE_WORDS`] of 64 bits for
    /// each of [`STORES`]: which store, by its number (the upper half), the number of the program, and the value. Zeros before.
    Stores,
    /// Where the blocks note times, in words of 64 bits; see [`marks`]. Zeros before.
    Notes,
}

/// What an array holds before a launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    /// What the caller gives for the operand.
    Given,
    /// The same with two elements of four bits in a byte ([`pairs::packed`](crate::pairs::packed)).
    GivenInPairs,
    /// A copy of what the caller gives for another operand, which it aliases.
    CopyOf(usize),
    /// In every element what interpret mode has in memory that nobody wrote. A host may leave it out.
    Fill(Scalar),
}

/// Where a line of generated source comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineEntry {
    /// One-based line of the generated source.
    pub line: u32,
    /// The Pallas source.
    pub span: Span,
}

/// Why a launch is not compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// One sentence, without a final dot.
    pub message: String,
    /// The Pallas source.
    pub span: Span,
    /// What to do.
    pub help: Option<String>,
}

impl Refusal {
    /// A refusal without advice.
    pub fn new(message: impl Into<String>, span: Span) -> Refusal {
        Refusal { message: message.into(), span, help: None }
    }

    /// The same with what to do.
    pub fn with_help(mut self, help: impl Into<String>) -> Refusal {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

/// Compiles a launch without checks.
///
/// # Errors
/// As [`compile_with`].
pub fn compile(launch: &Launch, architecture: Architecture) -> Result<Program, Refusal> {
    compile_with(launch, Options::new(architecture))
}

/// Compiles a launch. Axes of the grid whose extent is not known before the launch runs have to be known here: the caller puts
/// the extents into `grid` and empties `dynamic`.
///
/// # Errors
/// What cannot be compiled yet, or does not fit the architecture.
pub fn compile_with(launch: &Launch, options: Options) -> Result<Program, Refusal> {
    if options.tuning.warps.is_some_and(|warps| !warps.is_power_of_two() || warps > 32) {
        let message = "a block has 1, 2, 4, 8, 16 or 32 warps";
        return Err(Refusal::new(message, launch.spans.call).with_help("leave `--warps` out, or name one of these"));
    }
    let kernel = lower::lower(launch, options)?;
    let printed = cuda::print(&kernel)?;
    let mut params: Vec<Param> = Vec::new();
    let mut positions: HashMap<MemoryId, usize> = HashMap::new();
    for (id, memory) in kernel.memories() {
        positions.insert(id, params.len());
        if let Space::Operand { operand, constant } = memory.space {
            let dtype = launch.operands.get(operand).map(|operand| operand.array.dtype);
            let initial = match dtype {
                Some(DType::F4E2M1Fn) if memory.dtype == DType::U8 => Initial::GivenInPairs,
                _ => initial_with(launch, operand, options.garbage.unwrap_or_default()),
            };
            let kind = ParamKind::Operand { operand, initial };
            let keys = launch.operands.get(operand).is_some_and(|operand| operand.array.dtype == DType::Key);
            params.push(Param { kind, dtype: memory.dtype, len: memory.len, written: !constant, keys });
        }
    }
    for map in &kernel.maps {
        let kind = ParamKind::Map { param: positions.get(&map.memory).copied().unwrap_or(0), map: map.clone() };
        params.push(Param { kind, dtype: kernel.memory(map.memory).dtype, len: 0, written: false, keys: false });
    }
    let workspace = cuda::workspace_bytes(&kernel).saturating_mul(kernel.blocks);
    if workspace > 0 {
        params.push(Param { kind: ParamKind::Workspace, dtype: DType::U8, len: workspace, written: true, keys: false });
    }
    if !printed.checks.is_empty() {
        let len = CHECK_WORDS * printed.checks.len();
        params.push(Param { kind: ParamKind::Checks, dtype: DType::U32, len, written: true, keys: false });
    }
    let owned = cuda::owned(&kernel).last().map_or(0, |(_, end)| *end);
    if owned > 0 {
        params.push(Param { kind: ParamKind::Owners, dtype: DType::U64, len: owned, written: true, keys: false });
    }
    if !printed.stores.is_empty() {
        let len = STORE_WORDS * (1 + STORES);
        params.push(Param { kind: ParamKind::Stores, dtype: DType::U64, len, written: true, keys: false });
    }
    if !kernel.marks.is_empty() {
        let len = marks::words(&kernel).saturating_mul(kernel.blocks);
        params.push(Param { kind: ParamKind::Notes, dtype: DType::U64, len, written: true, keys: false });
    }
    Ok(Program {
        source: printed.source,
        entry: kernel.name.clone(),
        blocks: kernel.blocks,
        threads: kernel.block_threads(),
        shared_bytes: cuda::shared_bytes(&kernel),
        params,
        lines: printed.lines,
        checks: printed.checks,
        stores: printed.stores,
        kernel,
    })
}

/// What an operand's array holds before the launch.
pub fn initial(launch: &Launch, operand: usize) -> Initial {
    initial_with(launch, operand, Garbage::default())
}

/// The same where memory that nobody has written holds something else.
pub fn initial_with(launch: &Launch, operand: usize, garbage: Garbage) -> Initial {
    if launch.operands.get(operand).is_none_or(|operand| operand.role != Role::Output) {
        return Initial::Given;
    }
    let inputs: Vec<usize> = (0..launch.operands.len()).filter(|&n| launch.operands[n].role != Role::Output).collect();
    let output = operand - inputs.len().min(operand);
    let alias = launch.aliases.iter().find(|alias| alias.1 == output).and_then(|alias| inputs.get(alias.0));
    match alias {
        Some(&input) => Initial::CopyOf(input),
        None => {
            let element = garbage.output(launch.operands[operand].array.dtype, launch.interpretation);
            Initial::Fill(lower::random::number(element))
        }
    }
}
