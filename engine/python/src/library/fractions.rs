//! `fractions.Fraction`: exact ratios of integers.

use super::support::{ClassBuilder, add_class, arguments, classes, form, plain, row, text, unknown};
use crate::call::CallArgs;
use crate::class::Class;
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};
use pallas_syntax::ast::{BinaryOp, CompareOp};
use std::rc::Rc;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "fractions",
    doc: "Exact ratios of integers.",
    functions: &[row("gcd", "(a, b)", "The greatest common divisor.", |interp, args| {
        Ok(Value::int(interp.to_int(args.get(0))?.to_big().gcd(&interp.to_int(args.get(1))?.to_big())))
    })],
    populate: |interp, names| add_class(names, &class(interp)),
};

macro_rules! operator {
    ($name:literal, $op:ident, $reflected:literal) => {
        row($name, "(self, other)", concat!("The operator ", stringify!($op), "."), |interp, args| {
            operate(interp, &args, BinaryOp::$op, $reflected)
        })
    };
}
macro_rules! comparison {
    ($name:literal, $op:ident) => {
        row($name, "(self, other)", concat!("The comparison ", stringify!($op), "."), |interp, args| {
            compare(interp, &args, CompareOp::$op)
        })
    };
}

const METHODS: &[NativeDef] = &[
    operator!("__add__", Add, false),
    operator!("__radd__", Add, true),
    operator!("__sub__", Sub, false),
    operator!("__rsub__", Sub, true),
    operator!("__mul__", Mult, false),
    operator!("__rmul__", Mult, true),
    operator!("__truediv__", Div, false),
    operator!("__rtruediv__", Div, true),
    operator!("__floordiv__", FloorDiv, false),
    operator!("__rfloordiv__", FloorDiv, true),
    operator!("__mod__", Mod, false),
    operator!("__rmod__", Mod, true),
    operator!("__pow__", Pow, false),
    operator!("__rpow__", Pow, true),
    comparison!("__eq__", Eq),
    comparison!("__lt__", Lt),
    comparison!("__le__", LtE),
    comparison!("__gt__", Gt),
    comparison!("__ge__", GtE),
    row("__neg__", "(self)", "-self", |interp, args| Ok(make(interp, own(interp, &args)?.map(|top| -top)))),
    row("__pos__", "(self)", "+self", |_, args| Ok(args.get(0).clone())),
    row("__abs__", "(self)", "abs(self)", |interp, args| Ok(make(interp, own(interp, &args)?.map(|top| top.abs())))),
    row("__bool__", "(self)", "Whether it is not zero.", |interp, args| {
        Ok(Value::Bool(!own(interp, &args)?.top.is_zero()))
    }),
    row("__float__", "(self)", "The nearest float.", |interp, args| Ok(Value::Float(own(interp, &args)?.to_f64()))),
    row("__int__", "(self)", "The integer part.", |interp, args| {
        let ratio = own(interp, &args)?;
        Ok(Value::int(&ratio.top / &ratio.bottom))
    }),
    row("__trunc__", "(self)", "The integer part.", |interp, args| {
        let ratio = own(interp, &args)?;
        Ok(Value::int(&ratio.top / &ratio.bottom))
    }),
    row("__floor__", "(self)", "The largest integer that is not above.", |interp, args| {
        let ratio = own(interp, &args)?;
        Ok(Value::int(ratio.top.div_floor(&ratio.bottom)))
    }),
    row("__ceil__", "(self)", "The smallest integer that is not below.", |interp, args| {
        let ratio = own(interp, &args)?;
        Ok(Value::int(ratio.top.div_ceil(&ratio.bottom)))
    }),
    row("__hash__", "(self)", "As the number that it is.", |interp, args| {
        let ratio = own(interp, &args)?;
        let value = if ratio.bottom.is_one() { Value::int(ratio.top.clone()) } else { Value::Float(ratio.to_f64()) };
        interp.hash(&value).map(|hash| Value::from(hash as i64))
    }),
    row("__repr__", "(self)", "Fraction(1, 2)", |interp, args| {
        let ratio = own(interp, &args)?;
        Ok(Value::from(format!("Fraction({}, {})", ratio.top, ratio.bottom)))
    }),
    row("__str__", "(self)", "1/2", |interp, args| {
        let ratio = own(interp, &args)?;
        Ok(Value::from(if ratio.bottom.is_one() {
            ratio.top.to_string()
        } else {
            format!("{}/{}", ratio.top, ratio.bottom)
        }))
    }),
    row(
        "limit_denominator",
        "(self, max_denominator=1000000)",
        "The nearest fraction with a small denominator.",
        limit,
    ),
    row("as_integer_ratio", "(self)", "Numerator and denominator.", |interp, args| {
        let ratio = own(interp, &args)?;
        Ok(Value::tuple([Value::int(ratio.top), Value::int(ratio.bottom)]))
    }),
];

