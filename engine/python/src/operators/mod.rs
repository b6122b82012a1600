//! Operators: which operand answers, in which order, and the error when none does. Arithmetic of numbers is in
//! [`crate::builtins::number`], operators of sequences and sets in [`sequence`].

pub mod compare;
pub mod equality;
pub mod hash;
pub mod item;
pub mod sequence;
pub mod slice;

use crate::builtins::number;
use crate::int::Int;
use crate::interp::Interp;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use pallas_syntax::ast::{BinaryOp, UnaryOp};

/// Special methods of one operator.
struct Methods {
    forward: &'static str,
    reflected: &'static str,
    in_place: &'static str,
}

fn methods(op: BinaryOp) -> Methods {
    macro_rules! row {
        ($stem:literal) => {
            Methods {
                forward: concat!("__", $stem, "__"),
                reflected: concat!("__r", $stem, "__"),
                in_place: concat!("__i", $stem, "__"),
            }
        };
    }
    match op {
        BinaryOp::Add => row!("add"),
        BinaryOp::Sub => row!("sub"),
        BinaryOp::Mult => row!("mul"),
        BinaryOp::MatMult => row!("matmul"),
        BinaryOp::Div => row!("truediv"),
        BinaryOp::FloorDiv => row!("floordiv"),
        BinaryOp::Mod => row!("mod"),
        BinaryOp::Pow => row!("pow"),
        BinaryOp::LShift => row!("lshift"),
        BinaryOp::RShift => row!("rshift"),
        BinaryOp::BitOr => row!("or"),
        BinaryOp::BitXor => row!("xor"),
        BinaryOp::BitAnd => row!("and"),
    }
}

impl Interp {
    /// `a op b`. TypeError where neither side can.
    pub fn binary(&self, op: BinaryOp, a: &Value, b: &Value) -> PyResult<Value> {
        if let Some(value) = quick(op, a, b) {
            return Ok(value);
        }
        self.binary_or(op, a, b, op.symbol())
    }

    fn binary_or(&self, op: BinaryOp, a: &Value, b: &Value, symbol: &str) -> PyResult<Value> {
        match self.try_binary(op, a, b)? {
            Some(value) => Ok(value),
            None => Err(self.unsupported(op, a, b, symbol)),
        }
    }

    /// `a op b`, or `None` where neither side can.
    pub fn try_binary(&self, op: BinaryOp, a: &Value, b: &Value) -> PyResult<Option<Value>> {
        match (a, b) {
            (Value::Unknown(_), _) => return Ok(Some(a.clone())),
            (_, Value::Unknown(_)) => return Ok(Some(b.clone())),
            (Value::Instance(_) | Value::Object(_) | Value::Class(_), _)
            | (_, Value::Instance(_) | Value::Object(_) | Value::Class(_)) => {}
            _ => return self.builtin_binary(op, a, b),
        }
        let names = methods(op);
        // `"%s" % Color.RED` shows the member, not the text inside: `str.__rmod__`, which `Color` inherits, waits.
        if op == BinaryOp::Mod
            && matches!(a, Value::Str(_) | Value::Bytes(_))
            && !matches!(self.type_of(b).lookup(names.reflected), Some(Value::Function(_)))
        {
            return self.sequence_binary(op, a, b);
        }
        // A subclass on the right goes first where it overrides the reflected method: Python's data model 3.3.8.
        let right_first = matches!(b, Value::Instance(_) | Value::Object(_)) && {
            let (left, right) = (self.type_of(a), self.type_of(b));
            !std::rc::Rc::ptr_eq(&left, &right) && right.is_subclass(&left) && right.lookup(names.reflected).is_some()
        };
        if right_first && let Some(value) = self.half_binary(op, b, a, true, names.reflected)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.half_binary(op, a, b, false, names.forward)? {
            return Ok(Some(value));
        }
        if !right_first && let Some(value) = self.half_binary(op, b, a, true, names.reflected)? {
            return Ok(Some(value));
        }
        let (plain_a, plain_b) = (self.plain(a), self.plain(b));
        if matches!(plain_a, Value::Instance(_)) || matches!(plain_b, Value::Instance(_)) {
            // Any object may fill a template, and any with `__index__` repeats a sequence.
            return match op {
                BinaryOp::Mod | BinaryOp::Mult => self.sequence_binary(op, &plain_a, &plain_b),
                _ => Ok(None),
            };
        }
        if op == BinaryOp::Mod && matches!(plain_a, Value::Str(_) | Value::Bytes(_)) {
            // `"%s" % Color.RED` shows the member, not the text inside.
            return self.sequence_binary(op, &plain_a, b);
        }
        self.builtin_binary(op, &plain_a, &plain_b)
    }

