//! Which values of a function depend on which parameters: what has lanes under `vmap`, what has a tangent under `jvp`.
//! Knows how control flow passes values round; asks its caller which ops pass a dependence on.

use pallas_ir::{ControlOp, Function, OpData, OpId, OpKind, RegionId, ValueId};
use std::collections::HashSet;

/// Values that depend on the seeds.
pub type Dependent = HashSet<ValueId>;

/// Follows `seeds` through a function. `passes(op, result)` says whether a result of `op` may depend on its operands.
pub fn dependent(
    function: &Function,
    seeds: impl IntoIterator<Item = ValueId>,
    passes: &dyn Fn(&OpData, ValueId) -> bool,
) -> Dependent {
    let mut flow = Flow { function, passes, found: seeds.into_iter().collect() };
    loop {
        let before = flow.found.len();
        flow.region(function.body);
        if flow.found.len() == before {
            return flow.found;
        }
    }
}

struct Flow<'f> {
    function: &'f Function,
    passes: &'f dyn Fn(&OpData, ValueId) -> bool,
    found: Dependent,
}

impl Flow<'_> {
    fn region(&mut self, region: RegionId) {
        for &id in &self.function.region(region).ops {
            self.op(id);
        }
    }

    /// `target` depends on what `source` depends on.
    fn follow(&mut self, op: &OpData, source: ValueId, target: ValueId) {
        if self.found.contains(&source) && (self.passes)(op, target) {
            self.found.insert(target);
        }
    }

    fn op(&mut self, id: OpId) {
        let op = self.function.op(id);
        match op.op.kind {
            OpKind::Control(ControlOp::For) => {
                let bounds = op.operands.iter().take(2).any(|v| self.found.contains(v));
                self.carried(op, op.regions[0], 1, &op.operands[2..], bounds);
            }
            OpKind::Control(ControlOp::While) => {
                self.region(op.regions[0]);
                let test = &self.function.region(op.regions[0]).yields;
                let steered = test.iter().any(|v| self.found.contains(v));
                for (index, &param) in self.function.region(op.regions[0]).params.iter().enumerate() {
                    if self.found.contains(&op.results[index]) {
                        self.found.insert(param);
                    }
                }
                self.carried(op, op.regions[1], 0, &op.operands, steered);
            }
            OpKind::Control(ControlOp::Cond | ControlOp::Scoped | ControlOp::Pipeline) => {
                let steered = op.operands.iter().any(|v| self.found.contains(v));
                for &region in &op.regions {
                    self.region(region);
                    let yields = self.function.region(region).yields.clone();
                    for (&source, &result) in yields.iter().zip(&op.results) {
                        self.follow(op, source, result);
                    }
                }
                if steered {
                    self.reach(op);
                }
            }
            _ => {
                if let [region] = op.regions[..] {
                    let params = self.function.region(region).params.clone();
                    for (&operand, param) in op.operands.iter().zip(params) {
                        self.follow(op, operand, param);
                    }
                    self.region(region);
                }
                if op.operands.iter().any(|v| self.found.contains(v)) {
                    self.reach(op);
                }
            }
        }
    }

    fn reach(&mut self, op: &OpData) {
        for &result in &op.results {
            if (self.passes)(op, result) {
                self.found.insert(result);
            }
        }
    }

    /// Carries go from operands to the region's parameters, round, and out.
    fn carried(&mut self, op: &OpData, body: RegionId, skip: usize, operands: &[ValueId], steered: bool) {
        let region = self.function.region(body);
        for (index, (&operand, &result)) in operands.iter().zip(&op.results).enumerate() {
            let param = region.params[index + skip];
            self.follow(op, operand, param);
            self.follow(op, operand, result);
            if steered && (self.passes)(op, result) {
                self.found.insert(result);
            }
            if self.found.contains(&result) {
                self.found.insert(param);
            }
        }
        self.region(body);
        for (index, (&source, &result)) in region.yields.iter().zip(&op.results).enumerate() {
            self.follow(op, source, result);
            if self.found.contains(&result) {
                self.found.insert(region.params[index + skip]);
            }
        }
    }
}
