//! A CUDA driver for tests: the functions of `libcuda.so.1` that the workbench calls, over the PTX machine.
//!
//! It is strict. What the CUDA Driver API documents as an error is one, with the documented code: calls before `cuInit`, handles that
//! are dead or of another kind, memory that nobody allocated, launches outside of a device's limits, what may not be called while a
//! stream captures. Work is asynchronous: nothing runs before somebody synchronises, or asks an event twice. A kernel that faults
//! leaves a context in which every call fails; one that does not end is never over, and a call that would wait for it ends the
//! process with a word in the log, where a real one would stand for ever.
//!
//! Machine code is what NVRTC's look-alike (`tests/nvrtc`) makes: a real CUBIN with its PTX behind it.
//!
//! What it does not model: several devices and contexts, time (a launch takes as long as its instructions count), and what a driver does
//! with functions that the workbench does not call, which are missing. Variables of the environment say what device it is and what
//! goes wrong (`setup`).

#![allow(unsafe_code, reason = "what it exports is a C library's; each function says what it is given")]

mod calls;
mod codes;
mod elf;
mod log;
mod machine;
mod setup;
mod state;
mod tensor_map;
