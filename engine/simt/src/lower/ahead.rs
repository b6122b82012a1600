//! Copies ahead: what a loop loads from an array of the launch only to put it into shared memory is copied there rounds before it
//! is needed, without registers between (`cp.async`), into slots by turns.
//!
//! With `s` slots, the copies of the first `s - 1` rounds are started before the loop. Each round waits for its own copies, starts
//! those of the round `s - 1` later, into the slot that was read the round before, and goes on as before. Rounds that do not
//! come start nothing, but their group is counted all the same, so that the number of groups under way is known. The barrier
//! between is put in with all others.
//!
//! Products of warpgroups whose sums stay in their registers all through the loop are left under way: a round waits for those of the
//! round before after it has started its own, and only then starts copies, into the slot that the round before has read.

use super::lives::{Lives, touched, touches};
use super::rewrite::{Emit, inside, is_pure, uses};
use super::timed::note;
use crate::Architecture;
use crate::ir::{Inst, Kernel, Memory, MemoryId, Op, Product, Region, Space, Ty, Value};
use crate::marks::Mark;
use pallas_ir::ops;
use pallas_tensor::DType;
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};

/// The most slots, where nobody says it.
const SLOTS: usize = 4;
/// Bytes that one copy takes: 4, 8 or 16.
const LEAST: usize = 4;

/// Registers of a thread beside those that warpgroups sum up in, and registers of each of two blocks.
const BESIDE_SUMS: usize = 48;
const FOR_TWO: usize = 1 << 15;
/// The most products that a round leaves under way.
const UNDER_WAY: usize = 3;

/// Registers of a thread that warpgroups sum up in.
fn sums(kernel: &Kernel) -> usize {
    kernel.memories().filter(|(_, memory)| memory.space == Space::Registers).map(|(_, memory)| memory.len).sum()
}

/// Makes copies of loads, as far as shared memory has room for slots, of which somebody may want a number.
pub(crate) fn copy(kernel: &mut Kernel, architecture: Architecture, wanted: Option<usize>) {
    let mut body = std::mem::take(&mut kernel.body);
    let mut counts = HashMap::new();
    uses(&body, &mut counts);
    let mut counted: HashMap<MemoryId, usize> = HashMap::new();
    body.walk(&mut |inst| {
        for memory in touched(&inst.op) {
            *counted.entry(memory).or_default() += 1;
        }
    });
    let lives = Lives::of(&body);
    // Half, so that two blocks fit a multiprocessor, if there are registers for two.
    let alone = wanted.is_some() || sums(kernel) + BESIDE_SUMS > FOR_TWO / kernel.threads as usize;
    let room = if alone { architecture.shared_bytes } else { architecture.shared_bytes / 2 };
    let most = wanted.unwrap_or(SLOTS);
    let mut pass = Pass { kernel, counts, touched: counted, lives, room, most };
    pass.loops(&mut body);
    kernel.body = body;
}

/// A load and the store that it goes to, by their places in the loop's body.
#[derive(Clone, Debug)]
struct Pair {
    load: usize,
    store: usize,
    from: MemoryId,
    to: MemoryId,
    /// Registers of one copy.
    vector: u32,
}

struct Pass<'a> {
    kernel: &'a mut Kernel,
    counts: HashMap<Value, usize>,
    /// How many instructions touch an array.
    touched: HashMap<MemoryId, usize>,
    /// When arrays were needed before the pass.
    lives: Lives,
    /// Bytes of shared memory for slots, and what is needed beside them.
    room: usize,
    /// The most slots.
    most: usize,
}

