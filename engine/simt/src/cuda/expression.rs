//! Scalar ops as C++ expressions.

use super::types::words;
use pallas_ir::{Attributes, Op};
use pallas_tensor::{DType, Kind};

/// Functions of CUDA's library that floats have, by the op's name: for `float`, for `double`.
static FUNCTIONS: &[(&str, &str, &str)] = &[
    ("floor", "floorf", "floor"),
    ("ceil", "ceilf", "ceil"),
    ("exp", "exp_of", "exp"),
    ("exp2", "exp2_of", "exp2"),
    ("expm1", "expm1f", "expm1"),
    ("log", "logf", "log"),
    ("log1p", "log1pf", "log1p"),
    ("sqrt", "sqrtf", "sqrt"),
    ("rsqrt", "rsqrtf", "rsqrt"),
    ("cbrt", "cbrtf", "cbrt"),
    ("sin", "sinf", "sin"),
    ("cos", "cosf", "cos"),
    ("tan", "tanf", "tan"),
    ("asin", "asinf", "asin"),
    ("acos", "acosf", "acos"),
    ("atan", "atanf", "atan"),
    ("sinh", "sinhf", "sinh"),
    ("cosh", "coshf", "cosh"),
    ("tanh", "tanhf", "tanh"),
    ("asinh", "asinhf", "asinh"),
    ("acosh", "acoshf", "acosh"),
    ("atanh", "atanhf", "atanh"),
    ("erf", "erff", "erf"),
    ("erfc", "erfcf", "erfc"),
    ("erf_inv", "erfinvf", "erfinv"),
    ("lgamma", "lgammaf", "lgamma"),
    ("atan2", "atan2f", "atan2"),
    ("pow", "powf", "pow"),
];

/// An operand: its text and dtype.
pub(super) type Term<'a> = (&'a str, DType);

