//! Functions that Tile IR has not, said with those that it has.

use super::{Results, arith, convert, error_function, math, one};
use crate::emit::Emitter;
use crate::lower::Lower;
use crate::types::Tile;
use crate::{Refusal, no};
use cutile_ir::bytecode::Opcode;
use pallas_ir::OpData;
use pallas_tensor::{DType, Kind, Scalar};

type Rule = fn(&mut Emitter, &Tile) -> Result<Tile, Refusal>;

/// Functions of floats, in single precision at least.
const FLOATS: &[(&str, Rule)] = &[
    ("logistic", logistic),
    ("log1p", log1p),
    ("expm1", expm1),
    ("cbrt", cbrt),
    ("asin", asin),
    ("acos", acos),
    ("atan", atan),
    ("asinh", asinh),
    ("acosh", acosh),
    ("atanh", atanh),
    ("erf", error_function::erf),
    ("erfc", error_function::erfc),
];

/// Functions whose result may have another dtype, or that are for integers, too.
const OTHERS: &[(&str, Rule)] = &[
    ("square", |e, x| arith::binary(e, "mul", x, x)),
    ("sign", sign),
    ("not", complement),
    ("is_finite", is_finite),
    ("population_count", population_count),
    ("clz", leading_zeros),
];

/// All bits turned.
pub(crate) fn complement(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let ones = match x.dtype.kind() {
        Kind::Bool => Scalar::Bool(true),
        Kind::Unsigned => Scalar::Int(x.dtype.iinfo().map_or(0, |info| info.max)),
        _ => Scalar::Int(-1),
    };
    let ones = e.constant(x.dtype, &x.shape, ones)?;
    e.tile(Opcode::XOrI, &[x, &ones], vec![], x.dtype, &x.shape)
}

fn sign(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let (zero, one) = (e.like(x, 0.0)?, e.like(x, 1.0)?);
    let above = arith::compare(e, "gt", x, &zero)?;
    if x.dtype.kind() == Kind::Unsigned {
        return arith::select(e, &above, &one, &zero);
    }
    let minus = e.like(x, -1.0)?;
    let below = arith::compare(e, "lt", x, &zero)?;
    // Zeros and NaN stay as they are.
    let rest = if x.dtype.is_float() { x.clone() } else { zero };
    let rest = arith::select(e, &below, &minus, &rest)?;
    arith::select(e, &above, &one, &rest)
}

fn logistic(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let negative = math::negated(e, x)?;
    let power = math::function(e, "exp", &[&negative])?;
    let one = e.like(x, 1.0)?;
    let below = arith::binary(e, "add", &power, &one)?;
    arith::binary(e, "div", &one, &below)
}

/// `log(u) * x / (u - 1)` with `u = 1 + x`: what `u` lost is in both.
fn log1p(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let (one, endless) = (e.like(x, 1.0)?, e.like(x, f64::INFINITY)?);
    let u = arith::binary(e, "add", x, &one)?;
    let log = math::function(e, "log", &[&u])?;
    let lost = arith::binary(e, "sub", &u, &one)?;
    let ratio = arith::binary(e, "div", x, &lost)?;
    let exact = arith::binary(e, "mul", &log, &ratio)?;
    let same = arith::compare(e, "eq", &u, &one)?;
    let exact = arith::select(e, &same, x, &exact)?;
    let is_endless = arith::compare(e, "eq", &u, &endless)?;
    arith::select(e, &is_endless, x, &exact)
}

/// `2 t / (1 - t)` with `t = tanh(x / 2)` near 0.
fn expm1(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let (half, one, two) = (e.like(x, 0.5)?, e.like(x, 1.0)?, e.like(x, 2.0)?);
    let halved = arith::binary(e, "mul", x, &half)?;
    let t = math::function(e, "tanh", &[&halved])?;
    let above = arith::binary(e, "mul", &t, &two)?;
    let below = arith::binary(e, "sub", &one, &t)?;
    let near = arith::binary(e, "div", &above, &below)?;
    let power = math::function(e, "exp", &[x])?;
    let far = arith::binary(e, "sub", &power, &one)?;
    let size = math::abs(e, x)?;
    let is_near = arith::compare(e, "lt", &size, &one)?;
    arith::select(e, &is_near, &near, &far)
}

/// The power of a third, and a step of Newton's.
fn cbrt(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let size = math::abs(e, x)?;
    let (third, zero) = (e.like(x, 1.0 / 3.0)?, e.like(x, 0.0)?);
    let y = math::function(e, "pow", &[&size, &third])?;
    let square = arith::binary(e, "mul", &y, &y)?;
    let ratio = arith::binary(e, "div", &size, &square)?;
    let error = arith::binary(e, "sub", &ratio, &y)?;
    let step = arith::binary(e, "mul", &error, &third)?;
    let better = arith::binary(e, "add", &y, &step)?;
    let is_number = arith::compare(e, "eq", &better, &better)?;
    let y = arith::select(e, &is_number, &better, &y)?;
    let negative = math::negated(e, &y)?;
    let below = arith::compare(e, "lt", x, &zero)?;
    let root = arith::select(e, &below, &negative, &y)?;
    let is_zero = arith::compare(e, "eq", x, &zero)?;
    arith::select(e, &is_zero, x, &root)
}

