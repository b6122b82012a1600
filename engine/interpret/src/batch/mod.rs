//! Several programs as one: where programs are small, what a program costs by itself is more than what it computes. The kernel is
//! then rewritten so that every tile has the tiles of neighbouring programs along a new first dimension (their *lanes*), and the
//! grid has fewer programs, each with as many blocks of every array. What comes out has the bits of programs that run one after
//! the other, since every operation does to a lane what it does to a tile.
//!
//! That may be done along the last axis of the grid where
//!
//! - each output has a block of its own for each of the programs, one behind the other along one dimension, so that nobody sees
//!   what another one wrote;
//! - each other operand has the same block for all of them, or such blocks of its own;
//! - no block is moved inside of its array (past the end of an array there is its padding);
//! - nothing goes from program to program in scratch memory, and the kernel writes to outputs only;
//! - every operation on something that differs from lane to lane has a rule (`rules`, `memory`).
//!
//! The first axis that is left is tried next, until programs are large enough. What only shows when programs run (an access out of
//! bounds, an error) has them run one after the other, as they would have: there is one source of reports.

mod blocks;
mod kernel;
mod memory;
mod rules;

use crate::affine::IndexMap;
use crate::block_plan::BlockPlan;
use crate::error::RunError;
use crate::hooks::{Hooks, OutOfBounds, UnmatchedSemaphore};
use crate::launch::{LaunchPlan, OperandPlan};
use crate::tape::Tape;
use blocks::Cut;
use pallas_ir::{Launch, Role};
use pallas_tensor::{Array, Shape, ops};

/// Elements of the largest tile of the programs that are taken together: about what the innermost caches hold.
const ELEMENTS: usize = 1 << 14;
/// What a program costs by itself is about as much as a pass over so many elements: larger ones are left as they are.
const LARGE: usize = ELEMENTS / 4;
/// The same for programs with products, which take their factors where they lie if they are not a batch.
const LARGE_PRODUCTS: usize = 1 << 10;
/// The same where lanes do not stand in front in an array, so that tiles are turned.
const LARGE_TURNED: usize = 1 << 8;
/// Fewer programs are not worth another kernel.
const PROGRAMS: usize = 16;
/// As many programs are left at least, so that threads have something to share.
const LEFT: usize = 8;

/// Bytes that arrays may take for their padding: programs that run one after the other need none.
const MOST_BESIDE: usize = 16 << 20;

/// A launch whose programs do the work of several programs each.
#[derive(Debug)]
pub(crate) struct Batch {
    plan: Box<LaunchPlan>,
}

impl Batch {
    /// The launch with its programs taken together; `None` where they are large or have to do with each other.
    pub(crate) fn new(launch: &Launch, plan: &LaunchPlan) -> Option<Batch> {
        let programs = launch.grid.iter().fold(1usize, |all, &extent| all.saturating_mul(extent));
        if programs < PROGRAMS {
            return None;
        }
        if beside(plan) > MOST_BESIDE {
            return None;
        }
        let mut cut = Cut::of(launch, plan)?;
        let (size, mut lanes) = (cut.size(), 1);
        let multiplies = launch.kernel.ops.iter().any(|op| op.op.name == "dot_general");
        if size > if multiplies { LARGE_PRODUCTS } else { LARGE } {
            return None;
        }
        while let Some((axis, count)) = worth(&cut) {
            let Some(next) = cut.taken_together(axis, count) else { break };
            if next.turns && size > LARGE_TURNED {
                break;
            }
            cut = next;
            lanes *= count;
        }
        if lanes == 1 {
            return None;
        }
        let tape = Tape::both(&cut.kernel).ok()?;
        // A product that is rounded before it is added, or no longer is, has other digits; so has a quotient.
        if tape.contractions != plan.tape.contractions {
            return None;
        }
        let operands: Result<Vec<OperandPlan>, RunError> = cut
            .operands
            .into_iter()
            .zip(&plan.operands)
            .map(|(new, old)| {
                let map = new.rows.map_or(IndexMap::Zero, IndexMap::Affine);
                Ok(old.with_blocks(BlockPlan::new(&new.operand, launch.interpretation)?, map))
            })
            .collect();
        let batched = plan.with_kernel(tape, cut.grid, operands.ok()?);
        batched.has_aliases_of_one_type().then(|| Batch { plan: Box::new(batched) })
    }