impl Pass<'_> {
    fn loops(&mut self, region: &mut Region) {
        let mut insts: Vec<Inst> = Vec::with_capacity(region.insts.len());
        for mut inst in region.insts.drain(..) {
            for inner in &mut inst.regions {
                self.loops(inner);
            }
            if inst.op == Op::For && self.kernel.ty(inst.regions[0].params[0]).dtype == DType::I32 {
                self.ahead(&mut inst, &mut insts);
            }
            insts.push(inst);
        }
        region.insts = insts;
    }

    /// Bytes of shared memory that are needed while a loop runs, without what it copies.
    fn beside(&self, inst: &Inst, pairs: &[Pair]) -> usize {
        let beside = |&(id, memory): &(MemoryId, &Memory)| {
            memory.space == Space::Shared
                && pairs.iter().all(|pair| pair.to != id)
                && (touches(inst, id) || pairs.iter().any(|pair| self.lives.meet(id, pair.to)))
        };
        self.kernel.memories().filter(beside).map(|(id, _)| self.kernel.bytes(id)).sum()
    }

    /// The loads of a loop that can be copies.
    fn pairs(&self, inst: &Inst) -> Vec<Pair> {
        let body = &inst.regions[0];
        let inner = inside(inst);
        let mut pairs = Vec::new();
        for (load, from) in body.insts.iter().enumerate() {
            let &Op::Load { memory: source, masked: false, vector, .. } = &from.op else { continue };
            if !matches!(self.kernel.memory(source).space, Space::Operand { constant: true, .. })
                || self.counts.get(&from.results[0]) != Some(&1)
            {
                continue;
            }
            let rest = body.insts.iter().enumerate().skip(load + 1);
            let Some((store, to)) = rest.into_iter().find(|(_, to)| to.operands.contains(&from.results[0])) else {
                continue;
            };
            let &Op::Store { memory: target, masked, vector: wide, private } = &to.op else { continue };
            let mask = masked.then(|| to.operands[2]);
            let vector = vector.min(wide);
            let bytes = vector as usize * self.kernel.memory(target).dtype.size_bytes();
            // Every other instruction that touches the array reads it, later in the same round.
            let reads = body.insts[store + 1..].iter().map(|inst| reads(inst, target)).sum::<usize>();
            let fits = to.operands[1] == from.results[0]
                && self.kernel.memory(target).space == Space::Shared
                && bytes >= LEAST
                && self.touched.get(&target) == Some(&(reads + 1))
                && (private || masked)
                && !inner.contains(&to.operands[0])
                && mask.is_none_or(|mask| !inner.contains(&mask))
                && slice(body, from.operands[0], &inner).is_some();
            if fits {
                pairs.push(Pair { load, store, from: source, to: target, vector });
            }
        }
        pairs
    }

    fn ahead(&mut self, inst: &mut Inst, before: &mut Vec<Inst>) {
        let pairs = self.pairs(inst);
        let bytes: usize = pairs.iter().map(|pair| self.kernel.bytes(pair.to)).sum();
        if pairs.is_empty() {
            return;
        }
        let slots = (self.room.saturating_sub(self.beside(inst, &pairs)) / bytes.max(1)).min(self.most);
        if slots < 2 {
            return;
        }
        let lens: Vec<i64> = pairs.iter().map(|pair| self.kernel.memory(pair.to).len as i64).collect();
        for pair in &pairs {
            self.kernel.memories[pair.to.0 as usize].len *= slots;
        }
        let (lower, upper) = (inst.operands[0], inst.operands[1]);
        let inner = inside(inst);
        let body = &mut inst.regions[0];
        let counter = body.params[0];
        let span = inst.span;
        let mut insts = Vec::new();
        // Before the loop, rounds one after the other.
        for round in 0..slots as i64 - 1 {
            let mut emit = Emit { kernel: self.kernel, insts: before, span };
            let number = emit.int(round, 1);
            let at = emit.binary(&ops::ADD, lower, number);
            start(&mut emit, body, &inner, &pairs, &lens, (at, upper, number));
        }
        // In every round: which slot is read, and which is filled.
        let left = left_under_way(body, &pairs);
        let panels = body.insts.iter().any(|inst| multiplies(inst, &pairs));
        let mut emit = Emit { kernel: self.kernel, insts: &mut insts, span };
        let pending = (slots - 2) as u32;
        let timed = !emit.kernel.marks.is_empty();
        if timed {
            let zero = emit.int(0, 1);
            note(&mut emit, Mark::Wait, zero, zero);
        }
        emit.add(Op::WaitAhead(pending), &[], None);
        if panels {
            emit.add(Op::Publish, &[], None);
        }
        let (count, all) = (emit.int(slots as i64 - 1, 1), emit.int(slots as i64, 1));
        let round = emit.binary(&ops::SUB, counter, lower);
        let slot = emit.binary(&ops::REM, round, all);
        if timed {
            note(&mut emit, Mark::Arrived { ring: counter.0 }, counter, slot);
        }
        let later = emit.binary(&ops::ADD, round, count);
        let next = emit.binary(&ops::REM, later, all);
        let at = emit.binary(&ops::ADD, counter, count);
        let mut started = Vec::new();
        let mut emit = Emit { kernel: self.kernel, insts: &mut started, span };
        start(&mut emit, body, &inner, &pairs, &lens, (at, upper, next));
        if left.is_none() {
            insts.append(&mut started);
        }
        let is_left = |inst: &Inst| left.is_some() && matches!(inst.op, Op::WaitProducts(_));
        // What told engines of what was stored goes with it.
        let told = |store: usize| body.insts.get(store + 1).is_some_and(|inst| inst.op == Op::Publish);
        let mut gone: HashSet<usize> = pairs.iter().flat_map(|pair| [pair.load, pair.store]).collect();
        gone.extend(pairs.iter().map(|pair| pair.store).filter(|&store| told(store)).map(|store| store + 1));
        for (position, mut inst) in body.insts.drain(..).enumerate() {
            if gone.contains(&position) || is_left(&inst) {
                continue;
            }
            let slots = pairs.iter().zip(&lens).map(|(pair, &len)| (pair.to, len)).collect::<Vec<_>>();
            let mut emit = Emit { kernel: self.kernel, insts: &mut insts, span: inst.span };
            shift(&mut emit, &mut inst, &slots, slot);
            insts.push(inst);
        }
        if let Some(count) = left {
            let mut emit = Emit { kernel: self.kernel, insts: &mut insts, span };
            emit.add(Op::WaitProducts(count), &[], None);
            insts.append(&mut started);
        }
        body.insts = insts;
    }
}

