//! Subscripts of Refs: where they point in a given program, reading and writing there.
//!
//! As in JAX, a subscript of slices and scalars without strides is a *block* (`dynamic_slice`), everything else is a
//! *gather* (integer arrays). They differ in what happens outside: blocks move inside (or, `padded`, see uninitialised
//! values), gathers clamp reads and drop writes. Negative positions count from the end once, in both.

use crate::error::RunError;
use crate::fill;
use crate::memory::{Memory, Shown, Through, View, ViewDim, read, write};
use pallas_ir::{DimIndex, IndexOperand, IndexPattern, Position};
use pallas_tensor::ops::{self, Combine, PadDimension};
use pallas_tensor::{Array, Shape};
use smallvec::SmallVec;
use std::sync::Arc;

/// A subscript, prepared.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) dims: SmallVec<[DimIndex; 4]>,
    /// How many slices stand before the dimensions of the index arrays.
    pub(crate) array_position: usize,
    /// What the subscript selects.
    pub(crate) shape: Shape,
    /// The common shape of the index arrays.
    pub(crate) index_shape: Shape,
    padded: bool,
    is_block: bool,
    /// Whether it is all of the Ref it is applied to.
    is_full: bool,
    /// Whether a view may reach past the end of its Ref: main memory of a GPU, of which copies take what there is.
    pub(crate) overhangs: bool,
    /// Of a view: whether it is the same for all programs of a run, so that it is found once.
    pub(crate) stays: bool,
}

/// Where a subscript points: its dynamic parts, in order.
#[derive(Clone, Debug)]
pub(crate) enum Index {
    Scalar(i64),
    Array(Array),
}

/// A block found in a Ref: what it covers, and for `padded` accesses how much of it exists.
struct Block {
    view: View,
    /// Extents asked for, 1 for scalars.
    sizes: SmallVec<[usize; 6]>,
    /// Extents that exist.
    visible: SmallVec<[usize; 6]>,
}

impl Block {
    fn is_complete(&self) -> bool {
        self.sizes == self.visible
    }
}

impl Access {
    /// Prepares a subscript of a Ref of `shape` whose index arrays broadcast to `index_shape`.
    pub(crate) fn new(pattern: &IndexPattern, shape: &Shape, index_shape: Shape, padded: bool) -> Access {
        let is_block = pattern.0.iter().all(|dim| match dim {
            DimIndex::At(_) => true,
            DimIndex::Slice { stride, .. } => *stride == 1,
            DimIndex::Part { .. } => true,
            DimIndex::Array => false,
        });
        Access {
            dims: pattern.0.clone(),
            array_position: pattern.array_position(),
            shape: pattern.result_shape(&index_shape),
            index_shape,
            padded,
            is_block,
            is_full: pattern.is_full(shape),
            overhangs: false,
            stays: false,
        }
    }

    /// Whether it is slices and scalars without strides.
    pub(crate) fn is_block(&self) -> bool {
        self.is_block
    }

    /// Whether it is that, inside of its Ref or moved there.
    pub(crate) fn is_plain(&self) -> bool {
        self.is_block && !self.padded && !self.overhangs
    }

    /// What is selected of each dimension.
    pub(crate) fn dims(&self) -> &[DimIndex] {
        &self.dims
    }

