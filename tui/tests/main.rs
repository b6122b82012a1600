//! The command line and the terminal program, as processes.

mod cli;
mod memory;
mod picture;
mod profile;
mod terminal;
mod tune;
mod virtual_gpu;
mod watch;
