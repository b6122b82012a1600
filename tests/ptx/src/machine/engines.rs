//! When engines do what they were asked for: copies of boxes into shared memory once somebody waits for their barrier and no sooner,
//! copies to global memory once their reading or writing is waited for, products of warpgroups at once, with a second look at their
//! factors when they are waited for.

use super::Context;
use super::access::{aligned, of_floats, shared};
use super::cluster::{Cluster, Stopped};
use super::copies::Sent;
use super::warp::{Group, Next, Stop, Warp, lanes};
use crate::asynchronous::boxes::{elements, refusal, swizzled};
use crate::asynchronous::phases::Barrier;
use crate::asynchronous::{Bulk, Phase};
use crate::fault::Cause;
use crate::inst::Address;
use crate::ops::combined;
use crate::tensor_map::TensorMap;
use crate::types::{Space, Type, low};

/// A box on its way to shared memory.
pub(crate) struct Brought {
    map: TensorMap,
    begins: Vec<i32>,
    /// Addresses of where it goes and of the barriers that hear of it, one for each block.
    to: Vec<(u64, u64)>,
}

/// Changes a phase barrier.
pub(crate) fn change(
    cluster: &mut Cluster,
    address: u64,
    how: impl FnOnce(Barrier) -> Option<Barrier>,
) -> Result<Barrier, Cause> {
    aligned(address, 8)?;
    let bytes = shared(cluster, address, 8)?;
    let word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let was = Barrier::of(word).ok_or_else(|| Cause::Undefined(format!("no phase barrier is at {address:#x}")))?;
    let new = how(was).ok_or_else(|| Cause::Undefined(format!("more arrives than a barrier awaits: {was:?}")))?;
    bytes.copy_from_slice(&new.word().to_le_bytes());
    Ok(was)
}

impl Cluster {
    /// Does the oldest copy that a barrier hears of; whether there was one.
    fn bring(&mut self, context: &mut Context<'_>, barrier: u64) -> Result<bool, Cause> {
        let found = self.brought.iter().position(|brought| brought.to.iter().any(|(_, told)| *told == barrier));
        let Some(Brought { map, begins, to }) = found.and_then(|number| self.brought.remove(number)) else {
            return Ok(false);
        };
        let size = map.element;
        let mut content = vec![if map.fills_nan { 0xff } else { 0 }; size];
        let outside = content.clone();
        let found = elements(&map, &begins);
        let bytes = (found.len() * size) as i32;
        for (offset, address) in found {
            match address {
                Some(address) => content.copy_from_slice(context.memory.slice(address, size)?),
                None => content.copy_from_slice(&outside),
            }
            for (to, _) in &to {
                let at = swizzled(to + offset as u64, map.swizzle);
                shared(self, at, size)?.copy_from_slice(&content);
            }
        }
        for (_, barrier) in to {
            change(self, barrier, |barrier| barrier.after(0, -bytes))?;
        }
        context.ran.copied += bytes as u64;
        Ok(true)
    }
}

/// Writes a box that was read from shared memory.
pub(crate) fn written(context: &mut Context<'_>, sent: &Sent) -> Result<(), Cause> {
    let size = sent.map.element;
    let Some(content) = &sent.content else { return Ok(()) };
    for (offset, address) in elements(&sent.map, &sent.begins) {
        let Some(address) = address else { continue };
        let new = &content[offset..offset + size];
        let memory = context.memory.slice_mut(address, size)?;
        match sent.combine {
            None => memory.copy_from_slice(new),
            Some(combine) => {
                let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
                let ty = type_of(sent.map.dtype).ok_or_else(|| Cause::Unsupported(format!("{combine:?} of a box")))?;
                let of = match ty.integer() {
                    true => combined(combine, ty, word(memory), word(new)),
                    false => of_floats(combine, ty, word(memory), word(new))?,
                };
                memory.copy_from_slice(&of.to_le_bytes()[..size]);
            }
        }
    }
    context.ran.copied += content.len() as u64;
    Ok(())
}

