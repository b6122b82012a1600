//! The labels of what lies in memory: one buffer for each Ref of the kernel and each scoped allocation, and views of them.

use super::labels::{self, Labels};
use pallas_tensor::Shape;
use smallvec::SmallVec;

/// Elements of a Ref that are followed: 4 MB of labels. Blocks are smaller; a Ref of this size is a whole array.
pub(super) const LARGEST: usize = 1 << 20;

/// The labels of one Ref's elements.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) shape: Shape,
    pub(super) labels: Labels,
    /// What it is called.
    pub(super) name: String,
}

impl Buffer {
    /// Whatever it holds is taken for fine.
    pub(super) fn trust(&mut self) {
        self.labels = None;
    }

    /// All of it has this label. Refs that are too large to follow are taken for fine.
    pub(super) fn fill(&mut self, label: i32) {
        self.labels = match self.shape.size() <= LARGEST {
            true => labels::uniform(&self.shape, label),
            false => None,
        };
    }
}

/// A Ref: a part of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct View {
    pub(super) buffer: usize,
    /// One entry per dimension of the buffer; `None` where it is not known which part it is.
    pub(super) dims: Option<SmallVec<[ViewDim; 4]>>,
}

/// Which part of a dimension of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ViewDim {
    /// One position, and the dimension is gone.
    At(usize),
    /// `size` positions from `start`, `stride` apart.
    Range { start: usize, size: usize, stride: usize },
}

impl View {
    /// All of a buffer.
    pub(super) fn whole(buffer: usize, shape: &Shape) -> View {
        let range = |&size: &usize| ViewDim::Range { start: 0, size, stride: 1 };
        View { buffer, dims: Some(shape.iter().map(range).collect()) }
    }

    /// Whether it is all of its buffer.
    pub(super) fn is_whole(&self, buffer: &Shape) -> bool {
        *self == View::whole(self.buffer, buffer)
    }

    /// Some part of the same buffer.
    pub(super) fn some_part(&self) -> View {
        View { buffer: self.buffer, dims: None }
    }

    /// The extents of a known view.
    pub(super) fn shape(&self) -> Option<Shape> {
        let size = |dim: &ViewDim| match dim {
            ViewDim::At(_) => None,
            ViewDim::Range { size, .. } => Some(*size),
        };
        Some(self.dims.as_ref()?.iter().filter_map(size).collect())
    }

    /// The offset of the view's first element in its buffer, and the distance of neighbours along each of its dimensions.
    pub(super) fn layout(&self, buffer: &Shape) -> Option<(i64, SmallVec<[i64; 4]>)> {
        let strides = buffer.strides();
        let mut origin = 0;
        let mut steps = SmallVec::new();
        for (dim, &stride) in self.dims.as_ref()?.iter().zip(&strides) {
            match *dim {
                ViewDim::At(position) => origin += (position * stride) as i64,
                ViewDim::Range { start, stride: step, .. } => {
                    origin += (start * stride) as i64;
                    steps.push((step * stride) as i64);
                }
            }
        }
        Some((origin, steps))
    }
}
