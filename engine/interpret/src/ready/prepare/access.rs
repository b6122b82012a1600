//! Loads, stores and where their subscripts point.

use super::super::place::Place;
use super::super::{Act, From, Scalar};
use super::{Known, Lying, Preparer, copy, ready};
use crate::access::Access;
use crate::tape::{Source, Step};
use pallas_tensor::ops::fused::Chain;
use smallvec::SmallVec;
use std::sync::Arc;

impl Preparer<'_> {
    /// Where the subscript of a step points, in which memory, and what lies there.
    pub(super) fn place(
        &mut self,
        step: &Step,
        access: &Access,
        (reference, positions): (Source, &[Source]),
        writes: bool,
    ) -> Option<(Place, From, Lying)> {
        let positions: SmallVec<[Scalar; 4]> =
            positions.iter().map(|source| self.scalar(source.register)).collect::<Option<_>>()?;
        let Some(Known::Ref(buffer, all)) = self.known.get(&reference.register).cloned() else { return None };
        let is_apart = |slot: usize| self.kernel.owned.get(slot).is_some_and(|owned| owned.is_apart);
        if matches!(all.from, From::Slot(slot) if !writes && is_apart(slot)) {
            return None;
        }
        let at = (step.op, step.location, writes);
        let (place, strides) = Place::new(access, &positions, (buffer, &all.shape, &all.strides), at)?;
        let version = match all.from {
            From::Slot(slot) => self.versions.get(slot).copied().unwrap_or_default(),
            From::Input(_) | From::Constant(_) => 0,
        };
        let selected = Lying { shape: access.shape.clone(), strides, version, ..all };
        Some((place, selected.from, selected))
    }

    /// A load: where it lies, or a copy.
    pub(super) fn load(&mut self, step: &Step, access: &Access, acts: &mut Vec<Act>) -> Option<()> {
        let (&reference, positions) = step.operands.split_first()?;
        let (place, from, mut lying) = self.place(step, access, (reference, positions), false)?;
        let &[register] = &step.results[..] else { return None };
        if let From::Slot(slot) = from {
            self.kernel.owned.get_mut(slot)?.is_read = true;
        }
        match place.fixed() {
            Some(base) => lying.base = base,
            None => lying.moves = Some(self.find(place, acts)),
        }
        if self.copied.contains(&register) {
            let chain = copy(&lying)?;
            lying = self.tile(&chain, &[lying], acts)?;
        }
        self.known.insert(register, Known::Tile(lying));
        Some(())
    }

    /// Has it found where a part begins.
    pub(super) fn find(&mut self, place: Place, acts: &mut Vec<Act>) -> usize {
        let moves = self.kernel.bases;
        self.kernel.bases += 1;
        acts.push(Act::Find { place: Box::new(place), moves });
        moves
    }

    /// Has a chain compute what a Ref holds, or part of it.
    pub(super) fn store(
        &mut self,
        step: &Step,
        access: &Access,
        at: (Source, &[Source]),
        (chain, operands): (&Arc<Chain>, &[Lying]),
        is_outermost: bool,
        acts: &mut Vec<Act>,
    ) -> Option<()> {
        let (place, from, lying) = self.place(step, access, at, true)?;
        let From::Slot(slot) = from else { return None };
        if chain.dtype() != lying.dtype || *chain.shape() != lying.shape {
            return None;
        }
        if self.kernel.owned.get(slot)?.is_apart {
            // Once, and in every program: nobody sees what was there before.
            if !access.is_full() || !is_outermost || self.versions[slot] > 0 {
                return None;
            }
            let (ready, reads) = ready(chain, operands, &lying.strides)?;
            acts.push(Act::Apart { ready, reads, out: slot });
            self.versions[slot] += 1;
            return Some(());
        }
        // What is read where part of it is written is computed elsewhere first.
        let meets = !access.is_full() && operands.iter().any(|operand| operand.from == from);
        let (ready, reads) = if meets {
            let tile = self.tile(chain, operands, acts)?;
            ready(&copy(&tile)?, &[tile], &lying.strides)?
        } else {
            ready(chain, operands, &lying.strides)?
        };
        if access.is_full() {
            let spare = match self.spares.get(&slot) {
                Some(&spare) => spare,
                None => {
                    let spare = self.slot(lying.dtype, &lying.shape)?;
                    self.spares.insert(slot, spare);
                    spare
                }
            };
            acts.push(Act::Whole { ready, reads, spare, out: slot, skips: is_outermost });
        } else {
            self.kernel.owned.get_mut(slot)?.is_read = true;
            let (base, moves) = match place.fixed() {
                Some(base) => (base, None),
                None => (0, Some(self.find(place, acts))),
            };
            acts.push(Act::Tile { ready, reads, out: slot, base, moves });
        }
        self.versions[slot] += 1;
        Some(())
    }
}
