//! Elementwise functions of two tiles that `arith` has: sums, products, bits, comparisons, extremes, and the choice between
//! two tiles. Extremes drop NaNs and shifts by too much are undefined, as JAX's lowering has them.

use super::{Results, convert, one, shape};
use crate::Refusal;
use crate::emit::Emitter;
use crate::lower::Lowering;
use crate::types::Tile;
use pallas_ir::OpData;
use pallas_tensor::{DType, Kind};

/// An op in MLIR's words: for signed integers, for unsigned ones and bools, for floats. Empty: there is none.
struct Row {
    name: &'static str,
    signed: &'static str,
    unsigned: &'static str,
    float: &'static str,
}

const fn row(name: &'static str, signed: &'static str, unsigned: &'static str, float: &'static str) -> Row {
    Row { name, signed, unsigned, float }
}

const BINARY: &[Row] = &[
    row("add", "arith.addi", "arith.addi", "arith.addf"),
    row("sub", "arith.subi", "arith.subi", "arith.subf"),
    row("mul", "arith.muli", "arith.muli", "arith.mulf"),
    row("div", "arith.divsi", "arith.divui", "arith.divf"),
    row("rem", "arith.remsi", "arith.remui", "arith.remf"),
    row("and", "arith.andi", "arith.andi", ""),
    row("or", "arith.ori", "arith.ori", ""),
    row("xor", "arith.xori", "arith.xori", ""),
    row("shift_left", "arith.shli", "arith.shli", ""),
    row("shift_right_arithmetic", "arith.shrsi", "arith.shrsi", ""),
    row("shift_right_logical", "arith.shrui", "arith.shrui", ""),
    row("max", "arith.maxsi", "arith.maxui", "arith.maxnumf"),
    row("min", "arith.minsi", "arith.minui", "arith.minnumf"),
];

const COMPARE: &[Row] = &[
    row("eq", "cmpi eq", "cmpi eq", "cmpf oeq"),
    row("ne", "cmpi ne", "cmpi ne", "cmpf une"),
    row("lt", "cmpi slt", "cmpi ult", "cmpf olt"),
    row("le", "cmpi sle", "cmpi ule", "cmpf ole"),
    row("gt", "cmpi sgt", "cmpi ugt", "cmpf ogt"),
    row("ge", "cmpi sge", "cmpi uge", "cmpf oge"),
];

impl Row {
    fn word(&self, dtype: DType) -> Result<&'static str, Refusal> {
        let word = match dtype.kind() {
            Kind::Signed => self.signed,
            Kind::Bool | Kind::Unsigned => self.unsigned,
            _ if dtype.is_float() => self.float,
            _ => "",
        };
        match word {
            "" => Err(Refusal::new(format!(
                "`{}` of {} is not implemented in the Triton lowering",
                self.name,
                dtype.name()
            ))),
            word => Ok(word),
        }
    }
}

/// One of the binary ops by the IR's name.
pub(crate) fn binary(emitter: &mut Emitter, name: &str, x: &Tile, y: &Tile) -> Result<Tile, Refusal> {
    let Some(row) = BINARY.iter().find(|row| row.name == name) else {
        return Err(Refusal::new(format!("`{name}` is not implemented in the Triton lowering")));
    };
    let (x, y) = together(emitter, x, y)?;
    // Triton divides in single precision at least.
    if name == "div" && x.dtype.is_float() && x.dtype.bits() < 32 {
        let (wide, by) = (convert::cast(emitter, &x, DType::F32, true)?, convert::cast(emitter, &y, DType::F32, true)?);
        let quotient = plain(emitter, "arith.divf", &wide, &by)?;
        return convert::cast(emitter, &quotient, x.dtype, true);
    }
    plain(emitter, row.word(x.dtype)?, &x, &y)
}

