//! Elementary functions: those of CUDA's device library for `f32` and `f64`, MLIR's `math` for narrower floats.

use super::{Results, one, shape};
use crate::Refusal;
use crate::emit::Emitter;
use crate::lower::Lowering;
use crate::types::Tile;
use pallas_ir::OpData;
use pallas_tensor::{DType, Kind};

/// A function by the IR's name: what the device library calls it for `f32` and `f64`, and `math`'s op for other floats
/// (empty: there is none).
type Row = (&'static str, &'static str, &'static str, &'static str);

const TABLE: &[Row] = &[
    ("ceil", "__nv_ceilf", "__nv_ceil", "math.ceil"),
    ("floor", "__nv_floorf", "__nv_floor", "math.floor"),
    ("exp", "__nv_expf", "__nv_exp", "math.exp"),
    ("exp2", "__nv_exp2f", "__nv_exp2", "math.exp2"),
    ("expm1", "__nv_expm1f", "__nv_expm1", "math.expm1"),
    ("log", "__nv_logf", "__nv_log", "math.log"),
    ("log1p", "__nv_log1pf", "__nv_log1p", "math.log1p"),
    ("sqrt", "__nv_sqrtf", "__nv_sqrt", "math.sqrt"),
    ("cbrt", "__nv_cbrtf", "__nv_cbrt", "math.cbrt"),
    ("rsqrt", "__nv_rsqrtf", "__nv_rsqrt", "math.rsqrt"),
    ("sin", "__nv_sinf", "__nv_sin", "math.sin"),
    ("cos", "__nv_cosf", "__nv_cos", "math.cos"),
    ("tan", "__nv_tanf", "__nv_tan", "math.tan"),
    ("asin", "__nv_asinf", "__nv_asin", "math.asin"),
    ("acos", "__nv_acosf", "__nv_acos", "math.acos"),
    ("atan", "__nv_atanf", "__nv_atan", "math.atan"),
    ("atan2", "__nv_atan2f", "__nv_atan2", "math.atan2"),
    ("sinh", "__nv_sinhf", "__nv_sinh", "math.sinh"),
    ("cosh", "__nv_coshf", "__nv_cosh", "math.cosh"),
    ("tanh", "__nv_tanhf", "__nv_tanh", "math.tanh"),
    ("asinh", "__nv_asinhf", "__nv_asinh", "math.asinh"),
    ("acosh", "__nv_acoshf", "__nv_acosh", "math.acosh"),
    ("atanh", "__nv_atanhf", "__nv_atanh", "math.atanh"),
    ("nextafter", "__nv_nextafterf", "__nv_nextafter", ""),
    // Those that follow have no rule in JAX's lowering.
    ("erf", "__nv_erff", "__nv_erf", "math.erf"),
    ("erfc", "__nv_erfcf", "__nv_erfc", ""),
    ("erf_inv", "__nv_erfinvf", "__nv_erfinv", ""),
    ("lgamma", "__nv_lgammaf", "__nv_lgamma", ""),
];

/// A function of the device library.
fn external(emitter: &mut Emitter, symbol: &str, dtype: DType, operands: &[Tile]) -> Result<Tile, Refusal> {
    let extents = operands.iter().find(|tile| !tile.is_scalar()).map(|tile| tile.shape.clone()).unwrap_or_default();
    let mut names = Vec::new();
    let mut types = Vec::new();
    for operand in operands {
        let operand = shape::spread(emitter, operand, &extents)?;
        names.push(operand.name.to_string());
        types.push(operand.ty());
    }
    let result = crate::types::shaped(crate::types::element(dtype)?, &extents);
    let text = format!(
        "tt.extern_elementwise {} {{libname = \"\", libpath = \"\", pure = true, symbol = \"{symbol}\"}} : ({}) -> {result}",
        names.join(", "),
        types.join(", ")
    );
    emitter.value(dtype, &extents, &text)
}

/// An op of `math`, all of whose operands have one type.
fn math(emitter: &mut Emitter, word: &str, operands: &[Tile]) -> Result<Tile, Refusal> {
    let names: Vec<&str> = operands.iter().map(|tile| &*tile.name).collect();
    let first = &operands[0];
    let types = match (word, operands.get(1)) {
        ("math.fpowi", Some(second)) => format!("{}, {}", first.ty(), second.ty()),
        _ => first.ty(),
    };
    emitter.value(first.dtype, &first.shape, &format!("{word} {} : {types}", names.join(", ")))
}

