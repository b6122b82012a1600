//! Memory of a GPU's block: what an operand of a copy or a product is all or part of, whether it is transposed, and how it is
//! laid out. What is seen in another shape or dtype is not followed.

use crate::walk::{Source, Sources};
use pallas_ir::op::MemoryOp;
use pallas_ir::{Function, OpKind, RefType, Transform, ValueId};
use pallas_tensor::DType;
use smallvec::SmallVec;

/// An allocation or operand that a Ref belongs to.
pub(crate) struct Whole<'a> {
    /// Its type, with its layout.
    pub(crate) ty: &'a RefType,
    /// Whether the last two dimensions have changed places on the way.
    pub(crate) is_transposed: bool,
}

/// Follows a Ref to where it begins; `None` where it is seen in another way.
pub(crate) fn whole<'a>(function: &'a Function, sources: &Sources, reference: ValueId) -> Option<Whole<'a>> {
    let (mut value, mut is_transposed) = (reference, false);
    // Views form a chain no longer than there are ops.
    for _ in 0..=function.ops.len() {
        let Source::Result(id, _) = sources.of(value) else {
            return Some(Whole { ty: function.ty(value).as_ref_type()?, is_transposed });
        };
        let op = function.op(id);
        match op.op.kind {
            OpKind::Memory(MemoryOp::View) => {}
            OpKind::Memory(MemoryOp::Reinterpret) => match op.attributes.ints("permutation") {
                Some([1, 0]) => is_transposed = !is_transposed,
                _ => return None,
            },
            _ => return None,
        }
        value = *op.operands.first()?;
    }
    None
}

/// Bytes that are exchanged within a row, where the layout says so.
pub(crate) fn swizzle(layout: &[Transform]) -> Option<usize> {
    layout.iter().find_map(|step| match step {
        Transform::Swizzled(bytes) => Some(*bytes),
        Transform::Tiled(_) => None,
    })
}

/// Elements in so many bytes.
pub(crate) fn elements(bytes: usize, dtype: DType) -> usize {
    bytes * 8 / (dtype.bits() as usize).max(1)
}

/// Why a layout does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// A dimension is no multiple of its tile.
    Tile {
        /// The dimension, of the shape that is tiled.
        axis: usize,
        /// How long it is.
        extent: usize,
        /// The tile.
        tile: usize,
    },
    /// The last dimension has not as many elements as the swizzle wants.
    Row {
        /// How long it is.
        extent: usize,
        /// What is wanted.
        wanted: usize,
        /// Bytes.
        swizzle: usize,
    },
}

/// The shape that memory has after a layout: tiles are dimensions of their own. `TilingTransform.transform_type` and
/// `SwizzleTransform.transform_type` of jax/_src/pallas/mosaic_gpu/core.py.
pub(crate) fn laid_out(shape: &[usize], dtype: DType, layout: &[Transform]) -> Result<SmallVec<[usize; 6]>, Misfit> {
    let mut shape: SmallVec<[usize; 6]> = shape.into();
    for step in layout {
        match step {
            Transform::Tiled(tiles) => {
                // Of a shape that has fewer dimensions JAX looks at the first tiles only; nothing is said of it.
                let Some(first) = shape.len().checked_sub(tiles.len()) else { continue };
                for (axis, &tile) in (first..).zip(tiles) {
                    if tile == 0 || !shape[axis].is_multiple_of(tile) {
                        return Err(Misfit::Tile { axis, extent: shape[axis], tile });
                    }
                    shape[axis] /= tile;
                }
                shape.extend(tiles.iter().copied());
            }
            Transform::Swizzled(bytes) => {
                let wanted = elements(*bytes, dtype);
                if let Some(&extent) = shape.last().filter(|&&extent| extent != wanted) {
                    return Err(Misfit::Row { extent, wanted, swizzle: *bytes });
                }
            }
        }
    }
    Ok(shape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smallvec::smallvec;

    fn tiled(tiles: &[usize]) -> Transform {
        Transform::Tiled(tiles.into())
    }

    #[test]
    fn layouts_as_jax_has_them() {
        let layout = [tiled(&[8, 64]), Transform::Swizzled(128)];
        let all: SmallVec<[usize; 6]> = smallvec![2, 8, 1, 8, 64];
        assert_eq!(laid_out(&[2, 64, 64], DType::F16, &layout), Ok(all));
        let tile = Misfit::Tile { axis: 0, extent: 60, tile: 8 };
        assert_eq!(laid_out(&[60, 64], DType::F16, &layout), Err(tile));
        let row = Misfit::Row { extent: 64, wanted: 32, swizzle: 128 };
        assert_eq!(laid_out(&[64, 64], DType::F32, &layout), Err(row));
        assert_eq!(laid_out(&[64], DType::F32, &[tiled(&[8, 64])]).map(|shape| shape.len()), Ok(1));
        assert_eq!(swizzle(&layout), Some(128));
    }
}
