//! Operations on arrays, one file per family, with XLA's semantics on the CPU.
//!
//! Shapes are checked, never assumed: a wrong operand is an [`crate::OpError`], not a panic.
//! Dtype promotion is the caller's: operands come with the dtype they are to be computed in.

mod convert;
mod strided;
mod structural;

pub use convert::{bitcast_convert, convert};
pub use structural::{
    PadDimension, broadcast_in_dim, concatenate, dynamic_slice, dynamic_update_slice, pad, reshape,
    reverse, slice, transpose,
};
