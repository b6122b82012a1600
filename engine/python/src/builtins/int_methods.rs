//! `int` and `bool`: their tables and constructors.

use crate::builtins::construct::{Call, finish};
use crate::builtins::number::{Number, float as floats, integer};
use crate::builtins::special as s;
use crate::builtins::table::{known, rows, this_int};
use crate::builtins::text;
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::int::Int;
use crate::interp::Interp;
use crate::native::{Arguments, NativeDef};
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use num_bigint::{BigInt, Sign};
use std::rc::Rc;

/// The table of `int`.
pub static INT: NativeClass = NativeClass {
    name: "int",
    module: "builtins",
    doc: "int(x=0, /, base=10) -> integer, unbounded.",
    methods: METHODS,
    properties: rows! {
        "real", "(self, /)", "The number itself.", itself;
        "imag", "(self, /)", "Zero.", zero;
        "numerator", "(self, /)", "The number itself.", itself;
        "denominator", "(self, /)", "One.", one;
    },
    construct: Some(construct),
    instance_check: None,
};

/// The table of `bool`; its methods are those of `int`.
pub static BOOL: NativeClass = NativeClass {
    name: "bool",
    module: "builtins",
    doc: "bool(x=False, /) -> True or False.",
    methods: &[],
    properties: &[],
    construct: Some(construct_bool),
    instance_check: None,
};

static METHODS: &[NativeDef] = rows! {
    "as_integer_ratio", "(self, /)", "The number over one.", integer_ratio;
    "bit_count", "(self, /)", "Number of ones in the absolute value.", bit_count;
    "bit_length", "(self, /)", "Number of bits of the absolute value.", bit_length;
    "conjugate", "(self, /)", "The number itself.", itself;
    "from_bytes", "(cls, /, bytes, byteorder='big', *, signed=False)", "The integer that bytes spell.", from_bytes;
    "to_bytes", "(self, /, length=1, byteorder='big', *, signed=False)", "The integer spelled in bytes.", to_bytes;
    "__index__", "(self, /)", "The number itself.", itself;
    "__int__", "(self, /)", "int(self)", itself;
    "__trunc__", "(self, /)", "The number itself.", itself;
    "__floor__", "(self, /)", "The number itself.", itself;
    "__ceil__", "(self, /)", "The number itself.", itself;
    "__float__", "(self, /)", "float(self)", to_float;
    "__round__", "(self, ndigits=None, /)", "Rounded to this many digits, half to even.", round;
    s::ADD, s::RADD, s::SUB, s::RSUB, s::MUL, s::RMUL, s::TRUEDIV, s::RTRUEDIV, s::FLOORDIV, s::RFLOORDIV, s::MOD, s::RMOD,
    s::POW, s::RPOW, s::DIVMOD, s::LSHIFT, s::RLSHIFT, s::RSHIFT, s::RRSHIFT, s::AND, s::RAND, s::OR, s::ROR, s::XOR, s::RXOR,
    s::NEG, s::POS, s::INVERT, s::ABS, s::BOOL, s::LT, s::LE, s::GT, s::GE,
};

fn receiver(interp: &Interp, arguments: Arguments, method: &str) -> PyResult<Int> {
    let [this] = arguments.take();
    this_int(interp, &this, method)
}

fn itself(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    receiver(interp, arguments, "__index__").map(Value::Int)
}

fn zero(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    receiver(interp, arguments, "imag").map(|_| Value::from(0i64))
}

fn one(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    receiver(interp, arguments, "denominator").map(|_| Value::from(1i64))
}

fn integer_ratio(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let value = receiver(interp, arguments, "as_integer_ratio")?;
    Ok(Value::tuple([Value::Int(value), Value::from(1i64)]))
}

fn to_float(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let value = receiver(interp, arguments, "__float__")?;
    integer::to_float(&value).map(Value::Float).map_err(|error| error.raise(interp))
}

fn bit_length(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let value = receiver(interp, arguments, "bit_length")?;
    Ok(Value::from(integer::bit_length(&value) as usize))
}

fn bit_count(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let ones = match receiver(interp, arguments, "bit_count")? {
        Int::Small(value) => u64::from(value.unsigned_abs().count_ones()),
        Int::Big(value) => value.magnitude().count_ones(),
    };
    Ok(Value::from(ones as usize))
}

fn round(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, digits] = arguments.take();
    let value = Value::Int(this_int(interp, &this, "__round__")?);
    let digits = if digits.is_none() { None } else { Some(interp.to_int(&digits)?) };
    Ok(crate::builtins::number::round(interp, &value, digits.as_ref())?.unwrap_or(Value::NotImplemented))
}

fn is_big_endian(interp: &Interp, order: &Value) -> PyResult<bool> {
    match &*interp.to_str(order)? {
        "big" => Ok(true),
        "little" => Ok(false),
        _ => Err(interp.value_error("byteorder must be either 'little' or 'big'")),
    }
}

