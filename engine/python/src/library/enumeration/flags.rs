//! `Flag` and `IntFlag`: members that combine bit by bit.

use super::super::support::{iterator_of, row, text};
use super::{EnumClasses, blank_member, make, member_map, members, meta, receiver, set_slot, slot};
use crate::class::{Builtin, Class, NativeClass};
use crate::interp::Interp;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use pallas_syntax::ast::BinaryOp;
use std::rc::Rc;

const SHOWN: NativeDef = row("__str__", "(self)", "Color.RED|BLUE", |interp, args| {
    let this = receiver(&args);
    let class = interp.type_of(this);
    Ok(Value::str(match text(&slot(this, "_name_")) {
        Some(name) => format!("{}.{name}", class.name),
        None => format!("{}({})", class.name, interp.repr(&slot(this, "_value_"))?),
    }))
});

const NEXT: NativeDef =
    row("_generate_next_value_", "(name, start, count, last_values)", "The next power of two.", |interp, args| {
        let mut largest = BigInt::zero();
        let last = interp.collect(args.get(3))?;
        for value in &last {
            largest = largest.max(interp.to_int(value)?.to_big());
        }
        if last.is_empty() {
            return Ok(args.get(1).clone());
        }
        Ok(Value::int(BigInt::one() << largest.bits()))
    });

const MISSING: NativeDef = row("_missing_", "(cls, value)", "The combination with a value.", missing);

const VALUE_TEXT: NativeDef = row("__str__", "(self)", "The number.", |interp, args| {
    interp.str(&slot(receiver(&args), "_value_")).map(Value::from)
});

const VALUE_FORMAT: NativeDef = row("__format__", "(self, format_spec)", "The number, formatted.", |interp, args| {
    let [this, spec] = args.take();
    interp.format(&slot(&this, "_value_"), &interp.to_str(&spec)?).map(Value::from)
});

/// The rows of both classes: repeated in `IntFlag`, where those of `int` would come first otherwise.
macro_rules! flag_methods {
    ($($more:expr),*) => {
        &[
            row("__or__", "(self, other)", "Both.", |i, a| combine(i, a, BinaryOp::BitOr)),
            row("__and__", "(self, other)", "What both have.", |i, a| combine(i, a, BinaryOp::BitAnd)),
            row("__xor__", "(self, other)", "What one has.", |i, a| combine(i, a, BinaryOp::BitXor)),
            row("__ror__", "(self, other)", "Both.", |i, a| combine(i, a, BinaryOp::BitOr)),
            row("__rand__", "(self, other)", "What both have.", |i, a| combine(i, a, BinaryOp::BitAnd)),
            row("__rxor__", "(self, other)", "What one has.", |i, a| combine(i, a, BinaryOp::BitXor)),
            row("__invert__", "(self)", "The other flags.", invert),
            row("__contains__", "(self, other)", "Whether all flags of other are here.", contains),
            row("__iter__", "(self)", "The single flags.", |interp, args| {
                let this = receiver(&args);
                Ok(iterator_of(singles(interp, &interp.type_of(this), &bits(interp, this)?)?))
            }),
            row("__len__", "(self)", "The number of single flags.", |interp, args| {
                Ok(Value::from(bits(interp, receiver(&args))?.magnitude().count_ones() as usize))
            }),
            row("__bool__", "(self)", "Whether any flag is set.", |interp, args| {
                Ok(Value::Bool(!bits(interp, receiver(&args))?.is_zero()))
            }),
            row("__repr__", "(self)", "<Color.RED|BLUE: 5>", |interp, args| {
                let this = receiver(&args);
                let (class, value) = (interp.type_of(this), interp.repr(&slot(this, "_value_"))?);
                Ok(Value::str(match text(&slot(this, "_name_")) {
                    Some(name) => format!("<{}.{name}: {value}>", class.name),
                    None => format!("<{}: {value}>", class.name),
                }))
            }),
            NEXT,
            MISSING,
            $($more),*
        ]
    };
}

pub(super) static FLAG: NativeClass = NativeClass {
    name: "Flag",
    module: "enum",
    doc: "An enum whose members combine with | & ^ ~.",
    methods: flag_methods!(SHOWN),
    properties: &[],
    construct: None,
    instance_check: None,
};

