//! Products into tensor memory, in the simulator: they are done one after the other, as late as may be, when a phase is waited for that
//! counts them.

use super::actor::Actor;
use super::boxes::Coming;
use super::memory::Access;
use super::products::Side;
use super::sparse::spread;
use super::tensor_copies::{Copying, scaled, terms_of_scale};
use super::world::World;
use super::{Fault, fault};
use crate::ir::{Inst, LeftFactor, MemoryId, TensorProduct, Value};
use crate::lower::tensor::packed;
use crate::pairs;
use pallas_syntax::Span;
use pallas_tensor::{Array, DType, Scalar, ops};
use std::collections::VecDeque;
use std::rc::Rc;

/// Products, and copies to tensor memory, that a team has started.
#[derive(Debug, Default)]
pub(super) struct Queue {
    pub(super) under_way: VecDeque<Started>,
    /// How many were started, ever.
    started: u32,
    /// How many of them are over.
    over: u32,
}

#[derive(Debug)]
pub(super) struct Started {
    pub(super) work: Work,
    span: Span,
}

/// What is done in turn.
#[derive(Debug)]
pub(super) enum Work {
    Product(Multiplying),
    /// For each block that takes part.
    Copies(Vec<Copying>),
}

#[derive(Debug)]
pub(super) struct Multiplying {
    product: TensorProduct,
    /// For each block that takes part.
    pub(super) parts: Vec<Part>,
    /// Elements of the sums, row by row.
    indices: Vec<i64>,
    adds: bool,
}

/// What a block gives to a product, and where its sums go.
#[derive(Debug)]
pub(super) struct Part {
    sums: usize,
    pub(super) left: Side,
    right: Side,
    /// Of both factors, row by row; all columns of the right one.
    pub(super) scales: Option<[Side; 2]>,
    /// Where the elements of a sparse left factor stand.
    pub(super) places: Option<Side>,
}

impl Queue {
    pub(super) fn push(&mut self, work: Work, span: Span) {
        self.started += 1;
        self.under_way.push_back(Started { work, span });
    }
}

/// Floats of four bits in bytes.
fn taken_apart(bytes: &[f64]) -> Result<Vec<f64>, Fault> {
    let elements = pairs::taken_apart(bytes.iter().map(|&byte| byte as u8).collect())?;
    let elements = ops::convert(&elements, DType::F64)?;
    Ok(elements.into_elements::<f64>().unwrap_or_default())
}

