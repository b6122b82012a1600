//! The time of a launch that waits for something itself: it is that of its lanes. The formulas of the pipeline know only the
//! blocks that the launch copies for its programs; what such a kernel does with its time is seen by the rehearsal.

use crate::lanes::Lanes;
use crate::modelled::Modelled;
use pallas_ir::{AxisSemantics, Launch};
use pallas_pipeline::Machine;

/// Half of the time: from there on something is what holds a launch up.
const MOST: f64 = 0.5;

/// Takes the time of the lanes, where they are all that there is to do, or what is done again and again.
pub(super) fn take_over(modelled: &mut Modelled, launch: &Launch, machine: &Machine) {
    let Some(lanes) = modelled.lanes.as_ref().filter(|lanes| lanes.complete && lanes.time > 0.0) else { return };
    let turns = turns(launch, machine) as f64;
    let agents = lanes.lanes.iter().filter(|lane| ["thread", "core"].contains(&lane.kind.as_str()));
    let agents = agents.count().max(1) as f64;
    // Products of several threads take turns on the tensor cores of a block.
    let products = lanes.lanes.iter().filter(|lane| lane.kind == "products").count().max(1) as f64;
    let (mut computed, mut multiplied) = (0.0, 0.0);
    let (mut first, mut last) = (f64::INFINITY, 0.0_f64);
    for event in &lanes.events {
        match event.stage.as_str() {
            "compute" => computed += event.end - event.start,
            "product" => multiplied += event.end - event.start,
            _ => continue,
        }
        (first, last) = (first.min(event.start), last.max(event.end));
    }
    // Who never computes waits all the time.
    let (first, last) = if first.is_finite() { (first, last) } else { (0.0, lanes.time) };
    let compute = (computed / agents + multiplied / products).min(last - first);
    modelled.time = lanes.time * turns;
    modelled.compute = compute * turns;
    // Between turns the end of one is followed by the beginning of the next.
    modelled.fill = first;
    modelled.drain = lanes.time - last;
    modelled.stalls = (modelled.time - modelled.compute - modelled.fill - modelled.drain).max(0.0);
    modelled.utilisation = modelled.compute / modelled.time;
    modelled.bound = if modelled.utilisation >= MOST {
        "compute"
    } else if path(lanes, launch, machine) >= MOST {
        "bandwidth"
    } else {
        "latency"
    }
    .to_string();
    if modelled.kernel_bytes == 0 {
        count_copies(modelled, launch);
    }
}

/// What a kernel copies itself, where the ops do not say it: what the rehearsed blocks copy, for all blocks.
fn count_copies(modelled: &mut Modelled, launch: &Launch) {
    let Some(lanes) = &modelled.lanes else { return };
    let copies = |stage: &str| stage.starts_with("copy_") || stage == "send";
    let copied: u64 = lanes.events.iter().filter(|event| copies(&event.stage)).map(|event| event.bytes).sum();
    let (all, some) = (blocks(launch, &[]), blocks(launch, &[AxisSemantics::Parallel, AxisSemantics::Arbitrary]));
    modelled.kernel_bytes = copied.saturating_mul((all / some.max(1)) as u64);
    let bytes = modelled.bytes.saturating_add(modelled.kernel_bytes);
    modelled.intensity = (bytes > 0).then(|| modelled.flops as f64 / bytes as f64);
}

/// Blocks along the axes of the grid that are not threads, and none of some kinds.
fn blocks(launch: &Launch, without: &[AxisSemantics]) -> usize {
    let semantics = launch.semantics.iter().chain(std::iter::repeat(&AxisSemantics::Arbitrary));
    let counts = |axis: &AxisSemantics| *axis != AxisSemantics::Thread && !without.contains(axis);
    let all = launch.grid.iter().zip(semantics).filter(|(_, axis)| counts(axis));
    all.map(|(&extent, _)| extent).fold(1, usize::saturating_mul)
}

/// How often the blocks of a GPU that run at the same time are followed by others; lanes of TPUs are all there are.
fn turns(launch: &Launch, machine: &Machine) -> usize {
    if !launch.has_agents() {
        return 1;
    }
    blocks(launch, &[AxisSemantics::Device]).div_ceil(machine.core_count().max(1)).max(1)
}

/// What share of the time the paths to memory and the links move bytes, and do not only wait for the first to arrive.
fn path(lanes: &Lanes, launch: &Launch, machine: &Machine) -> f64 {
    let bytes = |is: &dyn Fn(&str) -> bool| -> u64 {
        lanes.events.iter().filter(|event| is(&event.stage)).map(|event| event.bytes).sum()
    };
    let pace = super::lanes::pace(launch, machine);
    let main = bytes(&|stage| stage.starts_with("copy_")) as f64 * pace.byte / paths(lanes, launch) as f64;
    let links = lanes.lanes.iter().filter(|lane| lane.kind == "link").count().max(1);
    let sent = bytes(&|stage| stage == "send") as f64 * pace.link_byte / links as f64;
    main.max(sent) / lanes.time
}

/// How many paths to memory the lanes have: one for each device of TPUs, one for each block of a GPU.
fn paths(lanes: &Lanes, launch: &Launch) -> usize {
    if !launch.has_agents() {
        return launch.grid[..launch.device_axes()].iter().product::<usize>().max(1);
    }
    let owner = |name: &str| name.split_once(" of block").map(|(_, block)| block.to_string());
    let threads = lanes.lanes.iter().filter(|lane| lane.kind == "thread");
    threads.filter_map(|lane| owner(&lane.name)).collect::<std::collections::BTreeSet<_>>().len().max(1)
}
