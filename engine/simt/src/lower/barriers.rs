//! Barriers where threads could meet in memory: before an access to an array that was accessed since the last barrier, one of
//! both times to write, unless every thread then touches what it alone has touched. Arrays that share bytes are one array here.
//!
//! Threads meet only inside a block, so that is all that is looked at. Loops are gone through twice, so that the end of a round
//! meets the beginning of the next.

use crate::ir::{Inst, Kernel, MemoryId, Op, Region, Space, Value};
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};

/// How an array was accessed since the last barrier.
#[derive(Clone, Debug, Default, PartialEq)]
struct Touched {
    reads: HashSet<Way>,
    writes: HashSet<Way>,
}

/// An access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Way {
    /// Every thread at places that it alone has, by this index.
    Own(Value),
    /// Any.
    Any,
    /// One indivisible step for each place.
    Atomic,
}

type State = HashMap<MemoryId, Touched>;

/// What is to be known of memory: what others than threads touch, and what lies in the same place.
#[derive(Debug, Default)]
struct Engines {
    /// What is copied to ahead.
    ahead: HashSet<MemoryId>,
    /// What boxes are sent from, and arrays that they are sent to.
    sent: HashSet<MemoryId>,
    arrays: HashSet<MemoryId>,
    /// What is multiplied.
    multiplied: HashSet<MemoryId>,
    /// What the teams of a block have in common.
    shared: HashSet<MemoryId>,
    /// For each array those that have bytes in common with it.
    sharing: Vec<Vec<MemoryId>>,
}

/// Inserts them.
pub fn insert(kernel: &mut Kernel) {
    let mut body = std::mem::take(&mut kernel.body);
    let mut engines = Engines::default();
    body.walk(&mut |inst| match inst.op {
        Op::CopyAhead { memory, .. } => {
            engines.ahead.insert(memory);
        }
        Op::SendBox { memory, map, .. } => {
            engines.sent.insert(memory);
            engines.arrays.extend(kernel.maps.get(map).map(|map| map.memory));
        }
        Op::Multiply(product) => engines.multiplied.extend(product.factors()),
        _ => {}
    });
    engines.shared = kernel.memories().filter(|(_, memory)| memory.space == Space::Shared).map(|(id, _)| id).collect();
    engines.sharing = kernel.sharing();
    let mut state = State::new();
    region(&mut body, &mut state, &engines);
    kernel.body = body;
}

/// The array of an access, how, and whether it writes.
fn access(inst: &Inst) -> Option<(MemoryId, Way, bool)> {
    let way = |private: bool| if private { Way::Own(inst.operands[0]) } else { Way::Any };
    match inst.op {
        Op::Load { memory, private, .. } => Some((memory, way(private), false)),
        Op::Claimed(memory) => Some((memory, Way::Any, false)),
        Op::LoadMatrix { memory, .. } => Some((memory, Way::Any, false)),
        Op::Store { memory, private, .. } => Some((memory, way(private), true)),
        Op::Atomic { memory, .. } => Some((memory, Way::Atomic, true)),
        // Threads have their own lanes, and only the first one's products go to all.
        Op::LoadTensor(memory) => Some((memory, Way::Own(inst.operands[0]), false)),
        Op::StoreTensor(memory) => Some((memory, Way::Own(inst.operands[0]), true)),
        _ => None,
    }
}

impl Touched {
    fn meets(&self, way: Way, writes: bool) -> bool {
        let apart = |other: &Way| *other == way && way != Way::Any;
        let meets = |ways: &HashSet<Way>| !ways.iter().all(apart);
        meets(&self.writes) || (writes && meets(&self.reads))
    }
}

