//! Left factors with two of every four terms: memory that says which two, how it is filled, and what products take of it. A byte of the
//! caller's arrays has one place; tensor cores want sixteen in a word, so threads put them together on their way to shared memory.

use super::context::Lower;
use super::number::Number;
use super::refs::{RefView, Shown};
use crate::Refusal;
use crate::ir::{MemoryId, Op, Places, Space, TensorCopy, TensorProduct, TensorSource};
use pallas_ir::op::AgentOp;
use pallas_ir::{OpData, OpKind, RefType, ValueId, ops};
use pallas_tensor::{DType, Scalar};

impl Lower<'_> {
    /// Whether a Ref says where the elements of a sparse factor stand.
    pub(crate) fn is_places(&self, param: ValueId) -> bool {
        self.uses(param).iter().any(|(op, position)| match op.op.kind {
            OpKind::Agent(AgentOp::CopyToTmem) => op.attributes.str("what") == Some("metadata"),
            OpKind::Agent(AgentOp::Mma) => op.attributes.flag("sparse") && *position + 1 == op.operands.len(),
            _ => false,
        })
    }

    /// Tensor memory for them.
    pub(crate) fn places_in_lanes(&mut self, ty: &RefType) -> Result<RefView, Refusal> {
        let [rows, places] = Places::TILE;
        match ty.shape[..] {
            [r, count] if r == rows && count > 0 && count.is_multiple_of(places) && ty.dtype == DType::U2 => {
                let name = format!("places_{}", self.b.kernel().memories.len());
                let memory = self.b.memory(name, DType::U32, count / Places::WORD, Space::Tensor);
                self.teams.places.insert(memory);
                Ok(RefView::whole(memory, &ty.shape, false))
            }
            _ => Err(self.unknown(&format!("metadata of {} {}", ty.extents(), ty.dtype.name()))),
        }
    }

    /// Shared memory for them.
    pub(crate) fn places_shared(&mut self, ty: &RefType, len: usize, space: Space) -> Result<MemoryId, Refusal> {
        let is_tiles = matches!(ty.shape[..], [.., rows, places] if [rows, places] == Places::TILE);
        if !is_tiles || ty.dtype != DType::U2 {
            return Err(self.unknown(&format!("metadata of {} {} in shared memory", ty.extents(), ty.dtype.name())));
        }
        let name = format!("places_{}", self.b.kernel().memories.len());
        let memory = self.b.memory(name, DType::U32, len / Places::WORD, space);
        self.teams.places.insert(memory);
        Ok(memory)
    }

    /// Every thread puts some words together.
    pub(crate) fn packed_by_threads(&mut self, source: &RefView, destination: &RefView) -> Result<(), Refusal> {
        let (Some(source), Some(destination)) = (in_words(source, false), in_words(destination, true)) else {
            return Err(self.unknown("a copy of a part of a row of metadata"));
        };
        let layout = self.layout(&source.shape());
        let (from, to) = (self.whole(&source, &layout)?, self.whole(&destination, &layout)?);
        let dtype = self.b.kernel().memory(source.memory).dtype;
        let zero = from.mask.map(|_| self.b.constant(dtype, Scalar::zero(dtype), 1));
        let regs = self.b.ty(from.index).regs;
        let mut words = None;
        for number in 0..Places::WORD as i64 {
            let far = self.b.int(number);
            let far = self.b.splat(far, regs);
            let index = self.b.binary(&ops::ADD, from.index, far);
            let place = self.b.load(source.memory, index, from.mask, zero, from.is_private);
            let place = self.b.convert(place, DType::U32);
            let shift = self.b.constant(DType::U32, Scalar::Int(2 * i128::from(number)), regs);
            let place = self.b.binary(&ops::SHIFT_LEFT, place, shift);
            words = Some(match words {
                None => place,
                Some(words) => self.b.binary(&ops::OR, words, place),
            });
        }
        if let Some(words) = words {
            self.write(&destination, &to, words, None);
        }
        Ok(())
    }

    /// A copy of them to tensor memory.
    pub(crate) fn copied_places(&mut self, op: &OpData) -> Result<(), Refusal> {
        if op.attributes.int("axis").is_some() {
            return Err(self.refuse_because(op, "of metadata for two blocks is not lowered yet"));
        }
        let source = self.reference(op.operands[0])?;
        let to = self.places_of(op, 1)?;
        let words = self.b.kernel().memory(to).len;
        let [rows, places] = Places::TILE;
        let shape = [1, words / Places::WORDS, rows, places];
        let begin = self.begin_of(&source);
        let begin = if source.is_dense() && source.shape() == shape { self.divided(begin, Places::WORD) } else { None };
        let Some(begin) = begin.filter(|_| self.teams.places.contains(&source.memory)) else {
            let why = format!("of metadata that does not lie in shared memory as {shape:?} is not lowered yet");
            return Err(self.refuse_because(op, &why));
        };
        let (begin, column) = (begin.value(&mut self.b), self.b.int(0));
        let from = TensorSource::Places(source.memory);
        let copy = TensorCopy { to, from, extents: [rows, words], pair: false };
        self.b.add(Op::CopyTensor(copy), &[column, begin], &[], Vec::new());
        Ok(())
    }

    /// Where the elements of a product's left factor stand.
    pub(crate) fn places_of_factor(
        &mut self,
        op: &OpData,
        [rows, columns, terms]: [usize; 3],
        in_lanes: bool,
    ) -> Result<MemoryId, Refusal> {
        let places = self.places_of(op, op.operands.len() - 1)?;
        let has = self.b.kernel().memory(places).len * Places::WORD;
        let why = if op.attributes.int("axis").is_some() || op.attributes.flag("scaled") {
            "of a sparse factor, by two blocks or with scales, is not lowered yet".to_string()
        } else if rows != TensorProduct::LANES || in_lanes {
            "of a sparse factor takes 128 rows from shared memory; anything else is not lowered yet".to_string()
        } else if columns > TensorProduct::COLUMNS {
            "of a sparse factor and more than 256 columns is not lowered yet".to_string()
        } else if terms != 2 * has {
            format!("of {terms} terms takes metadata for {} elements of a row, and there is some for {has}", terms / 2)
        } else {
            return Ok(places);
        };
        Err(self.refuse_because(op, &why))
    }

    /// Tensor memory with all that was copied there.
    fn places_of(&mut self, op: &OpData, position: usize) -> Result<MemoryId, Refusal> {
        let view = self.reference(*op.operands.get(position).ok_or_else(|| self.malformed())?)?;
        let memory = self.b.kernel().memory(view.memory);
        let whole = view.shape() == [TensorProduct::LANES, memory.len * Places::WORD];
        match whole && memory.space == Space::Tensor && self.teams.places.contains(&view.memory) {
            true => Ok(view.memory),
            false => Err(self.refuse_because(op, "with a part of metadata is not lowered yet")),
        }
    }
}

/// The Ref by words: the first element of each, where elements are bytes, or the word itself.
fn in_words(view: &RefView, packed: bool) -> Option<RefView> {
    if view.cast.is_some() || view.selected.is_some() {
        return None;
    }
    let mut view = view.clone();
    let count = view.dims.len();
    let word = Places::WORD as i64;
    for (number, dim) in view.dims.iter_mut().enumerate() {
        if number + 1 == count {
            let Shown::Range { size, step: 1 } = dim.shown else { return None };
            let is_row = dim.stride == 1 && size == Places::TILE[1] && dim.offset == Number::Known(0);
            if !is_row {
                return None;
            }
            dim.shown = Shown::Range { size: size / Places::WORD, step: if packed { 1 } else { word } };
        } else if packed {
            dim.stride = (dim.stride % word == 0).then_some(dim.stride / word)?;
        }
    }
    Some(view)
}
