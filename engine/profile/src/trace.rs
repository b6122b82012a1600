//! A report as a trace that Perfetto and Chrome open: one process per launch and kind of time, one track per slot and
//! stage, arrows from a copy to the program that uses it, and a counter of bytes under way.

use crate::lanes::Lanes;
use crate::report::{Event, LaunchReport, Report, Stage};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// Modelled programs that a trace shows of each launch, from the first on.
const MOST_PROGRAMS: usize = 4096;

/// Numbers of tracks that each process has for itself.
const TRACKS: usize = 1000;

/// The trace of a report, as JSON.
pub fn trace(report: &Report) -> Value {
    let mut events = Vec::new();
    for (number, launch) in report.launches.iter().enumerate() {
        let timing = launch.timing();
        let programs = timing.schedule().programs();
        let shown = programs.min(MOST_PROGRAMS);
        let machine = &report.machine_of(launch).name;
        let part = if shown < programs { format!(", first {shown} of {programs} programs") } else { String::new() };
        let title = format!("{} #{number}: modelled on {machine}{part}", launch.kernel);
        process(2 * number + 1, &title, launch, &launch.events(&timing, 0, shown), &mut events);
        if let Some(lanes) = &launch.modelled.lanes {
            let title = format!("{} #{number}: {}, modelled on {machine}", launch.kernel, lanes.of_whom());
            blocks(LANES + number, &title, lanes, &mut events);
        }
        if let Some(measured) = &launch.measured {
            let title = format!("{} #{number}: measured, {}", launch.kernel, measured.device);
            match &measured.on_device {
                // Blocks run beside each other: a track for each place that one can have.
                Some(device) => {
                    let part = if device.lanes.complete { "" } else { ", the first events" };
                    blocks(2 * number + 2, &format!("{title}{part}"), &device.lanes, &mut events);
                }
                None => process(2 * number + 2, &title, launch, &measured.events, &mut events),
            }
        }
    }
    json!({
        "traceEvents": events,
        "displayTimeUnit": "ns",
        "otherData": { "program": report.program.path, "machine": report.machine.name },
    })
}

/// The first process of lanes: others have numbers of their own.
const LANES: usize = 100_000;

/// Threads, copies and tensor cores, one track each.
fn blocks(pid: usize, title: &str, lanes: &Lanes, out: &mut Vec<Value>) {
    out.push(json!({ "ph": "M", "name": "process_name", "pid": pid, "args": { "name": title } }));
    let tid = |lane: usize| pid * TRACKS + lane + 1;
    for (at, lane) in lanes.lanes.iter().enumerate() {
        out.push(
            json!({ "ph": "M", "name": "thread_name", "pid": pid, "tid": tid(at), "args": { "name": lane.name } }),
        );
        out.push(json!({
            "ph": "M", "name": "thread_sort_index", "pid": pid, "tid": tid(at), "args": { "sort_index": at },
        }));
    }
    for (number, event) in lanes.events.iter().enumerate() {
        let title = match event.subject() {
            subject if subject.is_empty() => event.stage.clone(),
            name if event.stage == "compute" && name.starts_with("program ") => name,
            subject => format!("{} {subject}", event.stage),
        };
        let mut args = json!({});
        let name_of = |lane: usize| lanes.lanes.get(lane).map_or("?", |lane| lane.name.as_str());
        args["agent"] = name_of(event.agent).into();
        for (key, text) in [("barrier", &event.name), ("ref", &event.buffer)] {
            if !text.is_empty() && !text.starts_with("program ") {
                args[key] = text.as_str().into();
            }
        }
        if let Some(slot) = event.slot {
            args["slot"] = slot.into();
        }
        if let Some(phase) = event.phase {
            args["phase"] = phase.into();
        }
        if let Some(cause) = lanes.cause(event) {
            args["ended by"] = cause.into();
        }
        if event.bytes > 0 {
            args["bytes"] = event.bytes.into();
        }
        if let Some(place) = event.place {
            args["line"] = place.line.into();
        }
        out.push(json!({
            "ph": "X", "name": title, "cat": event.stage, "pid": pid, "tid": tid(event.lane),
            "ts": micros(event.start), "dur": micros(event.end.round() - event.start.round()), "args": args,
        }));
        // An arrow from the copy that a wait was for to that wait.
        let ended = event.ended_by.and_then(|cause| cause.event).and_then(|at| lanes.events.get(at));
        if let Some(ended) = ended {
            let id = pid * 10_000_000 + number;
            let arrow = |phase: &str, lane: usize, time: f64| {
                json!({
                    "ph": phase, "id": id, "name": "wait", "cat": "flow", "pid": pid, "tid": tid(lane), "ts": micros(time),
                })
            };
            out.push(arrow("s", ended.lane, ended.start));
            let mut arrives = arrow("f", event.lane, event.start.max(ended.start));
            arrives["bp"] = "e".into();
            out.push(arrives);
        }
    }
}

