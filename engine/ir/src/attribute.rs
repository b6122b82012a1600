//! What an op carries besides operands: small typed attributes, and the index pattern of loads and stores.

use crate::launch::Launch;
use crate::pipeline::Pipeline;
use pallas_tensor::{Array, DType, Shape};
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
    /// The grid and blocks of a pipeline inside a kernel.
    Pipeline(Arc<Pipeline>),
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

/// One entry per dimension of the Ref. Dynamic parts take the op's index operands in order, a part its start before its
/// length.
///
/// As in JAX's `NDIndexer.get_indexer_shape`: scalars and integer arrays broadcast together; their common shape takes
/// their place if they are neighbours, else stands in front of the sizes of the slices (see
/// [`IndexPattern::result_shape`]).
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
    /// Neighbouring elements from `start`, as many as an operand (a scalar integer) says. Views only: no tile has an
    /// extent that is computed.
    Part {
        /// First element.
        start: Position,
        /// The most that there can be.
        bound: usize,
    },
    /// Positions from an integer array operand.
    Array,
}

/// What an index operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexOperand {
    /// A position or the start of a slice: a scalar.
    Position,
    /// The length of a part: a scalar.
    Length,
    /// Positions.
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
            shape.iter().map(|&size| DimIndex::Slice { start: Position::Static(0), size, stride: 1 }).collect(),
        )
    }

    /// Whether it is the whole of a Ref of this shape.
    pub fn is_full(&self, shape: &[usize]) -> bool {
        *self == IndexPattern::full(shape)
    }

    /// How many operands it takes.
    pub fn operand_count(&self) -> usize {
        self.operands().count()
    }

    /// What the operands are that it takes, in order.
    pub fn operands(&self) -> impl Iterator<Item = IndexOperand> + '_ {
        self.0.iter().flat_map(|dim| dim.operands().iter().copied())
    }

    /// Before how many slice dimensions the common shape of the index arrays stands in the result.
    pub fn array_position(&self) -> usize {
        let is_slice = |d: &DimIndex| matches!(d, DimIndex::Slice { .. } | DimIndex::Part { .. });
        let first = self.0.iter().position(|d| !is_slice(d));
        let last = self.0.iter().rposition(|d| !is_slice(d));
        match (first, last) {
            (Some(first), Some(last)) if !self.0[first..=last].iter().any(is_slice) => first,
            _ => 0,
        }
    }

    /// The shape of what it selects, where the index arrays broadcast to `arrays` (rank 0 if there are none).
    pub fn result_shape(&self, arrays: &Shape) -> Shape {
        let sizes: SmallVec<[usize; 6]> = self
            .0
            .iter()
            .filter_map(|d| match d {
                DimIndex::Slice { size, .. } => Some(*size),
                DimIndex::Part { bound, .. } => Some(*bound),
                DimIndex::At(_) | DimIndex::Array => None,
            })
            .collect();
        let (before, after) = sizes.split_at(self.array_position());
        before.iter().chain(arrays.iter()).chain(after).copied().collect()
    }
}

impl DimIndex {
    /// Whether it takes operands.
    pub fn is_dynamic(&self) -> bool {
        !self.operands().is_empty()
    }

    /// The operands that it takes, in order.
    pub fn operands(&self) -> &'static [IndexOperand] {
        match self {
            DimIndex::At(Position::Static(_)) | DimIndex::Slice { start: Position::Static(_), .. } => &[],
            DimIndex::At(Position::Dynamic) | DimIndex::Slice { start: Position::Dynamic, .. } => {
                &[IndexOperand::Position]
            }
            DimIndex::Part { start: Position::Static(_), .. } => &[IndexOperand::Length],
            DimIndex::Part { start: Position::Dynamic, .. } => &[IndexOperand::Position, IndexOperand::Length],
            DimIndex::Array => &[IndexOperand::Array],
        }
    }
}
