//! Runs a kernel's semaphores, program after program: integers that follow from program ids, loop counters and constants
//! are computed, everything else is unknown. What happens under a condition that is not known is not followed: the
//! semaphores that appear there are given up.

use super::{Mismatch, Problem};
use crate::refs::origin;
use crate::walk::Sources;
use pallas_ir::known::{self, Known};
use pallas_ir::op::ProgramOp;
use pallas_ir::{
    ControlOp, CopyOp, DimIndex, Function, IndexOperand, Launch, MemorySpace, OpData, OpId, OpKind, Position, RegionId,
    SemaphoreOp, Type, ValueId,
};
use pallas_tensor::{Array, DType, Scalar, Shape};
use smallvec::SmallVec;
use std::collections::HashMap;

/// Ops that are looked at.
const FUEL: usize = 200_000;

/// Why it goes no further.
enum Stop {
    /// Too much to do.
    Fuel,
    /// A wait in vain.
    Deadlock,
}

/// Semaphores that were asked for at once.
struct Buffer {
    counts: Vec<i64>,
    shape: Shape,
    /// Who signalled each last.
    last: Vec<Option<OpId>>,
    /// Nothing certain is known of them any more.
    given_up: bool,
    name: String,
}

/// A Ref to some of them.
#[derive(Clone)]
struct Part {
    buffer: usize,
    /// For each dimension of the buffer where the part begins, and whether it is one position.
    dims: Vec<(usize, bool)>,
}

pub(super) struct Machine<'a> {
    launch: &'a Launch,
    function: &'a Function,
    sources: Sources,
    values: Vec<Option<Known>>,
    parts: HashMap<ValueId, Part>,
    /// Of views whose length is computed along some dimensions how long they are, where that is known.
    lengths: HashMap<ValueId, SmallVec<[i64; 2]>>,
    buffers: Vec<Buffer>,
    /// Whether a region or one inside touches semaphores.
    touches: HashMap<RegionId, bool>,
    program: Vec<usize>,
    fuel: usize,
    problems: Vec<Problem>,
}

impl<'a> Machine<'a> {
    pub(super) fn new(launch: &'a Launch) -> Machine<'a> {
        let function = &launch.kernel;
        Machine {
            launch,
            function,
            sources: Sources::new(function),
            values: vec![None; function.values.len()],
            parts: HashMap::new(),
            lengths: HashMap::new(),
            buffers: Vec::new(),
            touches: HashMap::new(),
            program: Vec::new(),
            fuel: FUEL,
            problems: Vec::new(),
        }
    }

    pub(super) fn run(mut self) -> Vec<Problem> {
        let params = self.function.params().to_vec();
        for &param in params.iter().skip(self.launch.operands.len()) {
            self.allocate(param);
        }
        for number in 0..self.launch.programs() {
            self.program = self.launch.program(number);
            if self.region(self.function.body).is_err() {
                return self.problems;
            }
        }
        self.program.clear();
        self.left_over(0);
        self.problems
    }

    /// Gives a parameter its semaphores, if it is for some.
    fn allocate(&mut self, param: ValueId) {
        let value = self.function.value(param);
        let Type::Ref(ty) = &value.ty else { return };
        let count = ty.shape.size();
        if !ty.space.is_semaphore() || count > FUEL {
            return;
        }
        self.buffers.push(Buffer {
            counts: vec![0; count],
            shape: ty.shape.clone(),
            last: vec![None; count],
            given_up: false,
            name: value.name.as_deref().unwrap_or("a semaphore").to_string(),
        });
        let dims = vec![(0, false); ty.shape.rank()];
        self.parts.insert(param, Part { buffer: self.buffers.len() - 1, dims });
    }

    /// Reports semaphores above zero among the buffers from `first` on.
    fn left_over(&mut self, first: usize) {
        for buffer in self.buffers.iter().skip(first).filter(|buffer| !buffer.given_up) {
            for (&count, last) in buffer.counts.iter().zip(&buffer.last) {
                let (Some(op), true) = (*last, count > 0) else { continue };
                let mismatch = match self.function.op(op).op.kind {
                    OpKind::Copy(_) => Mismatch::CopyLeft(count),
                    _ => Mismatch::Left(count),
                };
                let (name, program) = (buffer.shown(), self.program.clone());
                self.problems.push(Problem { mismatch, name, op, program });
            }
        }
    }

    fn region(&mut self, region: RegionId) -> Result<(), Stop> {
        for &op in &self.function.region(region).ops {
            self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Fuel)?;
            self.op(op)?;
        }
        Ok(())
    }

