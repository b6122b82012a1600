//! What a device said of a launch that ran there: how long the kernel took by the device's own clock, what its blocks did on which
//! multiprocessor, what it takes of one, and how far it is from what the device reaches at most.
//!
//! Blocks run beside each other. What stages took is therefore given for one lane on average, a lane being a place for a block on a
//! multiprocessor, so that it can be compared with the time of the kernel.

use crate::lanes::{Lane, LaneEvent, Lanes};
use crate::measured::{Bins, EVENT_PROGRAMS, Measured, StageTime};
use crate::place::Place;
use crate::report::{Event, Stage};
use pallas_syntax::{SourceFile, Span};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Events of lanes that are kept: a screen has no room for more, and a report would grow with the grid.
const MOST_EVENTS: usize = 3000;

/// Of a launch on a device. Times are in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OnDevice {
    /// Measurements that count; [`Measured::time`] is their median.
    pub measurements: usize,
    /// Launches of a measurement that were replayed as one graph; 1 where each was started by itself.
    pub replayed: usize,
    /// The shortest.
    pub shortest: f64,
    /// The longest.
    pub longest: f64,
    /// The median of the kernel that notes its times: what that costs is the difference.
    pub noted: Option<f64>,
    /// Notes that were written over for lack of room.
    pub lost: u64,
    /// Blocks.
    pub blocks: usize,
    /// Threads of a block.
    pub threads: u32,
    /// Multiprocessors that had any of them.
    pub multiprocessors: usize,
    /// Registers of a thread.
    pub registers: Option<u32>,
    /// Bytes that a thread keeps in memory for lack of registers, stored and loaded.
    pub spilled: Option<u32>,
    /// Bytes of shared memory of a block.
    pub shared: u64,
    /// How many blocks a multiprocessor has room for.
    pub residency: Option<Residency>,
    /// Bytes of the launch's arrays, each once.
    pub bytes: u64,
    /// Of them, in a second.
    pub bandwidth: f64,
    /// Operations of the launch, as they are modelled.
    pub flops: u64,
    /// Of them, in a second.
    pub rate: f64,
    /// What the device reaches at most.
    pub ceilings: Vec<Ceiling>,
    /// Waiting for copies, of one lane on average.
    pub wait: f64,
    /// What blocks did, multiprocessor by multiprocessor.
    pub lanes: Lanes,
    /// Ways to machine code that were measured, the one that all of this is about first. Reports of earlier releases, and the
    /// simulator, have none.
    #[serde(default)]
    pub ways: Vec<Way>,
    /// What is to be said of how the kernel was made: faster ways that were not taken, and why. Reports of earlier releases have none.
    #[serde(default)]
    pub remarks: Vec<String>,
}

/// A way to machine code.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Way {
    /// `simt` or `tileir`, as `--backend` calls them.
    pub name: String,
    /// The median of the launch's times; none if there is nothing that was measured.
    pub time: Option<f64>,
}

/// How many blocks of a kernel a multiprocessor runs at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Residency {
    /// Blocks, by what they take and what there is.
    pub blocks: u32,
    /// Their warps.
    pub warps: u32,
    /// The most warps.
    pub most: u32,
    /// Why there are no more blocks: `registers`.
    pub limit: String,
    /// Blocks, in the driver's opinion.
    pub driver: Option<u32>,
}

/// A rate that the device was measured to reach.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ceiling {
    /// `copy`, `fma`, or the dtype of the factors of products on tensor cores.
    pub name: String,
    /// Bytes, or operations, in a second.
    pub rate: f64,
}

/// What a device told of one run of a launch. Times are in nanoseconds from the begin of the first block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceTimes {
    /// Facts, times of measurements and rates; what follows from the rest is filled in.
    pub about: OnDevice,
    /// Times of measurements, the shortest first.
    pub times: Vec<f64>,
    /// Blocks: multiprocessor, begin and end.
    pub blocks: Vec<(u32, f64, f64)>,
    /// What they did.
    pub events: Vec<DeviceEvent>,
}

