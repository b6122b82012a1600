//! `jax.make_jaxpr`: traced functions in the notation of JAX's jaxprs.
//!
//! The IR is printed as it is: ops under their own names, constants as literals, calls of jitted functions in place.
//! Where JAX's primitives say the same, so does the text; loops are ours, with their bodies as jaxprs.

mod api;
mod document;
mod names;
mod parameters;
mod print;

pub use api::FUNCTIONS;