/// A row of the table by its name.
pub(crate) fn function(emitter: &mut Emitter, name: &str, operands: &[Tile]) -> Result<Tile, Refusal> {
    let dtype = operands[0].dtype;
    let row = TABLE.iter().find(|row| row.0 == name);
    match (row, dtype) {
        (Some((_, symbol, ..)), DType::F32) => external(emitter, symbol, dtype, operands),
        (Some((_, _, symbol, _)), DType::F64) => external(emitter, symbol, dtype, operands),
        (Some((.., word)), DType::F16 | DType::BF16) if !word.is_empty() => math(emitter, word, operands),
        _ => Err(Refusal::new(format!("`{name}` of {} is not implemented in the Triton lowering", dtype.name()))),
    }
}

/// The absolute value.
pub(crate) fn abs(emitter: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    let operands = std::slice::from_ref(x);
    match x.dtype {
        DType::I32 => external(emitter, "__nv_abs", x.dtype, operands),
        DType::I64 => external(emitter, "__nv_llabs", x.dtype, operands),
        DType::F32 => external(emitter, "__nv_fabsf", x.dtype, operands),
        DType::F64 => external(emitter, "__nv_fabs", x.dtype, operands),
        dtype if dtype.is_float() => math(emitter, "math.absf", operands),
        _ => math(emitter, "math.absi", operands),
    }
}

/// Functions of the bits of an integer; of 64 bits the device library gives 32.
fn bits(emitter: &mut Emitter, x: &Tile, symbols: (&str, &str), word: &str) -> Result<Tile, Refusal> {
    match x.dtype {
        DType::I32 => external(emitter, symbols.0, x.dtype, std::slice::from_ref(x)),
        DType::I64 => {
            let narrow = external(emitter, symbols.1, DType::I32, std::slice::from_ref(x))?;
            super::convert::cast(emitter, &narrow, DType::I64, true)
        }
        _ => math(emitter, word, std::slice::from_ref(x)),
    }
}

fn power(emitter: &mut Emitter, operands: &[Tile]) -> Result<Tile, Refusal> {
    let (dtype, by) = (operands[0].dtype, operands[1].dtype);
    match (dtype, by) {
        (DType::F32, DType::I32) => external(emitter, "__nv_powif", dtype, operands),
        (DType::F64, DType::I32) => external(emitter, "__nv_powi", dtype, operands),
        (DType::F32, DType::F32) => external(emitter, "__nv_powf", dtype, operands),
        (DType::F64, DType::F64) => external(emitter, "__nv_pow", dtype, operands),
        (_, by) if by.is_float() => math(emitter, "math.powf", operands),
        _ => math(emitter, "math.fpowi", operands),
    }
}

/// The family.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    let name = op.op.name;
    if TABLE.iter().any(|row| row.0 == name) {
        let tiles = lowering.tiles(op)?;
        return Ok(one(function(lowering.emitter, name, &tiles)?));
    }
    let known = ["abs", "pow", "population_count", "clz", "round"];
    if !known.contains(&name) {
        return Ok(None);
    }
    let tiles = lowering.tiles(op)?;
    let emitter = &mut *lowering.emitter;
    Ok(one(match name {
        "abs" => match tiles[0].dtype.kind() {
            Kind::Unsigned | Kind::Bool => tiles[0].clone(),
            _ => abs(emitter, &tiles[0])?,
        },
        "pow" => power(emitter, &tiles)?,
        "population_count" => bits(emitter, &tiles[0], ("__nv_popc", "__nv_popcll"), "math.ctpop")?,
        "clz" => bits(emitter, &tiles[0], ("__nv_clz", "__nv_clzll"), "math.ctlz")?,
        _ => {
            let even = op.attributes.int("rounding") == Some(1);
            let (single, double) = if even { ("__nv_rintf", "__nv_rint") } else { ("__nv_roundf", "__nv_round") };
            match tiles[0].dtype {
                DType::F32 => external(emitter, single, DType::F32, &tiles)?,
                DType::F64 => external(emitter, double, DType::F64, &tiles)?,
                _ => math(emitter, if even { "math.roundeven" } else { "math.round" }, &tiles)?,
            }
        }
    }))
}
