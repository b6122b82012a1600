//! Lowering to threads, and the simulator that executes it.

mod bands;
mod begun;
mod lowering;
mod mutants;
mod mutations;
mod pairs;
mod prints;
mod teams;
mod timed;
