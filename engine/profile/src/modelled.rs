//! What the model of the machine says of a launch, and all that its schedule follows from.

use crate::lanes::Lanes;
use crate::place::Place;
use crate::report::{Event, LaunchReport, Stage};
use pallas_pipeline as pipeline;
use serde::{Deserialize, Serialize};

/// A launch on the report's machine. Times are in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Modelled {
    /// The predicted time of the launch. Where it waits for something itself, and all of its lanes are known, theirs: of GPU kernels
    /// as often as their blocks take turns.
    pub time: f64,
    /// Time in which the kernel runs.
    pub compute: f64,
    /// The bubble before the first program computes.
    pub fill: f64,
    /// The bubble after the last one has.
    pub drain: f64,
    /// Waiting in between.
    pub stalls: f64,
    /// `compute / time`
    pub utilisation: f64,
    /// FLOPs of the launch.
    pub flops: u64,
    /// Bytes of all copies of the pipeline.
    pub bytes: u64,
    /// Bytes that the kernel copies itself; they have no place in the schedule.
    #[serde(default)]
    pub kernel_bytes: u64,
    /// FLOPs per byte of both; `None` without copies.
    pub intensity: Option<f64>,
    /// FLOP per second that this mix of work could reach if nothing had to be copied.
    pub peak: f64,
    /// What holds it up: `compute`, `bandwidth` or `latency`.
    pub bound: String,
    /// The software pipelining guide's formulas.
    pub formulas: Formulas,
    /// Operations by unit and dtype.
    pub work: Vec<WorkTerm>,
    /// FLOPs by place in the source, the most first.
    pub lines: Vec<Line>,
    /// What could not be counted or was assumed.
    pub unknown: Vec<Unknown>,
    /// Bytes on chip that all slots and scratch need.
    pub on_chip: u64,
    /// Whether they fit.
    pub fits: bool,
    /// What the schedule follows from.
    pub schedule: Schedule,
    /// What would change the verdict.
    pub advice: Advice,
    /// Events of the first programs, and of the last ones where they are not all.
    pub events: Vec<Event>,
    /// Whether [`Modelled::events`] are all there are.
    pub complete: bool,
    /// Of GPU kernels with threads, barriers or engines: what they do, and who waits for whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<Lanes>,
}

/// The guide's letters and what it makes of them, in nanoseconds, of one core.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Formulas {
    /// N
    pub programs: usize,
    /// alpha
    pub latency: f64,
    /// X / beta
    pub transfer: f64,
    /// Y / F
    pub compute: f64,
    /// Slots per operand.
    pub slots: usize,
    /// In how many iterations a copy is made: N, unless blocks stay.
    pub rounds: usize,
    /// `(alpha + X / beta) + N (Y / F)`, the first term for each end with a bubble.
    pub compute_bound: f64,
    /// `alpha + N (X / beta)`
    pub bandwidth_bound: f64,
    /// `N (alpha + X / beta + Y / F) / S`, alpha only in iterations with a copy.
    pub latency_bound: f64,
}

/// Operations of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkTerm {
    /// `matrix`, `vector`, `transcendental`, or `other` for what counts as no FLOPs.
    pub unit: String,
    /// `f32`
    pub dtype: String,
    /// How many.
    pub count: u64,
}

/// FLOPs of a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The expression.
    pub place: Place,
    /// FLOPs of all programs.
    pub flops: u64,
}

/// Something that is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unknown {
    /// Where.
    pub place: Option<Place>,
    /// What, and what is assumed instead.
    pub what: String,
}

/// All that the times of every program follow from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// The grid of one core.
    pub grid: Vec<usize>,
    /// Programs of the launch between two of that core's.
    pub stride: usize,
    /// Alpha in femtoseconds.
    pub latency: u64,
    /// Femtoseconds per byte, as a fraction.
    pub per_byte: (u64, u64),
    /// Axes that the kernel's duration depends on.
    pub axes: Vec<usize>,
    /// Durations in femtoseconds, one per combination of ids along those axes, the last axis fastest.
    pub durations: Vec<u64>,
    /// FLOPs of a program, likewise.
    pub flops: Vec<u64>,
    /// Operands that are copied.
    pub streams: Vec<Stream>,
}

/// The copies of an operand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    /// The operand, by position.
    pub operand: usize,
    /// Whether it is copied back rather than in.
    pub output: bool,
    /// Bytes of one block.
    pub block_bytes: u64,
    /// Buffer slots.
    pub slots: usize,
    /// How many copies there are, of all cores.
    pub copies: u64,
    /// When the block moves.
    pub moves: Moves,
}

/// When the block of an operand moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Moves {
    /// Never.
    Never,
    /// With every program.
    Every,
    /// With a step of the grid along some axes.
    Along {
        /// One answer per axis.
        axes: Vec<bool>,
    },
    /// With these programs; program 0 is not among them.
    Listed {
        /// Their numbers, ascending.
        programs: Vec<usize>,
    },
}

