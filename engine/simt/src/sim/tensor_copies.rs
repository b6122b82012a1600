//! Copies to tensor memory in the simulator, and scales of factors: done in turn with products, as late as may be.

use super::memory::Access;
use super::products::Side;
use super::tensor::Work;
use super::world::World;
use super::{Fault, fault};
use crate::ir::{Inst, Kernel, MemoryId, Scales, TensorCopy, TensorProduct, TensorSource, Value};
use pallas_syntax::Span;
use std::collections::HashSet;

/// A copy of one block.
#[derive(Debug)]
pub(super) struct Copying {
    from: Side,
    to: usize,
    /// Where the elements of the source go, once for each time that they are there.
    targets: Vec<Vec<i64>>,
}

/// Terms of rows times the scales that they have, of which each row has as many: one for so many terms.
pub(super) fn scaled(factor: &mut [f64], scales: &[f64], block: usize) {
    for (number, scale) in scales.iter().enumerate() {
        let first = number * block;
        factor.iter_mut().skip(first).take(block).for_each(|term| *term *= scale);
    }
}

/// How many terms have one of these scales.
pub(super) fn terms_of_scale(kernel: &Kernel, scales: MemoryId) -> usize {
    TensorProduct::terms_of_scale(kernel.memory(scales).dtype).unwrap_or(TensorProduct::SCALED)
}

