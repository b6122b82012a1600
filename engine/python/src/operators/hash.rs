//! `hash()`: numbers and tuples as CPython hashes them, since the order of a printed set follows from it.

use crate::dict::hash_str;
use crate::int::Int;
use crate::interp::Interp;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use std::rc::Rc;

/// CPython's `_PyHASH_MODULUS`, 2**61 - 1.
const MODULUS: i64 = (1 << 61) - 1;
/// `sys.hash_info.inf`
const INFINITY: i64 = 314_159;
/// The factor of the imaginary part (`_PyHASH_IMAG`).
const IMAGINARY: u64 = 1_000_003;

/// What is unknown in a value that is hashed by its items.
fn unknown_item(v: &Value) -> Option<Value> {
    match v {
        Value::Unknown(_) => Some(v.clone()),
        Value::Tuple(items) => items.iter().find_map(unknown_item),
        Value::FrozenSet(items) => items.iter().find_map(unknown_item),
        _ => None,
    }
}

impl Interp {
    /// `hash(v)`: the bits of Python's signed hash. TypeError where it is unhashable.
    pub fn hash(&self, v: &Value) -> PyResult<u64> {
        Ok(match v {
            Value::Str(text) => hash_str(text),
            Value::Int(value) => hash_int(value) as u64,
            Value::Bool(value) => u64::from(*value),
            Value::Float(value) => hash_float(*value, v) as u64,
            Value::Complex(real, imaginary) => {
                let hash = (hash_float(*real, v) as u64)
                    .wrapping_add((hash_float(*imaginary, v) as u64).wrapping_mul(IMAGINARY));
                if hash == u64::MAX { u64::MAX - 1 } else { hash }
            }
            Value::None => 0x5d_1a77,
            Value::Ellipsis => 0x5d_1a78,
            Value::NotImplemented => 0x5d_1a79,
            Value::Bytes(bytes) => bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
            }),
            Value::Tuple(items) => self.nested(|| self.hash_tuple(items))?,
            Value::FrozenSet(set) => {
                let mut hash = 0u64;
                for item in set.iter() {
                    let item = self.hash(item)?;
                    hash ^= (item ^ 89_869_747 ^ (item << 16)).wrapping_mul(3_644_798_167);
                }
                hash ^= (set.len() as u64 + 1).wrapping_mul(1_927_868_237);
                hash ^= (hash >> 11) ^ (hash >> 25);
                hash = hash.wrapping_mul(69_069).wrapping_add(907_133_923);
                if hash == u64::MAX { 590_923_713 } else { hash }
            }
            Value::Range(range) => self.hash_tuple(&[
                Value::from(range.len()),
                if range.is_empty() { Value::None } else { Value::from(range.start) },
                if range.len() <= 1 { Value::None } else { Value::from(range.step) },
            ])?,
            Value::Object(object) => match object.hash(v, self) {
                Some(hash) => hash?,
                None => address(Rc::as_ptr(object).cast::<()>()),
            },
            Value::Instance(instance) => {
                let class = Rc::clone(&instance.class.borrow());
                match class.lookup("__hash__") {
                    Some(Value::None) => return Err(self.unhashable(v)),
                    Some(_) => match self.call_special(v, "__hash__", [])? {
                        // What fits is taken as it is (`slot_tp_hash`); -1 stands for an error in C.
                        Some(Value::Int(Int::Small(hash))) => {
                            if hash == -1 {
                                -2i64 as u64
                            } else {
                                hash as u64
                            }
                        }
                        Some(Value::Int(hash)) => hash_int(&hash) as u64,
                        Some(Value::Bool(hash)) => u64::from(hash),
                        // Analysis does not know it: the same object is found again, and equal ones are not.
                        Some(Value::Unknown(_)) => address(Rc::as_ptr(instance).cast()),
                        _ => {
                            return Err(self.type_error("__hash__ method should return an integer"));
                        }
                    },
                    None => match self.plain(v) {
                        Value::Instance(instance) => address(Rc::as_ptr(&instance).cast()),
                        payload => self.hash(&payload)?,
                    },
                }
            }
            Value::Class(class) => address(Rc::as_ptr(class).cast()),
            Value::Function(function) => address(Rc::as_ptr(function).cast()),
            Value::Native(native) => address(std::ptr::from_ref(native.def).cast()),
            Value::Module(module) => address(Rc::as_ptr(module).cast()),
            Value::BoundMethod(method) => self.hash(&method.function)? ^ address_of(&method.receiver).rotate_left(17),
            Value::Property(property) => address(Rc::as_ptr(property).cast()),
            Value::StaticMethod(inner) | Value::ClassMethod(inner) => address(Rc::as_ptr(inner).cast()),
            Value::Unknown(unknown) => address(Rc::as_ptr(unknown).cast()),
            Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Slice(_) | Value::Unset => {
                return Err(self.unhashable(v));
            }
        })
    }

    /// `hash(v)` as a value: unknown where it depends on what analysis does not know.
    pub fn hash_value(&self, v: &Value) -> PyResult<Value> {
        if let Some(unknown) = unknown_item(v) {
            return Ok(unknown);
        }
        // `hash()` is a signed number in Python.
        Ok(Value::from(self.hash(v)? as i64))
    }

    fn unhashable(&self, v: &Value) -> Box<Stop> {
        self.type_error(format!("unhashable type: '{}'", self.type_name(v)))
    }

    /// tupleobject.c: xxHash with the items' hashes as lanes.
    fn hash_tuple(&self, items: &[Value]) -> PyResult<u64> {
        const PRIME_1: u64 = 11_400_714_785_074_694_791;
        const PRIME_2: u64 = 14_029_467_366_897_019_727;
        const PRIME_5: u64 = 2_870_177_450_012_600_261;
        let mut hash = PRIME_5;
        for item in items {
            hash = hash.wrapping_add(self.hash(item)?.wrapping_mul(PRIME_2));
            hash = hash.rotate_left(31).wrapping_mul(PRIME_1);
        }
        hash = hash.wrapping_add(items.len() as u64 ^ (PRIME_5 ^ 3_527_539));
        Ok(if hash == u64::MAX { 1_546_275_796 } else { hash })
    }
}

