//! A trace keeps the rules of the Trace Event Format, as far as viewers depend on them: what is missing or does not nest is
//! dropped by them without a word.

use crate::common::{self, device_report, launch_report, report};
use pallas_profile::trace;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Whole nanoseconds of a time in microseconds, as Perfetto reads it: what is less than a nanosecond is cut off, rounding
/// errors of the product included.
fn nanoseconds(event: &Value, field: &str) -> i64 {
    let time = event[field].as_f64().unwrap_or_else(|| panic!("{field} is no number in {event}"));
    assert!(time.is_finite() && time >= 0.0, "{event}");
    let read = (time * 1e3) as i64;
    assert!((time * 1e3 - read as f64).abs() < 1e-3, "{event}: {field} loses part of a nanosecond");
    read
}

fn number(event: &Value, field: &str) -> i64 {
    event[field].as_i64().unwrap_or_else(|| panic!("{field} is no integer in {event}"))
}

fn text<'a>(event: &'a Value, field: &str) -> &'a str {
    event[field].as_str().filter(|text| !text.is_empty()).unwrap_or_else(|| panic!("{field} is no text in {event}"))
}

/// A process and a thread.
type Track = (i64, i64);

/// One end of an arrow: its phase, track, time, name and category.
type End<'a> = (&'a str, Track, i64, &'a str, &'a str);

#[derive(Default)]
struct Seen<'a> {
    processes: BTreeSet<i64>,
    names: BTreeMap<Track, &'a str>,
    /// Begin, end, category and bytes.
    slices: BTreeMap<Track, Vec<(i64, i64, &'a str, i64)>>,
    /// By id: where it begins and where it ends.
    arrows: BTreeMap<i64, Vec<End<'a>>>,
    counters: BTreeMap<i64, Vec<(i64, i64)>>,
}

fn read(trace: &Value) -> Seen<'_> {
    assert!(matches!(trace["displayTimeUnit"].as_str(), Some("ms" | "ns")), "{}", trace["displayTimeUnit"]);
    let mut seen = Seen::default();
    for event in trace["traceEvents"].as_array().expect("a list of events") {
        let pid = number(event, "pid");
        let track = || (pid, number(event, "tid"));
        let name = text(event, "name");
        match text(event, "ph") {
            "M" => match name {
                "process_name" => {
                    text(&event["args"], "name");
                    assert!(seen.processes.insert(pid), "process {pid} is named twice");
                }
                "thread_name" => {
                    assert_eq!(seen.names.insert(track(), text(&event["args"], "name")), None, "{event}");
                }
                "thread_sort_index" => {
                    track();
                    number(&event["args"], "sort_index");
                }
                other => panic!("{other} is no metadata"),
            },
            "X" => {
                let (start, lasts) = (nanoseconds(event, "ts"), nanoseconds(event, "dur"));
                let bytes = event["args"].get("bytes").map_or(0, |_| number(&event["args"], "bytes"));
                seen.slices.entry(track()).or_default().push((start, start + lasts, text(event, "cat"), bytes));
            }
            phase @ ("s" | "f") => {
                // Without it an arrow would end at the slice that begins next.
                assert!(phase == "s" || event["bp"] == "e", "{event}");
                let arrow = (phase, track(), nanoseconds(event, "ts"), name, text(event, "cat"));
                seen.arrows.entry(number(event, "id")).or_default().push(arrow);
            }
            "C" => {
                let counts = event["args"].as_object().expect("what is counted");
                assert_eq!(counts.len(), 1, "{event}");
                let time = nanoseconds(event, "ts");
                seen.counters.entry(pid).or_default().push((time, number(&event["args"], "bytes")));
            }
            other => panic!("{other} is no phase of ours"),
        }
    }
    seen
}

/// Checks a trace, and gives how many slices and arrows it has.
fn check(trace: &Value) -> (usize, usize) {
    let seen = read(trace);
    for (track, slices) in &seen.slices {
        assert!(seen.names.contains_key(track) && seen.processes.contains(&track.0), "{track:?} has no name");
        let mut slices = slices.clone();
        slices.sort_unstable();
        for pair in slices.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "{}: {:?} and {:?} overlap", seen.names[track], pair[0], pair[1]);
        }
    }
    let names: BTreeSet<_> = seen.names.iter().map(|((pid, _), name)| (pid, name)).collect();
    assert_eq!(names.len(), seen.names.len(), "two tracks of a process have one name");
    // Perfetto names a thread by its number, whatever process it is of, and calls one with its process's number the main one.
    let threads: BTreeSet<i64> = seen.names.keys().map(|(_, tid)| *tid).collect();
    assert_eq!(threads.len(), seen.names.len(), "two processes have a thread of one number");
    assert!(seen.names.keys().all(|(pid, tid)| pid != tid && !seen.processes.contains(tid)), "a main thread");
    for (id, ends) in &seen.arrows {
        let [("s", from, leaves, ..), ("f", to, arrives, ..)] = ends[..] else { panic!("arrow {id}: {ends:?}") };
        assert_eq!((ends[0].3, ends[0].4), (ends[1].3, ends[1].4), "arrow {id}");
        assert!(from.0 == to.0 && leaves <= arrives, "arrow {id}: {ends:?}");
        let within = |track: Track, time: i64, stage: &str| {
            let mut slices = seen.slices[&track].iter();
            slices.any(|&(start, end, of, _)| of == stage && start <= time && time <= end)
        };
        match ends[0].3 {
            "wait" => {
                let engine = ["copy_in", "copy_out", "send", "product"].iter().any(|stage| within(from, leaves, stage));
                assert!(engine && within(to, arrives, "wait"), "arrow {id}: {ends:?}");
            }
            _ => assert!(within(from, leaves, "copy_in") && within(to, arrives, "compute"), "arrow {id}: {ends:?}"),
        }
    }
    for (&pid, counts) in &seen.counters {
        assert!(counts.windows(2).all(|pair| pair[0].0 < pair[1].0), "a counter has one value at a time");
        let copies = seen.slices.iter().filter(|(track, _)| track.0 == pid).flat_map(|(_, slices)| slices);
        let copies: Vec<_> = copies.filter(|slice| slice.2.starts_with("copy_")).collect();
        for &(time, bytes) in counts {
            let under_way = copies.iter().filter(|copy| copy.0 <= time && time < copy.1).map(|copy| copy.3);
            assert_eq!(bytes, under_way.sum::<i64>(), "at {time}");
        }
        assert_eq!(counts.last().map(|count| count.1), Some(0), "what is under way arrives");
    }
    (seen.slices.values().map(Vec::len).sum(), seen.arrows.len())
}