/// `sqrt((1 - x) (1 + x))`
fn leg(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let one = e.like(x, 1.0)?;
    let (less, more) = (arith::binary(e, "sub", &one, x)?, arith::binary(e, "add", &one, x)?);
    let product = arith::binary(e, "mul", &less, &more)?;
    math::function(e, "sqrt", &[&product])
}

fn asin(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let leg = leg(e, x)?;
    math::function(e, "atan2", &[x, &leg])
}

fn acos(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let leg = leg(e, x)?;
    math::function(e, "atan2", &[&leg, x])
}

fn atan(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let one = e.like(x, 1.0)?;
    math::function(e, "atan2", &[x, &one])
}

/// `sign(x) log1p(|x| + x^2 / (1 + sqrt(x^2 + 1)))`; far out `log(2 |x|)`.
fn asinh(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let size = math::abs(e, x)?;
    let (one, zero, two, large) =
        (e.like(x, 1.0)?, e.like(x, 0.0)?, e.like(x, std::f64::consts::LN_2)?, e.like(x, 1e15)?);
    let square = arith::binary(e, "mul", x, x)?;
    let more = arith::binary(e, "add", &square, &one)?;
    let root = math::function(e, "sqrt", &[&more])?;
    let below = arith::binary(e, "add", &root, &one)?;
    let ratio = arith::binary(e, "div", &square, &below)?;
    let sum = arith::binary(e, "add", &size, &ratio)?;
    let near = log1p(e, &sum)?;
    let far = math::function(e, "log", &[&size])?;
    let far = arith::binary(e, "add", &far, &two)?;
    let is_far = arith::compare(e, "gt", &size, &large)?;
    let result = arith::select(e, &is_far, &far, &near)?;
    let negative = math::negated(e, &result)?;
    let is_negative = arith::compare(e, "lt", x, &zero)?;
    arith::select(e, &is_negative, &negative, &result)
}

/// `log1p((x - 1) + sqrt((x - 1) (x + 1)))`; far out `log(2 x)`.
fn acosh(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let (one, two, large) = (e.like(x, 1.0)?, e.like(x, std::f64::consts::LN_2)?, e.like(x, 1e15)?);
    let (less, more) = (arith::binary(e, "sub", x, &one)?, arith::binary(e, "add", x, &one)?);
    let product = arith::binary(e, "mul", &less, &more)?;
    let root = math::function(e, "sqrt", &[&product])?;
    let sum = arith::binary(e, "add", &less, &root)?;
    let near = log1p(e, &sum)?;
    let far = math::function(e, "log", &[x])?;
    let far = arith::binary(e, "add", &far, &two)?;
    let is_far = arith::compare(e, "gt", x, &large)?;
    arith::select(e, &is_far, &far, &near)
}

/// `log1p(2 x / (1 - x)) / 2`, of the size of `x`.
fn atanh(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let size = math::abs(e, x)?;
    let (half, one, two, zero) = (e.like(x, 0.5)?, e.like(x, 1.0)?, e.like(x, 2.0)?, e.like(x, 0.0)?);
    let above = arith::binary(e, "mul", &size, &two)?;
    let below = arith::binary(e, "sub", &one, &size)?;
    let ratio = arith::binary(e, "div", &above, &below)?;
    let log = log1p(e, &ratio)?;
    let result = arith::binary(e, "mul", &log, &half)?;
    let negative = math::negated(e, &result)?;
    let is_negative = arith::compare(e, "lt", x, &zero)?;
    arith::select(e, &is_negative, &negative, &result)
}

fn is_finite(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let x = if arith::is_small_float(x.dtype) { convert::cast(e, x, DType::F32)? } else { x.clone() };
    let size = math::abs(e, &x)?;
    let endless = e.like(&x, f64::INFINITY)?;
    // Of NaN neither is true.
    arith::compare(e, "lt", &size, &endless)
}

