//! Which ops of a function do something: they have effects, or something that does reads them. JAX leaves out the others.

use pallas_ir::{Function, OpId, OpKind, ValueId};

/// The ops that stay.
pub(crate) struct Live(Vec<bool>);

impl Live {
    /// Reads them off.
    pub(crate) fn new(function: &Function) -> Self {
        let mut used = vec![false; function.values.len()];
        let mark = |used: &mut [bool], value: ValueId| {
            if let Some(slot) = used.get_mut(value.0 as usize) {
                *slot = true;
            }
        };
        for region in &function.regions {
            region.yields.iter().for_each(|&value| mark(&mut used, value));
        }
        let mut live = vec![false; function.ops.len()];
        // A value is made before it is used, so that the way back sees every use first; ops in regions are made before the
        // op that has them, but use what was made before them.
        for (number, op) in function.ops.iter().enumerate().rev() {
            let is_read = op.results.iter().any(|result| used.get(result.0 as usize).copied().unwrap_or(true));
            if !matches!(op.op.kind, OpKind::Pure { .. }) || is_read {
                live[number] = true;
                op.operands.iter().for_each(|&value| mark(&mut used, value));
            }
        }
        Live(live)
    }

    /// Whether an op stays.
    pub(crate) fn is_live(&self, op: OpId) -> bool {
        self.0.get(op.0 as usize).copied().unwrap_or(true)
    }
}
