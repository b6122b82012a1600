//! When the lines of a schedule run, on a machine with a latency, a bandwidth and a rate of compute.
//!
//! Copies share one path to memory: each occupies it for bytes / bandwidth, one after the other, and is done a latency
//! later, during which the next ones may already run. A program of the loop is then a max-plus matrix, and programs with
//! equal surroundings have equal matrices: a whole grid costs a product of powers, and the clocks at any program are
//! known without the programs before it.

mod durations;
mod events;
mod sweep;

pub use durations::{Durations, Rates, Sums, seconds, ticks};
pub use events::{Event, Stage, Totals};

use crate::max_plus::{Powers, Rows, Ticks};
use crate::moves::{Moves, Order};
use crate::schedule::{Direction, Instruction, Schedule, Stream};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use sweep::Key;

/// A schedule in time.
#[derive(Debug)]
pub struct Timing {
    schedule: Schedule,
    durations: Durations,
    rates: Rates,
    /// Clock of each stream's first slot position.
    first_clock: Vec<usize>,
    clocks: usize,
    /// How many steps ahead a program's part depends on.
    ahead: usize,
    sweeps: RefCell<HashMap<Key, Rc<Powers>>>,
}

const NOW: usize = 0;
const PATH: usize = 1;

impl Timing {
    /// Puts a schedule on a clock.
    pub fn new(schedule: Schedule, durations: Durations, rates: Rates) -> Timing {
        let mut clocks = 2;
        let mut first_clock = Vec::new();
        for stream in &schedule.streams {
            first_clock.push(clocks);
            clocks += stream.slots.max(1);
        }
        let ahead = schedule.streams.iter().map(Stream::ahead).max().unwrap_or(0).max(1);
        Timing { schedule, durations, rates, first_clock, clocks, ahead, sweeps: RefCell::default() }
    }

    /// The schedule.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// How long the kernel takes.
    pub fn durations(&self) -> &Durations {
        &self.durations
    }

    /// The clocks of copies.
    pub fn rates(&self) -> Rates {
        self.rates
    }

    /// How long the kernel takes for a program.
    pub fn duration(&self, program: usize) -> Ticks {
        self.durations.of(&self.schedule.order, program)
    }

    fn order(&self) -> &Order {
        &self.schedule.order
    }

    /// Whether no stream has to be asked program by program.
    fn is_regular(&self) -> bool {
        self.schedule.streams.iter().all(|stream| !matches!(stream.moves, Moves::Listed(_)))
    }

    /// Totals of the whole grid.
    pub fn totals(&self) -> Totals {
        let programs = self.schedule.programs();
        if programs == 0 {
            return Totals::default();
        }
        let last = programs - 1;
        let mut first_compute = 0;
        let mut state = self.begun();
        self.run(0, &mut state, &mut |event| {
            if event.stage == Stage::Compute {
                first_compute = event.start;
            }
        });
        let mut state = self.state_at(last);
        let mut computed = 0;
        self.run(last, &mut state, &mut |event| {
            if event.stage == Stage::Compute {
                computed = event.end;
            }
        });
        self.end(&mut state, &mut |_| {});
        let time = state.time(NOW);
        let compute = self.durations.total(self.order());
        let (fill, drain) = (first_compute, time - computed);
        Totals { time, compute, fill, drain, stalls: time - compute - fill - drain }
    }

    /// When the iteration of a program begins.
    pub fn begin(&self, program: usize) -> Ticks {
        self.state_at(program).time(NOW)
    }

