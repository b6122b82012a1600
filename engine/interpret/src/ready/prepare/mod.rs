//! From a tape to a kernel that is ready: where everything lies, and what computes it. What a register holds is followed through the
//! steps in their order; a load is where its Ref's elements are, as long as they stay what they are, and a copy otherwise.

mod access;
mod chains;
mod loops;

use super::{Act, Carry, From, Input, Kernel, Owned, Read, Reads, Scalar, Strides};
use crate::later::Later;
use crate::launch::LaunchPlan;
use crate::machine::Value;
use crate::memory::Memory;
use crate::numbers::Number;
use crate::tape::{Action, Block, NumberOp, Register, Source, Step};
use pallas_ir::Role;
use pallas_tensor::ops::fused::{Chain, ChainBuilder, Pair, Place as Whole, Ready};
use pallas_tensor::{DType, Shape};
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Elements of a tile that any step may have, at most: of larger ones the steps cost little beside what they compute.
const TILE: usize = 1 << 13;
/// Elements of a tile that a chain computes.
const LARGE: usize = 1 << 16;
/// Bytes of all of them.
const TILES: usize = 1 << 20;

/// The kernel of a plan, for blocks that lie as they do in memory; none where it has a step that nobody makes ready.
pub(super) fn kernel(plan: &LaunchPlan, registers: &[Value], memory: &Memory) -> Option<Kernel> {
    if !plan.is_quiet || plan.interpretation.device().is_some() || plan.interpretation.skips_floats() {
        return None;
    }
    let block = plan.tape.fused.as_ref()?;
    // Loads that have to be copies, as what they have loaded is written before it is read.
    let mut copied = HashSet::new();
    loop {
        let mut preparer = Preparer::new(plan, registers, memory, &copied)?;
        match preparer.block(block, true) {
            Some(acts) => return preparer.finish(acts),
            None if preparer.stale.is_empty() => return None,
            None => copied.extend(preparer.stale),
        }
    }
}

/// Elements that lie somewhere.
#[derive(Clone, Debug)]
struct Lying {
    from: From,
    dtype: DType,
    shape: Shape,
    strides: Strides,
    base: usize,
    moves: Option<usize>,
    /// How often what is written there had been written.
    version: u32,
}

impl Lying {
    /// All of something whose elements lie one behind the other.
    fn dense(from: From, dtype: DType, shape: &Shape) -> Lying {
        let strides = shape.strides().iter().map(|&stride| stride as isize).collect();
        Lying { from, dtype, shape: shape.clone(), strides, base: 0, moves: None, version: 0 }
    }

    /// What reads it from an element on.
    fn read(&self, first: usize) -> Read {
        Read { from: self.from, base: self.base + first, moves: self.moves }
    }
}

/// What is known of a register.
#[derive(Clone, Debug)]
enum Known {
    /// A parameter: its buffer, and all of what it shows.
    Ref(usize, Lying),
    Tile(Lying),
    Number(usize, DType),
}

struct Preparer<'a> {
    copied: &'a HashSet<Register>,
    stale: Vec<Register>,
    chains: &'a [Arc<Chain>],
    known: HashMap<Register, Known>,
    /// How often each Ref that is written has been.
    versions: Vec<u32>,
    /// In which slot what replaces it is computed.
    spares: HashMap<usize, usize>,
    kernel: Kernel,
}

