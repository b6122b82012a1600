//! Loads, stores and swaps, and Refs to parts of Refs.

use super::access::Place;
use super::context::{Bound, Lower, Tile};
use super::refs::{RefDim, RefView, Selected, Shown};
use crate::Refusal;
use crate::ir::Value;
use crate::layout::Layout;
use pallas_ir::op::MemoryOp;
use pallas_ir::{DimIndex, IndexPattern, OpData, ValueId};
use std::rc::Rc;

/// The operands of an access, taken apart.
pub(crate) struct Access {
    pub(crate) view: RefView,
    pub(crate) pattern: IndexPattern,
    pub(crate) value: Option<Tile>,
    pub(crate) indices: Vec<ValueId>,
    pub(crate) mask: Option<Tile>,
    pub(crate) other: Option<Tile>,
    /// How what the subscript selects is dealt.
    pub(crate) layout: Layout,
    pub(crate) padded: bool,
}

impl Lower<'_> {
    pub(crate) fn memory_op(&mut self, op: &OpData, kind: MemoryOp) -> Result<(), Refusal> {
        match kind {
            MemoryOp::Load => self.lower_load(op),
            MemoryOp::Store => self.lower_store(op),
            MemoryOp::Swap => self.lower_swap(op),
            MemoryOp::Atomic => self.lower_atomic(op),
            MemoryOp::View => {
                let view = self.reference(op.operands[0])?;
                let pattern = op.attributes.index().cloned().ok_or_else(|| self.malformed())?;
                if pattern.0.contains(&DimIndex::Array) {
                    return self.select(op, view, pattern);
                }
                let part = self.part(&view, &pattern, &op.operands[1..])?;
                self.values.insert(op.results[0], Bound::Ref(part));
                Ok(())
            }
            MemoryOp::Reinterpret => self.lower_reinterpret(op),
        }
    }

    pub(crate) fn access(&mut self, op: &OpData, writes: bool) -> Result<Access, Refusal> {
        let view = self.reference(op.operands[0])?;
        if self.teams.places.contains(&view.memory) {
            return Err(self.refuse_because(op, "of where the elements of a sparse factor stand is not lowered yet"));
        }
        let pattern = op.attributes.index().cloned().ok_or_else(|| self.malformed())?;
        let mut rest = op.operands[1..].iter().copied();
        let value = match writes {
            true => Some(rest.next().map_or(Err(self.malformed()), |value| self.held(value))?),
            false => None,
        };
        let indices: Vec<ValueId> = rest.by_ref().take(pattern.operand_count()).collect();
        let layout = match (&value, op.results.first()) {
            (Some(value), _) => value.layout.clone(),
            (None, Some(&result)) => self.dealt(result),
            (None, None) => self.layout(&[]),
        };
        let mut masking = |this: &mut Self, flag: &str| match op.attributes.flag(flag) {
            true => rest.next().map_or(Err(this.malformed()), |value| this.held(value)).map(Some),
            false => Ok(None),
        };
        let (mask, other) = (masking(self, "masked")?, masking(self, "other")?);
        Ok(Access { view, pattern, value, indices, mask, other, layout, padded: op.attributes.flag("padded") })
    }

    /// What integer arrays select of a Ref.
    fn select(&mut self, op: &OpData, view: RefView, pattern: IndexPattern) -> Result<(), Refusal> {
        if pattern.0.iter().any(|dim| matches!(dim, DimIndex::Part { .. })) {
            return Err(
                self.refuse_because(op, "of computed length, of what integer arrays select, is not lowered yet")
            );
        }
        let shape = self.function.ty(op.results[0]).shape().to_vec();
        let selected = Rc::new(Selected { pattern, operands: op.operands[1..].to_vec(), shape });
        self.values.insert(op.results[0], Bound::Ref(RefView { selected: Some(selected), ..view }));
        Ok(())
    }

    /// What is there; where nothing is, what interpret mode reads there.
    pub(crate) fn read(&mut self, view: &RefView, place: &Place, padded: bool, mask: Option<Value>) -> Value {
        let memory = self.b.kernel().memory(view.memory).clone();
        let other = match (place.mask, padded) {
            (None, _) => None,
            (_, true) => Some(self.garbage.past_ref(memory.dtype)),
            _ => Some(self.garbage.past_array(memory.dtype, self.launch.interpretation)),
        };
        let other = other.map(|other| self.b.constant(memory.dtype, other, 1));
        let mask = match (place.mask, mask) {
            (place, Some(mask)) => Some(self.both(place, mask)),
            (place, None) => place,
        };
        if let Some(cast) = view.cast {
            return self.read_cast(view, cast, place, padded, mask);
        }
        self.own(view, place.index, mask, false);
        self.b.load(view.memory, place.index, mask, other, place.is_private)
    }

    pub(crate) fn write(&mut self, view: &RefView, place: &Place, value: Value, mask: Option<Value>) {
        let mask = match mask {
            Some(mask) => Some(self.both(place.mask, mask)),
            None => place.mask,
        };
        let once = self.once(&place.layout, mask);
        if let Some(cast) = view.cast {
            return self.write_cast(view, cast, place, value, once);
        }
        self.tell_of_nan(view, value, once);
        self.own(view, place.index, once, true);
        self.witness(view, place.index, value, once);
        self.b.store(view.memory, place.index, value, once, place.is_private);
    }

    fn lower_load(&mut self, op: &OpData) -> Result<(), Refusal> {
        if self.lower_accumulator(op, false)? || self.lower_tensor_access(op, false)? {
            return Ok(());
        }
        let access = self.access(op, false)?;
        let place = self.place(&access.view, &access.pattern, &access.indices, &access.layout, access.padded, false)?;
        self.tell(&access.view, &place, access.mask.as_ref(), "reads");
        let mut value = self.read(&access.view, &place, access.padded, None);
        // As JAX: a mask without `other` leaves what is there.
        if let (Some(mask), Some(other)) = (&access.mask, &access.other) {
            let mask = self.spread(mask, &access.layout, access.layout.shape.len());
            let other = self.spread(other, &access.layout, access.layout.shape.len());
            value = self.b.select(mask, value, other);
        }
        self.set_dealt(op.results[0], value, access.layout);
        Ok(())
    }

    fn lower_store(&mut self, op: &OpData) -> Result<(), Refusal> {
        if self.lower_accumulator(op, true)? || self.lower_tensor_access(op, true)? {
            return Ok(());
        }
        let access = self.access(op, true)?;
        let place = self.place(&access.view, &access.pattern, &access.indices, &access.layout, access.padded, true)?;
        let mask = match &access.mask {
            Some(mask) => Some(self.spread(mask, &access.layout, access.layout.shape.len())),
            None => None,
        };
        self.tell(&access.view, &place, access.mask.as_ref(), "writes");
        let value = access.value.ok_or_else(|| self.malformed())?.value;
        self.write(&access.view, &place, value, mask);
        Ok(())
    }

    fn lower_swap(&mut self, op: &OpData) -> Result<(), Refusal> {
        let access = self.access(op, true)?;
        let read = self.place(&access.view, &access.pattern, &access.indices, &access.layout, access.padded, false)?;
        self.tell(&access.view, &read, access.mask.as_ref(), "swaps");
        let mut old = self.read(&access.view, &read, access.padded, None);
        let place = self.place(&access.view, &access.pattern, &access.indices, &access.layout, access.padded, true)?;
        let value = access.value.ok_or_else(|| self.malformed())?.value;
        let mask = match &access.mask {
            Some(mask) => {
                let mask = self.spread(mask, &access.layout, access.layout.shape.len());
                old = self.b.select(mask, old, value);
                Some(mask)
            }
            None => None,
        };
        self.write(&access.view, &place, value, mask);
        if let Some(&result) = op.results.first() {
            self.set_dealt(result, old, access.layout);
        }
        Ok(())
    }

    /// The same element everywhere in a Ref.
    pub(crate) fn fill(&mut self, view: &RefView, value: Value, layout: &Layout) -> Result<(), Refusal> {
        let place = self.whole(view, layout)?;
        self.write(view, &place, value, None);
        Ok(())
    }

    fn lower_reinterpret(&mut self, op: &OpData) -> Result<(), Refusal> {
        let view = self.reference(op.operands[0])?;
        let axes = view.axes();
        if let Some(permutation) = op.attributes.ints("permutation") {
            let mut permuted = RefView { dims: Vec::new(), ..view.clone() };
            permuted.dims.extend(view.dims.iter().filter(|dim| dim.shown == Shown::At));
            for &axis in permutation {
                let position = usize::try_from(axis).ok().and_then(|axis| axes.get(axis)).map(|axis| axis.0);
                permuted.dims.extend(position.map(|position| view.dims[position]));
            }
            self.values.insert(op.results[0], Bound::Ref(permuted));
            return Ok(());
        }
        let dense = super::context::row_major(&view.shape());
        let contiguous = axes.iter().zip(&dense).all(|(&(position, size, step), &stride)| {
            let dim = view.dims[position];
            size <= 1 || (dim.stride * step == stride && dim.extent.is_none())
        });
        if let Some(dtype) = op.attributes.dtype("dtype") {
            return self.cast(op, view, dtype);
        }
        let whole = view.dims.iter().all(|dim| dim.pieces == 1) && view.cast.is_none_or(|cast| cast.joined.0 == 1);
        if !contiguous || !whole {
            return Err(self.refuse_because(op, "of a Ref that is not contiguous is not lowered yet"));
        }
        // All that is shown begins at one element.
        let mut base = super::number::Number::Known(0);
        for dim in &view.dims {
            let far = dim.offset.times(&mut self.b, dim.stride);
            base = base.add(&mut self.b, far);
        }
        let shape = self.function.ty(op.results[0]).shape().to_vec();
        let mut reshaped = RefView { cast: view.cast, ..RefView::whole(view.memory, &shape, view.is_operand) };
        reshaped.dims.insert(0, RefDim { stride: 1, offset: base, shown: Shown::At, extent: None, pieces: 1 });
        self.values.insert(op.results[0], Bound::Ref(reshaped));
        Ok(())
    }
}
