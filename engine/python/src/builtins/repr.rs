//! `repr` and `str` of numbers, strings, containers, ranges and slices. Recursion through containers is cut as CPython
//! cuts it (`[...]`). Functions, classes, instances and objects are shown by `crate::text`.

use crate::builtins::format::float;
use crate::builtins::number::integer;
use crate::builtins::text;
use crate::dict::Set;
use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::{Slice, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// Containers whose `repr` is being made, by address.
#[derive(Default)]
struct Active {
    addresses: RefCell<Vec<usize>>,
}

/// Makes the `repr` of a container, or gives `cut` where that is being made already.
pub(crate) fn guarded(
    interp: &Interp,
    address: usize,
    cut: &str,
    make: impl FnOnce() -> PyResult<String>,
) -> PyResult<String> {
    let active = interp.extension::<Active>();
    if active.addresses.borrow().contains(&address) {
        return Ok(cut.to_owned());
    }
    active.addresses.borrow_mut().push(address);
    let text = interp.nested(make);
    active.addresses.borrow_mut().pop();
    text
}

/// `repr(a), repr(b), ...` separated by commas. Text is charged, so that a shared structure cannot explode.
fn listed<'a>(interp: &Interp, items: impl IntoIterator<Item = &'a Value>) -> PyResult<String> {
    let mut text = String::new();
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        let item = interp.repr(item)?;
        interp.charge(1)?;
        interp.charge_bytes(item.len() as u128)?;
        text.push_str(&item);
    }
    Ok(text)
}

/// `repr` of a builtin value. Functions, classes, instances and objects are the core's: see `crate::text`.
pub fn repr(interp: &Interp, v: &Value) -> PyResult<String> {
    Ok(match v {
        Value::None => "None".to_owned(),
        Value::NotImplemented => "NotImplemented".to_owned(),
        Value::Ellipsis => "Ellipsis".to_owned(),
        Value::Bool(value) => if *value { "True" } else { "False" }.to_owned(),
        Value::Int(value) => integer::to_decimal(value).map_err(|error| error.raise(interp))?,
        Value::Float(value) => float::repr(*value),
        Value::Complex(real, imaginary) => complex(*real, *imaginary),
        Value::Str(value) => text::quote(value),
        Value::Bytes(value) => text::quote_bytes(value),
        Value::Tuple(items) => {
            guarded(interp, Rc::as_ptr(items).cast::<()>() as usize, "(...)", || tuple(interp, items))?
        }
        Value::List(items) => guarded(interp, Rc::as_ptr(items) as usize, "[...]", || {
            let items = items.borrow().clone();
            Ok(format!("[{}]", listed(interp, &items)?))
        })?,
        Value::Dict(dict) => guarded(interp, Rc::as_ptr(dict) as usize, "{...}", || {
            let entries: Vec<(Value, Value)> =
                dict.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect();
            pairs(interp, &entries)
        })?,
        Value::Set(members) => guarded(interp, Rc::as_ptr(members) as usize, "set(...)", || {
            let members = members.borrow().clone();
            set(interp, &members, "set")
        })?,
        Value::FrozenSet(members) => {
            guarded(interp, Rc::as_ptr(members) as usize, "frozenset(...)", || set(interp, members, "frozenset"))?
        }
        Value::Range(range) if range.step == 1 => format!("range({}, {})", range.start, range.stop),
        Value::Range(range) => format!("range({}, {}, {})", range.start, range.stop, range.step),
        Value::Slice(slice) => {
            let Slice { lower, upper, step } = &**slice;
            format!("slice({})", listed(interp, [lower, upper, step])?)
        }
        other => return interp.repr(other),
    })
}

/// `str` of a builtin value.
pub fn str(interp: &Interp, v: &Value) -> PyResult<String> {
    match v {
        Value::Str(value) => Ok(value.to_string()),
        _ => repr(interp, v),
    }
}

