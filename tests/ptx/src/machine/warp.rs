//! A warp: 32 threads with a place in the program each. Those that are at the same place go on together; the ones that are
//! farthest behind (in the deepest call) go first, so that others find them where paths join.

use super::Context;
use super::begin::{Place, registers};
use super::cluster::{Cluster, Stopped};
use super::copies::Copies;
use super::tensor::Threads;
use super::warpgroups::Flight;
use crate::fault::Cause;
use crate::inst::Lanes;
use crate::module::Reg;

/// A warp.
#[derive(Default)]
pub(crate) struct Warp {
    pub(crate) number: usize,
    pub(crate) regs: Vec<Lanes>,
    pub(crate) pc: Vec<u32>,
    /// Calls that each lane is in: where each was called.
    pub(crate) calls: Vec<Vec<u32>>,
    /// Lanes that have not ended.
    pub(crate) live: u32,
    /// Lanes that wait for others.
    pub(crate) blocked: u32,
    /// Those of them that wait for lanes of the warp.
    pub(crate) syncing: u32,
    /// Local memory of the lanes, one after the other.
    pub(crate) local: Vec<u8>,
    /// Copies on their way, by lane.
    pub(crate) copies: Vec<Copies>,
    /// Whether those that are farthest ahead go first: a loop of some lanes may wait for the others.
    pub(crate) ahead: bool,
    /// Arrived at the cluster's barrier, and not yet waited.
    pub(crate) arrived: u32,
    /// Those of the blocked lanes that wait for a phase: they look again at each turn.
    pub(crate) polling: u32,
    pub(crate) flight: Flight,
    pub(crate) tensor: Threads,
    /// The phase of it that they wait for.
    pub(crate) due: u64,
}

/// Why a warp stopped.
pub(crate) enum Stop {
    /// Others are to go on.
    Time,
    /// Every lane waits, or has ended.
    Blocked,
    /// Lanes arrive at a barrier of the block.
    Barrier {
        mask: u32,
        pc: u32,
    },
    ClusterArrive {
        mask: u32,
        pc: u32,
    },
    ClusterWait {
        mask: u32,
        pc: u32,
    },
}

/// Lanes that go on together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) pc: u32,
    pub(crate) mask: u32,
    /// Where others are, whom they may meet there.
    pub(crate) until: u32,
    /// Whether there are no others that could go on.
    pub(crate) alone: bool,
}

/// What an instruction makes of a group.
pub(crate) enum Next {
    /// The next instruction.
    On,
    /// All of them go on there.
    Jump(u32),
    /// The lanes' places were changed: look again who goes on.
    Regroup,
    Stop(Stop),
}

/// The lanes of a mask.
pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}

impl Warp {
    pub(crate) fn new(context: &Context<'_>, place: &Place, number: usize, threads: usize) -> Warp {
        let here = (threads - number * 32).min(32);
        Warp {
            number,
            regs: registers(context, place, number),
            pc: vec![context.entry.begin; 32],
            calls: vec![Vec::new(); 32],
            live: crate::types::low(u64::MAX, here as u32) as u32,
            local: crate::memory::garbage(context.module.local * 32),
            copies: (0..32).map(|_| Copies::default()).collect(),
            ..Warp::default()
        }
    }

    /// Who goes on.
    fn group(&self) -> Option<Group> {
        let able = self.live & !self.blocked;
        let key = |lane: usize| (self.calls[lane].len(), self.pc[lane]);
        // The deepest call first, in it who is farthest behind.
        let deepest = lanes(able).map(|lane| key(lane).0).max()?;
        let here = || lanes(able).filter(|lane| key(*lane).0 == deepest).map(|lane| self.pc[lane]);
        let pc = if self.ahead { here().max()? } else { here().min()? };
        let mask = lanes(able).filter(|lane| key(*lane) == (deepest, pc)).fold(0, |mask, lane| mask | 1 << lane);
        let until = if self.ahead { None } else { here().filter(|other| *other > pc).min() };
        Some(Group { pc, mask, until: until.unwrap_or(u32::MAX), alone: mask == able })
    }

    /// Lanes go on at an instruction.
    pub(crate) fn put(&mut self, mask: u32, pc: u32) {
        for lane in lanes(mask) {
            self.pc[lane] = pc;
        }
    }

    /// Goes on until it has to wait, or its time is over. On a stop, the place of the lane is where it happened.
    pub(crate) fn slice(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        block: usize,
        left: &mut u64,
    ) -> Result<Stop, Stopped> {
        let module = context.module;
        while let Some(mut group) = self.group() {
            loop {
                if *left == 0 {
                    self.put(group.mask, group.pc);
                    self.ahead = !self.ahead && !group.alone;
                    return Ok(Stop::Time);
                }
                *left -= 1;
                context.ran.instructions += 1;
                if context.ran.instructions > context.start.budget {
                    self.put(group.mask, group.pc);
                    return Err((Cause::Budget, group.mask.trailing_zeros()));
                }
                let inst = &module.insts[group.pc as usize];
                let active = match inst.guard {
                    None => group.mask,
                    Some((reg, negated)) => group.mask & (self.bits(reg) ^ if negated { u32::MAX } else { 0 }),
                };
                context.executed[group.pc as usize] += u64::from(active.count_ones());
                if self.tensor.loads()
                    && let Some(cause) = self.tensor.too_early(&inst.regs)
                {
                    self.put(group.mask, group.pc);
                    return Err((cause, group.mask.trailing_zeros()));
                }
                let next = match self.step(context, cluster, block, inst, group, active) {
                    Ok(next) => next,
                    Err(stopped) => {
                        self.put(group.mask, group.pc);
                        return Err(stopped);
                    }
                };
                match next {
                    Next::On => group.pc += 1,
                    Next::Jump(pc) => {
                        group.pc = pc;
                        if !group.alone {
                            self.put(group.mask, group.pc);
                            break;
                        }
                    }
                    Next::Regroup => break,
                    Next::Stop(stop) => return Ok(stop),
                }
                if group.pc >= group.until {
                    self.put(group.mask, group.pc);
                    break;
                }
            }
        }
        Ok(Stop::Blocked)
    }

    /// The lanes in which a predicate holds.
    pub(crate) fn bits(&self, reg: Reg) -> u32 {
        self.regs[reg as usize].iter().enumerate().fold(0, |bits, (lane, value)| bits | ((value & 1) as u32) << lane)
    }

    /// Writes a register in some lanes.
    pub(crate) fn write(&mut self, to: Reg, mask: u32, values: &Lanes) {
        let to = &mut self.regs[to as usize];
        if mask == u32::MAX {
            *to = *values;
            return;
        }
        for (lane, (to, value)) in to.iter_mut().zip(values).enumerate() {
            if mask >> lane & 1 == 1 {
                *to = *value;
            }
        }
    }
}
