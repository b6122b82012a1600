//! Elementwise functions of two tiles: sums, products, bits, comparisons, extremes, and the choice between two tiles. What the
//! hardware leaves undefined, division by zero and shifts by too much, is as interpret mode has it.

use super::{Results, convert, one, shape};
use crate::emit::{Attr, Emitter, choice};
use crate::lower::{Bound, Lower};
use crate::types::Tile;
use crate::{Refusal, no};
use cutile_ir::bytecode::Opcode;
use cutile_ir::ir::Attribute;
use pallas_ir::OpData;
use pallas_tensor::{DType, Kind, Scalar};

/// An op by the IR's name: for integers, and for floats.
struct Row {
    name: &'static str,
    integer: Option<Opcode>,
    float: Option<Opcode>,
    /// Which attributes the op for integers has.
    with: With,
}

/// Attributes of an op for integers.
#[derive(Clone, Copy, PartialEq)]
enum With {
    Nothing,
    Overflow,
    Sign,
    /// Whatever the dtype.
    Signed,
    Unsigned,
    Division,
}

const fn row(name: &'static str, integer: Opcode, with: With, float: Option<Opcode>) -> Row {
    Row { name, integer: Some(integer), float, with }
}

const BINARY: &[Row] = &[
    row("add", Opcode::AddI, With::Overflow, Some(Opcode::AddF)),
    row("sub", Opcode::SubI, With::Overflow, Some(Opcode::SubF)),
    row("mul", Opcode::MulI, With::Overflow, Some(Opcode::MulF)),
    row("div", Opcode::DivI, With::Division, Some(Opcode::DivF)),
    row("rem", Opcode::RemI, With::Sign, Some(Opcode::RemF)),
    row("and", Opcode::AndI, With::Nothing, None),
    row("or", Opcode::OrI, With::Nothing, None),
    row("xor", Opcode::XOrI, With::Nothing, None),
    row("shift_left", Opcode::ShLI, With::Overflow, None),
    row("shift_right_arithmetic", Opcode::ShRI, With::Signed, None),
    row("shift_right_logical", Opcode::ShRI, With::Unsigned, None),
    row("max", Opcode::MaxI, With::Sign, Some(Opcode::MaxF)),
    row("min", Opcode::MinI, With::Sign, Some(Opcode::MinF)),
];

/// Comparisons by the IR's name, with their numbers.
const COMPARE: &[(&str, i64)] = &[("eq", 0), ("ne", 1), ("lt", 2), ("le", 3), ("gt", 4), ("ge", 5)];

pub(crate) fn sign(dtype: DType) -> Attr {
    choice("signedness", i64::from(dtype.kind() == Kind::Signed))
}

/// To the nearest, halves to even.
pub(crate) fn nearest() -> Attr {
    choice("rounding_mode", 0)
}

/// Two tiles with the shape that one of them has.
fn together(e: &mut Emitter, x: &Tile, y: &Tile) -> Result<(Tile, Tile), Refusal> {
    let target = if x.is_scalar() { y.shape.clone() } else { x.shape.clone() };
    Ok((shape::spread(e, x, &target)?, shape::spread(e, y, &target)?))
}

/// Whether arithmetic of a dtype is done in single precision.
pub(crate) fn is_small_float(dtype: DType) -> bool {
    dtype.is_float() && dtype.bits() < 32
}

/// One of the binary ops by the IR's name.
pub(crate) fn binary(e: &mut Emitter, name: &str, x: &Tile, y: &Tile) -> Result<Tile, Refusal> {
    if let (Some(a), Some(b)) = (x.known, y.known)
        && x.dtype == DType::I32
        && let Some(known) = folded(name, a, b)
    {
        return e.index(known);
    }
    let (x, y) = together(e, x, y)?;
    let dtype = x.dtype;
    if dtype.bits() == 8 && dtype.is_float()
        || name == "div" && is_small_float(dtype)
        || name == "rem" && is_small_float(dtype)
    {
        let (x, y) = (convert::cast(e, &x, DType::F32)?, convert::cast(e, &y, DType::F32)?);
        let result = binary(e, name, &x, &y)?;
        return convert::cast(e, &result, dtype);
    }
    if dtype == DType::Bool {
        let name = match name {
            "max" | "or" => "or",
            "min" | "mul" | "and" => "and",
            "xor" => "xor",
            _ => return Err(no(format!("`{name}` of bools has no Tile IR"))),
        };
        return plain(e, name, &x, &y);
    }
    match name {
        "div" | "rem" if !dtype.is_float() && y.known.is_none_or(|y| y == 0 || y == -1) => divided(e, name, &x, &y),
        "shift_left" | "shift_right_arithmetic" | "shift_right_logical"
            if y.known.is_none_or(|by| by < 0 || by >= i64::from(dtype.bits())) =>
        {
            shifted(e, name, &x, &y)
        }
        "mul" => {
            let product = plain(e, name, &x, &y)?;
            let multiple = match (x.known, y.known) {
                (None, Some(by)) if by > 0 => Some(multiple(&x, by)),
                (Some(by), None) if by > 0 => Some(multiple(&y, by)),
                _ => None,
            };
            Ok(Tile { multiple: multiple.filter(|_| dtype == DType::I32 && product.is_scalar()), ..product })
        }
        _ => plain(e, name, &x, &y),
    }
}

