//! Products into tensor memory, in the simulator: they are done one after the other, as late as may be, when a phase is waited for that
//! counts them.

use super::boxes::Coming;
use super::memory::Access;
use super::products::Side;
use super::world::World;
use super::{Fault, fault};
use crate::ir::{Inst, MemoryId, TensorProduct};
use pallas_syntax::Span;
use pallas_tensor::{Array, DType, Scalar};
use std::collections::VecDeque;

/// Numbers of tensor cores among actors, one for each team.
const CORES: u32 = 128;

/// Products that a team has started.
#[derive(Debug, Default)]
pub(super) struct Queue {
    under_way: VecDeque<Started>,
    /// How many were started, ever.
    started: u32,
    /// How many of them are over.
    over: u32,
}

#[derive(Debug)]
struct Started {
    product: TensorProduct,
    sums: usize,
    /// Elements of the sums, row by row.
    indices: Vec<i64>,
    left: Side,
    right: Side,
    adds: bool,
    span: Span,
}

impl World<'_> {
    /// Elements of columns of tensor memory, by lane.
    fn lanes(&self, memory: MemoryId, first: i64, columns: usize) -> Result<Vec<i64>, Fault> {
        let width = self.kernel.memory(memory).len;
        if first < 0 || first as usize + columns > width {
            return Err(fault(format!(
                "columns {first} to {} of tensor memory, which has {width}",
                first + columns as i64
            )));
        }
        let place = |number: usize| ((number / columns) * width + first as usize + number % columns) as i64;
        Ok((0..TensorProduct::LANES * columns).map(place).collect())
    }

    pub(super) fn multiply_tensor(&mut self, inst: &Inst, product: TensorProduct) -> Result<(), Fault> {
        let [rows, columns, terms] = product.extents;
        let first = self.uniform(inst.operands[0])?;
        let adds = self.get(inst.operands[3])?.get(0).and_then(Scalar::as_bool) == Some(true);
        let left = self.borrowed(inst, product.left, inst.operands[1], [rows, terms])?;
        let right = self.borrowed(inst, product.right, inst.operands[2], [columns, terms])?;
        let indices = self.lanes(product.acc, first, columns)?;
        let sums = self.at(product.acc);
        // Products wait for each other, not for threads.
        let others: Vec<i64> = indices.iter().copied().filter(|&index| !self.rams[sums].is_flying(index)).collect();
        let access = Access { threads: 1, ..self.access(&others, 1, inst.span) };
        if adds {
            self.rams[sums].seen(&access, &mut self.report);
        }
        self.rams[sums].set_out(&access, &mut self.report);
        let queue = &mut self.agents[self.turn].tensor;
        queue.started += 1;
        queue.under_way.push_back(Started { product, sums, indices, left, right, adds, span: inst.span });
        Ok(())
    }

    pub(super) fn arrive_tensor(&mut self, inst: &Inst, phases: MemoryId) -> Result<(), Fault> {
        let place = self.phases_at(phases, inst.operands[0], None)?;
        let upto = self.agents[self.turn].tensor.started;
        self.expect(place, Coming::Products { team: self.turn, upto });
        let told = self.actor().tell(true);
        self.arrive_at(place, &told)
    }

    /// The actor and clock that products of a team are over by.
    pub(super) fn products_by(team: usize, upto: u32) -> (u32, u32) {
        (CORES + team as u32, upto)
    }

    /// Does a team's products up to this one.
    pub(super) fn finish_products(&mut self, team: usize, upto: u32) -> Result<(), Fault> {
        while self.agents[team].tensor.over < upto {
            let Some(started) = self.agents[team].tensor.under_way.pop_front() else { return Ok(()) };
            self.agents[team].tensor.over += 1;
            let by = Self::products_by(team, self.agents[team].tensor.over);
            let Started { product, sums, indices, left, right, adds, span } = started;
            let [rows, columns, terms] = product.extents;
            let left = self.read_by(&left, by, span)?;
            let right = self.read_by(&right, by, span)?;
            let old = self.rams[sums].elements(&indices)?.into_elements::<f32>().unwrap_or_default();
            let mut new = Vec::with_capacity(rows * columns);
            for row in 0..rows {
                for column in 0..columns {
                    let (a, b) = (&left[row * terms..(row + 1) * terms], &right[column * terms..(column + 1) * terms]);
                    let total: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                    let before = if adds { old[row * columns + column] } else { 0.0 };
                    new.push(Scalar::Float(f64::from(before + total as f32)));
                }
            }
            let values = Array::from_scalars(DType::F32, [new.len()].as_slice(), &new)?;
            let access = Access { threads: 1, ..self.access(&indices, 1, span) };
            self.rams[sums].land(&access, Some(by));
            self.rams[sums].replace(&indices, &values)?;
        }
        Ok(())
    }

    pub(super) fn load_tensor(&mut self, inst: &Inst, memory: MemoryId) -> Result<(), Fault> {
        let columns = self.kernel.ty(inst.results[0]).regs as usize;
        let indices = self.by_register(memory, inst, columns)?;
        let at = self.at(memory);
        let access = self.access(&indices, 1, inst.span);
        self.rams[at].seen(&access, &mut self.report);
        let loaded = self.rams[at].elements(&indices)?;
        self.put(inst.results[0], loaded);
        Ok(())
    }

    pub(super) fn store_tensor(&mut self, inst: &Inst, memory: MemoryId) -> Result<(), Fault> {
        let columns = self.kernel.ty(inst.operands[1]).regs as usize;
        let indices = self.by_register(memory, inst, columns)?;
        let (at, values) = (self.at(memory), self.get(inst.operands[1])?);
        let access = self.access(&indices, 1, inst.span);
        self.rams[at].write(&access, false, &mut self.report);
        self.rams[at].replace(&indices, &values)
    }

    /// Elements by register, then thread.
    fn by_register(&self, memory: MemoryId, inst: &Inst, columns: usize) -> Result<Vec<i64>, Fault> {
        let lanes = self.lanes(memory, self.uniform(inst.operands[0])?, columns)?;
        let threads = self.threads;
        Ok((0..columns * threads).map(|position| lanes[position % threads * columns + position / threads]).collect())
    }
}
