//! A launch rehearsed, without data: the blocks, devices or cores that run at the same time, once, on a clock of a machine, for
//! who waits for whom and when; or followed, for what is wrong with that. Tiles are not computed and copies move nothing. Where control
//! depends on data, data is zero on the clock, and nothing is followed.

use crate::error::{RunError, RunErrorKind};
use crate::hooks::{Hooks, ProgramEvent};
use crate::launch::LaunchPlan;
use crate::races::Hazard;
use crate::steered::steered_by_data;
use crate::times::{Pace, TimedLanes};
use pallas_ir::{ControlOp, Launch, MemorySpace, OpId, OpKind, Role, Type};
use pallas_tensor::Array;
use std::collections::HashMap;

/// Bytes of operands up to which a launch is rehearsed.
const MOST_BYTES: u128 = 1 << 26;
/// How often it is asked whether to go on.
const MOST_ASKED: usize = 20_000;

/// How often it is asked while a launch is followed: while somebody types.
const MOST_FOLLOWED: usize = 6_000;
/// Groups of blocks that run at the same time which are followed: two may write to the same place.
const MOST_GROUPS: usize = 2;
/// Kernels that are computed with zeros, since nothing in them waits: of so many programs and bytes.
const MOST_PROGRAMS: usize = 1 << 12;
const MOST_BYTES_ALONE: u128 = 1 << 20;

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
        self.made_up.entry(op.0).or_insert_with(|| zeros(launch, op, true)).clone()
    }

    fn rehearsed(&mut self, lanes: TimedLanes) {
        self.found.get_or_insert(lanes);
    }
}

/// What the first blocks that run at the same time do on a machine of this pace, or the devices and cores of a TPU; nothing for
/// launches in which nobody waits for anybody but the compiler's own copies, for very large ones, and for those that cannot be run.
pub fn rehearse(launch: &Launch, pace: Pace) -> Option<TimedLanes> {
    let is_alone = !launch.has_agents() && copies_itself(launch);
    if !can_be_rehearsed(launch) && !(is_small(launch) && (is_alone || launch.has_peers())) {
        return None;
    }
    let mut rehearsal = Rehearsal { launch, pace, asked: 0, made_up: HashMap::new(), found: None };
    // That it stops behind the first blocks is no error.
    let _stopped: Result<Vec<Array>, RunError> =
        LaunchPlan::rehearsed(launch).and_then(|plan| plan.run(inputs(launch)?, &mut rehearsal));
    rehearsal.found.map(|lanes| TimedLanes { steered: steered_by_data(&launch.kernel), ..lanes })
}

struct Following<'a> {
    launch: &'a Launch,
    asked: usize,
    groups: usize,
    made_up: HashMap<u32, Option<Array>>,
    hazards: Vec<Hazard>,
}

impl Hooks for Following<'_> {
    fn cancelled(&mut self) -> bool {
        self.asked += 1;
        self.asked > MOST_FOLLOWED || self.groups >= MOST_GROUPS
    }

    fn follows(&self) -> bool {
        true
    }

    fn made_up(&mut self, op: OpId) -> Option<Array> {
        let launch = self.launch;
        self.made_up.entry(op.0).or_insert_with(|| zeros(launch, op, false)).clone()
    }

    fn wants_races(&self, _launch_has_agents: bool) -> bool {
        true
    }

    fn hazard(&mut self, hazard: &Hazard) {
        self.hazards.push(hazard.clone());
    }

    fn wants_programs(&self) -> bool {
        true
    }

    fn program(&mut self, _event: &ProgramEvent<'_>) {
        self.groups += 1;
    }
}

/// What is wrong with how the first blocks of a launch wait for each other and use memory, and the error that they end with;
/// nothing for launches that are not rehearsed, and for those whose steps depend on data.
pub fn follow(launch: &Launch) -> (Vec<Hazard>, Option<RunError>) {
    if !can_be_followed(launch) || steered_by_data(&launch.kernel) {
        return (Vec::new(), None);
    }
    let mut following = Following { launch, asked: 0, groups: 0, made_up: HashMap::new(), hazards: Vec::new() };
    let ended = LaunchPlan::new(launch).and_then(|plan| plan.run(inputs(launch)?, &mut following));
    let error = ended.err().filter(|error| !matches!(error.kind, RunErrorKind::Cancelled));
    (following.hazards, error)
}

/// GPU kernels without threads act on each other in main memory; kernels of a TPU with copies that they have started themselves.
fn can_be_followed(launch: &Launch) -> bool {
    let is_alone =
        || launch.programs() <= MOST_PROGRAMS && is_in_main_memory(launch) && bytes(launch) <= MOST_BYTES_ALONE;
    can_be_rehearsed(launch) || is_small(launch) && (is_alone() || copies_itself(launch) && !launch.has_peers())
}

fn is_in_main_memory(launch: &Launch) -> bool {
    !launch.operands.is_empty() && launch.operands.iter().all(|operand| operand.space == MemorySpace::Gmem)
}

fn bytes(launch: &Launch) -> u128 {
    launch.operands.iter().fold(0, |total, operand| total.saturating_add(operand.array.bytes()))
}

fn can_be_rehearsed(launch: &Launch) -> bool {
    launch.has_agents() && is_small(launch)
}

fn is_small(launch: &Launch) -> bool {
    launch.dynamic.is_empty() && launch.programs() > 0 && bytes(launch) <= MOST_BYTES
}

/// Whether a kernel of a TPU copies, or waits for semaphores.
fn copies_itself(launch: &Launch) -> bool {
    let copies =
        |kind: &OpKind| matches!(kind, OpKind::Copy(_) | OpKind::Semaphore(_) | OpKind::Control(ControlOp::Pipeline));
    launch.kernel.ops.iter().any(|op| copies(&op.op.kind))
}

fn inputs(launch: &Launch) -> Result<Vec<Array>, RunError> {
    let inputs = launch.operands.iter().filter(|operand| operand.role != Role::Output);
    inputs.map(|operand| Ok(Array::zeros(operand.array.dtype, operand.array.shape.clone())?)).collect()
}

/// Zeros for the tile that an op gives; what memory holds is asked for, too, where `memory` says so.
fn zeros(launch: &Launch, op: OpId, memory: bool) -> Option<Array> {
    let op = launch.kernel.ops.get(op.0 as usize)?;
    let [result] = op.results.as_slice() else { return None };
    let Type::Tensor(ty) = launch.kernel.ty(*result) else { return None };
    let is_plain = matches!(op.op.kind, OpKind::Pure { .. }) || memory && matches!(op.op.kind, OpKind::Memory(_));
    (is_plain && ty.shape.rank() > 0).then(|| Array::zeros(ty.dtype, ty.shape.clone()).ok()).flatten()
}
