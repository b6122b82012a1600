//! What variables and registers hold when a block begins.

use super::Context;
use crate::inst::Lanes;
use crate::memory::Memory;
use crate::module::{Init, Module, Special};

/// Bytes at the beginning of a block's shared memory that are the system's, as on Hopper. No address there is valid.
pub(crate) const RESERVED: usize = 1024;

/// A block's shared memory begins there, by its rank in the cluster.
pub(crate) fn shared_base(rank: usize) -> u64 {
    (rank as u64) << 24
}

/// Allocates the variables of a module.
pub(crate) fn globals(module: &Module, memory: &mut Memory) -> Vec<u64> {
    let places: Vec<u64> = module.globals.iter().map(|global| memory.alloc(global.bytes, global.align)).collect();
    for (global, at) in module.globals.iter().zip(&places) {
        let mut content = global.initial.clone();
        for (offset, name) in &global.addresses {
            let target = module.globals.iter().position(|other| other.name == *name).map_or(0, |other| places[other]);
            let word: [u8; 8] = std::array::from_fn(|byte| content.get(offset + byte).copied().unwrap_or(0));
            let sum = u64::from_le_bytes(word).wrapping_add(target).to_le_bytes();
            let end = (offset + 8).min(content.len());
            content[*offset..end].copy_from_slice(&sum[..end - offset]);
        }
        // It was allocated with this size.
        let _ = memory.write(*at, &content);
    }
    places
}

/// A block's place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) ctaid: [u32; 3],
    /// Of the cluster in the grid.
    pub(crate) cluster: [u32; 3],
    /// In the cluster.
    pub(crate) within: [u32; 3],
    pub(crate) rank: usize,
}

/// The registers of a warp.
pub(crate) fn registers(context: &Context<'_>, place: &Place, warp: usize) -> Vec<Lanes> {
    let threads = context.start.block;
    context
        .module
        .slots
        .iter()
        .map(|slot| match slot.init {
            // Seldom a number that somebody counts on, never a valid address.
            Init::Garbage => [crate::types::low(0x7fba_abcd_7fba_abcd, slot.bits); 32],
            Init::Constant(value) => [value; 32],
            Init::Shared(at) => [shared_base(place.rank) + RESERVED as u64 + at; 32],
            Init::Dynamic => [shared_base(place.rank) + dynamic(context) as u64; 32],
            Init::Global(number) => [context.globals[number]; 32],
            Init::Special(special) => std::array::from_fn(|lane| {
                let thread = (warp * 32 + lane) as u32;
                let tid = [thread % threads[0], thread / threads[0] % threads[1], thread / threads[0] / threads[1]];
                value(context, place, special, tid, lane as u32, warp)
            }),
        })
        .collect()
}

/// Where dynamic shared memory begins.
pub(crate) fn dynamic(context: &Context<'_>) -> usize {
    (RESERVED + context.module.static_shared).next_multiple_of(context.module.shared_align)
}

fn value(context: &Context<'_>, place: &Place, special: Special, tid: [u32; 3], lane: u32, warp: usize) -> u64 {
    let (start, of) = (context.start, context.cluster);
    let bit = 1_u64 << lane;
    u64::from(match special {
        Special::Tid(axis) => tid[axis],
        Special::Ntid(axis) => start.block[axis],
        Special::Ctaid(axis) => place.ctaid[axis],
        Special::Nctaid(axis) => start.grid[axis],
        Special::Lane => lane,
        Special::Warp => warp as u32,
        Special::Warps => start.block.iter().product::<u32>().div_ceil(32),
        Special::Multiprocessor => place.ctaid[0] % super::RESIDENT as u32,
        Special::Multiprocessors => super::RESIDENT as u32,
        Special::GridId | Special::Zero => 0,
        Special::LanesEqual => bit as u32,
        Special::LanesLess => (bit - 1) as u32,
        Special::LanesLessEqual => (bit | (bit - 1)) as u32,
        Special::LanesGreater => !(bit | (bit - 1)) as u32,
        Special::LanesGreaterEqual => !(bit - 1) as u32,
        Special::DynamicShared => start.shared as u32,
        Special::TotalShared => (dynamic(context) + start.shared) as u32,
        Special::ClusterId(axis) => place.cluster[axis],
        Special::Clusters(axis) => start.grid[axis] / of[axis],
        Special::ClusterCtaid(axis) => place.within[axis],
        Special::ClusterNctaid(axis) => of[axis],
        Special::ClusterRank => place.rank as u32,
        Special::ClusterSize => of.iter().product(),
        Special::IsCluster => u32::from(of != [1; 3]),
    })
}