/// To the nearest integer; halves to even, or away from zero. Large floats have no fraction.
fn rounded(e: &mut Emitter, x: &Tile, even: bool) -> Result<Tile, Refusal> {
    let (half, one, two, zero) = (e.like(x, 0.5)?, e.like(x, 1.0)?, e.like(x, 2.0)?, e.like(x, 0.0)?);
    let size = math::abs(e, x)?;
    let down = math::function(e, "floor", &[&size])?;
    let rest = arith::binary(e, "sub", &size, &down)?;
    let mut up = arith::compare(e, if even { "gt" } else { "ge" }, &rest, &half)?;
    if even {
        let halved = arith::binary(e, "mul", &down, &half)?;
        let pairs = math::function(e, "floor", &[&halved])?;
        let pairs = arith::binary(e, "mul", &pairs, &two)?;
        let odd = arith::compare(e, "ne", &pairs, &down)?;
        let tie = arith::compare(e, "eq", &rest, &half)?;
        let tie = arith::binary(e, "and", &tie, &odd)?;
        up = arith::binary(e, "or", &up, &tie)?;
    }
    let more = arith::binary(e, "add", &down, &one)?;
    let result = arith::select(e, &up, &more, &down)?;
    let negative = math::negated(e, &result)?;
    let below = arith::compare(e, "lt", x, &zero)?;
    let result = arith::select(e, &below, &negative, &result)?;
    // -0.0, NaN and what is infinite stay.
    let moves = arith::compare(e, "ne", &rest, &zero)?;
    let is_number = arith::compare(e, "eq", &rest, &rest)?;
    let moves = arith::binary(e, "and", &moves, &is_number)?;
    arith::select(e, &moves, &result, x)
}

/// Repeated squares.
fn integer_power(e: &mut Emitter, x: &Tile, by: i64) -> Result<Tile, Refusal> {
    let mut left = by.unsigned_abs();
    let mut square = x.clone();
    let mut product: Option<Tile> = None;
    while left > 0 {
        if left % 2 == 1 {
            product = Some(match product {
                None => square.clone(),
                Some(product) => arith::binary(e, "mul", &product, &square)?,
            });
        }
        left /= 2;
        if left > 0 {
            square = arith::binary(e, "mul", &square, &square)?;
        }
    }
    let one = e.like(x, 1.0)?;
    match product {
        None => Ok(one),
        Some(product) if by < 0 => arith::binary(e, "div", &one, &product),
        Some(product) => Ok(product),
    }
}

/// Bits counted in pairs, fours, bytes, and so on.
fn population_count(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let bits = x.dtype.bits();
    let unsigned = match bits {
        8 => DType::U8,
        16 => DType::U16,
        32 => DType::U32,
        _ => DType::U64,
    };
    let mut count = convert::cast(e, x, unsigned)?;
    let mut width = 1;
    while width < bits {
        let mask = (0..bits).filter(|bit| (bit / width) % 2 == 0).fold(0i128, |mask, bit| mask | 1 << bit);
        let mask = e.constant(unsigned, &x.shape, Scalar::Int(mask))?;
        let by = e.constant(unsigned, &x.shape, Scalar::Int(width.into()))?;
        let low = arith::binary(e, "and", &count, &mask)?;
        let high = e.tile(Opcode::ShRI, &[&count, &by], vec![arith::sign(unsigned)], unsigned, &x.shape)?;
        let high = arith::binary(e, "and", &high, &mask)?;
        count = arith::binary(e, "add", &low, &high)?;
        width *= 2;
    }
    convert::cast(e, &count, x.dtype)
}

/// What is below the highest bit is set, then the others are counted.
fn leading_zeros(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let bits = x.dtype.bits();
    let mut filled = x.clone();
    let mut width = 1;
    while width < bits {
        let by = e.like(x, f64::from(width))?;
        let high =
            e.tile(Opcode::ShRI, &[&filled, &by], vec![crate::emit::choice("signedness", 0)], x.dtype, &x.shape)?;
        filled = arith::binary(e, "or", &filled, &high)?;
        width *= 2;
    }
    let rest = complement(e, &filled)?;
    population_count(e, &rest)
}

/// The family.
pub(super) fn lower(lower: &mut Lower<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    let name = op.op.name;
    let find = |table: &[(&str, Rule)]| table.iter().find(|row| row.0 == name).map(|row| row.1);
    if let Some(rule) = find(OTHERS) {
        let x = lower.tile(op.operands[0])?;
        return Ok(one(rule(&mut lower.e, &x)?));
    }
    let rule = find(FLOATS);
    if rule.is_none() && !matches!(name, "round" | "integer_pow") {
        return Ok(None);
    }
    let x = lower.tile(op.operands[0])?;
    let e = &mut lower.e;
    if name == "integer_pow" {
        let by = op.attributes.int("y").ok_or_else(|| no("a power lacks its exponent"))?;
        return Ok(one(integer_power(e, &x, by)?));
    }
    let wide = if arith::is_small_float(x.dtype) { convert::cast(e, &x, DType::F32)? } else { x.clone() };
    let result = match rule {
        Some(rule) => rule(e, &wide)?,
        None => rounded(e, &wide, op.attributes.int("rounding") == Some(1))?,
    };
    Ok(one(convert::cast(e, &result, x.dtype)?))
}