    /// What one operand answers through its own protocol.
    fn half_binary(
        &self,
        op: BinaryOp,
        this: &Value,
        other: &Value,
        reflected: bool,
        method: &str,
    ) -> PyResult<Option<Value>> {
        match this {
            Value::Object(object) => object.binary(this, op, other, reflected, self),
            Value::Instance(_) | Value::Class(_) => match self.call_special(this, method, [other.clone()])? {
                None | Some(Value::NotImplemented) => Ok(None),
                value => Ok(value),
            },
            _ => Ok(None),
        }
    }

    /// Both operands are builtin values.
    fn builtin_binary(&self, op: BinaryOp, a: &Value, b: &Value) -> PyResult<Option<Value>> {
        if let Some(value) = number::binary(self, op, a, b)? {
            return Ok(Some(value));
        }
        self.sequence_binary(op, a, b)
    }

    /// `a op= b`: the in-place method first, then as `a op b`.
    pub fn binary_in_place(&self, op: BinaryOp, a: &Value, b: &Value) -> PyResult<Value> {
        if let Some(value) = quick(op, a, b) {
            return Ok(value);
        }
        match a {
            Value::Instance(_) | Value::Object(_) => match self.call_special(a, methods(op).in_place, [b.clone()])? {
                None | Some(Value::NotImplemented) => {}
                Some(value) => return Ok(value),
            },
            Value::List(_) | Value::Set(_) | Value::Dict(_) => {
                if let Some(value) = self.sequence_in_place(op, a, b)? {
                    return Ok(value);
                }
            }
            _ => {}
        }
        self.binary_or(op, a, b, &format!("{}=", op.symbol()))
    }

    fn unsupported(&self, op: BinaryOp, a: &Value, b: &Value, symbol: &str) -> Box<Stop> {
        let (left, right) = (self.type_name(a), self.type_name(b));
        // The messages of the sequence slots stand before the general one, as in abstract.c.
        let (plain_a, plain_b) = (self.plain(a), self.plain(b));
        match (op, &plain_a) {
            (BinaryOp::Add, Value::Str(_)) => {
                return self.type_error(format!("can only concatenate str (not \"{right}\") to str"));
            }
            (BinaryOp::Add, Value::List(_)) if symbol == "+" => {
                return self.type_error(format!("can only concatenate list (not \"{right}\") to list"));
            }
            (BinaryOp::Add, Value::Tuple(_)) => {
                return self.type_error(format!("can only concatenate tuple (not \"{right}\") to tuple"));
            }
            (BinaryOp::Add, Value::Bytes(_)) => {
                return self.type_error(format!("can't concat {right} to bytes"));
            }
            _ => {}
        }
        if op == BinaryOp::Mult {
            let sequence = |v: &Value| matches!(v, Value::Str(_) | Value::List(_) | Value::Tuple(_) | Value::Bytes(_));
            if sequence(&plain_a) {
                return self.type_error(format!("can't multiply sequence by non-int of type '{right}'"));
            }
            if sequence(&plain_b) {
                return self.type_error(format!("can't multiply sequence by non-int of type '{left}'"));
            }
        }
        let symbol = match symbol {
            "**" => "** or pow()",
            symbol => symbol,
        };
        self.type_error(format!("unsupported operand type(s) for {symbol}: '{left}' and '{right}'"))
    }