/// What would change the verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Advice {
    /// Times by number of slots.
    pub slots: Vec<SlotChoice>,
    /// The fewest slots that fit and come within a hundredth of the best time.
    pub best_slots: Option<usize>,
    /// Block shapes that fit on chip, the fastest first; empty where the grid and the blocks do not hang together plainly.
    pub blocks: Vec<BlockChoice>,
}

/// A number of slots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotChoice {
    /// Slots per operand.
    pub slots: usize,
    /// Predicted nanoseconds.
    pub time: f64,
    /// Bytes on chip.
    pub on_chip: u64,
    /// Whether they fit.
    pub fits: bool,
}

/// Another way to cut the arrays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockChoice {
    /// The grid.
    pub grid: Vec<usize>,
    /// Block sizes per operand, 1 where squeezed.
    pub blocks: Vec<Vec<usize>>,
    /// Predicted nanoseconds.
    pub time: f64,
    /// Bytes of all copies.
    pub bytes: u64,
    /// Bytes on chip.
    pub on_chip: u64,
    /// What would hold it up.
    pub bound: String,
}

/// Nanoseconds of femtoseconds.
pub(crate) fn nanoseconds(ticks: pipeline::Ticks) -> f64 {
    ticks as f64 / 1e6
}

impl Schedule {
    /// The schedule in time, to be asked about any program.
    pub fn timing(&self) -> pipeline::Timing {
        let order = pipeline::Order::new(&self.grid);
        let streams = self.streams.iter().map(|stream| stream.modelled(order.programs())).collect();
        let rates = pipeline::Rates {
            latency: self.latency.into(),
            per_byte: (self.per_byte.0.into(), self.per_byte.1.into()),
        };
        let ticks = self.durations.iter().map(|&duration| duration.into()).collect();
        let durations = pipeline::Durations { axes: self.axes.clone(), ticks };
        pipeline::Timing::new(pipeline::Schedule { order, streams }, durations, rates)
    }

    /// FLOPs of a program of the core.
    pub fn flops(&self, program: usize) -> u64 {
        let order = pipeline::Order::new(&self.grid);
        let table = pipeline::Durations { axes: self.axes.clone(), ticks: Vec::new() };
        self.flops.get(table.position(&order, program)).copied().unwrap_or(0)
    }
}

impl Stream {
    fn modelled(&self, programs: usize) -> pipeline::Stream {
        let moves = match &self.moves {
            Moves::Never => pipeline::Moves::Never,
            Moves::Every => pipeline::Moves::Every,
            Moves::Along { axes } => pipeline::Moves::Along(axes.clone()),
            Moves::Listed { programs: moving } => {
                let mut listed = vec![false; programs];
                for &program in moving {
                    if let Some(slot) = listed.get_mut(program) {
                        *slot = true;
                    }
                }
                pipeline::Moves::Listed(listed)
            }
        };
        pipeline::Stream {
            name: "".into(),
            operand: self.operand,
            direction: if self.output { pipeline::Direction::Out } else { pipeline::Direction::In },
            bytes: self.block_bytes.into(),
            slots: self.slots,
            moves,
        }
    }
}

impl LaunchReport {
    /// The modelled schedule in time, to be asked about any program.
    pub fn timing(&self) -> pipeline::Timing {
        self.modelled.schedule.timing()
    }

    /// Modelled events of so many programs of the first core from the `first` one on.
    pub fn events(&self, timing: &pipeline::Timing, first: usize, count: usize) -> Vec<Event> {
        let schedule = &self.modelled.schedule;
        let convert = |event: &pipeline::Event| {
            let stream = event.stream.and_then(|at| schedule.streams.get(at));
            let operand = stream.map(|stream| stream.operand);
            let (stage, bytes, flops) = match event.stage {
                pipeline::Stage::CopyIn => (Stage::CopyIn, stream.map_or(0, |stream| stream.block_bytes), 0),
                pipeline::Stage::CopyOut => (Stage::CopyOut, stream.map_or(0, |stream| stream.block_bytes), 0),
                pipeline::Stage::Compute => (Stage::Compute, 0, schedule.flops(event.program)),
                pipeline::Stage::Wait => (Stage::Wait, 0, 0),
            };
            let described = operand.and_then(|at| self.operands.get(at));
            Event {
                program: event.program * schedule.stride,
                stage,
                operand,
                slot: event.slot,
                lane: 0,
                start: nanoseconds(event.start),
                end: nanoseconds(event.end),
                bytes,
                flops,
                place: match described {
                    Some(operand) => operand.spec.or(operand.parameter),
                    None => self.definition,
                },
            }
        };
        timing.events(first, count).iter().map(convert).collect()
    }
}
