//! A kernel that is ready in motion.

use super::place::Place;
use super::{Act, Carry, Frame, From, Kernel, Outputs, Read, Scalar};
use crate::error::RunError;
use crate::hooks::Hooks;
use crate::later::Later;
use crate::memory::Memory;
use crate::numbers::Number;
use crate::tape::Pure;
use pallas_ir::function::Location;
use pallas_ir::op::EvalContext;
use pallas_tensor::ops::fused::{Lanes, Pair, Ready, Start, Target};
use pallas_tensor::ops::{Matrix, Scatter, matrix_product_onto};
use pallas_tensor::{Array, Buffer, DType, Shape};
use smallvec::SmallVec;

/// A program that runs.
struct Motion<'a, 'o> {
    kernel: &'a Kernel,
    frame: &'a mut Frame,
    /// What is read where it lies: elements, where they begin, and how much farther the next program's do.
    inputs: SmallVec<[Start<'a>; 8]>,
    lanes: &'a mut Lanes,
    hooks: &'a mut dyn Hooks,
    locations: &'a [Location],
    ids: &'a [usize],
    grid: &'a [usize],
    outputs: Outputs<'o>,
}

/// Runs a program. What it writes is in its slots already.
pub(super) fn run(
    kernel: &Kernel,
    frame: &mut Frame,
    memory: &mut Memory,
    (hooks, locations): (&mut dyn Hooks, &[Location]),
    (ids, grid): (&[usize], &[usize]),
    outputs: Outputs<'_>,
) -> Result<(), RunError> {
    let Memory { buffers, workshop, .. } = memory;
    let inputs = kernel.inputs.iter().map(|input| {
        let buffer = &buffers[input.buffer];
        match &buffer.later {
            Some(Later::Block(window)) => Start { buffer: window.array.buffer(), base: window.base, next: window.next },
            _ => Start { buffer: buffer.array.buffer(), base: 0, next: None },
        }
    });
    let inputs = inputs.collect();
    let lanes = &mut workshop.lanes;
    Motion { kernel, frame, inputs, lanes, hooks, locations, ids, grid, outputs }.acts(&kernel.acts)
}

/// Takes a buffer out of its slot to be written; whoever takes it puts it back.
fn take(slots: &mut [Buffer], slot: usize) -> Buffer {
    std::mem::replace(&mut slots[slot], Buffer::U8(Vec::new()))
}

impl Motion<'_, '_> {
    fn acts(&mut self, acts: &[Act]) -> Result<(), RunError> {
        acts.iter().try_for_each(|act| self.act(act))
    }

    fn act(&mut self, act: &Act) -> Result<(), RunError> {
        match act {
            Act::Number { op, args, out } => {
                let operand = |place: usize| args.get(place).and_then(|&arg| self.scalar(arg));
                let number = op.of((self.ids, self.grid), operand)?;
                self.put(*out, number);
            }
            Act::Element { place, from, out } => {
                let base = self.find(place)?;
                let number = self.scalar(Scalar::Element(Read { from: *from, base, moves: None }));
                self.put(*out, number.ok_or_else(|| RunError::malformed("an integer scalar was expected"))?);
            }
            Act::Find { place, moves } => self.frame.bases[*moves] = self.find(place)?,
            Act::Tile { ready, reads, out, base, moves } => {
                let base = base + moves.map_or(0, |moves| self.frame.bases[moves]);
                let mut target = take(&mut self.frame.slots, *out);
                self.compute(ready, reads, &mut target, base);
                self.frame.slots[*out] = target;
                if let Some(stored) = self.frame.stored.get_mut(*out) {
                    *stored = true;
                }
            }
            Act::Whole { ready, reads, spare, out, skips } => {
                let owned = &self.kernel.owned[*out];
                if *skips && !owned.is_read && self.outputs.skips(owned.operand) {
                    return Ok(());
                }
                let mut target = take(&mut self.frame.slots, *spare);
                self.compute(ready, reads, &mut target, 0);
                self.frame.slots[*spare] = std::mem::replace(&mut self.frame.slots[*out], target);
                self.frame.stored[*out] = true;
            }
            Act::Apart { ready, reads, out } => {
                let owned = &self.kernel.owned[*out];
                if self.outputs.skips(owned.operand) {
                    return Ok(());
                }
                let (kernel, frame, inputs) = (self.kernel, &*self.frame, &self.inputs[..]);
                let read = |number: usize| start(kernel, frame, inputs, reads[number]);
                let lanes = &mut *self.lanes;
                if !(self.outputs.belongs)(owned.operand, &mut |target| ready.run_to(read, target, lanes))? {
                    let mut tile = Array::zeros(ready.dtype(), owned.shape.clone())?;
                    ready.run_to(read, &mut Target::whole(&mut tile), self.lanes);
                    self.frame.apart.push((owned.buffer, tile));
                }
            }
            Act::Reduce { ready, reduction, reads, keep, out } => {
                let mut target = take(&mut self.frame.slots, *out);
                let mut kept = keep.map(|keep| take(&mut self.frame.slots, keep));
                let (kernel, frame, inputs) = (self.kernel, &*self.frame, &self.inputs[..]);
                let read = |number: usize| start(kernel, frame, inputs, reads[number]);
                ready.reduce(*reduction, read, kept.as_mut(), &mut target, self.lanes);
                self.frame.slots[*out] = target;
                if let (Some(keep), Some(kept)) = (keep, kept) {
                    self.frame.slots[*keep] = kept;
                }
            }
            Act::Pair { reduce, apart, pair } => {
                if !self.pair(reduce, apart, pair)? {
                    self.act(reduce)?;
                    self.act(apart)?;
                }
            }
            &Act::Product { factors, sizes, out, adds } => {
                let target = take(&mut self.frame.slots, out);
                let mut tile = Array::with_dtype(DType::F32, [target.len()], target)?;
                let [left, right] = factors.map(|(read, strides)| {
                    let Start { buffer, base, .. } = start(self.kernel, self.frame, &self.inputs, read);
                    Matrix { buffer, base, strides }
                });
                matrix_product_onto(&mut tile, left, right, sizes, adds)?;
                self.frame.slots[out] = std::mem::replace(tile.make_mut(), Buffer::U8(Vec::new()));
                if let Some(stored) = self.frame.stored.get_mut(out) {
                    *stored = true;
                }
            }
            &Act::ScatterAdd { scatter, onto, updates, positions, out } => {
                let mut target = take(&mut self.frame.slots, out);
                let added = self.scatter_add(scatter, onto, updates, positions, &mut target);
                self.frame.slots[out] = target;
                added.ok_or_else(|| RunError::malformed("a scatter of other tiles was expected"))?;
            }
            Act::Pure { pure, operands, outs } => self.pure(pure, operands, outs)?,
            Act::Cond { which, branches } => {
                let which = self.integer(*which)?.clamp(0, branches.len() as i64 - 1) as usize;
                self.acts(&branches[which])?;
            }
            Act::For { bounds: [lower, upper], counter, begin, body, next } => {
                let (lower, upper) = (self.integer(*lower)?, self.integer(*upper)?);
                self.carry(begin)?;
                for round in lower..upper {
                    if self.hooks.cancelled() {
                        return Err(RunError::cancelled());
                    }
                    self.put(*counter, Number::Integer(round as i32));
                    self.acts(body)?;
                    self.carry(next)?;
                }
            }
        }
        Ok(())
    }

