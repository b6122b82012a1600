//! Whether what a kernel does, and where, depends on what arrays hold: loops and branches, subscripts, who is signalled. What
//! is known without data are ids of programs, counters of loops and what is computed from them, number by number.

use pallas_ir::op::MemoryOp;
use pallas_ir::{AgentOp, ControlOp, Function, OpData, OpKind, RegionId, SemaphoreOp, Type, ValueId};

/// Whether data decides anything but values.
pub(crate) fn steered_by_data(kernel: &Function) -> bool {
    let mut known = Known { kernel, data: vec![false; kernel.values.len()], changed: true };
    while known.changed {
        known.changed = false;
        known.region(kernel.body);
    }
    kernel.ops.iter().any(|op| known.steers(op))
}

struct Known<'a> {
    kernel: &'a Function,
    /// Which values data has gone into.
    data: Vec<bool>,
    changed: bool,
}

impl Known<'_> {
    fn is_data(&self, value: ValueId) -> bool {
        self.data.get(value.0 as usize).copied().unwrap_or(true)
    }

    fn mark(&mut self, value: ValueId, is_data: bool) {
        if let Some(slot) = self.data.get_mut(value.0 as usize)
            && is_data
            && !*slot
        {
            *slot = true;
            self.changed = true;
        }
    }

    fn is_tile(&self, value: ValueId) -> bool {
        matches!(self.kernel.ty(value), Type::Tensor(ty) if ty.shape.rank() > 0)
    }

    fn region(&mut self, region: RegionId) {
        let kernel = self.kernel;
        for &op in &kernel.region(region).ops {
            self.op(kernel.op(op));
        }
    }

    fn op(&mut self, op: &OpData) {
        let kernel = self.kernel;
        op.regions.iter().for_each(|&region| self.region(region));
        match op.op.kind {
            OpKind::Control(ControlOp::For) => {
                let carried = op.operands.get(2..).unwrap_or_default();
                self.carries(carried, op, &op.regions, 1);
            }
            OpKind::Control(ControlOp::While) => self.carries(&op.operands, op, &op.regions, 0),
            OpKind::Control(_) => {
                let decides = op.operands.first().is_some_and(|&value| self.is_data(value));
                for &region in &op.regions {
                    for (&result, &given) in op.results.iter().zip(&kernel.region(region).yields) {
                        self.mark(result, decides || self.is_data(given));
                    }
                }
            }
            OpKind::Pure { .. } | OpKind::Program(_) => {
                let mixed = op.operands.iter().any(|&value| self.is_data(value));
                for &result in &op.results {
                    // Tiles are made up.
                    self.mark(result, mixed || self.is_tile(result));
                }
            }
            // Which block runs next is said by nobody.
            OpKind::Agent(AgentOp::CancelResult | AgentOp::Global | AgentOp::Reach) => {}
            _ => {
                for &result in &op.results {
                    self.mark(result, matches!(kernel.ty(result), Type::Tensor(_)));
                }
            }
        }
    }

    /// Carries of a loop: what goes in and what a round gives is what the next round has.
    fn carries(&mut self, carried: &[ValueId], op: &OpData, regions: &[RegionId], skip: usize) {
        let kernel = self.kernel;
        let Some(&body) = regions.last() else { return };
        for (place, &first) in carried.iter().enumerate() {
            let given = kernel.region(body).yields.get(place).is_some_and(|&value| self.is_data(value));
            let is_data = self.is_data(first) || given;
            for &region in regions {
                if let Some(&param) = kernel.region(region).params.get(skip + place) {
                    self.mark(param, is_data);
                }
            }
            if let Some(&result) = op.results.get(place) {
                self.mark(result, is_data);
            }
        }
    }

    /// Whether data decides what the op does.
    fn steers(&self, op: &OpData) -> bool {
        let by = |values: &[ValueId]| values.iter().any(|&value| self.is_data(value));
        match op.op.kind {
            OpKind::Control(ControlOp::For) => by(op.operands.get(..2).unwrap_or_default()),
            OpKind::Control(ControlOp::While) => {
                let condition = op.regions.first().map(|&region| &self.kernel.region(region).yields);
                condition.is_none_or(|yields| by(yields))
            }
            OpKind::Control(ControlOp::Cond) => by(op.operands.get(..1).unwrap_or_default()),
            OpKind::Control(_) | OpKind::Pure { .. } | OpKind::Program(_) | OpKind::Effect(_) | OpKind::Launch => false,
            // What is stored may be anything.
            OpKind::Memory(MemoryOp::Store | MemoryOp::Swap | MemoryOp::Atomic) => {
                let scalars = op.operands.get(2..).unwrap_or_default();
                by(scalars)
            }
            OpKind::Agent(AgentOp::StoreAcross | AgentOp::StoreEverywhere) => {
                by(op.operands.get(1..).unwrap_or_default())
            }
            OpKind::Agent(AgentOp::Test | AgentOp::Foreign) | OpKind::Semaphore(SemaphoreOp::Read) => true,
            OpKind::Agent(AgentOp::Product) => false,
            _ => by(&op.operands),
        }
    }
}