/// A part of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceEvent {
    /// The program's number.
    pub program: usize,
    /// The block that ran it.
    pub block: usize,
    /// The stage.
    pub stage: Stage,
    /// The operand, by position.
    pub operand: Option<usize>,
    /// The slot.
    pub slot: usize,
    /// Begin.
    pub start: f64,
    /// End.
    pub end: f64,
    /// Bytes that were copied.
    pub bytes: u64,
    /// The source.
    pub span: Span,
}

impl OnDevice {
    /// The rate of a ceiling.
    pub fn ceiling(&self, name: &str) -> Option<f64> {
        self.ceilings.iter().find(|ceiling| ceiling.name == name).map(|ceiling| ceiling.rate)
    }

    /// Whether the kernel noted what its programs did: by way of tiles it does not.
    pub fn notes(&self) -> bool {
        self.ways.first().is_none_or(|way| way.name != "tileir")
    }

    /// What the times are slower for being noted, as a share.
    pub fn overhead(&self, time: f64) -> Option<f64> {
        self.noted.filter(|_| time > 0.0).map(|noted| noted / time - 1.0)
    }
}

/// Gives blocks lanes: of each multiprocessor the first that is free. The lanes' names, and the lane of each block.
fn deal(blocks: &[(u32, f64, f64)]) -> (Vec<Lane>, Vec<usize>) {
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by(|&a, &b| blocks[a].1.total_cmp(&blocks[b].1));
    let mut ends: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    let mut places = vec![(0, 0); blocks.len()];
    for at in order {
        let (multiprocessor, start, end) = blocks[at];
        let lanes = ends.entry(multiprocessor).or_default();
        let free = lanes.iter().position(|&until| until <= start).unwrap_or_else(|| {
            lanes.push(0.0);
            lanes.len() - 1
        });
        lanes[free] = end;
        places[at] = (multiprocessor, free);
    }
    let mut lanes = Vec::new();
    let mut first = BTreeMap::new();
    for (&multiprocessor, own) in &ends {
        first.insert(multiprocessor, lanes.len());
        for number in 0..own.len() {
            let name = match own.len() {
                1 => format!("SM {multiprocessor}"),
                _ => format!("SM {multiprocessor}.{number}"),
            };
            lanes.push(Lane { name, kind: "multiprocessor".to_string() });
        }
    }
    let lane = |(multiprocessor, number): (u32, usize)| first.get(&multiprocessor).copied().unwrap_or(0) + number;
    (lanes, places.into_iter().map(lane).collect())
}

