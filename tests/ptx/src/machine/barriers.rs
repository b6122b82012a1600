//! Barriers of a block and of a cluster (PTX ISA 9.7.13.1, 9.7.13.3).

use super::Context;
use super::cluster::{Block, Cluster};
use crate::fault::Cause;
use crate::inst::{BarrierKind, Op};

/// One of a block's sixteen.
#[derive(Default)]
pub(crate) struct Barrier {
    /// Threads that have arrived.
    arrived: usize,
    /// How many are awaited, where somebody said it.
    wanted: Option<usize>,
    /// Warps that wait: lanes, and where.
    waiting: Vec<(usize, u32, u32)>,
    /// Predicates that hold, and all.
    holds: usize,
    asked: usize,
}

impl Block {
    fn threads(&self) -> usize {
        self.warps.iter().map(|warp| warp.live.count_ones() as usize).sum()
    }

    /// Lanes of a warp arrive.
    pub(crate) fn arrive(&mut self, context: &mut Context<'_>, number: usize, mask: u32, pc: u32) -> Result<(), Cause> {
        let Op::Barrier { kind, aligned, which, count, value, .. } = &context.module.insts[pc as usize].op else {
            return Ok(());
        };
        context.ran.barriers += 1;
        let warp = &mut self.warps[number];
        let lane = mask.trailing_zeros() as usize;
        let read = |reg: u32| warp.regs[reg as usize][lane] as u32 as usize;
        let (which, count) = (read(*which), count.map(read));
        // Barriers count warps: who has ended in one that arrives is counted with it.
        let arriving = if *aligned && count.is_some() { 32 } else { mask.count_ones() as usize };
        let Some(barrier) = self.barriers.get_mut(which) else {
            return Err(Cause::Undefined(format!("barrier {which}; there are 16")));
        };
        if count.is_some_and(|count| count % 32 != 0) {
            return Err(Cause::Undefined(format!("a barrier for {count:?} threads, which are no whole warps")));
        }
        if barrier.arrived > 0 && barrier.wanted != count {
            let other = barrier.wanted;
            return Err(Cause::Undefined(format!("barrier {which} for {count:?} threads, for others for {other:?}")));
        }
        barrier.wanted = count;
        barrier.arrived += arriving;
        if let Some((reg, negated)) = value {
            let holds = warp.bits(*reg) ^ if *negated { u32::MAX } else { 0 };
            barrier.holds += (holds & mask).count_ones() as usize;
            barrier.asked += mask.count_ones() as usize;
        }
        if *kind == BarrierKind::Arrive {
            warp.put(mask, pc + 1);
        } else {
            warp.put(mask, pc);
            warp.blocked |= mask;
            barrier.waiting.push((number, mask, pc));
        }
        if count.is_some_and(|count| barrier.arrived > count) {
            let arrived = barrier.arrived;
            return Err(Cause::Undefined(format!(
                "{arrived} threads arrive at barrier {which}, which is for {count:?}"
            )));
        }
        self.complete(context, which);
        Ok(())
    }

    /// Lets those go on whom nobody else has to join.
    fn complete(&mut self, context: &Context<'_>, which: usize) {
        let threads = self.threads();
        let barrier = &mut self.barriers[which];
        if barrier.arrived == 0 || barrier.arrived < barrier.wanted.unwrap_or(threads) {
            return;
        }
        let Barrier { waiting, holds, asked, .. } = std::mem::take(barrier);
        for (number, mask, pc) in waiting {
            let warp = &mut self.warps[number];
            warp.blocked &= !mask;
            warp.put(mask, pc + 1);
            if let Op::Barrier { kind, to: Some(to), .. } = &context.module.insts[pc as usize].op {
                let result = match kind {
                    BarrierKind::And => u64::from(holds == asked),
                    BarrierKind::Or => u64::from(holds > 0),
                    _ => holds as u64,
                };
                warp.write(*to, mask, &[result; 32]);
            }
        }
    }

    /// Threads have ended: nobody waits for them.
    pub(crate) fn exited(&mut self, context: &Context<'_>) {
        for which in 0..self.barriers.len() {
            if self.barriers[which].wanted.is_none() {
                self.complete(context, which);
            }
        }
    }
}

/// The barrier of a cluster.
#[derive(Default)]
pub(crate) struct Meeting {
    /// Threads that have arrived in this phase.
    arrived: usize,
    /// Phases that are over.
    phase: u64,
    /// Who waits for which phase: block, warp, lanes, where.
    waiting: Vec<(u64, usize, usize, u32, u32)>,
}

impl Cluster {
    pub(crate) fn cluster_arrive(&mut self, block: usize, number: usize, mask: u32, pc: u32) -> Result<(), Cause> {
        let warp = &mut self.blocks[block].warps[number];
        if warp.arrived & mask != 0 {
            return Err(Cause::Undefined("threads arrive twice at the cluster's barrier".to_string()));
        }
        warp.arrived |= mask;
        warp.put(mask, pc + 1);
        warp.due = self.meeting.phase + 1;
        self.meeting.arrived += mask.count_ones() as usize;
        self.cluster_exited();
        Ok(())
    }

    pub(crate) fn cluster_wait(&mut self, block: usize, number: usize, mask: u32, pc: u32) -> Result<(), Cause> {
        let warp = &mut self.blocks[block].warps[number];
        if warp.arrived & mask != mask {
            return Err(Cause::Undefined("threads wait at the cluster's barrier without having arrived".to_string()));
        }
        warp.arrived &= !mask;
        warp.put(mask, pc);
        warp.blocked |= mask;
        let due = warp.due;
        self.meeting.waiting.push((due, block, number, mask, pc));
        self.cluster_exited();
        Ok(())
    }

    /// Looks whether all that are left have arrived.
    pub(crate) fn cluster_exited(&mut self) {
        let threads: usize = self.blocks.iter().map(Block::threads).sum();
        let meeting = &mut self.meeting;
        if meeting.arrived > 0 && meeting.arrived >= threads {
            meeting.arrived = 0;
            meeting.phase += 1;
        }
        let phase = meeting.phase;
        let (free, waiting) = std::mem::take(&mut meeting.waiting).into_iter().partition(|(due, ..)| *due <= phase);
        meeting.waiting = waiting;
        let free: Vec<(u64, usize, usize, u32, u32)> = free;
        for (_, block, number, mask, pc) in free {
            let warp = &mut self.blocks[block].warps[number];
            warp.blocked &= !mask;
            warp.put(mask, pc + 1);
        }
    }
}
