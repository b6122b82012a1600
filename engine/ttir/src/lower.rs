//! Walks a function: each op goes to its family, with its operands as they stand in the text.

use crate::emit::Emitter;
use crate::place::Place;
use crate::types::{Tile, check_size};
use crate::{Refusal, ops};
use pallas_ir::{Function, OpData, OpId, RegionId, ValueId};
use std::collections::HashMap;

/// What a value of the IR is in the text.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    /// A tile in registers.
    Tile(Tile),
    /// A place in an array.
    Place(Place),
}

/// The walk through one function.
pub(crate) struct Lowering<'a> {
    pub(crate) emitter: &'a mut Emitter,
    pub(crate) function: &'a Function,
    /// Program ids, along the axes of the launch's grid.
    pub(crate) programs: &'a [Tile],
    /// The launch's grid.
    pub(crate) grid: &'a [usize],
    values: HashMap<ValueId, Bound>,
    /// How often each value is used: what a swap gives is often not.
    uses: Vec<u32>,
}

impl<'a> Lowering<'a> {
    /// A walk that has not begun.
    pub(crate) fn new(
        emitter: &'a mut Emitter,
        function: &'a Function,
        programs: &'a [Tile],
        grid: &'a [usize],
    ) -> Self {
        let mut uses = vec![0; function.values.len()];
        let operands = function.ops.iter().flat_map(|op| op.operands.iter());
        for value in operands.chain(function.regions.iter().flat_map(|region| region.yields.iter())) {
            uses[value.0 as usize] += 1;
        }
        Lowering { emitter, function, programs, grid, values: HashMap::new(), uses }
    }

    /// Says what a value is.
    pub(crate) fn bind(&mut self, value: ValueId, bound: Bound) {
        self.values.insert(value, bound);
    }

    /// Whether anything uses a value.
    pub(crate) fn is_used(&self, value: ValueId) -> bool {
        self.uses[value.0 as usize] > 0
    }

    /// The tile that a value is.
    pub(crate) fn tile(&self, value: ValueId) -> Result<Tile, Refusal> {
        match self.values.get(&value) {
            Some(Bound::Tile(tile)) => Ok(tile.clone()),
            Some(Bound::Place(_)) => Err(Refusal::new("a Ref stands where Triton wants a value")),
            None => Err(Refusal::new("a value is used that nothing has made")),
        }
    }

    /// The place that a Ref is.
    pub(crate) fn place(&self, value: ValueId) -> Result<Place, Refusal> {
        match self.values.get(&value) {
            Some(Bound::Place(place)) => Ok(place.clone()),
            _ => Err(Refusal::new("Triton has no memory besides the operands of a launch")),
        }
    }

    /// The operands of an op, all of them tiles.
    pub(crate) fn tiles(&self, op: &OpData) -> Result<Vec<Tile>, Refusal> {
        op.operands.iter().map(|&value| self.tile(value)).collect()
    }

    /// Writes the ops of a region, and gives what it yields.
    pub(crate) fn region(&mut self, id: RegionId) -> Result<Vec<Tile>, Refusal> {
        let function = self.function;
        let region = function.region(id);
        for &op in &region.ops {
            self.op(op).map_err(|refusal| refusal.at(function.location(op)))?;
        }
        region.yields.iter().map(|&value| self.tile(value)).collect()
    }

    fn op(&mut self, id: OpId) -> Result<(), Refusal> {
        let function = self.function;
        let op = function.op(id);
        let results = ops::lower(self, op)?;
        for (&value, bound) in op.results.iter().zip(results) {
            if let Bound::Tile(tile) = &bound {
                check_size(&tile.shape)?;
            }
            self.bind(value, bound);
        }
        Ok(())
    }
}