    fn op(&mut self, id: OpId) -> Result<(), Stop> {
        let op = self.function.op(id);
        match &op.op.kind {
            OpKind::Pure { .. } => {
                let known: Option<SmallVec<[&Known; 4]>> =
                    op.operands.iter().map(|value| self.values[value.0 as usize].as_ref()).collect();
                let scalar = op.results.first().is_some_and(|&result| self.function.ty(result).shape().is_empty());
                let result = known.filter(|_| scalar).and_then(|known| known::apply(self.function, op, &known));
                self.set(op, 0, result);
            }
            OpKind::Program(question) => {
                let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok()).unwrap_or(usize::MAX);
                let number = match question {
                    ProgramOp::ProgramId => self.program.get(axis),
                    ProgramOp::NumPrograms => self.launch.grid.get(axis),
                };
                let number = number.map(|&number| exactly(number as i64));
                self.set(op, 0, number);
            }
            OpKind::Memory(_) => self.view(op),
            OpKind::Copy(CopyOp::Start) => {
                let semaphore = op.operands.get(2);
                let counts_copies = semaphore.and_then(|&value| self.function.ty(value).as_ref_type());
                let counts_copies = counts_copies.is_some_and(|ty| ty.space != MemorySpace::DmaSemaphore);
                let bytes = self.bytes(op, 1);
                let amount = if counts_copies { bytes.map(|bytes| i64::from(bytes > 0)) } else { bytes };
                self.signal(id, semaphore, amount);
            }
            OpKind::Copy(CopyOp::Wait) => {
                let wanted = self.bytes(op, 1);
                self.wait(id, op.operands.get(2), wanted, true)?;
            }
            OpKind::Semaphore(SemaphoreOp::Signal) => {
                let amount = self.number(op.operands.get(1));
                self.signal(id, op.operands.first(), amount);
            }
            OpKind::Semaphore(SemaphoreOp::Wait) => {
                let wanted = self.number(op.operands.get(1));
                self.wait(id, op.operands.first(), wanted, !op.attributes.flag("keep"))?;
            }
            OpKind::Semaphore(SemaphoreOp::Read) => {
                let place = op.operands.first().and_then(|reference| self.place(*reference));
                let count = place.filter(|&(buffer, _)| !self.buffers[buffer].given_up);
                let count = count.map(|(buffer, element)| exactly(self.buffers[buffer].counts[element]));
                self.set(op, 0, count);
            }
            OpKind::Control(control) => self.control(op, *control)?,
            _ => self.forget(op),
        }
        Ok(())
    }

    fn control(&mut self, op: &OpData, control: ControlOp) -> Result<(), Stop> {
        match control {
            ControlOp::Cond => {
                let which = op.operands.first().and_then(|value| self.values[value.0 as usize].as_ref());
                let which = which.and_then(|known| known.interval().value());
                match which {
                    Some(which) => {
                        let last = op.regions.len().saturating_sub(1) as i64;
                        let region = op.regions[which.clamp(0, last) as usize];
                        self.region(region)?;
                        self.take_yields(op, region);
                    }
                    None => self.give_up(op),
                }
            }
            ControlOp::Scoped => {
                let region = op.regions[0];
                let first = self.buffers.len();
                for &param in &self.function.region(region).params {
                    self.allocate(param);
                }
                self.region(region)?;
                self.take_yields(op, region);
                self.left_over(first);
                self.buffers.truncate(first);
            }
            ControlOp::For => {
                let bounds = (self.number(op.operands.first()), self.number(op.operands.get(1)));
                let region = op.regions[0];
                match bounds {
                    (Some(lower), Some(upper)) if self.touches(region) => self.count(op, region, lower, upper)?,
                    _ => self.give_up(op),
                }
            }
            _ => self.give_up(op),
        }
        Ok(())
    }

    /// A `for` with known bounds.
    fn count(&mut self, op: &OpData, region: RegionId, lower: i64, upper: i64) -> Result<(), Stop> {
        let data = self.function.region(region);
        let mut carries: Vec<Option<Known>> =
            op.operands[2..].iter().map(|value| self.values[value.0 as usize].clone()).collect();
        let Some((&counter, params)) = data.params.split_first() else { return Ok(()) };
        let dtype = self.function.ty(counter).dtype();
        for number in lower..upper {
            self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Fuel)?;
            self.values[counter.0 as usize] = Some(number_of(dtype, number));
            for (&param, carry) in params.iter().zip(carries) {
                self.values[param.0 as usize] = carry;
            }
            self.region(region)?;
            carries = data.yields.iter().map(|value| self.values[value.0 as usize].clone()).collect();
        }
        for (position, carry) in carries.into_iter().enumerate() {
            self.set(op, position, carry);
        }
        Ok(())
    }

    fn take_yields(&mut self, op: &OpData, region: RegionId) {
        for (position, &value) in self.function.region(region).yields.iter().enumerate() {
            let known = self.values[value.0 as usize].clone();
            self.set(op, position, known);
        }
    }

    /// Gives up on the semaphores that appear in an op's regions, and on its results.
    fn give_up(&mut self, op: &OpData) {
        for &region in &op.regions {
            self.give_up_region(region);
        }
        self.forget(op);
    }

    fn give_up_region(&mut self, region: RegionId) {
        for &id in &self.function.region(region).ops {
            let op = self.function.op(id);
            for &operand in &op.operands {
                let is_semaphore = self.function.ty(operand).as_ref_type().is_some_and(|ty| ty.space.is_semaphore());
                if is_semaphore
                    && let Some(origin) = origin(self.function, &self.sources, operand)
                    && let Some(part) = self.parts.get(&origin.value)
                    && let Some(buffer) = self.buffers.get_mut(part.buffer)
                {
                    buffer.given_up = true;
                }
            }
            for &inner in &op.regions {
                self.give_up_region(inner);
            }
        }
    }

    /// Whether a region or one inside has copies or semaphores.
    fn touches(&mut self, region: RegionId) -> bool {
        if let Some(&known) = self.touches.get(&region) {
            return known;
        }
        let ops = &self.function.region(region).ops;
        let found = ops.iter().any(|&id| {
            let op = self.function.op(id);
            matches!(op.op.kind, OpKind::Copy(_) | OpKind::Semaphore(_))
                || op.regions.iter().any(|&inner| self.touches(inner))
        });
        self.touches.insert(region, found);
        found
    }

    fn set(&mut self, op: &OpData, position: usize, known: Option<Known>) {
        if let Some(result) = op.results.get(position) {
            self.values[result.0 as usize] = known;
        }
    }

    fn forget(&mut self, op: &OpData) {
        for position in 0..op.results.len() {
            self.set(op, position, None);
        }
    }

    fn number(&self, value: Option<&ValueId>) -> Option<i64> {
        let known = self.values[value?.0 as usize].as_ref()?;
        known.interval().value()
    }

    /// Bytes of what an operand shows; `None` where it is a part of computed length that is not known.
    fn bytes(&self, op: &OpData, operand: usize) -> Option<i64> {
        let value = *op.operands.get(operand)?;
        let ty = self.function.ty(value).as_ref_type()?;
        let mut shape = ty.shape.to_vec();
        for (position, &axis) in ty.bounded.iter().enumerate() {
            shape[axis] = usize::try_from(*self.lengths.get(&value)?.get(position)?).unwrap_or(0);
        }
        let bytes = Shape::from(shape).size().saturating_mul(ty.dtype.size_bytes());
        Some(i64::try_from(bytes).unwrap_or(i64::MAX))
    }

    /// How long the parts of a view are along the dimensions where that is computed, if all of it is known.
    fn note_lengths(&mut self, op: &OpData, result: ValueId) {
        let operands = op.attributes.index().into_iter().flat_map(|pattern| pattern.operands());
        let lengths = operands.zip(op.operands.iter().skip(1)).filter(|(kind, _)| *kind == IndexOperand::Length);
        let lengths: Option<SmallVec<[i64; 2]>> = lengths.map(|(_, value)| self.number(Some(value))).collect();
        match lengths {
            Some(lengths) => self.lengths.insert(result, lengths),
            None => self.lengths.remove(&result),
        };
    }

    /// A view of semaphores; loads and stores are of no interest.
    fn view(&mut self, op: &OpData) {
        let Some((&reference, &result)) = op.operands.first().zip(op.results.first()) else { return };
        let Some(ty) = self.function.ty(result).as_ref_type() else {
            self.values[result.0 as usize] = None;
            return;
        };
        if !ty.bounded.is_empty() {
            self.note_lengths(op, result);
        }
        let Some(part) = self.parts.get(&reference).cloned() else { return };
        match self.narrowed(op, &part) {
            Some(narrowed) => {
                self.parts.insert(result, narrowed);
            }
            // Any of them may be meant.
            None => {
                self.parts.remove(&result);
                if let Some(buffer) = self.buffers.get_mut(part.buffer) {
                    buffer.given_up = true;
                }
            }
        }
    }

    fn narrowed(&self, op: &OpData, part: &Part) -> Option<Part> {
        let mut dynamic = op.operands.iter().skip(1);
        let mut entries = op.attributes.index()?.0.iter();
        let mut position = |position: &Position| match position {
            Position::Static(position) => Some(*position),
            Position::Dynamic => self.number(dynamic.next()),
        };
        let mut dims = part.dims.clone();
        for dim in dims.iter_mut().filter(|(_, fixed)| !fixed) {
            let (start, fixed) = match entries.next()? {
                DimIndex::At(at) => (position(at)?, true),
                DimIndex::Slice { start, stride: 1, .. } => (position(start)?, false),
                DimIndex::Part { start, .. } => {
                    let start = position(start)?;
                    position(&Position::Dynamic)?;
                    (start, false)
                }
                _ => return None,
            };
            *dim = (dim.0 + usize::try_from(start).ok()?, fixed);
        }
        Some(Part { buffer: part.buffer, dims })
    }

    /// The one semaphore behind a Ref: its buffer and element.
    fn place(&self, reference: ValueId) -> Option<(usize, usize)> {
        let part = self.parts.get(&reference)?;
        let buffer = self.buffers.get(part.buffer)?;
        let strides = buffer.shape.strides();
        let element = part.dims.iter().zip(&strides).map(|((start, _), stride)| start * stride).sum();
        (part.dims.iter().all(|(_, fixed)| *fixed) && element < buffer.counts.len()).then_some((part.buffer, element))
    }

    fn signal(&mut self, id: OpId, reference: Option<&ValueId>, amount: Option<i64>) {
        let Some((buffer, element)) = reference.and_then(|&reference| self.place(reference)) else { return };
        let buffer = &mut self.buffers[buffer];
        match amount {
            Some(amount) => buffer.counts[element] = buffer.counts[element].saturating_add(amount),
            None => buffer.given_up = true,
        }
        buffer.last[element] = Some(id);
    }

    fn wait(&mut self, id: OpId, reference: Option<&ValueId>, wanted: Option<i64>, takes: bool) -> Result<(), Stop> {
        let Some((number, element)) = reference.and_then(|&reference| self.place(reference)) else { return Ok(()) };
        let buffer = &mut self.buffers[number];
        let Some(wanted) = wanted else {
            buffer.given_up = true;
            return Ok(());
        };
        let count = buffer.counts[element];
        if !buffer.given_up && count < wanted {
            let mismatch = match self.function.op(id).op.kind {
                OpKind::Copy(_) => Mismatch::CopyWait { wanted },
                _ => Mismatch::Wait { wanted, count },
            };
            let (name, program) = (buffer.shown(), self.program.clone());
            self.problems.push(Problem { mismatch, name, op: id, program });
            return Err(Stop::Deadlock);
        }
        if takes {
            buffer.counts[element] = count.saturating_sub(wanted);
        }
        Ok(())
    }
}

impl Buffer {
    /// As findings name one of them.
    fn shown(&self) -> String {
        match self.shape.rank() {
            0 => self.name.clone(),
            _ => format!("a semaphore of {}", self.name),
        }
    }
}

fn exactly(number: i64) -> Known {
    number_of(DType::I32, number)
}

fn number_of(dtype: DType, number: i64) -> Known {
    Known::Exact(Array::scalar(dtype, Scalar::Int(number.into())))
}
