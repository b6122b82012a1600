//! A launch on a machine: its work, its copies, its schedule in time, and what holds it up.

use crate::copies::{block_bytes, packed};
use crate::formulas::Formulas;
use crate::machine::{Cores, Machine};
use crate::moves::{Assumed, Moves, Order, is_copied};
use crate::schedule::{Direction, Schedule, Stream};
use crate::timing::{Durations, Timing, seconds};
use crate::work::{LaunchWork, Work, launch_work};
use pallas_ir::{BlockDim, Launch, Operand, Role};

/// A launch as it is modelled.
#[derive(Debug)]
pub struct Model {
    /// Its work.
    pub work: LaunchWork,
    /// Its schedule in time, of one core.
    pub timing: Timing,
    /// How many programs of the grid stand between two of that core's.
    pub stride: usize,
    /// The guide's letters, of one core.
    pub formulas: Formulas,
    /// Bytes of all copies of all cores, but for those that the kernel makes itself.
    pub bytes: u128,
    /// Bytes on chip of one core: all slots, and scratch.
    pub on_chip: u128,
    /// What was assumed: operand, by position, and why.
    pub assumed: Vec<(usize, Assumed)>,
    /// Operands, by position, that the pipeline does not copy.
    pub left_in_place: Vec<usize>,
}

/// What can be asked of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Slots of every operand that can use more than one, instead of what the launch says.
    pub slots: Option<usize>,
}

/// Slots where the launch does not say: Pallas has two.
pub const SLOTS: usize = 2;

/// The most operands times slots that are put on clocks: matrices grow with the square of it.
const MOST_SLOTS: usize = 64;

impl Model {
    /// Models a launch.
    pub fn new(launch: &Launch, machine: &Machine, wishes: Wishes) -> Model {
        Model::with_work(launch, machine, wishes, launch_work(launch))
    }

    /// Models a launch whose work is known.
    pub fn with_work(launch: &Launch, machine: &Machine, wishes: Wishes, work: LaunchWork) -> Model {
        let order = Order::new(&launch.grid);
        let mut assumed = Vec::new();
        let mut left_in_place = Vec::new();
        let mut streams = Vec::new();
        for (position, operand) in launch.operands.iter().enumerate() {
            if !is_copied(operand.space) {
                left_in_place.push(position);
                continue;
            }
            let (moves, why) = Moves::of(launch, operand);
            assumed.extend(why.map(|why| (position, why)));
            streams.push(Stream {
                name: operand.name.clone(),
                operand: position,
                direction: if operand.role == Role::Output { Direction::Out } else { Direction::In },
                bytes: block_bytes(operand),
                slots: slots(operand, &moves, wishes),
                moves,
            });
        }
        let total: usize = streams.iter().map(|stream| stream.slots).sum();
        if total > MOST_SLOTS {
            let most = (MOST_SLOTS / streams.len().max(1)).max(1);
            streams.iter_mut().for_each(|stream| stream.slots = stream.slots.min(most));
        }
        let (order, stride) = match machine.cores {
            Cores::One => (order, 1),
            Cores::Many(cores) => {
                // Neighbours in the order of the grid run on other cores: a core's next program brings new blocks.
                for stream in &mut streams {
                    stream.moves = Moves::Every;
                }
                (Order::new(&[order.programs().div_ceil(cores.max(1))]), cores.max(1))
            }
        };
        let durations = durations(launch, machine, &work);
        let schedule = Schedule { order, streams };
        let programs = launch.programs();
        let bytes = match machine.cores {
            Cores::One => schedule.bytes(),
            Cores::Many(_) => {
                let each: u128 = schedule.streams.iter().map(|stream| stream.bytes).sum();
                each.saturating_mul(programs as u128)
            }
        };
        let scratch: u128 = launch.scratch.iter().map(|ty| packed(ty.dtype, ty.shape.iter().copied())).sum();
        let on_chip = schedule.slot_bytes().saturating_add(scratch);
        let formulas = formulas(&schedule, machine, &work, programs, bytes.saturating_add(work.total.copied));
        let timing = Timing::new(schedule, durations, machine.rates(programs));
        Model { work, timing, stride, formulas, bytes, on_chip, assumed, left_in_place }
    }

    /// FLOPs per byte that is copied, by the pipeline or by the kernel itself; `None` where nothing is.
    pub fn intensity(&self) -> Option<f64> {
        let bytes = self.bytes.saturating_add(self.work.total.copied);
        (bytes > 0).then(|| self.work.total.flops() as f64 / bytes as f64)
    }

    /// The predicted time in seconds.
    pub fn time(&self) -> f64 {
        seconds(self.timing.totals().time)
    }
}

/// How many slots an operand has. A block that is the whole array is never copied again, so that Pallas gives it one
/// ("Force single-buffering pipelining for trivial windowing" in JAX's lowering for TPUs).
fn slots(operand: &Operand, moves: &Moves, wishes: Wishes) -> usize {
    if operand.is_whole() || covers(operand) && *moves == Moves::Never {
        return 1;
    }
    wishes.slots.or(operand.buffers).unwrap_or(SLOTS).clamp(1, MOST_SLOTS)
}

fn covers(operand: &Operand) -> bool {
    operand.block.iter().zip(operand.array.shape.iter()).all(|(dim, &extent)| *dim == BlockDim::Blocked(extent))
}

/// The kernel's duration for each kind of program; for cores that take turns, that of a program on average.
fn durations(launch: &Launch, machine: &Machine, work: &LaunchWork) -> Durations {
    match machine.cores {
        Cores::One => Durations {
            axes: work.axes.clone(),
            ticks: work.programs.iter().map(|work| machine.compute(work)).collect(),
        },
        Cores::Many(_) => {
            let all = machine.compute(&work.total);
            Durations::constant(all / launch.programs().max(1) as i128)
        }
    }
}

fn formulas(schedule: &Schedule, machine: &Machine, work: &LaunchWork, programs: usize, bytes: u128) -> Formulas {
    let cores = machine.busy_cores(programs) as f64;
    let each = programs.max(1) as f64;
    let has = |direction| schedule.streams.iter().any(|stream| stream.direction == direction);
    let moving = schedule.streams.iter().filter(|stream| stream.moves != Moves::Never);
    Formulas {
        programs: schedule.programs(),
        latency: machine.latency.value,
        transfer: bytes as f64 / each * cores / machine.bandwidth.value,
        compute: machine.compute_seconds(&work.total) / each,
        slots: moving.map(|stream| stream.slots).min().unwrap_or(1),
        rounds: schedule.streams.iter().map(|stream| stream.moves.copies(&schedule.order)).max().unwrap_or(0),
        bubbles: usize::from(has(Direction::In)) + usize::from(has(Direction::Out)),
    }
}

/// Work per program on average.
pub fn mean(work: &Work, programs: usize) -> Work {
    let mut mean = work.clone();
    mean.terms.values_mut().for_each(|count| *count /= programs.max(1) as u128);
    mean
}
