//! Whom an agent reaches: other blocks of its cluster, and Refs there; other devices are in `devices`.

use super::blocks::moved;
use super::world::World;
use crate::error::RunError;
use crate::memory::{View, ViewDim};
use crate::tape::{AgentStep, Step};

impl World<'_, '_> {
    /// The buffer that another block has in the place of one.
    pub(super) fn elsewhere(&mut self, buffer: usize, block: usize) -> Result<usize, RunError> {
        self.blocks.elsewhere(self.memory, buffer, block, self.topology.threads(), self.interpretation)
    }

    /// The same part of what another block has; of its own where it is the agent's.
    pub(super) fn in_block(&mut self, number: usize, view: &View, block: usize) -> Result<View, RunError> {
        match block == self.agents[number].block {
            true => Ok(view.clone()),
            false => Ok(moved(view, self.elsewhere(view.buffer, block)?)),
        }
    }

    /// Where a block is along some axes, and ids of all blocks there.
    pub(super) fn along(&self, number: usize, axes: &[i64]) -> (usize, Vec<Vec<usize>>) {
        let ids = &self.agents[number].ids;
        let known = |axis: &i64| usize::try_from(*axis).ok().filter(|&axis| axis < ids.len());
        let axes: Vec<usize> = axes.iter().filter_map(known).collect();
        let index = axes.iter().fold(0, |index, &axis| index * self.topology.grid[axis] + ids[axis]);
        (index, self.topology.along(ids, &axes))
    }

    /// Whether the block leads those that multiply together, and which they are; `None` where each multiplies for itself.
    pub(super) fn pair(&self, number: usize, act: &AgentStep) -> Option<(bool, Vec<usize>)> {
        let axis = act.attributes.int("axis")?.saturating_sub(1);
        let (index, ids) = self.along(number, &[axis]);
        Some((index == 0, ids.iter().map(|ids| self.topology.block(ids)).collect()))
    }

    /// The block with some indices along some axes.
    pub(super) fn block_at(&self, number: usize, axes: &[i64], indices: &[i64]) -> Result<usize, RunError> {
        let mut ids = self.agents[number].ids.clone();
        for (&axis, &index) in axes.iter().zip(indices) {
            let known = usize::try_from(axis).ok().filter(|&axis| axis < self.topology.threads_axis());
            let Some(axis) = known else { return Err(RunError::malformed("an axis of the cluster is missing")) };
            let extent = self.topology.grid[axis];
            ids[axis] = usize::try_from(index).ok().filter(|&index| index < extent).ok_or_else(|| {
                RunError::eval(format!("block {index} is reached along an axis of the cluster that has {extent}"))
            })?;
        }
        Ok(self.topology.block(&ids))
    }

    pub(super) fn reach(&mut self, number: usize, step: &Step, act: &AgentStep) -> Result<View, RunError> {
        let view = self.view(number, step, 0)?;
        match act.attributes.str("what") {
            Some("cluster") => {}
            Some("devices") => return self.reach_everywhere(&view, act),
            _ => {
                let device = self.named_device(number, step, 1, act.attributes.ints("devices"))?;
                return Ok(moved(&view, self.on_device(number, view.buffer, device)?));
            }
        }
        let mut where_to = Vec::new();
        for position in 1..step.operands.len() {
            where_to.push(self.integer(number, step, position)?);
        }
        let block = self.block_at(number, act.attributes.ints("axes").unwrap_or_default(), &where_to)?;
        Ok(moved(&view, self.elsewhere(view.buffer, block)?))
    }
}

/// The part of a source that the block with an index brings: as much of it along an axis as the destination has.
pub(super) fn part_of(source: &View, destination: &View, axis: usize, index: usize) -> Result<View, RunError> {
    let size = destination.shape().get(axis).copied().unwrap_or(0);
    let shape = source.shape();
    let start = index.saturating_mul(size);
    if shape.get(axis).is_none_or(|&extent| start.saturating_add(size) > extent) {
        return Err(RunError::eval(format!(
            "part {index} of a copy has {size} along dimension {axis} of a source of shape {shape}, and leaves it"
        )));
    }
    let parts: Vec<ViewDim> = shape
        .iter()
        .enumerate()
        .map(|(at, &extent)| match at == axis {
            true => ViewDim::Range { start, size, stride: 1 },
            false => ViewDim::Range { start: 0, size: extent, stride: 1 },
        })
        .collect();
    Ok(source.select(&parts))
}