fn multiple(of: &Tile, by: i64) -> (cutile_ir::ir::Value, i64) {
    match of.multiple {
        Some((of, factor)) if factor.checked_mul(by).is_some_and(|product| product < 1 << 31) => (of, factor * by),
        _ => (of.value, by),
    }
}

/// What an op of known numbers gives, if it fits.
fn folded(name: &str, a: i64, b: i64) -> Option<i64> {
    let result = match name {
        "add" => a.checked_add(b)?,
        "sub" => a.checked_sub(b)?,
        "mul" => a.checked_mul(b)?,
        "div" if b != 0 => a / b,
        "rem" if b != 0 => a % b,
        "max" => a.max(b),
        "min" => a.min(b),
        _ => return None,
    };
    i32::try_from(result).ok().map(i64::from)
}

/// One op of two tiles of one type.
fn plain(e: &mut Emitter, name: &str, x: &Tile, y: &Tile) -> Result<Tile, Refusal> {
    let row = BINARY.iter().find(|row| row.name == name);
    let opcode = row.and_then(|row| if x.dtype.is_float() { row.float } else { row.integer });
    let (Some(row), Some(opcode)) = (row, opcode) else {
        return Err(no(format!("`{name}` of {} has no Tile IR", x.dtype.name())));
    };
    let attributes = match row.with {
        _ if matches!(opcode, Opcode::MaxF | Opcode::MinF) => vec![("propagate_nan", Attribute::Bool(true))],
        _ if opcode == Opcode::RemF => vec![],
        _ if x.dtype.is_float() => vec![nearest()],
        With::Nothing => vec![],
        With::Overflow => vec![choice("overflow", 0)],
        With::Sign => vec![sign(x.dtype)],
        With::Signed => vec![choice("signedness", 1)],
        With::Unsigned => vec![choice("signedness", 0)],
        // Towards zero.
        With::Division => vec![sign(x.dtype), choice("rounding", 1)],
    };
    e.tile(opcode, &[x, y], attributes, x.dtype, &x.shape)
}

/// Integers divided: by 0 the quotient is -1 and the remainder what is divided; what overflows wraps around.
fn divided(e: &mut Emitter, name: &str, x: &Tile, y: &Tile) -> Result<Tile, Refusal> {
    let (zero, one) = (e.like(y, 0.0)?, e.like(y, 1.0)?);
    let by_zero = compare(e, "eq", y, &zero)?;
    let mut safe = select(e, &by_zero, &one, y)?;
    let mut by_minus_one = None;
    let minus_one = if x.dtype.kind() == Kind::Signed {
        let minus_one = e.like(y, -1.0)?;
        let is = compare(e, "eq", y, &minus_one)?;
        safe = select(e, &is, &one, &safe)?;
        by_minus_one = Some(is);
        minus_one
    } else {
        let ones = x.dtype.iinfo().map_or(0, |info| info.max);
        e.constant(x.dtype, &x.shape, Scalar::Int(ones))?
    };
    let mut result = plain(e, name, x, &safe)?;
    if let Some(is) = by_minus_one {
        let other = if name == "div" { plain(e, "sub", &zero, x)? } else { zero.clone() };
        result = select(e, &is, &other, &result)?;
    }
    let at_zero = if name == "div" { minus_one } else { x.clone() };
    select(e, &by_zero, &at_zero, &result)
}

