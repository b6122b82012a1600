//! Dtypes, shapes, arrays, numerics, numpy printing and random bits.
//!
//! The numeric ground floor: everything above computes with [`Array`]. Values follow JAX 0.10.2
//! on the CPU (XLA's semantics for operations, threefry for random bits, numpy's text for
//! printing). It knows nothing of Python, tracing or kernels, and touches nothing outside memory.

mod array;
mod buffer;
mod deferred;
mod dtype;
mod error;
mod float8;
mod gathered;
mod isa;
mod lack;
mod limits;
pub mod math;
pub mod ops;
mod part;
mod pieces;
pub mod print;
mod promote;
pub mod random;
mod range;
mod recycled;
mod scalar;
mod shape;
pub mod threads;

pub use array::{Array, has_room};
pub use buffer::{Buffer, Element};
pub use deferred::{Unmade, at_once, by_stretches, deferring, stepped};
pub use dtype::{DType, Kind};
pub use error::OpError;
pub use float8::Float8;
pub use isa::Isa;
pub use lack::{OutOfMemory, with_memory};
pub use limits::{FloatInfo, IntInfo};
pub use part::Part;
pub use pieces::{Pieces, Stretch};
pub use promote::{Casting, can_cast, canonicalize, numpy_promote, promote, promote_strictly};
pub use range::Steps;
pub use scalar::Scalar;
pub use shape::Shape;
