//! What a software pipeline moves: which programs of a launch need a new block of an operand, and how many bytes that
//! is. Slots, schedules and machine models build on this; they are not here yet.

mod copies;

pub use copies::{Copies, copies};
