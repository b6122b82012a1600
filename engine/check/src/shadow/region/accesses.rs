//! Loads, stores and parts of Refs: labels go with the elements.

use super::{ELEMENTS_PER_STEP, Machine, Run, Source, Tile, Value};
use crate::shadow::Garbage;
use crate::shadow::access::{self, Indices};
use crate::shadow::labels::{self, Labels};
use crate::shadow::lanes::{self, Lane};
use crate::shadow::memory::View;
use pallas_ir::op::MemoryOp;
use pallas_ir::same::same_in_all_programs;
use pallas_ir::{IndexPattern, OpData, OpId, OpKind, ValueId};
use pallas_tensor::ops as tensor;
use pallas_tensor::ops::Combine;
use pallas_tensor::{Array, DType, Scalar, Shape};
use smallvec::SmallVec;

impl Machine<'_> {
    /// The dynamic parts of a subscript, and what follows them among the operands.
    fn indices(&self, op: &OpData, before: usize) -> (Indices, SmallVec<[Tile; 2]>) {
        let count = op.attributes.index().map_or(0, |pattern| pattern.operand_count());
        let tiles: SmallVec<[Tile; 4]> = op.operands.iter().skip(before).map(|&operand| self.tile(operand)).collect();
        let (indices, rest) = tiles.split_at(count.min(tiles.len()));
        (indices.iter().map(|tile| tile.known.clone()).collect(), rest.iter().cloned().collect())
    }

    pub(super) fn load(&mut self, id: OpId, op: &OpData) -> Run<()> {
        let (Some(&reference), Some(&result)) = (op.operands.first(), op.results.first()) else { return Ok(()) };
        let writes = usize::from(!matches!(op.op.kind, OpKind::Memory(MemoryOp::Load)));
        let shape = self.function.ty(result).shape().clone();
        self.lanes_outside(id, op, 1 + writes, &shape)?;
        match self.view(reference).map(|view| view.buffer) {
            Some(buffer) => self.effects.load(buffer, self.inputs.get(buffer) == Some(&true)),
            None => self.effects.act(),
        }
        let mut found = self.loaded(op, reference, 1 + writes, &shape)?;
        if writes == 0 && op.attributes.flag("masked") && !op.attributes.flag("other") {
            found = labels::either(found, self.left_out(op, reference, &shape)?);
        }
        let found = self.relabel(found, id);
        self.put(result, Value::Tile(Tile { shape, known: None, labels: found }));
        Ok(())
    }

    /// Notes a lane that lies outside of its Ref though the mask lets it through, where it is certain that the access happens.
    fn lanes_outside(&mut self, id: OpId, op: &OpData, before: usize, shape: &Shape) -> Run<()> {
        let is_certain = self.effects.unsure == 0 && op.attributes.flag("masked");
        if !is_certain || self.lanes.iter().any(|lane| lane.op == id) {
            return Ok(());
        }
        self.charge(shape.size() / ELEMENTS_PER_STEP)?;
        let (indices, rest) = self.indices(op, before);
        let mask = rest.first().and_then(|mask| mask.known.as_ref()).filter(|mask| mask.shape() == shape);
        let view = op.operands.first().and_then(|&reference| self.view(reference));
        let (Some(mask), Some(view), Some(pattern)) = (mask, view, op.attributes.index()) else { return Ok(()) };
        let (Some(extents), Some(buffer)) = (view.shape(), self.memory.get(view.buffer)) else { return Ok(()) };
        if let Some((axis, extent, position)) = lanes::outside(pattern, &indices, &extents, shape, mask) {
            let (name, program) = (buffer.name.clone(), self.program.clone());
            self.lanes.push(Lane { op: id, name, axis, extent, position, program });
        }
        Ok(())
    }

    fn loaded(&mut self, op: &OpData, reference: ValueId, before: usize, shape: &Shape) -> Run<Labels> {
        let Some(view) = self.view(reference).cloned() else { return Ok(None) };
        let Some(buffer) = self.memory.get(view.buffer) else { return Ok(None) };
        let Some(held) = buffer.labels.clone() else { return Ok(None) };
        let Some(pattern) = op.attributes.index() else { return Ok(None) };
        let extents = buffer.shape.clone();
        self.charge(shape.size() / ELEMENTS_PER_STEP)?;
        // Most loads are of all that there is.
        if !op.attributes.flag("masked") && view.is_whole(&extents) && pattern.is_full(&extents) {
            return Ok(Some(held));
        }
        let (indices, rest) = self.indices(op, before);
        let Some(positions) =
            access::positions(pattern, &indices, &view, &extents, shape, op.attributes.flag("masked"))
        else {
            // All that there is to read is another program's, wherever it is read.
            let is_masked = op.attributes.flag("masked");
            let label = self.left_by_others(view.buffer).filter(|_| !is_masked);
            return Ok(label.and_then(|label| labels::uniform(shape, label)));
        };
        let fine = Array::scalar(DType::I32, Scalar::Int(0));
        let taken = tensor::take_flat(&held, &positions, shape.clone(), &fine).ok().and_then(labels::tidy);
        if !op.attributes.flag("masked") {
            return Ok(taken);
        }
        if let Some(label) = self.left_by_others(view.buffer).filter(|_| self.is_common(op, before)) {
            return Ok(labels::uniform(shape, label));
        }
        // Without a known mask the element may be masked off.
        let mask = rest.first().and_then(|mask| mask.known.clone()).filter(|mask| mask.shape() == shape);
        Ok(mask.and_then(|mask| labels::keep_where(taken, &mask, true)))
    }

    /// The label of what other programs left, where a buffer holds nothing else, also after some of it was stored again.
    fn left_by_others(&self, buffer: usize) -> Option<i32> {
        let held = self.memory.get(buffer)?.labels.as_ref()?;
        let label = labels::only(held.elements::<i32>()?)?;
        let source = self.source(label)?;
        (matches!(source.kind, Garbage::Shared(_)) && (source.read.is_none() || source.somewhere)).then_some(label)
    }

    /// Whether an access has a mask that is not known, and the same in all programs: it takes the same elements in all of them.
    fn is_common(&self, op: &OpData, before: usize) -> bool {
        let count = op.attributes.index().map_or(0, |pattern| pattern.operand_count());
        let mask = op.operands.get(before + count).filter(|_| op.attributes.flag("masked"));
        mask.is_some_and(|&mask| {
            self.tile(mask).known.is_none() && same_in_all_programs(self.function, self.operands, self.grid.len(), mask)
        })
    }

    /// The labels of a buffer of other programs' elements after a store to one of which data says which it is, or whether it is
    /// made: all are other programs', and what has been read of them is stored in one.
    fn stored_somewhere(&mut self, view: &View, value: &Tile) -> Labels {
        self.left_by_others(view.buffer)?;
        let stored = labels::only(value.labels.as_ref()?.elements::<i32>()?)?;
        let source = self.source(stored).filter(|source| source.read.is_some() && source.buffer == view.buffer)?;
        let source = Source { somewhere: true, ..source.clone() };
        matches!(source.kind, Garbage::Shared(_)).then_some(())?;
        let known = self.sources.iter().position(|known| *known == source);
        let label = known.unwrap_or_else(|| {
            self.sources.push(source);
            self.sources.len() - 1
        });
        labels::uniform(&self.memory.get(view.buffer)?.shape, label as i32 + 1)
    }

    /// Labels of what a load has where its mask, if it is known, is false.
    fn left_out(&mut self, op: &OpData, reference: ValueId, shape: &Shape) -> Run<Labels> {
        let Some(buffer) = self.view(reference).map(|view| view.buffer) else { return Ok(None) };
        self.charge(shape.size() / ELEMENTS_PER_STEP)?;
        let (_, rest) = self.indices(op, 1);
        let mask = rest.first().and_then(|mask| mask.known.clone()).filter(|mask| mask.shape() == shape);
        let label = self.label(Garbage::Lanes, buffer);
        Ok(mask.and_then(|mask| labels::keep_where(labels::uniform(shape, label), &mask, false)))
    }

    /// Garbage that is read from memory gets the place of the read.
    fn relabel(&mut self, found: Labels, op: OpId) -> Labels {
        labels::map(found, |label| {
            if !self.is_unread(label) {
                return label;
            }
            if let Some(&known) = self.read.get(&(label, op)) {
                return known;
            }
            let Some(source) = self.source(label).cloned() else { return label };
            self.sources.push(Source { read: Some((op, self.program.clone())), ..source });
            let read = self.sources.len() as i32;
            self.read.insert((label, op), read);
            read
        })
    }

    pub(super) fn store(&mut self, id: OpId, op: &OpData) -> Run<()> {
        let [reference, value, ..] = op.operands[..] else { return Ok(()) };
        let value = self.tile(value);
        self.lanes_outside(id, op, 2, &value.shape)?;
        let Some(view) = self.view(reference).cloned() else {
            self.effects.act();
            return Ok(());
        };
        let Some(buffer) = self.memory.get(view.buffer) else { return Ok(()) };
        let extents = buffer.shape.clone();
        let is_plain = matches!(op.op.kind, OpKind::Memory(MemoryOp::Store | MemoryOp::Swap));
        let is_full = |pattern: &IndexPattern| view.is_whole(&extents) && pattern.is_full(&extents);
        let is_all = is_plain && !op.attributes.flag("masked") && op.attributes.index().is_some_and(is_full);
        self.effects.store(view.buffer, is_all, id);
        if buffer.labels.is_none() && value.labels.is_none() {
            return Ok(());
        }
        let (indices, rest) = self.indices(op, 2);
        if is_all {
            if let Some(buffer) = self.memory.get_mut(view.buffer) {
                buffer.labels = value.labels;
            }
            return Ok(());
        }
        self.charge(value.shape.size() / ELEMENTS_PER_STEP)?;
        let is_masked = op.attributes.flag("masked");
        let positions = op
            .attributes
            .index()
            .and_then(|pattern| access::positions(pattern, &indices, &view, &extents, &value.shape, is_masked));
        let mask = match is_masked {
            true => rest.first().map(|mask| mask.known.clone().filter(|mask| *mask.shape() == value.shape)),
            false => None,
        };
        let is_known = positions.is_some() && !matches!(mask, Some(None));
        let may_part = self.parts_by_masks && matches!(mask, Some(None)) && !self.is_common(op, 2);
        let somewhere = if is_known || may_part { None } else { self.stored_somewhere(&view, &value) };
        let written = match somewhere {
            Some(labels) => Some(labels),
            None => self.written(&view, positions, &value, mask, op),
        };
        if let Some(buffer) = self.memory.get_mut(view.buffer) {
            buffer.labels = written;
        }
        Ok(())
    }

    /// The labels of a buffer after a store. `mask` is `Some(None)` if there is one that is not known.
    fn written(
        &self,
        view: &View,
        positions: Option<Vec<i64>>,
        value: &Tile,
        mask: Option<Option<Array>>,
        op: &OpData,
    ) -> Labels {
        let buffer = self.memory.get(view.buffer)?;
        let mut positions = positions?;
        let mut held = labels::array(&buffer.labels, &buffer.shape)?;
        let mut stored = labels::array(&value.labels, &value.shape)?;
        match mask {
            None => {}
            Some(Some(mask)) => {
                for (position, keep) in positions.iter_mut().zip(mask.iter_scalars()) {
                    if keep.as_bool() != Some(true) {
                        *position = -1;
                    }
                }
            }
            // Written or not: garbage only if it is so both ways.
            Some(None) => {
                let fine = Array::scalar(DType::I32, Scalar::Int(0));
                let before =
                    tensor::take_flat(&held, &positions, value.shape.clone(), &fine).ok().and_then(labels::tidy);
                stored = labels::array(&labels::both(before, value.labels.clone()), &value.shape)?;
            }
        }
        // What an atomic adds to stays in the sum, and was read.
        if matches!(op.op.kind, OpKind::Memory(MemoryOp::Atomic)) && op.attributes.str("combine") != Some("xchg") {
            let before = op.results.first().and_then(|&result| self.tile(result).labels);
            stored = labels::array(&labels::either(before, value.labels.clone()), &value.shape)?;
        }
        held = tensor::scatter_flat(held, &positions, &stored, Combine::Replace).ok()?;
        labels::tidy(held)
    }

    pub(super) fn part(&mut self, op: &OpData) {
        let (Some(&reference), Some(&result)) = (op.operands.first(), op.results.first()) else { return };
        let Some(view) = self.view(reference).cloned() else { return };
        let (indices, _) = self.indices(op, 1);
        let part = op.attributes.index().and_then(|pattern| access::view(pattern, &indices, &view));
        self.put(result, Value::Ref(part.unwrap_or_else(|| view.some_part())));
    }
}
