//! What a launch costs on a machine: its copies and its work, the schedule of its software pipeline, what holds it up, and
//! what would change that.
//!
//! Everything is answered by formula: a grid of millions costs no more than one of a few. Nothing is run, and nothing here
//! knows what was measured.

mod advice;
mod copies;
mod formulas;
mod machine;
mod max_plus;
mod model;
mod moves;
mod schedule;
mod timing;
mod work;

pub use advice::{BlockChoice, SlotChoice, best_slots, block_choices, slot_choices};
pub use copies::{Copies, block_bytes, copies};
pub use formulas::{Bound, Formulas};
pub use machine::{Chosen, Cores, MACHINES, Machine, Machines, Number};
pub use max_plus::Ticks;
pub use model::{Model, SLOTS, Wishes, mean};
pub use moves::{Assumed, MOST_EVALUATED, Moves, Order, is_copied};
pub use schedule::{Direction, Instruction, Schedule, Stream};
pub use timing::{Durations, Event, Rates, Stage, Sums, Timing, Totals, seconds, ticks};
pub use work::{LaunchWork, Price, Unit, Unknown, Work, launch_work, operations, price};
