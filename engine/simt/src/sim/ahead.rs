//! Copies ahead in the simulator: what was started lands when it is waited for, no sooner. Until then nobody may touch the place.

use super::world::World;
use super::{Fault, is_wide};
use crate::ir::{Inst, MemoryId};
use pallas_syntax::Span;
use pallas_tensor::{Array, Scalar, ops};
use std::collections::VecDeque;

/// Copies under way.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// Started, and in no group yet.
    open: Vec<Copy>,
    groups: VecDeque<Vec<Copy>>,
}

/// Elements on their way.
#[derive(Debug)]
struct Copy {
    to: MemoryId,
    indices: Vec<i64>,
    values: Array,
    span: Span,
}

impl World<'_> {
    pub(super) fn copy_ahead(&mut self, inst: &Inst, from: MemoryId, to: MemoryId, vector: u32) -> Result<(), Fault> {
        let mask = inst.operands[2];
        let source = self.indices(inst.operands[0], inst.span, from, Some(mask), vector)?;
        let indices = self.indices(inst.operands[1], inst.span, to, Some(mask), vector)?;
        if !is_wide(&source, self.threads, vector as usize) {
            return Err(super::fault("a copy of what is no neighbours".to_string()));
        }
        let access = self.access(&source, vector, inst.span);
        let (from, there) = (self.at(from), self.at(to));
        let ram = &mut self.rams[from];
        ram.read(&access, &mut self.report);
        let zero = Array::scalar(ram.array.dtype(), Scalar::zero(ram.array.dtype()));
        let values = ops::take_flat(&ram.array, &source, [source.len()].as_slice(), &zero)?;
        let access = self.access(&indices, vector, inst.span);
        self.overlay(to, &access);
        self.rams[there].set_out(&access, &mut self.report);
        self.agents[self.turn].copies.open.push(Copy { to, indices, values, span: inst.span });
        Ok(())
    }

    pub(super) fn commit_ahead(&mut self) {
        let group = std::mem::take(&mut self.agents[self.turn].copies.open);
        self.agents[self.turn].copies.groups.push_back(group);
    }

    pub(super) fn wait_ahead(&mut self, pending: u32) -> Result<(), Fault> {
        while self.agents[self.turn].copies.groups.len() > pending as usize {
            for Copy { to, indices, values, span } in
                self.agents[self.turn].copies.groups.pop_front().unwrap_or_default()
            {
                let access = self.access(&indices, 1, span);
                let to = self.at(to);
                let ram = &mut self.rams[to];
                ram.land(&access, None);
                let nothing = Array::scalar(values.dtype(), Scalar::zero(values.dtype()));
                let array = std::mem::replace(&mut ram.array, nothing);
                ram.array = ops::scatter_flat(array, &indices, &values, ops::Combine::Replace)?;
            }
        }
        Ok(())
    }
}
