//! The blocks of a cluster with their shared memory: their warps take turns, and meet at barriers.

use super::barriers::{Barrier, Meeting};
use super::begin::{self, Place};
use super::claims::Claimed;
use super::engines::Brought;
use super::tensor::Tensors;
use super::warp::{Stop, Warp};
use super::{Context, SLICE};
use crate::fault::{Cause, Fault};
use crate::memory::garbage;
use std::collections::VecDeque;

/// A block without its shared memory, which others may reach.
pub(crate) struct Block {
    pub(crate) place: Place,
    pub(crate) warps: Vec<Warp>,
    pub(crate) barriers: Vec<Barrier>,
}

/// Blocks that run together.
pub(crate) struct Cluster {
    pub(crate) blocks: Vec<Block>,
    /// Of each block, by rank.
    pub(crate) shared: Vec<Vec<u8>>,
    pub(crate) meeting: Meeting,
    /// Boxes on their way, the oldest first.
    pub(crate) brought: VecDeque<Brought>,
    pub(crate) tensors: Tensors,
    /// Claims of clusters that have not begun, the oldest first, and whether one was told that none is left.
    pub(crate) claims: VecDeque<Claimed>,
    pub(crate) refused: bool,
}

/// A stop before it is known which thread it is of.
pub(crate) type Stopped = (Cause, u32);

impl Cluster {
    pub(crate) fn new(context: &Context<'_>, at: [u32; 3]) -> Cluster {
        let of = context.cluster;
        let threads = context.start.block.iter().product::<u32>() as usize;
        let bytes = begin::dynamic(context) + context.start.shared;
        let ranks = 0..of.iter().product::<u32>() as usize;
        let block = |rank: usize| {
            let number = rank as u32;
            let within = [number % of[0], number / of[0] % of[1], number / of[0] / of[1]];
            let ctaid = [0, 1, 2].map(|axis| at[axis] * of[axis] + within[axis]);
            let place = Place { ctaid, cluster: at, within, rank };
            let warps = (0..threads.div_ceil(32)).map(|warp| Warp::new(context, &place, warp, threads));
            Block { place, warps: warps.collect(), barriers: (0..16).map(|_| Barrier::default()).collect() }
        };
        let blocks: Vec<Block> = ranks.clone().map(block).collect();
        Cluster {
            blocks,
            shared: ranks.map(|_| garbage(bytes)).collect(),
            meeting: Meeting::default(),
            brought: VecDeque::new(),
            tensors: Tensors::default(),
            claims: VecDeque::new(),
            refused: false,
        }
    }

    /// Lets every warp go on for a while; whether all have ended.
    pub(crate) fn run(&mut self, context: &mut Context<'_>) -> Result<bool, Fault> {
        loop {
            let mut waits = false;
            let before = context.ran.instructions - context.idle;
            let (mut slow, mut number) = (None, 0);
            for block in 0..self.blocks.len() {
                for warp in 0..self.blocks[block].warps.len() {
                    match context.start.slow == Some(number) {
                        true => slow = Some((block, warp)),
                        false => waits |= self.turn(context, block, warp)?,
                    }
                    number += 1;
                }
            }
            // Whoever used all of its time may have looked at memory again and again.
            if let Some((block, warp)) = slow
                && (waits || context.ran.instructions - context.idle == before)
            {
                waits |= self.turn(context, block, warp)?;
            }
            if self.blocks.iter().all(|block| block.warps.iter().all(|warp| warp.live == 0)) {
                return Ok(true);
            }
            if context.ran.instructions - context.idle == before && !self.progressed() {
                return Err(self.deadlock(context));
            }
            if waits {
                return Ok(false);
            }
        }
    }

    /// Somebody who is not blocked is left.
    fn progressed(&self) -> bool {
        self.blocks.iter().flat_map(|block| &block.warps).any(|warp| warp.live & !warp.blocked != 0)
    }

    /// A warp's turn; whether it used all of its time.
    fn turn(&mut self, context: &mut Context<'_>, block: usize, number: usize) -> Result<bool, Fault> {
        let mut left = SLICE;
        loop {
            let mut warp = std::mem::take(&mut self.blocks[block].warps[number]);
            let live = warp.live;
            warp.look_again();
            let stop = warp.slice(context, self, block, &mut left);
            let stop = stop.map_err(|(cause, lane)| fault(context, &self.blocks[block].place, &warp, cause, lane));
            let exited = live != warp.live;
            self.blocks[block].warps[number] = warp;
            let stop = stop?;
            if exited {
                self.blocks[block].exited(context);
                self.cluster_exited();
                if self.blocks[block].warps.iter().all(|warp| warp.live == 0) {
                    let ended = self.tensors.ended(block);
                    let warp = &self.blocks[block].warps[number];
                    ended.map_err(|cause| {
                        fault(context, &self.blocks[block].place, warp, cause, live.trailing_zeros())
                    })?;
                }
            }
            let met = match stop {
                Stop::Time => return Ok(true),
                Stop::Blocked => return Ok(false),
                Stop::Barrier { mask, pc } => self.blocks[block].arrive(context, number, mask, pc),
                Stop::ClusterArrive { mask, pc } => self.cluster_arrive(block, number, mask, pc),
                Stop::ClusterWait { mask, pc } => self.cluster_wait(block, number, mask, pc),
            };
            met.map_err(|cause| {
                let block = &self.blocks[block];
                let warp = &block.warps[number];
                fault(context, &block.place, warp, cause, warp.live.trailing_zeros())
            })?;
        }
    }

    fn deadlock(&self, context: &Context<'_>) -> Fault {
        let waiting = self.blocks.iter().flat_map(|block| {
            block.warps.iter().filter(|warp| warp.live != 0).map(move |warp| {
                let lane = warp.live.trailing_zeros();
                let inst = &context.module.insts[warp.pc[lane as usize] as usize];
                let at = format!("line {}: {}", inst.line, inst.name);
                (block, warp, lane, at)
            })
        });
        let waiting: Vec<_> = waiting.collect();
        let mut said: Vec<String> = Vec::new();
        for (block, warp, _, at) in &waiting {
            let text =
                format!("warp {} of block {:?} (lanes {:#x}) at {at}", warp.number, block.place.ctaid, warp.live);
            if said.len() < 8 {
                said.push(text);
            }
        }
        match waiting.first() {
            Some((block, warp, lane, _)) => fault(context, &block.place, warp, Cause::Deadlock(said.join("; ")), *lane),
            // Somebody is alive where nobody has ended.
            None => fault(context, &self.blocks[0].place, &Warp::default(), Cause::Deadlock(String::new()), 0),
        }
    }
}

/// A fault at the place of a warp.
fn fault(context: &Context<'_>, place: &Place, warp: &Warp, cause: Cause, lane: u32) -> Fault {
    let inst = warp.pc.get(lane as usize).and_then(|pc| context.module.insts.get(*pc as usize));
    let thread = warp.number as u32 * 32 + lane;
    let of = context.start.block;
    let source = inst
        .and_then(|inst| inst.source)
        .map(|(file, line)| (context.module.files.get(&file).cloned().unwrap_or_default(), line));
    Fault {
        cause,
        kernel: context.entry.name.clone(),
        block: place.ctaid,
        thread: [thread % of[0], thread / of[0] % of[1], thread / of[0] / of[1]],
        line: inst.map_or(0, |inst| inst.line),
        instruction: inst.map_or(String::new(), |inst| inst.name.to_string()),
        source,
    }
}
