//! Launches whose programs act on each other: threads of a block, blocks of a cluster, warps. Each is an agent, a tape that
//! stops where it has to wait and goes on later; a [`scheduler`] says whose turn it is.
//!
//! The scheduler and the frames of a tape know nothing of GPUs. What barriers, copies and products do is in files of their
//! own; devices of a mesh and cores of a device, with the programs that each runs one after the other, are in `peers`, the
//! devices of GPU kernels, whose blocks run all at the same time, in `devices`. Copies
//! and products are done when they are started, or later, where a run looks for what that hides (`engines`).

mod act;
mod agent;
mod barriers;
mod blocks;
mod cluster;
mod devices;
mod ends;
mod engines;
mod meeting;
mod peers;
mod reach;
mod scales;
mod scheduler;
mod scopes;
mod sparse;
mod stuck;
mod topology;
mod warps;
mod world;

pub(crate) use agent::Thread;
pub(crate) use devices::Devices;
pub(crate) use peers::Peers;
pub(crate) use scheduler::draw;
pub(crate) use topology::Topology;
pub(crate) use world::World;
