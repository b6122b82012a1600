//! Elementary functions of one or two tiles that Tile IR has. Short floats are computed in single precision, as interpret mode
//! does it.

use super::{Results, arith, convert, one};
use crate::emit::{Attr, Emitter, choice};
use crate::lower::Lower;
use crate::types::Tile;
use crate::{Refusal, no};
use cutile_ir::bytecode::Opcode;
use pallas_ir::OpData;
use pallas_tensor::{DType, Kind, Scalar};

/// Functions of floats by the IR's name.
const TABLE: &[(&str, Opcode)] = &[
    ("ceil", Opcode::Ceil),
    ("floor", Opcode::Floor),
    ("exp", Opcode::Exp),
    ("exp2", Opcode::Exp2),
    ("log", Opcode::Log),
    ("sqrt", Opcode::Sqrt),
    ("rsqrt", Opcode::Rsqrt),
    ("sin", Opcode::Sin),
    ("cos", Opcode::Cos),
    ("tan", Opcode::Tan),
    ("sinh", Opcode::SinH),
    ("cosh", Opcode::CosH),
    ("tanh", Opcode::TanH),
    ("atan2", Opcode::Atan2),
    ("pow", Opcode::Pow),
];

fn attributes(opcode: Opcode) -> Vec<Attr> {
    match opcode {
        // All digits, rather than those that are fast.
        Opcode::Exp | Opcode::TanH => vec![choice("rounding_mode", 5)],
        Opcode::Sqrt => vec![arith::nearest()],
        _ => vec![],
    }
}

/// A row of the table by its name.
pub(crate) fn function(e: &mut Emitter, name: &str, operands: &[&Tile]) -> Result<Tile, Refusal> {
    let Some(&(_, opcode)) = TABLE.iter().find(|row| row.0 == name) else {
        return Err(no(format!("`{name}` has no Tile IR")));
    };
    let dtype = operands[0].dtype;
    if !dtype.is_float() {
        return Err(no(format!("`{name}` of {} has no Tile IR", dtype.name())));
    }
    let wide = if arith::is_small_float(dtype) { DType::F32 } else { dtype };
    let mut tiles = Vec::new();
    for &operand in operands {
        let operand = convert::cast(e, operand, wide)?;
        tiles.push(super::shape::spread(e, &operand, &operands[0].shape)?);
    }
    let tiles: Vec<&Tile> = tiles.iter().collect();
    let result = e.tile(opcode, &tiles, attributes(opcode), wide, &operands[0].shape)?;
    convert::cast(e, &result, dtype)
}

/// The absolute value.
pub(crate) fn abs(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    match x.dtype.kind() {
        Kind::Unsigned | Kind::Bool => Ok(x.clone()),
        Kind::Signed => e.tile(Opcode::AbsI, &[x], vec![], x.dtype, &x.shape),
        _ if x.dtype.bits() == 8 => {
            let wide = convert::cast(e, x, DType::F32)?;
            let result = e.tile(Opcode::AbsF, &[&wide], vec![], DType::F32, &x.shape)?;
            convert::cast(e, &result, x.dtype)
        }
        _ => e.tile(Opcode::AbsF, &[x], vec![], x.dtype, &x.shape),
    }
}

/// `-x`
pub(crate) fn negated(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    if x.dtype.is_float() && x.dtype.bits() > 8 {
        return e.tile(Opcode::NegF, &[x], vec![], x.dtype, &x.shape);
    }
    let zero = e.constant(x.dtype, &x.shape, Scalar::zero(x.dtype))?;
    arith::binary(e, "sub", &zero, x)
}

/// The family.
pub(super) fn lower(lower: &mut Lower<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    let name = op.op.name;
    let is_row = TABLE.iter().any(|row| row.0 == name);
    if !is_row && !matches!(name, "abs" | "neg") {
        return Ok(None);
    }
    let tiles = lower.tiles(op)?;
    let e = &mut lower.e;
    let tile = match name {
        "abs" => abs(e, &tiles[0])?,
        "neg" => negated(e, &tiles[0])?,
        _ => function(e, name, &tiles.iter().collect::<Vec<_>>())?,
    };
    Ok(one(tile))
}
