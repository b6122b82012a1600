//! Memory in the simulator: elements, and for each of them who touched it last, and when. Time is counted in barriers.

use super::report::{Complaint, Kind, Report};
use pallas_syntax::Span;
use pallas_tensor::Array;

/// Whose access, and when. Threads and blocks are counted from 1, so that nobody is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Touch {
    /// The barrier before; over all blocks, so that no two blocks have one in common.
    epoch: u32,
    block: u32,
    /// `u32::MAX`: several.
    thread: u32,
    atomic: bool,
}

const SEVERAL: u32 = u32::MAX;

/// An array.
#[derive(Debug)]
pub(super) struct Ram {
    pub(super) name: String,
    pub(super) array: Array,
    /// Empty for what nobody writes.
    writes: Vec<Touch>,
    reads: Vec<Touch>,
    /// Of memory of a block: whether an element was written since the block began.
    initialized: Vec<bool>,
    /// Bytes of an element, if it lies in banks.
    pub(super) banked: Option<usize>,
}

/// An access of all threads at once.
pub(super) struct Access<'a> {
    /// By register, then thread; -1 where masked off.
    pub(super) indices: &'a [i64],
    pub(super) threads: usize,
    pub(super) epoch: u32,
    pub(super) block: usize,
    pub(super) span: Span,
}

impl Ram {
    pub(super) fn new(name: &str, array: Array, shared: bool, own: bool, constant: bool) -> Ram {
        let len = if constant { 0 } else { array.size() };
        Ram {
            name: name.to_string(),
            writes: vec![Touch::default(); len],
            reads: vec![Touch::default(); len],
            initialized: vec![false; if own { len } else { 0 }],
            banked: shared.then(|| array.dtype().size_bytes()),
            array,
        }
    }

    /// A new block begins: what is its own holds nothing.
    pub(super) fn begin(&mut self) {
        self.initialized.fill(false);
    }

    /// Indices inside of the array; the others are complained of and masked off.
    pub(super) fn bounded(&self, access: &Access<'_>, report: &mut Report) -> Vec<i64> {
        let len = self.array.size() as i64;
        let bounded = access.indices.iter().enumerate().map(|(position, &index)| {
            if index < len && index >= -1 {
                return index;
            }
            report.complain(|| self.complaint(Kind::OutOfBounds, access, position, index, None), Kind::OutOfBounds);
            -1
        });
        bounded.collect()
    }

    pub(super) fn read(&mut self, access: &Access<'_>, report: &mut Report) {
        self.conflicts(access, report);
        if self.writes.is_empty() {
            return;
        }
        for (position, &index) in access.indices.iter().enumerate() {
            let Ok(element) = usize::try_from(index) else { continue };
            let me = self.touch(access, position, false);
            if self.initialized.get(element) == Some(&false) {
                report.complain(
                    || self.complaint(Kind::Uninitialized, access, position, index, None),
                    Kind::Uninitialized,
                );
            }
            self.meet(self.writes[element], me, access, position, report);
            let last = self.reads[element];
            let several = last.epoch == me.epoch && last.thread != me.thread && last.thread != 0;
            self.reads[element] = if several { Touch { thread: SEVERAL, ..me } } else { me };
        }
    }

    pub(super) fn write(&mut self, access: &Access<'_>, atomic: bool, report: &mut Report) {
        self.conflicts(access, report);
        for (position, &index) in access.indices.iter().enumerate() {
            let Ok(element) = usize::try_from(index) else { continue };
            let me = self.touch(access, position, atomic);
            self.meet(self.writes[element], me, access, position, report);
            self.meet(self.reads[element], me, access, position, report);
            self.writes[element] = me;
            if let Some(initialized) = self.initialized.get_mut(element) {
                *initialized = true;
            }
        }
    }

    fn touch(&self, access: &Access<'_>, position: usize, atomic: bool) -> Touch {
        let thread = (position % access.threads) as u32 + 1;
        Touch { epoch: access.epoch, block: access.block as u32 + 1, thread, atomic }
    }

    /// Complains if two accesses, one of which writes, have no barrier between.
    fn meet(&self, other: Touch, me: Touch, access: &Access<'_>, position: usize, report: &mut Report) {
        if other.thread == 0 || (other.atomic && me.atomic) {
            return;
        }
        let own = !self.initialized.is_empty();
        let kind = if other.block != me.block && !own {
            Kind::BlockRace
        } else if other.epoch == me.epoch && other.thread != me.thread {
            Kind::Race
        } else {
            return;
        };
        let index = access.indices[position];
        let met = (other.thread != SEVERAL).then(|| other.thread - 1);
        report.complain(|| self.complaint(kind, access, position, index, met), kind);
    }

    fn complaint(&self, kind: Kind, access: &Access<'_>, position: usize, element: i64, met: Option<u32>) -> Complaint {
        let thread = (position % access.threads) as u32;
        let (memory, block, span) = (self.name.clone(), access.block, access.span);
        Complaint { kind, memory, element, block, threads: (thread, met), span }
    }

    /// Counts how often lanes of a warp go to different words of one bank.
    fn conflicts(&self, access: &Access<'_>, report: &mut Report) {
        let Some(bytes) = self.banked else { return };
        for warp in access.indices.chunks(32) {
            let words = warp.iter().filter(|&&index| index >= 0).map(|&index| index * bytes as i64 / 4);
            let (first, last) = words.fold((i64::MAX, 0), |(first, last), word| (first.min(word), last.max(word)));
            // Neighbours are in banks of their own.
            if last.saturating_sub(first) < 32 {
                continue;
            }
            let mut words: [i64; 32] = [-1; 32];
            let mut ways = [0u64; 32];
            let mut most = 0;
            for (lane, &index) in warp.iter().enumerate() {
                if index < 0 {
                    continue;
                }
                let word = index * bytes as i64 / 4;
                let bank = (word % 32) as usize;
                let new = words[bank] != word
                    && !warp[..lane].iter().any(|&other| other >= 0 && other * bytes as i64 / 4 == word);
                if new {
                    words[bank] = word;
                    ways[bank] += 1;
                    most = most.max(ways[bank]);
                }
            }
            // Words of eight bytes take two turns anyway.
            let turns = if bytes > 4 { 2 } else { 1 };
            report.bank_conflicts += most.saturating_sub(turns);
        }
    }
}
