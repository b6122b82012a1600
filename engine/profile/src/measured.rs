//! What a clock said of a launch that ran, program by program as long as they are few, then in bins of neighbours, so that
//! ten million programs take no more room than ten thousand.

use crate::device::{DeviceTimes, OnDevice};
use crate::place::Place;
use crate::report::{Event, Stage};
use pallas_syntax::{SourceFile, Span};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// The most bins; when they are full, neighbours are joined.
const MOST_BINS: usize = 8192;
/// Events are kept one by one for so many programs.
pub(crate) const EVENT_PROGRAMS: usize = 256;
/// Block indices are kept for so many programs.
const BLOCK_PROGRAMS: usize = 4096;

/// Measured times, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "crate::listed::Written")]
pub struct Measured {
    /// What ran it: `interpret mode on the CPU`.
    pub device: String,
    /// How often the launch ran.
    pub runs: usize,
    /// Programs of all runs.
    pub programs: u64,
    /// In all stages.
    pub time: f64,
    /// In copies to the kernel.
    pub copy_in: f64,
    /// In the kernel.
    pub compute: f64,
    /// In copies back.
    pub copy_out: f64,
    /// What reading the clock has cost, at the cost of one reading when the run began. It is not taken off the other times.
    pub overhead: f64,
    /// By operand and stage.
    pub operands: Vec<StageTime>,
    /// The kernel's time by place in the source, the most first: measured in some programs, and scaled up to all.
    pub lines: Vec<LineTime>,
    /// How many programs the lines were measured in.
    pub line_programs: u64,
    /// All programs of the first run, in bins.
    pub bins: Bins,
    /// Events of the first programs of the first run.
    pub events: Vec<Event>,
    /// Block indices of the first programs of the first run, per program and operand, where a block index depends on data;
    /// empty otherwise.
    pub blocks: Vec<Vec<Vec<i64>>>,
    /// More of it, where a device ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_device: Option<OnDevice>,
    /// The number of the list of events that is still to be read.
    #[serde(skip)]
    pub(crate) unread: Option<usize>,
}

/// The time of an operand in a stage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageTime {
    /// The operand, by position.
    pub operand: usize,
    /// `copy_in` or `copy_out`.
    pub stage: Stage,
    /// Nanoseconds.
    pub time: f64,
    /// Copies that were made.
    pub copies: u64,
    /// Bytes of them.
    pub bytes: u64,
}

/// The time of a place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineTime {
    /// The expression.
    pub place: Place,
    /// Nanoseconds.
    pub time: f64,
}

/// Times of neighbouring programs, summed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bins {
    /// Programs in a bin; the last may have fewer.
    pub programs: usize,
    /// When the first program of each bin began.
    pub start: Vec<f64>,
    /// Time in copies to the kernel.
    pub copy_in: Vec<f64>,
    /// Time in the kernel.
    pub compute: Vec<f64>,
    /// Time in copies back.
    pub copy_out: Vec<f64>,
    /// The longest program.
    pub longest: Vec<f64>,
}

/// A copy of one block, in ticks of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The operand, by position.
    pub operand: usize,
    /// Whether it went back.
    pub out: bool,
    /// When it began, in nanoseconds.
    pub start: u64,
    /// When it was done.
    pub end: u64,
    /// Bytes that were copied; 0 where the block was there already.
    pub bytes: u64,
}

/// Takes in the programs of a launch as they run.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    measured: Measured,
    /// The first tick of this run.
    origin: Option<u64>,
    lines: HashMap<Span, u64>,
    /// What it costs to read the clock once, in nanoseconds.
    tick: f64,
    /// What a device told.
    told: Option<DeviceTimes>,
}

/// Readings of the clock for a program: before its copies, before its kernel and after it.
const READINGS: usize = 3;

impl Recorder {
    /// Nothing yet, of a device.
    pub fn new(device: &str) -> Recorder {
        let measured = Measured {
            device: device.to_string(),
            bins: Bins { programs: 1, ..Bins::default() },
            ..Measured::default()
        };
        Recorder { measured, ..Recorder::default() }
    }

    /// The same with a clock of which one reading costs so many nanoseconds.
    #[must_use]
    pub fn with_tick(self, tick: f64) -> Recorder {
        Recorder { tick, ..self }
    }

    /// A run of the launch begins.
    pub fn begin(&mut self) {
        self.origin = None;
        self.measured.runs += 1;
    }