pub(super) static INT_FLAG: NativeClass = NativeClass {
    name: "IntFlag",
    module: "enum",
    doc: "A Flag whose members are integers.",
    methods: flag_methods!(VALUE_TEXT, VALUE_FORMAT),
    properties: &[],
    construct: None,
    instance_check: None,
};

/// The bits of a flag, or of an integer.
fn bits(interp: &Interp, value: &Value) -> PyResult<BigInt> {
    let value = if members::is_member(interp, value) { slot(value, "_value_") } else { value.clone() };
    Ok(interp.to_int(&value)?.to_big())
}

/// Sets up what [`extend_mask`] grows, and the boundary: what happens to bits that no member has.
pub(super) fn prepare(interp: &Interp, class: &Rc<Class>, keywords: &Value) {
    let given = super::super::support::keywords(keywords).into_iter().find(|(name, _)| &**name == "boundary");
    let is_int = class.is_subclass(&EnumClasses::of(interp).int_flag);
    let inherited = class.ancestors.iter().find_map(|base| base.namespace.borrow().get("_boundary_").cloned());
    let default = || Value::str(if is_int { "keep" } else { "strict" });
    let boundary = given.map(|(_, value)| value).or(inherited).unwrap_or_else(default);
    let mut namespace = class.namespace.borrow_mut();
    namespace.insert("_boundary_".into(), boundary);
    namespace.insert("_flag_mask_".into(), Value::int(0i64));
}

fn mask(interp: &Interp, class: &Rc<Class>) -> PyResult<BigInt> {
    match class.lookup("_flag_mask_") {
        Some(mask) => Ok(interp.to_int(&mask)?.to_big()),
        None => Ok(BigInt::zero()),
    }
}

pub(super) fn extend_mask(interp: &Interp, class: &Rc<Class>, value: &Value) -> PyResult<()> {
    if matches!(value, Value::Int(_) | Value::Bool(_)) {
        let mask = mask(interp, class)? | interp.to_int(value)?.to_big();
        class.namespace.borrow_mut().insert("_flag_mask_".into(), Value::int(mask));
    }
    Ok(())
}

/// Whether a value is a power of two: only those are listed as members.
pub(super) fn is_single_bit(interp: &Interp, value: &Value) -> PyResult<bool> {
    match value {
        Value::Int(_) | Value::Bool(_) => {
            let value = interp.to_int(value)?.to_big();
            Ok(value.is_positive() && value.magnitude().count_ones() == 1)
        }
        _ => Ok(true),
    }
}

/// The single-bit members inside `value`, in order of definition.
fn singles(interp: &Interp, class: &Rc<Class>, value: &BigInt) -> PyResult<Vec<Value>> {
    let mut found = Vec::new();
    for (name, member) in member_map(class).unwrap_or_default() {
        let bit = bits(interp, &member)?;
        let canonical = text(&slot(&member, "_name_")).is_some_and(|canonical| canonical == name);
        if canonical && bit.is_positive() && bit.magnitude().count_ones() == 1 && (value & &bit) == bit {
            found.push(member);
        }
    }
    Ok(found)
}

