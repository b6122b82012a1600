//! What kernels do while they go on: copies from Ref to Ref, and semaphores. Everything is staged as an op; what the ops
//! refuse is said in their type rules.

pub mod copies;
mod device;
pub mod pipeline;
pub mod semaphores;
