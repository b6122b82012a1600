//! From a tape to a kernel that is ready: where everything lies, and what computes it. What a register holds is followed through the
//! steps in their order; a load is where its Ref's elements are, as long as they stay what they are, and a copy otherwise.

use super::place::Place;
use super::{Act, Carry, From, Input, Kernel, Owned, Read, Reads, Scalar, Strides};
use crate::access::Access;
use crate::later::Later;
use crate::launch::LaunchPlan;
use crate::machine::Value;
use crate::memory::Memory;
use crate::numbers::Number;
use crate::tape::{Action, Block, Fused, FusedEnd, NumberOp, Pure, Register, Source, Step};
use pallas_ir::{Role, Type};
use pallas_tensor::ops::fused::{Chain, ChainBuilder, Place as Whole, Ready, Reduction};
use pallas_tensor::{DType, Shape};
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Elements of a tile, at most: of larger ones the steps cost little beside what they compute.
const TILE: usize = 1 << 13;
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
                // Its place is among the first; only what the kernel reaches gets one.
                let slot = preparer.slot(dtype, shape)?;
                let is_read = plan.operands.get(position).is_none();
                preparer.kernel.owned.push(Owned { buffer, shape: shape.clone(), is_read, operand: position });
                preparer.versions.push(0);
                Lying::dense(From::Slot(slot), dtype, shape)
            };
            preparer.known.insert(param, Known::Ref(buffer, lying));
        }
        Some(preparer)
    }

    fn finish(mut self, acts: Vec<Act>) -> Option<Kernel> {
        let bytes = |&(dtype, size): &(DType, usize)| size.saturating_mul(dtype.size_bytes());
        self.kernel.acts = acts;
        (self.kernel.slots.iter().map(bytes).sum::<usize>() <= TILES).then_some(self.kernel)
    }

    fn slot(&mut self, dtype: DType, shape: &Shape) -> Option<usize> {
        let size = shape.checked_size().filter(|&size| size <= TILE && ChainBuilder::takes(dtype))?;
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

    /// Where the subscript of a step points, in which memory, and what lies there.
    fn place(
        &mut self,
        step: &Step,
        access: &Access,
        (reference, positions): (Source, &[Source]),
        writes: bool,
    ) -> Option<(Place, From, Lying)> {
        let positions: SmallVec<[Scalar; 4]> =
            positions.iter().map(|source| self.scalar(source.register)).collect::<Option<_>>()?;
        let Some(Known::Ref(buffer, all)) = self.known.get(&reference.register).cloned() else { return None };
        let at = (step.op, step.location, writes);
        let (place, strides) = Place::new(access, &positions, (buffer, &all.shape, &all.strides), at)?;
        let version = match all.from {
            From::Slot(slot) => self.versions.get(slot).copied().unwrap_or_default(),
            From::Input(_) | From::Constant(_) => 0,
        };
        let selected = Lying { shape: access.shape.clone(), strides, version, ..all };
        Some((place, selected.from, selected))
    }

    /// A load: where it lies, or a copy.
    fn load(&mut self, step: &Step, access: &Access, acts: &mut Vec<Act>) -> Option<()> {
        let (&reference, positions) = step.operands.split_first()?;
        let (place, from, mut lying) = self.place(step, access, (reference, positions), false)?;
        let &[register] = &step.results[..] else { return None };
        if let From::Slot(slot) = from {
            self.kernel.owned.get_mut(slot)?.is_read = true;
        }
        match place.fixed() {
            Some(base) => lying.base = base,
            None => lying.moves = Some(self.find(place, acts)),
        }
        if self.copied.contains(&register) {
            let chain = copy(&lying)?;
            lying = self.tile(&chain, &[lying], acts)?;
        }
        self.known.insert(register, Known::Tile(lying));
        Some(())
    }

    /// Has it found where a part begins.
    fn find(&mut self, place: Place, acts: &mut Vec<Act>) -> usize {
        let moves = self.kernel.bases;
        self.kernel.bases += 1;
        acts.push(Act::Find { place: Box::new(place), moves });
        moves
    }

    /// Has a chain compute a tile.
    fn tile(&mut self, chain: &Arc<Chain>, operands: &[Lying], acts: &mut Vec<Act>) -> Option<Lying> {
        let out = self.slot(chain.dtype(), chain.shape())?;
        let lying = Lying::dense(From::Slot(out), chain.dtype(), chain.shape());
        let (ready, reads) = ready(chain, operands, &lying.strides)?;
        acts.push(Act::Tile { ready, reads, out, base: 0, moves: None });
        Some(lying)
    }

    /// Any other function of tiles: its operands are put together first, where they lie apart.
    fn pure(&mut self, step: &Step, pure: &Pure, acts: &mut Vec<Act>) -> Option<()> {
        let mut operands = Vec::with_capacity(step.operands.len());
        for source in &step.operands {
            let mut lying = self.lying(source.register)?;
            let dense = Lying::dense(lying.from, lying.dtype, &lying.shape);
            let is_whole = lying.strides == dense.strides && lying.base == 0 && lying.moves.is_none();
            if !is_whole || matches!(lying.from, From::Input(_)) {
                lying = self.tile(&copy(&lying)?, &[lying], acts)?;
            }
            operands.push((lying.from, lying.dtype, lying.shape));
        }
        let mut outs = Vec::with_capacity(step.results.len());
        for (&register, ty) in step.results.iter().zip(&pure.results) {
            let Type::Tensor(ty) = ty else { return None };
            let out = self.slot(ty.dtype, &ty.shape)?;
            self.known.insert(register, Known::Tile(Lying::dense(From::Slot(out), ty.dtype, &ty.shape)));
            outs.push(out);
        }
        let results = pure.results.clone();
        let pure = Pure { eval: pure.eval, attributes: pure.attributes.clone(), results };
        acts.push(Act::Pure { pure: Box::new(pure), operands, outs });
        Some(())
    }

    fn fused(&mut self, step: &Step, fused: &Fused, is_outermost: bool, acts: &mut Vec<Act>) -> Option<()> {
        let chain = self.chains.get(fused.chain)?;
        match &fused.end {
            FusedEnd::Tile => {
                let operands = self.operands(chain, &step.operands)?;
                let tile = self.tile(chain, &operands, acts)?;
                self.known.insert(*step.results.first()?, Known::Tile(tile));
                Some(())
            }
            FusedEnd::Store(access) => {
                let (&reference, rest) = step.operands.split_first()?;
                let count = access.operands().count();
                let (positions, sources) = rest.split_at_checked(count)?;
                let operands = self.operands(chain, sources)?;
                self.store(step, access, (reference, positions), (chain, &operands), is_outermost, acts)
            }
            FusedEnd::Reduce { op, sizes, keeps, shape } => {
                let operands = self.operands(chain, &step.operands)?;
                let reduction = Reduction { op: *op, sizes: *sizes, keeps: *keeps };
                let arrays: SmallVec<[&[isize]; 4]> = operands.iter().map(|lying| &lying.strides[..]).collect();
                let ready = Ready::reducing(chain, &arrays, reduction)?;
                let reads = reads(&ready, &operands);
                let out = self.slot(chain.dtype(), shape)?;
                let keep = if *keeps { Some(self.slot(chain.dtype(), chain.shape())?) } else { None };
                let mut tile = |register: Option<&Register>, slot: usize, shape: &Shape| {
                    let lying = Lying::dense(From::Slot(slot), chain.dtype(), shape);
                    self.known.insert(*register?, Known::Tile(lying));
                    Some(())
                };
                tile(step.results.first(), out, shape)?;
                if let Some(keep) = keep {
                    tile(step.results.get(1), keep, chain.shape())?;
                }
                acts.push(Act::Reduce { ready: Box::new(ready), reduction, reads, keep, out });
                Some(())
            }
        }
    }

    /// Has a chain compute what a Ref holds, or part of it.
    fn store(
        &mut self,
        step: &Step,
        access: &Access,
        at: (Source, &[Source]),
        (chain, operands): (&Arc<Chain>, &[Lying]),
        is_outermost: bool,
        acts: &mut Vec<Act>,
    ) -> Option<()> {
        let (place, from, lying) = self.place(step, access, at, true)?;
        let From::Slot(slot) = from else { return None };
        if chain.dtype() != lying.dtype || *chain.shape() != lying.shape {
            return None;
        }
        // What is read where part of it is written is computed elsewhere first.
        let meets = !access.is_full() && operands.iter().any(|operand| operand.from == from);
        let (ready, reads) = if meets {
            let tile = self.tile(chain, operands, acts)?;
            ready(&copy(&tile)?, &[tile], &lying.strides)?
        } else {
            ready(chain, operands, &lying.strides)?
        };
        if access.is_full() {
            let spare = match self.spares.get(&slot) {
                Some(&spare) => spare,
                None => {
                    let spare = self.slot(lying.dtype, &lying.shape)?;
                    self.spares.insert(slot, spare);
                    spare
                }
            };
            acts.push(Act::Whole { ready, reads, spare, out: slot, skips: is_outermost });
        } else {
            self.kernel.owned.get_mut(slot)?.is_read = true;
            let (base, moves) = match place.fixed() {
                Some(base) => (base, None),
                None => (0, Some(self.find(place, acts))),
            };
            acts.push(Act::Tile { ready, reads, out: slot, base, moves });
        }
        self.versions[slot] += 1;
        Some(())
    }

    fn for_step(&mut self, step: &Step, body: &Block, acts: &mut Vec<Act>) -> Option<()> {
        let [lower, upper, carried @ ..] = &step.operands[..] else { return None };
        let (&counter, params) = body.params.split_first()?;
        let is_counted = matches!(self.known.get(&lower.register), Some(Known::Number(_, DType::I32)))
            || self.lying(lower.register)?.dtype == DType::I32;
        let bounds = [self.scalar(lower.register)?, self.scalar(upper.register)?];
        if !is_counted || params.len() != carried.len() {
            return None;
        }
        let counter = self.number(counter, DType::I32);
        let mut begin = Vec::new();
        let mut rooms = Vec::new();
        for (&param, source) in params.iter().zip(carried) {
            let lying = self.lying(source.register)?;
            let is_number = lying.shape.rank() == 0 && matches!(lying.dtype, DType::I32 | DType::Bool | DType::F32);
            if is_number {
                let from = self.scalar(source.register)?;
                let to = self.number(param, lying.dtype);
                begin.push(Carry::Number { from, to });
                rooms.push(None);
                continue;
            }
            let (room, to) = (self.slot(lying.dtype, &lying.shape)?, self.slot(lying.dtype, &lying.shape)?);
            let held = Lying::dense(From::Slot(to), lying.dtype, &lying.shape);
            begin.push(carry(&lying, &held, room, to)?);
            self.known.insert(param, Known::Tile(held));
            rooms.push(Some(room));
        }
        // What is written in a round is not what was loaded before the loop.
        let before = self.versions.clone();
        self.written(body);
        let body_acts = self.block(body, false)?;
        let mut next = Vec::new();
        for ((&param, source), room) in params.iter().zip(&body.yields).zip(rooms) {
            let held = self.known.get(&param)?.clone();
            next.push(match (held, room) {
                (Known::Number(to, dtype), None) => {
                    if self.lying(source.register)?.dtype != dtype {
                        return None;
                    }
                    Carry::Number { from: self.scalar(source.register)?, to }
                }
                (Known::Tile(held), Some(room)) => {
                    let From::Slot(to) = held.from else { return None };
                    let lying = self.lying(source.register)?;
                    if lying.shape != held.shape || lying.dtype != held.dtype {
                        return None;
                    }
                    carry(&lying, &held, room, to)?
                }
                _ => return None,
            });
        }
        if before != self.versions {
            self.versions.iter_mut().for_each(|version| *version += 1);
        }
        for (&result, param) in step.results.iter().zip(params) {
            let held = self.known.get(param)?.clone();
            self.known.insert(result, held);
        }
        acts.push(Act::For { bounds, counter, begin, body: body_acts, next });
        Some(())
    }

    /// Counts what a block writes, wherever it does.
    fn written(&mut self, block: &Block) {
        for step in &block.steps {
            let stores = match &step.action {
                Action::Store(..) => true,
                Action::Fused(fused) => matches!(fused.end, FusedEnd::Store(_)),
                Action::For(body) => {
                    self.written(body);
                    false
                }
                Action::Cond(branches) => {
                    branches.iter().for_each(|branch| self.written(branch));
                    false
                }
                _ => false,
            };
            let reference = step.operands.first().and_then(|source| self.known.get(&source.register));
            if let (true, Some(Known::Ref(_, Lying { from: From::Slot(slot), .. }))) = (stores, reference)
                && let Some(version) = self.versions.get_mut(*slot)
            {
                *version += 1;
            }
        }
    }
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
