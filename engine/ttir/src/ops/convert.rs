//! Changes of dtype. Floats become integers as XLA has them: clamped to what the dtype holds.

use super::{Results, arith, one};
use crate::Refusal;
use crate::emit::Emitter;
use crate::lower::Lowering;
use crate::types::{Tile, element, shaped};
use pallas_ir::OpData;
use pallas_tensor::{DType, Kind, Scalar};

/// The same numbers in another dtype. `signed` says how an integer that grows is continued.
pub(crate) fn cast(emitter: &mut Emitter, x: &Tile, to: DType, signed: bool) -> Result<Tile, Refusal> {
    let (from, target) = (x.dtype, element(to)?);
    if element(from)? == target {
        // Triton's integers have no sign.
        return Ok(Tile { dtype: to, ..x.clone() });
    }
    if let (Some(known), true) = (x.known, to.is_integer()) {
        return emitter.constant(to, &[], Scalar::Int(known.into()));
    }
    if matches!(from, DType::F16 | DType::BF16) && to != DType::F32 {
        let wide = written(emitter, x, DType::F32, "arith.extf")?;
        return cast(emitter, &wide, to, signed);
    }
    match (from.is_float(), to.is_float()) {
        (true, true) => {
            if from.bits() == 8 || to.bits() == 8 {
                let rounding = if from.bits() > 8 { ", rounding = rtne" } else { "" };
                let ty = shaped(target, &x.shape);
                return emitter.value(to, &x.shape, &format!("tt.fp_to_fp {}{rounding} : {} -> {ty}", x.name, x.ty()));
            }
            written(emitter, x, to, if from.bits() > to.bits() { "arith.truncf" } else { "arith.extf" })
        }
        (true, false) => to_integer(emitter, x, to),
        (false, true) => {
            let signed = signed && from.kind() == Kind::Signed;
            written(emitter, x, to, if signed { "arith.sitofp" } else { "arith.uitofp" })
        }
        (false, false) => {
            if to == DType::Bool {
                let zero = emitter.number(x, 0)?;
                return arith::compare(emitter, "ne", x, &zero);
            }
            let (width, wanted) = (if from == DType::Bool { 1 } else { from.bits() }, to.bits());
            let word = match width > wanted {
                true => "arith.trunci",
                false if signed && from.kind() == Kind::Signed => "arith.extsi",
                false => "arith.extui",
            };
            written(emitter, x, to, word)
        }
    }
}

fn to_integer(emitter: &mut Emitter, x: &Tile, to: DType) -> Result<Tile, Refusal> {
    if x.dtype.bits() == 8 {
        return Err(Refusal::new(format!(
            "Triton cannot convert {} to {}: convert to float32 first",
            x.dtype.name(),
            to.name()
        )));
    }
    if to == DType::Bool {
        let zero = emitter.number(x, 0)?;
        return arith::compare(emitter, "ne", x, &zero);
    }
    let bits = to.bits();
    let signed = to.kind() == Kind::Signed;
    let (low, high) = if signed {
        (-(2_f64.powi(bits as i32 - 1)), 2_i128.pow(bits - 1) as f64)
    } else {
        (0.0, 2_i128.pow(bits) as f64)
    };
    // The largest integer, in the float's precision: for single precision the same as one more.
    let most = if bits < 53 { high - 1.0 } else { high };
    let most = if x.dtype == DType::F32 { f64::from(most as f32) } else { most };
    let high = emitter.constant(x.dtype, &x.shape, Scalar::Float(most))?;
    let low = emitter.constant(x.dtype, &x.shape, Scalar::Float(low))?;
    let clamped = arith::plain(emitter, "arith.minimumf", x, &high)?;
    let clamped = arith::plain(emitter, "arith.maximumf", &clamped, &low)?;
    written(emitter, &clamped, to, if signed { "arith.fptosi" } else { "arith.fptoui" })
}

/// `word x : type to type`
fn written(emitter: &mut Emitter, x: &Tile, to: DType, word: &str) -> Result<Tile, Refusal> {
    let ty = shaped(element(to)?, &x.shape);
    emitter.value(to, &x.shape, &format!("{word} {} : {} to {ty}", x.name, x.ty()))
}

/// The same bits as a dtype of the same width.
pub(crate) fn bits(emitter: &mut Emitter, x: &Tile, to: DType) -> Result<Tile, Refusal> {
    if x.element() == element(to)? {
        return Ok(Tile { dtype: to, ..x.clone() });
    }
    if x.dtype.bits() != to.bits() {
        return Err(Refusal::new(format!(
            "cannot cast {} to {} because of different widths",
            x.dtype.name(),
            to.name()
        )));
    }
    let ty = shaped(element(to)?, &x.shape);
    emitter.value(to, &x.shape, &format!("tt.bitcast {} : {} -> {ty}", x.name, x.ty()))
}

/// The family.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    let Some(dtype) = op.attributes.dtype("dtype") else { return Ok(None) };
    match op.op.name {
        "convert_element_type" => {
            let x = lowering.tile(op.operands[0])?;
            Ok(one(cast(lowering.emitter, &x, dtype, true)?))
        }
        "bitcast_convert_type" => {
            let x = lowering.tile(op.operands[0])?;
            Ok(one(bits(lowering.emitter, &x, dtype)?))
        }
        _ => Ok(None),
    }
}