impl World<'_> {
    /// What tensor cores read of tensor memory: what they do before, nobody has to wait for.
    pub(super) fn lanes_lent(
        &mut self,
        inst: &Inst,
        memory: MemoryId,
        indices: Vec<i64>,
        rank: Option<usize>,
    ) -> Result<Side, Fault> {
        let at = match rank {
            None => self.at(memory),
            Some(rank) => self.at_rank(memory, rank)?,
        };
        let others: Vec<i64> = indices.iter().copied().filter(|&index| !self.rams[at].is_flying(index)).collect();
        let access = Access { threads: 1, actor: self.behind(), ..self.access(&others, 1, inst.span) };
        self.rams[at].lend(&access, true, &mut self.report);
        Ok(Side::Shared(at, indices))
    }

    /// The scales of both factors of a product.
    pub(super) fn scales_lent(
        &mut self,
        inst: &Inst,
        product: &TensorProduct,
        rank: Option<usize>,
    ) -> Result<Option<[Side; 2]>, Fault> {
        let Some([left, right]) = product.scales else { return Ok(None) };
        let [rows, columns, terms] = product.extents;
        let mut side = |memory: MemoryId, rows: usize| {
            let width = self.kernel.memory(memory).len;
            let scales = Scales::of(width, terms / terms_of_scale(self.kernel, memory));
            let place = |row: usize, number: usize| {
                let [lane, byte] = scales.place(row, number);
                (lane * width + byte) as i64
            };
            let indices = (0..rows).flat_map(|row| (0..scales.count).map(move |number| place(row, number))).collect();
            self.lanes_lent(inst, memory, indices, rank)
        };
        Ok(Some([side(left, rows)?, side(right, columns)?]))
    }

    pub(super) fn copy_tensor(&mut self, inst: &Inst, copy: TensorCopy) -> Result<(), Fault> {
        let mut copies = Vec::new();
        for rank in self.ranks(copy.pair)? {
            let (from, targets) = match copy.from {
                TensorSource::Rows(factor) => {
                    let targets = vec![self.lanes(copy.to, self.uniform(inst.operands[0])?, copy.extents, false)?];
                    (self.borrowed(inst, factor, inst.operands[1], copy.extents, rank)?, targets)
                }
                TensorSource::Scales(memory) => self.scales_borrowed(inst, &copy, memory, inst.operands[1], rank)?,
                TensorSource::Places(memory) => self.places_borrowed(inst, &copy, memory, inst.operands[1], rank)?,
            };
            let to = match rank {
                None => self.at(copy.to),
                Some(rank) => self.at_rank(copy.to, rank)?,
            };
            let read = self.read_in_turn(to);
            for target in &targets {
                let is_in_turn = |index: &i64| self.rams[to].is_flying(*index) || read.contains(index);
                let (behind, others): (Vec<i64>, Vec<i64>) = target.iter().copied().partition(is_in_turn);
                let access = Access { threads: 1, actor: self.behind(), ..self.access(&others, 1, inst.span) };
                self.rams[to].set_out(&access, &mut self.report);
                self.overlay(copy.to, &access);
                self.rams[to].follow(&behind);
            }
            copies.push(Copying { from, to, targets });
        }
        self.agents[self.turn].tensor.push(Work::Copies(copies), inst.span);
        Ok(())
    }

    /// Scales in shared memory, row by row, and where they go: 32 lanes have them, and the others have them again.
    fn scales_borrowed(
        &mut self,
        inst: &Inst,
        copy: &TensorCopy,
        memory: MemoryId,
        begin: Value,
        rank: Option<usize>,
    ) -> Result<(Side, Vec<Vec<i64>>), Fault> {
        let scales = Scales { rows: copy.extents[0], count: copy.extents[1] };
        let first = self.uniform(begin)?;
        if first % 16 != 0 {
            return Err(fault(format!("scales begin at byte {first} of shared memory, which is no multiple of 16")));
        }
        let all = || (0..scales.rows).flat_map(|row| (0..scales.count).map(move |number| (row, number)));
        let indices: Vec<i64> = all().map(|(row, number)| first + scales.lies(row, number) as i64).collect();
        let from = self.elements_borrowed(inst, memory, indices, rank)?;
        let width = self.kernel.memory(copy.to).len;
        let target = |quarter: usize| {
            let place = |(row, number)| {
                let [lane, byte] = scales.place(row, number);
                ((lane + quarter * Scales::LANES) * width + byte) as i64
            };
            all().map(place).collect()
        };
        let targets = (0..TensorProduct::LANES / Scales::LANES).map(target).collect();
        Ok((from, targets))
    }

    /// Elements of shared memory that are copied to tensor memory.
    pub(super) fn elements_borrowed(
        &mut self,
        inst: &Inst,
        memory: MemoryId,
        indices: Vec<i64>,
        rank: Option<usize>,
    ) -> Result<Side, Fault> {
        let at = match rank {
            None => self.at(memory),
            Some(rank) => self.at_rank(memory, rank)?,
        };
        let access = Access { threads: 1, ..self.access(&indices, 1, inst.span) };
        let bounded = self.rams[at].bounded(&access, &mut self.report);
        let access = Access { threads: 1, ..self.access(&bounded, 1, inst.span) };
        self.rams[at].lend(&access, false, &mut self.report);
        Ok(Side::Shared(at, bounded))
    }

    /// Elements that what the team has started reads: what comes behind may be told to write them.
    fn read_in_turn(&self, at: usize) -> HashSet<i64> {
        let mut read = HashSet::new();
        let mut note = |side: &Side| {
            if let Side::Shared(place, indices) = side
                && *place == at
            {
                read.extend(indices.iter().copied());
            }
        };
        for started in &self.agents[self.turn].tensor.under_way {
            let Work::Product(product) = &started.work else { continue };
            for part in &product.parts {
                note(&part.left);
                part.scales.iter().flatten().chain(&part.places).for_each(&mut note);
            }
        }
        read
    }

    /// Copies are over.
    pub(super) fn copied(&mut self, copies: Vec<Copying>, by: (u32, u32), span: Span) -> Result<(), Fault> {
        for Copying { from, to, targets } in copies {
            let Side::Shared(place, indices) = from else {
                return Err(fault("a copy from registers to tensor memory".to_string()));
            };
            let values = self.rams[place].elements(&indices)?;
            let access = Access { threads: 1, ..self.access(&indices, 1, span) };
            self.rams[place].take_back_by(&access, by);
            for target in targets {
                let access = Access { threads: 1, ..self.access(&target, 1, span) };
                self.rams[to].land(&access, Some(by));
                self.rams[to].replace(&target, &values)?;
            }
        }
        Ok(())
    }
}
