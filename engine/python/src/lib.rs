//! Evaluates Python: values, scopes, classes, generators, builtins, standard modules. Knows no JAX.
//!
//! [`interp::Interp`] is the evaluator; [`value::Value`] what it computes with; [`object::Object`] the seam through which
//! other crates add kinds of values; [`native::NativeDef`] the table row of every function written in Rust.

mod attributes;
mod bounds;
pub mod builtins;
pub mod call;
pub mod class;
pub mod classes;
mod conversion;
pub mod dict;
pub mod embedded;
mod eval;
pub mod exceptions;
pub(crate) mod exec;
pub mod function;
pub mod generators;
pub mod host;
pub mod imports;
pub mod int;
pub mod interp;
pub mod iteration;
pub mod library;
pub mod module;
pub mod namespace_view;
pub mod native;
pub mod object;
pub mod operators;
pub mod raise;
pub mod signature;
mod suggestions;
mod testing;
mod text;
pub mod traceback;
pub mod types;
pub mod value;

pub use bounds::{LARGEST_REQUEST, Limits};
pub use call::CallArgs;
pub use exec::program::Place;
pub use interp::{Interp, Mode, Observer, Outcome, Statements};
pub use native::{Arguments, NativeDef};
pub use object::Object;
pub use raise::{Diagnosis, PyResult, Raise, Stop};
pub use value::Value;