    /// Runs the programs of a launch; `None` if they have to run one after the other.
    pub(crate) fn run(
        &self,
        launch: &LaunchPlan,
        inputs: &[Array],
        starts: &[Option<Array>],
        hooks: &mut dyn Hooks,
    ) -> Option<Vec<Array>> {
        let others = self.plan.operands.iter().filter(|operand| operand.role != Role::Output);
        let padded = |known: &OperandPlan, input: &Array| match known.role {
            Role::Prefetch => Some(input.clone()),
            _ => known.blocks.pad(input.clone()).ok(),
        };
        let known = launch.operands.iter().filter(|operand| operand.role != Role::Output);
        let inputs = inputs.iter().zip(known).zip(others);
        let inputs = inputs.map(|((input, known), operand)| shaped(&padded(known, input)?, operand.blocks.padded()));
        let inputs = inputs.collect::<Option<Vec<Array>>>()?;
        let outputs = self.plan.with_role(Role::Output).zip(launch.with_role(Role::Output));
        let starts = starts.iter().zip(outputs).map(|(start, (operand, known))| match start {
            Some(start) => shaped(&padded(known, start)?, operand.blocks.array()).map(Some),
            None => Some(None),
        });
        let starts = starts.collect::<Option<Vec<Option<Array>>>>()?;
        let mut silent = Silent { caller: hooks, spoke: false };
        let results = self.plan.run_prepared(self.plan.grid(), inputs, starts, &mut silent);
        let results = results.ok().filter(|_| !silent.spoke)?;
        let known = launch.with_role(Role::Output).map(|operand| &operand.blocks);
        let unpadded =
            |(result, blocks): (Array, &BlockPlan)| blocks.unpad(result.reshaped(blocks.padded()).ok()?).ok();
        results.into_iter().zip(known).map(unpadded).collect()
    }
}

/// The bytes that padded arrays take beside inputs and outputs: copies of inputs, and what is cut off of outputs at the end.
fn beside(plan: &LaunchPlan) -> usize {
    let bytes = |operand: &OperandPlan, shape: &Shape| shape.size().saturating_mul(operand.blocks.dtype().size_bytes());
    let padded = plan.operands.iter().filter(|operand| operand.blocks.is_padded());
    padded.fold(0, |sum: usize, operand| {
        let blocks = &operand.blocks;
        let kept = if operand.role == Role::Output { bytes(operand, blocks.array()) } else { 0 };
        sum.saturating_add(bytes(operand, blocks.padded()).saturating_sub(kept))
    })
}

/// The same elements under another shape, shared.
fn shaped(array: &Array, shape: &Shape) -> Option<Array> {
    if array.shape() == shape {
        return Some(array.clone());
    }
    ops::reshape(array, shape.clone()).ok()
}

/// The last axis that programs run along, and how many along it are worth taking together.
fn worth(cut: &Cut) -> Option<(usize, usize)> {
    let axis = cut.grid.iter().rposition(|&extent| extent > 1)?;
    let programs = cut.grid.iter().fold(1usize, |all, &extent| all.saturating_mul(extent));
    let most = (ELEMENTS / cut.size()).min(programs / LEFT);
    let extent = cut.grid[axis];
    let count = (2..=most.min(extent)).rev().find(|count| extent.is_multiple_of(*count))?;
    Some((axis, count))
}

/// Hooks that remember whether there was anything to say: it is said by programs that run one after the other.
struct Silent<'a> {
    caller: &'a mut dyn Hooks,
    spoke: bool,
}

impl Hooks for Silent<'_> {
    fn cancelled(&mut self) -> bool {
        self.spoke || self.caller.cancelled()
    }

    fn threads(&self) -> usize {
        self.caller.threads()
    }

    fn debug_print(&mut self, _format: &str, _values: &[Array]) {
        self.spoke = true;
    }

    fn out_of_bounds(&mut self, _access: &OutOfBounds<'_>) {
        self.spoke = true;
    }

    fn unmatched(&mut self, _semaphore: &UnmatchedSemaphore<'_>) {
        self.spoke = true;
    }
}
