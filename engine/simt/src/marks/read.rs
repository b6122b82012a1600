//! Notes to events: who did what from when to when.

use super::{Clock, HEADER, Mark, NOTE, unpacked};
use crate::ir::{Kernel, MemoryId, Space};
use pallas_syntax::Span;
use std::collections::HashMap;

/// What the notes of a run say. Times are nanoseconds from the begin of the first block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// Its blocks, in order.
    pub blocks: Vec<BlockTime>,
    /// What they did: each block's in the order in which it ended.
    pub events: Vec<TimedEvent>,
    /// Notes that later ones were written over.
    pub lost: u64,
    /// When the last block ended.
    pub time: f64,
}

/// A block on its multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockTime {
    /// The multiprocessor.
    pub multiprocessor: u32,
    /// When it began.
    pub start: f64,
    /// When it ended.
    pub end: f64,
}

/// A part of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedEvent {
    /// The program's number in the grid, row by row.
    pub program: usize,
    /// The block that ran it.
    pub block: usize,
    /// What was done.
    pub stage: TimedStage,
    /// With which operand of the launch.
    pub operand: Option<usize>,
    /// In which slot; 0 where there are none.
    pub slot: u32,
    /// When that began.
    pub start: f64,
    /// When it was done.
    pub end: f64,
    /// Bytes that were copied; 0 where nobody counted.
    pub bytes: u64,
    /// The Pallas source.
    pub span: Span,
}

/// What a program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimedStage {
    /// A copy is under way, from its start until somebody has waited for it.
    CopyIn,
    /// Neither of the others.
    Compute,
    /// Stores to an output are being told to memory.
    CopyOut,
    /// The threads wait for copies.
    Wait,
}

/// Reads the notes of all blocks of a kernel. Blocks that are not whole are left out.
pub fn read(kernel: &Kernel, words: &[u64]) -> Times {
    let size = super::words(kernel);
    let blocks: Vec<&[u64]> = words.chunks_exact(size).take(kernel.blocks).collect();
    let clock = Clock::new(&blocks);
    let mut times = Times::default();
    for (number, block) in blocks.iter().enumerate() {
        let at = |ticks: u64| clock.time(block[4], ticks);
        let time = BlockTime { multiprocessor: block[4] as u32, start: at(block[1]), end: at(block[3]) };
        times.time = times.time.max(time.end);
        times.blocks.push(time);
        let capacity = super::capacity(kernel);
        let count = block[5] as usize;
        let kept = count.min(capacity);
        times.lost += (count - kept) as u64;
        let notes: Vec<(f64, u64)> = (count - kept..count)
            .filter_map(|note| {
                let place = HEADER + NOTE * (note % capacity);
                Some((at(*block.get(place)?), *block.get(place + 1)?))
            })
            .collect();
        Reader { kernel, number, time, program: None, pieces: Vec::new(), early: Vec::new(), out: &mut times.events }
            .block(&notes);
    }
    times
}

/// Copies under way: since when, from which arrays with how many bytes, the source.
type Started<'a> = (f64, &'a [(MemoryId, u64)], Span);

struct Reader<'a> {
    kernel: &'a Kernel,
    number: usize,
    time: BlockTime,
    /// The program that is under way: number, begin, source.
    program: Option<(usize, f64, Span)>,
    /// What it did besides computing.
    pieces: Vec<(f64, f64)>,
    /// Events that came before a program began: of the next one.
    early: Vec<usize>,
    out: &'a mut Vec<TimedEvent>,
}

impl Reader<'_> {
    fn block(&mut self, notes: &[(f64, u64)]) {
        let site = |word: u64| self.kernel.marks.get(unpacked(word).0);
        // Where the beginning is lost, the first end says which program was under way.
        let first = notes.iter().find_map(|&(_, word)| match site(word)?.mark {
            Mark::Begin => Some(None),
            Mark::End if unpacked(word).2 >= 0 => Some(Some((unpacked(word).2, site(word)?.span))),
            _ => None,
        });
        if let (Some(Some((number, span))), Some(&(start, _))) = (first, notes.first()) {
            self.program = usize::try_from(number).ok().map(|number| (number, start, span));
        }
        let (mut waits, mut stores) = (None, None);
        let mut started: HashMap<(u32, u32), Started<'_>> = HashMap::new();
        for &(now, word) in notes {
            let (_, slot, number) = unpacked(word);
            let Some(site) = self.kernel.marks.get(unpacked(word).0) else { continue };
            match &site.mark {
                Mark::Begin => self.begin(now, number, site.span),
                Mark::End if number >= 0 => self.end(now),
                Mark::End => {}
                Mark::Start { ring, from } if number >= 0 => {
                    started.insert((*ring, slot), (now, from, site.span));
                }
                Mark::Start { ring, .. } => {
                    started.remove(&(*ring, slot));
                }
                Mark::Wait => waits = Some(now),
                Mark::Arrived { ring } => {
                    if let Some(begun) = waits.take() {
                        self.piece(TimedStage::Wait, None, slot, (begun, now), 0, site.span);
                    }
                    if let Some((begun, from, span)) = started.remove(&(*ring, slot)) {
                        for &(memory, bytes) in from {
                            let operand = self.operand(memory);
                            self.event(TimedStage::CopyIn, operand, slot, (begun, now), bytes, span);
                        }
                    }
                }
                Mark::Store(memory) => stores = Some((now, *memory)),
                Mark::Stored => {
                    if let Some((begun, memory)) = stores.take() {
                        let operand = self.operand(memory);
                        self.piece(TimedStage::CopyOut, operand, 0, (begun, now), 0, site.span);
                    }
                }
            }
        }
        // A block that has no notes of programs is one.
        if self.program.is_some() {
            self.end(self.time.end);
        }
    }

    fn operand(&self, memory: MemoryId) -> Option<usize> {
        match self.kernel.memory(memory).space {
            Space::Operand { operand, .. } => Some(operand),
            _ => None,
        }
    }

    fn begin(&mut self, now: f64, number: i32, span: Span) {
        let number = usize::try_from(number).unwrap_or(0);
        for at in self.early.drain(..) {
            self.out[at].program = number;
        }
        self.program = Some((number, now, span));
    }

    /// What a program did with its time that is not said otherwise is computing.
    fn end(&mut self, now: f64) {
        let Some((_, mut from, span)) = self.program else { return };
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (start, end) in pieces.into_iter().chain([(now, now)]) {
            if start > from {
                self.event(TimedStage::Compute, None, 0, (from, start), 0, span);
            }
            from = from.max(end);
        }
        self.program = None;
    }

    /// Something that a program does instead of computing.
    fn piece(
        &mut self,
        stage: TimedStage,
        operand: Option<usize>,
        slot: u32,
        during: (f64, f64),
        bytes: u64,
        span: Span,
    ) {
        self.pieces.push(during);
        self.event(stage, operand, slot, during, bytes, span);
    }

    fn event(
        &mut self,
        stage: TimedStage,
        operand: Option<usize>,
        slot: u32,
        (start, end): (f64, f64),
        bytes: u64,
        span: Span,
    ) {
        if self.program.is_none() {
            self.early.push(self.out.len());
        }
        let program = self.program.map_or(0, |(number, ..)| number);
        self.out.push(TimedEvent { program, block: self.number, stage, operand, slot, start, end, bytes, span });
    }
}