/// The driver's number of a type.
fn type_of(number: u32) -> Option<Type> {
    let names = ["u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16"];
    names.get(number as usize).and_then(|name| Type::named(name))
}

impl Warp {
    fn described(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        (map, begins): (&Address, &[u32]),
        lane: usize,
    ) -> Result<(TensorMap, Vec<i32>), Cause> {
        let mut bytes = [0; 128];
        let at = self.address(map, lane);
        aligned(at, 64)?;
        self.read(context, cluster, lane, (Space::Generic, at), &mut bytes)?;
        let map = TensorMap::decode(&bytes);
        let map = map.ok_or_else(|| Cause::Undefined(format!("no description of a box is at {at:#x}")))?;
        if let Some(why) = refusal(&map) {
            return Err(Cause::Undefined(why));
        }
        let begins: Vec<i32> = begins.iter().map(|begin| self.regs[*begin as usize][lane] as i32).collect();
        if begins.len() != map.boxed.len() {
            return Err(Cause::Undefined(format!("{} coordinates in {:?}", begins.len(), map.extents)));
        }
        Ok((map, begins))
    }

    pub(crate) fn bulk(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        block: usize,
        bulk: &Bulk,
        active: u32,
    ) -> Result<(), Stopped> {
        for lane in lanes(active) {
            self.bulk_of(context, cluster, block, bulk, lane).map_err(|cause| (cause, lane as u32))?;
        }
        Ok(())
    }

