//! `dot_general`: products of two matrices on tensor cores.

use super::{Results, convert, one, shape};
use crate::Refusal;
use crate::lower::Lowering;
use pallas_ir::OpData;
use pallas_tensor::{DType, Kind};

/// The family.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    if op.op.name != "dot_general" {
        return Ok(None);
    }
    let tiles = lowering.tiles(op)?;
    let result = op.results.first().map_or(DType::F32, |&value| lowering.function.ty(value).dtype());
    let emitter = &mut *lowering.emitter;
    let (mut a, mut b) = (tiles[0].clone(), tiles[1].clone());
    for tile in [&a, &b] {
        if tile.dtype.kind() == Kind::Unsigned {
            return Err(Refusal::new(format!(
                "unsigned integers ({}) have no products in the Triton lowering, which takes all integers for signed: cast first",
                tile.dtype.name()
            )));
        }
    }
    let contracting = match op.attributes.int_lists("contracting") {
        Some([left, right]) if left.len() == 1 && right.len() == 1 => (left[0], right[0]),
        _ => return Err(Refusal::new("Triton sums products over one dimension")),
    };
    let batched = op.attributes.int_lists("batch").is_some_and(|sides| sides.iter().any(|axes| !axes.is_empty()));
    if batched || a.shape.len() != 2 || b.shape.len() != 2 {
        return Err(Refusal::new(format!(
            "a and b must be 2D, without batch dimensions, but got {} and {}: loop over the others",
            pallas_tensor::Shape::from(a.shape.as_slice()),
            pallas_tensor::Shape::from(b.shape.as_slice())
        )));
    }
    if a.element() != b.element() {
        return Err(Refusal::new(format!(
            "a and b must have the same element type, but got: {} and {}",
            a.dtype.name(),
            b.dtype.name()
        )));
    }
    if contracting.0 == 0 {
        a = shape::transposed(emitter, &a, &[1, 0])?;
    }
    if contracting.1 == 1 {
        b = shape::transposed(emitter, &b, &[1, 0])?;
    }
    let precision = match op.attributes.str("precision") {
        None | Some("default" | "high" | "DEFAULT" | "TF32_TF32_F32") => ", inputPrecision = tf32",
        Some("highest" | "F32_F32_F32") => "",
        Some("TF32_TF32_F32_X3") => ", inputPrecision = tf32x3",
        Some(other) => {
            return Err(Refusal::new(format!("the dot algorithm {other} is not supported in the Triton lowering")));
        }
    };
    let accumulator = match result {
        DType::I32 | DType::F16 | DType::F64 => result,
        _ => DType::F32,
    };
    let extents = [a.shape[0], b.shape[1]];
    let zero = emitter.constant(accumulator, &extents, pallas_tensor::Scalar::Int(0))?;
    let text =
        format!("tt.dot {}, {}, {}{precision} : {} * {} -> {}", a.name, b.name, zero.name, a.ty(), b.ty(), zero.ty());
    let product = emitter.value(accumulator, &extents, &text)?;
    Ok(one(convert::cast(emitter, &product, result, true)?))
}
