//! The standard modules that kernels import, written in Rust. One module, one file or folder; functions are tables with
//! signatures and one line of documentation each, which help, completion and hovers read.
//!
//! What touches files, processes or the network is importable and says so when used.

mod abc;
mod collections;
mod copy;
mod dataclasses;
mod enumeration;
mod functools;
mod itertools;
mod math;
mod operator;
mod support;
mod types;
mod typing;

pub use functools::Partial;

use crate::interp::Interp;
use crate::module::ModuleDef;

/// Every standard module.
pub static MODULES: &[&ModuleDef] = &[
    &abc::MODULE,
    &collections::MODULE,
    &collections::abc::MODULE,
    &copy::MODULE,
    &dataclasses::MODULE,
    &enumeration::MODULE,
    &functools::MODULE,
    &itertools::MODULE,
    &math::MODULE,
    &operator::MODULE,
    &types::MODULE,
    &typing::MODULE,
    &typing::EXTENSIONS,
];

/// Makes the standard modules importable.
pub(crate) fn register(interp: &Interp) {
    for module in MODULES {
        interp.register(module);
    }
}