    /// Reduces, and computes what follows from the rows and their sums where it belongs; false if that was not done.
    fn pair(&mut self, reduce: &Act, apart: &Act, pair: &Pair) -> Result<bool, RunError> {
        let Act::Reduce { ready: first, reads, keep: Some(keep), out, .. } = reduce else { return Ok(false) };
        let Act::Apart { ready: second, reads: of_second, out: apart } = apart else { return Ok(false) };
        let operand = self.kernel.owned[*apart].operand;
        if self.outputs.skips(operand) {
            return Ok(false);
        }
        let mut rows = take(&mut self.frame.slots, *keep);
        let mut sums = take(&mut self.frame.slots, *out);
        let (kernel, frame, inputs, lanes) = (self.kernel, &*self.frame, &self.inputs[..], &mut *self.lanes);
        let read = |number: usize| start(kernel, frame, inputs, reads[number]);
        let read_second = |number: usize| {
            let read = of_second[number];
            let is_between = [From::Slot(*keep), From::Slot(*out)].contains(&read.from);
            (!is_between).then(|| start(kernel, frame, inputs, read))
        };
        let mut is_done = false;
        let found = (self.outputs.belongs)(operand, &mut |target| {
            is_done = pair.run((first, second), (read, read_second), (&mut rows, &mut sums), target, lanes);
        });
        (self.frame.slots[*keep], self.frame.slots[*out]) = (rows, sums);
        found.map(|_| is_done)
    }

    fn scatter_add(
        &self,
        scatter: Scatter,
        onto: Read,
        updates: From,
        (positions, count): (Read, usize),
        target: &mut Buffer,
    ) -> Option<()> {
        let start = |read: Read| start(self.kernel, self.frame, &self.inputs, read);
        let Start { buffer, base, .. } = start(onto);
        let all = base..base + target.len();
        match (&mut *target, buffer) {
            (Buffer::F32(target), Buffer::F32(onto)) => target.copy_from_slice(onto.get(all)?),
            (Buffer::I32(target), Buffer::I32(onto)) => target.copy_from_slice(onto.get(all)?),
            _ => return None,
        }
        let Start { buffer: Buffer::I32(positions), base, .. } = start(positions) else { return None };
        let updates = start(Read { from: updates, base: 0, moves: None }).buffer;
        scatter.add_onto(target, positions.get(base..)?.get(..count)?, updates).then_some(())
    }

