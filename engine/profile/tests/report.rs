//! What a report holds, what it answers, and what it becomes.

use crate::common::{self, report};
use pallas_profile::{Incomparable, Report, Stage, compare, trace};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

#[test]
fn a_report_says_what_was_launched() {
    let report = report([2, 3, 4], "v5e", false);
    let launch = &report.launches[0];
    assert_eq!((launch.kernel.as_str(), &launch.grid[..], launch.programs), ("matmul", &[2, 3, 4][..], 24));
    let formulas: Vec<&str> = launch.operands.iter().map(|operand| operand.formula.as_str()).collect();
    assert_eq!(formulas, ["(i, k)", "(k, j)", "(i, j)"]);
    assert_eq!(launch.call.map(|place| (place.line, place.column)), Some((4, 1)));
    assert_eq!(launch.modelled.flops, 24 * (2 * 8 * 128 * 128 + 8 * 128));
    assert_eq!(launch.modelled.bytes, 24 * (4096 + 65536) + 6 * 4096);
    assert_eq!((launch.findings.as_slice(), launch.marks[0].ids.as_slice()), (&[0][..], &[1, 2, 0][..]));
    assert_eq!(launch.modelled.lines.len(), 1, "the ops of one expression are one place");
    assert_eq!(launch.modelled.lines[0].flops, launch.modelled.flops);
    assert!(launch.modelled.complete && launch.measured.is_none() && report.totals.measured.is_none());
    let computes = launch.modelled.events.iter().filter(|event| event.stage == Stage::Compute);
    assert_eq!(computes.clone().count(), 24);
    assert_eq!(computes.map(|event| event.flops).sum::<u64>(), launch.modelled.flops);
    let copied: u64 = launch.modelled.events.iter().map(|event| event.bytes).sum();
    assert_eq!(copied, launch.modelled.bytes);
    assert_eq!(report.sources[0].text, common::TEXT);
}

#[test]
fn measured_and_modelled_stand_apart() {
    let timed = report([2, 3, 4], "v5e", true);
    let plain = report([2, 3, 4], "v5e", false);
    assert_eq!(timed.launches[0].modelled, plain.launches[0].modelled);
    assert_eq!(timed.totals.modelled, plain.totals.modelled);
    let measured = timed.totals.measured.expect("it was timed");
    assert_eq!((measured.copy_in, measured.compute, measured.copy_out), (24.0 * 300.0, 24.0 * 700.0, 50.0));
    assert_eq!(measured.time, 24.0 * 1000.0 + 50.0);
}

#[test]
fn a_grid_of_millions_is_a_small_report_and_answers_for_every_program() {
    let begun = Instant::now();
    let report = report([4096, 4096, 1], "v5e", false);
    let text = report.to_json().expect("it is written");
    assert!(text.len() < 200_000, "{} bytes", text.len());
    let report = Report::read(&text).expect("it is read");
    let launch = &report.launches[0];
    assert!(!launch.modelled.complete);
    let timing = launch.timing();
    let events = launch.events(&timing, 8_000_000, 3);
    assert!(events.iter().all(|event| (8_000_000..8_000_003).contains(&event.program)));
    assert_eq!(events.iter().filter(|event| event.stage == Stage::Compute).count(), 3);
    let last = launch.modelled.events.iter().map(|event| event.end).fold(0.0, f64::max);
    assert!((last - launch.modelled.time).abs() < 1e-3 * launch.modelled.time);
    // Seconds even without optimisation, on a busy machine; a walk would take minutes.
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn a_trace_has_a_track_per_slot_and_stage_with_arrows_and_a_counter() {
    let trace = trace(&report([2, 3, 4], "v5e", true));
    let events = trace["traceEvents"].as_array().expect("events");
    let of = |phase: &str| events.iter().filter(|event| event["ph"] == phase).collect::<Vec<_>>();
    let tracks: Vec<&str> = of("M")
        .iter()
        .filter(|event| event["name"] == "thread_name" && event["pid"] == 1)
        .filter_map(|event| event["args"]["name"].as_str())
        .collect();
    let expected = [
        "compute",
        "x slot 0 copy_in",
        "x slot 1 copy_in",
        "y slot 0 copy_in",
        "y slot 1 copy_in",
        "o slot 0 copy_out",
        "o slot 1 copy_out",
        "wait",
    ];
    assert_eq!(tracks, expected);
    // Every arrow begins inside a slice of its track and ends where one begins.
    let slices = of("X");
    let (starts, ends) = (of("s"), of("f"));
    assert_eq!((starts.len(), ends.len()), (48 + 48, 48 + 48), "modelled and measured");
    for (from, to) in starts.iter().zip(&ends) {
        assert_eq!(from["id"], to["id"]);
        let inside = |slice: &&&Value, event: &Value| {
            let (at, begin) = (event["ts"].as_f64(), slice["ts"].as_f64());
            slice["pid"] == event["pid"] && slice["tid"] == event["tid"] && at == begin
        };
        assert!(slices.iter().any(|slice| inside(&slice, from)) && slices.iter().any(|slice| inside(&slice, to)));
        assert!(from["ts"].as_f64() <= to["ts"].as_f64());
    }
    // What is under way ends at nothing.
    let mut last: BTreeMap<i64, i64> = BTreeMap::new();
    for counter in of("C") {
        let bytes = counter["args"]["bytes"].as_i64().expect("a number");
        assert!(bytes >= 0);
        last.insert(counter["pid"].as_i64().expect("a number"), bytes);
    }
    assert_eq!(last.values().copied().collect::<Vec<_>>(), [0, 0]);
    // Slices of one track do not overlap, but for copies that queue for the path to memory.
    let mut computes: Vec<(f64, f64)> = slices
        .iter()
        .filter(|slice| slice["cat"] == "compute" && slice["pid"] == 1)
        .filter_map(|slice| Some((slice["ts"].as_f64()?, slice["dur"].as_f64()?)))
        .collect();
    computes.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(computes.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0 + 1e-9));
}

#[test]
fn comparisons_match_launches_and_kinds_of_time() {
    let (before, after) = (report([2, 3, 4], "v5e", true), report([2, 3, 8], "v5e", true));
    let comparison = compare(&before, &after).expect("the same machine");
    let time = |measured| {
        let found = comparison.changes.iter().find(|change| change.measured == measured && change.what == "time");
        found.expect("both have a time").share()
    };
    assert!((time(true) - 1.0).abs() < 0.01, "{}", time(true));
    assert!(time(false) > 0.8 && time(false) < 1.1, "{}", time(false));
    let same = compare(&before, &before).expect("the same report");
    assert!(same.changes.iter().all(|change| change.share() == 0.0));
    assert!(comparison.gone.is_empty() && comparison.new.is_empty());
    let other = report([2, 3, 4], "h100", false);
    let refused = Err(Incomparable::Machines("TPU v5e".to_string(), "NVIDIA H100".to_string()));
    assert_eq!(compare(&before, &other), refused);
    // Measured times do not depend on the machine that is modelled.
    let measured = compare(&before, &report([2, 3, 4], "h100", true)).expect("both were measured");
    assert!(measured.changes.iter().all(|change| change.measured));
}
