//! Products, copies and commits on their way (PTX ISA 9.7.16.6.2): each kind that the ISA calls a pipeline is done in the order in which
//! it was started, what is no pipeline may not meet, and all of it is done when a commit's barrier is looked at.

use super::super::Context;
use super::super::access::shared;
use super::super::begin::shared_base;
use super::super::cluster::Cluster;
use super::super::engines::change;
use super::super::warp::{Warp, lanes};
use super::multiply::Product;
use super::together;
use crate::asynchronous::panels::Panel;
use crate::fault::Cause;
use crate::memory::SHARED;
use crate::tensor_memory::cells::Region;
use crate::tensor_memory::order::{Mark, Who};
use crate::tensor_memory::{CopyShape, Tensor, descriptor};
use crate::types::{Space, low};
use std::fmt;

/// A thread: block, warp, lane.
type Thread = (usize, usize, usize);

/// Something that a thread has started.
pub(super) struct Work {
    by: Thread,
    /// Where it was started, in the PTX.
    line: u32,
    pub(super) blocks: Vec<usize>,
    pub(super) reads: Vec<Region>,
    pub(super) writes: Vec<Region>,
    what: What,
}

enum What {
    Copy(Copy),
    Multiply(Box<Product>),
    /// Barriers that hear of what the thread has started.
    Commit(Vec<u64>),
}

/// A copy from shared memory.
struct Copy {
    panel: Panel,
    shape: CopyShape,
    first: usize,
    held: Vec<Vec<u64>>,
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.what {
            What::Copy(_) => "the copy",
            What::Multiply(_) => "the product",
            What::Commit(_) => "the commit",
        };
        write!(f, "{what} of PTX line {} is done", self.line)
    }
}

impl Work {
    /// Whether it is more than a commit, and of a block.
    pub(super) fn needs(&self, block: usize) -> bool {
        !matches!(self.what, What::Commit(_)) && self.blocks.contains(&block)
    }

    /// Whether it takes what another one does.
    fn follows(&self, other: &Work) -> bool {
        let meets = |ours: &[Region], theirs: &[Region]| ours.iter().any(|our| theirs.iter().any(|it| our.meets(it)));
        meets(&self.reads, &other.writes) || meets(&self.writes, &other.writes) || meets(&self.writes, &other.reads)
    }

    /// Why it may not be on its way together with one that was started before: pairs that the ISA does not order. A copy is ordered behind
    /// what reads where it writes, and so behind another copy that a product in between takes something from.
    fn races(&self, before: &Work, between: &[&Work]) -> Option<String> {
        let meets = |ours: &[Region], theirs: &[Region]| ours.iter().any(|our| theirs.iter().any(|it| our.meets(it)));
        let taken = |work: &&Work| meets(&work.reads, &before.writes) && meets(&work.reads, &self.writes);
        let what = match (&self.what, &before.what) {
            (What::Multiply(_), What::Multiply(_)) if meets(&self.reads, &before.writes) => {
                "takes as a factor, scales or places what another product on its way writes"
            }
            (What::Multiply(new), What::Multiply(old)) if meets(&self.writes, &before.writes) && !new.same(old) => {
                "adds up where another product of another shape is on its way"
            }
            (What::Copy(_), What::Multiply(_)) if meets(&self.writes, &before.writes) => {
                "is a copy to where a product on its way writes"
            }
            (What::Copy(_), What::Copy(_)) if meets(&self.writes, &before.writes) && !between.iter().any(taken) => {
                "is a copy to where another copy on its way writes"
            }
            _ => return None,
        };
        Some(format!("it {what} (PTX line {})", before.line))
    }
}

