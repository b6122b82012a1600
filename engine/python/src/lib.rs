//! Evaluates Python: values, scopes, classes, generators, builtins, standard modules. Knows no JAX.
//!
//! [`interp::Interp`] is the evaluator; [`value::Value`] what it computes with; [`object::Object`] the seam through which
//! other crates add kinds of values; [`native::NativeDef`] the table row of every function written in Rust.

pub mod builtins;
pub mod call;
pub mod class;
pub mod dict;
pub mod function;
pub mod host;
pub mod int;
pub mod interp;
pub mod library;
pub mod module;
pub mod native;
pub mod object;
pub mod raise;
pub mod signature;
pub mod value;

pub use call::CallArgs;
pub use interp::{Interp, Mode};
pub use native::{Arguments, NativeDef};
pub use object::Object;
pub use raise::{Diagnosis, PyResult, Raise, Stop};
pub use value::Value;
