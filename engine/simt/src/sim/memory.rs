//! Memory in the simulator: elements, and for each of them who touched it last, and when. Time is
//! what the clocks of those say who act.

use super::actor::Actor;
use super::report::{Complaint, Kind, Report};
use pallas_syntax::Span;
use pallas_tensor::Array;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// Whose access, and when. Threads are counted from 1, so that nobody is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Touch {
    /// Blocks that run at the same time, and know of each other.
    world: u32,
    block: u32,
    /// Who, by [`Actor::number`], and when by its clock.
    actor: u32,
    clock: u32,
    /// `u32::MAX`: several.
    thread: u32,
    atomic: bool,
}

const SEVERAL: u32 = u32::MAX;

/// An array.
#[derive(Clone, Debug)]
pub(super) struct Ram {
    pub(super) name: String,
    pub(super) array: Array,
    /// Empty for what nobody writes.
    writes: Vec<Touch>,
    reads: Vec<Touch>,
    /// Reads by others, which the last one knows nothing of.
    more: HashMap<usize, Vec<Touch>>,
    /// Of memory of a block: whether an element was written since the block began.
    initialized: Vec<bool>,
    /// Of shared memory: whether a copy to an element was started that has not landed.
    flying: Vec<bool>,
    /// Of shared memory: how many engines may be reading an element.
    lent: Vec<u16>,
    /// Bytes of an element, if it lies in banks.
    pub(super) banked: Option<usize>,
    /// What it holds when a block begins, if that is defined.
    begins: Option<Array>,
}

