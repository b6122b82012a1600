//! Whom an access to tensor memory may meet (PTX ISA 9.7.16.6): nothing that is on its way to the same cells or from them, and nothing
//! that other threads did, unless they fenced and synchronised.
//!
//! What is known of the past is coarse on purpose: that one warp fenced before its synchronisation and the other one behind its own, not
//! which barrier they met at. So nothing that is ordered is called unordered.

use super::cells::{CHUNKS, Region, TensorMemory};
use crate::fault::Cause;
use std::collections::HashMap;

/// Who did something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Who {
    #[default]
    Nobody,
    /// A product or a copy, once it was done.
    Engine,
    /// Block and warp.
    Warp(usize, usize),
}

#[derive(Clone, Copy, Debug, Default)]
struct Touch {
    who: Who,
    /// When, in instructions.
    at: u64,
}

/// What is known of some cells of a column.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unit {
    written: Touch,
    read: Touch,
    /// Loads and stores of threads that nobody has waited for.
    loads: u16,
    stores: u16,
    /// Products and copies on their way that will read them, or write them.
    readers: u16,
    writers: u16,
}

/// The times at which each warp fenced before it synchronised, in order.
#[derive(Default)]
pub(crate) struct Fences(HashMap<Who, Vec<u64>>);

impl Fences {
    pub(crate) fn before(&mut self, who: Who, now: u64) {
        self.0.entry(who).or_default().push(now);
    }

    /// Whether what was done is ordered before what a warp does that has fenced behind a synchronisation at `after`.
    fn ordered(&self, touch: &Touch, who: Who, after: u64) -> bool {
        match touch.who {
            Who::Nobody => true,
            Who::Engine => touch.at <= after || who == Who::Engine,
            other if other == who => true,
            other => {
                let fences = self.0.get(&other).map_or(&[] as &[u64], |fences| fences.as_slice());
                let first = fences.get(fences.partition_point(|fence| *fence < touch.at));
                first.is_some_and(|fence| *fence <= after)
            }
        }
    }
}

/// Who accesses, and when it last fenced behind a synchronisation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accessor<'a> {
    pub(crate) who: Who,
    pub(crate) after: u64,
    pub(crate) fences: &'a Fences,
}

impl std::fmt::Debug for Fences {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} warps", self.0.len())
    }
}

/// What is wrong with an access.
fn wrong(what: &str) -> Cause {
    Cause::Undefined(format!("tensor memory: {what}"))
}

/// The mark that a load, a store, a product or a copy leaves while it is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Load,
    Store,
    Reader,
    Writer,
}

impl TensorMemory {
    fn units(&mut self, region: &Region) -> impl Iterator<Item = &mut Unit> {
        let chunks = region.chunks;
        let columns = self.units.iter_mut().skip(region.first).take(region.columns);
        columns.flat_map(move |units| {
            units.iter_mut().enumerate().filter(move |(chunk, _)| chunks >> chunk & 1 == 1).map(|(_, unit)| unit)
        })
    }

    /// Whether threads may load cells, or store them.
    pub(crate) fn may_thread(&mut self, region: &Region, by: &Accessor<'_>, stores: bool) -> Result<(), Cause> {
        for unit in self.units(region) {
            if unit.writers > 0 {
                return Err(wrong(
                    "a product or a copy on its way may still write here; it is done once the barrier of a tcgen05.commit says so",
                ));
            }
            if unit.stores > 0 {
                return Err(wrong("a store on its way writes here, which nobody has waited for (tcgen05.wait::st)"));
            }
            if !by.fences.ordered(&unit.written, by.who, by.after) {
                return Err(wrong(&unfenced(&unit.written, "written")));
            }
            if !stores {
                continue;
            }
            if unit.readers > 0 {
                return Err(wrong("a store to what a product on its way may still read"));
            }
            if unit.loads > 0 {
                return Err(wrong("a store to what a load on its way reads (tcgen05.wait::ld)"));
            }
            if !by.fences.ordered(&unit.read, by.who, by.after) {
                return Err(wrong(&unfenced(&unit.read, "read")));
            }
        }
        Ok(())
    }

    /// Whether a product or a copy may be started that reads cells, or writes them. What others on their way do there is another question.
    pub(crate) fn may_engine(&mut self, region: &Region, by: &Accessor<'_>, writes: bool) -> Result<(), Cause> {
        for unit in self.units(region) {
            if unit.stores > 0 {
                return Err(wrong(
                    "a product or a copy takes what a store on its way writes, which nobody has waited for (tcgen05.wait::st)",
                ));
            }
            let by_engine = Accessor { who: Who::Engine, ..*by };
            let ordered = |touch: &Touch| match touch.who {
                Who::Engine => by_engine.fences.ordered(touch, Who::Engine, by.after),
                _ => by.fences.ordered(touch, by.who, by.after),
            };
            if !ordered(&unit.written) {
                return Err(wrong(&unfenced(&unit.written, "written")));
            }
            if !writes {
                continue;
            }
            if unit.loads > 0 {
                return Err(wrong("a product or a copy writes what a load on its way reads (tcgen05.wait::ld)"));
            }
            if !ordered(&unit.read) {
                return Err(wrong(&unfenced(&unit.read, "read")));
            }
        }
        Ok(())
    }

    /// Something begins (1) or is over (-1).
    pub(crate) fn mark(&mut self, region: &Region, mark: Mark, begins: bool) {
        for unit in self.units(region) {
            let count = match mark {
                Mark::Load => &mut unit.loads,
                Mark::Store => &mut unit.stores,
                Mark::Reader => &mut unit.readers,
                Mark::Writer => &mut unit.writers,
            };
            *count = if begins { count.saturating_add(1) } else { count.saturating_sub(1) };
        }
    }

    /// Notes who accessed cells last.
    pub(crate) fn touched(&mut self, region: &Region, who: Who, at: u64, wrote: bool) {
        for unit in self.units(region) {
            let touch = Touch { who, at };
            match wrote {
                true => unit.written = touch,
                false => unit.read = touch,
            }
        }
    }

    /// Whether columns may be given back: nothing is on its way, and all is ordered before.
    pub(crate) fn may_end(&mut self, region: &Region, by: &Accessor<'_>) -> Result<(), Cause> {
        for unit in self.units(region) {
            if unit.readers > 0 || unit.writers > 0 {
                return Err(wrong("columns are given back that a product or a copy on its way needs"));
            }
        }
        let all = Region { chunks: ((1_u16 << CHUNKS) - 1) as u8, ..*region };
        self.may_thread(&all, by, true)
    }
}

fn unfenced(touch: &Touch, done: &str) -> String {
    match touch.who {
        Who::Engine => format!(
            "it was {done} by a product or a copy that is done, and no tcgen05.fence::after_thread_sync followed its barrier"
        ),
        Who::Warp(block, warp) => format!(
            "it was {done} by warp {warp} of the block of rank {block}: tcgen05.fence::before_thread_sync there, a barrier, and \
             tcgen05.fence::after_thread_sync here have to come in between"
        ),
        Who::Nobody => String::new(),
    }
}
