//! Barriers where threads could meet in memory: before an access to an array that was accessed since the last barrier, one of
//! both times to write, unless every thread then touches what it alone has touched.
//!
//! Threads meet only inside a block, so that is all that is looked at. Loops are gone through twice, so that the end of a round
//! meets the beginning of the next.

use crate::ir::{Inst, Kernel, MemoryId, Op, Region, Value};
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

/// Inserts them.
pub fn insert(kernel: &mut Kernel) {
    let mut body = std::mem::take(&mut kernel.body);
    let mut ahead = HashSet::new();
    body.walk(&mut |inst| {
        if let Op::CopyAhead { memory, .. } = inst.op {
            ahead.insert(memory);
        }
    });
    let mut state = State::new();
    region(&mut body, &mut state, &ahead);
    kernel.body = body;
}

/// The array of an access, how, and whether it writes.
fn access(inst: &Inst) -> Option<(MemoryId, Way, bool)> {
    let way = |private: bool| if private { Way::Own(inst.operands[0]) } else { Way::Any };
    match inst.op {
        Op::Load { memory, private, .. } => Some((memory, way(private), false)),
        Op::LoadMatrix { memory, .. } => Some((memory, Way::Any, false)),
        Op::Store { memory, private, .. } => Some((memory, way(private), true)),
        Op::Atomic { memory, .. } => Some((memory, Way::Atomic, true)),
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

fn region(body: &mut Region, state: &mut State, ahead: &HashSet<MemoryId>) {
    let mut insts: Vec<Inst> = Vec::with_capacity(body.insts.len());
    for mut inst in body.insts.drain(..) {
        match &inst.op {
            Op::Barrier => state.clear(),
            Op::For | Op::While => {
                // Once before the loop is cheaper than in every round.
                if inst.regions.iter().any(|inner| meets_inside(inner, state)) {
                    insts.push(barrier(&inst));
                    state.clear();
                }
                // A round may begin after any round, or after what came before the loop.
                let before = state.clone();
                for inner in &mut inst.regions {
                    region(inner, state, ahead);
                }
                forget_indices(&inst, state);
                merge(state, &before);
                for inner in &mut inst.regions {
                    region(inner, state, ahead);
                }
                forget_indices(&inst, state);
                merge(state, &before);
            }
            // Copies land here, whoever started them.
            Op::WaitAhead(_) => {
                for &memory in ahead {
                    state.entry(memory).or_default().writes.insert(Way::Any);
                }
            }
            // Nobody may read any more what a copy is started to; that it has landed is the wait's matter.
            Op::CopyAhead { memory, .. } if state.get(memory).is_some_and(|touched| touched.meets(Way::Any, true)) => {
                insts.push(barrier(&inst));
                state.clear();
            }
            Op::Switch => {
                let before = state.clone();
                let mut after = State::new();
                for inner in &mut inst.regions {
                    let mut branch = before.clone();
                    region(inner, &mut branch, ahead);
                    merge(&mut after, &branch);
                }
                *state = after;
            }
            _ => {}
        }
        if let Some((memory, way, writes)) = access(&inst) {
            if state.get(&memory).is_some_and(|touched| touched.meets(way, writes)) {
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

/// Whether something in a region meets what was done before it.
fn meets_inside(region: &Region, state: &State) -> bool {
    let mut meets = false;
    region.walk(&mut |inst| {
        if let Some((memory, way, writes)) = access(inst) {
            meets |= state.get(&memory).is_some_and(|touched| touched.meets(way, writes));
        }
    });
    meets
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