impl<'a> Preparer<'a> {
    fn new(
        plan: &'a LaunchPlan,
        registers: &[Value],
        memory: &Memory,
        copied: &'a HashSet<Register>,
    ) -> Option<Preparer<'a>> {
        let kernel = Kernel {
            acts: Vec::new(),
            inputs: Vec::new(),
            owned: Vec::new(),
            slots: Vec::new(),
            constants: Vec::new(),
            numbers: Vec::new(),
            bases: 0,
        };
        let mut preparer = Preparer {
            copied,
            stale: Vec::new(),
            chains: &plan.tape.chains,
            known: HashMap::new(),
            versions: Vec::new(),
            spares: HashMap::new(),
            kernel,
        };
        for (register, constant) in &plan.tape.constants {
            let from = From::Constant(preparer.kernel.constants.len());
            preparer.known.insert(*register, Known::Tile(Lying::dense(from, constant.dtype(), constant.shape())));
            preparer.kernel.constants.push(constant.clone());
        }
        for (position, &param) in plan.tape.fused.as_ref()?.params.iter().enumerate() {
            let Value::Ref(view) = registers.get(param as usize)? else { return None };
            let (dtype, shape, is_input) = match plan.operands.get(position) {
                Some(operand) if operand.role == Role::Prefetch => {
                    (operand.blocks.dtype(), operand.blocks.array(), true)
                }
                Some(operand) => (operand.blocks.dtype(), operand.blocks.reference(), operand.role == Role::Input),
                None => {
                    let ty = plan.scratch.get(position.checked_sub(plan.operands.len())?)?;
                    (ty.dtype, &ty.shape, false)
                }
            };
            let is_whole = view.through.is_none() && view.is_whole(shape);
            if !is_whole || shape.checked_size().is_none_or(|size| size == 0) {
                return None;
            }
            let buffer = view.buffer;
            let lying = if is_input {
                let strides = match &memory.buffers.get(buffer)?.later {
                    Some(Later::Block(window)) => Some(window.layout.strides.clone()),
                    _ => None,
                };
                let lying = Lying::dense(From::Input(preparer.kernel.inputs.len()), dtype, shape);
                preparer.kernel.inputs.push(Input { buffer, shape: shape.clone(), strides: strides.clone() });
                Lying { strides: strides.unwrap_or(lying.strides), ..lying }
            } else {
                // Its place is among the first.
                let is_read = plan.operands.get(position).is_none();
                let is_apart = !is_read && shape.size() > TILE;
                let slot = match is_apart {
                    true => preparer.large_slot(dtype, &Shape::from([0]))?,
                    false => preparer.slot(dtype, shape)?,
                };
                let owned = Owned { buffer, shape: shape.clone(), is_read, operand: position, is_apart };
                preparer.kernel.owned.push(owned);
                preparer.versions.push(0);
                Lying::dense(From::Slot(slot), dtype, shape)
            };
            preparer.known.insert(param, Known::Ref(buffer, lying));
        }
        Some(preparer)
    }

    fn finish(mut self, acts: Vec<Act>) -> Option<Kernel> {
        let bytes = |&(dtype, size): &(DType, usize)| size.saturating_mul(dtype.size_bytes());
        self.kernel.acts = paired(acts);
        (self.kernel.slots.iter().map(bytes).sum::<usize>() <= TILES).then_some(self.kernel)
    }

    fn slot(&mut self, dtype: DType, shape: &Shape) -> Option<usize> {
        shape.checked_size().filter(|&size| size <= TILE)?;
        self.large_slot(dtype, shape)
    }

    /// A place for what a chain computes.
    fn large_slot(&mut self, dtype: DType, shape: &Shape) -> Option<usize> {
        let size = shape.checked_size().filter(|&size| size <= LARGE && ChainBuilder::takes(dtype))?;
        self.kernel.slots.push((dtype, size));
        Some(self.kernel.slots.len() - 1)
    }

    fn block(&mut self, block: &Block, is_outermost: bool) -> Option<Vec<Act>> {
        let mut acts = Vec::with_capacity(block.steps.len());
        for step in &block.steps {
            self.step(step, is_outermost, &mut acts)?;
        }
        Some(acts)
    }

    fn step(&mut self, step: &Step, is_outermost: bool, acts: &mut Vec<Act>) -> Option<()> {
        match &step.action {
            Action::Number(op) => self.number_step(step, *op, acts),
            Action::Element(access) => {
                let (&reference, positions) = step.operands.split_first()?;
                let (place, from, _) = self.place(step, access, (reference, positions), false)?;
                let &[register] = &step.results[..] else { return None };
                let out = self.number(register, DType::I32);
                acts.push(Act::Element { place: Box::new(place), from, out });
                Some(())
            }
            Action::Window(access) => self.load(step, access, acts),
            Action::Load(access, masking) if !masking.mask && !masking.other => self.load(step, access, acts),
            Action::Fused(fused) => self.fused(step, fused, is_outermost, acts),
            Action::Store(access, masking) if !masking.mask => {
                let (&reference, rest) = step.operands.split_first()?;
                let (&value, positions) = rest.split_first()?;
                let value = self.lying(value.register)?;
                let chain = copy(&value)?;
                self.store(step, access, (reference, positions), (&chain, &[value]), is_outermost, acts)
            }
            Action::Cond(branches) if step.results.is_empty() => {
                let which = self.scalar(step.operands.first()?.register)?;
                let branches = branches.iter().map(|branch| self.block(branch, false)).collect::<Option<_>>()?;
                acts.push(Act::Cond { which, branches });
                Some(())
            }
            Action::For(body) => self.for_step(step, body, acts),
            Action::Product(product) => self.product(step, product, acts),
            Action::ScatterAdd(scatter) => self.scatter_add(step, *scatter, acts),
            Action::Pure(pure) => self.pure(step, pure, acts),
            _ => None,
        }
    }

    fn number_step(&mut self, step: &Step, op: NumberOp, acts: &mut Vec<Act>) -> Option<()> {
        let args = step.operands.iter().map(|source| self.scalar(source.register)).collect::<Option<_>>()?;
        let &[register] = &step.results[..] else { return None };
        let out = self.number(register, op.dtype());
        acts.push(Act::Number { op, args, out });
        Some(())
    }

    /// A number for a register.
    fn number(&mut self, register: Register, dtype: DType) -> usize {
        self.kernel.numbers.push(None);
        let number = self.kernel.numbers.len() - 1;
        self.known.insert(register, Known::Number(number, dtype));
        number
    }

    /// A register as a step on numbers takes it.
    fn scalar(&mut self, register: Register) -> Option<Scalar> {
        if let Some(&Known::Number(number, _)) = self.known.get(&register) {
            return Some(Scalar::Number(number));
        }
        let lying = self.lying(register).filter(|lying| lying.shape.size() == 1)?;
        if let From::Constant(constant) = lying.from {
            return Number::at(self.kernel.constants[constant].buffer(), 0).map(Scalar::Constant);
        }
        matches!(lying.dtype, DType::I32 | DType::Bool | DType::F32).then_some(Scalar::Element(lying.read(0)))
    }

    /// Where what a register holds lies: what was loaded has to be there still.
    fn lying(&mut self, register: Register) -> Option<Lying> {
        match self.known.get(&register)? {
            Known::Ref(..) => None,
            Known::Tile(lying) => {
                let written = match lying.from {
                    From::Slot(slot) => self.versions.get(slot).copied(),
                    From::Input(_) | From::Constant(_) => None,
                };
                if written.is_some_and(|version| version != lying.version) {
                    self.stale.push(register);
                    return None;
                }
                Some(lying.clone())
            }
            &Known::Number(number, dtype) => {
                let scalar = Shape::scalar();
                let cell = match self.kernel.numbers[number] {
                    Some(cell) => cell,
                    None => {
                        let cell = self.slot(dtype, &scalar)?;
                        self.kernel.numbers[number] = Some(cell);
                        cell
                    }
                };
                Some(Lying::dense(From::Slot(cell), dtype, &scalar))
            }
        }
    }

    /// What a chain reads, if it is what it takes.
    fn operands(&mut self, chain: &Chain, sources: &[Source]) -> Option<Vec<Lying>> {
        let operands: Vec<Lying> = sources.iter().map(|source| self.lying(source.register)).collect::<Option<_>>()?;
        let fits = |(read, lying): (usize, &Lying)| chain.read_type(read) == Some((lying.dtype, &lying.shape));
        (operands.len() == chain.reads() && operands.iter().enumerate().all(fits)).then_some(operands)
    }
}