const PROPERTIES: &[NativeDef] = &[
    row("numerator", "(self)", "The numerator.", |interp, args| Ok(Value::int(own(interp, &args)?.top))),
    row("denominator", "(self)", "The denominator.", |interp, args| Ok(Value::int(own(interp, &args)?.bottom))),
];

#[derive(Clone)]
struct Ratio {
    top: BigInt,
    bottom: BigInt,
}

impl Ratio {
    /// In lowest terms, the denominator positive. `None` for a zero denominator.
    fn new(top: BigInt, bottom: BigInt) -> Option<Ratio> {
        if bottom.is_zero() {
            return None;
        }
        let divisor = top.gcd(&bottom) * if bottom.is_negative() { -BigInt::one() } else { BigInt::one() };
        Some(Ratio { top: top / &divisor, bottom: bottom / divisor })
    }

    fn map(self, function: impl FnOnce(BigInt) -> BigInt) -> Ratio {
        Ratio { top: function(self.top), bottom: self.bottom }
    }

    fn to_f64(&self) -> f64 {
        let shift = self.bottom.bits() as i64 - self.top.bits() as i64 + 66;
        let scaled = if shift >= 0 {
            (&self.top << shift as usize).div_rem(&self.bottom)
        } else {
            self.top.div_rem(&(&self.bottom << (-shift) as usize))
        };
        let (quotient, rest) = scaled;
        let sticky = if rest.is_zero() { BigInt::zero() } else { rest.signum() };
        super::math::ldexp(((quotient << 1usize) + sticky).to_f64().unwrap_or(0.0), -(shift + 1))
    }
}

fn class(interp: &Interp) -> Rc<Class> {
    classes::cached(interp, "Fraction", |interp| {
        ClassBuilder::new("Fraction", "fractions", &interp.types().object)
            .doc("Fraction(numerator=0, denominator=None): an exact ratio.")
            .construct(construct)
            .methods(METHODS)
            .properties(PROPERTIES)
            .build()
    })
}

fn make(interp: &Interp, ratio: Ratio) -> Value {
    let value = classes::instance(&class(interp), Value::Unset);
    fill(&value, ratio);
    value
}

fn fill(value: &Value, ratio: Ratio) {
    if let Value::Instance(instance) = value {
        let mut fields = instance.fields.borrow_mut();
        fields.insert("_numerator".into(), Value::int(ratio.top));
        fields.insert("_denominator".into(), Value::int(ratio.bottom));
    }
}

/// The ratio of a fraction, an integer or a float; `None` for other values.
fn ratio_of(interp: &Interp, value: &Value) -> PyResult<Option<Ratio>> {
    match plain(value) {
        whole @ (Value::Int(_) | Value::Bool(_)) => Ok(Ratio::new(interp.to_int(&whole)?.to_big(), BigInt::one())),
        Value::Float(number) if number.is_finite() => {
            let (mantissa, exponent) = super::math::frexp(number);
            let top = BigInt::from((mantissa * 2f64.powi(53)) as i64);
            let exponent = exponent - 53;
            Ok(if exponent >= 0 {
                Ratio::new(top << exponent as usize, BigInt::one())
            } else {
                Ratio::new(top, BigInt::one() << (-exponent) as usize)
            })
        }
        Value::Instance(instance) => {
            let fields = instance.fields.borrow();
            match (fields.get("_numerator"), fields.get("_denominator")) {
                (Some(top), Some(bottom)) => {
                    Ok(Some(Ratio { top: interp.to_int(top)?.to_big(), bottom: interp.to_int(bottom)?.to_big() }))
                }
                _ => Ok(None),
            }
        }
        _ => Ok(None),
    }
}