impl DeviceTimes {
    /// Puts all of it into what was measured.
    pub(crate) fn fill(self, measured: &mut Measured, sources: &[Arc<SourceFile>]) {
        let DeviceTimes { mut about, times, blocks, events } = self;
        let (lanes, of_block) = deal(&blocks);
        let lane_of = |event: &DeviceEvent| of_block.get(event.block).copied().unwrap_or(0);
        about.multiprocessors = blocks.iter().map(|block| block.0).collect::<std::collections::BTreeSet<_>>().len();
        about.measurements = times.len();
        about.shortest = times.first().copied().unwrap_or(0.0);
        about.longest = times.last().copied().unwrap_or(0.0);
        let last = blocks.iter().map(|block| block.2).fold(0.0, f64::max);
        let middle = (times.get(times.len().saturating_sub(1) / 2), times.get(times.len() / 2));
        measured.time = match middle {
            (Some(low), Some(high)) => (low + high) / 2.0,
            _ => last,
        };
        let share = 1.0 / lanes.len().max(1) as f64;
        let (mut copy_in, mut compute, mut copy_out, mut wait) = (0.0, 0.0, 0.0, 0.0);
        let mut programs: BTreeMap<usize, (f64, f64, [f64; 3])> = BTreeMap::new();
        for event in &events {
            let time = event.end - event.start;
            let entry = programs.entry(event.program).or_insert((event.start, event.end, [0.0; 3]));
            (entry.0, entry.1) = (entry.0.min(event.start), entry.1.max(event.end));
            let (sum, at) = match event.stage {
                Stage::CopyIn => (&mut copy_in, Some(0)),
                Stage::Compute => (&mut compute, Some(1)),
                Stage::CopyOut => (&mut copy_out, Some(2)),
                Stage::Wait => (&mut wait, None),
            };
            *sum += time;
            if let Some(at) = at {
                entry.2[at] += time;
            }
            if let Some(operand) = event.operand {
                let same = |sum: &StageTime| sum.operand == operand && sum.stage == event.stage;
                let at = measured.operands.iter().position(same).unwrap_or_else(|| {
                    measured.operands.push(StageTime { operand, stage: event.stage, time: 0.0, copies: 0, bytes: 0 });
                    measured.operands.len() - 1
                });
                let sum = &mut measured.operands[at];
                (sum.time, sum.copies) = (sum.time + time * share, sum.copies + 1);
                sum.bytes = sum.bytes.saturating_add(event.bytes);
            }
        }
        measured.operands.sort_by_key(|sum| (sum.operand, sum.stage));
        (measured.copy_in, measured.compute, measured.copy_out) = (copy_in * share, compute * share, copy_out * share);
        about.wait = wait * share;
        measured.overhead = about.noted.map_or(0.0, |noted| (noted - measured.time).max(0.0));
        measured.bins = Bins { programs: 1, ..Bins::default() };
        let mut latest = 0.0_f64;
        for (&number, &(start, end, spent)) in &programs {
            // Bins are looked up by their begins, which follow each other.
            latest = latest.max(start);
            measured.bins.add(number, latest, spent, end - start);
        }
        let kept = events.iter().filter(|event| event.program < EVENT_PROGRAMS);
        measured.events = kept
            .map(|event| Event {
                program: event.program,
                stage: event.stage,
                operand: event.operand,
                slot: event.slot,
                lane: lane_of(event),
                start: event.start,
                end: event.end,
                bytes: event.bytes,
                flops: 0,
                place: Place::of(event.span, sources),
            })
            .collect();
        about.lanes = shown(lanes, &events, &lane_of, sources);
        about.lanes.time = last;
        measured.on_device = Some(about);
    }
}