    /// Whether it is all of the Ref that it is applied to.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full && self.is_block
    }

    /// What the operands are that it takes, in order.
    pub(crate) fn operands(&self) -> impl Iterator<Item = IndexOperand> + '_ {
        self.dims.iter().flat_map(|dim| dim.operands().iter().copied())
    }

    /// Reads.
    pub(crate) fn load(&self, memory: &Memory, view: &View, indices: &[Index]) -> Result<Array, RunError> {
        let base = memory.array(view)?;
        if self.is_full && view.is_whole(base.shape()) {
            return Ok(base.clone());
        }
        if !self.is_block {
            let positions = self.positions(view, base.shape(), indices, true)?;
            let fill = Array::scalar(base.dtype(), fill::outside(base.dtype()));
            return Ok(ops::take_flat(base, &positions, self.shape.clone(), &fill)?);
        }
        let block = self.block(view, indices)?;
        let read = read(base, &block.view)?;
        if block.is_complete() {
            return Ok(ops::reshape(&read, self.shape.clone())?);
        }
        let read = ops::reshape(&read, block.visible.as_slice())?;
        let missing = Array::scalar(base.dtype(), fill::outside(base.dtype()));
        let padding: Vec<PadDimension> = block
            .sizes
            .iter()
            .zip(&block.visible)
            .map(|(&size, &visible)| PadDimension { low: 0, high: (size - visible) as i64, interior: 0 })
            .collect();
        let padded = ops::pad(&read, &missing, &padding)?;
        Ok(ops::reshape(&padded, self.shape.clone())?)
    }

    /// Writes.
    pub(crate) fn store(
        &self,
        memory: &mut Memory,
        view: &View,
        indices: &[Index],
        value: Array,
    ) -> Result<(), RunError> {
        self.combine(memory, view, indices, value, Combine::Replace)
    }

    /// Writes; where several index tuples point to one place, `combine` says what becomes of it. Blocks replace.
    pub(crate) fn combine(
        &self,
        memory: &mut Memory,
        view: &View,
        indices: &[Index],
        value: Array,
        combine: Combine,
    ) -> Result<(), RunError> {
        let base = memory.peek(view)?;
        if *value.shape() != self.shape || value.dtype() != base.dtype() {
            return Err(RunError::malformed(format!(
                "a store of shape {} and dtype {} into {} of {}",
                value.shape(),
                value.dtype(),
                self.shape,
                base.dtype()
            )));
        }
        if self.is_full && self.is_block && view.is_whole(base.shape()) {
            memory.put(view.buffer, value);
            return Ok(());
        }
        // What stays of the old elements has to be known.
        let base = memory.array(view)?;
        if !self.is_block {
            let positions = self.positions(view, base.shape(), indices, false)?;
            let base = memory.take(view.buffer);
            let written = ops::scatter_flat(base, &positions, &value, combine)?;
            memory.put(view.buffer, written);
            return Ok(());
        }
        let block = self.block(view, indices)?;
        let value = if block.is_complete() {
            value
        } else {
            let value = ops::reshape(&value, block.sizes.as_slice())?;
            let start: SmallVec<[usize; 6]> = SmallVec::from_elem(0, block.sizes.len());
            ops::slice(&value, &start, &block.visible, None)?
        };
        write(memory, &block.view, value)
    }

    /// The view of what the subscript selects.
    pub(crate) fn view(&self, view: &View, indices: &[Index]) -> Result<View, RunError> {
        if self.dims.contains(&DimIndex::Array) {
            return self.gathered(view, indices);
        }
        let mut indices = indices.iter();
        let shape = view.shape();
        let mut parts: SmallVec<[ViewDim; 4]> = SmallVec::new();
        for (axis, dim) in self.dims.iter().enumerate() {
            let bound = extent(&shape, axis)?;
            let (start, size, stride) = range(dim, &mut indices)?;
            if let DimIndex::Part { .. } = dim {
                parts.push(ViewDim::Range { start: part(start, size, bound)?, size, stride });
                continue;
            }
            let span = size.saturating_sub(1).saturating_mul(stride).saturating_add(1);
            let start = match usize::try_from(start) {
                Ok(start) if self.overhangs => start,
                _ => clamp(start, bound, if size == 0 { 0 } else { span })?,
            };
            parts.push(match dim {
                DimIndex::At(_) => ViewDim::At(start),
                _ => ViewDim::Range { start, size, stride },
            });
        }
        Ok(view.select(&parts))
    }

    /// The view of elements that integer arrays select.
    fn gathered(&self, view: &View, indices: &[Index]) -> Result<View, RunError> {
        // As long as they are in this program: parts of computed length have bounds in the type.
        let mut sizes = self.shape.to_vec();
        let mut rest = indices.iter();
        let mut axis = 0;
        for dim in &self.dims {
            if *dim == DimIndex::Array {
                rest.next();
                continue;
            }
            let (_, size, _) = range(dim, &mut rest)?;
            if !matches!(dim, DimIndex::At(_)) {
                let behind = if axis < self.array_position { 0 } else { self.index_shape.rank() };
                sizes[axis + behind] = size;
                axis += 1;
            }
        }
        let shape = Shape::from(sizes);
        let access = Access { shape: shape.clone(), ..self.clone() };
        let shown = Shown::Gathered(access, indices.into());
        let through = Some(Arc::new(Through { base: view.clone(), shown }));
        Ok(View { through, ..View::whole(view.buffer, &shape) })
    }

    /// Whether a view that this gives of a Ref may simply reach past its end.
    pub(crate) fn may_overhang(&self, indices: &[Index]) -> bool {
        self.overhangs && indices.iter().all(|index| matches!(index, Index::Scalar(position) if *position >= 0))
    }

    /// What a block covers of the buffer.
    pub(crate) fn block_view(&self, view: &View, indices: &[Index]) -> Result<View, RunError> {
        Ok(self.block(view, indices)?.view)
    }

    /// Where a block lies.
    fn block(&self, view: &View, indices: &[Index]) -> Result<Block, RunError> {
        let mut indices = indices.iter();
        let shape = view.shape();
        let mut parts: SmallVec<[ViewDim; 4]> = SmallVec::new();
        let (mut sizes, mut visible) = (SmallVec::new(), SmallVec::new());
        for (axis, dim) in self.dims.iter().enumerate() {
            let bound = extent(&shape, axis)?;
            let (start, size, _) = range(dim, &mut indices)?;
            let (start, shown) = if self.padded {
                // The Ref is padded by `size` behind, then `dynamic_slice` clamps.
                let end = bound as i64;
                let start = if start < 0 { start.saturating_add(end).saturating_add(size as i64) } else { start };
                let start = start.clamp(0, end) as usize;
                (start, size.min(bound - start))
            } else {
                (clamp(start, bound, size)?, size)
            };
            sizes.push(size);
            visible.push(shown);
            parts.push(ViewDim::Range { start, size: shown, stride: 1 });
        }
        Ok(Block { view: view.select(&parts), sizes, visible })
    }

    /// Flat positions in the buffer of every selected element; -1 for what a write drops.
    pub(crate) fn positions(
        &self,
        view: &View,
        base: &Shape,
        indices: &[Index],
        reads: bool,
    ) -> Result<Vec<i64>, RunError> {
        let shape = view.shape();
        let strides = base.strides();
        // Offset of the view's origin, and the buffer's stride along each of its dimensions.
        let mut origin = 0i64;
        let mut steps: SmallVec<[i64; 4]> = SmallVec::new();
        for (dim, &stride) in view.dims.iter().zip(&strides) {
            match *dim {
                ViewDim::At(position) => origin += (position * stride) as i64,
                ViewDim::Range { start, stride: step, .. } => {
                    origin += (start * stride) as i64;
                    steps.push((step * stride) as i64);
                }
            }
        }
        let resolve = |position: i64, axis: usize, bound: usize| -> i64 {
            let bound = bound as i64;
            let position = if position < 0 { position.saturating_add(bound) } else { position };
            if bound > 0 && reads {
                position.clamp(0, bound - 1) * steps[axis]
            } else if (0..bound).contains(&position) {
                position * steps[axis]
            } else {
                -1
            }
        };
        let mut indices = indices.iter();
        let mut tuples = vec![origin; self.index_shape.size()];
        // Offsets along each slice, in order.
        let mut slices: Vec<Vec<i64>> = Vec::new();
        for (axis, dim) in self.dims.iter().enumerate() {
            let bound = extent(&shape, axis)?;
            match dim {
                DimIndex::Array => {
                    let Some(Index::Array(index)) = indices.next() else {
                        return Err(RunError::malformed("an index array is missing"));
                    };
                    let index = broadcast(index, &self.index_shape)?;
                    for (tuple, element) in tuples.iter_mut().zip(index.iter_scalars()) {
                        let position = element.as_int().unwrap_or(0);
                        let position = position.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
                        add(tuple, resolve(position, axis, bound));
                    }
                }
                DimIndex::At(_) => {
                    let (position, _, _) = range(dim, &mut indices)?;
                    let offset = resolve(position, axis, bound);
                    tuples.iter_mut().for_each(|tuple| add(tuple, offset));
                }
                DimIndex::Slice { .. } | DimIndex::Part { .. } => {
                    let (start, size, stride) = range(dim, &mut indices)?;
                    let position = |k: usize| start.saturating_add(k.saturating_mul(stride) as i64);
                    slices.push((0..size).map(|k| resolve(position(k), axis, bound)).collect());
                }
            }
        }
        let (before, after) = slices.split_at(self.array_position.min(slices.len()));
        let before = product(before);
        let after = product(after);
        let mut positions = Vec::new();
        positions
            .try_reserve_exact(self.shape.size())
            .map_err(|_| RunError::eval(format!("a tile of shape {} is too large", self.shape)))?;
        for &outer in &before {
            for &tuple in &tuples {
                let base = sum(outer, tuple);
                positions.extend(after.iter().map(|&inner| sum(base, inner)));
            }
        }
        Ok(positions)
    }
}