/// Shifts: by as many bits as there are or more nothing is left but copies of the sign.
fn shifted(e: &mut Emitter, name: &str, x: &Tile, y: &Tile) -> Result<Tile, Refusal> {
    let bits = i64::from(x.dtype.bits());
    let most = e.like(y, (bits - 1) as f64)?;
    let unsigned = [("signedness", Attribute::i32(0)), choice("comparison_predicate", 4)];
    let too_far = e.tile(Opcode::CmpI, &[y, &most], unsigned.to_vec(), DType::Bool, &y.shape)?;
    let by = select(e, &too_far, &most, y)?;
    let result = plain(e, name, x, &by)?;
    if name == "shift_right_arithmetic" {
        return Ok(result);
    }
    let zero = e.like(x, 0.0)?;
    select(e, &too_far, &zero, &result)
}

/// One of the comparisons by the IR's name.
pub(crate) fn compare(e: &mut Emitter, name: &str, x: &Tile, y: &Tile) -> Result<Tile, Refusal> {
    let Some(&(_, number)) = COMPARE.iter().find(|row| row.0 == name) else {
        return Err(no(format!("`{name}` has no Tile IR")));
    };
    if let (Some(a), Some(b), DType::I32) = (x.known, y.known, x.dtype) {
        let holds = [a == b, a != b, a < b, a <= b, a > b, a >= b][number as usize];
        return e.constant(DType::Bool, &[], Scalar::Bool(holds));
    }
    let (mut x, mut y) = together(e, x, y)?;
    if x.dtype == DType::Bool {
        (x, y) = (convert::cast(e, &x, DType::U8)?, convert::cast(e, &y, DType::U8)?);
    }
    if x.dtype.is_float() && x.dtype.bits() == 8 {
        (x, y) = (convert::cast(e, &x, DType::F32)?, convert::cast(e, &y, DType::F32)?);
    }
    let predicate = choice("comparison_predicate", number);
    if x.dtype.is_float() {
        // NaN is different from everything, and nothing else.
        let ordering = choice("comparison_ordering", i64::from(name != "ne"));
        return e.tile(Opcode::CmpF, &[&x, &y], vec![predicate, ordering], DType::Bool, &x.shape);
    }
    e.tile(Opcode::CmpI, &[&x, &y], vec![predicate, sign(x.dtype)], DType::Bool, &x.shape)
}

/// `if which { yes } else { no }`, elementwise.
pub(crate) fn select(e: &mut Emitter, which: &Tile, yes: &Tile, no: &Tile) -> Result<Tile, Refusal> {
    let (yes, no) = together(e, yes, no)?;
    if let Some(known) = which.known {
        return Ok(if known != 0 { yes } else { no });
    }
    let which = shape::spread(e, which, &yes.shape)?;
    e.tile(Opcode::Select, &[&which, &yes, &no], vec![], yes.dtype, &yes.shape)
}

/// So many times an integer tile.
pub(crate) fn scaled(e: &mut Emitter, x: &Tile, factor: i64) -> Result<Tile, Refusal> {
    if factor == 1 {
        return Ok(x.clone());
    }
    let by = e.like(x, factor as f64)?;
    binary(e, "mul", x, &by)
}

/// The family.
pub(super) fn lower(lower: &mut Lower<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    let name = op.op.name;
    if BINARY.iter().any(|row| row.name == name) {
        if let ("add", [a, b]) = (name, op.operands.as_slice()) {
            for (product, other) in [(a, b), (b, a)] {
                if a != b
                    && let Some(Bound::Product(product)) = lower.values.get(product).cloned()
                {
                    let onto = lower.tile(*other)?;
                    return Ok(one(product.computed(&mut lower.e, Some(&onto))?));
                }
            }
        }
        let tiles = lower.tiles(op)?;
        return Ok(one(binary(&mut lower.e, name, &tiles[0], &tiles[1])?));
    }
    if COMPARE.iter().any(|row| row.0 == name) {
        let tiles = lower.tiles(op)?;
        return Ok(one(compare(&mut lower.e, name, &tiles[0], &tiles[1])?));
    }
    let tiles = match name {
        "select_n" | "clamp" => lower.tiles(op)?,
        _ => return Ok(None),
    };
    let e = &mut lower.e;
    if let ("clamp", [low, x, high]) = (name, tiles.as_slice()) {
        let above = binary(e, "max", x, low)?;
        return Ok(one(binary(e, "min", &above, high)?));
    }
    let [which, first, rest @ ..] = tiles.as_slice() else { return Ok(None) };
    let mut chosen = first.clone();
    for (number, case) in rest.iter().enumerate() {
        let this = if which.dtype == DType::Bool {
            which.clone()
        } else {
            let number = e.like(which, number as f64 + 1.0)?;
            compare(e, "eq", which, &number)?
        };
        chosen = select(e, &this, case, &chosen)?;
    }
    Ok(one(chosen))
}
