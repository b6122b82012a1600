//! The events of a launch between two times, in no more pieces than there is room for. Where all events of the window fit
//! they are told one by one; elsewhere neighbours are joined, and each piece says for how much of it its track was busy: a
//! sum, never a sample. Modelled launches are asked by formula and measured ones by their bins, so that the answer costs the
//! same for ten programs and for ten million.

use crate::clip::clip;
use crate::measured::Measured;
use crate::modelled::{Schedule, nanoseconds};
use crate::report::{Event, LaunchReport, Stage};
use pallas_pipeline::{Direction, Timing};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Nanoseconds from the launch's beginning.
    pub start: f64,
    /// Nanoseconds.
    pub end: f64,
    /// The most pieces, of all tracks together. Every track that there is gets one, however few that are.
    pub most: usize,
}

/// What there is to see in a window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// Whether each piece is one event.
    pub exact: bool,
    /// Programs in a piece, where pieces are not events; the last piece may have fewer.
    pub programs: usize,
    /// The tracks that have anything in the window: compute first, then operands, then waiting.
    pub rows: Vec<Row>,
}

/// A track with its pieces in the order of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The stage.
    pub stage: Stage,
    /// The operand, where there is one to be told apart.
    pub operand: Option<usize>,
    /// Its buffer slot, where pieces are events.
    pub slot: Option<usize>,
    /// Its pieces.
    pub pieces: Vec<Piece>,
}

/// An event, or several neighbours of a track.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// Nanoseconds.
    pub start: f64,
    /// Nanoseconds.
    pub end: f64,
    /// For how long the track was busy. Copies of several programs are busy while they move bytes, without their latency,
    /// and count in the piece of the program whose block it is, though they may have begun before it.
    pub busy: f64,
    /// Events in it.
    pub events: u64,
    /// Bytes that were copied.
    pub bytes: u64,
    /// The number of the first program.
    pub program: usize,
}

/// Tracks in the order in which they are told.
type Track = (u8, Option<usize>, Option<usize>, Stage);

fn order(stage: Stage) -> u8 {
    match stage {
        Stage::Compute => 0,
        Stage::CopyIn | Stage::CopyOut => 1,
        Stage::Wait => 2,
    }
}

impl LaunchReport {
    /// What is modelled in a window, of the first core. `timing` is [`LaunchReport::timing`], which a screen keeps.
    pub fn timeline(&self, timing: &Timing, window: Window) -> Timeline {
        let programs = timing.schedule().programs();
        let Some((start, end)) = ticks(window).filter(|_| programs > 0) else { return Timeline::default() };
        let (first, last) = (timing.program_at(start), timing.program_at(end));
        // Blocks are copied for programs that follow, and back after their own.
        let streams = &timing.schedule().streams;
        let around = streams.iter().map(|stream| stream.slots).max().unwrap_or(1);
        let (from, to) = (first.saturating_sub(around), last.saturating_add(around + 1).min(programs));
        // A program has a compute, and for each operand a copy and a wait at most.
        let most = (to - from).saturating_mul(1 + 2 * streams.len());
        if most <= window.most.saturating_mul(4) {
            let events = self.events(timing, from, to - from);
            if let Some(exact) = exact(&events, window) {
                return exact;
            }
        }
        joined(timing, &self.modelled.schedule, first, last + 1, window.most)
    }

    /// What was measured in a window of the first run; `None` where nothing was.
    pub fn measured_timeline(&self, window: Window) -> Option<Timeline> {
        let measured = self.measured.as_ref()?;
        if window.end < window.start {
            return Some(Timeline::default());
        }
        let told = measured.events.iter().map(|event| event.end).fold(0.0, f64::max);
        let known = measured.events.iter().map(|event| event.program + 1).max().unwrap_or(0);
        let is_told = known >= self.programs || window.end <= told;
        let exact = if is_told { exact(&measured.events, window) } else { None };
        Some(exact.unwrap_or_else(|| binned(measured, window)))
    }
}

/// The window in femtoseconds; `None` if there is nothing between its ends.
fn ticks(window: Window) -> Option<(i128, i128)> {
    let tick = |time: f64| (time.max(0.0) * 1e6) as i128;
    (window.end >= window.start && window.end >= 0.0).then(|| (tick(window.start), tick(window.end)))
}

/// Each event of the window as a piece; `None` if they are too many.
fn exact(events: &[Event], window: Window) -> Option<Timeline> {
    let mut rows: BTreeMap<Track, Vec<Piece>> = BTreeMap::new();
    let mut count = 0;
    for event in events.iter().filter(|event| event.end > window.start && event.start < window.end) {
        count += 1;
        if count > window.most {
            return None;
        }
        // There is one processor to wait; what it waits for is in the copies.
        let (operand, slot) = match event.stage {
            Stage::Wait | Stage::Compute => (None, None),
            Stage::CopyIn | Stage::CopyOut => (event.operand, Some(event.slot)),
        };
        rows.entry((order(event.stage), operand, slot, event.stage)).or_default().push(Piece {
            start: event.start,
            end: event.end,
            busy: event.end - event.start,
            events: 1,
            bytes: event.bytes,
            program: event.program,
        });
    }
    Some(Timeline { exact: true, programs: 1, rows: told(rows) })
}