/// Elements of so many bytes in shared memory: rows, one after the other.
pub(super) fn elements(
    cluster: &mut Cluster,
    block: usize,
    panel: &Panel,
    [rows, inner, bytes]: [usize; 3],
    turned: bool,
) -> Result<Vec<u64>, Cause> {
    let mut found = Vec::with_capacity(rows * inner);
    for row in 0..rows {
        for number in 0..inner {
            let at = panel.place(row, number, bytes, turned);
            let element = shared(cluster, shared_base(block) | at, bytes)?;
            found.push(element.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
    }
    Ok(found)
}

/// What shared memory held when something was started has to be there when it is done.
pub(super) fn same(held: &[Vec<u64>], now: &[Vec<u64>]) -> Result<(), Cause> {
    match held == now {
        true => Ok(()),
        false => Err(Cause::Undefined(
            "shared memory was written that a product or a copy into tensor memory on its way may still read"
                .to_string(),
        )),
    }
}

impl Copy {
    fn held(&self, cluster: &mut Cluster, blocks: &[usize]) -> Result<Vec<Vec<u64>>, Cause> {
        let CopyShape { rows, bytes, .. } = self.shape;
        blocks.iter().map(|block| elements(cluster, *block, &self.panel, [rows, bytes / 4, 4], false)).collect()
    }

    fn finish(&self, cluster: &mut Cluster, blocks: &[usize]) -> Result<(), Cause> {
        let now = self.held(cluster, blocks)?;
        same(&self.held, &now)?;
        let CopyShape { rows, bytes, times } = self.shape;
        for (block, words) in blocks.iter().zip(now) {
            let memory = cluster.tensors.of(*block);
            for (number, word) in words.into_iter().enumerate() {
                let (row, column) = (number / (bytes / 4), number % (bytes / 4));
                for time in 0..times {
                    memory.put(time * rows + row, self.first + column, word as u32);
                }
            }
        }
        Ok(())
    }
}

impl Warp {
    pub(super) fn tensor_of_thread(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        block: usize,
        tensor: &Tensor,
        (lane, pc): (usize, u32),
    ) -> Result<(), Cause> {
        let thread = (block, self.number, lane);
        let line = context.module.insts[pc as usize].line;
        let mut work =
            Work { by: thread, line, blocks: vec![block], reads: vec![], writes: vec![], what: What::Commit(vec![]) };
        match tensor {
            Tensor::After => self.fence_after(lane, context.ran.instructions),
            Tensor::Copy { group, to, from, shape } => {
                cluster.tensors.agree(*group)?;
                work.blocks = together(cluster, block, *group)?;
                let (to, from) = (self.address(to, lane) as u32, self.regs[*from as usize][lane]);
                let panel = descriptor::panel(from).map_err(Cause::Undefined)?;
                let first = whole(to)?;
                if !panel.fits(shape.bytes, false) {
                    return Err(Cause::Undefined(format!(
                        "the descriptor {from:#x}: rows go over the end of its swizzle"
                    )));
                }
                let columns = shape.bytes / 4;
                work.writes = work.blocks.iter().map(|&block| Region { block, chunks: 0xff, first, columns }).collect();
                let mut copy = Copy { panel, shape: *shape, first, held: Vec::new() };
                copy.held = copy.held(cluster, &work.blocks)?;
                work.what = What::Copy(copy);
                self.start(cluster, work, *group)?;
            }
            Tensor::Multiply(multiply) => {
                cluster.tensors.agree(multiply.group)?;
                work.blocks = together(cluster, block, multiply.group)?;
                let product = self.product_of(cluster, multiply, lane, &mut work)?;
                context.ran.products += 1;
                context.ran.terms += product.terms();
                context.ran.instructions += product.terms() / super::super::PRODUCT;
                work.what = What::Multiply(Box::new(product));
                self.start(cluster, work, multiply.group)?;
            }
            Tensor::Commit { group, at, blocks } => {
                cluster.tensors.agree(*group)?;
                let at = self.address(at, lane) - if at.space == Space::Generic { SHARED } else { 0 };
                let barriers: Vec<u64> = match blocks {
                    None => vec![at],
                    Some(mask) => {
                        let mask = low(self.regs[*mask as usize][lane], 16) as u32;
                        lanes(mask).map(|rank| at & 0xff_ffff | (rank as u64) << 24).collect()
                    }
                };
                for barrier in &barriers {
                    change(cluster, *barrier, Some)?;
                }
                work.what = What::Commit(barriers);
                cluster.tensors.queue.push_back(work);
            }
            _ => {}
        }
        Ok(())
    }

    /// Starts a product or a copy, if it may be.
    fn start(&self, cluster: &mut Cluster, work: Work, group: usize) -> Result<(), Cause> {
        let (block, warp, lane) = work.by;
        let (who, after) = (Who::Warp(block, warp), self.after(lane));
        let queue: Vec<&Work> = cluster.tensors.queue.iter().collect();
        for (number, before) in queue.iter().enumerate() {
            if let Some(why) = work.races(before, &queue[number + 1..]) {
                return Err(Cause::Undefined(why));
            }
        }
        let all =
            work.reads.iter().map(|region| (region, false)).chain(work.writes.iter().map(|region| (region, true)));
        for (region, writes) in all.clone() {
            let (memory, by) = cluster.tensors.accessed(region.block, who, after);
            memory.has(region, Some(group))?;
            memory.may_engine(region, &by, writes)?;
        }
        for (region, writes) in all {
            cluster.tensors.of(region.block).mark(region, if writes { Mark::Writer } else { Mark::Reader }, true);
        }
        cluster.tensors.queue.push_back(work);
        Ok(())
    }
}

/// The column of an address in the first lane.
pub(super) fn whole(at: u32) -> Result<usize, Cause> {
    match at >> 16 {
        0 => Ok(at as usize),
        lane => Err(Cause::Undefined(format!(
            "the address {at:#x} of tensor memory: it has to be in the first lane, not in {lane}"
        ))),
    }
}

impl Cluster {
    /// Does what a commit waits for that a barrier hears of; whether there was one. What other threads have started is done only as far
    /// as it is needed for that.
    pub(crate) fn committed(&mut self, context: &mut Context<'_>, barrier: u64) -> Result<bool, Cause> {
        let queue = &mut self.tensors.queue;
        let hears = |work: &Work| matches!(&work.what, What::Commit(barriers) if barriers.contains(&barrier));
        let Some(last) = queue.iter().position(hears) else { return Ok(false) };
        let mut chosen = vec![last];
        for number in (0..last).rev() {
            let before = &queue[number];
            if before.by == queue[last].by || chosen.iter().any(|later| queue[*later].follows(before)) {
                chosen.push(number);
            }
        }
        let mut all: Vec<Work> = chosen.iter().filter_map(|number| queue.remove(*number)).collect();
        all.reverse();
        for work in all {
            self.finish(context, &work)?;
        }
        Ok(true)
    }

    fn finish(&mut self, context: &mut Context<'_>, work: &Work) -> Result<(), Cause> {
        let done = match &work.what {
            What::Copy(copy) => copy.finish(self, &work.blocks),
            What::Multiply(product) => product.finish(self, &work.blocks),
            What::Commit(barriers) => {
                return barriers.iter().try_for_each(|barrier| change(self, *barrier, |it| it.after(1, 0)).map(|_| ()));
            }
        };
        done.map_err(|cause| match cause {
            Cause::Undefined(what) => Cause::Undefined(format!("{what} (it was started in PTX line {})", work.line)),
            other => other,
        })?;
        let all =
            work.reads.iter().map(|region| (region, false)).chain(work.writes.iter().map(|region| (region, true)));
        for (region, wrote) in all {
            let memory = self.tensors.of(region.block);
            memory.mark(region, if wrote { Mark::Writer } else { Mark::Reader }, false);
            memory.touched(region, Who::Engine, context.ran.instructions, wrote);
        }
        Ok(())
    }
}
