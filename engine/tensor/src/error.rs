//! The one error type of array operations.

use std::fmt;

use crate::dtype::DType;
use crate::shape::Shape;

/// Why an operation on arrays could not be done.
///
/// The wording is a lower-case fragment; callers that imitate JAX's or numpy's own messages
/// match on the variant instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpError {
    /// The operation does not exist for this dtype.
    DType {
        /// The operation's name.
        op: &'static str,
        /// The dtype it was given.
        dtype: DType,
    },
    /// Operands have to have one dtype.
    DTypeMismatch {
        /// The operation's name.
        op: &'static str,
        /// First dtype.
        left: DType,
        /// Second dtype.
        right: DType,
    },
    /// Operands' shapes do not fit each other.
    ShapeMismatch {
        /// The operation's name.
        op: &'static str,
        /// First shape.
        left: Box<Shape>,
        /// Second shape.
        right: Box<Shape>,
    },
    /// A parameter (axis, permutation, padding, ...) is not valid for the operands.
    Argument {
        /// The operation's name.
        op: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// The result would not fit in memory.
    TooLarge {
        /// The shape asked for.
        shape: Box<Shape>,
    },
}

impl OpError {
    pub(crate) fn shapes(op: &'static str, left: &Shape, right: &Shape) -> OpError {
        OpError::ShapeMismatch { op, left: Box::new(left.clone()), right: Box::new(right.clone()) }
    }

    pub(crate) fn too_large(shape: &Shape) -> OpError {
        OpError::TooLarge { shape: Box::new(shape.clone()) }
    }

    pub(crate) fn argument(op: &'static str, message: impl Into<String>) -> OpError {
        OpError::Argument { op, message: message.into() }
    }
}

impl fmt::Display for OpError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpError::DType { op, dtype } => write!(formatter, "{op} does not accept dtype {dtype}"),
            OpError::DTypeMismatch { op, left, right } => {
                write!(formatter, "{op} requires arguments to have the same dtypes, got {left}, {right}")
            }
            OpError::ShapeMismatch { op, left, right } => {
                write!(formatter, "{op} got incompatible shapes: {left}, {right}")
            }
            OpError::Argument { op, message } => write!(formatter, "{op}: {message}"),
            OpError::TooLarge { shape } => {
                write!(formatter, "an array of shape {shape} does not fit in memory")
            }
        }
    }
}

impl std::error::Error for OpError {}
