//! Reductions and running sums: an axis at a time, by a function of two elements.

use super::{Results, arith, convert, one, shape};
use crate::emit::Emitter;
use crate::lower::Lower;
use crate::types::{Tile, element, tile};
use crate::{Refusal, no};
use cutile_ir::bytecode::Opcode;
use cutile_ir::ir::{Attribute, Type};
use pallas_ir::OpData;
use pallas_tensor::{DType, Kind, Scalar};

/// What folds two elements, by the IR's name.
const COMBINES: &[(&str, &str)] = &[
    ("reduce_sum", "add"),
    ("reduce_prod", "mul"),
    ("reduce_max", "max"),
    ("reduce_min", "min"),
    ("reduce_and", "and"),
    ("reduce_or", "or"),
    ("reduce_xor", "xor"),
    ("cumsum", "add"),
    ("cumprod", "mul"),
    ("cummax", "max"),
    ("cummin", "min"),
];

/// What changes nothing.
fn identity(combine: &str, dtype: DType) -> Scalar {
    let end = |low: bool| match dtype.kind() {
        Kind::Bool => Scalar::Bool(!low),
        Kind::Float => Scalar::Float(if low { f64::NEG_INFINITY } else { f64::INFINITY }),
        _ => Scalar::Int(dtype.iinfo().map_or(0, |info| if low { info.min } else { info.max })),
    };
    match combine {
        "max" => end(true),
        "min" => end(false),
        "mul" if dtype.is_float() => Scalar::Float(1.0),
        "mul" => Scalar::Int(1),
        "and" if dtype == DType::Bool => Scalar::Bool(true),
        "and" => Scalar::Int(if dtype.is_signed() { -1 } else { dtype.iinfo().map_or(0, |info| info.max) }),
        _ => Scalar::zero(dtype),
    }
}

/// An identity as an attribute: bits of integers have no sign.
fn attribute(dtype: DType, value: Scalar) -> Result<Attribute, Refusal> {
    let scalar = element(dtype)?;
    Ok(match (dtype.kind(), value) {
        (Kind::Bool, value) => Attribute::Bool(value.as_bool() == Some(true)),
        (Kind::Float, value) => Attribute::Float(value.as_f64().unwrap_or(0.0), Type::Scalar(scalar)),
        (_, value) => {
            let bits = dtype.bits().min(64);
            let value = value.as_int().unwrap_or(0) & ((1i128 << bits) - 1);
            Attribute::Integer(value as u64 as i64, Type::Scalar(scalar))
        }
    })
}

/// `reduce` or `scan` of several tiles of one shape: `combine` gets two elements of each, and says what becomes of them.
fn folded(
    e: &mut Emitter,
    opcode: Opcode,
    mut attributes: Vec<crate::emit::Attr>,
    operands: &[Tile],
    identities: &[Scalar],
    shape: &[usize],
    combine: impl Fn(&mut Emitter, &[Tile], &[Tile]) -> Result<Vec<Tile>, Refusal>,
) -> Result<Vec<Tile>, Refusal> {
    let mut params = Vec::new();
    let mut results = Vec::new();
    let mut neutral = Vec::new();
    for (operand, &value) in operands.iter().zip(identities) {
        let scalar = element(operand.dtype)?;
        params.extend([tile(scalar, &[]), tile(scalar, &[])]);
        results.push(tile(scalar, shape));
        neutral.push(attribute(operand.dtype, value)?);
    }
    attributes.push(("identities", Attribute::Array(neutral)));
    let values = e.begin(&params);
    let side = |offset: usize| -> Vec<Tile> {
        let pairs = operands.iter().zip(values.iter().skip(offset).step_by(2));
        pairs.map(|(operand, &value)| Tile::new(value, operand.dtype, &[])).collect()
    };
    let combined = combine(e, &side(0), &side(1))?;
    let combined: Vec<_> = combined.iter().map(|tile| tile.value).collect();
    let region = e.end(Opcode::Yield, &combined);
    let operands_in: Vec<_> = operands.iter().map(|tile| tile.value).collect();
    let values = e.control(opcode, &operands_in, attributes, &results, vec![region]);
    let tiles = operands.iter().zip(values);
    Ok(tiles.map(|(operand, value)| Tile::new(value, operand.dtype, shape)).collect())
}