fn own(interp: &Interp, args: &Arguments) -> PyResult<Ratio> {
    match ratio_of(interp, args.get(0))? {
        Some(ratio) => Ok(ratio),
        None => Err(interp.type_error("a Fraction is required")),
    }
}

fn construct(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    if let Some(unknown) = unknown(&args.positional) {
        return Ok(unknown);
    }
    let [top, bottom] = arguments(interp, const { &form("__new__", "(numerator=0, denominator=None)") }, args)?.take();
    let part = |value: &Value| -> PyResult<Ratio> {
        if let Some(text) = text(value) {
            return parsed(interp, &text);
        }
        match (ratio_of(interp, value)?, value) {
            (Some(ratio), _) => Ok(ratio),
            (None, Value::Float(number)) if number.is_nan() => {
                Err(interp.value_error("cannot convert NaN to integer ratio"))
            }
            (None, Value::Float(_)) => Err(interp.overflow_error("cannot convert Infinity to integer ratio")),
            _ => Err(interp.type_error("argument should be a string or a Rational instance")),
        }
    };
    let top = part(&top)?;
    let ratio = if bottom.is_none() {
        Some(top)
    } else {
        let bottom = part(&bottom)?;
        Ratio::new(&top.top * &bottom.bottom, &top.bottom * &bottom.top)
            .ok_or_else(|| interp.zero_division_error(format!("Fraction({}, 0)", top.top)))
            .map(Some)?
    };
    let value = classes::instance(class, Value::Unset);
    if let Some(ratio) = ratio {
        fill(&value, ratio);
    }
    Ok(value)
}

/// `3/4`, `-1.25`, `1e-3`
fn parsed(interp: &Interp, source: &str) -> PyResult<Ratio> {
    let bad = || -> PyResult<Ratio> {
        let shown = interp.repr(&Value::str(source))?;
        Err(interp.value_error(format!("Invalid literal for Fraction: {shown}")))
    };
    let trimmed = source.trim().replace('_', "");
    if let Some((top, bottom)) = trimmed.split_once('/') {
        return match (top.parse::<BigInt>(), bottom.parse::<BigInt>()) {
            (Ok(top), Ok(bottom)) if !bottom.is_negative() => match Ratio::new(top.clone(), bottom) {
                Some(ratio) => Ok(ratio),
                None => Err(interp.zero_division_error(format!("Fraction({top}, 0)"))),
            },
            _ => bad(),
        };
    }
    let (number, exponent) = match trimmed.split_once(['e', 'E']) {
        Some((number, exponent)) => match exponent.parse::<i64>() {
            Ok(exponent) if exponent.abs() < 10_000 => (number, exponent),
            _ => return bad(),
        },
        None => (trimmed.as_str(), 0),
    };
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    if decimals.starts_with(['+', '-']) || (whole.trim_start_matches(['+', '-']).is_empty() && decimals.is_empty()) {
        return bad();
    }
    let Ok(digits) = format!("{whole}{decimals}").parse::<BigInt>() else { return bad() };
    let shift = exponent - decimals.len() as i64;
    let scale = BigInt::from(10).pow(shift.unsigned_abs());
    let ratio = if shift >= 0 { Ratio::new(digits * scale, BigInt::one()) } else { Ratio::new(digits, scale) };
    ratio.map_or_else(bad, Ok)
}