/// Whether an instruction multiplies what is copied ahead by warpgroups.
fn multiplies(inst: &Inst, pairs: &[Pair]) -> bool {
    let own = matches!(&inst.op, Op::Multiply(product) if product.factors().any(|id| pairs.iter().any(|p| p.to == id)));
    own || inst.regions.iter().flat_map(|region| &region.insts).any(|inst| multiplies(inst, pairs))
}

/// How many products a round may leave under way, if it may: nothing else in the loop touches the registers that they sum up in, and
/// nothing but copies writes what they read.
fn left_under_way(body: &Region, pairs: &[Pair]) -> Option<u32> {
    let own = |inst: &Inst| match inst.op {
        Op::Multiply(product) => Some(product),
        _ => None,
    };
    let products: Vec<Product> = body.insts.iter().filter_map(own).collect();
    let mut count = 0;
    let mut fits = (1..=UNDER_WAY).contains(&products.len()) && products.iter().all(|product| product.left.is_some());
    body.walk(&mut |inst| match inst.op {
        Op::Multiply(_) => count += 1,
        Op::Take(_) | Op::Keep(_) => fits = false,
        Op::Store { memory, .. } | Op::Atomic { memory, .. } | Op::CopyAhead { memory, .. } => {
            let read = products.iter().any(|product| product.factors().any(|factor| factor == memory));
            fits &= !read || pairs.iter().any(|pair| pair.to == memory);
        }
        _ => {}
    });
    (fits && count == products.len()).then_some(count as u32)
}

/// How often an instruction reads an array, those inside of it included; nothing else may touch it.
fn reads(inst: &Inst, array: MemoryId) -> usize {
    let own = match inst.op {
        Op::Load { memory, .. } | Op::LoadMatrix { memory, .. } => memory == array,
        Op::Multiply(product) => product.factors().any(|factor| factor == array),
        _ => false,
    };
    let own = usize::from(own);
    let inner = inst.regions.iter().flat_map(|region| &region.insts).map(|inst| reads(inst, array));
    own + inner.sum::<usize>()
}

