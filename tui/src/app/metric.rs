//! What the map of the grid is coloured by: an order, a block, or a quantity with a scale of its own.

use super::App;
use super::map::Map;
use crate::report::profile::words::{bytes, time};
use pallas_engine::pipeline::{Direction, Timing};
use pallas_engine::report::{Measured, Stage};
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

/// What the map is coloured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Metric {
    /// The place in the order of execution.
    Order,
    /// The block of this operand.
    Block(usize),
    /// Modelled bytes that are copied for the program.
    Bytes,
    /// How many operands keep the block of the program before.
    Kept,
    /// The kernel's modelled time.
    Compute,
    /// Modelled time from the program's begin to the next one's.
    Time,
    /// Measured time in a stage.
    Measured(Stage),
    /// Findings that name the program.
    Findings,
    /// The core that runs it, where there are several.
    Core,
}

/// Values of the cells on the screen, row by row, and their range.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Heat {
    values: Vec<Option<f64>>,
    columns: usize,
    /// The least and the greatest of them.
    pub(crate) range: (f64, f64),
}

/// What heat was made for.
type Question = (usize, usize, Metric, Map);

/// What single values belong to: a report, by its number, a launch of it, and a metric.
type Owner = (usize, usize, Metric);

/// Values by the program's number.
type Values = HashMap<usize, Option<f64>, BuildHasherDefault<Mixed>>;

/// Hashes numbers of programs: thousands of them are looked up for a frame, and nobody chooses them to do harm.
#[derive(Clone, Debug, Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(usize::from(byte)));
    }

    fn write_usize(&mut self, number: usize) {
        // Neighbours on the screen differ by multiples of powers of two, of which a product's low bits show nothing.
        let product = (self.0 ^ number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = product ^ (product >> 32);
    }
}

/// Values that are kept from frame to frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heats {
    known: RefCell<Option<(Question, Rc<Heat>)>>,
    /// Values of programs that were on the screen: when the map is panned, most of them still are.
    values: RefCell<Option<(Owner, Values)>>,
}

/// The most values that are kept.
const MOST_VALUES: usize = 1 << 17;

impl Metric {
    /// As it stands in the pane's title.
    pub(crate) fn title(self, app: &App) -> String {
        let measured = |what: &str| {
            let many = app.profile().and_then(|(_, launch)| launch.measured.as_ref());
            let per = many.map_or(1, |measured| measured.bins.programs);
            if per > 1 { format!("measured {what}, mean of {per} programs") } else { format!("measured {what}") }
        };
        match self {
            Metric::Order => "by order".to_string(),
            Metric::Block(at) => match app.launch().and_then(|shown| shown.launch.operands.get(at)) {
                Some(operand) => format!("by block of {}", operand.name),
                None => "by block".to_string(),
            },
            Metric::Bytes => "modelled: bytes copied for it".to_string(),
            Metric::Kept => "modelled reuse: blocks already in their slot".to_string(),
            Metric::Compute => "modelled: time of the kernel".to_string(),
            Metric::Time => "modelled: time with waiting".to_string(),
            Metric::Measured(stage) => measured(stage.name()),
            Metric::Findings => "findings".to_string(),
            Metric::Core => "by core".to_string(),
        }
    }

    /// A value in words, in about seven columns.
    pub(crate) fn words(self, value: f64) -> String {
        match self {
            Metric::Bytes => bytes(value as u64),
            Metric::Compute | Metric::Time | Metric::Measured(_) => time(value),
            _ => format!("{value:.0}"),
        }
    }

    /// Whether values are compared on the screen, and not places in an order.
    pub(crate) fn is_quantity(self) -> bool {
        !matches!(self, Metric::Order | Metric::Block(_))
    }
}

impl Heat {
    /// The value of the cell in this row and column of the screen.
    pub(crate) fn value(&self, row: usize, column: usize) -> Option<f64> {
        self.values.get(row * self.columns + column).copied().flatten()
    }

    /// A value from 0 to 1 on the scale of the screen.
    pub(crate) fn scaled(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        if high > low { (value - low) / (high - low) } else { 0.0 }
    }
}

impl App {
    /// The metrics that say something about the launch at the cursor.
    pub(crate) fn metrics(&self) -> Vec<Metric> {
        let Some(shown) = self.launch() else { return vec![Metric::Order] };
        let mut metrics = vec![Metric::Order];
        metrics.extend((0..shown.launch.operands.len()).map(Metric::Block));
        let Some((report, launch)) = self.profile() else { return metrics };
        if !launch.modelled.schedule.streams.is_empty() {
            metrics.extend([Metric::Bytes, Metric::Kept]);
        }
        metrics.push(Metric::Compute);
        if launch.modelled.schedule.stride <= 1 {
            metrics.push(Metric::Time);
        }
        if launch.measured.is_some() {
            metrics.extend([Stage::CopyIn, Stage::Compute, Stage::CopyOut].map(Metric::Measured));
        }
        if !shown.marks.is_empty() {
            metrics.push(Metric::Findings);
        }
        if report.machine_of(launch).cores > 1 {
            metrics.push(Metric::Core);
        }
        metrics
    }

