//! What the Refs of chosen programs hold, before the kernel and after it: for people who want to see numbers. The file is
//! run again for it, up to the last of these programs, so that runs that nobody asks about keep nothing.

use crate::host::Cancel;
use pallas_interpret::{StoreEvent, TileEvent};
use pallas_ir::Launch;
use pallas_syntax::Span;
use pallas_tensor::Array;
use std::ops::Range;
use std::sync::Arc;

/// Programs whose Refs are wanted, of the first run of a launch.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The launch.
    pub launch: Arc<Launch>,
    /// Number of the program that somebody looks at: it is kept, whatever it takes.
    pub program: usize,
    /// Numbers of programs around it, which are kept where there is room.
    pub programs: Range<usize>,
    /// The most bytes that are kept; a program is kept whole or not at all.
    pub most: usize,
}

/// The most stores of a program that are kept.
const MOST_STORES: usize = 256;

/// What the Refs of a program hold: operands first, then scratch.
#[derive(Clone, Debug)]
pub struct Tiles {
    /// Its number.
    pub program: usize,
    /// Before the kernel.
    pub before: Vec<Array>,
    /// After it; empty where the kernel failed.
    pub after: Vec<Array>,
    /// What the kernel has stored to them, in order: the first ones, as far as there is room.
    pub stores: Vec<Store>,
    /// How many stores there were.
    pub stored: usize,
}

/// A store to a Ref.
#[derive(Clone, Debug)]
pub struct Store {
    /// The Ref, by position; of Refs that share their memory the first.
    pub at: usize,
    /// The expression that stores.
    pub span: Span,
    /// All of the Ref before.
    pub before: Array,
    /// And after.
    pub after: Array,
}

/// A capture under way.
pub(crate) struct Capturing {
    wanted: Capture,
    /// Stops the run when nothing more is wanted of it.
    cancel: Cancel,
    runs: bool,
    bytes: usize,
    tiles: Vec<Tiles>,
    /// The programs that run, which are several where devices act on each other, with the memory of each of their Refs.
    open: Vec<(usize, Vec<usize>)>,
    /// How many of the wanted programs are done.
    done: usize,
}

impl Capturing {
    pub(crate) fn new(wanted: Capture, cancel: Cancel) -> Capturing {
        Capturing { wanted, cancel, runs: false, bytes: 0, tiles: Vec::new(), open: Vec::new(), done: 0 }
    }

    /// A launch begins.
    pub(crate) fn begin(&mut self, launch: &Launch) {
        if self.runs {
            // The first run of the launch is over.
            self.cancel.cancel();
        }
        let wanted = &self.wanted.launch;
        self.runs = launch.kernel.name == wanted.kernel.name
            && launch.spans.apply == wanted.spans.apply
            && launch.grid == wanted.grid
            && launch.operands.len() == wanted.operands.len();
    }

    pub(crate) fn wants(&self, number: usize) -> bool {
        self.runs && self.wanted.programs.contains(&number)
    }

    /// Whether single stores are wanted now: while a program runs whose Refs are kept.
    pub(crate) fn wants_stores(&self) -> bool {
        !self.open.is_empty()
    }

    pub(crate) fn stored(&mut self, event: StoreEvent<'_>) {
        let of = |(program, buffers): &(usize, Vec<usize>)| {
            Some((*program, buffers.iter().position(|&buffer| buffer == event.buffer)?))
        };
        let Some((program, at)) = self.open.iter().rev().find_map(of) else { return };
        let Some(last) = self.tiles.iter_mut().rev().find(|tiles| tiles.program == program) else { return };
        last.stored += 1;
        // What was there before one store is what the one before it has left: the same array, once in memory.
        let bytes = event.after.size_bytes();
        // Neighbours leave room for the program that is looked at, which shows at least its first store.
        let looked_at = last.program == self.wanted.program;
        let room = if looked_at { self.wanted.most } else { self.wanted.most / 2 };
        let fits = self.bytes.saturating_add(bytes) <= room || looked_at && last.stores.is_empty();
        if last.stores.len() < MOST_STORES && fits {
            self.bytes += bytes;
            let span = event.location.span;
            last.stores.push(Store { at, span, before: event.before, after: event.after });
        }
    }

    pub(crate) fn take_in(&mut self, event: TileEvent<'_>) {
        self.open.retain(|(program, _)| *program != event.number);
        let bytes: usize = event.tiles.iter().map(Array::size_bytes).sum();
        let (fits, wanted) =
            (self.bytes.saturating_add(bytes.saturating_mul(2)) <= self.wanted.most, self.wanted.program);
        if event.after {
            self.done += 1;
            if let Some(kept) = self.tiles.iter_mut().rev().find(|tiles| tiles.program == event.number) {
                kept.after = event.tiles;
                self.bytes += bytes;
            }
        } else if fits || event.number == wanted {
            if !fits {
                self.tiles.clear();
                self.bytes = 0;
            }
            let (program, before) = (event.number, event.tiles);
            self.tiles.push(Tiles { program, before, after: Vec::new(), stores: Vec::new(), stored: 0 });
            self.bytes += bytes;
            self.open.push((program, event.buffers));
        } else if event.number > wanted && self.open.is_empty() {
            self.cancel.cancel();
        }
        if self.done >= self.wanted.programs.len() {
            self.cancel.cancel();
        }
    }

    pub(crate) fn finish(&mut self) -> Vec<Tiles> {
        std::mem::take(&mut self.tiles)
    }
}
