//! Accesses to memory by the lanes of a warp.

use super::Context;
use super::begin::RESERVED;
use super::cluster::{Cluster, Stopped};
use super::warp::{Warp, lanes};
use crate::fault::Cause;
use crate::formats::{Round, narrow, wide};
use crate::inst::{Address, Combine};
use crate::memory::{LOCAL, PARAMS, SHARED, space_of};
use crate::module::Reg;
use crate::ops::combined;
use crate::types::{Space, Type, extended, low};

/// The bytes of an address.
pub(crate) fn at<'m>(
    context: &'m mut Context<'_>,
    cluster: &'m mut Cluster,
    local: &'m mut [u8],
    (space, address, bytes): (Space, u64, usize),
) -> Result<&'m mut [u8], Cause> {
    let outside = || Cause::IllegalAddress { address, bytes, near: None };
    match space {
        Space::Generic => {
            let space = space_of(address);
            let base = match space {
                Space::Shared => SHARED,
                Space::Local => LOCAL,
                _ => 0,
            };
            at(context, cluster, local, (space, address - base, bytes))
        }
        Space::Global | Space::Const => context.memory.slice_mut(address, bytes),
        Space::Shared => shared(cluster, address, bytes),
        // Parameters of functions are the thread's own, those of a kernel nobody writes.
        Space::Param if address >= PARAMS => Err(outside()),
        Space::Local | Space::Param => {
            local.get_mut(address as usize..).and_then(|rest| rest.get_mut(..bytes)).ok_or_else(outside)
        }
    }
}

/// Bytes of shared memory, of whichever block of the cluster.
pub(crate) fn shared(cluster: &mut Cluster, address: u64, bytes: usize) -> Result<&mut [u8], Cause> {
    let (rank, offset) = ((address >> 24) as usize, (address & 0xff_ffff) as usize);
    let length = cluster.shared.get(rank).map_or(0, Vec::len);
    let near = Some((((rank as u64) << 24) + RESERVED as u64, length.saturating_sub(RESERVED)));
    let found = cluster.shared.get_mut(rank).filter(|_| offset >= RESERVED);
    let found = found.and_then(|memory| memory.get_mut(offset..)?.get_mut(..bytes));
    found.ok_or(Cause::IllegalAddress { address, bytes, near })
}

fn word(bytes: &[u8]) -> u64 {
    match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => 0,
    }
}

impl Warp {
    pub(crate) fn address(&self, of: &Address, lane: usize) -> u64 {
        let address = self.regs[of.base as usize][lane].wrapping_add(of.offset as u64);
        // Addresses of shared memory have 32 bits, whatever register they are in.
        if of.space == Space::Shared { low(address, 32) } else { address }
    }

    /// Reads bytes as a lane.
    pub(crate) fn read(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        lane: usize,
        (space, address): (Space, u64),
        into: &mut [u8],
    ) -> Result<(), Cause> {
        let of_kernel = matches!(space, Space::Param | Space::Generic) && space_of(address) == Space::Param;
        if of_kernel {
            let from = (address - PARAMS) as usize;
            let found = context.start.params.get(from..).and_then(|rest| rest.get(..into.len()));
            let bytes = into.len();
            into.copy_from_slice(found.ok_or(Cause::IllegalAddress { address, bytes, near: None })?);
            return Ok(());
        }
        let size = context.module.local;
        let local = &mut self.local[lane * size..(lane + 1) * size];
        into.copy_from_slice(at(context, cluster, local, (space, address, into.len()))?);
        Ok(())
    }

    /// Writes bytes as a lane.
    pub(crate) fn put_bytes(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        lane: usize,
        (space, address): (Space, u64),
        bytes: &[u8],
    ) -> Result<(), Cause> {
        let size = context.module.local;
        let local = &mut self.local[lane * size..(lane + 1) * size];
        at(context, cluster, local, (space, address, bytes.len()))?.copy_from_slice(bytes);
        Ok(())
    }