/// Tracks: compute first, then each operand's slots and stages, then waiting.
type Track = (u8, usize, usize, Stage);

fn track(event: &Event) -> Track {
    match (event.stage, event.operand) {
        (Stage::Compute, _) | (_, None) => (0, 0, event.lane, Stage::Compute),
        (Stage::Wait, Some(_)) => (2, 0, 0, Stage::Wait),
        (stage, Some(operand)) => (1, operand, event.slot, stage),
    }
}

fn process(pid: usize, title: &str, launch: &LaunchReport, events: &[Event], out: &mut Vec<Value>) {
    let name = |at: usize| launch.operands.get(at).map_or("?", |operand| operand.name.as_str());
    let mut tracks: BTreeMap<Track, usize> = events.iter().map(|event| (track(event), 0)).collect();
    // Perfetto names threads by their number alone, and takes one with its process's number for the main one.
    for (at, (_, tid)) in tracks.iter_mut().enumerate() {
        *tid = pid * TRACKS + at + 1;
    }
    out.push(json!({ "ph": "M", "name": "process_name", "pid": pid, "args": { "name": title } }));
    for (&(kind, operand, slot, stage), &tid) in &tracks {
        let label = match kind {
            0 => "compute".to_string(),
            2 => "wait".to_string(),
            _ => format!("{} slot {slot} {}", name(operand), stage.name()),
        };
        out.push(json!({ "ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": { "name": label } }));
        out.push(
            json!({ "ph": "M", "name": "thread_sort_index", "pid": pid, "tid": tid, "args": { "sort_index": tid } }),
        );
    }
    // Ends are rounded like beginnings, so that neighbours do not come to overlap.
    let lasting = |event: &Event| micros(event.end.round() - event.start.round());
    let mut computes: HashMap<usize, (f64, usize)> = HashMap::new();
    let mut under_way: Vec<(f64, i64)> = Vec::new();
    for event in events {
        let tid = tracks[&track(event)];
        let ids = launch.ids(event.program);
        let title = match event.operand {
            None => format!("program {ids:?}"),
            Some(operand) => format!("{} for {ids:?}", name(operand)),
        };
        let mut args = json!({ "program": event.program, "ids": ids });
        if event.bytes > 0 {
            args["bytes"] = event.bytes.into();
        }
        if event.flops > 0 {
            args["flops"] = event.flops.into();
        }
        if let Some(place) = event.place {
            args["line"] = place.line.into();
        }
        out.push(json!({
            "ph": "X", "name": title, "cat": event.stage.name(), "pid": pid, "tid": tid,
            "ts": micros(event.start), "dur": lasting(event), "args": args,
        }));
        match event.stage {
            Stage::Compute => {
                computes.insert(event.program, (event.start, tid));
            }
            Stage::CopyIn | Stage::CopyOut => {
                let bytes = i64::try_from(event.bytes).unwrap_or(i64::MAX);
                under_way.push((event.start.round(), bytes));
                under_way.push((event.end.round(), -bytes));
            }
            Stage::Wait => {}
        }
    }
    for (number, event) in events.iter().enumerate().filter(|(_, event)| event.stage == Stage::CopyIn) {
        let Some(&(start, tid)) = computes.get(&event.program) else { continue };
        let id = pid * 10_000_000 + number;
        let from = tracks[&track(event)];
        // An arrow leaves from inside its slice: at the copy's beginning.
        out.push(json!({
            "ph": "s", "id": id, "name": "block", "cat": "flow", "pid": pid, "tid": from, "ts": micros(event.start),
        }));
        out.push(json!({
            "ph": "f", "bp": "e", "id": id, "name": "block", "cat": "flow", "pid": pid, "tid": tid, "ts": micros(start),
        }));
    }
    under_way.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut bytes: i64 = 0;
    for (at, &(time, change)) in under_way.iter().enumerate() {
        bytes = bytes.saturating_add(change);
        // Of several changes at once the last one counts.
        if under_way.get(at + 1).is_none_or(|next| next.0 > time) {
            out.push(json!({
                "ph": "C", "name": "bytes in flight", "pid": pid, "ts": micros(time), "args": { "bytes": bytes.max(0) },
            }));
        }
    }
}

/// Microseconds, of which viewers make whole nanoseconds. Perfetto cuts off what the product with a thousand leaves behind the
/// point, so that 0.029 would be 28 ns, and of two slices that come to overlap by that it drops one.
fn micros(nanoseconds: f64) -> f64 {
    let whole = nanoseconds.round();
    let micros = whole / 1e3;
    if (micros * 1e3).trunc() < whole { micros.next_up() } else { micros }
}

impl LaunchReport {
    /// Ids of the program with this row-major number.
    pub fn ids(&self, mut number: usize) -> Vec<usize> {
        let mut ids = vec![0; self.grid.len()];
        for (id, &extent) in ids.iter_mut().zip(&self.grid).rev() {
            if extent > 0 {
                *id = number % extent;
                number /= extent;
            }
        }
        ids
    }
}