fn to_bytes(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, length, order, signed] = arguments.take();
    let value = this_int(interp, &this, "to_bytes")?;
    let Ok(length) = usize::try_from(interp.to_i64(&length)?) else {
        return Err(interp.value_error("length argument must be non-negative"));
    };
    let big = is_big_endian(interp, &order)?;
    let signed = interp.truth(&signed)?;
    if value.is_negative() && !signed {
        return Err(interp.overflow_error("can't convert negative int to unsigned"));
    }
    interp.charge_bytes(length as u128)?;
    let too_big = || interp.overflow_error("int too big to convert");
    let number = value.to_big();
    let mut bytes = if signed { number.to_signed_bytes_le() } else { number.magnitude().to_bytes_le() };
    if value.is_zero() {
        bytes.clear();
    }
    if bytes.len() > length {
        return Err(too_big());
    }
    bytes.resize(length, if value.is_negative() { 0xff } else { 0 });
    if big {
        bytes.reverse();
    }
    Ok(Value::Bytes(Rc::from(bytes)))
}

fn from_bytes(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [class, bytes, order, signed] = arguments.take();
    let bytes = crate::builtins::bytes_methods::bytes_of(interp, &bytes)?;
    let (big, signed) = (is_big_endian(interp, &order)?, interp.truth(&signed)?);
    let number = match (big, signed) {
        (true, true) => BigInt::from_signed_bytes_be(&bytes),
        (false, true) => BigInt::from_signed_bytes_le(&bytes),
        (true, false) => BigInt::from_bytes_be(Sign::Plus, &bytes),
        (false, false) => BigInt::from_bytes_le(Sign::Plus, &bytes),
    };
    let number = Value::Int(Int::from(number));
    match class {
        Value::Class(class) if !Rc::ptr_eq(&class, &interp.types().int) => {
            interp.call_values(&Value::Class(class), [number])
        }
        _ => Ok(number),
    }
}

/// `bool(x)`
fn construct_bool(interp: &Interp, _class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [value] = Call::new("bool", args).positional(interp, 0)?;
    Ok(match value {
        None => Value::Bool(false),
        Some(unknown @ Value::Unknown(_)) => unknown,
        Some(value) => Value::Bool(interp.truth(&value)?),
    })
}

/// `int(x)`, `int(text, base)`
fn construct(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [value, base] = Call::new("int", args).bind(interp, ["x", "base"], 1)?;
    let int = |value: Int| Ok(finish(class, &interp.types().int, Value::Int(value)));
    let value = match (value, base) {
        (None, None) => return int(Int::Small(0)),
        (None, Some(_)) => return Err(interp.type_error("int() missing string argument")),
        (Some(unknown @ Value::Unknown(_)), _) | (_, Some(unknown @ Value::Unknown(_))) => {
            return Ok(unknown);
        }
        (Some(value), None) => value,
        (Some(value), Some(base)) => {
            let base = interp.to_int(&base)?.to_i64().filter(|base| *base == 0 || (2..=36).contains(base));
            let Some(base) = base else {
                return Err(interp.value_error("int() base must be >= 2 and <= 36, or 0"));
            };
            return match interp.plain(&value) {
                Value::Str(text) => int(parse(interp, &text, base as u32, &value)?),
                Value::Bytes(bytes) => int(parse(interp, &latin(&bytes), base as u32, &value)?),
                _ => Err(interp.type_error("int() can't convert non-string with explicit base")),
            };
        }
    };
    int(of(interp, &value)?)
}

/// `int(value)` without a base.
fn of(interp: &Interp, value: &Value) -> PyResult<Int> {
    if let Value::Instance(_) = value {
        for method in ["__int__", "__index__", "__trunc__"] {
            match interp.call_special(value, method, [])? {
                Some(Value::Int(result)) => return Ok(result),
                Some(Value::Bool(result)) => return Ok(Int::Small(i64::from(result))),
                Some(other) => {
                    let found = interp.type_name(&other);
                    return Err(interp.type_error(format!("{method} returned non-int (type {found})")));
                }
                None => {}
            }
        }
    }
    let plain = interp.plain(value);
    match Number::of(&plain) {
        Some(Number::Int(value)) => return Ok(value),
        Some(Number::Float(value)) => {
            return floats::to_integer_checked(value).map_err(|error| error.raise(interp));
        }
        _ => {}
    }
    match &plain {
        Value::Str(text) => parse(interp, text, 10, value),
        Value::Bytes(bytes) => parse(interp, &latin(bytes), 10, value),
        Value::Object(object) => match object.to_int(value, interp) {
            Some(result) => result,
            None => Err(not_a_number(interp, value)),
        },
        _ => Err(not_a_number(interp, value)),
    }
}

fn not_a_number(interp: &Interp, value: &Value) -> Box<Stop> {
    interp.type_error(format!(
        "int() argument must be a string, a bytes-like object or a real number, not '{}'",
        interp.type_name(value)
    ))
}

fn latin(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

fn parse(interp: &Interp, digits: &str, base: u32, written: &Value) -> PyResult<Int> {
    integer::parse(digits, base).map_err(|too_many| match too_many {
        Some(count) => interp.value_error(format!(
            "Exceeds the limit ({} digits) for integer string conversion: value has {count} digits; use \
             sys.set_int_max_str_digits() to increase the limit",
            integer::MAX_DECIMAL_DIGITS
        )),
        None => {
            let shown = match written {
                Value::Bytes(bytes) => text::quote_bytes(bytes),
                _ => text::quote(digits),
            };
            interp.value_error(format!("invalid literal for int() with base {base}: {shown}"))
        }
    })
}