fn add(tuple: &mut i64, offset: i64) {
    *tuple = sum(*tuple, offset);
}

/// Sums offsets; -1 stays.
pub(crate) fn sum(left: i64, right: i64) -> i64 {
    if left < 0 || right < 0 { -1 } else { left + right }
}

/// Offsets of every combination of positions along some dimensions, in row-major order.
pub(crate) fn product(slices: &[Vec<i64>]) -> Vec<i64> {
    slices.iter().fold(vec![0], |offsets, slice| {
        offsets.iter().flat_map(|&outer| slice.iter().map(move |&inner| sum(outer, inner))).collect()
    })
}

/// A Ref's extent along an axis.
pub(crate) fn extent(shape: &Shape, axis: usize) -> Result<usize, RunError> {
    shape.get(axis).copied().ok_or_else(|| RunError::malformed("a subscript has more entries than its Ref dimensions"))
}

/// Start, size and stride of a scalar or slice.
pub(crate) fn range<'a>(
    dim: &DimIndex,
    indices: &mut impl Iterator<Item = &'a Index>,
) -> Result<(i64, usize, usize), RunError> {
    let mut next = || match indices.next() {
        Some(Index::Scalar(number)) => Ok(*number),
        _ => Err(RunError::malformed("an index operand is missing")),
    };
    let mut start = |position: Position| match position {
        Position::Static(start) => Ok(start),
        Position::Dynamic => next(),
    };
    match *dim {
        DimIndex::At(position) => Ok((start(position)?, 1, 1)),
        DimIndex::Slice { start: position, size, stride } => Ok((start(position)?, size, stride)),
        DimIndex::Part { start: position, .. } => {
            let start = start(position)?;
            // As Python's ranges: less than nothing is nothing.
            Ok((start, usize::try_from(next()?).unwrap_or(0), 1))
        }
        DimIndex::Array => Err(RunError::malformed("an index array where a slice belongs")),
    }
}

