//! The special methods that builtin types share, as rows: so that `int.__add__`, `super().__setitem__(...)` and
//! `operator`-like uses find them. Each works on the builtin value inside a subclass instance, never on the subclass's
//! own overrides. What every object has from `object` (`__repr__`, `__eq__`, `__hash__`, `__new__`...) is not here: the
//! core answers it, and asks the tables only for what a class has of its own.

use crate::builtins::number;
use crate::builtins::table::{known, row};
use crate::interp::Interp;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{BinaryOp, CompareOp, UnaryOp};

/// Number types from narrow to wide: the narrower one leaves the answer to the wider, as in `(1).__add__(2.0)`.
fn width(v: &Value) -> u8 {
    match v {
        Value::Float(_) => 1,
        Value::Complex(..) => 2,
        _ => 0,
    }
}

/// `this op other`, or `other op this` where `reflected`.
fn binary(interp: &Interp, op: BinaryOp, this: &Value, other: &Value, reflected: bool) -> PyResult<Value> {
    if this.is_unknown() || other.is_unknown() {
        return Ok(if this.is_unknown() { this.clone() } else { other.clone() });
    }
    let (this, other) = (interp.plain(this), interp.plain(other));
    let foreign = |v: &Value| matches!(v, Value::Object(_) | Value::Instance(_));
    if foreign(&this) || foreign(&other) || width(&this) < width(&other) {
        return Ok(Value::NotImplemented);
    }
    let (a, b) = if reflected { (&other, &this) } else { (&this, &other) };
    if let Some(value) = number::binary(interp, op, a, b)? {
        return Ok(value);
    }
    match interp.sequence_binary(op, a, b)? {
        Some(value) => Ok(value),
        // Concatenation raises by itself in CPython's sequence types.
        None if op == BinaryOp::Add && !reflected && family(a) > 1 => interp.binary(op, a, b),
        None => Ok(Value::NotImplemented),
    }
}

macro_rules! operators {
    ($($forward:ident $reflected:ident $name:literal $reflected_name:literal $op:ident $symbol:literal;)*) => {
        $(
            #[doc = concat!("`", $name, "`")]
            pub(crate) const $forward: NativeDef =
                row($name, "(self, value, /)", concat!("Return self", $symbol, "value."), |interp, arguments| {
                    let [this, other] = arguments.take();
                    binary(interp, BinaryOp::$op, &this, &other, false)
                });
            #[doc = concat!("`", $reflected_name, "`")]
            pub(crate) const $reflected: NativeDef =
                row($reflected_name, "(self, value, /)", concat!("Return value", $symbol, "self."), |interp, arguments| {
                    let [this, other] = arguments.take();
                    binary(interp, BinaryOp::$op, &this, &other, true)
                });
        )*
    };
}

operators! {
    ADD RADD "__add__" "__radd__" Add "+";
    SUB RSUB "__sub__" "__rsub__" Sub "-";
    MUL RMUL "__mul__" "__rmul__" Mult "*";
    TRUEDIV RTRUEDIV "__truediv__" "__rtruediv__" Div "/";
    FLOORDIV RFLOORDIV "__floordiv__" "__rfloordiv__" FloorDiv "//";
    MOD RMOD "__mod__" "__rmod__" Mod "%";
    LSHIFT RLSHIFT "__lshift__" "__rlshift__" LShift "<<";
    RSHIFT RRSHIFT "__rshift__" "__rrshift__" RShift ">>";
    AND RAND "__and__" "__rand__" BitAnd "&";
    OR ROR "__or__" "__ror__" BitOr "|";
    XOR RXOR "__xor__" "__rxor__" BitXor "^";
}

/// `__pow__`
pub(crate) const POW: NativeDef =
    row("__pow__", "(self, value, mod=None, /)", "Return pow(self, value, mod).", |interp, arguments| {
        let [this, exponent, modulus] = arguments.take();
        match modulus {
            Value::None => binary(interp, BinaryOp::Pow, &this, &exponent, false),
            modulus => {
                let (base, exponent, modulus) = (interp.plain(&this), interp.plain(&exponent), interp.plain(&modulus));
                let power = number::power_modulo(interp, &base, &exponent, &modulus)?;
                Ok(power.unwrap_or(Value::NotImplemented))
            }
        }
    });

/// `__rpow__`
pub(crate) const RPOW: NativeDef =
    row("__rpow__", "(self, value, mod=None, /)", "Return pow(value, self, mod).", |interp, arguments| {
        let [this, base, _modulus] = arguments.take();
        binary(interp, BinaryOp::Pow, &this, &base, true)
    });

