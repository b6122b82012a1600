//! Refs that are kept as tiles: scratch memory, and blocks of outputs that programs read again, if the kernel uses nothing but all
//! of them at once. Their content is a value then, carried through loops, and never in memory between.

use crate::lower::{Bound, Lower};
use crate::ops::shape;
use crate::types::Tile;
use crate::{Refusal, no};
use pallas_ir::op::MemoryOp;
use pallas_ir::{DimIndex, Function, IndexPattern, OpData, OpKind, Position, ValueId};

/// Whether a subscript means all of a Ref.
fn is_all(pattern: &IndexPattern, shape: &[usize]) -> bool {
    pattern.0.len() == shape.len()
        && pattern.0.iter().zip(shape).all(|(dim, &extent)| match *dim {
            DimIndex::Slice { start: Position::Static(0), size, stride: 1 } => size == extent,
            DimIndex::At(Position::Static(0)) => extent == 1,
            _ => false,
        })
}

/// How a kernel uses a Ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Uses {
    /// Whether each is a load, store or swap of all of it.
    pub(crate) all: bool,
    /// Whether what it holds is looked at.
    pub(crate) read: bool,
}

/// How a function uses a Ref.
pub(crate) fn uses(function: &Function, value: ValueId) -> Uses {
    let mut uses = Uses { all: true, read: false };
    let Some(ty) = function.ty(value).as_ref_type() else { return Uses { all: false, read: true } };
    let has_room = ty.shape.iter().all(|extent| extent.is_power_of_two());
    uses.all &= has_room && !ty.space.is_semaphore() && ty.barrier.is_none();
    for op in function.ops.iter().filter(|op| op.operands.contains(&value)) {
        let whole = op.attributes.index().is_some_and(|pattern| is_all(pattern, &ty.shape));
        let once = op.operands.iter().filter(|&&operand| operand == value).count() == 1;
        match op.op.kind {
            OpKind::Memory(kind @ (MemoryOp::Load | MemoryOp::Store | MemoryOp::Swap)) => {
                uses.read |= kind != MemoryOp::Store || op.attributes.flag("masked");
                uses.all &= whole && once && op.operands[0] == value && !op.attributes.flag("padded");
            }
            _ => uses = Uses { all: false, read: true },
        }
    }
    uses.all &= !function.regions.iter().any(|region| region.yields.contains(&value));
    uses
}

impl Lower<'_> {
    /// A Ref that is kept from here on.
    pub(crate) fn keep(&mut self, value: ValueId, content: Tile) -> usize {
        self.kept.push(content);
        self.bind(value, Bound::Kept(self.kept.len() - 1));
        self.kept.len() - 1
    }

    /// A Ref to memory that nobody wrote: kept as a tile if it can be, the block's own memory otherwise.
    pub(crate) fn allocate(&mut self, value: ValueId) -> Result<(), Refusal> {
        let function = self.function;
        let ty = function.ty(value).as_ref_type().ok_or_else(|| no("scratch memory is no Ref"))?;
        if ty.space.is_semaphore() || ty.barrier.is_some() {
            return Err(no("semaphores and barriers have no Tile IR").with_help("take the SIMT back end"));
        }
        let fresh = self.fresh(ty.dtype);
        if uses(function, value).all {
            let content = self.e.constant(ty.dtype, &ty.shape, fresh)?;
            self.keep(value, content);
            return Ok(());
        }
        match self.values.get(&value).cloned() {
            Some(Bound::View(view)) => self.fill(&view, fresh),
            _ => Err(no("scratch memory has no place")),
        }
    }

    /// An access to a Ref that is kept.
    pub(crate) fn access_kept(
        &mut self,
        op: &OpData,
        kind: MemoryOp,
        position: usize,
    ) -> Result<Option<Tile>, Refusal> {
        let content = self.kept[position].clone();
        let writes = kind != MemoryOp::Load;
        let rest: Vec<Tile> = op.operands[1..].iter().map(|&value| self.tile(value)).collect::<Result<_, _>>()?;
        let (value, rest) = rest.split_at(usize::from(writes));
        let e = &mut self.e;
        let mask = rest.first().filter(|_| op.attributes.flag("masked"));
        let other = rest.get(1).filter(|_| op.attributes.flag("other"));
        // As the subscript has it: without dimensions of one element that it picks.
        let pattern = op.attributes.index().ok_or_else(|| no("an access lacks its subscript"))?;
        let seen = pattern.result_shape(&pallas_tensor::Shape::scalar()).to_vec();
        let mut old = shape::reshaped(e, &content, &seen)?;
        if writes {
            let value = shape::spread(e, &value[0], &seen)?;
            let new = match mask {
                Some(mask) => {
                    let mask = shape::spread(e, mask, &seen)?;
                    crate::ops::arith::select(e, &mask, &value, &old)?
                }
                None => value.clone(),
            };
            if let (Some(mask), MemoryOp::Swap) = (mask, kind) {
                // Where masked off, a swap gives the new value.
                let mask = shape::spread(e, mask, &seen)?;
                old = crate::ops::arith::select(e, &mask, &old, &value)?;
            }
            let new = shape::reshaped(e, &new, &content.shape)?;
            self.kept[position] = Tile { known: None, multiple: None, ..new };
        } else if let (Some(mask), Some(other)) = (mask, other) {
            // As JAX: a mask without `other` leaves what is there.
            let mask = shape::spread(e, mask, &seen)?;
            let other = shape::spread(e, other, &seen)?;
            old = crate::ops::arith::select(e, &mask, &old, &other)?;
        }
        Ok((kind != MemoryOp::Store).then_some(old))
    }
}