/// An access of all threads at once.
pub(super) struct Access<'a> {
    /// By register, then thread; -1 where masked off.
    pub(super) indices: &'a [i64],
    pub(super) threads: usize,
    /// Registers that are one access.
    pub(super) vector: usize,
    pub(super) actor: Rc<Actor>,
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
            flying: vec![false; if shared { len } else { 0 }],
            lent: vec![0; if shared { len } else { 0 }],
            more: HashMap::new(),
            banked: shared.then(|| array.dtype().size_bytes()),
            begins: None,
            array,
        }
    }

    /// The same where a block begins with what the array holds now, which counts as written.
    pub(super) fn filled(self) -> Ram {
        Ram { begins: Some(self.array.clone()), ..self }
    }

    /// A new block begins: what is its own holds nothing, or what it begins with.
    pub(super) fn begin(&mut self) {
        self.initialized.fill(self.begins.is_some());
        if let Some(begins) = &self.begins {
            self.array = begins.clone();
        }
        self.flying.fill(false);
        self.lent.fill(0);
        self.more.clear();
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
        self.seen(access, report);
    }

    /// A read whose turns were counted.
    pub(super) fn seen(&mut self, access: &Access<'_>, report: &mut Report) {
        if self.writes.is_empty() {
            return;
        }
        for (position, &index) in access.indices.iter().enumerate() {
            let Ok(element) = usize::try_from(index) else { continue };
            let me = self.touch(access, position, false);
            self.grounded(element, access, position, report);
            if self.initialized.get(element) == Some(&false) {
                report.complain(
                    || self.complaint(Kind::Uninitialized, access, position, index, None),
                    Kind::Uninitialized,
                );
            }
            self.meet(self.writes[element], me, access, position, report);
            self.remember(element, me, access);
        }
    }

    /// Complains of elements that nobody wrote.
    pub(super) fn holds(&self, access: &Access<'_>, report: &mut Report) {
        for (position, &index) in access.indices.iter().enumerate() {
            let written = usize::try_from(index).ok().and_then(|element| self.initialized.get(element));
            if written == Some(&false) {
                let complaint = || self.complaint(Kind::Uninitialized, access, position, index, None);
                report.complain(complaint, Kind::Uninitialized);
            }
        }
    }

    /// A read that whoever writes next has to know of.
    fn remember(&mut self, element: usize, me: Touch, access: &Access<'_>) {
        let last = self.reads[element];
        let apart = last.thread != 0 && last.world == me.world && access.actor.meets(last.actor, last.clock);
        if apart && last.actor != me.actor {
            self.more.entry(element).or_default().push(last);
        }
        let several = apart && last.actor == me.actor && last.thread != me.thread;
        self.reads[element] = if several { Touch { thread: SEVERAL, ..me } } else { me };
    }

    /// Complains of reads that may be under way where something is written.
    fn overtakes(&mut self, element: usize, me: Touch, access: &Access<'_>, position: usize, report: &mut Report) {
        self.meet(self.reads[element], me, access, position, report);
        for other in self.more.remove(&element).unwrap_or_default() {
            self.meet(other, me, access, position, report);
        }
        if self.lent.get(element).is_some_and(|&lent| lent > 0) {
            let index = access.indices[position];
            report.complain(|| self.complaint(Kind::UnderWay, access, position, index, None), Kind::UnderWay);
        }
    }

    /// Engines begin to read: what was written has to be there for them. `is_fenced`: that needs nothing but a barrier.
    pub(super) fn lend(&mut self, access: &Access<'_>, is_fenced: bool, report: &mut Report) {
        for (position, &index) in access.indices.iter().enumerate() {
            let Ok(element) = usize::try_from(index) else { continue };
            let me = self.touch(access, position, false);
            self.grounded(element, access, position, report);
            let complain = |kind: Kind, report: &mut Report| {
                report.complain(|| self.complaint(kind, access, position, index, None), kind);
            };
            if self.initialized.get(element) == Some(&false) {
                complain(Kind::Uninitialized, report);
            }
            let last = self.writes[element];
            self.meet(last, me, access, position, report);
            let is_own = last.thread != 0 && last.world == me.world;
            if !is_fenced && is_own && access.actor.unfenced(last.actor, last.clock) {
                complain(Kind::Unfenced, report);
            }
            if let Some(lent) = self.lent.get_mut(element) {
                *lent += 1;
            }
        }
    }

    /// Whether something is on its way to an element.
    pub(super) fn is_flying(&self, index: i64) -> bool {
        usize::try_from(index).ok().and_then(|element| self.flying.get(element)) == Some(&true)
    }

    /// Something is on its way to elements, behind what else is.
    pub(super) fn follow(&mut self, indices: &[i64]) {
        for element in indices.iter().filter_map(|&index| usize::try_from(index).ok()) {
            if let Some(flying) = self.flying.get_mut(element) {
                *flying = true;
            }
        }
    }

    /// Tensor cores have read, and have come so far.
    pub(super) fn take_back_by(&mut self, access: &Access<'_>, (actor, clock): (u32, u32)) {
        for (position, &index) in access.indices.iter().enumerate() {
            let Ok(element) = usize::try_from(index) else { continue };
            if let Some(lent) = self.lent.get_mut(element) {
                *lent = lent.saturating_sub(1);
            }
            let me = Touch { actor, clock, thread: SEVERAL, ..self.touch(access, position, false) };
            self.remember(element, me, access);
        }
    }

    /// Engines have read; for the others this is a read of a thread, or of all.
    pub(super) fn take_back(&mut self, access: &Access<'_>, by_all: bool) {
        for (position, &index) in access.indices.iter().enumerate() {
            let Ok(element) = usize::try_from(index) else { continue };
            if let Some(lent) = self.lent.get_mut(element) {
                *lent = lent.saturating_sub(1);
            }
            let thread = if by_all { SEVERAL } else { 1 };
            let me = Touch { thread, ..self.touch(access, position, false) };
            self.remember(element, me, access);
        }
    }

    pub(super) fn write(&mut self, access: &Access<'_>, atomic: bool, report: &mut Report) {
        self.conflicts(access, report);
        for (position, &index) in access.indices.iter().enumerate() {
            let Ok(element) = usize::try_from(index) else { continue };
            let me = self.touch(access, position, atomic);
            self.grounded(element, access, position, report);
            self.meet(self.writes[element], me, access, position, report);
            self.overtakes(element, me, access, position, report);
            self.writes[element] = me;
            if let Some(initialized) = self.initialized.get_mut(element) {
                *initialized = true;
            }
        }
    }

    /// Elements are lost: another array that has the same bytes is written.
    pub(super) fn lose(&mut self, elements: Range<usize>, access: &Access<'_>, position: usize, report: &mut Report) {
        let me = self.touch(access, position, false);
        for element in elements.start..elements.end.min(self.initialized.len()) {
            self.grounded(element, access, position, report);
            self.meet(self.writes[element], me, access, position, report);
            self.overtakes(element, me, access, position, report);
            self.writes[element] = Touch::default();
            self.reads[element] = Touch::default();
            self.initialized[element] = false;
        }
    }

    /// A copy is started: nobody may be reading any more.
    pub(super) fn set_out(&mut self, access: &Access<'_>, report: &mut Report) {
        self.conflicts(access, report);
        for (position, &index) in access.indices.iter().enumerate() {
            let Ok(element) = usize::try_from(index) else { continue };
            self.grounded(element, access, position, report);
            let me = self.touch(access, position, false);
            self.meet(self.writes[element], me, access, position, report);
            self.overtakes(element, me, access, position, report);
            if let Some(flying) = self.flying.get_mut(element) {
                *flying = true;
            }
        }
    }

    /// A copy lands; `by`: an engine and how far it has come, if it is not the thread's own copy.
    pub(super) fn land(&mut self, access: &Access<'_>, by: Option<(u32, u32)>) {
        for (position, &index) in access.indices.iter().enumerate() {
            let Ok(element) = usize::try_from(index) else { continue };
            if let Some(flying) = self.flying.get_mut(element) {
                *flying = false;
            }
            let me = self.touch(access, position, false);
            self.writes[element] = match by {
                Some((actor, clock)) => Touch { actor, clock, thread: SEVERAL, ..me },
                None => me,
            };
            if let Some(initialized) = self.initialized.get_mut(element) {
                *initialized = true;
            }
        }
    }

    /// Complains of what is touched while a copy to it is under way.
    fn grounded(&self, element: usize, access: &Access<'_>, position: usize, report: &mut Report) {
        if self.flying.get(element) == Some(&true) {
            let index = access.indices[position];
            report.complain(|| self.complaint(Kind::UnderWay, access, position, index, None), Kind::UnderWay);
        }
    }

    fn touch(&self, access: &Access<'_>, position: usize, atomic: bool) -> Touch {
        let thread = (position % access.threads) as u32 + 1;
        let actor = &access.actor;
        let (block, clock) = (actor.block as u32, actor.clock);
        Touch { world: actor.world, block, actor: actor.number, clock, thread, atomic }
    }

    /// Complains if two accesses, one of which writes, have no barrier between.
    fn meet(&self, other: Touch, me: Touch, access: &Access<'_>, position: usize, report: &mut Report) {
        if other.thread == 0 || (other.atomic && me.atomic) {
            return;
        }
        let own = !self.initialized.is_empty();
        let same_thread = other.actor == me.actor && other.thread == me.thread && me.thread != SEVERAL;
        let kind = if other.world != me.world {
            // What is a block's own begins anew with it.
            if own {
                return;
            }
            Kind::BlockRace
        } else if same_thread || !access.actor.meets(other.actor, other.clock) {
            return;
        } else if other.block != me.block {
            Kind::BlockRace
        } else {
            Kind::Race
        };
        let index = access.indices[position];
        let met = (other.thread != SEVERAL).then(|| other.thread - 1);
        let block = (kind == Kind::BlockRace).then_some(other.block as usize);
        report.complain(|| Complaint { other: block, ..self.complaint(kind, access, position, index, met) }, kind);
    }

    fn complaint(&self, kind: Kind, access: &Access<'_>, position: usize, element: i64, met: Option<u32>) -> Complaint {
        let thread = (position % access.threads) as u32;
        let (memory, block, span) = (self.name.clone(), access.actor.block, access.span);
        Complaint { kind, memory, element, block, threads: (thread, met), span, met: None, other: None }
    }

    /// Counts how often lanes of a warp go to different words of one bank. A warp takes turns of 128 bytes.
    fn conflicts(&self, access: &Access<'_>, report: &mut Report) {
        let Some(bytes) = self.banked else { return };
        let wide = bytes * access.vector;
        let lanes = 32 / (wide / 4).clamp(1, 32);
        for group in access.indices.chunks(access.vector * access.threads) {
            for turn in group[..access.threads.min(group.len())].chunks(lanes) {
                report.bank_conflicts += turns(turn, bytes, wide).saturating_sub(1);
            }
        }
    }
}

/// How many turns lanes take that each go to so many bytes.
pub(super) fn turns(lanes: &[i64], bytes: usize, wide: usize) -> u64 {
    let mut seen: [i64; 32] = [-1; 32];
    let mut ways = [0u64; 32];
    let mut most = 0;
    let mut words: Vec<i64> = Vec::new();
    for &index in lanes.iter().filter(|&&index| index >= 0) {
        let first = index * bytes as i64 / 4;
        for word in first..first + (wide as i64 / 4).max(1) {
            let bank = (word % 32) as usize;
            if seen[bank] == word || (ways[bank] > 0 && words.contains(&word)) {
                continue;
            }
            seen[bank] = word;
            words.push(word);
            ways[bank] += 1;
            most = most.max(ways[bank]);
        }
    }
    most
}
