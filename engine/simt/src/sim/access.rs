//! Loads, stores and atomics in the simulator.

use super::memory::Access;
use super::world::World;
use super::{Fault, fault, is_wide};
use crate::ir::{Combine, Inst, MemoryId, Value};
use pallas_ir::op::EvalContext;
use pallas_ir::{OpKind, TensorType, Type};
use pallas_syntax::Span;
use pallas_tensor::{Array, Scalar, ops};

impl World<'_> {
    /// Indices of an access, -1 where masked off or outside.
    pub(super) fn indices(
        &mut self,
        index: Value,
        span: Span,
        memory: MemoryId,
        mask: Option<Value>,
        vector: u32,
    ) -> Result<Vec<i64>, Fault> {
        let index = self.get(index)?;
        let index = index.elements::<i32>().ok_or_else(|| fault("an index is no i32".to_string()))?.to_vec();
        let mask = match mask {
            Some(mask) => Some(self.get(mask)?),
            None => None,
        };
        let flags = mask.as_ref().and_then(Array::elements::<bool>);
        let indices: Vec<i64> = index
            .iter()
            .enumerate()
            .map(|(element, &index)| match flags {
                Some(flags) if !flags[element] => -1,
                // What is outside on the left must not look masked off.
                _ if index < 0 => i64::from(index) - 1,
                _ => i64::from(index),
            })
            .collect();
        if vector > 1 && !is_wide(&indices, self.threads, vector as usize) {
            return Err(fault("registers of a wide access are no neighbours".to_string()));
        }
        let access = self.access(&indices, vector, span);
        Ok(self.rams[self.at(memory)].bounded(&access, &mut self.report))
    }

    pub(super) fn access<'i>(&self, indices: &'i [i64], vector: u32, span: Span) -> Access<'i> {
        let actor = self.agents[self.turn].actor.clone();
        Access { indices, vector: vector as usize, threads: self.threads, actor, span }
    }

    pub(super) fn load(
        &mut self,
        inst: &Inst,
        memory: MemoryId,
        masked: bool,
        other: bool,
        vector: u32,
    ) -> Result<(), Fault> {
        let mask = masked.then(|| inst.operands[1]);
        let indices = self.indices(inst.operands[0], inst.span, memory, mask, vector)?;
        let access = self.access(&indices, vector, inst.span);
        let at = self.at(memory);
        let ram = &mut self.rams[at];
        ram.read(&access, &mut self.report);
        let zero = Array::scalar(ram.array.dtype(), Scalar::zero(ram.array.dtype()));
        let mut loaded = ops::take_flat(&ram.array, &indices, [indices.len()].as_slice(), &zero)?;
        if let (Some(mask), true) = (mask, other) {
            loaded = ops::select(&self.get(mask)?, &loaded, &self.get(inst.operands[2])?)?;
        }
        self.put(inst.results[0], loaded);
        Ok(())
    }

    pub(super) fn store(&mut self, inst: &Inst, memory: MemoryId, masked: bool, vector: u32) -> Result<(), Fault> {
        let indices = self.indices(inst.operands[0], inst.span, memory, masked.then(|| inst.operands[2]), vector)?;
        let value = self.get(inst.operands[1])?;
        let access = self.access(&indices, vector, inst.span);
        self.overlay(memory, &access);
        let at = self.at(memory);
        let ram = &mut self.rams[at];
        ram.write(&access, false, &mut self.report);
        let nothing = Array::scalar(value.dtype(), Scalar::zero(value.dtype()));
        let array = std::mem::replace(&mut ram.array, nothing);
        ram.array = ops::scatter_flat(array, &indices, &value, ops::Combine::Replace)?;
        Ok(())
    }

    /// One element after the other, in the order of registers and threads.
    pub(super) fn atomic(
        &mut self,
        inst: &Inst,
        memory: MemoryId,
        combine: Combine,
        masked: bool,
    ) -> Result<(), Fault> {
        let indices = self.indices(inst.operands[0], inst.span, memory, masked.then(|| inst.operands[2]), 1)?;
        let value = self.get(inst.operands[1])?;
        let access = self.access(&indices, 1, inst.span);
        self.overlay(memory, &access);
        let at = self.at(memory);
        let ram = &mut self.rams[at];
        ram.write(&access, true, &mut self.report);
        let dtype = value.dtype();
        let mut old = Array::zeros(dtype, [indices.len()].as_slice())?;
        for (position, &index) in indices.iter().enumerate() {
            let Ok(element) = usize::try_from(index) else { continue };
            let (Some(before), Some(new)) = (ram.array.get(element), value.get(position)) else { continue };
            old.set(position, before);
            let after = match combine.op() {
                None => new,
                Some(op) => {
                    let OpKind::Pure { eval, .. } = &op.kind else { continue };
                    let types = [Type::Tensor(TensorType::scalar(dtype))];
                    let context = EvalContext { attributes: &pallas_ir::Attributes::none(), results: &types };
                    let operands = [before, new].map(|element| Array::scalar(dtype, element));
                    let result =
                        eval(&context, operands.into_iter().collect()).map_err(|error| fault(error.message))?;
                    result.first().and_then(Array::item).unwrap_or(before)
                }
            };
            ram.array.set(element, after);
        }
        self.put(inst.results[0], old);
        Ok(())
    }
}