/// What lanes show: all of them what their blocks do, and the first one also its copies, slot by slot.
fn shown(
    mut lanes: Vec<Lane>,
    events: &[DeviceEvent],
    lane_of: &dyn Fn(&DeviceEvent) -> usize,
    sources: &[Arc<SourceFile>],
) -> Lanes {
    let blocks = lanes.len();
    let mut slots: BTreeMap<(Option<usize>, usize), usize> = BTreeMap::new();
    let mut told: Vec<LaneEvent> = Vec::new();
    for event in events {
        let mut lane = lane_of(event);
        if event.stage == Stage::CopyIn {
            if lane != 0 {
                continue;
            }
            let next = blocks + slots.len();
            lane = *slots.entry((event.operand, event.slot)).or_insert(next);
        }
        let name = match event.stage {
            Stage::Compute => format!("program {}", event.program),
            _ => String::new(),
        };
        told.push(LaneEvent {
            lane,
            stage: event.stage.name().to_string(),
            agent: lane_of(event),
            name,
            slot: (event.stage == Stage::CopyIn).then_some(event.slot),
            start: event.start,
            end: event.end,
            bytes: event.bytes,
            place: Place::of(event.span, sources),
            ..LaneEvent::default()
        });
    }
    let first = lanes.first().map_or(String::new(), |lane| lane.name.clone());
    let mut named: Vec<((Option<usize>, usize), usize)> = slots.into_iter().collect();
    named.sort_by_key(|(_, lane)| *lane);
    for ((operand, slot), _) in named {
        let operand = operand.map_or(String::new(), |operand| format!(" operand {operand}"));
        lanes.push(Lane { name: format!("{first}{operand} slot {slot}"), kind: "copies".to_string() });
    }
    told.sort_by(|a, b| a.start.total_cmp(&b.start));
    let complete = told.len() <= MOST_EVENTS;
    told.truncate(MOST_EVENTS);
    Lanes { lanes, events: told, time: 0.0, complete }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::Recorder;

    fn event(program: usize, stage: Stage, start: f64, end: f64) -> DeviceEvent {
        let operand = (stage != Stage::Compute).then_some(0);
        DeviceEvent {
            program,
            block: program,
            stage,
            operand,
            slot: program % 2,
            start,
            end,
            bytes: 64,
            span: Span::default(),
        }
    }

    /// Four blocks on two multiprocessors, one of which runs two at once.
    fn told() -> DeviceTimes {
        let blocks = vec![(3, 0.0, 100.0), (3, 10.0, 90.0), (7, 0.0, 50.0), (7, 50.0, 100.0)];
        let events = blocks
            .iter()
            .enumerate()
            .flat_map(|(n, &(_, start, end))| {
                [
                    event(n, Stage::CopyIn, start, start + 20.0),
                    event(n, Stage::Compute, start, end - 10.0),
                    event(n, Stage::CopyOut, end - 10.0, end),
                ]
            })
            .collect();
        DeviceTimes {
            about: OnDevice { noted: Some(110.0), ..OnDevice::default() },
            times: vec![90.0, 100.0, 120.0],
            blocks,
            events,
        }
    }

    #[test]
    fn blocks_have_lanes_in_which_one_follows_the_other() {
        let (lanes, of) = deal(&told().blocks);
        let names: Vec<&str> = lanes.iter().map(|lane| lane.name.as_str()).collect();
        assert_eq!(names, ["SM 3.0", "SM 3.1", "SM 7"]);
        assert_eq!(of, [0, 1, 2, 2]);
    }

    #[test]
    fn stages_are_those_of_a_lane_on_average_and_never_more_than_the_kernel() {
        let mut recorder = Recorder::new("a device");
        recorder.begin();
        recorder.on_device(4, told());
        let measured = recorder.take(&[]);
        let about = measured.on_device.as_ref().expect("it is told");
        assert_eq!((measured.time, about.shortest, about.longest, about.measurements), (100.0, 90.0, 120.0, 3));
        assert_eq!((about.multiprocessors, measured.overhead, measured.programs), (2, 10.0, 4));
        assert!((about.overhead(measured.time).expect("it was noted") - 0.1).abs() < 1e-9);
        assert!((measured.copy_out - 40.0 / 3.0).abs() < 1e-9);
        assert!(measured.compute + measured.copy_out <= about.lanes.time);
        assert_eq!(measured.bins.compute, [90.0, 70.0, 40.0, 40.0]);
        assert!(measured.bins.start.is_sorted());
        // Copies run beside what the block does: they have lanes of their own, and those of one block are enough.
        let kinds = about.lanes.lanes.iter().filter(|lane| lane.kind == "copies").count();
        assert_eq!((about.lanes.lanes.len(), kinds, about.lanes.complete), (4, 1, true));
        for lane in 0..about.lanes.lanes.len() {
            let own: Vec<_> = about.lanes.events.iter().filter(|event| event.lane == lane).collect();
            assert!(own.windows(2).all(|pair| pair[0].end <= pair[1].start), "{own:?}");
        }
    }

    #[test]
    fn a_large_grid_has_few_events_and_all_of_its_bins() {
        let count = 100_000;
        let blocks: Vec<(u32, f64, f64)> =
            (0..count).map(|n| (n as u32 % 100, (n / 100) as f64 * 10.0, (n / 100) as f64 * 10.0 + 9.0)).collect();
        let events =
            blocks.iter().enumerate().map(|(n, &(_, start, end))| event(n, Stage::Compute, start, end)).collect();
        let mut recorder = Recorder::new("a device");
        recorder.begin();
        recorder.on_device(count, DeviceTimes { blocks, events, ..DeviceTimes::default() });
        let measured = recorder.take(&[]);
        let about = measured.on_device.expect("it is told");
        assert!(!about.lanes.complete && about.lanes.events.len() == MOST_EVENTS);
        assert_eq!(measured.bins.compute.iter().sum::<f64>(), 9.0 * count as f64);
        assert_eq!(measured.time, 9999.0, "the last block's end, where nothing was measured");
    }
}