/// The acts of a kernel, of which the last two are one where they go side by side.
fn paired(mut acts: Vec<Act>) -> Vec<Act> {
    let found = match &acts[..] {
        [.., Act::Reduce { ready, reduction, keep: Some(keep), out, .. }, Act::Apart { ready: apart, reads, .. }] => {
            let only = |slot: usize| {
                let mut found = reads.iter().enumerate().filter(|(_, read)| read.from == From::Slot(slot));
                let (number, read) = found.next()?;
                (found.next().is_none() && read.base == 0 && read.moves.is_none()).then_some(number)
            };
            only(*keep).zip(only(*out)).and_then(|places| Pair::new((ready, *reduction), apart, places))
        }
        _ => None,
    };
    if let Some(pair) = found
        && let (Some(apart), Some(reduce)) = (acts.pop(), acts.pop())
    {
        acts.push(Act::Pair { reduce: Box::new(reduce), apart: Box::new(apart), pair: Box::new(pair) });
    }
    acts
}

/// A chain that computes nothing: it puts elements elsewhere.
fn copy(lying: &Lying) -> Option<Arc<Chain>> {
    let mut builder = ChainBuilder::new(lying.shape.clone());
    builder.read(lying.dtype, lying.shape.clone(), Whole::same(lying.shape.rank())).ok()?;
    builder.finish().ok().map(Arc::new)
}

/// A chain for operands that lie so.
fn ready(chain: &Arc<Chain>, operands: &[Lying], target: &[isize]) -> Option<(Box<Ready>, Reads)> {
    let arrays: SmallVec<[&[isize]; 4]> = operands.iter().map(|lying| &lying.strides[..]).collect();
    let ready = Ready::new(chain, &arrays, target)?;
    let reads = reads(&ready, operands);
    Some((Box::new(ready), reads))
}

fn reads(ready: &Ready, operands: &[Lying]) -> Reads {
    operands.iter().enumerate().map(|(read, lying)| lying.read(ready.first(read))).collect()
}

/// Has a tile go on to where it is carried.
fn carry(lying: &Lying, held: &Lying, room: usize, to: usize) -> Option<Carry> {
    let (ready, reads) = ready(&copy(lying)?, std::slice::from_ref(lying), &held.strides)?;
    Some(Carry::Tile { ready, reads, room, to })
}