/// `__divmod__`
pub(crate) const DIVMOD: NativeDef =
    row("__divmod__", "(self, value, /)", "Return divmod(self, value).", |interp, arguments| {
        known!(arguments);
        let [this, other] = arguments.take();
        let pair = number::divide_floor(interp, &interp.plain(&this), &interp.plain(&other))?;
        Ok(pair.unwrap_or(Value::NotImplemented))
    });

fn unary(interp: &Interp, op: UnaryOp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this] = arguments.take();
    let result = number::unary(interp, op, &interp.plain(&this))?;
    Ok(result.unwrap_or(Value::NotImplemented))
}

/// `__neg__`
pub(crate) const NEG: NativeDef =
    row("__neg__", "(self, /)", "-self", |interp, arguments| unary(interp, UnaryOp::Neg, arguments));
/// `__pos__`
pub(crate) const POS: NativeDef =
    row("__pos__", "(self, /)", "+self", |interp, arguments| unary(interp, UnaryOp::Pos, arguments));
/// `__invert__`
pub(crate) const INVERT: NativeDef =
    row("__invert__", "(self, /)", "~self", |interp, arguments| unary(interp, UnaryOp::Invert, arguments));
/// `__abs__`
pub(crate) const ABS: NativeDef = row("__abs__", "(self, /)", "abs(self)", |interp, arguments| {
    known!(arguments);
    let [this] = arguments.take();
    Ok(number::absolute(interp, &interp.plain(&this))?.unwrap_or(Value::NotImplemented))
});

/// Kinds of values that can be ordered among each other.
fn family(v: &Value) -> u8 {
    match v {
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Complex(..) => 1,
        Value::Str(_) => 2,
        Value::Bytes(_) => 3,
        Value::Tuple(_) => 4,
        Value::List(_) => 5,
        Value::Dict(_) => 6,
        Value::Set(_) | Value::FrozenSet(_) => 7,
        Value::Range(_) => 8,
        Value::Slice(_) => 9,
        _ => 0,
    }
}

fn compare(interp: &Interp, op: CompareOp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, other] = arguments.take();
    let (a, b) = (interp.plain(&this), interp.plain(&other));
    if family(&a) == 0 || family(&a) != family(&b) {
        return Ok(Value::NotImplemented);
    }
    if matches!(a, Value::Complex(..) | Value::Dict(_) | Value::Range(_)) {
        return Ok(Value::NotImplemented);
    }
    interp.compare(op, &a, &b)
}

macro_rules! comparisons {
    ($($constant:ident $name:literal $op:ident $symbol:literal;)*) => {
        $(
            #[doc = concat!("`", $name, "`")]
            pub(crate) const $constant: NativeDef =
                row($name, "(self, value, /)", concat!("Return self", $symbol, "value."), |interp, arguments| {
                    compare(interp, CompareOp::$op, arguments)
                });
        )*
    };
}

comparisons! {
    LT "__lt__" Lt "<";
    LE "__le__" LtE "<=";
    GT "__gt__" Gt ">";
    GE "__ge__" GtE ">=";
}

/// `__bool__`
pub(crate) const BOOL: NativeDef = row("__bool__", "(self, /)", "True if self else False", |interp, arguments| {
    let [this] = arguments.take();
    interp.truth(&interp.plain(&this)).map(Value::Bool)
});

/// `__len__`
pub(crate) const LEN: NativeDef = row("__len__", "(self, /)", "Return len(self).", |interp, arguments| {
    let [this] = arguments.take();
    interp.len(&interp.plain(&this)).map(Value::from)
});

/// `__iter__`
pub(crate) const ITER: NativeDef = row("__iter__", "(self, /)", "Implement iter(self).", |interp, arguments| {
    let [this] = arguments.take();
    interp.iter(&interp.plain(&this))
});

/// `__contains__`
pub(crate) const CONTAINS: NativeDef =
    row("__contains__", "(self, key, /)", "Return key in self.", |interp, arguments| {
        let [this, key] = arguments.take();
        interp.contains(&interp.plain(&this), &key).map(Value::Bool)
    });

/// `__getitem__`
pub(crate) const GETITEM: NativeDef = row("__getitem__", "(self, key, /)", "Return self[key].", |interp, arguments| {
    let [this, key] = arguments.take();
    interp.get_item(&interp.plain(&this), &key)
});

/// `__setitem__`
pub(crate) const SETITEM: NativeDef =
    row("__setitem__", "(self, key, value, /)", "Set self[key] to value.", |interp, arguments| {
        let [this, key, value] = arguments.take();
        interp.set_item(&interp.plain(&this), &key, value)?;
        Ok(Value::None)
    });

/// `__delitem__`
pub(crate) const DELITEM: NativeDef = row("__delitem__", "(self, key, /)", "Delete self[key].", |interp, arguments| {
    let [this, key] = arguments.take();
    interp.delete_item(&interp.plain(&this), &key)?;
    Ok(Value::None)
});