    /// Another metric.
    pub(super) fn next_metric(&mut self, forward: bool) {
        let metrics = self.metrics();
        let at = metrics.iter().position(|metric| *metric == self.metric).unwrap_or(0);
        let count = metrics.len();
        self.metric = metrics[if forward { at + 1 } else { at + count - 1 } % count];
    }

    /// The values of a quantity in the cells of a map; each is that of the cell's first program.
    pub(crate) fn heat(&self, map: &Map) -> Option<Rc<Heat>> {
        self.profile()?;
        let question = (self.generation, self.launch, self.metric, map.pinned());
        if let Some((asked, heat)) = &*self.heats.known.borrow()
            && *asked == question
        {
            return Some(heat.clone());
        }
        let timing = self.timing()?;
        let cells = (map.origin.0..map.origin.0 + map.cells.0)
            .flat_map(|row| (map.origin.1..map.origin.1 + map.cells.1).map(move |column| (row, column)));
        let owner = (question.0, question.1, question.2);
        let mut kept = self.heats.values.borrow_mut();
        let kept = match &mut *kept {
            Some((of, values)) if *of == owner && values.len() < MOST_VALUES => values,
            other => &mut other.insert((owner, Values::default())).1,
        };
        let grid = &self.launch()?.launch.grid;
        let values: Vec<Option<f64>> = cells
            .map(|cell| {
                let program = map.first_in(cell)?;
                *kept.entry(number(&program, grid)).or_insert_with(|| self.quantity(&timing, &program))
            })
            .collect();
        let known = || values.iter().flatten().copied();
        let range = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
        let range = if range.0.is_finite() && range.1.is_finite() { range } else { (0.0, 0.0) };
        let heat = Rc::new(Heat { values, columns: map.cells.1, range });
        *self.heats.known.borrow_mut() = Some((question, heat.clone()));
        Some(heat)
    }

    fn quantity(&self, timing: &Timing, program: &[usize]) -> Option<f64> {
        let shown = self.launch()?;
        let (report, launch) = self.profile()?;
        let number = number(program, &shown.launch.grid);
        let schedule = timing.schedule();
        let (order, steps) = (&schedule.order, schedule.programs());
        let step = (number / launch.modelled.schedule.stride.max(1)).min(steps.saturating_sub(1));
        let nanoseconds = |ticks: i128| ticks as f64 / 1e6;
        let moves = |stream: &pallas_engine::pipeline::Stream| match stream.direction {
            Direction::In => step == 0 || stream.moves.into_program(order, step),
            Direction::Out => step + 1 == steps || stream.moves.into_program(order, step + 1),
        };
        Some(match self.metric {
            Metric::Order | Metric::Block(_) => return None,
            Metric::Bytes => schedule.streams.iter().filter(|s| moves(s)).map(|stream| stream.bytes as f64).sum(),
            Metric::Kept => schedule.streams.iter().filter(|stream| !moves(stream)).count() as f64,
            Metric::Compute => nanoseconds(timing.duration(step)),
            Metric::Time => {
                let end = if step + 1 < steps { timing.begin(step + 1) } else { timing.totals().time };
                nanoseconds(end - timing.begin(step))
            }
            Metric::Measured(stage) => measured(launch.measured.as_ref()?, stage, number, shown.launch.programs())?,
            Metric::Findings => shown.marks_of(program).len() as f64,
            Metric::Core => (number % report.machine_of(launch).cores.max(1)) as f64,
        })
    }
}

/// The row-major number of a program.
fn number(program: &[usize], grid: &[usize]) -> usize {
    let ids = program.iter().zip(grid);
    ids.fold(0usize, |number, (&id, &extent)| number.saturating_mul(extent).saturating_add(id))
}

/// The measured time of a program in a stage: that of its bin, for each program in it.
fn measured(measured: &Measured, stage: Stage, number: usize, programs: usize) -> Option<f64> {
    let bins = &measured.bins;
    let at = number / bins.programs.max(1);
    let list = match stage {
        Stage::CopyIn => &bins.copy_in,
        Stage::Compute => &bins.compute,
        Stage::CopyOut => &bins.copy_out,
        Stage::Wait => return None,
    };
    let in_bin = bins.programs.min(programs.saturating_sub(at * bins.programs)).max(1);
    Some(list.get(at)? / in_bin as f64)
}
