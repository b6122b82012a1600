//! `float` and `complex`: their tables and constructors.

use crate::builtins::construct::{Call, finish};
use crate::builtins::number::{Number, complex as complexes, float as floats};
use crate::builtins::special as s;
use crate::builtins::table::{known, rows, this_float};
use crate::builtins::text;
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

/// The table of `float`.
pub static FLOAT: NativeClass = NativeClass {
    name: "float",
    module: "builtins",
    doc: "float(x=0, /) -> double-precision floating-point number.",
    methods: METHODS,
    properties: rows! {
        "real", "(self, /)", "The number itself.", itself;
        "imag", "(self, /)", "Zero.", zero;
    },
    construct: Some(construct),
    instance_check: None,
};

/// The table of `complex`.
pub static COMPLEX: NativeClass = NativeClass {
    name: "complex",
    module: "builtins",
    doc: "complex(real=0, imag=0) -> complex number.",
    methods: rows! {
        "conjugate", "(self, /)", "With the imaginary part negated.", conjugate;
        s::ADD, s::RADD, s::SUB, s::RSUB, s::MUL, s::RMUL, s::TRUEDIV, s::RTRUEDIV, s::POW, s::RPOW, s::NEG, s::POS, s::ABS,
        s::BOOL,
    },
    properties: rows! {
        "real", "(self, /)", "The real part.", real_part;
        "imag", "(self, /)", "The imaginary part.", imaginary_part;
    },
    construct: Some(construct_complex),
    instance_check: None,
};

static METHODS: &[NativeDef] = rows! {
    "as_integer_ratio", "(self, /)", "A pair of integers whose ratio is exactly the number.", integer_ratio;
    "conjugate", "(self, /)", "The number itself.", itself;
    "fromhex", "(cls, string, /)", "The number that a hexadecimal string spells.", from_hex;
    "hex", "(self, /)", "A hexadecimal string.", to_hex;
    "is_integer", "(self, /)", "Whether it has no fraction.", is_integer;
    "__float__", "(self, /)", "float(self)", itself;
    "__int__", "(self, /)", "int(self)", truncate;
    "__trunc__", "(self, /)", "The integer part.", truncate;
    "__floor__", "(self, /)", "The floor as an integer.", floor;
    "__ceil__", "(self, /)", "The ceiling as an integer.", ceiling;
    "__round__", "(self, ndigits=None, /)", "Rounded to this many digits, half to even.", round;
    s::ADD, s::RADD, s::SUB, s::RSUB, s::MUL, s::RMUL, s::TRUEDIV, s::RTRUEDIV, s::FLOORDIV, s::RFLOORDIV, s::MOD, s::RMOD,
    s::POW, s::RPOW, s::DIVMOD, s::NEG, s::POS, s::ABS, s::BOOL, s::LT, s::LE, s::GT, s::GE,
};

fn receiver(interp: &Interp, arguments: Arguments, method: &str) -> PyResult<f64> {
    let [this] = arguments.take();
    this_float(interp, &this, method)
}

fn itself(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    receiver(interp, arguments, "conjugate").map(Value::Float)
}

fn zero(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    receiver(interp, arguments, "imag").map(|_| Value::Float(0.0))
}

fn is_integer(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let value = receiver(interp, arguments, "is_integer")?;
    Ok(Value::Bool(value.is_finite() && value == value.trunc()))
}

fn to_integer(interp: &Interp, value: f64) -> PyResult<Value> {
    floats::to_integer_checked(value).map(Value::Int).map_err(|error| error.raise(interp))
}

fn truncate(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let value = receiver(interp, arguments, "__trunc__")?;
    to_integer(interp, value)
}

fn floor(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let value = receiver(interp, arguments, "__floor__")?;
    to_integer(interp, value.floor())
}

fn ceiling(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let value = receiver(interp, arguments, "__ceil__")?;
    to_integer(interp, value.ceil())
}

fn round(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, digits] = arguments.take();
    let value = Value::Float(this_float(interp, &this, "__round__")?);
    let digits = if digits.is_none() { None } else { Some(interp.to_int(&digits)?) };
    Ok(crate::builtins::number::round(interp, &value, digits.as_ref())?.unwrap_or(Value::NotImplemented))
}

