//! The blocks of programs that are taken together: each operand's array gets a dimension of blocks, of which a program has as
//! many as there are lanes.

use super::kernel::{self, Parameter};
use crate::affine::{Affine, IndexMap};
use crate::launch::LaunchPlan;
use pallas_ir::{BlockDim, Function, Interpretation, Launch, Operand, Role, Type};
use pallas_tensor::Shape;

/// A launch, and how it has been cut so far.
#[derive(Clone)]
pub(super) struct Cut {
    pub(super) kernel: Function,
    pub(super) grid: Vec<usize>,
    pub(super) operands: Vec<CutOperand>,
    /// Whether lanes stand behind other elements of a block.
    pub(super) turns: bool,
}

/// An operand with its index map as a formula; none where every program has block 0.
#[derive(Clone)]
pub(super) struct CutOperand {
    pub(super) operand: Operand,
    pub(super) rows: Option<Vec<Affine>>,
}

impl Cut {
    /// A launch as it is, on arrays with their padding, if its programs may be taken together at all.
    pub(super) fn of(launch: &Launch, plan: &LaunchPlan) -> Option<Cut> {
        let plain = matches!(launch.interpretation, Interpretation::Unsaid | Interpretation::Plain);
        if !plain || !launch.dynamic.is_empty() || !launch.scratch.is_empty() {
            return None;
        }
        let operands: Option<Vec<CutOperand>> = launch
            .operands
            .iter()
            .zip(&plan.operands)
            .map(|(operand, known)| {
                let rows = match (operand.role, IndexMap::new(operand, launch.grid.len()).ok()?) {
                    (Role::Prefetch, _) | (_, IndexMap::Zero) => None,
                    (_, IndexMap::Affine(rows)) => Some(rows),
                    (_, IndexMap::Tape(_)) => return None,
                };
                let mut operand = operand.clone();
                if operand.block.iter().all(|dim| !matches!(dim, BlockDim::Element { .. })) {
                    operand.array.shape = known.blocks.padded().clone();
                }
                Some(CutOperand { operand, rows })
            })
            .collect();
        Some(Cut { kernel: launch.kernel.clone(), grid: launch.grid.clone(), operands: operands?, turns: false })
    }

    /// Elements of the largest tile of a program, or block that follows its ids.
    pub(super) fn size(&self) -> usize {
        let tile = |ty: &Type| match ty {
            Type::Tensor(ty) => ty.shape.checked_size().unwrap_or(usize::MAX),
            Type::Ref(_) => 1,
        };
        let tiles = self.kernel.values.iter().map(|value| tile(&value.ty));
        let block = |operand: &CutOperand| operand.operand.block.iter().map(|dim| dim.size()).product();
        let blocks = self.operands.iter().filter(|operand| !operand.is_constant()).map(block);
        tiles.chain(blocks).max().unwrap_or(1).max(1)
    }

    /// The launch with so many programs along an axis taken together, all those behind it being one.
    pub(super) fn taken_together(&self, axis: usize, count: usize) -> Option<Cut> {
        let mut operands = Vec::with_capacity(self.operands.len());
        let mut turns = self.turns;
        let mut parameters = Vec::with_capacity(self.operands.len());
        for operand in &self.operands {
            let (operand, lanes) = match operand.follows(axis) {
                false if operand.operand.role == Role::Output => return None,
                false => (operand.clone(), None),
                true => operand.with_lanes(axis, count, &self.grid)?,
            };
            turns |= lanes.is_some_and(|place| operand.operand.block_shape()[..place].iter().any(|&size| size > 1));
            let is_output = operand.operand.role == Role::Output;
            parameters.push(Parameter { lanes, shape: operand.operand.block_shape().into(), is_output });
            operands.push(operand);
        }
        let kernel = kernel::with_lanes(&self.kernel, &parameters, axis, count, self.grid[axis])?;
        let mut grid = self.grid.clone();
        grid[axis] /= count;
        Some(Cut { kernel, grid, operands, turns })
    }
}

impl CutOperand {
    fn is_constant(&self) -> bool {
        let zero = |row: &Affine| row.factors.iter().all(|&factor| factor == 0);
        self.rows.as_ref().is_none_or(|rows| rows.iter().all(zero))
    }

    /// Whether neighbours along an axis have different blocks.
    fn follows(&self, axis: usize) -> bool {
        let along = |row: &Affine| row.factors.get(axis).is_some_and(|&factor| factor != 0);
        self.rows.as_ref().is_some_and(|rows| rows.iter().any(along))
    }

    /// The operand with a dimension of blocks, and where that stands in the kernel's Ref.
    fn with_lanes(&self, axis: usize, count: usize, grid: &[usize]) -> Option<(CutOperand, Option<usize>)> {
        let rows = self.rows.as_ref()?;
        let mut along = (0..rows.len()).filter(|&dim| rows[dim].factors.get(axis).is_some_and(|&factor| factor != 0));
        let (dim, None) = (along.next()?, along.next()) else { return None };
        let size = *self.operand.array.shape.get(dim)?;
        let (blocks, kept) = match self.operand.block.get(dim)? {
            BlockDim::Blocked(block) if *block > 0 && size.is_multiple_of(*block) => (size / block, Some(*block)),
            BlockDim::Squeezed => (size, None),
            BlockDim::Blocked(_) | BlockDim::Element { .. } => return None,
        };
        let row = in_steps(&rows[dim], axis, count, grid, blocks)?;
        let (mut operand, mut rows) = (self.operand.clone(), rows.clone());
        rows[dim] = row;
        operand.block[dim] = BlockDim::Blocked(count);
        let mut shape: Vec<usize> = operand.array.shape.to_vec();
        shape[dim] = blocks;
        if let Some(block) = kept {
            shape.insert(dim + 1, block);
            operand.block.insert(dim + 1, BlockDim::Blocked(block));
            rows.insert(dim + 1, Affine { constant: 0, factors: vec![0; grid.len()] });
        }
        operand.array.shape = Shape::from(shape);
        let before = operand.block[..dim].iter().filter(|dim| !matches!(dim, BlockDim::Squeezed)).count();
        Some((CutOperand { operand, rows: Some(rows) }, Some(before)))
    }
}

/// Which block an index map gives, counted in steps of so many blocks, if every program's blocks lie in the array.
fn in_steps(row: &Affine, axis: usize, count: usize, grid: &[usize], blocks: usize) -> Option<Affine> {
    let step = i32::try_from(count).ok()?;
    let divided = |number: i32| (number >= 0 && number % step == 0).then_some(number / step);
    let mut last = i64::from(row.constant);
    let mut factors = Vec::with_capacity(row.factors.len());
    for (place, (&factor, &extent)) in row.factors.iter().zip(grid).enumerate() {
        factors.push(match place == axis {
            true if factor == 1 => 1,
            true => return None,
            // Along an axis of one program the factor does not count.
            false if extent == 1 => 0,
            false => divided(factor)?,
        });
        last = last.checked_add(i64::from(factor).checked_mul(extent.checked_sub(1)? as i64)?)?;
    }
    let constant = divided(row.constant)?;
    (last < blocks as i64).then_some(Affine { constant, factors })
}
