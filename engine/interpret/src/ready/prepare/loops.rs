//! Loops: what goes from round to round has a place of its own.

use super::super::{Act, Carry, From};
use super::{Known, Lying, Preparer, carry};
use crate::tape::{Action, Block, FusedEnd, Step};
use pallas_tensor::DType;

impl Preparer<'_> {
    pub(super) fn for_step(&mut self, step: &Step, body: &Block, acts: &mut Vec<Act>) -> Option<()> {
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
    pub(super) fn written(&mut self, block: &Block) {
        for step in &block.steps {
            let stores = match &step.action {
                Action::Store(..) => true,
                Action::Product(product) => product.onto.is_some(),
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
