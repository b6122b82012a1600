//! A launch rehearsed: the blocks that run at the same time, once, on a clock of a machine and without data, for who waits for
//! whom and when. Tiles are not computed and copies move nothing; where control depends on data, data is zero.

use crate::agents::{Pace, TimedLanes};
use crate::error::RunError;
use crate::hooks::Hooks;
use crate::launch::LaunchPlan;
use pallas_ir::{Launch, OpId, OpKind, Role, Type};
use pallas_tensor::Array;
use std::collections::HashMap;

/// Bytes of operands up to which a launch is rehearsed.
const MOST_BYTES: u128 = 1 << 26;
/// How often it is asked whether to go on.
const MOST_ASKED: usize = 20_000;

struct Rehearsal<'a> {
    launch: &'a Launch,
    pace: Pace,
    asked: usize,
    made_up: HashMap<u32, Option<Array>>,
    found: Option<TimedLanes>,
}

impl Hooks for Rehearsal<'_> {
    fn cancelled(&mut self) -> bool {
        self.asked += 1;
        self.found.is_some() || self.asked > MOST_ASKED
    }

    fn pace(&self) -> Option<Pace> {
        Some(self.pace.clone())
    }

    fn made_up(&mut self, op: OpId) -> Option<Array> {
        let launch = self.launch;
        let make = || {
            let op = launch.kernel.ops.get(op.0 as usize)?;
            let [result] = op.results.as_slice() else { return None };
            let Type::Tensor(ty) = launch.kernel.ty(*result) else { return None };
            let is_plain = matches!(op.op.kind, OpKind::Pure { .. } | OpKind::Memory(_));
            (is_plain && ty.shape.rank() > 0).then(|| Array::zeros(ty.dtype, ty.shape.clone()).ok()).flatten()
        };
        self.made_up.entry(op.0).or_insert_with(make).clone()
    }

    fn rehearsed(&mut self, lanes: TimedLanes) {
        self.found.get_or_insert(lanes);
    }
}

/// What the first blocks that run at the same time do on a machine of this pace; nothing for launches without threads,
/// barriers or engines, for very large ones, and for those that cannot be run.
pub fn rehearse(launch: &Launch, pace: Pace) -> Option<TimedLanes> {
    if !launch.has_agents() || !launch.dynamic.is_empty() || launch.programs() == 0 {
        return None;
    }
    let bytes = launch.operands.iter().fold(0u128, |total, operand| total.saturating_add(operand.array.bytes()));
    if bytes > MOST_BYTES {
        return None;
    }
    let zeros = |operand: &pallas_ir::Operand| Array::zeros(operand.array.dtype, operand.array.shape.clone());
    let inputs: Result<Vec<Array>, _> =
        launch.operands.iter().filter(|operand| operand.role != Role::Output).map(zeros).collect();
    let mut rehearsal = Rehearsal { launch, pace, asked: 0, made_up: HashMap::new(), found: None };
    // That it stops behind the first blocks is no error.
    let _stopped: Result<Vec<Array>, RunError> =
        LaunchPlan::new(launch).and_then(|plan| plan.run(inputs.map_err(RunError::from)?, &mut rehearsal));
    rehearsal.found
}
