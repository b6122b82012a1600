//! One instruction of a group of lanes.

use super::Context;
use super::cluster::{Cluster, Stopped};
use super::warp::{Group, Next, Stop, Warp, lanes};
use crate::fault::Cause;
use crate::inst::{Inst, Lanes, Op};
use crate::types::low;

impl Warp {
    /// Executes an instruction in the lanes that are active.
    pub(crate) fn step(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        block: usize,
        inst: &Inst,
        group: Group,
        active: u32,
    ) -> Result<Next, Stopped> {
        if active == 0 && !matches!(inst.op, Op::Branch { .. }) {
            return Ok(Next::On);
        }
        match &inst.op {
            Op::Map { to, from, map } => {
                let mut values: Lanes = [0; 32];
                map(&mut values, from.map(|reg| &self.regs[reg as usize]));
                self.write(*to, active, &values);
            }
            Op::Pack { to, from, bits } => self.pack(*to, from, *bits, active),
            Op::Unpack { to, from, bits } => {
                let whole = self.wide(*from, *bits as usize * to.len());
                for (number, to) in to.iter().enumerate() {
                    if let Some(to) = to {
                        let part = whole.map(|whole| low((whole >> (number * *bits as usize)) as u64, *bits));
                        self.write(*to, active, &part);
                    }
                }
            }
            Op::Clock { to, bits } => {
                // As if every instruction took a cycle, and every cycle a nanosecond.
                let now = low(context.ran.instructions, *bits);
                self.write(*to, active, &[if *bits == 0 { 0 } else { now }; 32]);
            }
            Op::Load { to, at, ty } => self.load(context, cluster, to, at, *ty, active)?,
            Op::Store { at, from, ty } => self.store(context, cluster, at, from, *ty, active)?,
            Op::Atomic { to, at, combine, ty, values } => {
                self.atomic(context, cluster, (*to, *at, *combine, *ty), *values, active)?;
            }
            Op::ReduceVector { to, at, combine, ty, values } => {
                for (number, value) in values.iter().enumerate() {
                    let mut at = *at;
                    at.offset += (number * ty.bytes()) as i64;
                    let to = to.get(number).copied().flatten();
                    self.atomic(context, cluster, (to, at, *combine, *ty), [*value, 0], active)?;
                }
            }
            Op::Branch { to } => {
                return Ok(match (active == group.mask, active == 0) {
                    (true, _) => Next::Jump(*to),
                    (_, true) => Next::On,
                    _ => {
                        self.put(active, *to);
                        self.put(group.mask & !active, group.pc + 1);
                        Next::Regroup
                    }
                });
            }
            Op::BranchIndexed { index, to } => {
                self.put(group.mask & !active, group.pc + 1);
                for lane in lanes(active) {
                    let index = low(self.regs[*index as usize][lane], 32) as usize;
                    let Some(to) = to.get(index) else {
                        return Err((
                            Cause::Undefined(format!("entry {index} of a table of {}", to.len())),
                            lane as u32,
                        ));
                    };
                    self.pc[lane] = *to;
                }
                return Ok(Next::Regroup);
            }
            Op::Call { function, params, .. } => {
                let function = &context.module.functions[*function];
                if function.begin == u32::MAX {
                    return Err((Cause::Unsupported("a function without a body".to_string()), active.trailing_zeros()));
                }
                self.put(group.mask & !active, group.pc + 1);
                for lane in lanes(active) {
                    if self.calls[lane].len() > 64 {
                        return Err((Cause::Unsupported("calls of calls without an end".to_string()), lane as u32));
                    }
                    for (from, (to, bytes)) in params.iter().zip(&function.params) {
                        let from = self.regs[*from as usize][lane] as usize;
                        self.copy_local(context, lane, from, *to as usize, *bytes as usize);
                    }
                    self.calls[lane].push(group.pc);
                    self.pc[lane] = function.begin;
                }
                return Ok(Next::Regroup);
            }
            Op::Printf { result, params } => self.printf(context, cluster, *result, params, active)?,
            Op::AssertFail { params } => {
                let lane = active.trailing_zeros();
                let words = self.assertion(context, cluster, params, lane as usize);
                return Err((Cause::Trap(words), lane));
            }
            Op::Return => return self.returned(context, group, active),
            Op::Exit => {
                self.put(group.mask & !active, group.pc + 1);
                self.exit(context, active)?;
                return Ok(Next::Regroup);
            }
            Op::Trap => return Err((Cause::Trap(String::new()), active.trailing_zeros())),
            Op::Nothing => {}
            Op::Yield => {
                self.put(group.mask, group.pc + 1);
                self.ahead = !self.ahead && !group.alone;
                return Ok(Next::Stop(Stop::Time));
            }
            Op::Barrier { aligned, .. } => {
                // Threads of a warp that an aligned barrier has not seen may still come.
                let needed = if *aligned { self.live } else { active };
                let Some(mask) = self.together(group, active, needed) else { return Ok(Next::Regroup) };
                self.put(group.mask & !active, group.pc + 1);
                return Ok(Next::Stop(Stop::Barrier { mask, pc: group.pc }));
            }
            Op::ClusterArrive => {
                let Some(mask) = self.together(group, active, self.live) else { return Ok(Next::Regroup) };
                return Ok(Next::Stop(Stop::ClusterArrive { mask, pc: group.pc }));
            }
            Op::ClusterWait => {
                let Some(mask) = self.together(group, active, self.live) else { return Ok(Next::Regroup) };
                return Ok(Next::Stop(Stop::ClusterWait { mask, pc: group.pc }));
            }
            Op::CopyAsync { to, from, bytes, given } => {
                self.copy_async(context, cluster, (*to, *from), *bytes, *given, active)?;
            }
            Op::CommitCopies => self.commit_copies(active),
            Op::WaitCopies { pending } => self.wait_copies(context, cluster, *pending, active)?,
            Op::Multiply(_)
            | Op::LoadMatrix { .. }
            | Op::StoreMatrix { .. }
            | Op::WarpSync { .. }
            | Op::Shuffle { .. }
            | Op::Vote { .. }
            | Op::Match { .. }
            | Op::Redux { .. }
            | Op::Elect { .. }
            | Op::ActiveMask { .. } => return self.warp_wide(context, cluster, inst, group, active),
            Op::Phase(phase) => return self.phase(context, cluster, phase, (group, active)),
            Op::Bulk(bulk) => self.bulk(context, cluster, block, bulk, active)?,
            Op::Claim(claim) => self.claim(cluster, claim, active)?,
            Op::Product(product) => {
                let Some(here) = self.together(group, active, self.live) else { return Ok(Next::Regroup) };
                self.product(context, cluster, block, product, here)?;
                self.put(here, group.pc + 1);
                return Ok(if here == group.mask { Next::On } else { Next::Regroup });
            }
            Op::Tensor(tensor) => return self.tensor(context, cluster, block, tensor, (group, active)),
            Op::Unknown(why) => return Err((Cause::Unsupported(why.to_string()), active.trailing_zeros())),
        }
        Ok(Next::On)
    }