    fn pure(&mut self, pure: &Pure, operands: &[(From, DType, Shape)], outs: &[usize]) -> Result<(), RunError> {
        // A tile is lent to the op, and goes back to its slot behind it: who wants to write to it makes a copy.
        let mut lent: SmallVec<[(usize, Array); 4]> = SmallVec::new();
        let mut operand = |(from, dtype, shape): &(From, DType, Shape)| {
            Ok::<_, RunError>(match *from {
                From::Constant(constant) => self.kernel.constants[constant].clone(),
                From::Slot(slot) => match lent.iter().find(|(other, _)| *other == slot) {
                    Some((_, array)) => array.clone().reshaped(shape)?,
                    None => {
                        let array = Array::with_dtype(*dtype, shape.clone(), take(&mut self.frame.slots, slot))?;
                        lent.push((slot, array.clone()));
                        array
                    }
                },
                From::Input(input) => Array::with_dtype(*dtype, shape.clone(), self.inputs[input].buffer.clone())?,
            })
        };
        let operands = operands.iter().map(&mut operand).collect::<Result<SmallVec<[Array; 4]>, _>>();
        let context = EvalContext { attributes: &pure.attributes, results: &pure.results };
        let results = operands.and_then(|operands| Ok((pure.eval)(&context, operands)?));
        for (slot, mut array) in lent {
            self.frame.slots[slot] = std::mem::replace(array.make_mut(), Buffer::U8(Vec::new()));
        }
        for (mut result, &out) in results?.into_iter().zip(outs) {
            let slot = &mut self.frame.slots[out];
            let fits = result.size() == slot.len() && slot.stores(result.dtype());
            if !fits {
                return Err(RunError::malformed("an op gave a tile of another type"));
            }
            *slot = std::mem::replace(result.make_mut(), Buffer::U8(Vec::new()));
        }
        Ok(())
    }

    /// Has a chain compute what begins at an element of a buffer that was taken out.
    fn compute(&mut self, ready: &Ready, reads: &[Read], target: &mut Buffer, base: usize) {
        let (kernel, frame, inputs) = (self.kernel, &*self.frame, &self.inputs[..]);
        ready.run(|number| start(kernel, frame, inputs, reads[number]), target, base, self.lanes);
    }

    /// Moves what is carried from where it was computed to where the next round reads it, all at once.
    fn carry(&mut self, carries: &[Carry]) -> Result<(), RunError> {
        let mut numbers: SmallVec<[(usize, Number); 4]> = SmallVec::new();
        for carry in carries {
            match carry {
                Carry::Number { from, to } => {
                    let number = self.scalar(*from);
                    numbers.push((*to, number.ok_or_else(|| RunError::malformed("a carry is no scalar"))?));
                }
                Carry::Tile { ready, reads, room, .. } => {
                    let mut target = take(&mut self.frame.slots, *room);
                    self.compute(ready, reads, &mut target, 0);
                    self.frame.slots[*room] = target;
                }
            }
        }
        for carry in carries {
            if let Carry::Tile { room, to, .. } = *carry {
                self.frame.slots.swap(room, to);
            }
        }
        numbers.into_iter().for_each(|(to, number)| self.put(to, number));
        Ok(())
    }

    fn put(&mut self, to: usize, number: Number) {
        self.frame.numbers[to] = number;
        if let Some(cell) = self.kernel.numbers[to] {
            match (&mut self.frame.slots[cell], number) {
                (Buffer::I32(element), Number::Integer(value)) => element.fill(value),
                (Buffer::Bool(element), Number::Flag(value)) => element.fill(value),
                (Buffer::F32(element), Number::Float(value)) => element.fill(value),
                _ => {}
            }
        }
    }

    #[inline]
    fn scalar(&self, scalar: Scalar) -> Option<Number> {
        number(self.kernel, self.frame, &self.inputs, scalar)
    }

    fn integer(&self, scalar: Scalar) -> Result<i64, RunError> {
        let number = self.scalar(scalar).and_then(Number::integer);
        number.map(i64::from).ok_or_else(|| RunError::malformed("an integer scalar was expected"))
    }

    fn find(&mut self, place: &Place) -> Result<usize, RunError> {
        let (kernel, frame, inputs) = (self.kernel, &*self.frame, &self.inputs[..]);
        let position = |scalar: Scalar| number(kernel, frame, inputs, scalar)?.integer().map(i64::from);
        place.find(position, (&mut *self.hooks, self.locations), self.ids)
    }
}

/// Where an operand begins now.
#[inline]
fn start<'a>(kernel: &'a Kernel, frame: &'a Frame, inputs: &[Start<'a>], read: Read) -> Start<'a> {
    let base = read.base + read.moves.map_or(0, |moves| frame.bases[moves]);
    match read.from {
        From::Slot(slot) => Start { buffer: &frame.slots[slot], base, next: None },
        From::Input(input) => {
            let start = inputs[input];
            Start { base: start.base + base, ..start }
        }
        From::Constant(constant) => Start { buffer: kernel.constants[constant].buffer(), base, next: None },
    }
}

/// The number that a scalar is now.
#[inline]
fn number(kernel: &Kernel, frame: &Frame, inputs: &[Start<'_>], scalar: Scalar) -> Option<Number> {
    match scalar {
        Scalar::Number(number) => Some(frame.numbers[number]),
        Scalar::Constant(number) => Some(number),
        Scalar::Element(read) => {
            let Start { buffer, base, .. } = start(kernel, frame, inputs, read);
            Number::at(buffer, base)
        }
    }
}
