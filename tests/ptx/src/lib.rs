//! A machine that executes PTX on the CPU, so that what NVRTC makes of our CUDA C++ is run where no GPU is.
//!
//! [`Module::parse`] reads the text, [`run`] starts a kernel of it on [`Memory`]. The words are those of the *PTX ISA* 9.0; modules name
//! the sections that they implement. It does not model time, caches, or an order of memory weaker than one access after the other:
//! what is asynchronous (`cp.async`, bulk copies, `wgmma`, `tcgen05`) is done as late as a program may rely on, or is watched until then, so that
//! a wait that is missing is seen. Whatever has no meaning in PTX is a [`Fault`] with the place: an access outside of what was
//! allocated, lanes that a `.sync` waits for in vain, an instruction that is not known here.

#![allow(
    clippy::result_large_err,
    reason = "a fault has all that there is to say of it, and there is one at the end of a run"
)]

mod asynchronous;
mod decode;
mod fault;
mod formats;
mod inst;
mod machine;
mod memory;
mod module;
mod ops;
mod parse;
mod tensor_map;
mod tensor_memory;
mod types;

pub use fault::{Cause, Fault};
pub use machine::{Ran, Start, run};
pub use memory::Memory;
pub use module::{Entry, Module, Param};
pub use parse::Wrong;
pub use tensor_map::TensorMap;
