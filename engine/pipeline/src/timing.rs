//! When the lines of a schedule run, on a machine with a latency, a bandwidth and a rate of compute.
//!
//! Copies share one path to memory: each occupies it for bytes / bandwidth, one after the other, and is done a latency
//! later, during which the next ones may already run. A program of the loop is then a max-plus matrix, and programs with
//! equal surroundings have equal matrices: a whole grid costs a product of powers, and the clocks at any program are
//! known without the programs before it.

use crate::max_plus::{Rows, Ticks};
use crate::moves::{Moves, Order};
use crate::schedule::{Direction, Instruction, Schedule, Stream};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The kernel's duration, program by program: a table over the axes that it depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Durations {
    /// The axes, ascending.
    pub axes: Vec<usize>,
    /// One per combination of ids along them, the last axis fastest.
    pub ticks: Vec<Ticks>,
}

impl Durations {
    /// The same for every program.
    pub fn constant(ticks: Ticks) -> Durations {
        Durations { axes: Vec::new(), ticks: vec![ticks] }
    }

    /// Position in the table of a program.
    pub fn position(&self, order: &Order, program: usize) -> usize {
        self.axes.iter().fold(0, |at, &axis| at * order.grid()[axis] + order.id(axis, program))
    }

    fn of(&self, order: &Order, program: usize) -> Ticks {
        self.ticks.get(self.position(order, program)).copied().unwrap_or(0)
    }

    /// The sum over a grid.
    pub fn total(&self, order: &Order) -> Ticks {
        match self.ticks.len() {
            0 => 0,
            combinations => {
                let each = (order.programs() / combinations) as Ticks;
                self.ticks.iter().sum::<Ticks>().saturating_mul(each)
            }
        }
    }

    /// The id from which on ids along an axis behave as `id` does, up to and without the next one that does not.
    fn same_until(&self, order: &Order, axis: usize, id: usize) -> usize {
        let extent = order.grid()[axis];
        let Some(place) = self.axes.iter().position(|&a| a == axis) else { return extent };
        let stride: usize = self.axes[place + 1..].iter().map(|&a| order.grid()[a]).product();
        let equal = |a: usize, b: usize| {
            let mut low = 0;
            while low < self.ticks.len() {
                let slab = |id: usize| &self.ticks[low + id * stride..low + (id + 1) * stride];
                if slab(a) != slab(b) {
                    return false;
                }
                low += stride * extent;
            }
            true
        };
        (id + 1..extent).find(|&next| !equal(id, next)).unwrap_or(extent)
    }
}

/// Clocks of a copy: how long it occupies the path, and the latency after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// The latency of a copy.
    pub latency: Ticks,
    /// Femtoseconds per byte, as a fraction.
    pub per_byte: (Ticks, Ticks),
}

impl Rates {
    /// A latency in seconds and a bandwidth in bytes per second.
    pub fn new(latency: f64, bandwidth: f64) -> Rates {
        // Bandwidths are whole numbers of kilobytes per second.
        let kilobytes = (bandwidth / 1e3).round().max(1.0) as Ticks;
        Rates { latency: ticks(latency), per_byte: (1_000_000_000_000, kilobytes) }
    }

    /// How long so many bytes occupy the path.
    pub fn transfer(&self, bytes: u128) -> Ticks {
        let bytes = Ticks::try_from(bytes).unwrap_or(Ticks::MAX / self.per_byte.0.max(1));
        bytes.saturating_mul(self.per_byte.0) / self.per_byte.1.max(1)
    }
}

/// Femtoseconds of so many seconds.
pub fn ticks(seconds: f64) -> Ticks {
    (seconds * 1e15).round() as Ticks
}

/// Seconds of so many femtoseconds.
pub fn seconds(ticks: Ticks) -> f64 {
    ticks as f64 / 1e15
}

/// A stage of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// A block on its way in.
    CopyIn,
    /// The kernel.
    Compute,
    /// A block on its way back.
    CopyOut,
    /// Nothing is computed until a copy is done.
    Wait,
}

impl Stage {
    /// As it is written: `copy_in`.
    pub fn name(self) -> &'static str {
        match self {
            Stage::CopyIn => "copy_in",
            Stage::Compute => "compute",
            Stage::CopyOut => "copy_out",
            Stage::Wait => "wait",
        }
    }
}

/// Something that takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The program, by its number: the one whose block it is, or which waits.
    pub program: usize,
    /// What is done.
    pub stage: Stage,
    /// Position in [`Schedule::streams`]; `None` for compute.
    pub stream: Option<usize>,
    /// The slot of the copy, or that is waited for.
    pub slot: usize,
    /// When it begins: copies when they are started.
    pub start: Ticks,
    /// When it is done.
    pub end: Ticks,
}

/// Totals of a schedule in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// From the first line to the last.
    pub time: Ticks,
    /// Time in which the kernel runs.
    pub compute: Ticks,
    /// The bubble before the first program computes.
    pub fill: Ticks,
    /// The bubble after the last one has.
    pub drain: Ticks,
    /// Waiting in between.
    pub stalls: Ticks,
}