impl World<'_> {
    /// Elements of columns of tensor memory, row by row, of a block by itself or of one of a pair.
    pub(super) fn lanes(
        &self,
        memory: MemoryId,
        first: i64,
        extents: [usize; 2],
        pair: bool,
    ) -> Result<Vec<i64>, Fault> {
        let (width, columns) = (self.kernel.memory(memory).len, TensorProduct::columns(extents));
        let last = first + columns as i64;
        let Some(first) = usize::try_from(first).ok().filter(|first| first + columns <= width) else {
            return Err(fault(format!("columns {first} to {last} of tensor memory, which has {width}")));
        };
        if !first.is_multiple_of(packed(self.kernel.memory(memory).dtype)) {
            return Err(fault(format!(
                "elements of tensor memory from {first} on, which is in the middle of a column"
            )));
        }
        let place = |number: usize| {
            let [lane, column] = TensorProduct::place(extents, pair, number / extents[1], number % extents[1]);
            (lane * width + first + column) as i64
        };
        Ok((0..extents[0] * extents[1]).map(place).collect())
    }

    /// The left factor of a product, which nobody may write now.
    fn left_factor(
        &mut self,
        inst: &Inst,
        product: &TensorProduct,
        begin: Value,
        rank: Option<usize>,
    ) -> Result<Side, Fault> {
        let [rows, _, terms] = product.extents;
        match product.left {
            LeftFactor::Shared(left) => {
                self.borrowed(inst, left, begin, [rows, terms / product.thin() / product.stored().0], rank)
            }
            LeftFactor::Tensor(left) => {
                let indices = self.lanes(left, self.uniform(begin)?, [rows, terms], false)?;
                self.lanes_lent(inst, left, indices, rank)
            }
        }
    }

    pub(super) fn multiply_tensor(&mut self, inst: &Inst, product: TensorProduct) -> Result<(), Fault> {
        let [rows, columns, terms] = product.extents;
        let first = self.uniform(inst.operands[0])?;
        let adds = self.get(inst.operands[3])?.get(0).and_then(Scalar::as_bool) == Some(true);
        let indices = self.lanes(product.acc, first, [rows, columns], product.pair)?;
        let ranks = self.ranks(product.pair)?;
        let mut parts = Vec::new();
        let own = columns / ranks.len();
        for rank in ranks {
            let left = self.left_factor(inst, &product, inst.operands[1], rank)?;
            let right =
                self.borrowed(inst, product.right, inst.operands[2], [own, terms / product.stored().0], rank)?;
            let scales = self.scales_lent(inst, &product, rank)?;
            let places = self.places_lent(inst, &product, rank)?;
            let sums = match rank {
                None => self.at(product.acc),
                Some(rank) => self.at_rank(product.acc, rank)?,
            };
            // Products wait for each other, not for threads.
            let others: Vec<i64> = indices.iter().copied().filter(|&index| !self.rams[sums].is_flying(index)).collect();
            let actor = self.behind();
            let access = Access { threads: 1, actor, ..self.access(&others, 1, inst.span) };
            if adds {
                self.rams[sums].holds(&access, &mut self.report);
            }
            self.rams[sums].set_out(&access, &mut self.report);
            self.overlay(product.acc, &access);
            parts.push(Part { sums, left, right, scales, places });
        }
        let work = Work::Product(Multiplying { product, parts, indices, adds });
        self.agents[self.turn].tensor.push(work, inst.span);
        Ok(())
    }

    /// The team, as one whose tensor cores have done all that it told them.
    pub(super) fn behind(&self) -> Rc<Actor> {
        Rc::new(self.agents[self.turn].actor.with(self.cores() + self.turn as u32))
    }

    /// The blocks that tensor cores do something for: the one at hand, or it and the next one.
    pub(super) fn ranks(&self, pair: bool) -> Result<Vec<Option<usize>>, Fault> {
        if !pair {
            return Ok(vec![None]);
        }
        let own = self.agents[self.turn].actor.block % self.kernel.cluster as usize;
        match own.is_multiple_of(2) {
            true => Ok(vec![Some(own), Some(own + 1)]),
            false => Err(fault(format!("block {own} of a cluster multiplies for two, and the one before it has to"))),
        }
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
            let (work, span) = (started.work, started.span);
            let Multiplying { product, parts, indices, adds } = match work {
                Work::Product(product) => product,
                Work::Copies(copies) => {
                    self.copied(copies, by, span)?;
                    continue;
                }
            };
            let [rows, columns, terms] = product.extents;
            let (mut lefts, mut whole) = (Vec::new(), Vec::new());
            for part in &parts {
                lefts.push(self.read_by(&part.left, by, span)?);
                whole.extend(self.read_by(&part.right, by, span)?);
            }
            if product.dtype == DType::F4E2M1Fn {
                whole = taken_apart(&whole)?;
                lefts = lefts.iter().map(|left| taken_apart(left)).collect::<Result<_, Fault>>()?;
            }
            let block = product.scales.map_or(1, |[left, _]| terms_of_scale(self.kernel, left));
            for (Part { sums, scales, places, .. }, mut left) in parts.iter().zip(lefts) {
                let mut right = whole.clone();
                if let Some([of_left, of_right]) = scales {
                    scaled(&mut left, &self.read_by(of_left, by, span)?, block);
                    scaled(&mut right, &self.read_by(of_right, by, span)?, block);
                }
                if let Some(places) = places {
                    left = spread(product.dtype, &left, &self.read_by(places, by, span)?, terms);
                }
                let old = ops::convert(&self.rams[*sums].elements(&indices)?, DType::F64)?;
                let old = old.into_elements::<f64>().unwrap_or_default();
                let mut new = Vec::with_capacity(rows * columns);
                for row in 0..rows {
                    for column in 0..columns {
                        let (a, b) =
                            (&left[row * terms..(row + 1) * terms], &right[column * terms..(column + 1) * terms]);
                        let total: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                        let before = if adds { old[row * columns + column] } else { 0.0 };
                        new.push(match product.sums() {
                            DType::I32 => Scalar::Int(i128::from((before as i64 + total as i64) as i32)),
                            _ => Scalar::Float(f64::from(before as f32 + total as f32)),
                        });
                    }
                }
                let values = Array::from_scalars(product.sums(), [new.len()].as_slice(), &new)?;
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
        self.overlay(memory, &access);
        self.rams[at].replace(&indices, &values)
    }

    /// Elements by register, then thread.
    fn by_register(&self, memory: MemoryId, inst: &Inst, columns: usize) -> Result<Vec<i64>, Fault> {
        let lanes = self.lanes(memory, self.uniform(inst.operands[0])?, [TensorProduct::LANES, columns], false)?;
        let threads = self.threads;
        Ok((0..columns * threads).map(|position| lanes[position % threads * columns + position / threads]).collect())
    }
}