/// `Flag._missing_` of CPython's enum.py: makes the member for a combination of bits.
fn missing(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [class, value] = args.take();
    let Value::Class(class) = &class else { return Ok(Value::None) };
    if !matches!(value, Value::Int(_) | Value::Bool(_)) {
        return Err(interp.value_error(format!("{} is not a valid {}", interp.repr(&value)?, class.qualified_name)));
    }
    let original = interp.to_int(&value)?.to_big();
    let mut value = original.clone();
    let mask = mask(interp, class)?;
    let all: BigInt = (BigInt::one() << mask.bits()) - 1;
    let boundary = class.lookup("_boundary_").as_ref().and_then(text).unwrap_or_else(|| "strict".into());
    if value < !&all || value > all || !(&value & (&all ^ &mask)).is_zero() {
        match &*boundary {
            "strict" => {
                let width = usize::try_from(value.bits().max(mask.bits())).unwrap_or(0);
                return Err(interp.value_error(format!(
                    "{} invalid value {value}\n    given {}\n  allowed {}",
                    interp.repr(&Value::Class(class.clone()))?,
                    binary_digits(&value, width),
                    binary_digits(&mask, width)
                )));
            }
            "conform" => value &= &mask,
            "eject" => return Ok(Value::int(value)),
            _ if value.is_negative() => {
                let wrap: BigInt = (&all + BigInt::one()).max(BigInt::one() << value.bits());
                value += wrap;
            }
            _ => {}
        }
    }
    if value.is_negative() {
        value += &all + 1;
    }
    if let Some(known) = make::find(interp, class, &Value::int(value.clone()))? {
        return Ok(known);
    }
    let payload = if class.builtin == Some(Builtin::Int) { Value::int(value.clone()) } else { Value::Unset };
    let member = blank_member(class, payload);
    let parts = singles(interp, class, &value)?;
    let mut combined = BigInt::zero();
    let mut names = Vec::new();
    for part in &parts {
        combined |= bits(interp, part)?;
        names.extend(text(&slot(part, "_name_")).map(|name| name.to_string()));
    }
    let unknown = &value ^ &combined;
    if !unknown.is_zero() && !names.is_empty() {
        names.push(unknown.to_string());
    }
    set_slot(&member, "_value_", Value::int(value.clone()));
    set_slot(&member, "_name_", if names.is_empty() { Value::None } else { Value::str(names.join("|")) });
    let table = class.namespace.borrow().get("_value2member_map_").cloned();
    if let Some(table) = table {
        interp.set_item(&table, &Value::int(value), member.clone())?;
        interp.set_item(&table, &Value::int(original), member.clone())?;
    }
    Ok(member)
}

/// `0b0 0101`: the sign, then at least `width` digits, as `enum.bin` shows them.
fn binary_digits(value: &BigInt, width: usize) -> String {
    let (sign, digits) = if value.is_negative() {
        let ceiling = BigInt::one() << value.bits();
        ("0b1", format!("{:b}", ceiling + value))
    } else {
        ("0b0", if value.is_zero() { String::new() } else { format!("{value:b}") })
    };
    let fill = if sign.ends_with('1') { "1" } else { "0" };
    let padding = fill.repeat(width.saturating_sub(digits.len()));
    format!("{sign} {padding}{digits}")
}

fn combine(interp: &Interp, args: Arguments, op: BinaryOp) -> PyResult<Value> {
    let [this, other] = args.take();
    let class = interp.type_of(&this);
    let same = Rc::ptr_eq(&interp.type_of(&other), &class);
    let plain = class.builtin == Some(Builtin::Int) && matches!(other, Value::Int(_) | Value::Bool(_));
    if !same && !plain {
        return Ok(Value::NotImplemented);
    }
    let (a, b) = (Value::int(bits(interp, &this)?), Value::int(bits(interp, &other)?));
    let value = interp.binary(op, &a, &b)?;
    meta::by_value(interp, &class, &value)
}

fn invert(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let this = receiver(&args);
    let class = interp.type_of(this);
    let value = bits(interp, this)?;
    let boundary = class.lookup("_boundary_").as_ref().and_then(text).unwrap_or_else(|| "strict".into());
    let inverted = if matches!(&*boundary, "keep" | "eject") {
        !value
    } else {
        let mut singles_mask = BigInt::zero();
        for member in singles(interp, &class, &mask(interp, &class)?)? {
            singles_mask |= bits(interp, &member)?;
        }
        singles_mask & !value
    };
    meta::by_value(interp, &class, &Value::int(inverted))
}

fn contains(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, other] = args.take();
    let class = interp.type_of(&this);
    if !interp.type_of(&other).is_subclass(&class) {
        return Err(interp.type_error(format!(
            "unsupported operand type(s) for 'in': '{}' and '{}'",
            interp.type_of(&other).qualified_name,
            class.qualified_name
        )));
    }
    let (this, other) = (bits(interp, &this)?, bits(interp, &other)?);
    Ok(Value::Bool((&this & &other) == other))
}

pub(super) fn show_flag_values(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let value = bits(interp, args.get(0))?;
    let powers = (0..value.bits()).filter(|&bit| value.bit(bit)).map(|bit| Value::int(BigInt::one() << bit));
    Ok(Value::list(powers.collect::<Vec<_>>()))
}