/// `repr(complex)`: the real part is left out where it is a positive zero.
pub fn complex(real: f64, imaginary: f64) -> String {
    let part = float::repr_part(imaginary);
    if real == 0.0 && !real.is_sign_negative() {
        return format!("{part}j");
    }
    let sign = if part.starts_with('-') { "" } else { "+" };
    format!("({}{sign}{part}j)", float::repr_part(real))
}

/// `(1,)`, `(1, 2)`
pub fn tuple(interp: &Interp, items: &[Value]) -> PyResult<String> {
    let comma = if items.len() == 1 { "," } else { "" };
    Ok(format!("({}{comma})", listed(interp, items)?))
}

/// `{'a': 1}`
pub fn pairs(interp: &Interp, entries: &[(Value, Value)]) -> PyResult<String> {
    let mut text = String::from("{");
    for (index, (key, value)) in entries.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        let entry = format!("{}: {}", interp.repr(key)?, interp.repr(value)?);
        interp.charge(1)?;
        interp.charge_bytes(entry.len() as u128)?;
        text.push_str(&entry);
    }
    text.push('}');
    Ok(text)
}

/// `{1, 2}` for a set, `name({1, 2})` for anything else set-like, `name()` where it is empty.
pub fn set(interp: &Interp, members: &Set, name: &str) -> PyResult<String> {
    if members.is_empty() {
        return Ok(format!("{name}()"));
    }
    let listed = listed(interp, members.iter())?;
    Ok(if name == "set" { format!("{{{listed}}}") } else { format!("{name}({{{listed}}})") })
}

/// `id(v)`: the address of shared values, a number made from the value for the others.
pub fn address(v: &Value) -> usize {
    match v {
        Value::Str(value) => Rc::as_ptr(value).cast::<()>() as usize,
        Value::Bytes(value) => Rc::as_ptr(value).cast::<()>() as usize,
        Value::Tuple(value) => Rc::as_ptr(value).cast::<()>() as usize,
        Value::List(value) => Rc::as_ptr(value) as usize,
        Value::Dict(value) => Rc::as_ptr(value) as usize,
        Value::Set(value) => Rc::as_ptr(value) as usize,
        Value::FrozenSet(value) => Rc::as_ptr(value) as usize,
        Value::Range(value) => Rc::as_ptr(value) as usize,
        Value::Slice(value) => Rc::as_ptr(value) as usize,
        Value::Function(value) => Rc::as_ptr(value) as usize,
        Value::Native(value) => Rc::as_ptr(value) as usize,
        Value::BoundMethod(value) => Rc::as_ptr(value) as usize,
        Value::Class(value) => Rc::as_ptr(value) as usize,
        Value::Instance(value) => Rc::as_ptr(value) as usize,
        Value::Module(value) => Rc::as_ptr(value) as usize,
        Value::Property(value) => Rc::as_ptr(value) as usize,
        Value::StaticMethod(value) | Value::ClassMethod(value) => Rc::as_ptr(value) as usize,
        Value::Object(value) => Rc::as_ptr(value).cast::<()>() as usize,
        Value::Unknown(value) => Rc::as_ptr(value) as usize,
        // Values without an address: equal ones are identical, so the number is made from the value.
        Value::Int(value) => scattered(match value.to_i64() {
            Some(value) => value as u64,
            None => value.to_f64().to_bits(),
        }),
        Value::Float(value) => scattered(value.to_bits() ^ 0x5555),
        Value::Complex(real, imaginary) => scattered(real.to_bits() ^ imaginary.to_bits().rotate_left(32)),
        Value::Bool(value) => 0x7f5a_0000_1000 + 32 * usize::from(*value),
        Value::None => 0x7f5a_0000_2000,
        Value::NotImplemented => 0x7f5a_0000_2040,
        Value::Ellipsis => 0x7f5a_0000_2080,
        Value::Unset => 0x7f5a_0000_20c0,
    }
}

fn scattered(bits: u64) -> usize {
    0x7f5b_0000_0000 + ((bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & !0xf)
}
