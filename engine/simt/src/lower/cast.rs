//! Refs that show memory as another dtype: elements are taken as bits and put together, or taken apart, on their way. As in
//! `pltpu.bitcast`, it is the dimension before the last along which a wider element is several narrower ones.

use super::access::Place;
use super::context::{Bound, Lower};
use super::number::Number;
use super::refs::{RefDim, RefView, Shown};
use crate::Refusal;
use crate::ir::Value;
use pallas_ir::{OpData, ops};
use pallas_tensor::{DType, Scalar};

/// What elements of memory are shown as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cast {
    /// The dtype of what is shown.
    pub(crate) dtype: DType,
    /// How many elements of memory one is, and how far they are apart.
    pub(crate) joined: (u32, i64),
    /// How many one element of memory is; [`Place::piece`] says which.
    pub(crate) split: u32,
}

/// The unsigned integer that holds the bits of a dtype.
fn word(dtype: DType) -> DType {
    match dtype.bits() {
        64 => DType::U64,
        32 => DType::U32,
        16 => DType::U16,
        _ => DType::U8,
    }
}

impl Lower<'_> {
    /// A Ref's memory as another dtype.
    pub(crate) fn cast(&mut self, op: &OpData, mut view: RefView, dtype: DType) -> Result<(), Refusal> {
        let memory = match self.teams.pairs.contains(&view.memory) {
            true => DType::F4E2M1Fn,
            false => self.b.kernel().memory(view.memory).dtype,
        };
        let shown = view.cast.map_or(memory, |cast| cast.dtype);
        if shown != dtype {
            if self.has_teams
                || view.cast.is_some()
                || memory == DType::Key
                || self.function.ty(op.operands[0]).dtype() == DType::Key
            {
                return Err(self.refuse_because(op, "of these Refs to another dtype is not lowered yet"));
            }
            let (from, to) = (memory.bits(), dtype.bits());
            let axes = view.axes();
            let rows = axes.len().checked_sub(2).map(|axis| axes[axis].0);
            let (mut joined, mut split) = ((1, 0), 1);
            if let Some(rows) = rows.filter(|_| from != to) {
                let dim = view.dims[rows];
                let Shown::Range { size, step } = dim.shown else { return Err(self.malformed()) };
                let ratio = i64::from(from.max(to) / from.min(to));
                if from < to {
                    joined = (ratio as u32, dim.stride * step);
                    // What is not there as a whole is not there.
                    let extent = dim.extent.map(|extent| extent.add(&mut self.b, Number::Known(1 - ratio)));
                    let shown = Shown::Range { size: size / ratio as usize, step: step * ratio };
                    view.dims[rows] = RefDim { shown, extent, ..dim };
                } else if step == 1 {
                    split = ratio as u32;
                    let offset = dim.offset.times(&mut self.b, ratio);
                    let extent = dim.extent.map(|extent| extent.times(&mut self.b, ratio));
                    let shown = Shown::Range { size: size * ratio as usize, step };
                    view.dims[rows] = RefDim { offset, extent, shown, pieces: ratio, ..dim };
                } else {
                    return Err(self.refuse_because(op, "of every other row to a narrower dtype is not lowered yet"));
                }
            }
            view.cast = Some(Cast { dtype, joined, split });
        }
        self.values.insert(op.results[0], Bound::Ref(view));
        Ok(())
    }

    /// What is there, as bits of memory put together or taken apart.
    pub(crate) fn read_cast(
        &mut self,
        view: &RefView,
        cast: Cast,
        place: &Place,
        padded: bool,
        mask: Option<Value>,
    ) -> Value {
        let memory = self.b.kernel().memory(view.memory).dtype;
        let filler = match padded {
            true => self.garbage.past_ref(memory),
            false => self.garbage.past_array(memory, self.launch.interpretation),
        };
        let other = mask.map(|_| self.b.constant(memory, filler, 1));
        let wide = word(cast.dtype);
        let (count, apart) = cast.joined;
        let mut bits = None;
        for number in 0..count {
            let index = self.beside(place.index, number, apart);
            self.own(view, index, mask, false);
            let element = self.b.load(view.memory, index, mask, other, place.is_private);
            let piece = self.bits_of(element);
            if cast.split > 1 {
                bits = Some(self.taken_apart(piece, cast, place));
                continue;
            }
            let piece = self.b.convert(piece, wide);
            let placed = self.shifted(&ops::SHIFT_LEFT, piece, number * memory.bits());
            bits = Some(match bits {
                Some(bits) => self.b.binary(&ops::OR, bits, placed),
                None => placed,
            });
        }
        let bits = bits.unwrap_or(place.index);
        self.of_bits(bits, cast.dtype)
    }

    /// Stores bits of a value to the elements of memory that they are.
    pub(crate) fn write_cast(&mut self, view: &RefView, cast: Cast, place: &Place, value: Value, mask: Option<Value>) {
        let memory = self.b.kernel().memory(view.memory).dtype;
        let regs = self.b.ty(place.index).regs;
        let value = self.b.splat(value, regs);
        let bits = self.bits_of(value);
        if cast.split > 1 {
            return self.put_into(view, cast, place, bits, mask);
        }
        let (count, apart) = cast.joined;
        for number in 0..count {
            let index = self.beside(place.index, number, apart);
            let piece = self.shifted(&ops::SHIFT_RIGHT_LOGICAL, bits, number * memory.bits());
            let piece = self.b.convert(piece, word(memory));
            let element = self.of_bits(piece, memory);
            self.tell_of_nan(view, element, mask);
            self.own(view, index, mask, true);
            self.witness(view, index, element, mask);
            self.b.store(view.memory, index, element, mask, place.is_private);
        }
    }

    /// One piece of an element after the other, since several threads may have pieces of one.
    fn put_into(&mut self, view: &RefView, cast: Cast, place: &Place, bits: Value, mask: Option<Value>) {
        let memory = self.b.kernel().memory(view.memory).dtype;
        let (wide, width) = (word(memory), cast.dtype.bits());
        let bits = self.b.convert(bits, wide);
        for number in 0..cast.split {
            let this = self.b.int(i64::from(number));
            let mine = self.b.binary(&ops::EQ, place.piece.unwrap_or(this), this);
            let mine = self.both(mask, mine);
            self.own(view, place.index, Some(mine), true);
            let old = self.b.load(view.memory, place.index, Some(mine), None, false);
            let old = self.bits_of(old);
            let ones = ((1i128 << width) - 1) << (number * width);
            let others = Scalar::Int(((1i128 << memory.bits()) - 1) ^ ones);
            let others = self.b.constant(wide, others, 1);
            let kept = self.b.binary(&ops::AND, old, others);
            let placed = self.shifted(&ops::SHIFT_LEFT, bits, number * width);
            let new = self.b.binary(&ops::OR, kept, placed);
            let new = self.of_bits(new, memory);
            self.witness(view, place.index, new, Some(mine));
            self.b.store(view.memory, place.index, new, Some(mine), false);
        }
    }

    /// The piece of an element that each register is to have.
    fn taken_apart(&mut self, element: Value, cast: Cast, place: &Place) -> Value {
        let wide = self.b.ty(element).dtype;
        let Some(piece) = place.piece else { return element };
        let far = self.scaled(piece, i64::from(cast.dtype.bits()));
        let far = self.b.convert(far, wide);
        let piece = self.b.binary(&ops::SHIFT_RIGHT_LOGICAL, element, far);
        self.b.convert(piece, word(cast.dtype))
    }

    fn beside(&mut self, index: Value, number: u32, apart: i64) -> Value {
        if number == 0 {
            return index;
        }
        let far = self.b.int(i64::from(number) * apart);
        self.b.binary(&ops::ADD, index, far)
    }

    fn shifted(&mut self, def: &'static pallas_ir::OpDef, value: Value, by: u32) -> Value {
        if by == 0 {
            return value;
        }
        let dtype = self.b.ty(value).dtype;
        let by = self.b.constant(dtype, Scalar::Int(by.into()), 1);
        self.b.binary(def, value, by)
    }

    /// An element's bits as an unsigned integer; of less than a byte, the lowest.
    fn bits_of(&mut self, value: Value) -> Value {
        let dtype = self.b.ty(value).dtype;
        if dtype.bits() >= 8 && dtype != DType::Bool {
            return self.as_bits(value, word(dtype));
        }
        let byte = self.b.convert(value, DType::U8);
        let mask = self.b.constant(DType::U8, Scalar::Int((1 << dtype.bits()) - 1), 1);
        self.b.binary(&ops::AND, byte, mask)
    }

    /// Bits as an element.
    fn of_bits(&mut self, bits: Value, dtype: DType) -> Value {
        if dtype.bits() >= 8 && dtype != DType::Bool { self.as_bits(bits, dtype) } else { self.b.convert(bits, dtype) }
    }
}