    pub(crate) fn load(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        to: &[Option<Reg>],
        of: &Address,
        ty: Type,
        active: u32,
    ) -> Result<(), Stopped> {
        let (size, count) = (ty.bytes(), to.len());
        let mut buffer = [0; 64];
        for lane in lanes(active) {
            let address = self.address(of, lane);
            let bytes = &mut buffer[..size * count];
            aligned(address, bytes.len()).map_err(|cause| (cause, lane as u32))?;
            self.read(context, cluster, lane, (of.space, address), bytes).map_err(|cause| (cause, lane as u32))?;
            for (to, part) in to.iter().zip(bytes.chunks_exact(size)) {
                let Some(to) = to else { continue };
                let value = word(part);
                let width = context.module.slots[*to as usize].bits;
                let value = if ty.signed() { low(extended(value, ty.bits) as u64, width) } else { value };
                self.regs[*to as usize][lane] = value;
            }
        }
        Ok(())
    }

    pub(crate) fn store(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        of: &Address,
        from: &[Reg],
        ty: Type,
        active: u32,
    ) -> Result<(), Stopped> {
        let size = ty.bytes();
        let mut buffer = [0; 64];
        for lane in lanes(active) {
            let address = self.address(of, lane);
            let bytes = &mut buffer[..size * from.len()];
            for (from, part) in from.iter().zip(bytes.chunks_exact_mut(size)) {
                part.copy_from_slice(&self.regs[*from as usize][lane].to_le_bytes()[..size]);
            }
            aligned(address, bytes.len()).map_err(|cause| (cause, lane as u32))?;
            self.put_bytes(context, cluster, lane, (of.space, address), bytes).map_err(|cause| (cause, lane as u32))?;
        }
        Ok(())
    }

    pub(crate) fn atomic(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        (to, of, combine, ty): (Option<Reg>, Address, Combine, Type),
        values: [Reg; 2],
        active: u32,
    ) -> Result<(), Stopped> {
        for lane in lanes(active) {
            let address = self.address(&of, lane);
            let mut bytes = [0; 8];
            let bytes = &mut bytes[..ty.bytes()];
            let [value, other] = values.map(|value| self.regs[value as usize][lane]);
            let mut done = || {
                aligned(address, bytes.len())?;
                self.read(context, cluster, lane, (of.space, address), bytes)?;
                let was = word(bytes);
                let new = match combine {
                    Combine::CompareAndSwap if was == low(value, ty.bits) => other,
                    Combine::CompareAndSwap => was,
                    combine if ty.integer() => combined(combine, ty, was, value),
                    combine => of_floats(combine, ty, was, value)?,
                };
                bytes.copy_from_slice(&new.to_le_bytes()[..ty.bytes()]);
                self.put_bytes(context, cluster, lane, (of.space, address), bytes)?;
                Ok(was)
            };
            let was = done().map_err(|cause| (cause, lane as u32))?;
            if let Some(to) = to {
                self.regs[to as usize][lane] = was;
            }
        }
        Ok(())
    }
}

pub(crate) fn aligned(address: u64, bytes: usize) -> Result<(), Cause> {
    match address.is_multiple_of(bytes as u64) {
        true => Ok(()),
        false => Err(Cause::Misaligned { address, bytes }),
    }
}

/// What an atomic operation makes of floats, or of several in a word.
pub(crate) fn of_floats(combine: Combine, ty: Type, was: u64, value: u64) -> Result<u64, Cause> {
    let part = ty.part();
    let one = |number: u32| {
        let [a, b] = [was, value].map(|bits| low(bits >> (number * part.bits), part.bits));
        let (x, y) = (wide(part, a), wide(part, b));
        let of = match combine {
            Combine::Add => x + y,
            Combine::Min => {
                if y.is_nan() || x < y {
                    x
                } else {
                    y
                }
            }
            Combine::Max => {
                if y.is_nan() || x > y {
                    x
                } else {
                    y
                }
            }
            Combine::Exchange => y,
            other => return Err(Cause::Unsupported(format!("{other:?} of floats"))),
        };
        Ok(narrow(part, of, Round::Nearest) << (number * part.bits))
    };
    (0..ty.packed).try_fold(0, |all, number| Ok(all | one(number)?))
}
