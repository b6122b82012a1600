//! The host side of the GPU: finds the driver, NVRTC and NVIDIA's tools where they are installed, compiles CUDA C++ to machine
//! code, keeps what was compiled, and launches it. Every library is loaded when it is asked for; a machine without any of
//! them gets an answer that says so.
//!
//! The one crate below the front ends that loads libraries and keeps files. Where to look, and the folder for what is kept,
//! the front end says: nothing here reads the environment.

mod boxes;
pub mod bytes;
pub mod cache;
pub mod ceilings;
pub mod compile;
pub mod device;
pub mod disassemble;
mod driver;
pub mod execute;
pub mod failure;
pub mod find;
mod gpu;
pub mod launch;
mod loss;
pub mod messages;
mod nvrtc;
pub mod occupancy;
pub mod peaks;
pub mod resources;
pub mod tileiras;

pub use cache::{Cache, Key};
pub use ceilings::{Ceilings, ceilings};
pub use compile::{Compile, CompileError, Compiled, Compiler, Request};
pub use device::{BufferId, Call, Device, DeviceInfo, FunctionId, GraphId, PATIENCE};
pub use disassemble::{DisassembleError, disassemble};
pub use driver::{Driver, driver};
pub use execute::{Executed, Kernel, Told, execute, initials, work};
pub use failure::Failure;
pub use find::{Found, Places, find};
pub use gpu::open;
pub use launch::{Boxed, Memory, Outcome, Rounds, Samples, Work, measure, median, run};
pub use messages::{Message, messages};
pub use nvrtc::{Made, Nvrtc, NvrtcError};
pub use occupancy::{Limit, Occupancy, occupancy};
pub use peaks::instruction;
pub use resources::Resources;
pub use tileiras::{TileCode, TileCompiler, TileError};
