//! When tensor memory is accessed, and by whom (PTX ISA 9.7.16): what warps do at once, and what the tensor cores do once somebody waits
//! for the barrier of a commit, and no sooner.
//!
//! A load's registers have their values at once, and nobody may use them before `tcgen05.wait::ld`; a store is done at once, and
//! nobody may look before `tcgen05.wait::st`. Products and copies look at shared memory when they are started and when they are done: it
//! has to be the same. Several blocks of one multiprocessor, which share its columns, are not modelled: each has its own 512.

mod multiply;
mod queue;
mod threads;

use super::Context;
use super::cluster::{Cluster, Stopped};
use super::warp::{Group, Next, Warp, lanes};
use crate::fault::Cause;
use crate::module::Reg;
use crate::tensor_memory::Tensor;
use crate::tensor_memory::cells::{Region, TensorMemory};
use crate::tensor_memory::order::{Accessor, Fences, Who};
use queue::Work;
use std::collections::VecDeque;

/// The tensor memories of a cluster's blocks, and what is on its way there.
#[derive(Default)]
pub(crate) struct Tensors {
    /// By rank; none until somebody asks for columns.
    memories: Vec<TensorMemory>,
    fences: Fences,
    /// Products, copies and commits, in the order in which they were started.
    queue: VecDeque<Work>,
    /// What every instruction says of how many blocks work together.
    group: Option<usize>,
}

/// What a warp's threads have to do with tensor memory.
#[derive(Default)]
pub(crate) struct Threads {
    /// When each lane last fenced behind a synchronisation.
    after: [u64; 32],
    /// Loads and stores that nobody has waited for.
    loads: Vec<(Box<[Reg]>, Region)>,
    stores: Vec<Region>,
}

impl Threads {
    /// Whether an instruction that touches these registers is too early.
    pub(crate) fn too_early(&self, regs: &[Reg]) -> Option<Cause> {
        let awaited = |reg: &Reg| self.loads.iter().any(|(to, _)| to.contains(reg));
        regs.iter().any(awaited).then(|| {
            let what = "a register that tcgen05.ld loads is used before tcgen05.wait::ld";
            Cause::Undefined(what.to_string())
        })
    }

    pub(crate) fn loads(&self) -> bool {
        !self.loads.is_empty()
    }
}

impl Tensors {
    /// The memory of a block.
    fn of(&mut self, block: usize) -> &mut TensorMemory {
        if self.memories.len() <= block {
            self.memories.resize_with(block + 1, TensorMemory::default);
        }
        &mut self.memories[block]
    }

    /// The memory, and who accesses it.
    fn accessed(&mut self, block: usize, who: Who, after: u64) -> (&mut TensorMemory, Accessor<'_>) {
        self.of(block);
        (&mut self.memories[block], Accessor { who, after, fences: &self.fences })
    }

    /// All instructions of a kernel say the same of how many blocks work together (PTX ISA 9.7.16.5).
    fn agree(&mut self, group: usize) -> Result<(), Cause> {
        match self.group.replace(group) {
            Some(other) if other != group => Err(Cause::Undefined(format!(
                "tcgen05 with cta_group::{group} in a kernel that has cta_group::{other}, too"
            ))),
            _ => Ok(()),
        }
    }

    /// What a block leaves behind that has ended.
    pub(crate) fn ended(&self, block: usize) -> Result<(), Cause> {
        let left = self.memories.get(block).map_or(0, TensorMemory::left);
        if left > 0 {
            return Err(Cause::Undefined(format!(
                "the block ends with {left} columns of tensor memory that nobody has given back (tcgen05.dealloc)"
            )));
        }
        match self.queue.iter().find(|work| work.needs(block)) {
            Some(work) => Err(Cause::Undefined(format!("the block ends before {work}"))),
            None => Ok(()),
        }
    }
}

/// The blocks that work together: one, or two whose ranks differ in the last bit.
fn together(cluster: &Cluster, block: usize, group: usize) -> Result<Vec<usize>, Cause> {
    match group {
        1 => Ok(vec![block]),
        _ if (block | 1) < cluster.blocks.len() => Ok(vec![block & !1, block | 1]),
        _ => Err(Cause::Undefined(format!("cta_group::2 in a block that has no other one: rank {block}"))),
    }
}

impl Warp {
    pub(crate) fn tensor(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        block: usize,
        tensor: &Tensor,
        (group, active): (Group, u32),
    ) -> Result<Next, Stopped> {
        let single = matches!(
            tensor,
            Tensor::Before | Tensor::After | Tensor::Copy { .. } | Tensor::Multiply(_) | Tensor::Commit { .. }
        );
        if single {
            if matches!(tensor, Tensor::Before) && active == self.live {
                cluster.tensors.fences.before(Who::Warp(block, self.number), context.ran.instructions);
            }
            for lane in lanes(active) {
                let done = self.tensor_of_thread(context, cluster, block, tensor, (lane, group.pc));
                done.map_err(|cause| (cause, lane as u32))?;
            }
            return Ok(Next::On);
        }
        let Some(here) = self.together(group, active, self.live) else { return Ok(Next::Regroup) };
        let lane = here.trailing_zeros();
        if here != u32::MAX {
            return Err((Cause::Undefined(format!("tcgen05 with .sync.aligned by lanes {here:#x} alone")), lane));
        }
        self.tensor_of_warp(context, cluster, block, tensor).map_err(|cause| (cause, lane))?;
        self.put(here, group.pc + 1);
        Ok(if here == group.mask { Next::On } else { Next::Regroup })
    }

    /// What all lanes have in a register.
    fn common(&self, reg: Reg, what: &str) -> Result<u32, Cause> {
        let values = &self.regs[reg as usize];
        match values.iter().all(|value| *value as u32 == values[0] as u32) {
            true => Ok(values[0] as u32),
            false => Err(Cause::Undefined(format!("{what} that is not the same in all lanes of a warp"))),
        }
    }
}