    /// A value that may take two registers.
    fn wide(&self, from: u32, bits: usize) -> [u128; 32] {
        let first = &self.regs[from as usize];
        if bits <= 64 {
            return first.map(u128::from);
        }
        let second = &self.regs[from as usize + 1];
        std::array::from_fn(|lane| u128::from(first[lane]) | u128::from(second[lane]) << 64)
    }

    fn pack(&mut self, to: u32, from: &[u32], bits: u32, active: u32) {
        let whole: [u128; 32] = std::array::from_fn(|lane| {
            let parts = from.iter().enumerate();
            parts.fold(0, |whole, (number, part)| {
                whole | u128::from(low(self.regs[*part as usize][lane], bits)) << (number * bits as usize)
            })
        });
        self.write(to, active, &whole.map(|whole| whole as u64));
        if bits as usize * from.len() > 64 {
            self.write(to + 1, active, &whole.map(|whole| (whole >> 64) as u64));
        }
    }

    /// The lanes that execute an instruction together with those that wait there, if all that are needed are there. Otherwise they wait.
    pub(crate) fn together(&mut self, group: Group, active: u32, needed: u32) -> Option<u32> {
        let depth = self.calls[active.trailing_zeros() as usize].len();
        let same = |lane: &usize| self.pc[*lane] == group.pc && self.calls[*lane].len() == depth;
        let waiting = lanes(self.syncing & !group.mask).filter(same).fold(0, |mask, lane| mask | 1 << lane);
        let here = active | waiting;
        if needed & self.live & !here == 0 {
            self.blocked &= !waiting;
            self.syncing &= !waiting;
            return Some(here);
        }
        self.put(group.mask & !active, group.pc + 1);
        self.put(active, group.pc);
        self.blocked |= active;
        self.syncing |= active;
        None
    }

    /// Ends lanes; those that waited for them look again.
    pub(crate) fn exit(&mut self, context: &mut Context<'_>, mask: u32) -> Result<(), Stopped> {
        for lane in lanes(mask) {
            let left = self.copies[lane].left();
            if left.iter().any(|sent| sent.content.is_none()) {
                let what =
                    "the thread ends before its copy to global memory has read shared memory, which may be gone then";
                return Err((Cause::Undefined(what.to_string()), lane as u32));
            }
            context.late.extend(left);
        }
        self.live &= !mask;
        self.blocked &= !self.syncing;
        self.syncing = 0;
        Ok(())
    }

    /// Lanes that wait for a phase look whether it is over.
    pub(crate) fn look_again(&mut self) {
        self.blocked &= !self.polling;
        self.polling = 0;
    }

    fn returned(&mut self, context: &mut Context<'_>, group: Group, active: u32) -> Result<Next, Stopped> {
        self.put(group.mask & !active, group.pc + 1);
        for lane in lanes(active) {
            let Some(call) = self.calls[lane].pop() else {
                self.exit(context, 1 << lane)?;
                continue;
            };
            if let Op::Call { function, results, .. } = &context.module.insts[call as usize].op {
                let function = &context.module.functions[*function];
                for (to, (from, bytes)) in results.iter().zip(&function.results) {
                    let to = self.regs[*to as usize][lane] as usize;
                    self.copy_local(context, lane, *from as usize, to, *bytes as usize);
                }
            }
            self.pc[lane] = call + 1;
        }
        Ok(Next::Regroup)
    }

    fn copy_local(&mut self, context: &Context<'_>, lane: usize, from: usize, to: usize, bytes: usize) {
        let base = lane * context.module.local;
        // Both are places that the parser gave out.
        self.local.copy_within(base + from..base + from + bytes, base + to);
    }
}