fn region(body: &mut Region, state: &mut State, engines: &Engines) {
    let mut insts: Vec<Inst> = Vec::with_capacity(body.insts.len());
    for mut inst in body.insts.drain(..) {
        match &inst.op {
            Op::Barrier => state.clear(),
            Op::For | Op::While => {
                // Once before the loop is cheaper than in every round.
                if inst.regions.iter().any(|inner| engines.meets_inside(state, inner)) {
                    insts.push(barrier(&inst));
                    state.clear();
                }
                // A round may begin after any round, or after what came before the loop.
                let before = state.clone();
                for inner in &mut inst.regions {
                    region(inner, state, engines);
                }
                forget_indices(&inst, state);
                merge(state, &before);
                for inner in &mut inst.regions {
                    region(inner, state, engines);
                }
                forget_indices(&inst, state);
                merge(state, &before);
            }
            // Copies land here, whoever started them.
            Op::WaitAhead(_) => {
                for &memory in &engines.ahead {
                    state.entry(memory).or_default().writes.insert(Way::Any);
                }
            }
            // Nobody may read any more what a copy is started to; that it has landed is the wait's matter.
            Op::CopyAhead { memory, .. } if engines.meets(state, *memory, Way::Any, true) => {
                insts.push(barrier(&inst));
                state.clear();
            }
            // The first thread's engine goes to what all threads have touched; that it has come, phase barriers say.
            Op::BringBox { memory, .. } if engines.meets(state, *memory, Way::Any, true) => {
                insts.push(barrier(&inst));
                state.clear();
            }
            Op::SendBox { memory, .. } if engines.meets(state, *memory, Way::Any, false) => {
                insts.push(barrier(&inst));
                state.clear();
            }
            Op::Multiply(product) if product.factors().any(|memory| engines.meets(state, memory, Way::Any, false)) => {
                insts.push(barrier(&inst));
                state.clear();
            }
            Op::MultiplyTensor(product)
                if engines.meets(state, product.left.memory(), Way::Any, false)
                    || engines.meets(state, product.right.memory, Way::Any, false)
                    || product.lanes_read().any(|memory| engines.meets(state, memory, Way::Any, false))
                    || engines.meets(state, product.acc, Way::Any, true) =>
            {
                insts.push(barrier(&inst));
                state.clear();
            }
            Op::CopyTensor(copy)
                if engines.meets(state, copy.from.memory(), Way::Any, false)
                    || engines.meets(state, copy.to, Way::Any, true) =>
            {
                insts.push(barrier(&inst));
                state.clear();
            }
            // Each warp knows of its own rows.
            Op::WaitProducts(_) => {
                for &memory in &engines.multiplied {
                    state.entry(memory).or_default().reads.insert(Way::Any);
                }
            }
            // Only the first thread knows that its boxes have been read.
            Op::WaitSent { read, .. } => {
                for &memory in &engines.sent {
                    state.entry(memory).or_default().reads.insert(Way::Any);
                }
                for &memory in engines.arrays.iter().filter(|_| !read) {
                    state.entry(memory).or_default().writes.insert(Way::Any);
                }
            }
            // It tells of what the others have written as well.
            Op::Arrive { alone: true, .. } => {
                let written =
                    |(id, touched): (&MemoryId, &Touched)| engines.shared.contains(id) && !touched.writes.is_empty();
                if state.iter().any(written) {
                    insts.push(barrier(&inst));
                    state.clear();
                }
            }
            // Whose threads meet before and after.
            Op::Warps => {
                for inner in &mut inst.regions {
                    region(inner, &mut State::new(), engines);
                }
                state.clear();
            }
            Op::Switch => {
                let before = state.clone();
                let mut after = State::new();
                for inner in &mut inst.regions {
                    let mut branch = before.clone();
                    region(inner, &mut branch, engines);
                    merge(&mut after, &branch);
                }
                *state = after;
            }
            _ => {}
        }
        if let Some((memory, way, writes)) = access(&inst) {
            if engines.meets(state, memory, way, writes) {
                insts.push(barrier(&inst));
                state.clear();
            }
            let touched = state.entry(memory).or_default();
            if writes {
                touched.writes.insert(way)
            } else {
                touched.reads.insert(way)
            };
        }
        insts.push(inst);
    }
    body.insts = insts;
}

/// A barrier before an instruction.
fn barrier(inst: &Inst) -> Inst {
    let (operands, results) = (SmallVec::new(), SmallVec::new());
    Inst { op: Op::Barrier, operands, results, regions: Vec::new(), span: inst.span }
}

impl Engines {
    /// Whether an access meets what was done before it, to the array or to another one in its bytes.
    fn meets(&self, state: &State, memory: MemoryId, way: Way, writes: bool) -> bool {
        let sharing = self.sharing.get(memory.0 as usize).map_or(&[][..], Vec::as_slice);
        let touched = |memory: &MemoryId, way: Way| state.get(memory).is_some_and(|touched| touched.meets(way, writes));
        touched(&memory, way) || sharing.iter().any(|other| touched(other, Way::Any))
    }

    /// Whether something in a region meets what was done before it.
    fn meets_inside(&self, state: &State, region: &Region) -> bool {
        let mut meets = false;
        region.walk(&mut |inst| {
            if let Some((memory, way, writes)) = access(inst) {
                meets |= self.meets(state, memory, way, writes);
            }
        });
        meets
    }
}

/// An index that is computed in a loop is another one in the next round.
fn forget_indices(inst: &Inst, state: &mut State) {
    let mut inside: HashSet<Value> = HashSet::new();
    for inner in &inst.regions {
        inside.extend(&inner.params);
        inner.walk(&mut |inst| inside.extend(&inst.results));
    }
    let forget = |ways: &mut HashSet<Way>| {
        *ways = ways
            .iter()
            .map(|way| match way {
                Way::Own(index) if inside.contains(index) => Way::Any,
                way => *way,
            })
            .collect();
    };
    for touched in state.values_mut() {
        forget(&mut touched.reads);
        forget(&mut touched.writes);
    }
}

fn merge(state: &mut State, other: &State) {
    for (&memory, touched) in other {
        let here = state.entry(memory).or_default();
        here.reads.extend(&touched.reads);
        here.writes.extend(&touched.writes);
    }
}
