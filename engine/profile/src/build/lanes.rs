//! The lanes of a kernel that waits for others: a rehearsal of the first blocks of a GPU, or of the devices and cores of TPUs, at the
//! machine's pace.

use crate::lanes::{Lane, LaneCause, LaneEvent, Lanes};
use crate::place::Place;
use pallas_interpret::{LaneKind, LaneStage, Pace, rehearse};
use pallas_ir::function::OpData;
use pallas_ir::{AxisSemantics, Launch};
use pallas_pipeline::{self as pipeline, Machine, Work};
use pallas_syntax::SourceFile;
use std::sync::Arc;

/// What threads, cores and engines do, and whether data decides that; nothing where nobody waits for anybody.
pub(super) fn lanes(launch: &Launch, machine: &Machine, sources: &[Arc<SourceFile>]) -> Option<(Lanes, bool)> {
    let found = rehearse(launch, pace(launch, machine))?;
    let kind = |kind| match kind {
        LaneKind::Thread => "thread",
        LaneKind::Copies => "copies",
        LaneKind::Products => "products",
        LaneKind::Core => "core",
        LaneKind::Link => "link",
    };
    let stage = |stage| match stage {
        LaneStage::Compute => "compute",
        LaneStage::CopyIn => "copy_in",
        LaneStage::CopyOut => "copy_out",
        LaneStage::Product => "product",
        LaneStage::Send => "send",
        LaneStage::Wait => "wait",
    };
    let lanes = Lanes {
        lanes: found
            .lanes
            .iter()
            .map(|lane| Lane { name: lane.name.clone(), kind: kind(lane.kind).to_string() })
            .collect(),
        events: found
            .events
            .into_iter()
            .map(|event| LaneEvent {
                lane: event.lane,
                stage: stage(event.stage).to_string(),
                agent: event.agent,
                name: plain(&event.name),
                buffer: event.buffer.to_string(),
                slot: event.slot,
                phase: event.phase,
                ended_by: event.ended_by.map(|cause| LaneCause { lane: cause.lane, event: cause.event }),
                start: event.start,
                end: event.end,
                bytes: event.bytes,
                place: Place::of(event.location.span, sources),
            })
            .collect(),
        time: found.time,
        complete: found.complete,
    };
    Some((lanes, found.steered))
}

/// `a barrier of full` is `full`, since the event says which one.
fn plain(name: &str) -> String {
    let array = ["a barrier of ", "a semaphore of "].iter().find_map(|prefix| name.strip_prefix(prefix));
    array.unwrap_or(name).to_string()
}

/// What the machine takes for each op of the kernel on one core, and for copies where all cores with blocks share the path
/// to memory.
pub(super) fn pace(launch: &Launch, machine: &Machine) -> Pace {
    // Threads of a block and devices do not share a path to memory with each other's blocks.
    let apart = |axis: &AxisSemantics| matches!(axis, AxisSemantics::Thread | AxisSemantics::Device);
    let threads = launch.grid.iter().zip(&launch.semantics).filter(|(_, axis)| apart(axis));
    let blocks = launch.programs() / threads.map(|(&extent, _)| extent).product::<usize>().max(1);
    let seconds = |op: &OpData| {
        let mut work = Work::default();
        // Where something lies, and how often a loop turns, is computed beside the rest.
        let is_scalar = op.results.first().is_some_and(|&result| launch.kernel.ty(result).shape().is_empty());
        if !is_scalar && let Some((unit, dtype, count)) = pipeline::operations(&launch.kernel, op) {
            work.add(unit, dtype, count);
        }
        machine.compute_seconds(&work)
    };
    Pace {
        ops: launch.kernel.ops.iter().map(|op| seconds(op) * 1e9).collect(),
        latency: machine.latency.value * 1e9,
        byte: machine.busy_cores(blocks) as f64 / machine.bandwidth.value * 1e9,
        link_latency: machine.link_latency.value * 1e9,
        link_byte: 1e9 / machine.link_bandwidth.value,
    }
}
