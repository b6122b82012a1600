//! Changes of dtype. Floats become integers as XLA has them: cut off, moved into what the dtype holds, 0 for NaN.

use super::{Results, arith, one};
use crate::emit::{Emitter, choice};
use crate::lower::Lower;
use crate::types::{Tile, element};
use crate::{Refusal, no};
use cutile_ir::bytecode::Opcode;
use pallas_ir::OpData;
use pallas_tensor::{DType, Kind, Scalar};

/// The same numbers in another dtype.
pub(crate) fn cast(e: &mut Emitter, x: &Tile, to: DType) -> Result<Tile, Refusal> {
    let from = x.dtype;
    if from == to {
        return Ok(x.clone());
    }
    if let (Some(known), false, true) = (x.known, to.is_float(), to.kind() != Kind::Bool) {
        return e.constant(to, &[], Scalar::Int(known.into()));
    }
    if element(from)? == element(to)? {
        // Integers have no sign there.
        return Ok(Tile { dtype: to, ..x.clone() });
    }
    if to == DType::Bool {
        let zero = e.like(x, 0.0)?;
        return arith::compare(e, "ne", x, &zero);
    }
    if from == DType::Bool && to.is_float() {
        let (one, zero) =
            (e.constant(to, &x.shape, Scalar::Float(1.0))?, e.constant(to, &x.shape, Scalar::Float(0.0))?);
        return arith::select(e, x, &one, &zero);
    }
    // By way of single precision, as hardware has it.
    if arith::is_small_float(from) && to != DType::F32 || arith::is_small_float(to) && from != DType::F32 {
        if from == DType::F64 {
            return e.tile(Opcode::FToF, &[x], vec![arith::nearest()], to, &x.shape);
        }
        let wide = cast(e, x, DType::F32)?;
        return cast(e, &wide, to);
    }
    match (from.is_float(), to.is_float()) {
        (true, true) => e.tile(Opcode::FToF, &[x], vec![arith::nearest()], to, &x.shape),
        (true, false) => to_integer(e, x, to),
        (false, true) => e.tile(Opcode::IToF, &[x], vec![arith::sign(from), arith::nearest()], to, &x.shape),
        (false, false) => {
            let width = if from == DType::Bool { 1 } else { from.bits() };
            match width > to.bits() {
                true => e.tile(Opcode::TruncI, &[x], vec![choice("overflow", 0)], to, &x.shape),
                false => e.tile(Opcode::ExtI, &[x], vec![arith::sign(from)], to, &x.shape),
            }
        }
    }
}

fn to_integer(e: &mut Emitter, x: &Tile, to: DType) -> Result<Tile, Refusal> {
    let info = to.iinfo().ok_or_else(|| no(format!("floats do not become {} in Tile IR", to.name())))?;
    let (low, high) = (info.min as f64, info.max as f64);
    // The largest float that the dtype holds: the largest integer has more digits than single precision.
    let digits = if x.dtype == DType::F32 { 24 } else { 53 };
    let bits = to.bits() - u32::from(to.kind() == Kind::Signed);
    let most = if bits > digits { 2f64.powi(bits as i32) - 2f64.powi((bits - digits) as i32) } else { high };
    let (bottom, top) = (e.like(x, low)?, e.like(x, most)?);
    let inside = arith::binary(e, "max", x, &bottom)?;
    let inside = arith::binary(e, "min", &inside, &top)?;
    let is_number = arith::compare(e, "eq", x, x)?;
    let zero = e.like(x, 0.0)?;
    let inside = arith::select(e, &is_number, &inside, &zero)?;
    let cut = e.tile(Opcode::FToI, &[&inside], vec![arith::sign(to), choice("rounding_mode", 6)], to, &x.shape)?;
    if most == high {
        return Ok(cut);
    }
    let beyond = e.like(x, 2f64.powi(bits as i32))?;
    let beyond = arith::compare(e, "ge", x, &beyond)?;
    let largest = e.constant(to, &x.shape, Scalar::Int(info.max))?;
    arith::select(e, &beyond, &largest, &cut)
}

/// The same bits as a dtype of the same width.
pub(crate) fn bits(e: &mut Emitter, x: &Tile, to: DType) -> Result<Tile, Refusal> {
    if element(x.dtype)? == element(to)? {
        return Ok(Tile { dtype: to, ..x.clone() });
    }
    if x.dtype.bits() != to.bits() || x.dtype == DType::Bool || to == DType::Bool {
        return Err(no(format!("the bits of {} as {} have no Tile IR", x.dtype.name(), to.name())));
    }
    e.tile(Opcode::Bitcast, &[x], vec![], to, &x.shape)
}

/// The family.
pub(super) fn lower(lower: &mut Lower<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    let Some(dtype) = op.attributes.dtype("dtype") else { return Ok(None) };
    match op.op.name {
        "convert_element_type" => {
            let x = lower.tile(op.operands[0])?;
            Ok(one(cast(&mut lower.e, &x, dtype)?))
        }
        "bitcast_convert_type" => {
            let x = lower.tile(op.operands[0])?;
            Ok(one(bits(&mut lower.e, &x, dtype)?))
        }
        _ => Ok(None),
    }
}
