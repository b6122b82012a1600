//! Lanes: threads, devices, cores and copies on the machine's clock, and who waits for whom.

use crate::common::{self, gpu_report, launch_report};
use pallas_pipeline::{Machine, Machines};
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
    assert!(text.contains("\"wait b[0], phase 1\""), "{text}");
}

#[test]
fn kernels_without_threads_and_engines_have_no_lanes() {
    assert_eq!(common::report([2, 3, 4], "h100", false).launches[0].modelled.lanes, None);
}

const RING: &str = include_str!("launches/ring_all_gather.ir");
const TWO_CORES: &str = include_str!("launches/two_cores.ir");

fn lanes_of(text: &str) -> Lanes {
    launch_report(text).launches[0].modelled.lanes.clone().expect("it is rehearsed")
}

/// Every event with all that is known of it.
fn shown(lanes: &Lanes) -> String {
    let mut text = String::new();
    for (at, lane) in lanes.lanes.iter().enumerate() {
        text.push_str(&format!("{} ({})\n", lane.name, lane.kind));
        for event in lanes.events.iter().filter(|event| event.lane == at) {
            text.push_str(&format!("  {:7.1} {:7.1} {:8} {}", event.start, event.end, event.stage, event.subject()));
            if !event.name.is_empty() && !event.buffer.is_empty() {
                text.push_str(&format!(", counted by {}", event.name));
            }
            if event.agent != at {
                text.push_str(&format!(", for {}", lanes.lanes[event.agent].name));
            }
            if let Some(phase) = event.phase.filter(|_| event.stage != "wait") {
                text.push_str(&format!(", phase {phase}"));
            }
            if event.bytes > 0 {
                text.push_str(&format!(", {} bytes", event.bytes));
            }
            if let Some(cause) = lanes.cause(event) {
                text.push_str(&format!(", until {cause}"));
            }
            text.push('\n');
        }
    }
    text
}

#[test]
fn threads_have_slots_and_phases() {
    insta::assert_snapshot!(shown(&lanes()));
}

#[test]
fn devices_wait_for_what_others_send() {
    let lanes = lanes_of(RING);
    assert!(lanes.complete && lanes.of_whom() == "devices");
    insta::assert_snapshot!(shown(&lanes));
    let machine = Machines::Fitting.of_nothing().clone();
    let (hop, link) = (machine.link_latency.value * 1e9, 1e9 / machine.link_bandwidth.value);
    for sent in of(&lanes, "send") {
        assert!((sent.end - sent.start - hop - 4096.0 * link).abs() < 1e-6, "{sent:?}");
    }
}

#[test]
fn cores_wait_for_each_other_and_share_main_memory() {
    let lanes = lanes_of(TWO_CORES);
    assert!(lanes.complete && lanes.of_whom() == "cores");
    insta::assert_snapshot!(shown(&lanes));
}

#[test]
fn a_kernel_that_copies_its_tiles_has_lanes_on_one_core() {
    let text = r#"launch grid=[] {
  input @x: f32[4,8,128] block=[4, 8, 128] space=any
  output @o: f32[4,8,128] block=[4, 8, 128] space=any
  scratch ref<f32[2,8,128], vmem>
  scratch ref<i32[2], dma_semaphore>
  kernel @adds(%x: ref<f32[4,8,128], any>, %o: ref<f32[4,8,128], any>, %slots: ref<f32[2,8,128], vmem>, %sems: ref<i32[2], dma_semaphore>) {
    %zero = constant 0 : i32[]
    %one = constant 1 : i32[]
    %two = constant 2 : i32[]
    %four = constant 4 : i32[]
    %x0 = view %x[%zero, :, :] : ref<f32[8,128], any>
    %s0 = view %slots[%zero, :, :] : ref<f32[8,128], vmem>
    %m0 = view %sems[%zero] : ref<i32[], dma_semaphore>
    copy_start %x0, %s0, %m0
    for %zero, %four (%step: i32[]) {
      %slot = rem %step, %two : i32[]
      %next = add %step, %one : i32[]
      %then = rem %next, %two : i32[]
      %more = lt %next, %four : bool[]
      %which = convert_element_type %more dtype=i32 weak=false : i32[]
      cond %which { } {
        %xn = view %x[%next, :, :] : ref<f32[8,128], any>
        %sn = view %slots[%then, :, :] : ref<f32[8,128], vmem>
        %mn = view %sems[%then] : ref<i32[], dma_semaphore>
        copy_start %xn, %sn, %mn
      }
      %xs = view %x[%step, :, :] : ref<f32[8,128], any>
      %ss = view %slots[%slot, :, :] : ref<f32[8,128], vmem>
      %ms = view %sems[%slot] : ref<i32[], dma_semaphore>
      copy_wait %xs, %ss, %ms
      %v = load %slots[%slot, :, :] : f32[8,128]
      %sum = add %v, %v : f32[8,128]
      store %slots[%slot, :, :], %sum
    }
  }
}
"#;
    insta::assert_snapshot!(shown(&lanes_of(text)));
}

#[test]
fn an_arrow_leads_from_what_was_sent_to_the_wait_for_it() {
    let trace = trace(&launch_report(RING));
    let events = trace["traceEvents"].as_array().expect("events");
    let arrows = events.iter().filter(|event| event["ph"] == "s" && event["name"] == "wait").count();
    let waits =
        of(&lanes_of(RING), "wait").iter().filter(|wait| wait.ended_by.is_some_and(|by| by.event.is_some())).count();
    assert!(arrows == waits && arrows > 8, "{arrows} and {waits}");
    let sent = events.iter().find(|event| event["cat"] == "send").expect("something is sent");
    assert_eq!((&sent["args"]["agent"], &sent["args"]["slot"]), (&"device 0".into(), &0.into()));
}