/// What an index is computed from inside of a loop, in order; `None` if it cannot be computed for another round.
fn slice(body: &Region, index: Value, inner: &HashSet<Value>) -> Option<Vec<usize>> {
    let mut wanted: Vec<Value> = vec![index];
    let mut taken: HashSet<usize> = HashSet::new();
    while let Some(value) = wanted.pop() {
        if !inner.contains(&value) || value == body.params[0] {
            continue;
        }
        let position = body.insts.iter().position(|inst| inst.results.contains(&value))?;
        let inst = &body.insts[position];
        if !is_pure(&inst.op) {
            return None;
        }
        if taken.insert(position) {
            wanted.extend(&inst.operands);
        }
    }
    let mut positions: Vec<usize> = taken.into_iter().collect();
    positions.sort_unstable();
    Some(positions)
}

/// Starts the copies of one round into a slot, unless the round does not come, and ends their group.
fn start(
    emit: &mut Emit<'_>,
    body: &Region,
    inner: &HashSet<Value>,
    pairs: &[Pair],
    lens: &[i64],
    (round, upper, slot): (Value, Value, Value),
) {
    let comes = emit.binary(&ops::LT, round, upper);
    for (pair, &len) in pairs.iter().zip(lens) {
        let index = body.insts[pair.load].operands[0];
        let mut renamed: HashMap<Value, Value> = HashMap::from([(body.params[0], round)]);
        // That it can be computed was seen before.
        for position in slice(body, index, inner).unwrap_or_default() {
            let inst = &body.insts[position];
            let operands: SmallVec<[Value; 4]> =
                inst.operands.iter().map(|value| renamed.get(value).copied().unwrap_or(*value)).collect();
            let ty: Ty = emit.kernel.ty(inst.results[0]);
            if let Some(result) = emit.add(inst.op.clone(), &operands, Some(ty)) {
                renamed.insert(inst.results[0], result);
            }
        }
        let from = renamed.get(&index).copied().unwrap_or(index);
        let to = body.insts[pair.store].operands[0];
        let to = in_slot(emit, to, len, slot);
        let regs = emit.kernel.ty(to).regs;
        let (from, mut mask) = (emit.splat(from, regs), emit.splat(comes, regs));
        if let Some(&once) = body.insts[pair.store].operands.get(2) {
            mask = emit.binary(&ops::AND, mask, once);
        }
        let op = Op::CopyAhead { from: pair.from, memory: pair.to, vector: pair.vector };
        emit.add(op, &[from, to, mask], None);
    }
    emit.add(Op::CommitAhead, &[], None);
    if !emit.kernel.marks.is_empty() {
        let bytes = |pair: &Pair, len: i64| len as u64 * emit.kernel.memory(pair.to).dtype.size_bytes() as u64;
        let from = pairs.iter().zip(lens).map(|(pair, &len)| (pair.from, bytes(pair, len))).collect();
        let none = emit.int(-1, 1);
        let number = emit.select(comes, round, none);
        note(emit, Mark::Start { ring: body.params[0].0, from }, number, slot);
    }
}

/// An index in a slot.
fn in_slot(emit: &mut Emit<'_>, index: Value, len: i64, slot: Value) -> Value {
    let len = emit.int(len, 1);
    let far = emit.binary(&ops::MUL, slot, len);
    emit.binary(&ops::ADD, index, far)
}

/// Reads of slotted arrays go to a slot.
fn shift(emit: &mut Emit<'_>, inst: &mut Inst, slots: &[(MemoryId, i64)], slot: Value) {
    let indices = match inst.op {
        Op::Multiply(product) => vec![product.left.map(|left| left.memory), Some(product.right.memory)],
        _ => vec![touched(&inst.op).first().copied()],
    };
    for (operand, memory) in indices.into_iter().enumerate() {
        if let Some(&(_, len)) = slots.iter().find(|(other, _)| Some(*other) == memory) {
            inst.operands[operand] = in_slot(emit, inst.operands[operand], len, slot);
        }
    }
    for region in &mut inst.regions {
        let mut insts = Vec::with_capacity(region.insts.len());
        for mut inner in region.insts.drain(..) {
            let mut emit = Emit { kernel: emit.kernel, insts: &mut insts, span: inner.span };
            shift(&mut emit, &mut inner, slots, slot);
            insts.push(inner);
        }
        region.insts = insts;
    }
}
