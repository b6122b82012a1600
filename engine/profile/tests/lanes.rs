//! Lanes of a GPU kernel: threads and copies on the machine's clock, and who waits for whom.

mod common;

use common::gpu_report;
use pallas_pipeline::Machine;
use pallas_profile::{LaneEvent, Lanes, trace};

fn lanes() -> Lanes {
    gpu_report("h100").launches[0].modelled.lanes.clone().expect("the kernel has engines")
}

fn of<'a>(lanes: &'a Lanes, stage: &str) -> Vec<&'a LaneEvent> {
    lanes.events.iter().filter(|event| event.stage == stage).collect()
}

#[test]
fn copies_take_the_machines_time_and_the_thread_waits_for_the_first() {
    let (lanes, machine) = (lanes(), Machine::find("h100").expect("a machine"));
    assert!(lanes.complete);
    let copies = of(&lanes, "copy_in");
    assert_eq!(copies.len(), 4);
    let latency = machine.latency.value * 1e9;
    for copy in &copies {
        let transfer = 4096.0 / machine.bandwidth.value * 1e9;
        assert!((copy.end - copy.start - latency - transfer).abs() < 1e-6, "{copy:?}");
        assert_eq!(copy.bytes, 4096);
    }
    // The first wait ends with the first copy; the third block is started when the first has been used.
    let waits = of(&lanes, "wait");
    let first = copies.iter().map(|copy| copy.end).fold(f64::INFINITY, f64::min);
    assert_eq!((waits[0].start, waits[0].end), (0.0, first));
    assert!(copies.iter().filter(|copy| copy.start >= first).count() == 2, "{copies:?}");
    assert!(of(&lanes, "compute").iter().all(|event| event.end > event.start));
    assert!(lanes.events.iter().all(|event| event.end <= lanes.time));
}

#[test]
fn events_of_a_lane_follow_each_other() {
    let lanes = lanes();
    for lane in 0..lanes.lanes.len() {
        let own: Vec<&LaneEvent> = lanes.events.iter().filter(|event| event.lane == lane).collect();
        assert!(own.windows(2).all(|pair| pair[0].end <= pair[1].start), "{own:?}");
    }
    let (busy, waiting) = lanes.busy(0);
    assert!(busy > 0.0 && waiting > 0.0 && busy + waiting <= lanes.time);
}

#[test]
fn a_trace_has_a_track_for_each_lane() {
    let report = gpu_report("h100");
    let text = trace(&report).to_string();
    for lane in &lanes().lanes {
        assert!(text.contains(&lane.name), "{}", lane.name);
    }
    assert!(text.contains("\"wait b\""), "{text}");
}

#[test]
fn kernels_without_threads_and_engines_have_no_lanes() {
    assert_eq!(common::report([2, 3, 4], "h100", false).launches[0].modelled.lanes, None);
}