/// Folds axes, the last first.
pub(crate) fn reduced(e: &mut Emitter, combine: &str, x: &Tile, axes: &[usize]) -> Result<Tile, Refusal> {
    let mut axes = axes.to_vec();
    axes.sort_unstable();
    let dtype = x.dtype;
    // Sums of short floats are taken in single precision.
    let wide = arith::is_small_float(dtype);
    let mut x = if wide { convert::cast(e, x, DType::F32)? } else { x.clone() };
    while let Some(axis) = axes.pop() {
        let mut extents = x.shape.clone();
        extents.remove(axis);
        let neutral = identity(combine, x.dtype);
        let dim = vec![("dim", Attribute::i32(axis as i64))];
        let operands = std::slice::from_ref(&x);
        let results = folded(e, Opcode::Reduce, dim, operands, &[neutral], &extents, |e, a, b| {
            Ok(vec![arith::binary(e, combine, &a[0], &b[0])?])
        })?;
        x = results.into_iter().next().unwrap_or(x);
    }
    if wide { convert::cast(e, &x, dtype) } else { Ok(x) }
}

fn running(e: &mut Emitter, combine: &str, x: &Tile, axis: usize, reverse: bool) -> Result<Tile, Refusal> {
    let dtype = x.dtype;
    let wide = arith::is_small_float(dtype);
    let x = if wide { convert::cast(e, x, DType::F32)? } else { x.clone() };
    let attributes = vec![("dim", Attribute::i32(axis as i64)), ("reverse", Attribute::Bool(reverse))];
    let neutral = identity(combine, x.dtype);
    let operands = std::slice::from_ref(&x);
    let results = folded(e, Opcode::Scan, attributes, operands, &[neutral], &x.shape, |e, a, b| {
        Ok(vec![arith::binary(e, combine, &a[0], &b[0])?])
    })?;
    let x = results.into_iter().next().unwrap_or(x);
    if wide { convert::cast(e, &x, dtype) } else { Ok(x) }
}

/// The place of the first largest (or smallest) element, by pairs of values and positions. The first NaN is both.
fn place_of(e: &mut Emitter, x: &Tile, axis: usize, largest: bool) -> Result<Tile, Refusal> {
    let x = if arith::is_small_float(x.dtype) || x.dtype == DType::Bool {
        convert::cast(e, x, if x.dtype == DType::Bool { DType::U8 } else { DType::F32 })?
    } else {
        x.clone()
    };
    let places = shape::range(e, x.shape[axis])?;
    let places = shape::aligned(e, &places, axis, &x.shape)?;
    let mut extents = x.shape.clone();
    extents.remove(axis);
    let combine = if largest { "max" } else { "min" };
    let neutral = [identity(combine, x.dtype), Scalar::Int(i128::from(i32::MAX))];
    let attributes = vec![("dim", Attribute::i32(axis as i64))];
    let operands = [x.clone(), places];
    let results = folded(e, Opcode::Reduce, attributes, &operands, &neutral, &extents, |e, a, b| {
        let wins = |e: &mut Emitter, a: &Tile, b: &Tile| -> Result<Tile, Refusal> {
            let more = arith::compare(e, if largest { "gt" } else { "lt" }, a, b)?;
            if !x.dtype.is_float() {
                return Ok(more);
            }
            // NaN is more than anything else.
            let (no_number, number) = (arith::compare(e, "ne", a, a)?, arith::compare(e, "eq", b, b)?);
            let above = arith::binary(e, "and", &no_number, &number)?;
            arith::binary(e, "or", &more, &above)
        };
        let (mine, theirs) = (wins(e, &a[0], &b[0])?, wins(e, &b[0], &a[0])?);
        let first = arith::binary(e, "min", &a[1], &b[1])?;
        let place = arith::select(e, &theirs, &b[1], &first)?;
        let place = arith::select(e, &mine, &a[1], &place)?;
        let value = arith::select(e, &theirs, &b[0], &a[0])?;
        Ok(vec![value, place])
    })?;
    results.into_iter().nth(1).ok_or_else(|| no("a reduction gives nothing"))
}

/// The family.
pub(super) fn lower(lower: &mut Lower<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    let name = op.op.name;
    let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok()).unwrap_or(0);
    if let "argmax" | "argmin" = name {
        let x = lower.tile(op.operands[0])?;
        let place = place_of(&mut lower.e, &x, axis, name == "argmax")?;
        let dtype = op.attributes.dtype("dtype").unwrap_or(DType::I32);
        return Ok(one(convert::cast(&mut lower.e, &place, dtype)?));
    }
    let Some((_, combine)) = COMBINES.iter().find(|(reduction, _)| *reduction == name) else { return Ok(None) };
    let x = lower.tile(op.operands[0])?;
    if name.starts_with("cum") {
        return Ok(one(running(&mut lower.e, combine, &x, axis, op.attributes.flag("reverse"))?));
    }
    let axes = op.attributes.ints("axes").unwrap_or_default();
    let axes: Vec<usize> = axes.iter().filter_map(|&axis| usize::try_from(axis).ok()).collect();
    Ok(one(reduced(&mut lower.e, combine, &x, &axes)?))
}
