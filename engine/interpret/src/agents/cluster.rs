//! Which blocks lie along which axes of a cluster.

use super::topology::Topology;
use pallas_ir::BarrierType;

impl Topology {
    /// The number of the block with these ids, counted within the world.
    pub(crate) fn block(&self, ids: &[usize]) -> usize {
        let mut number = 0;
        for axis in self.first..self.threads_axis() {
            number = number * self.grid[axis] + ids.get(axis).copied().unwrap_or(0);
        }
        number
    }

    /// Ids of blocks that differ from these along some axes only, those included.
    pub(crate) fn along(&self, ids: &[usize], axes: &[usize]) -> Vec<Vec<usize>> {
        let mut found = vec![ids.to_vec()];
        for &axis in axes {
            let extent = self.grid.get(axis).copied().unwrap_or(1);
            found = found
                .into_iter()
                .flat_map(|ids| {
                    (0..extent).map(move |index| {
                        let mut ids = ids.clone();
                        if let Some(id) = ids.get_mut(axis) {
                            *id = index;
                        }
                        ids
                    })
                })
                .collect();
        }
        found
    }

    /// The blocks whose barriers an arrival reaches.
    pub(crate) fn reached(&self, ids: &[usize], barrier: &BarrierType) -> Vec<usize> {
        let mut blocks = self.together(ids, barrier);
        if barrier.led {
            blocks.truncate(1);
        }
        blocks
    }

    /// The blocks that arrive at a barrier together.
    pub(crate) fn together(&self, ids: &[usize], barrier: &BarrierType) -> Vec<usize> {
        let mut blocks = Vec::new();
        for &set in barrier.across.iter().filter(|&&set| set != 0) {
            let axes: Vec<usize> = BarrierType::axes(set).collect();
            blocks.extend(self.along(ids, &axes).iter().map(|ids| self.block(ids)));
        }
        if blocks.is_empty() {
            blocks.push(self.block(ids));
        }
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }
}