impl Totals {
    /// The share of the time in which the kernel runs; 1 for no time at all.
    pub fn utilisation(&self) -> f64 {
        if self.time == 0 { 1.0 } else { self.compute as f64 / self.time as f64 }
    }
}

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
    sweeps: RefCell<HashMap<Key, Rc<Rows>>>,
}

const NOW: usize = 0;
const PATH: usize = 1;

/// What the matrix of a run of programs depends on: all programs with the ids of some axes in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    /// The first axis that runs through all its ids; the rank of the grid for a single program.
    axis: usize,
    /// The axis of the step into the first program; `None` at the beginning.
    enter: Option<usize>,
    /// Axes of the steps behind the last program; short at the end.
    follow: Vec<usize>,
    /// Where in the table of durations the first program stands.
    durations: usize,
}

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

    /// The clocks before the iteration of a program.
    fn state_at(&self, program: usize) -> Rows {
        let mut state = self.begun();
        if !self.is_regular() {
            for earlier in 0..program {
                self.run(earlier, &mut state, &mut |_| {});
            }
            return state;
        }
        let order = self.order();
        let mut first = 0;
        for axis in 0..order.grid().len() {
            let ids = (program - first) / order.inner(axis);
            state = self.sweeps_along(axis, first, ids, state);
            first += ids * order.inner(axis);
        }
        state
    }

    /// Runs the first `count` ids of an axis, the axes behind it through all of theirs, from program `first` on.
    fn sweeps_along(&self, axis: usize, first: usize, count: usize, mut rows: Rows) -> Rows {
        let order = self.order();
        let (extent, inner) = (order.grid()[axis], order.inner(axis));
        // From here on what follows differs from what follows in the middle of the axis.
        let tail = extent.saturating_sub(2 + self.ahead.div_ceil(inner.max(1)));
        let mut id = 0;
        while id < count {
            let until = match id {
                0 => 1,
                _ if id < tail => self.durations.same_until(order, axis, id).min(tail),
                _ => id + 1,
            };
            let until = until.min(count);
            let sweep = self.sweep(axis + 1, first + id * inner);
            rows = if until - id == 1 { rows.then(&sweep) } else { rows.then_repeated(&sweep, until - id) };
            id = until;
        }
        rows
    }

    /// The matrix of all programs from `first` on whose ids differ only along `axis` and those behind it.
    fn sweep(&self, axis: usize, first: usize) -> Rc<Rows> {
        let key = self.key(axis, first);
        if let Some(known) = self.sweeps.borrow().get(&key) {
            return known.clone();
        }
        let rows = if axis == self.order().grid().len() {
            self.matrix(&key)
        } else {
            self.sweeps_along(axis, first, self.order().grid()[axis], Rows::identity(self.clocks))
        };
        let rows = Rc::new(rows);
        self.sweeps.borrow_mut().insert(key, rows.clone());
        rows
    }

    fn key(&self, axis: usize, first: usize) -> Key {
        let order = self.order();
        let size = if axis == 0 { order.programs() } else { order.inner(axis - 1) };
        // A grid may have more programs than can be numbered.
        let next = first.saturating_add(size);
        let follow = (next..next.saturating_add(self.ahead)).take_while(|&program| program < order.programs());
        Key {
            axis,
            enter: (first > 0).then(|| order.axis_into(first)),
            follow: follow.map(|program| order.axis_into(program)).collect(),
            durations: self.durations.position(order, first),
        }
    }

    /// The matrix of one program: [`Timing::run`] with the questions to the program's number answered from its
    /// surroundings.
    fn matrix(&self, key: &Key) -> Rows {
        let mut rows = Rows::identity(self.clocks);
        let moves = |stream: &Stream, axis: usize| stream.moves.along(axis) == Some(true);
        let is_new = |stream: &Stream| key.enter.is_some_and(|axis| moves(stream, axis));
        self.enter(&mut rows, is_new);
        let streams = || self.schedule.streams.iter().enumerate();
        for (at, stream) in streams().filter(|(_, stream)| stream.direction == Direction::In) {
            match stream.ahead() {
                0 if key.enter.is_none() || is_new(stream) => self.issue(&mut rows, at, self.first_clock[at]),
                0 => {}
                ahead => {
                    let Some(steps) = key.follow.get(..ahead) else { continue };
                    if steps.last().is_some_and(|&axis| moves(stream, axis)) {
                        let position = steps.iter().filter(|&&axis| moves(stream, axis)).count();
                        self.issue(&mut rows, at, self.first_clock[at] + position);
                    }
                }
            }
        }
        for (at, stream) in streams().filter(|(_, stream)| stream.direction == Direction::In) {
            if key.enter.is_none() || is_new(stream) {
                rows.join(NOW, self.first_clock[at]);
            }
        }
        rows.advance(NOW, self.durations.ticks.get(key.durations).copied().unwrap_or(0));
        let ends = |stream: &Stream| key.follow.first().is_none_or(|&axis| moves(stream, axis));
        let outputs = || streams().filter(|(_, stream)| stream.direction == Direction::Out && ends(stream));
        for (at, _) in outputs() {
            self.shift_out(&mut rows, at);
            self.issue(&mut rows, at, self.first_clock[at]);
        }
        for (at, _) in outputs() {
            rows.join(NOW, self.last_clock(at));
        }
        rows
    }
}