fn told(rows: BTreeMap<Track, Vec<Piece>>) -> Vec<Row> {
    let row = |((_, operand, slot, stage), mut pieces): (Track, Vec<Piece>)| {
        pieces.sort_by(|a, b| a.start.total_cmp(&b.start));
        Row { stage, operand, slot, pieces }
    };
    rows.into_iter().map(row).collect()
}

/// Where the first of so many pieces begins, and how much is in each. Pieces begin at multiples of their size, so that they
/// stay the same while a window moves along.
fn cut(first: usize, end: usize, columns: usize) -> (usize, usize) {
    let mut each = end.saturating_sub(first).div_ceil(columns).max(1);
    while (end - first.min(end) / each * each).div_ceil(each) > columns && each < end {
        each += 1;
    }
    (first / each * each, each)
}

/// The programs from `first` up to `end` in pieces of equally many, so that a piece is a whole number of steps of the grid
/// and no pattern appears that is not there.
fn joined(timing: &Timing, schedule: &Schedule, first: usize, end: usize, most: usize) -> Timeline {
    let streams = &timing.schedule().streams;
    let order_of_programs = &timing.schedule().order;
    let all = order_of_programs.programs();
    let columns = (most / (2 + streams.len())).max(1);
    let (first, each) = cut(first, end.min(all), columns);
    let sums = timing.durations().sums(order_of_programs);
    let mut rows: BTreeMap<Track, Vec<Piece>> = BTreeMap::new();
    let mut program = first;
    let mut begin = timing.begin(first);
    while program < end.min(all) {
        let next = program.saturating_add(each).min(all);
        let stop = if next < all { timing.begin(next) } else { timing.totals().time };
        let piece = Piece {
            start: nanoseconds(begin),
            end: nanoseconds(stop),
            program: program.saturating_mul(schedule.stride),
            ..Piece::default()
        };
        let compute = sums.until(next) - sums.until(program);
        let computes = Piece { busy: nanoseconds(compute), events: (next - program) as u64, ..piece };
        rows.entry((order(Stage::Compute), None, None, Stage::Compute)).or_default().push(computes);
        // Between two programs' beginnings a core computes or waits.
        let waits = Piece { busy: nanoseconds(stop - begin - compute), ..piece };
        rows.entry((order(Stage::Wait), None, None, Stage::Wait)).or_default().push(waits);
        for stream in streams {
            let until = |program: usize| stream.moves.until(order_of_programs, program);
            let (stage, copies) = match stream.direction {
                Direction::In if program == 0 => (Stage::CopyIn, until(next - 1) + 1),
                Direction::In => (Stage::CopyIn, until(next - 1) - until(program - 1)),
                Direction::Out if next == all => (Stage::CopyOut, until(all - 1) + 1 - until(program)),
                Direction::Out => (Stage::CopyOut, until(next) - until(program)),
            };
            let moved = stream.bytes.saturating_mul(copies as u128);
            let busy = nanoseconds(timing.rates().transfer(stream.bytes).saturating_mul(copies as i128));
            let copied = Piece { busy, events: copies as u64, bytes: clip(moved), ..piece };
            rows.entry((order(stage), Some(stream.operand), None, stage)).or_default().push(copied);
        }
        (program, begin) = (next, stop);
    }
    Timeline { exact: false, programs: each, rows: told(rows) }
}

/// The bins of the window, neighbours joined.
fn binned(measured: &Measured, window: Window) -> Timeline {
    let bins = &measured.bins;
    let count = bins.start.len();
    // The bin that the window begins in, and the one behind its end.
    let first = bins.start.partition_point(|&start| start <= window.start).saturating_sub(1);
    let last = bins.start.partition_point(|&start| start < window.end);
    let stages = [(Stage::Compute, &bins.compute), (Stage::CopyIn, &bins.copy_in), (Stage::CopyOut, &bins.copy_out)];
    let columns = (window.most / stages.len()).max(1);
    let (first, each) = cut(first, last, columns);
    let busy_of = |at: usize| stages.iter().filter_map(|(_, list)| list.get(at)).sum::<f64>();
    let end_of = |behind: usize| match bins.start.get(behind) {
        Some(&start) => start,
        None => bins.start.last().map_or(0.0, |start| start + busy_of(count - 1)),
    };
    let mut rows = BTreeMap::new();
    for (stage, list) in stages {
        let pieces: Vec<Piece> = (first..last)
            .step_by(each)
            .map(|at| {
                let behind = (at + each).min(count);
                Piece {
                    start: bins.start[at],
                    end: end_of(behind),
                    busy: list.get(at..behind).unwrap_or_default().iter().sum(),
                    events: ((behind - at) * bins.programs) as u64,
                    bytes: 0,
                    program: at * bins.programs,
                }
            })
            .collect();
        if pieces.iter().any(|piece| piece.busy > 0.0) {
            rows.insert((order(stage), None, None, stage), pieces);
        }
    }
    Timeline { exact: false, programs: each.saturating_mul(bins.programs), rows: told(rows) }
}