fn integer_ratio(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let value = receiver(interp, arguments, "as_integer_ratio")?;
    if value.is_nan() {
        return Err(interp.value_error("cannot convert NaN to integer ratio"));
    }
    if value.is_infinite() {
        return Err(interp.overflow_error("cannot convert Infinity to integer ratio"));
    }
    let (numerator, denominator) = floats::integer_ratio(value);
    Ok(Value::tuple([Value::Int(numerator), Value::Int(denominator)]))
}

fn to_hex(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let value = receiver(interp, arguments, "hex")?;
    if !value.is_finite() {
        return Ok(Value::from(crate::builtins::format::float::repr(value)));
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let bits = value.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let biased = (bits >> 52 & 0x7ff) as i32;
    Ok(Value::from(match (biased, fraction) {
        (0, 0) => format!("{sign}0x0.0p+0"),
        (0, _) => format!("{sign}0x0.{fraction:013x}p-1022"),
        _ => format!("{sign}0x1.{fraction:013x}p{:+}", biased - 1023),
    }))
}

fn from_hex(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [_class, text] = arguments.take();
    let text = interp.to_str(&text)?;
    match parse_hex(&text) {
        Some(value) if value.is_infinite() && !text.to_ascii_lowercase().contains("inf") => {
            Err(interp.overflow_error("hexadecimal value too large to represent as a float"))
        }
        Some(value) => Ok(Value::Float(value)),
        None => Err(interp.value_error("invalid hexadecimal floating-point string")),
    }
}

/// `[sign]['0x']digits['.'digits]['p'exponent]`, rounded to nearest even; `inf` and `nan`.
fn parse_hex(text: &str) -> Option<f64> {
    let text = text.trim_matches(text::is_space).to_ascii_lowercase();
    let (negative, body) = match text.strip_prefix('-') {
        Some(body) => (true, body),
        None => (false, text.strip_prefix('+').unwrap_or(&text)),
    };
    let signed = |value: f64| Some(if negative { -value } else { value });
    match body {
        "inf" | "infinity" => return signed(f64::INFINITY),
        "nan" => return signed(f64::NAN),
        _ => {}
    }
    let body = body.strip_prefix("0x").unwrap_or(body);
    let (mantissa, exponent) = match body.split_once('p') {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (body, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = [whole, fraction].concat();
    if digits.is_empty() {
        return None;
    }
    // Sixteen digits carry more than a float holds; what lies beyond matters only as a sticky bit.
    let mut bits: u64 = 0;
    let mut dropped = 0i64;
    let mut sticky = false;
    for c in digits.chars() {
        let digit = u64::from(c.to_digit(16)?);
        if bits >> 58 == 0 {
            bits = bits << 4 | digit;
        } else {
            dropped += 4;
            sticky |= digit != 0;
        }
    }
    let exponent = exponent.saturating_add(dropped).saturating_sub(4 * fraction.len() as i64);
    signed(round_binary(bits | u64::from(sticky), exponent.clamp(-5000, 5000) as i32))
}

/// `bits * 2 ** exponent` rounded once, to nearest even, subnormal results included.
fn round_binary(bits: u64, exponent: i32) -> f64 {
    if bits == 0 {
        return 0.0;
    }
    let length = 64 - bits.leading_zeros() as i32;
    // The lowest bit that the result can hold.
    let lowest = (length + exponent - 53).max(-1074);
    let surplus = lowest - exponent;
    if surplus <= 0 {
        return floats::load_exponent(bits as f64, exponent);
    }
    if surplus > 63 {
        return 0.0;
    }
    let kept = bits >> surplus;
    let rest = bits & ((1 << surplus) - 1);
    let half = 1u64 << (surplus - 1);
    let up = rest > half || (rest == half && kept & 1 == 1);
    floats::load_exponent((kept + u64::from(up)) as f64, lowest)
}

/// `float(x)`
fn construct(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [value] = Call::new("float", args).positional(interp, 0)?;
    let float = |value: f64| Ok(finish(class, &interp.types().float, Value::Float(value)));
    let Some(value) = value else {
        return float(0.0);
    };
    if value.is_unknown() {
        return Ok(value);
    }
    let parsed = match interp.plain(&value) {
        Value::Str(text) => floats::parse(&text).ok_or_else(|| text::quote(&text)),
        Value::Bytes(bytes) => {
            let text: String = bytes.iter().copied().map(char::from).collect();
            floats::parse(&text).ok_or_else(|| text::quote_bytes(&bytes))
        }
        plain => {
            return match interp.to_f64(&value) {
                Ok(value) => float(value),
                Err(stop) if interp.stop_is(&stop, &interp.types().type_error) && !is_real(interp, &plain) => {
                    Err(interp.type_error(format!(
                        "float() argument must be a string or a real number, not '{}'",
                        interp.type_name(&value)
                    )))
                }
                Err(stop) => Err(stop),
            };
        }
    };
    match parsed {
        Ok(value) => float(value),
        Err(shown) => Err(interp.value_error(format!("could not convert string to float: {shown}"))),
    }
}

/// Whether an error of the conversion is the value's own and not that it is no number.
fn is_real(interp: &Interp, v: &Value) -> bool {
    match v {
        Value::Object(object) => object.is_index() || object.as_float(v, interp).is_some(),
        Value::Instance(instance) => {
            let class = Rc::clone(&instance.class.borrow());
            class.lookup("__float__").is_some() || class.lookup("__index__").is_some()
        }
        _ => matches!(Number::of(v), Some(Number::Int(_) | Number::Float(_))),
    }
}

fn this_complex(interp: &Interp, arguments: Arguments) -> PyResult<complexes::Parts> {
    let [this] = arguments.take();
    match interp.plain(&this) {
        Value::Complex(real, imaginary) => Ok((real, imaginary)),
        _ => Err(interp.type_error(format!("'{}' object is not complex", interp.type_name(&this)))),
    }
}

fn conjugate(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    this_complex(interp, arguments).map(|(real, imaginary)| Value::Complex(real, -imaginary))
}

fn real_part(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    this_complex(interp, arguments).map(|(real, _)| Value::Float(real))
}

fn imaginary_part(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    this_complex(interp, arguments).map(|(_, imaginary)| Value::Float(imaginary))
}

/// `complex(real, imag)`, `complex(text)`
fn construct_complex(interp: &Interp, _class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [real, imaginary] = Call::new("complex", args).bind(interp, ["real", "imag"], 0)?;
    if let Some(unknown) = [&real, &imaginary].into_iter().flatten().find(|value| value.is_unknown()) {
        return Ok(unknown.clone());
    }
    if let Some(Value::Str(text)) = real.as_ref().map(|real| interp.plain(real)) {
        if imaginary.is_some() {
            return Err(interp.type_error("complex() can't take second arg if first is a string"));
        }
        return match complexes::parse(&text) {
            Some((real, imaginary)) => Ok(Value::Complex(real, imaginary)),
            None => Err(interp.value_error("complex() arg is a malformed string")),
        };
    }
    let part = |value: Option<Value>, position: &str| -> PyResult<complexes::Parts> {
        let Some(value) = value else {
            return Ok((0.0, 0.0));
        };
        match interp.plain(&value) {
            Value::Complex(real, imaginary) => Ok((real, imaginary)),
            Value::Str(_) => Err(interp.type_error("complex() second arg can't be a string")),
            _ => match interp.to_f64(&value) {
                Ok(real) => Ok((real, 0.0)),
                Err(stop) if interp.stop_is(&stop, &interp.types().type_error) => Err(interp.type_error(format!(
                    "complex() {position} argument must be a {}number, not '{}'",
                    if position == "first" { "string or a " } else { "" },
                    interp.type_name(&value)
                ))),
                Err(stop) => Err(stop),
            },
        }
    };
    let is_complex =
        |value: &Option<Value>| value.as_ref().is_some_and(|value| matches!(interp.plain(value), Value::Complex(..)));
    let (crossed_real, crossed_imaginary) = (is_complex(&imaginary), is_complex(&real));
    let (real, imaginary) = (part(real, "first")?, part(imaginary, "second")?);
    // complex(a, b) is a + b*1j; parts that are plain numbers are taken as they are, so that zeros keep their signs.
    Ok(Value::Complex(
        if crossed_real { real.0 - imaginary.1 } else { real.0 },
        if crossed_imaginary { real.1 + imaginary.0 } else { imaginary.0 },
    ))
}
