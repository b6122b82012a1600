//! The functions that are exported, by what they are about.

mod device;
mod event;
mod graph;
mod launch;
mod memory;
mod module;