    fn bulk_of(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        block: usize,
        bulk: &Bulk,
        lane: usize,
    ) -> Result<(), Cause> {
        match bulk {
            Bulk::Bring { to, map, begins, barrier, blocks, pair } => {
                let (map, begins) = self.described(context, cluster, (map, begins), lane)?;
                let (to, barrier) = (self.address(to, lane), self.address(barrier, lane));
                aligned(to, 128)?;
                let apart = (to ^ barrier) >> 24;
                if apart > u64::from(*pair) {
                    let what = "a copy of a box whose barrier is another block's; only that of the other block of two may be, with .cta_group::2";
                    return Err(Cause::Undefined(what.to_string()));
                }
                let inside = |address: u64, rank: u64| address & 0xff_ffff | rank << 24;
                let to: Vec<(u64, u64)> = match blocks {
                    None => vec![(to, barrier)],
                    Some(blocks) => {
                        let mask = low(self.regs[*blocks as usize][lane], 16) as u32;
                        let rank = |rank: usize| (inside(to, rank as u64), inside(barrier, rank as u64));
                        lanes(mask).map(rank).collect()
                    }
                };
                // What cannot be done is said where it begins.
                for (to, barrier) in &to {
                    let bytes = map.boxed.iter().map(|extent| *extent as usize).product::<usize>() * map.element;
                    shared(cluster, *to, bytes)?;
                    change(cluster, *barrier, Some)?;
                }
                cluster.brought.push_back(Brought { map, begins, to });
            }
            Bulk::Send { from, map, begins, combine } => {
                let (map, begins) = self.described(context, cluster, (map, begins), lane)?;
                let from = self.address(from, lane);
                aligned(from, 128)?;
                let _ = block;
                self.copies[lane].send(Sent { map, begins, from, combine: *combine, content: None });
            }
            Bulk::Commit => self.copies[lane].commit_sent(),
            Bulk::Wait { pending, read } => {
                let count = self.copies[lane].sent.len().saturating_sub(*pending as usize);
                for number in 0..count {
                    for sent in &mut self.copies[lane].sent[number] {
                        sent.read(cluster)?;
                    }
                }
                if !read {
                    let done: Vec<Vec<Sent>> = self.copies[lane].sent.drain(..count).collect();
                    for sent in done.iter().flatten() {
                        written(context, sent)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// An operation on a phase barrier.
    pub(crate) fn phase(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        phase: &Phase,
        (group, active): (Group, u32),
    ) -> Result<Next, Stopped> {
        for lane in lanes(active) {
            let done = self.phase_of(context, cluster, phase, lane).map_err(|cause| (cause, lane as u32))?;
            if !done {
                // Those before it have their answer; it and those behind it look again when others have gone on.
                let rest = active & (u32::MAX << lane);
                self.put(group.mask & !rest, group.pc + 1);
                self.put(rest, group.pc);
                self.blocked |= rest;
                self.polling |= rest;
                context.idle += 1;
                return Ok(if self.live & !self.blocked == 0 { Next::Stop(Stop::Blocked) } else { Next::Regroup });
            }
        }
        Ok(Next::On)
    }

    /// Whether it is done; otherwise the lane has to wait.
    fn phase_of(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        phase: &Phase,
        lane: usize,
    ) -> Result<bool, Cause> {
        let value = |warp: &Warp, reg: u32| warp.regs[reg as usize][lane] as u32;
        match phase {
            Phase::Init { at, count } => {
                let address = self.address(at, lane);
                aligned(address, 8)?;
                let count = value(self, *count);
                let barrier = Barrier::new(count);
                let barrier = barrier.ok_or_else(|| Cause::Undefined(format!("a barrier for {count} arrivals")))?;
                shared(cluster, address, 8)?.copy_from_slice(&barrier.word().to_le_bytes());
            }
            Phase::Invalidate { at } => {
                let address = self.address(at, lane);
                change(cluster, address, Some)?;
                shared(cluster, address, 8)?.fill(0);
            }
            Phase::Arrive { at, to, count, bytes } => {
                let address = self.address(at, lane);
                let count = count.map_or(1, |count| value(self, count));
                if let Some(bytes) = bytes {
                    let bytes = value(self, *bytes) as i32;
                    // The arrival is still missing, so that nothing is over yet.
                    change(cluster, address, |barrier| barrier.after(0, bytes))?;
                }
                let was = change(cluster, address, |barrier| barrier.after(count, 0))?;
                if let Some(to) = to {
                    self.regs[*to as usize][lane] = was.word();
                }
            }
            Phase::Bytes { at, bytes, come } => {
                let (address, bytes) = (self.address(at, lane), value(self, *bytes) as i32);
                change(cluster, address, |barrier| barrier.after(0, if *come { -bytes } else { bytes }))?;
            }
            Phase::Test { at, to, phase, by_parity, waits } => {
                let address = self.address(at, lane);
                let token = self.regs[*phase as usize][lane];
                let parity = match by_parity {
                    true => token as u32 & 1,
                    false => Barrier::of(token).map_or(0, |barrier| barrier.parity),
                };
                // What engines do is done as late as somebody may rely on.
                let over = loop {
                    if change(cluster, address, Some)?.parity != parity {
                        break true;
                    }
                    if !cluster.bring(context, address)?
                        && !cluster.committed(context, address)?
                        && !cluster.answered(context, address)?
                    {
                        break false;
                    }
                };
                if !over && *waits {
                    return Ok(false);
                }
                self.regs[*to as usize][lane] = u64::from(over);
            }
        }
        Ok(true)
    }
}

impl Sent {
    /// Reads shared memory, once.
    pub(crate) fn read(&mut self, cluster: &mut Cluster) -> Result<(), Cause> {
        if self.content.is_some() {
            return Ok(());
        }
        let size = self.map.element;
        let count: usize = self.map.boxed.iter().map(|extent| *extent as usize).product();
        let mut content = vec![0; count * size];
        for (number, part) in content.chunks_exact_mut(size).enumerate() {
            let at = swizzled(self.from + (number * size) as u64, self.map.swizzle);
            part.copy_from_slice(shared(cluster, at, size)?);
        }
        self.content = Some(content);
        Ok(())
    }
}
