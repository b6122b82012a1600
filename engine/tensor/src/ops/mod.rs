//! Operations on arrays, one file per family, with XLA's semantics on the CPU.
//!
//! Shapes are checked, never assumed: a wrong operand is an [`crate::OpError`], not a panic.
//! Dtype promotion is the caller's: operands come with the dtype they are to be computed in.

mod binary;
mod compare;
mod convert;
mod crop;
mod cumulative;
mod dot;
mod elementwise;
mod functions;
pub mod fused;
mod gather;
mod multiply_add;
mod number;
mod pad;
mod product;
mod reduce;
mod reduce_lanes;
mod select;
#[cfg(test)]
mod sets;
mod short_rows;
mod sort;
mod strided;
mod structural;
mod tree;
mod turn;
mod unary;
mod windows;

pub(crate) use binary::remains_near;
pub use binary::{BinaryOp, binary};
pub use compare::{CompareOp, compare};
pub use convert::{bitcast_convert, convert};
pub use crop::crop;
pub use cumulative::{CumulativeOp, cumulative};
pub use dot::{DotDimensions, Matrix, dot_general, dot_general_shape, matrix_product_onto};
pub use gather::{Combine, Position, Runs, Scatter, places, scatter_flat, take_flat};
pub use multiply_add::{MultiplyAdd, multiply_add, multiply_by_reciprocal};
pub use pad::{PadDimension, pad};
pub use reduce::{ReduceOp, arg_extreme, reduce};
pub use select::{clamp, select, select_n};
pub use sort::{argsort, sort, top_k};
pub(crate) use strided::{Pattern, signed_strides};
pub use structural::{
    broadcast_in_dim, concatenate, dynamic_slice, dynamic_update_slice, reshape, reverse, slice, transpose,
};
pub use unary::{UnaryOp, integer_pow, unary};