/// The start of a part of computed length. Unlike other subscripts it is not moved inside, as its length is not known when
/// the kernel is compiled: JAX's simulator stops here.
fn part(start: i64, size: usize, bound: usize) -> Result<usize, RunError> {
    let end = start.saturating_add(size as i64);
    match usize::try_from(start) {
        Ok(inside) if size == 0 || end <= bound as i64 => Ok(inside.min(bound)),
        _ if size == 0 => Ok(0),
        _ => Err(RunError::eval(format!(
            "`pl.ds({start}, {size})` leaves its Ref: elements {start}..{end} of a dimension of {bound}"
        ))),
    }
}

/// A start as `lax.dynamic_slice` takes it: negative ones count from the end, then the slice is moved inside.
fn clamp(start: i64, bound: usize, size: usize) -> Result<usize, RunError> {
    let Some(last) = bound.checked_sub(size) else {
        return Err(RunError::eval(format!(
            "slice slice_sizes must be less than or equal to operand shape, got {size} for a dimension of {bound}"
        )));
    };
    let start = if start < 0 { start.saturating_add(bound as i64) } else { start };
    Ok(start.clamp(0, last as i64) as usize)
}

/// An array stretched to a shape by numpy's rules.
pub(crate) fn broadcast(array: &Array, shape: &Shape) -> Result<Array, RunError> {
    if array.shape() == shape {
        return Ok(array.clone());
    }
    let missing = shape.rank().saturating_sub(array.rank());
    let dims: SmallVec<[usize; 6]> = (missing..shape.rank()).collect();
    Ok(ops::broadcast_in_dim(array, shape.clone(), &dims)?)
}
