//! Memory that is kept in registers: where a loop loads and stores an array at one place only, which each thread has for itself, it
//! is loaded before the loop, carried round, and stored after it. So accumulators stay where products are summed up. After that,
//! what a thread has just stored it need not load.

use super::rewrite::{Emit, inside, substitute};
use crate::ir::{Inst, Kernel, MemoryId, Op, Region, Space, Ty, Value};
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};

/// Keeps what can be kept.
pub(crate) fn promote(kernel: &mut Kernel) {
    let mut body = std::mem::take(&mut kernel.body);
    let mut pass = Pass { kernel, replaced: HashMap::new() };
    pass.loops(&mut body);
    pass.forward(&mut body);
    let replaced = pass.replaced;
    substitute(&mut body, &replaced);
    kernel.body = body;
}

/// How all accesses of a loop to an array look.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    index: Value,
    mask: Option<Value>,
    other: Option<Value>,
}

struct Pass<'a> {
    kernel: &'a mut Kernel,
    /// Values that became others.
    replaced: HashMap<Value, Value>,
}

impl Pass<'_> {
    fn loops(&mut self, region: &mut Region) {
        let mut insts: Vec<Inst> = Vec::with_capacity(region.insts.len());
        for mut inst in region.insts.drain(..) {
            let mut after = Vec::new();
            if inst.op == Op::For {
                for (memory, place) in self.places(&inst) {
                    after.push(self.carry(&mut inst, memory, &place, &mut insts));
                }
            }
            for inner in &mut inst.regions {
                self.loops(inner);
            }
            insts.push(inst);
            insts.extend(after);
        }
        region.insts = insts;
    }

    /// Arrays that a loop loads and stores at one place, which is known before it.
    fn places(&self, inst: &Inst) -> Vec<(MemoryId, Place)> {
        let inner: HashSet<Value> = inside(inst);
        let mut found: Vec<(MemoryId, Option<Place>, [bool; 2])> = Vec::new();
        let mut note = |memory: MemoryId, place: Option<Place>, stores: bool| {
            let position = found.iter().position(|(other, ..)| *other == memory).unwrap_or_else(|| {
                found.push((memory, place.clone(), [false; 2]));
                found.len() - 1
            });
            let (_, known, seen) = &mut found[position];
            seen[usize::from(stores)] = true;
            // A store says nothing of what is read where nothing is.
            let same = match (&*known, &place) {
                (Some(a), Some(b)) => {
                    a.index == b.index && a.mask == b.mask && (stores || a.other.is_none() || a.other == b.other)
                }
                _ => false,
            };
            if !same {
                *known = None;
            } else if let (Some(known), Some(place)) = (known, place) {
                known.other = known.other.or(place.other);
            }
        };
        let mut whole = true;
        for region in &inst.regions {
            region.walk(&mut |inst| match inst.op {
                Op::Load { memory, masked, other, private, .. } => {
                    let place = Place {
                        index: inst.operands[0],
                        mask: masked.then(|| inst.operands[1]),
                        other: other.then(|| inst.operands[2]),
                    };
                    // Where nothing is, everything but a number that is given would be new.
                    note(memory, Some(place).filter(|_| private && masked == other), false);
                }
                Op::Store { memory, masked, private, .. } => {
                    let mask = masked.then(|| inst.operands[2]);
                    let place = Place { index: inst.operands[0], mask, other: None };
                    note(memory, Some(place).filter(|_| private), true);
                }
                Op::Atomic { memory, .. } | Op::LoadMatrix { memory, .. } => note(memory, None, true),
                Op::While => whole = false,
                _ => {}
            });
        }
        let before = |value: Option<Value>| value.is_none_or(|value| !inner.contains(&value));
        found
            .into_iter()
            .filter(|(memory, _, seen)| whole && seen[0] && seen[1] && self.is_own(*memory))
            .filter_map(|(memory, place, _)| Some((memory, place?)))
            .filter(|(_, place)| before(Some(place.index)) && before(place.mask) && before(place.other))
            .collect()
    }

    fn is_own(&self, memory: MemoryId) -> bool {
        !matches!(self.kernel.memory(memory).space, Space::Constant(_))
    }

    fn ty(&self, memory: MemoryId, place: &Place) -> Ty {
        Ty { dtype: self.kernel.memory(memory).dtype, regs: self.kernel.ty(place.index).regs }
    }

    fn value(&mut self, ty: Ty) -> Value {
        self.kernel.values.push(ty);
        Value(self.kernel.values.len() as u32 - 1)
    }

    /// Carries an array through a loop: the load before goes to `before`, the store after is returned.
    fn carry(&mut self, inst: &mut Inst, memory: MemoryId, place: &Place, before: &mut Vec<Inst>) -> Inst {
        let ty = self.ty(memory, place);
        let first = self.value(ty);
        let masked = place.mask.is_some();
        let operands: SmallVec<[Value; 4]> = [place.index].into_iter().chain(place.mask).chain(place.other).collect();
        let load = Op::Load { memory, masked, other: place.other.is_some(), private: true, vector: 1 };
        before.push(Inst {
            op: load,
            operands,
            results: [first].into_iter().collect(),
            regions: Vec::new(),
            span: inst.span,
        });
        let last = self.through(inst, memory, place, first);
        let operands = [place.index, last].into_iter().chain(place.mask).collect();
        let store = Op::Store { memory, masked, private: true, vector: 1 };
        Inst { op: store, operands, results: SmallVec::new(), regions: Vec::new(), span: inst.span }
    }

    /// A loop that carries an array, from what it holds before to what it holds after.
    fn through(&mut self, inst: &mut Inst, memory: MemoryId, place: &Place, first: Value) -> Value {
        let ty = self.ty(memory, place);
        let (param, result) = (self.value(ty), self.value(ty));
        inst.operands.push(first);
        inst.results.push(result);
        let body = &mut inst.regions[0];
        body.params.push(param);
        let last = self.rewrite(body, memory, place, param);
        inst.regions[0].yields.push(last);
        result
    }

    /// A region without its accesses to an array, from what that holds before to what it holds after.
    fn rewrite(&mut self, region: &mut Region, memory: MemoryId, place: &Place, mut held: Value) -> Value {
        let mut insts: Vec<Inst> = Vec::with_capacity(region.insts.len());
        for mut inst in region.insts.drain(..) {
            match inst.op {
                Op::Load { memory: other, .. } if other == memory => {
                    self.replaced.insert(inst.results[0], held);
                    continue;
                }
                Op::Store { memory: other, .. } if other == memory => {
                    held = inst.operands[1];
                    if let (Some(mask), Some(other)) = (place.mask, place.other) {
                        let mut emit = Emit { kernel: self.kernel, insts: &mut insts, span: inst.span };
                        held = emit.select(mask, held, other);
                    }
                    continue;
                }
                Op::For if touches(&inst, memory) => held = self.through(&mut inst, memory, place, held),
                Op::Switch if touches(&inst, memory) => {
                    let ty = self.ty(memory, place);
                    for inner in &mut inst.regions {
                        let last = self.rewrite(inner, memory, place, held);
                        inner.yields.push(last);
                    }
                    held = self.value(ty);
                    inst.results.push(held);
                }
                _ => {}
            }
            insts.push(inst);
        }
        region.insts = insts;
        held
    }

    /// Loads of what the same thread has stored at the same place, with nothing between.
    fn forward(&mut self, region: &mut Region) {
        let mut known: HashMap<MemoryId, (Value, Option<Value>, Value)> = HashMap::new();
        let mut insts: Vec<Inst> = Vec::with_capacity(region.insts.len());
        for mut inst in region.insts.drain(..) {
            for inner in &mut inst.regions {
                self.forward(inner);
                inner.walk(&mut |inst| {
                    if let Some(memory) = written(inst) {
                        known.remove(&memory);
                    }
                });
            }
            match inst.op {
                Op::Store { memory, masked, private, .. } => {
                    let mask = masked.then(|| inst.operands[2]);
                    match private {
                        true => known.insert(memory, (inst.operands[0], mask, inst.operands[1])),
                        false => known.remove(&memory),
                    };
                }
                Op::Load { memory, masked: false, private: true, .. } => {
                    if let Some(&(index, None, value)) = known.get(&memory)
                        && index == inst.operands[0]
                    {
                        self.replaced.insert(inst.results[0], value);
                        continue;
                    }
                }
                _ => {
                    if let Some(memory) = written(&inst) {
                        known.remove(&memory);
                    }
                }
            }
            insts.push(inst);
        }
        region.insts = insts;
    }
}

fn touches(inst: &Inst, memory: MemoryId) -> bool {
    let mut found = false;
    for region in &inst.regions {
        region.walk(&mut |inst| {
            found |= matches!(inst.op, Op::Load { memory: other, .. } | Op::Store { memory: other, .. } if other == memory);
        });
    }
    found
}

/// What an instruction writes.
fn written(inst: &Inst) -> Option<MemoryId> {
    match inst.op {
        Op::Store { memory, .. } | Op::Atomic { memory, .. } => Some(memory),
        _ => None,
    }
}
