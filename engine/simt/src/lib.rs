//! Kernel IR to what the threads of a GPU do: the [SIMT IR](ir), how kernels are [lowered](lower) to it, its
//! [simulator](sim), and [CUDA C++](cuda) printed from it. Needs no GPU and launches nothing: `compile` gives a [`Program`],
//! text and all that has to be known to launch it.

pub mod cuda;
pub mod ir;
pub mod layout;
pub mod lower;
pub mod marks;
pub mod pairs;
mod program;
pub mod sim;

pub use lower::fresh::{Garbage, element as fresh, other, uninitialized};
pub use program::{
    Architecture, CHECK_WORDS, Check, Initial, LineEntry, Met, Options, Param, ParamKind, Program, Refusal,
    STORE_WORDS, STORES, Stored, Tuning, Watched, compile, compile_with, initial, initial_with,
};
