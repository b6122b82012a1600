//! Products that a team starts and waits for, in the simulator: they are done as late as may be, when somebody waits.

use super::memory::Access;
use super::report::{Complaint, Kind};
use super::world::World;
use super::{Fault, fault};
use crate::ir::{Factor, Inst, MemoryId, Product, Value};
use pallas_syntax::Span;
use pallas_tensor::{Array, DType, Scalar, ops};
use std::collections::{HashMap, VecDeque};

/// Products and accumulators of a team.
#[derive(Debug, Default)]
pub(super) struct Products {
    accumulators: HashMap<MemoryId, Array>,
    under_way: VecDeque<Started>,
}

#[derive(Debug)]
struct Started {
    product: Product,
    left: Side,
    right: Side,
    span: Span,
}

/// A factor: in registers, or elements of shared memory, row by row of what is not summed up.
#[derive(Debug)]
pub(super) enum Side {
    Registers(Vec<f64>),
    Shared(usize, Vec<i64>),
}

impl World<'_> {
    pub(super) fn take(&mut self, inst: &Inst, memory: MemoryId) -> Result<(), Fault> {
        self.settled(inst, memory);
        let products = &self.agents[self.turn].products;
        let array = products.accumulators.get(&memory).cloned();
        let array = array.ok_or_else(|| fault("registers are read that hold nothing".to_string()))?;
        self.put(inst.results[0], array);
        Ok(())
    }

    pub(super) fn keep(&mut self, inst: &Inst, memory: MemoryId) -> Result<(), Fault> {
        self.settled(inst, memory);
        let array = self.get(inst.operands[0])?;
        self.agents[self.turn].products.accumulators.insert(memory, array);
        Ok(())
    }

    /// Complains if a product into registers is under way.
    fn settled(&mut self, inst: &Inst, memory: MemoryId) {
        let agent = &self.agents[self.turn];
        if agent.products.under_way.iter().any(|started| started.product.acc == memory) {
            let complaint = || Complaint {
                kind: Kind::UnderWay,
                memory: self.kernel.memory(memory).name.clone(),
                element: 0,
                block: agent.actor.block,
                threads: (0, None),
                span: inst.span,
                met: None,
                other: None,
            };
            self.report.complain(complaint, Kind::UnderWay);
        }
    }

    pub(super) fn multiply(&mut self, inst: &Inst, product: Product) -> Result<(), Fault> {
        let [rows, columns, terms] = product.extents;
        let left = match product.left {
            Some(factor) => self.borrowed(inst, factor, inst.operands[0], [rows, terms], None)?,
            None => {
                let array = ops::convert(&self.get(inst.operands[0])?, DType::F64)?;
                Side::Registers(array.into_elements::<f64>().unwrap_or_default())
            }
        };
        let right = self.borrowed(inst, product.right, inst.operands[1], [columns, terms], None)?;
        let started = Started { product, left, right, span: inst.span };
        self.agents[self.turn].products.under_way.push_back(started);
        Ok(())
    }

    /// Elements of a factor in shared memory, which nobody may write now.
    pub(super) fn borrowed(
        &mut self,
        inst: &Inst,
        factor: Factor,
        begin: Value,
        [free, terms]: [usize; 2],
        rank: Option<usize>,
    ) -> Result<Side, Fault> {
        let bytes = self.kernel.memory(factor.memory).dtype.size_bytes();
        let begin = self.uniform(begin)?;
        // Rows come in eights, and pieces change places by where they lie.
        let first = usize::try_from(begin).ok().filter(|first| {
            let byte = first * bytes % (8 * factor.swizzle);
            byte < factor.swizzle && byte.is_multiple_of(16)
        });
        let first = first.ok_or_else(|| fault(format!("a factor begins at element {begin}, where no rows begin")))?;
        let place = |number: usize| factor.place(first, number / terms, number % terms, bytes) as i64;
        let indices: Vec<i64> = (0..free * terms).map(place).collect();
        let at = match rank {
            None => self.at(factor.memory),
            Some(rank) => self.at_rank(factor.memory, rank)?,
        };
        let access = Access { threads: 1, ..self.access(&indices, 1, inst.span) };
        let bounded = self.rams[at].bounded(&access, &mut self.report);
        let access = Access { threads: 1, ..self.access(&bounded, 1, inst.span) };
        self.rams[at].lend(&access, false, &mut self.report);
        Ok(Side::Shared(at, bounded))
    }

    pub(super) fn wait_products(&mut self, pending: u32) -> Result<(), Fault> {
        while self.agents[self.turn].products.under_way.len() > pending as usize {
            let Some(started) = self.agents[self.turn].products.under_way.pop_front() else { break };
            let Started { product, left, right, span } = started;
            let left = self.returned(left, span)?;
            let right = self.returned(right, span)?;
            self.multiplied(product, &left, &right)?;
        }
        Ok(())
    }

    /// What a factor in shared memory holds, read by tensor cores that have come so far.
    pub(super) fn read_by(&mut self, side: &Side, by: (u32, u32), span: Span) -> Result<Vec<f64>, Fault> {
        let Side::Shared(at, indices) = side else { return Err(fault("a factor in registers".to_string())) };
        let elements = ops::convert(&self.rams[*at].elements(indices)?, DType::F64)?;
        let access = Access { threads: 1, ..self.access(indices, 1, span) };
        self.rams[*at].take_back_by(&access, by);
        Ok(elements.into_elements::<f64>().unwrap_or_default())
    }

    /// What a factor holds; it may be written again once all threads know.
    fn returned(&mut self, side: Side, span: Span) -> Result<Factors, Fault> {
        match side {
            Side::Registers(elements) => Ok(Factors::Registers(elements)),
            Side::Shared(at, indices) => {
                let elements = ops::convert(&self.rams[at].elements(&indices)?, DType::F64)?;
                let access = Access { threads: 1, ..self.access(&indices, 1, span) };
                self.rams[at].take_back(&access, true);
                Ok(Factors::Rows(elements.into_elements::<f64>().unwrap_or_default()))
            }
        }
    }

    fn multiplied(&mut self, product: Product, left: &Factors, right: &Factors) -> Result<(), Fault> {
        let terms = product.extents[2];
        let threads = self.threads;
        let acc = self.agents[self.turn].products.accumulators.get(&product.acc).cloned();
        let acc = acc.ok_or_else(|| fault("a product is added to registers that hold nothing".to_string()))?;
        let mut sums: Vec<f32> = acc.into_elements::<f32>().unwrap_or_default();
        let Factors::Rows(right) = right else { return Err(fault("a right factor in registers".to_string())) };
        for (position, sum) in sums.iter_mut().enumerate() {
            let [row, column] = product.place(position / threads, position % threads);
            let total: f64 =
                (0..terms).map(|term| left.element(&product, row, term, threads) * right[column * terms + term]).sum();
            *sum += total as f32;
        }
        let elements: Vec<Scalar> = sums.iter().map(|&sum| Scalar::Float(f64::from(sum))).collect();
        let array = Array::from_scalars(DType::F32, [elements.len()].as_slice(), &elements)?;
        self.agents[self.turn].products.accumulators.insert(product.acc, array);
        Ok(())
    }
}

/// Elements of a factor: registers of threads, or rows of terms.
enum Factors {
    Registers(Vec<f64>),
    Rows(Vec<f64>),
}

impl Factors {
    fn element(&self, product: &Product, row: usize, term: usize, threads: usize) -> f64 {
        let terms = product.extents[2];
        match self {
            Factors::Rows(elements) => elements[row * terms + term],
            Factors::Registers(elements) => {
                let (step, per_word) = (product.step(), 4 / product.dtype.size_bytes());
                let (number, within) = (term / step, term % step);
                // As the definition of `Mma` says, of 16 rows.
                let (lane, word) = (within / per_word % 4, within / per_word / 4);
                let own = product.own()[0];
                let (group, row) = (row / own, row % own);
                let (block, row) = (row / Product::ROWS, row % Product::ROWS);
                let first = (block * (terms / step) + number) * 4 * per_word;
                let register = first + (row / 8 % 2 + 2 * word) * per_word + within % per_word;
                // Warpgroups that share columns have the same rows.
                elements[register * threads + group * Product::THREADS + row / 16 * 32 + row % 8 * 4 + lane]
            }
        }
    }
}
