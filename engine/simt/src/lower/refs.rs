//! Refs: which elements of which array they show.

use super::cast::Cast;
use super::number::Number;
use crate::ir::MemoryId;
use pallas_ir::{IndexPattern, ValueId};
use std::rc::Rc;

/// A Ref.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RefView {
    pub(crate) memory: MemoryId,
    /// One entry per dimension of the array.
    pub(crate) dims: Vec<RefDim>,
    /// Whether its programs run with a memory of their own only: stores need no other thread's leave.
    pub(crate) is_operand: bool,
    /// What elements are shown as, if not as they are.
    pub(crate) cast: Option<Cast>,
    /// What integer arrays select of what the dimensions show.
    pub(crate) selected: Option<Rc<Selected>>,
}

/// A subscript with integer arrays: what it selects lies anywhere.
#[derive(Debug, PartialEq)]
pub(crate) struct Selected {
    pub(crate) pattern: IndexPattern,
    pub(crate) operands: Vec<ValueId>,
    /// Of what is selected.
    pub(crate) shape: Vec<usize>,
}

/// One dimension of the array, and what of it the Ref shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RefDim {
    /// Elements between neighbours.
    pub(crate) stride: i64,
    /// First element that is shown.
    pub(crate) offset: Number,
    pub(crate) shown: Shown,
    /// Where what is there ends, where what is shown may leave it.
    pub(crate) extent: Option<Number>,
    /// How many positions one element of the array has, if it is shown as several.
    pub(crate) pieces: i64,
}

/// What is shown of a dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shown {
    /// One element; the Ref does not have the dimension.
    At,
    /// This many, so far apart.
    Range { size: usize, step: i64 },
}

impl RefView {
    /// All of an array in row-major order.
    pub(crate) fn whole(memory: MemoryId, shape: &[usize], is_operand: bool) -> RefView {
        let strides = super::context::row_major(shape);
        let dims = shape.iter().zip(strides).map(|(&size, stride)| RefDim {
            stride,
            offset: Number::Known(0),
            shown: Shown::Range { size, step: 1 },
            extent: None,
            pieces: 1,
        });
        RefView { memory, dims: dims.collect(), is_operand, cast: None, selected: None }
    }

    /// Positions in `dims` of the Ref's own dimensions, with size and step.
    pub(crate) fn axes(&self) -> Vec<(usize, usize, i64)> {
        let shown = self.dims.iter().enumerate();
        shown
            .filter_map(|(position, dim)| match dim.shown {
                Shown::At => None,
                Shown::Range { size, step } => Some((position, size, step)),
            })
            .collect()
    }

    /// Whether what is shown lies one after the other.
    pub(crate) fn is_dense(&self) -> bool {
        let mut dense = 1;
        self.axes().into_iter().rev().all(|(position, size, step)| {
            let fits = size == 1 || self.dims[position].stride * step == dense;
            dense *= size as i64;
            fits
        })
    }

    /// The Ref's extents.
    pub(crate) fn shape(&self) -> Vec<usize> {
        match &self.selected {
            Some(selected) => selected.shape.clone(),
            None => self.axes().into_iter().map(|(_, size, _)| size).collect(),
        }
    }
}
