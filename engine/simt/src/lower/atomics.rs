//! Read, combine, write back, in one step that nobody can come between. Where no other block writes to the place, and no two
//! elements go to one, a load and a store are the same.

use super::context::Lower;
use super::moves::Map;
use crate::Refusal;
use crate::ir::{Combine, Op, Ty, Value};
use crate::layout::Layout;
use pallas_ir::{DimIndex, OpData, Target};

impl Lower<'_> {
    pub(crate) fn lower_atomic(&mut self, op: &OpData) -> Result<(), Refusal> {
        let access = self.access(op, true)?;
        let name = op.attributes.str("combine").unwrap_or_default();
        let combine = Combine::ALL.iter().find(|(word, _)| *word == name).map(|(_, combine)| *combine);
        let combine = combine.ok_or_else(|| self.refuse(op))?;
        let place = self.place(&access.view, &access.pattern, &access.indices, &access.layout, access.padded, true)?;
        let value = access.value.ok_or_else(|| self.malformed())?.value;
        let mask = match &access.mask {
            Some(mask) => Some(self.spread(mask, &access.layout, access.layout.shape.len())),
            None => None,
        };
        let arrays = access.pattern.0.contains(&DimIndex::Array);
        if !arrays && self.launch.target != Target::Triton {
            let old = self.read(&access.view, &place, access.padded, None);
            let new = match combine.op() {
                Some(op) => self.b.binary(op.0, old, value),
                None => value,
            };
            self.write(&access.view, &place, new, mask);
            self.results(op, old, access.layout);
            return Ok(());
        }
        if access.view.cast.is_some() {
            return Err(self.refuse_because(op, "of a Ref that shows its memory as another dtype is not lowered yet"));
        }
        let mask = match (place.mask, mask) {
            (place, Some(mask)) => Some(self.both(place, mask)),
            (place, None) => place,
        };
        let once = self.once(&place.layout, mask);
        let regs = place.layout.registers();
        let once = once.map(|mask| self.b.splat(mask, regs));
        let value = self.b.splat(value, regs);
        let ty = Ty { regs, ..self.b.ty(value) };
        self.b.written(access.view.memory);
        let operands: Vec<_> = [place.index, value].into_iter().chain(once).collect();
        let what = Op::Atomic { memory: access.view.memory, combine, masked: once.is_some() };
        let mut old = self.b.add(what, &operands, &[ty], Vec::new())[0];
        if self.watched.is_some() {
            let new = combine.op().map_or(value, |op| self.b.binary(op.0, old, value));
            self.witness(&access.view, place.index, new, once);
        }
        if !place.layout.is_private() && self.is_used(op) {
            // Only one of the threads that share an element knows what was there.
            let stage = self.stage(ty.dtype, access.layout.shape.iter().product());
            let map = Map::row_major(&access.layout.shape);
            let elements = self.elements(&place.layout);
            let once = self.once(&place.layout, elements);
            let index = self.address(&place.layout, &map.strides, map.base);
            self.b.store(stage, index, old, once, false);
            old = self.b.load(stage, index, elements, None, false);
        }
        self.results(op, old, access.layout);
        Ok(())
    }

    fn results(&mut self, op: &OpData, old: Value, layout: Layout) {
        if let Some(&result) = op.results.first() {
            self.set_dealt(result, old, layout);
        }
    }

    /// Whether anybody uses the first result of an op.
    fn is_used(&self, op: &OpData) -> bool {
        let Some(result) = op.results.first() else { return false };
        self.function.ops.iter().any(|op| op.operands.contains(result))
            || self.function.regions.iter().any(|region| region.yields.contains(result))
    }
}
