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
use std::rc::Rc;

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
    /// For each block that takes part.
    parts: Vec<Part>,
    /// Elements of the sums, row by row.
    indices: Vec<i64>,
    adds: bool,
    span: Span,
}

/// What a block gives to a product, and where its sums go.
#[derive(Debug)]
struct Part {
    sums: usize,
    left: Side,
    right: Side,
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
        let indices = self.lanes(product.acc, first, columns)?;
        let ranks = match product.pair {
            false => vec![None],
            true => {
                let own = self.agents[self.turn].actor.block % self.kernel.cluster as usize;
                if !own.is_multiple_of(2) {
                    return Err(fault(format!(
                        "block {own} of a cluster multiplies for two, and the one before it has to"
                    )));
                }
                vec![Some(own), Some(own + 1)]
            }
        };
        let mut parts = Vec::new();
        let columns = columns / ranks.len();
        for rank in ranks {
            let left = self.borrowed(inst, product.left, inst.operands[1], [rows, terms], rank)?;
            let right = self.borrowed(inst, product.right, inst.operands[2], [columns, terms], rank)?;
            let sums = match rank {
                None => self.at(product.acc),
                Some(rank) => self.at_rank(product.acc, rank)?,
            };
            // Products wait for each other, not for threads.
            let others: Vec<i64> = indices.iter().copied().filter(|&index| !self.rams[sums].is_flying(index)).collect();
            let actor = Rc::new(self.agents[self.turn].actor.with(self.cores() + self.turn as u32));
            let access = Access { threads: 1, actor, ..self.access(&others, 1, inst.span) };
            if adds {
                self.rams[sums].holds(&access, &mut self.report);
            }
            self.rams[sums].set_out(&access, &mut self.report);
            parts.push(Part { sums, left, right });
        }
        let queue = &mut self.agents[self.turn].tensor;
        queue.started += 1;
        queue.under_way.push_back(Started { product, parts, indices, adds, span: inst.span });
        Ok(())
    }

    pub(super) fn arrive_tensor(&mut self, inst: &Inst, phases: MemoryId, pair: bool) -> Result<(), Fault> {
        let ranks = match pair {
            false => vec![None],
            true => {
                let first = self.rank(inst.operands[1])?;
                vec![Some(first), Some(first + 1)]
            }
        };
        let upto = self.agents[self.turn].tensor.started;
        let told = self.actor().tell(true);
        for rank in ranks {
            let place = self.phases_at(phases, inst.operands[0], rank)?;
            self.expect(place, Coming::Products { team: self.turn, upto });
            self.arrive_at(place, &told)?;
        }
        Ok(())
    }

    /// The actor and clock that products of a team are over by.
    fn products_by(&self, team: usize, upto: u32) -> (u32, u32) {
        (self.cores() + team as u32, upto)
    }

    /// The number among actors of the first team's tensor cores.
    pub(super) fn cores(&self) -> u32 {
        (self.teams_at_once() * (1 + self.warps_of_team())) as u32
    }

    /// Does a team's products up to this one.
    pub(super) fn finish_products(&mut self, team: usize, upto: u32) -> Result<(), Fault> {
        while self.agents[team].tensor.over < upto {
            let Some(started) = self.agents[team].tensor.under_way.pop_front() else { return Ok(()) };
            self.agents[team].tensor.over += 1;
            let by = self.products_by(team, self.agents[team].tensor.over);
            let Started { product, parts, indices, adds, span } = started;
            let [rows, columns, terms] = product.extents;
            let (mut lefts, mut right) = (Vec::new(), Vec::new());
            for part in &parts {
                lefts.push(self.read_by(&part.left, by, span)?);
                right.extend(self.read_by(&part.right, by, span)?);
            }
            for (Part { sums, .. }, left) in parts.iter().zip(lefts) {
                let old = self.rams[*sums].elements(&indices)?.into_elements::<f32>().unwrap_or_default();
                let mut new = Vec::with_capacity(rows * columns);
                for row in 0..rows {
                    for column in 0..columns {
                        let (a, b) =
                            (&left[row * terms..(row + 1) * terms], &right[column * terms..(column + 1) * terms]);
                        let total: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                        let before = if adds { old[row * columns + column] } else { 0.0 };
                        new.push(Scalar::Float(f64::from(before + total as f32)));
                    }
                }
                let values = Array::from_scalars(DType::F32, [new.len()].as_slice(), &new)?;
                let access = Access { threads: 1, ..self.access(&indices, 1, span) };
                self.rams[*sums].land(&access, Some(by));
                self.rams[*sums].replace(&indices, &values)?;
            }
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