fn operate(interp: &Interp, args: &Arguments, op: BinaryOp, reflected: bool) -> PyResult<Value> {
    let this = own(interp, args)?;
    let other = plain(args.get(1));
    if let Value::Float(_) | Value::Complex(..) = other {
        let this = Value::Float(this.to_f64());
        return if reflected { interp.binary(op, &other, &this) } else { interp.binary(op, &this, &other) };
    }
    let Some(other) = ratio_of(interp, &other)? else { return Ok(Value::NotImplemented) };
    let (a, b) = if reflected { (other, this) } else { (this, other) };
    let divided = || -> PyResult<Ratio> {
        Ratio::new(&a.top * &b.bottom, &a.bottom * &b.top)
            .ok_or_else(|| interp.zero_division_error(format!("Fraction({}, 0)", &a.top * &b.bottom)))
    };
    let whole = || Ok(divided()?.top.div_floor(&divided()?.bottom));
    let result = match op {
        BinaryOp::Add => Ratio::new(&a.top * &b.bottom + &b.top * &a.bottom, &a.bottom * &b.bottom),
        BinaryOp::Sub => Ratio::new(&a.top * &b.bottom - &b.top * &a.bottom, &a.bottom * &b.bottom),
        BinaryOp::Mult => Ratio::new(&a.top * &b.top, &a.bottom * &b.bottom),
        BinaryOp::Div => Some(divided()?),
        BinaryOp::FloorDiv => return whole().map(Value::int),
        BinaryOp::Mod => {
            let quotient: BigInt = whole()?;
            let product = quotient * &b.top;
            Ratio::new(&a.top * &b.bottom - product * &a.bottom, &a.bottom * &b.bottom)
        }
        _ => return power(interp, &a, &b),
    };
    Ok(result.map_or(Value::NotImplemented, |ratio| make(interp, ratio)))
}

fn power(interp: &Interp, base: &Ratio, exponent: &Ratio) -> PyResult<Value> {
    if !exponent.bottom.is_one() {
        return interp.binary(BinaryOp::Pow, &Value::Float(base.to_f64()), &Value::Float(exponent.to_f64()));
    }
    let Some(times) = exponent.top.magnitude().to_u32() else {
        return Err(interp.overflow_error("the exponent is too large"));
    };
    interp.charge_bytes(u128::from(base.top.bits().max(base.bottom.bits())) * u128::from(times) / 8)?;
    let (top, bottom) = (Pow::pow(&base.top, times), Pow::pow(&base.bottom, times));
    let ratio = if exponent.top.is_negative() { Ratio::new(bottom, top) } else { Ratio::new(top, bottom) };
    match ratio {
        Some(ratio) => Ok(make(interp, ratio)),
        None => Err(interp.zero_division_error("Fraction(1, 0)")),
    }
}

fn compare(interp: &Interp, args: &Arguments, op: CompareOp) -> PyResult<Value> {
    let this = own(interp, args)?;
    let Some(other) = ratio_of(interp, args.get(1))? else {
        return match args.get(1) {
            Value::Float(number) => interp.compare(op, &Value::Float(this.to_f64()), &Value::Float(*number)),
            _ => Ok(Value::NotImplemented),
        };
    };
    let (a, b) = (Value::int(this.top * &other.bottom), Value::int(other.top * this.bottom));
    interp.compare(op, &a, &b)
}

/// The algorithm of CPython's `Fraction.limit_denominator`: the last two convergents within the bound.
fn limit(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let ratio = own(interp, &args)?;
    let most = interp.to_int(args.get(1))?.to_big();
    if most < BigInt::one() {
        return Err(interp.value_error("max_denominator should be at least 1"));
    }
    if ratio.bottom <= most {
        return Ok(make(interp, ratio));
    }
    let (mut p0, mut q0, mut p1, mut q1) = (BigInt::zero(), BigInt::one(), BigInt::one(), BigInt::zero());
    let (mut n, mut d) = (ratio.top.clone(), ratio.bottom.clone());
    loop {
        let a = n.div_floor(&d);
        let q2 = &q0 + &a * &q1;
        if q2 > most {
            break;
        }
        let p2 = &p0 + &a * &p1;
        (p0, q0, p1, q1) = (p1, q1, p2, q2);
        let rest = &n - &a * &d;
        (n, d) = (d, rest);
    }
    let k = (&most - &q0).div_floor(&q1);
    // Of the two bounds the closer, the simpler where they are equally far.
    let upper = Ratio { top: &p0 + &k * &p1, bottom: &q0 + &k * &q1 };
    let lower = Ratio { top: p1, bottom: q1 };
    let distance = |bound: &Ratio| -> (BigInt, BigInt) {
        let top = &bound.top * &ratio.bottom - &ratio.top * &bound.bottom;
        (top.abs(), &bound.bottom * &ratio.bottom)
    };
    let (a, b) = (distance(&lower), distance(&upper));
    let chosen = if &a.0 * &b.1 <= &b.0 * &a.1 { lower } else { upper };
    Ok(make(interp, chosen))
}