/// The expression; `None` for what is not printed yet.
pub(super) fn expression(op: Op, attributes: &Attributes, terms: &[Term<'_>], result: DType) -> Option<String> {
    let text = raw(op, attributes, terms, result)?;
    Some(match words(result)?.round {
        "" => text,
        _ if keeps(op.name) => text,
        round => format!("{round}({text})"),
    })
}

/// Whether a result is always one that the dtype can hold.
fn keeps(name: &str) -> bool {
    matches!(name, "neg" | "abs" | "max" | "min" | "select_n" | "clamp" | "floor" | "ceil" | "round" | "sign")
        || matches!(name, "bitcast_convert_type" | "reduce_precision" | "nextafter")
}

fn raw(op: Op, attributes: &Attributes, terms: &[Term<'_>], result: DType) -> Option<String> {
    let register = words(result)?.register;
    let bits = |dtype: DType| if dtype == DType::Bool { 1 } else { dtype.bits() };
    if let ([(x, dtype), rest @ ..], Some((_, float, double))) =
        (terms, FUNCTIONS.iter().find(|(name, ..)| *name == op.name))
        && dtype.is_float()
    {
        let function = if *dtype == DType::F64 { double } else { float };
        let rest: String = match rest {
            [(y, other)] if !other.is_float() => format!(", ({register}){y}"),
            rest => rest.iter().map(|(y, _)| format!(", {y}")).collect(),
        };
        return Some(format!("{function}({x}{rest})"));
    }
    Some(match (op.name, terms) {
        ("add" | "sub" | "mul", &[(x, dtype), (y, _)]) => {
            let sign = match op.name {
                "add" => "+",
                "sub" => "-",
                _ => "*",
            };
            match dtype {
                DType::I32 => format!("(int)((unsigned){x} {sign} (unsigned){y})"),
                DType::I64 => format!("(long long)((unsigned long long){x} {sign} (unsigned long long){y})"),
                _ if dtype.is_float() => format!("{x} {sign} {y}"),
                _ => format!("({register})({x} {sign} {y})"),
            }
        }
        ("div", &[(x, dtype), (y, _)]) if dtype.is_float() => format!("{x} / {y}"),
        ("div", &[(x, _), (y, _)]) => format!("divide<{register}>({x}, {y})"),
        ("rem", &[(x, DType::F64), (y, _)]) => format!("fmod({x}, {y})"),
        ("rem", &[(x, dtype), (y, _)]) if dtype.is_float() => format!("fmodf({x}, {y})"),
        ("rem", &[(x, _), (y, _)]) => format!("remainder_of<{register}>({x}, {y})"),
        ("max", &[(x, _), (y, _)]) => format!("max_of<{register}>({x}, {y})"),
        ("min", &[(x, _), (y, _)]) => format!("min_of<{register}>({x}, {y})"),
        ("nextafter", &[(x, DType::F32), (y, _)]) => format!("nextafterf({x}, {y})"),
        ("nextafter", &[(x, DType::F64), (y, _)]) => format!("nextafter({x}, {y})"),
        ("nextafter", &[(x, DType::BF16), (y, _)]) => format!("nextafter_bf16({x}, {y})"),
        ("nextafter", &[(x, DType::F16), (y, _)]) => format!("nextafter_f16({x}, {y})"),
        ("digamma", &[(x, DType::F64)]) => format!("digamma_of({x})"),
        ("digamma", &[(x, _)]) => format!("(float)digamma_of((double){x})"),
        ("reduce_precision", &[(x, dtype)]) => {
            let (mantissa, exponent) = match dtype {
                DType::F64 => (52, 11),
                DType::F32 => (23, 8),
                DType::F16 => (10, 5),
                DType::BF16 => (7, 8),
                _ => return None,
            };
            let word = words_of(dtype);
            let bits = bitcast(x, dtype, word)?;
            // More than there are take nothing away.
            let size = |name: &str| attributes.int(name).map(|bits| bits.clamp(0, 64));
            let (e, m) = (size("exponent_bits")?, size("mantissa_bits")?);
            let less = format!("(({})reduced({bits}, {mantissa}, {exponent}, {e}, {m}))", words(word)?.register);
            bitcast(&less, word, dtype)?
        }
        ("and" | "or" | "xor", &[(x, _), (y, _)]) => {
            let sign = match op.name {
                "and" => "&",
                "or" => "|",
                _ => "^",
            };
            format!("({register})({x} {sign} {y})")
        }
        ("shift_left" | "shift_right_logical" | "shift_right_arithmetic", &[(x, dtype), (y, _)]) => {
            format!("{}<{register}>({x}, {y}, {}u)", op.name, bits(dtype))
        }
        ("eq", &[(x, _), (y, _)]) => format!("{x} == {y}"),
        ("ne", &[(x, _), (y, _)]) => format!("{x} != {y}"),
        ("lt", &[(x, _), (y, _)]) => format!("{x} < {y}"),
        ("le", &[(x, _), (y, _)]) => format!("{x} <= {y}"),
        ("gt", &[(x, _), (y, _)]) => format!("{x} > {y}"),
        ("ge", &[(x, _), (y, _)]) => format!("{x} >= {y}"),
        ("select_n", &[(which, DType::Bool), (no, _), (yes, _)]) => format!("{which} ? {yes} : {no}"),
        ("select_n", &[(_, _), (only, _)]) => only.to_string(),
        ("select_n", [(which, _), cases @ ..]) => {
            let (last, first) = cases.split_last()?;
            let chain: String =
                first.iter().enumerate().map(|(n, (case, _))| format!("{which} <= {n} ? {case} : ")).collect();
            format!("{chain}{}", last.0)
        }
        ("clamp", &[(low, _), (x, _), (high, _)]) => {
            format!("min_of<{register}>(max_of<{register}>({x}, {low}), {high})")
        }
        ("neg", &[(x, DType::I32)]) => format!("(int)(0u - (unsigned){x})"),
        ("neg", &[(x, DType::I64)]) => format!("(long long)(0ull - (unsigned long long){x})"),
        ("neg", &[(x, _)]) => format!("({register})(-{x})"),
        ("abs", &[(x, DType::F64)]) => format!("fabs({x})"),
        ("abs", &[(x, dtype)]) if dtype.is_float() => format!("fabsf({x})"),
        ("abs", &[(x, DType::I32)]) => format!("({x} < 0 ? (int)(0u - (unsigned){x}) : {x})"),
        ("abs", &[(x, _)]) => format!("({register})({x} < 0 ? 0 - {x} : {x})"),
        ("sign", &[(x, _)]) => format!("sign_of<{register}>({x})"),
        ("not", &[(x, DType::Bool)]) => format!("!{x}"),
        ("not", &[(x, _)]) => format!("({register})(~{x})"),
        ("square", &[(x, dtype)]) => {
            return raw(Op(&pallas_ir::ops::MUL), attributes, &[(x, dtype), (x, dtype)], result);
        }
        ("logistic", &[(x, DType::F64)]) => format!("1.0 / (1.0 + exp(-{x}))"),
        ("logistic", &[(x, _)]) => format!("1.0f / (1.0f + exp_of(-{x}))"),
        ("is_finite", &[(x, DType::F64)]) => format!("fabs({x}) < __longlong_as_double(0x7ff0000000000000LL)"),
        ("is_finite", &[(x, _)]) => format!("fabsf({x}) < __int_as_float(0x7f800000)"),
        ("round", &[(x, dtype)]) => {
            let function = if attributes.int("rounding") == Some(1) { "rint" } else { "round" };
            format!("{function}{}({x})", if dtype == DType::F64 { "" } else { "f" })
        }
        ("integer_pow", &[(x, _)]) => format!("power<{register}>({x}, {})", attributes.int("y")?),
        ("population_count", &[(x, dtype)]) => match dtype.bits() {
            64 => format!("({register})__popcll((unsigned long long){x})"),
            bits => format!("({register})__popc((unsigned){x} & {}u)", mask(bits)),
        },
        ("clz", &[(x, dtype)]) => match dtype.bits() {
            64 => format!("({register})__clzll((long long){x})"),
            bits => format!("({register})(__clz((int)((unsigned){x} & {}u)) - {})", mask(bits), 32 - bits),
        },
        ("convert_element_type", &[(x, from)]) => convert(x, from, result)?,
        ("bitcast_convert_type", &[(x, from)]) => bitcast(x, from, result)?,
        _ => return None,
    })
}

/// The unsigned integer with the bits of a float.
fn words_of(dtype: DType) -> DType {
    match dtype.bits() {
        64 => DType::U64,
        32 => DType::U32,
        _ => DType::U16,
    }
}

fn mask(bits: u32) -> u64 {
    (1u64 << bits) - 1
}

fn convert(x: &str, from: DType, to: DType) -> Option<String> {
    let register = words(to)?.register;
    Some(match (from.kind(), to.kind()) {
        (_, Kind::Bool) => format!("{x} != ({})0", words(from)?.register),
        (Kind::Float, Kind::Signed | Kind::Unsigned) => match to {
            DType::I64 => format!("to_int64((double){x})"),
            DType::U64 => format!("to_uint64((double){x})"),
            _ => {
                let limits = to.iinfo()?;
                format!("to_integer<{register}>((double){x}, {}.0, {}.0)", limits.min, limits.max)
            }
        },
        // Narrow floats are rounded from `float`, as in XLA.
        (_, Kind::Float) if to != DType::F64 => format!("(float){x}"),
        _ => format!("({register}){x}"),
    })
}

fn bitcast(x: &str, from: DType, to: DType) -> Option<String> {
    let bits = match from {
        DType::F32 => format!("__float_as_uint({x})"),
        DType::F64 => format!("__double_as_longlong({x})"),
        _ if from.is_float() => format!("{}({x})", words(from)?.store),
        _ => x.to_string(),
    };
    Some(match to {
        DType::F32 => format!("__uint_as_float((unsigned){bits})"),
        DType::F64 => format!("__longlong_as_double((long long){bits})"),
        _ if to.is_float() => format!("{}(({}){bits})", words(to)?.load, words(to)?.memory),
        _ => format!("({}){bits}", words(to)?.register),
    })
}
