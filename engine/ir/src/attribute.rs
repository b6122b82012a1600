//! What an op carries besides operands: small typed attributes, and the index pattern of loads and stores.

use crate::launch::Launch;
use pallas_tensor::{Array, DType};
use smallvec::SmallVec;
use std::sync::Arc;

/// An attribute's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    /// `axis = 0`
    Int(i64),
    /// `axes = [0, 1]`
    Ints(Vec<i64>),
    /// `contracting = [[1], [0]]`
    IntLists(Vec<Vec<i64>>),
    /// `reverse = true`
    Bool(bool),
    /// `value = 0.5`
    Float(f64),
    /// `name = "x"`
    Str(Arc<str>),
    /// `dtype = f32`
    DType(DType),
    /// A constant's data.
    Array(Array),
    /// The subscript of a load or store.
    Index(IndexPattern),
    /// The launch that a host function makes.
    Launch(Arc<Launch>),
}

/// Attributes by name, in the order in which they print.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes(pub SmallVec<[(&'static str, Attribute); 2]>);

impl Attributes {
    /// No attributes.
    pub fn none() -> Self {
        Attributes::default()
    }

    /// Adds one.
    pub fn with(mut self, name: &'static str, value: Attribute) -> Self {
        self.0.push((name, value));
        self
    }

    /// The attribute called `name`.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.0.iter().find(|(n, _)| *n == name).map(|(_, v)| v)
    }

    /// An `Int` attribute; `None` if absent or of another kind. The same for the accessors below.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.get(name) {
            Some(Attribute::Int(value)) => Some(*value),
            _ => None,
        }
    }

    /// An `Ints` attribute.
    pub fn ints(&self, name: &str) -> Option<&[i64]> {
        match self.get(name) {
            Some(Attribute::Ints(values)) => Some(values),
            _ => None,
        }
    }

    /// An `IntLists` attribute.
    pub fn int_lists(&self, name: &str) -> Option<&[Vec<i64>]> {
        match self.get(name) {
            Some(Attribute::IntLists(values)) => Some(values),
            _ => None,
        }
    }

    /// A `Bool` attribute; false if absent.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Attribute::Bool(true)))
    }

    /// A `Float` attribute.
    pub fn float(&self, name: &str) -> Option<f64> {
        match self.get(name) {
            Some(Attribute::Float(value)) => Some(*value),
            _ => None,
        }
    }

    /// A `Str` attribute.
    pub fn str(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Attribute::Str(value)) => Some(value),
            _ => None,
        }
    }

    /// A `DType` attribute.
    pub fn dtype(&self, name: &str) -> Option<DType> {
        match self.get(name) {
            Some(Attribute::DType(value)) => Some(*value),
            _ => None,
        }
    }

    /// An `Array` attribute.
    pub fn array(&self, name: &str) -> Option<&Array> {
        match self.get(name) {
            Some(Attribute::Array(value)) => Some(value),
            _ => None,
        }
    }

    /// The `index` attribute of a load, store or view.
    pub fn index(&self) -> Option<&IndexPattern> {
        match self.get("index") {
            Some(Attribute::Index(value)) => Some(value),
            _ => None,
        }
    }
}

/// One entry per dimension of the Ref. Dynamic parts take the op's index operands in order.
///
/// As in JAX's `NDIndexer`: scalars and integer arrays broadcast together, and their common shape stands in front of
/// the sizes of the slices in the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexPattern(pub SmallVec<[DimIndex; 4]>);

/// How one dimension is indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DimIndex {
    /// One position; the dimension goes away.
    At(Position),
    /// `size` elements from `start`, `stride` apart.
    Slice {
        /// First element.
        start: Position,
        /// Number of elements.
        size: usize,
        /// Distance; at least 1.
        stride: usize,
    },
    /// Positions from an integer array operand.
    Array,
}

/// A position: known, or the next index operand (a scalar integer).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Known. Negative positions count from the end, and have been resolved before they come here.
    Static(i64),
    /// An operand.
    Dynamic,
}

impl IndexPattern {
    /// The whole of a Ref of this shape.
    pub fn full(shape: &[usize]) -> Self {
        IndexPattern(
            shape
                .iter()
                .map(|&size| DimIndex::Slice {
                    start: Position::Static(0),
                    size,
                    stride: 1,
                })
                .collect(),
        )
    }

    /// Whether it is the whole of a Ref of this shape.
    pub fn is_full(&self, shape: &[usize]) -> bool {
        *self == IndexPattern::full(shape)
    }

    /// How many operands it takes.
    pub fn operand_count(&self) -> usize {
        self.0
            .iter()
            .filter(|d| {
                matches!(
                    d,
                    DimIndex::At(Position::Dynamic)
                        | DimIndex::Slice {
                            start: Position::Dynamic,
                            ..
                        }
                        | DimIndex::Array
                )
            })
            .count()
    }
}
