//! A module: its entries, its functions' instructions in one row, and how registers and memory of it are laid out.

use crate::inst::Inst;
use crate::parse::{self, Wrong};
use std::collections::HashMap;

/// A register: an index into what each warp keeps.
pub(crate) type Reg = u32;

/// What a register holds when a block begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Init {
    /// Anything.
    Garbage,
    Constant(u64),
    /// An address of shared memory of the block.
    Shared(u64),
    /// Where dynamic shared memory begins.
    Dynamic,
    /// The address of a variable of the module.
    Global(usize),
    Special(Special),
}

/// Special registers that do not change (PTX ISA 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    Lane,
    Warp,
    Warps,
    Multiprocessor,
    Multiprocessors,
    GridId,
    LanesEqual,
    LanesLess,
    LanesLessEqual,
    LanesGreater,
    LanesGreaterEqual,
    DynamicShared,
    TotalShared,
    ClusterId(usize),
    Clusters(usize),
    ClusterCtaid(usize),
    ClusterNctaid(usize),
    ClusterRank,
    ClusterSize,
    IsCluster,
    Zero,
}

/// A register's width, and what it holds at first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) bits: u32,
    pub(crate) init: Init,
}

/// A variable in global or constant memory.
#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub(crate) name: String,
    pub(crate) align: usize,
    pub(crate) bytes: usize,
    pub(crate) initial: Vec<u8>,
    /// Where it holds addresses of others.
    pub(crate) addresses: Vec<(usize, String)>,
}

/// A parameter of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Where it begins among the parameters' bytes.
    pub offset: usize,
    /// How many bytes it has.
    pub size: usize,
    /// What its offset is a multiple of.
    pub align: usize,
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Bytes of shared memory that the module's variables take.
    pub static_shared: usize,
    /// What dynamic shared memory begins at a multiple of.
    pub shared_align: usize,
    /// `.maxntid` or `.reqntid`
    pub max_threads: Option<[u32; 3]>,
    /// `.reqnctapercluster`
    pub cluster: Option<[u32; 3]>,
    /// Its first instruction.
    pub(crate) begin: u32,
}

impl Entry {
    /// Bytes of all parameters.
    pub fn param_bytes(&self) -> usize {
        self.params.last().map_or(0, |param| param.offset + param.size)
    }
}

/// A function that is called.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) begin: u32,
    /// Where parameters and results lie in a thread's local memory, with their bytes.
    pub(crate) params: Vec<(u32, u32)>,
    pub(crate) results: Vec<(u32, u32)>,
}

/// A parsed PTX module.
#[derive(Debug, Default)]
pub struct Module {
    pub(crate) entries: Vec<Entry>,
    pub(crate) insts: Vec<Inst>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) constants: HashMap<u64, Reg>,
    pub(crate) globals: Vec<Global>,
    pub(crate) functions: Vec<Function>,
    pub(crate) static_shared: usize,
    pub(crate) shared_align: usize,
    /// Bytes of local memory of a thread.
    pub(crate) local: usize,
    /// `.file`s by number.
    pub(crate) files: HashMap<u32, String>,
}

impl Module {
    /// Reads a module.
    ///
    /// # Errors
    /// The text is no PTX, or not understood here. An instruction that is not known is an error only once it is executed.
    pub fn parse(text: &str) -> Result<Module, Wrong> {
        parse::parse(text)
    }

    /// The kernels.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// A kernel.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Instructions that are not known here, with their lines: a program that executes one stops there.
    pub fn unknown(&self) -> impl Iterator<Item = (u32, &str)> {
        self.insts.iter().filter_map(|inst| inst.unknown().map(|what| (inst.line, what)))
    }

    /// The register that holds a constant.
    pub(crate) fn constant(&mut self, value: u64) -> Reg {
        if let Some(reg) = self.constants.get(&value) {
            return *reg;
        }
        let reg = self.slot(64, Init::Constant(value));
        self.constants.insert(value, reg);
        reg
    }

    pub(crate) fn slot(&mut self, bits: u32, init: Init) -> Reg {
        self.slots.push(Slot { bits, init });
        self.slots.len() as Reg - 1
    }

    /// The constant that a register holds.
    pub(crate) fn known(&self, reg: Reg) -> Option<u64> {
        match self.slots[reg as usize].init {
            Init::Constant(value) => Some(value),
            _ => None,
        }
    }
}
