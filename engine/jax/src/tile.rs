//! The operand of every array function: a concrete array, a type without data (analysis), or a value of a trace.

use crate::trace::Trace;
use pallas_ir::{RegionId, TensorType, ValueId};
use pallas_tensor::{Array, DType, Shape};
use std::rc::Rc;

/// An array as the functions of this crate see it.
#[derive(Clone)]
pub enum Tile {
    /// With data.
    Concrete {
        /// The data.
        array: Array,
        /// Whether the dtype came from a Python scalar.
        weak: bool,
    },
    /// Known by type only: analysis allocates nothing.
    Abstract(TensorType),
    /// A value of an open trace.
    Traced(Traced),
}

/// A value of a trace.
#[derive(Clone)]
pub struct Traced {
    /// The trace.
    pub trace: Rc<Trace>,
    /// The value in the trace's function.
    pub value: ValueId,
    /// Its type.
    pub ty: TensorType,
    /// The region that was open when it was made; it may be used while that region is open.
    pub region: RegionId,
}

impl Tile {
    /// A concrete array that is not weak.
    pub fn concrete(array: Array) -> Self {
        Tile::Concrete { array, weak: false }
    }

    /// Its type.
    pub fn ty(&self) -> TensorType {
        match self {
            Tile::Concrete { array, weak } => {
                TensorType { dtype: array.dtype(), shape: array.shape().clone(), weak: *weak }
            }
            Tile::Abstract(ty) => ty.clone(),
            Tile::Traced(traced) => traced.ty.clone(),
        }
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        match self {
            Tile::Concrete { array, .. } => array.dtype(),
            Tile::Abstract(ty) => ty.dtype,
            Tile::Traced(traced) => traced.ty.dtype,
        }
    }

    /// Shape.
    pub fn shape(&self) -> &Shape {
        match self {
            Tile::Concrete { array, .. } => array.shape(),
            Tile::Abstract(ty) => &ty.shape,
            Tile::Traced(traced) => &traced.ty.shape,
        }
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape().len()
    }

    /// Whether the dtype is weak.
    pub fn weak(&self) -> bool {
        match self {
            Tile::Concrete { weak, .. } => *weak,
            Tile::Abstract(ty) => ty.weak,
            Tile::Traced(traced) => traced.ty.weak,
        }
    }

    /// The data, where there is any.
    pub fn array(&self) -> Option<&Array> {
        match self {
            Tile::Concrete { array, .. } => Some(array),
            _ => None,
        }
    }

    /// Whether it is a value of a trace.
    pub fn is_traced(&self) -> bool {
        matches!(self, Tile::Traced(_))
    }
}
