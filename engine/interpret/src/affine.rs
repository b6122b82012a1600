//! Index maps: an affine one is a formula ([`pallas_ir::BlockMap`] finds it), any other runs on a tape.

use crate::block_plan::BlockPlan;
use crate::error::RunError;
use crate::hooks::Hooks;
use crate::machine::{Machine, Value, registers as registers_of};
use crate::memory::{Memory, View};
use crate::numbers::Number;
use crate::tape::Tape;
use pallas_ir::{BlockMap, IndexForm, Interpretation, Operand};

/// How block indices follow from program ids.
#[derive(Debug)]
pub(crate) enum IndexMap {
    /// No map: block 0.
    Zero,
    /// One sum per dimension: a constant, and a factor per program id. In 32-bit arithmetic.
    Affine(Vec<Affine>),
    /// A function of the program ids and the prefetched scalars.
    Tape(Box<Tape>),
}

/// `constant + sum(factors[i] * ids[i])`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Affine {
    pub(crate) constant: i32,
    pub(crate) factors: Vec<i32>,
}

impl Affine {
    fn of(form: &IndexForm) -> Option<Affine> {
        match form {
            IndexForm::Affine { constant, coefficients } => Some(Affine {
                // Maps compute in i32: what is cut off here wraps around there.
                constant: *constant as i32,
                factors: coefficients.iter().map(|&c| c as i32).collect(),
            }),
            IndexForm::General | IndexForm::Unknown => None,
        }
    }

    fn at(&self, ids: &[usize]) -> i64 {
        let sum = self
            .factors
            .iter()
            .zip(ids)
            // Program ids are i32 in the map; wrapping arithmetic does not care when.
            .fold(self.constant, |sum, (factor, &id)| sum.wrapping_add(factor.wrapping_mul(id as i32)));
        sum.into()
    }
}

impl IndexMap {
    /// Prepares the map of an operand under a grid of `axes` axes.
    pub(crate) fn new(operand: &Operand, axes: usize) -> Result<IndexMap, RunError> {
        let Some(map) = &operand.index_map else {
            return Ok(IndexMap::Zero);
        };
        let rank = operand.block.len();
        let yields = map.region(map.body).yields.len();
        if map.params().len() < axes || yields != rank {
            return Err(RunError::malformed(format!(
                "the index map {} takes {} parameters and gives {yields} indices for {axes} grid axes and {rank} \
                 dimensions",
                map.name,
                map.params().len()
            )));
        }
        let rows: Option<Vec<Affine>> = BlockMap::new(operand, axes).dims.iter().map(Affine::of).collect();
        Ok(match rows {
            Some(rows) => IndexMap::Affine(rows),
            None => IndexMap::Tape(Box::new(Tape::of_map(map)?)),
        })
    }

    /// Whether every program has the same block.
    pub(crate) fn is_constant(&self) -> bool {
        match self {
            IndexMap::Zero => true,
            IndexMap::Affine(rows) => rows.iter().all(|row| row.factors.iter().all(|&factor| factor == 0)),
            IndexMap::Tape(_) => false,
        }
    }

    /// Whether two programs are known to have the same block.
    pub(crate) fn stays(&self, ids: &[usize], others: &[usize]) -> bool {
        match self {
            IndexMap::Zero => true,
            IndexMap::Affine(rows) => rows.iter().all(|row| row.at(ids) == row.at(others)),
            IndexMap::Tape(_) => false,
        }
    }

    /// Whether programs that have the same block follow one another, and every block lies where the map says.
    pub(crate) fn goes_once(&self, grid: &[usize], blocks: &BlockPlan) -> bool {
        let (IndexMap::Affine(rows), Some(counts)) = (self, blocks.counts()) else { return false };
        // Along which axes the block moves, each by a dimension of its own; it stays along all axes behind the last of them.
        let mut moves = vec![false; grid.len()];
        for (row, &count) in rows.iter().zip(&counts) {
            let mut along = (0..grid.len()).filter(|&axis| grid[axis] > 1 && row.factors.get(axis) != Some(&0));
            let axis = match (along.next(), along.next()) {
                (None, _) if (0..count as i64).contains(&i64::from(row.constant)) => continue,
                (Some(axis), None) if !moves[axis] => axis,
                _ => return false,
            };
            let Some(&factor) = row.factors.get(axis) else { return false };
            let (first, steps) = (i64::from(row.constant), grid[axis] as i64 - 1);
            let Some(last) = i64::from(factor).checked_mul(steps).map(|moved| moved.saturating_add(first)) else {
                return false;
            };
            if first.min(last) < 0 || first.max(last) >= count as i64 {
                return false;
            }
            moves[axis] = true;
        }
        let last = moves.iter().rposition(|&moves| moves).map_or(0, |last| last + 1);
        (0..last).all(|axis| moves[axis] || grid[axis] <= 1)
    }

    /// Block indices of one program. Registers are kept from one to the next.
    #[expect(clippy::too_many_arguments, reason = "all that a map may read, and where it runs")]
    pub(crate) fn indices(
        &self,
        ids: &[usize],
        grid: &[usize],
        prefetched: &[View],
        memory: &mut Memory,
        hooks: &mut dyn Hooks,
        registers: &mut Vec<Value>,
        out: &mut Vec<i64>,
    ) -> Result<(), RunError> {
        out.clear();
        match self {
            IndexMap::Zero => {}
            IndexMap::Affine(rows) => out.extend(rows.iter().map(|row| row.at(ids))),
            IndexMap::Tape(tape) => {
                // The chains in memory are the kernel's.
                let body = match &tape.fused {
                    Some(fused) if tape.chains.is_empty() && memory.races.is_none() => fused,
                    _ => &tape.body,
                };
                if registers.is_empty() {
                    *registers = registers_of(tape);
                    // Refs stay where they are from program to program.
                    for (&param, view) in body.params.iter().skip(ids.len()).zip(prefetched) {
                        registers[param as usize] = Value::reference(view.clone());
                    }
                }
                let interpretation = Interpretation::Unsaid;
                let mut machine = Machine { registers, memory, ids, grid, hooks, tape, interpretation, places: None };
                let numbers = ids.iter().map(|&id| Value::Number(Number::Integer(id as i32)));
                machine.enter(body, numbers);
                machine.run(body)?;
                for &source in &body.yields {
                    out.push(machine.integer(source)?);
                }
            }
        }
        Ok(())
    }
}
