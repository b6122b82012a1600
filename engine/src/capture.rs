//! What the Refs of chosen programs hold, before the kernel and after it: for people who want to see numbers. The file is
//! run again for it, up to the last of these programs, so that runs that nobody asks about keep nothing.

use crate::host::Cancel;
use pallas_interpret::TileEvent;
use pallas_ir::Launch;
use pallas_tensor::Array;
use std::ops::Range;
use std::sync::Arc;

/// Programs whose Refs are wanted, of the first run of a launch.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The launch.
    pub launch: Arc<Launch>,
    /// Numbers of its programs.
    pub programs: Range<usize>,
    /// The most bytes that are kept; a program is kept whole or not at all.
    pub most: usize,
}

/// What the Refs of a program hold: operands first, then scratch.
#[derive(Clone, Debug)]
pub struct Tiles {
    /// Its number.
    pub program: usize,
    /// Before the kernel.
    pub before: Vec<Array>,
    /// After it; empty where the kernel failed.
    pub after: Vec<Array>,
}

/// A capture under way.
pub(crate) struct Capturing {
    wanted: Capture,
    /// Stops the run when nothing more is wanted of it.
    cancel: Cancel,
    runs: bool,
    bytes: usize,
    tiles: Vec<Tiles>,
}

impl Capturing {
    pub(crate) fn new(wanted: Capture, cancel: Cancel) -> Capturing {
        Capturing { wanted, cancel, runs: false, bytes: 0, tiles: Vec::new() }
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

    pub(crate) fn take_in(&mut self, event: TileEvent<'_>) {
        let bytes: usize = event.tiles.iter().map(Array::size_bytes).sum();
        if event.after {
            if let Some(last) = self.tiles.last_mut().filter(|last| last.program == event.number) {
                last.after = event.tiles;
                self.bytes += bytes;
            }
        } else if self.tiles.is_empty() || self.bytes.saturating_add(bytes.saturating_mul(2)) <= self.wanted.most {
            self.tiles.push(Tiles { program: event.number, before: event.tiles, after: Vec::new() });
            self.bytes += bytes;
        } else {
            self.cancel.cancel();
        }
        if event.after && event.number + 1 >= self.wanted.programs.end {
            self.cancel.cancel();
        }
    }

    pub(crate) fn finish(&mut self) -> Vec<Tiles> {
        std::mem::take(&mut self.tiles)
    }
}