    /// The program whose iteration runs at a time, or the last one.
    pub fn program_at(&self, time: Ticks) -> usize {
        let (mut low, mut high) = (0, self.schedule.programs());
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            if self.begin(middle) <= time {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// All events of so many programs from `first` on, in the order of their lines.
    pub fn events(&self, first: usize, count: usize) -> Vec<Event> {
        let programs = self.schedule.programs();
        let end = first.saturating_add(count).min(programs);
        let mut events = Vec::new();
        if first >= end {
            return events;
        }
        let mut keep = |event: Event| {
            if (first..end).contains(&event.program) {
                events.push(event);
            }
        };
        // Copies for these programs were started up to so many programs before.
        let from = first.saturating_sub(self.ahead);
        let mut state = if from == 0 { self.begun_with(&mut keep) } else { self.state_at(from) };
        for program in from..end {
            self.run(program, &mut state, &mut keep);
        }
        if end == programs {
            self.end(&mut state, &mut keep);
        }
        events
    }

    fn begun(&self) -> Rows {
        self.begun_with(&mut |_| {})
    }

    /// The clocks after the prologue.
    fn begun_with(&self, see: &mut dyn FnMut(Event)) -> Rows {
        let mut state = Rows::state(self.clocks);
        for line in self.schedule.prologue() {
            if let Instruction::Start { stream, program, copy, slot } = line {
                let start = state.time(NOW);
                let clock = self.first_clock[stream] + copy;
                self.issue(&mut state, stream, clock);
                see(Event { program, stage: Stage::CopyIn, stream: Some(stream), slot, start, end: state.time(clock) });
            }
        }
        state
    }

    fn issue(&self, rows: &mut Rows, stream: usize, clock: usize) {
        rows.join(PATH, NOW);
        rows.advance(PATH, self.rates.transfer(self.schedule.streams[stream].bytes));
        rows.copy(clock, PATH);
        rows.advance(clock, self.rates.latency);
    }

    /// One iteration on a state, its events told.
    fn run(&self, program: usize, state: &mut Rows, see: &mut dyn FnMut(Event)) {
        let lines = self.schedule.iteration(program);
        let is_new = |stream: &Stream| program > 0 && stream.moves.into_program(self.order(), program);
        self.enter(state, is_new);
        let mut started = Vec::new();
        for line in lines {
            let start = state.time(NOW);
            match line {
                Instruction::Start { stream, program: of, copy, slot } => {
                    let described = &self.schedule.streams[stream];
                    let (stage, clock) = match described.direction {
                        Direction::In => {
                            let current = described.moves.until(self.order(), program);
                            (Stage::CopyIn, self.first_clock[stream] + (copy - current))
                        }
                        Direction::Out => {
                            self.shift_out(state, stream);
                            started.push(stream);
                            (Stage::CopyOut, self.first_clock[stream])
                        }
                    };
                    self.issue(state, stream, clock);
                    see(Event { program: of, stage, stream: Some(stream), slot, start, end: state.time(clock) });
                }
                Instruction::Wait { stream, slot, .. } => {
                    let clock = match self.schedule.streams[stream].direction {
                        Direction::In => self.first_clock[stream],
                        Direction::Out => self.last_clock(stream),
                    };
                    state.join(NOW, clock);
                    self.waited(program, stream, slot, start, state.time(NOW), see);
                }
                Instruction::Compute { program } => {
                    state.advance(NOW, self.duration(program));
                    let end = state.time(NOW);
                    see(Event { program, stage: Stage::Compute, stream: None, slot: 0, start, end });
                }
            }
        }
    }

    fn waited(&self, program: usize, stream: usize, slot: usize, start: Ticks, end: Ticks, see: &mut dyn FnMut(Event)) {
        if end > start {
            see(Event { program, stage: Stage::Wait, stream: Some(stream), slot, start, end });
        }
    }

    /// The epilogue on a state.
    fn end(&self, state: &mut Rows, see: &mut dyn FnMut(Event)) {
        let last = self.schedule.programs().saturating_sub(1);
        for line in self.schedule.epilogue() {
            if let Instruction::Wait { stream, copy, slot } = line {
                let newest = self.schedule.streams[stream].moves.copies(self.order()) - 1;
                let start = state.time(NOW);
                state.join(NOW, self.first_clock[stream] + (newest - copy));
                self.waited(last, stream, slot, start, state.time(NOW), see);
            }
        }
    }

    /// Input clocks count from the block that the program has: they move up where it has a new one.
    fn enter(&self, rows: &mut Rows, is_new: impl Fn(&Stream) -> bool) {
        for (stream, &first) in self.schedule.streams.iter().zip(&self.first_clock) {
            if stream.direction == Direction::In && is_new(stream) {
                for position in 1..stream.slots.max(1) {
                    rows.copy(first + position - 1, first + position);
                }
            }
        }
    }

    /// Output clocks count back from the newest copy.
    fn shift_out(&self, rows: &mut Rows, stream: usize) {
        let first = self.first_clock[stream];
        for position in (1..self.schedule.streams[stream].slots.max(1)).rev() {
            rows.copy(first + position, first + position - 1);
        }
    }

    fn last_clock(&self, stream: usize) -> usize {
        self.first_clock[stream] + self.schedule.streams[stream].slots.max(1) - 1
    }
}