fn hash_int(value: &Int) -> i64 {
    let hash = match value {
        Int::Small(value) => value % MODULUS,
        Int::Big(value) => {
            let rest = (value.abs() % BigInt::from(MODULUS)).to_i64().unwrap_or(0);
            if value.is_negative() { -rest } else { rest }
        }
    };
    if hash == -1 { -2 } else { hash }
}

/// `_Py_HashDouble`: equal numbers hash alike whatever their type.
fn hash_float(value: f64, v: &Value) -> i64 {
    if value.is_infinite() {
        return if value > 0.0 { INFINITY } else { -INFINITY };
    }
    if value.is_nan() {
        let _ = v;
        return 0;
    }
    if value == value.trunc() && value.abs() < 9e18 {
        return hash_int(&Int::Small(value as i64));
    }
    let (mut mantissa, mut exponent) = split(value.abs());
    let mut hash: u64 = 0;
    while mantissa != 0.0 {
        hash = ((hash << 28) & MODULUS as u64) | hash >> (61 - 28);
        mantissa *= 268_435_456.0;
        exponent -= 28;
        let digit = mantissa as u64;
        mantissa -= digit as f64;
        hash += digit;
        if hash >= MODULUS as u64 {
            hash -= MODULUS as u64;
        }
    }
    let shift = exponent.rem_euclid(61) as u32;
    if shift != 0 {
        hash = ((hash << shift) & MODULUS as u64) | hash >> (61 - shift);
    }
    let hash = if value < 0.0 { -(hash as i64) } else { hash as i64 };
    if hash == -1 { -2 } else { hash }
}

/// C's `frexp` for positive finite values: a mantissa in 0.5..1 and an exponent.
fn split(value: f64) -> (f64, i32) {
    if value == 0.0 {
        return (0.0, 0);
    }
    // Subnormal numbers are scaled into the normal range first.
    let (value, offset) = if value < f64::MIN_POSITIVE { (value * 2f64.powi(64), -64) } else { (value, 0) };
    let bits = value.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1022;
    (f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52), exponent + offset)
}

/// CPython rotates addresses, whose low bits are alike.
fn address(pointer: *const ()) -> u64 {
    (pointer as u64).rotate_right(4)
}

fn address_of(v: &Value) -> u64 {
    match v {
        Value::Instance(instance) => address(Rc::as_ptr(instance).cast()),
        Value::Object(object) => address(Rc::as_ptr(object).cast::<()>()),
        Value::List(list) => address(Rc::as_ptr(list).cast()),
        Value::Dict(dict) => address(Rc::as_ptr(dict).cast()),
        Value::Class(class) => address(Rc::as_ptr(class).cast()),
        _ => 0,
    }
}