    /// `-a`, `+a`, `~a`, `not a`. TypeError where it has none.
    pub fn unary(&self, op: UnaryOp, a: &Value) -> PyResult<Value> {
        if a.is_unknown() {
            return Ok(a.clone());
        }
        if op == UnaryOp::Not {
            if a.is_undecided() {
                return Ok(a.to_unknown("depends on the data of an array"));
            }
            return Ok(Value::Bool(!self.truth(a)?));
        }
        if let Value::Object(object) = a
            && let Some(value) = object.unary(a, op, self)?
        {
            return Ok(value);
        }
        let (symbol, method) = match op {
            UnaryOp::Neg => ("-", "__neg__"),
            UnaryOp::Pos => ("+", "__pos__"),
            UnaryOp::Invert | UnaryOp::Not => ("~", "__invert__"),
        };
        if matches!(a, Value::Instance(_))
            && let Some(value) = self.call_special(a, method, [])?
        {
            return Ok(value);
        }
        if let Some(value) = number::unary(self, op, &self.plain(a))? {
            return Ok(value);
        }
        Err(self.type_error(format!("bad operand type for unary {symbol}: '{}'", self.type_name(a))))
    }

    /// `bool(v)`. `Unknown` reads as false: the statement machine asks before it comes here.
    pub fn truth(&self, v: &Value) -> PyResult<bool> {
        Ok(match v {
            Value::Bool(value) => *value,
            Value::None | Value::Unset | Value::Unknown(_) => false,
            Value::Int(value) => !value.is_zero(),
            Value::Float(value) => *value != 0.0,
            Value::Complex(real, imaginary) => *real != 0.0 || *imaginary != 0.0,
            Value::Str(text) => !text.is_empty(),
            Value::Bytes(bytes) => !bytes.is_empty(),
            Value::Tuple(items) => !items.is_empty(),
            Value::List(items) => !items.borrow().is_empty(),
            Value::Dict(dict) => !dict.borrow().is_empty(),
            Value::Set(set) => !set.borrow().is_empty(),
            Value::FrozenSet(set) => !set.is_empty(),
            Value::Range(range) => !range.is_empty(),
            Value::Object(object) => match object.truth(v, self)? {
                Some(truth) => truth,
                None => match object.length(v, self) {
                    Some(length) => length? > 0,
                    None => true,
                },
            },
            Value::Instance(_) => {
                if let Some(result) = self.call_special(v, "__bool__", [])? {
                    return match result {
                        Value::Bool(truth) => Ok(truth),
                        Value::Unknown(_) => Ok(false),
                        other => Err(self
                            .type_error(format!("__bool__ should return bool, returned {}", self.type_name(&other)))),
                    };
                }
                if self.overrides(v, "__len__") {
                    return Ok(self.len(v)? > 0);
                }
                match self.plain(v) {
                    Value::Instance(_) => true,
                    payload => self.truth(&payload)?,
                }
            }
            Value::Class(class) if class.metaclass.is_some() => match self.call_special(v, "__bool__", [])? {
                Some(result) => self.truth(&result)?,
                None => true,
            },
            _ => true,
        })
    }
}

/// The operations that loops spend their time in.
fn quick(op: BinaryOp, a: &Value, b: &Value) -> Option<Value> {
    match (a, b) {
        (Value::Int(Int::Small(a)), Value::Int(Int::Small(b))) => {
            let value = match op {
                BinaryOp::Add => a.checked_add(*b)?,
                BinaryOp::Sub => a.checked_sub(*b)?,
                BinaryOp::Mult => a.checked_mul(*b)?,
                BinaryOp::FloorDiv if *b > 0 => a.checked_div_euclid(*b)?,
                BinaryOp::Mod if *b > 0 => a.checked_rem_euclid(*b)?,
                BinaryOp::BitAnd => a & b,
                BinaryOp::BitOr => a | b,
                BinaryOp::BitXor => a ^ b,
                _ => return None,
            };
            Some(Value::Int(Int::Small(value)))
        }
        (Value::Float(a), Value::Float(b)) => Some(Value::Float(match op {
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::Mult => a * b,
            BinaryOp::Div if *b != 0.0 => a / b,
            _ => return None,
        })),
        _ => None,
    }
}