    /// A program ran: its copies, and when the kernel began and ended, in nanoseconds of a clock.
    pub fn program(&mut self, number: usize, copies: &[Copied], compute: (u64, u64)) {
        let first = copies.iter().map(|copy| copy.start).chain([compute.0]).min().unwrap_or(compute.0);
        let last = copies.iter().map(|copy| copy.end).chain([compute.1]).max().unwrap_or(compute.1);
        let origin = *self.origin.get_or_insert(first);
        self.measured.programs += 1;
        self.measured.overhead += (READINGS + copies.len()) as f64 * self.tick;
        let spent = compute.1.saturating_sub(compute.0) as f64;
        self.measured.compute += spent;
        let (mut copy_in, mut copy_out) = (0.0, 0.0);
        for copy in copies {
            let time = copy.end.saturating_sub(copy.start) as f64;
            if copy.out {
                copy_out += time
            } else {
                copy_in += time
            }
            self.copied(copy, time);
        }
        if self.measured.runs > 1 {
            return;
        }
        let at = |tick: u64| tick.saturating_sub(origin) as f64;
        self.measured.bins.add(number, at(first), [copy_in, spent, copy_out], at(last) - at(first));
        if number < EVENT_PROGRAMS {
            let event = |stage, operand, start, end, bytes| Event {
                program: number,
                stage,
                operand,
                slot: 0,
                lane: 0,
                start: at(start),
                end: at(end),
                bytes,
                flops: 0,
                place: None,
            };
            let copy_event = |copy: &Copied| {
                let stage = if copy.out { Stage::CopyOut } else { Stage::CopyIn };
                event(stage, Some(copy.operand), copy.start, copy.end, copy.bytes)
            };
            let made = copies.iter().filter(|copy| copy.bytes > 0);
            self.measured.events.extend(made.map(copy_event));
            self.measured.events.push(event(Stage::Compute, None, compute.0, compute.1, 0));
        }
    }

    /// Blocks that went back after the last program.
    pub fn written_back(&mut self, program: usize, copies: &[Copied]) {
        self.measured.overhead += copies.len() as f64 * self.tick;
        for copy in copies {
            let time = copy.end.saturating_sub(copy.start) as f64;
            self.copied(copy, time);
            if self.measured.runs > 1 {
                continue;
            }
            if let Some(sum) = self.measured.bins.copy_out.last_mut() {
                *sum += time;
            }
            let origin = self.origin.unwrap_or(copy.start);
            if program < EVENT_PROGRAMS && copy.bytes > 0 {
                self.measured.events.push(Event {
                    program,
                    stage: Stage::CopyOut,
                    operand: Some(copy.operand),
                    slot: 0,
                    lane: 0,
                    start: copy.start.saturating_sub(origin) as f64,
                    end: copy.end.saturating_sub(origin) as f64,
                    bytes: copy.bytes,
                    flops: 0,
                    place: None,
                });
            }
        }
    }

    fn copied(&mut self, copy: &Copied, time: f64) {
        let stage = if copy.out { Stage::CopyOut } else { Stage::CopyIn };
        if copy.out {
            self.measured.copy_out += time;
        } else {
            self.measured.copy_in += time;
        }
        let operands = &mut self.measured.operands;
        let at =
            operands.iter().position(|sum| sum.operand == copy.operand && sum.stage == stage).unwrap_or_else(|| {
                operands.push(StageTime { operand: copy.operand, stage, time: 0.0, copies: 0, bytes: 0 });
                operands.len() - 1
            });
        operands[at].time += time;
        operands[at].copies += u64::from(copy.bytes > 0);
        operands[at].bytes = operands[at].bytes.saturating_add(copy.bytes);
    }

    /// A device ran so many programs, and told of it. What is told first counts.
    pub fn on_device(&mut self, programs: usize, times: DeviceTimes) {
        self.again(programs);
        self.told.get_or_insert(times);
    }

    /// So many programs ran of which nothing more is known.
    pub fn again(&mut self, programs: usize) {
        self.measured.programs += programs as u64;
    }

    /// The block indices of a program, if they are to be kept.
    pub fn blocks(&mut self, number: usize, blocks: &[Vec<i64>]) {
        if self.measured.runs == 1 && number < BLOCK_PROGRAMS {
            self.measured.blocks.push(blocks.to_vec());
        }
    }

    /// Time of the kernel by expression, of one program.
    pub fn lines(&mut self, lines: impl IntoIterator<Item = (Span, u64)>) {
        self.measured.line_programs += 1;
        for (span, time) in lines {
            *self.lines.entry(span).or_default() += time;
        }
    }

    /// What was spent in all stages so far, in nanoseconds.
    pub fn time(&self) -> f64 {
        self.sums().2.iter().sum()
    }

    /// Runs, programs, and the time of each stage.
    pub(crate) fn sums(&self) -> (usize, u64, [f64; 3]) {
        let measured = &self.measured;
        let device = self.told.as_ref().and_then(|told| told.times.get(told.times.len() / 2)).copied();
        let times = [measured.copy_in, measured.compute + device.unwrap_or(0.0), measured.copy_out];
        (measured.runs, measured.programs, times)
    }

