//! Ops that Triton has not, said with those that it has.

use super::{Results, arith, convert, math, one};
use crate::Refusal;
use crate::emit::Emitter;
use crate::lower::Lowering;
use crate::types::Tile;
use pallas_ir::OpData;
use pallas_tensor::{DType, Kind, Scalar};

/// `0 - x`
pub(crate) fn negated(emitter: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let zero = emitter.number(x, 0)?;
    arith::binary(emitter, "sub", &zero, x)
}

/// All bits turned.
fn complement(emitter: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let ones = emitter.number(x, if x.dtype == DType::Bool { 1 } else { -1 })?;
    arith::binary(emitter, "xor", x, &ones)
}

fn sign(emitter: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let zero = emitter.number(x, 0)?;
    if x.dtype.kind() == Kind::Unsigned {
        let some = arith::compare(emitter, "ne", x, &zero)?;
        return convert::cast(emitter, &some, x.dtype, false);
    }
    let above = arith::compare(emitter, "gt", x, &zero)?;
    let above = convert::cast(emitter, &above, x.dtype, false)?;
    let below = arith::compare(emitter, "lt", x, &zero)?;
    let below = convert::cast(emitter, &below, x.dtype, false)?;
    let sign = arith::binary(emitter, "sub", &above, &below)?;
    if !x.dtype.is_float() {
        return Ok(sign);
    }
    let no_number = arith::compare(emitter, "ne", x, x)?;
    let nan = emitter.constant(x.dtype, &x.shape, Scalar::Float(f64::NAN))?;
    arith::select(emitter, &no_number, &nan, &sign)
}

fn logistic(emitter: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let negative = negated(emitter, x)?;
    let power = math::function(emitter, "exp", &[negative])?;
    let one = emitter.number(x, 1)?;
    let below = arith::binary(emitter, "add", &power, &one)?;
    arith::binary(emitter, "div", &one, &below)
}

fn is_finite(emitter: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let nan = arith::compare(emitter, "ne", x, x)?;
    let number = complement(emitter, &nan)?;
    let size = math::abs(emitter, x)?;
    let endless = emitter.constant(x.dtype, &x.shape, Scalar::Float(f64::INFINITY))?;
    let infinite = arith::compare(emitter, "eq", &size, &endless)?;
    let finite = complement(emitter, &infinite)?;
    arith::binary(emitter, "and", &number, &finite)
}

/// Repeated squares.
fn integer_power(emitter: &mut Emitter, x: &Tile, by: i64) -> Result<Tile, Refusal> {
    let mut left = by.unsigned_abs();
    let mut square = x.clone();
    let mut product: Option<Tile> = None;
    while left > 0 {
        if left % 2 == 1 {
            product = Some(match product {
                None => square.clone(),
                Some(product) => arith::binary(emitter, "mul", &product, &square)?,
            });
        }
        left /= 2;
        if left > 0 {
            square = arith::binary(emitter, "mul", &square, &square)?;
        }
    }
    let one = emitter.number(x, 1)?;
    match product {
        None => Ok(one),
        Some(product) if by < 0 => arith::binary(emitter, "div", &one, &product),
        Some(product) => Ok(product),
    }
}

/// The family.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    const NAMES: &[&str] =
        &["neg", "not", "sign", "logistic", "is_finite", "square", "integer_pow", "clamp", "stop_gradient"];
    if !NAMES.contains(&op.op.name) {
        return Ok(None);
    }
    let tiles = lowering.tiles(op)?;
    let emitter = &mut *lowering.emitter;
    let x = &tiles[0];
    Ok(one(match op.op.name {
        "neg" => negated(emitter, x)?,
        "not" => complement(emitter, x)?,
        "sign" => sign(emitter, x)?,
        "logistic" => logistic(emitter, x)?,
        "is_finite" => is_finite(emitter, x)?,
        "square" => arith::binary(emitter, "mul", x, x)?,
        "integer_pow" => integer_power(emitter, x, op.attributes.int("y").unwrap_or(1))?,
        "clamp" => {
            let low = arith::binary(emitter, "max", &tiles[0], &tiles[1])?;
            arith::binary(emitter, "min", &low, &tiles[2])?
        }
        _ => x.clone(),
    }))
}
