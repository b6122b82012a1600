//! The machine: a grid's clusters of blocks of warps. Blocks run in their order; one that waits for another (in a loop that looks at
//! memory) lets those behind it begin.

mod access;
mod barriers;
mod begin;
mod claims;
mod cluster;
mod copies;
mod engines;
mod lanes;
mod printed;
mod step;
mod tensor;
mod warp;
mod warpgroups;

use crate::fault::{Cause, Fault};
use crate::memory::Memory;
use crate::module::{Entry, Module};
use cluster::Cluster;
use copies::Sent;
use std::collections::{BTreeMap, VecDeque};

/// How a kernel is started.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Blocks of a cluster; all ones: as the kernel itself says.
    pub cluster: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: usize,
    /// The parameters, as [`Entry::params`] lays them out.
    pub params: &'a [u8],
    /// How many instructions of warps may be executed.
    pub budget: u64,
    /// A warp that goes on only where no other one of its cluster does, by its number in the cluster: what others have to wait for they
    /// see then, and nothing else.
    pub slow: Option<usize>,
}

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// Instructions of warps; products count by their size, 256 terms as one.
    pub instructions: u64,
    /// Times that a warp arrived at a barrier of its block.
    pub barriers: u64,
    /// Products of warps and warpgroups.
    pub products: u64,
    /// Multiply-adds of all products.
    pub terms: u64,
    /// How many threads executed each kind of instruction, as it is written but for its operands.
    pub executed: BTreeMap<String, u64>,
    /// Bytes that were copied asynchronously.
    pub copied: u64,
    /// What `printf` said.
    pub printed: String,
}

/// Terms of a product that take as long here as an instruction.
pub(crate) const PRODUCT: u64 = 256;

/// Instructions after which a warp lets others go on.
const SLICE: u64 = 4096;

/// What is the same for all of a run.
pub(crate) struct Context<'a> {
    pub(crate) module: &'a Module,
    pub(crate) entry: &'a Entry,
    pub(crate) start: Start<'a>,
    pub(crate) cluster: [u32; 3],
    pub(crate) memory: &'a mut Memory,
    /// Where the module's variables are.
    pub(crate) globals: Vec<u64>,
    pub(crate) ran: Ran,
    /// How many threads executed each instruction.
    pub(crate) executed: Vec<u64>,
    /// Instructions that only looked whether a phase is over, and it was not.
    pub(crate) idle: u64,
    /// Boxes that nobody waited for, written when the kernel ends.
    pub(crate) late: Vec<Sent>,
    /// Clusters that have begun, or were claimed by others.
    begun: u64,
}

impl Context<'_> {
    /// The next cluster that has not begun; it counts as one that has.
    pub(crate) fn next_cluster(&mut self) -> Option<[u32; 3]> {
        let count = [0, 1, 2].map(|axis| u64::from(self.start.grid[axis] / self.cluster[axis]));
        let at = [self.begun % count[0], self.begun / count[0] % count[1], self.begun / count[0] / count[1]];
        (at[2] < count[2]).then(|| {
            self.begun += 1;
            at.map(|at| at as u32)
        })
    }
}

/// Runs a kernel to its end.
///
/// # Errors
/// Why and where it was stopped. Memory is as it is then.
pub fn run(module: &Module, entry: &str, start: &Start<'_>, memory: &mut Memory) -> Result<Ran, Fault> {
    let nowhere = |cause| Fault {
        cause,
        kernel: entry.to_string(),
        block: [0; 3],
        thread: [0; 3],
        line: 0,
        instruction: String::new(),
        source: None,
    };
    let Some(entry) = module.entry(entry) else {
        return Err(nowhere(Cause::Launch("the module has no such kernel".to_string())));
    };
    let cluster = fits(entry, start).map_err(|what| nowhere(Cause::Launch(what)))?;
    let globals = begin::globals(module, memory);
    let mut context = Context {
        module,
        entry,
        start: *start,
        cluster,
        memory,
        globals,
        ran: Ran::default(),
        executed: vec![0; module.insts.len()],
        idle: 0,
        late: Vec::new(),
        begun: 0,
    };
    let result = all(&mut context).and_then(|()| {
        let late = std::mem::take(&mut context.late);
        late.iter().try_for_each(|sent| engines::written(&mut context, sent)).map_err(nowhere)
    });
    for global in std::mem::take(&mut context.globals) {
        context.memory.free(global);
    }
    for (inst, threads) in module.insts.iter().zip(&context.executed).filter(|(_, threads)| **threads > 0) {
        *context.ran.executed.entry(inst.name.to_string()).or_default() += threads;
    }
    result.map(|()| context.ran)
}

/// The blocks of a cluster, or what does not fit.
fn fits(entry: &Entry, start: &Start<'_>) -> Result<[u32; 3], String> {
    let threads: u32 = start.block.iter().product();
    if threads == 0 || threads > 1024 || start.grid.contains(&0) {
        return Err(format!("{:?} blocks of {:?} threads", start.grid, start.block));
    }
    if let Some(most) = entry.max_threads.filter(|most| most.iter().product::<u32>() < threads) {
        return Err(format!("{threads} threads, of a kernel for {most:?}"));
    }
    if start.params.len() < entry.param_bytes() {
        let (given, wanted) = (start.params.len(), entry.param_bytes());
        return Err(format!("{given} bytes of parameters, of a kernel with {wanted}"));
    }
    let cluster = match entry.cluster {
        Some(cluster) if start.cluster != [1; 3] && start.cluster != cluster => {
            return Err(format!("clusters of {:?}, of a kernel with {cluster:?}", start.cluster));
        }
        Some(cluster) => cluster,
        None => start.cluster,
    };
    let whole = start.grid.iter().zip(cluster).all(|(blocks, of)| of > 0 && blocks % of == 0);
    if !whole || cluster.iter().product::<u32>() > 16 {
        return Err(format!("{:?} blocks in clusters of {cluster:?}", start.grid));
    }
    Ok(cluster)
}

/// Runs all clusters, the first ones first.
fn all(context: &mut Context<'_>) -> Result<(), Fault> {
    let mut resident: VecDeque<Cluster> = VecDeque::new();
    loop {
        // Those that are there go on before another one begins.
        for _ in 0..resident.len() {
            let Some(mut cluster) = resident.pop_front() else { break };
            if !cluster.run(context)? {
                resident.push_back(cluster);
            }
        }
        if resident.len() < RESIDENT
            && let Some(at) = context.next_cluster()
        {
            let mut cluster = Cluster::new(context, at);
            if !cluster.run(context)? {
                resident.push_back(cluster);
            }
        } else if resident.is_empty() {
            return Ok(());
        }
    }
}

/// Clusters that are there at the same time, at most: as a large GPU has multiprocessors.
const RESIDENT: usize = 132;