#[test]
fn traces_keep_the_rules() {
    for machine in ["v5e", "a100", "h100"] {
        for timed in [false, true] {
            for grid in [[2, 3, 4], [1, 1, 1], [5, 1, 7], [8, 8, 8]] {
                let report = report(grid, machine, timed);
                let programs: usize = grid.iter().product();
                let (slices, arrows) = check(&trace(&report));
                let modelled = report.launches[0].modelled.schedule.grid.iter().product::<usize>();
                assert!(slices >= modelled && arrows >= modelled.min(2), "{machine} {grid:?}: {slices}, {arrows}");
                assert!(!timed || slices >= modelled + 3 * programs.min(256));
            }
        }
    }
}

#[test]
fn a_trace_of_a_device_has_a_track_for_each_place_of_a_block() {
    let report = device_report();
    let (modelled, _) = check(&trace(&common::report([2, 3, 4], "h100", false)));
    let trace = trace(&report);
    let (slices, _) = check(&trace);
    let device = report.launches[0].measured.as_ref().and_then(|measured| measured.on_device.as_ref());
    assert_eq!(slices, modelled + device.map_or(0, |device| device.lanes.events.len()));
    assert!(trace.to_string().contains("SM 1.1"));
}

#[test]
fn traces_of_devices_and_cores_keep_the_rules() {
    for text in [include_str!("launches/ring_all_gather.ir"), include_str!("launches/two_cores.ir")] {
        let report = launch_report(text);
        let lanes = report.launches[0].modelled.lanes.as_ref().expect("it is rehearsed");
        let (slices, arrows) = check(&trace(&report));
        assert!(slices >= lanes.events.len() && arrows > 0, "{slices}, {arrows}");
    }
}

#[test]
fn every_nanosecond_is_read_as_it_is_meant() {
    // 29 ns are 0.029 µs, and 0.029 * 1000 is a little less than 29.
    let mut report = report([2, 3, 4], "v5e", true);
    let measured = report.launches[0].measured.as_mut().expect("it ran");
    let mut at = 0.0;
    for (number, event) in measured.events.iter_mut().filter(|event| event.operand.is_none()).enumerate() {
        (event.start, event.end) = (at, at + (number % 59 + 1) as f64);
        at = event.end;
    }
    let ends: Vec<f64> =
        measured.events.iter().filter(|event| event.operand.is_none()).map(|event| event.end).collect();
    measured.events.retain(|event| event.operand.is_none());
    let trace = trace(&report);
    let events = trace["traceEvents"].as_array().expect("events");
    let read = events.iter().filter(|event| event["pid"] == 2 && event["ph"] == "X");
    let read: Vec<f64> = read.map(|event| (nanoseconds(event, "ts") + nanoseconds(event, "dur")) as f64).collect();
    assert_eq!(read, ends);
}

#[test]
fn a_trace_of_millions_of_programs_says_what_it_leaves_out() {
    let trace = trace(&report([4096, 4096, 1], "v5e", false));
    let (slices, _) = check(&trace);
    assert!(slices < 100_000, "{slices}");
    let title = trace["traceEvents"][0]["args"]["name"].as_str().expect("a title");
    assert!(title.contains("first 4096 of 16777216 programs"), "{title}");
}

#[test]
fn the_check_notices_what_breaks_a_trace() {
    let whole = trace(&report([2, 3, 4], "v5e", false));
    let events = whole["traceEvents"].as_array().expect("events");
    let breaks = |what: &str, change: &dyn Fn(&mut Value) -> bool| {
        let mut broken = whole.clone();
        let list = broken["traceEvents"].as_array_mut().expect("events");
        assert!(list.iter_mut().any(change), "{what}: nothing to break");
        let result = std::panic::catch_unwind(|| check(&broken));
        assert!(result.is_err(), "{what} goes unnoticed");
    };
    let is = |event: &Value, phase: &str| event["ph"] == phase;
    breaks("an overlap", &|event| {
        is(event, "X") && event["cat"] == "compute" && {
            event["dur"] = 1e6.into();
            true
        }
    });
    breaks("an arrow without an end", &|event| {
        is(event, "f") && {
            event["id"] = 7.into();
            true
        }
    });
    breaks("a counter that does not count", &|event| {
        is(event, "C") && {
            event["args"]["bytes"] = 1.into();
            true
        }
    });
    breaks("a track without a name", &|event| {
        event["name"] == "thread_name" && {
            event["tid"] = 99.into();
            true
        }
    });
    assert!(events.len() > 100);
}