/// One of the comparisons by the IR's name.
pub(crate) fn compare(emitter: &mut Emitter, name: &str, x: &Tile, y: &Tile) -> Result<Tile, Refusal> {
    let Some(row) = COMPARE.iter().find(|row| row.name == name) else {
        return Err(Refusal::new(format!("`{name}` is not implemented in the Triton lowering")));
    };
    let (x, y) = together(emitter, x, y)?;
    let word = row.word(x.dtype)?;
    emitter.value(DType::Bool, &x.shape, &format!("arith.{word}, {}, {} : {}", x.name, y.name, x.ty()))
}

/// `word x, y`, both of one type, which the result has too.
pub(crate) fn plain(emitter: &mut Emitter, word: &str, x: &Tile, y: &Tile) -> Result<Tile, Refusal> {
    emitter.value(x.dtype, &x.shape, &format!("{word} {}, {} : {}", x.name, y.name, x.ty()))
}

/// `if which { yes } else { no }`, elementwise.
pub(crate) fn select(emitter: &mut Emitter, which: &Tile, yes: &Tile, no: &Tile) -> Result<Tile, Refusal> {
    let which = shape::spread(emitter, which, &yes.shape)?;
    let types = if yes.is_scalar() { yes.ty() } else { format!("{}, {}", which.ty(), yes.ty()) };
    let text = format!("arith.select {}, {}, {} : {types}", which.name, yes.name, no.name);
    emitter.value(yes.dtype, &yes.shape, &text)
}

/// `x * factor`, for integers.
pub(crate) fn scaled(emitter: &mut Emitter, x: &Tile, factor: i64) -> Result<Tile, Refusal> {
    match (x.known, factor) {
        (_, 1) => Ok(x.clone()),
        (Some(known), factor) if known.checked_mul(factor).is_some_and(|v| i32::try_from(v).is_ok()) => {
            emitter.number(x, known * factor)
        }
        _ => {
            let factor = emitter.number(x, factor)?;
            plain(emitter, "arith.muli", x, &factor)
        }
    }
}

/// `x + y`, for integers.
pub(crate) fn sum(emitter: &mut Emitter, x: &Tile, y: &Tile) -> Result<Tile, Refusal> {
    match (x.known, y.known) {
        (Some(0), _) if x.dtype == y.dtype => Ok(y.clone()),
        (_, Some(0)) => Ok(x.clone()),
        (Some(a), Some(b)) if a.checked_add(b).is_some_and(|v| i32::try_from(v).is_ok()) => emitter.number(x, a + b),
        _ => {
            let y = convert::cast(emitter, y, x.dtype, false)?;
            plain(emitter, "arith.addi", x, &y)
        }
    }
}

/// Two tiles with the shape that one of them has.
fn together(emitter: &mut Emitter, x: &Tile, y: &Tile) -> Result<(Tile, Tile), Refusal> {
    let target = if x.is_scalar() { y.shape.clone() } else { x.shape.clone() };
    Ok((shape::spread(emitter, x, &target)?, shape::spread(emitter, y, &target)?))
}

/// The family.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    let name = op.op.name;
    if BINARY.iter().any(|row| row.name == name) {
        let tiles = lowering.tiles(op)?;
        return Ok(one(binary(lowering.emitter, name, &tiles[0], &tiles[1])?));
    }
    if COMPARE.iter().any(|row| row.name == name) {
        let tiles = lowering.tiles(op)?;
        return Ok(one(compare(lowering.emitter, name, &tiles[0], &tiles[1])?));
    }
    if name != "select_n" {
        return Ok(None);
    }
    let tiles = lowering.tiles(op)?;
    let [which, cases @ ..] = tiles.as_slice() else { return Ok(None) };
    let Some((first, rest)) = cases.split_first() else { return Ok(None) };
    let emitter = &mut *lowering.emitter;
    let mut chosen = first.clone();
    for (number, case) in rest.iter().enumerate() {
        let this = if which.dtype == DType::Bool {
            which.clone()
        } else {
            let number = emitter.number(which, number as i64 + 1)?;
            compare(emitter, "eq", which, &number)?
        };
        chosen = select(emitter, &this, case, &chosen)?;
    }
    Ok(one(chosen))
}