    /// What was measured. Places are looked up in the sources.
    pub fn take(mut self, sources: &[Arc<SourceFile>]) -> Measured {
        self.measured.time = self.measured.copy_in + self.measured.compute + self.measured.copy_out;
        let sampled: u64 = self.lines.values().sum();
        let scale = if sampled == 0 { 0.0 } else { self.measured.compute / sampled as f64 };
        let mut lines: Vec<LineTime> = self
            .lines
            .iter()
            .filter_map(|(&span, &time)| Some(LineTime { place: Place::of(span, sources)?, time: time as f64 * scale }))
            .collect();
        lines.sort_by(|a, b| b.time.total_cmp(&a.time).then(a.place.cmp(&b.place)));
        self.measured.lines = lines;
        self.measured.operands.sort_by_key(|sum| (sum.operand, sum.stage));
        if let Some(told) = self.told.take() {
            told.fill(&mut self.measured, sources);
        }
        self.measured
    }
}

impl Bins {
    /// Adds times of a program that began at `start` and took so long as a whole.
    pub(crate) fn add(&mut self, number: usize, start: f64, [copy_in, compute, copy_out]: [f64; 3], whole: f64) {
        while number / self.programs >= MOST_BINS {
            self.halve();
        }
        let at = number / self.programs;
        if self.start.len() <= at {
            self.start.resize(at + 1, start);
            for list in [&mut self.copy_in, &mut self.compute, &mut self.copy_out, &mut self.longest] {
                list.resize(at + 1, 0.0);
            }
        }
        self.copy_in[at] += copy_in;
        self.compute[at] += compute;
        self.copy_out[at] += copy_out;
        self.longest[at] = self.longest[at].max(whole);
    }

    /// Joins neighbours: half as many bins of twice as many programs.
    fn halve(&mut self) {
        self.programs *= 2;
        self.start = self.start.iter().step_by(2).copied().collect();
        for list in [&mut self.copy_in, &mut self.compute, &mut self.copy_out] {
            *list = list.chunks(2).map(|pair| pair.iter().sum()).collect();
        }
        self.longest = self.longest.chunks(2).map(|pair| pair.iter().copied().fold(0.0, f64::max)).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A launch of so many programs, each 10 ns of copies and 30 of compute.
    fn recorded(programs: usize) -> Measured {
        let mut recorder = Recorder::new("test");
        recorder.begin();
        for number in 0..programs {
            let at = 100 + number as u64 * 40;
            let copies = [Copied { operand: 0, out: false, start: at, end: at + 10, bytes: 8 }];
            recorder.program(number, &copies, (at + 10, at + 40));
        }
        recorder.take(&[])
    }

    #[test]
    fn bins_hold_what_was_spent_however_many_programs_there_are() {
        for programs in [1, 5, MOST_BINS, MOST_BINS + 1, 5 * MOST_BINS + 3] {
            let measured = recorded(programs);
            let bins = &measured.bins;
            assert!(bins.compute.len() <= MOST_BINS);
            assert_eq!(bins.compute.len(), programs.div_ceil(bins.programs));
            assert_eq!(bins.compute.iter().sum::<f64>(), 30.0 * programs as f64);
            assert_eq!(bins.copy_in.iter().sum::<f64>(), 10.0 * programs as f64);
            assert!(bins.longest.iter().all(|&longest| longest == 40.0));
            assert_eq!(bins.start[bins.start.len() - 1], ((bins.start.len() - 1) * bins.programs * 40) as f64);
            assert_eq!(measured.time, 40.0 * programs as f64);
            assert_eq!(measured.operands[0].copies, programs as u64);
        }
    }

    #[test]
    fn lines_are_scaled_to_the_time_of_the_kernel() {
        let source = Arc::new(SourceFile::new(pallas_syntax::FileId(0), "k.py", "a\nb\n"));
        let line = |number: usize| Span::new(source.id, 2 * number - 2, 2 * number - 1);
        let mut recorder = Recorder::new("test");
        recorder.begin();
        for number in 0..10 {
            recorder.program(number, &[], (0, 50));
        }
        recorder.lines([(line(1), 10), (line(2), 30)]);
        recorder.lines([(line(2), 0)]);
        let measured = recorder.take(std::slice::from_ref(&source));
        assert_eq!(measured.line_programs, 2);
        let found: Vec<(u32, f64)> = measured.lines.iter().map(|line| (line.place.line, line.time)).collect();
        assert_eq!(found, [(2, 375.0), (1, 125.0)]);
    }
}
