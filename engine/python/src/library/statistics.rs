//! `statistics`: means, medians and deviations. Sums of integers are exact, sums of floats compensated
//! (`math.fsum`), where CPython computes with fractions.

use super::support::{row, unknown};
use crate::int::Int;
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};
use pallas_syntax::ast::BinaryOp;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "statistics",
    doc: "Means, medians and deviations.",
    functions: &[
        row("mean", "(data)", "The arithmetic mean.", mean),
        row("fmean", "(data, weights=None)", "The arithmetic mean as a float.", fmean),
        row("geometric_mean", "(data)", "The geometric mean.", geometric_mean),
        row("harmonic_mean", "(data, weights=None)", "The harmonic mean.", harmonic_mean),
        row("median", "(data)", "The middle value.", |i, a| median(i, &a, Middle::Mean)),
        row("median_low", "(data)", "The lower of two middle values.", |i, a| median(i, &a, Middle::Low)),
        row("median_high", "(data)", "The upper of two middle values.", |i, a| median(i, &a, Middle::High)),
        row("mode", "(data)", "The first of the most common values.", mode),
        row("multimode", "(data)", "The most common values.", multimode),
        row("variance", "(data, xbar=None)", "The sample variance.", |i, a| spread(i, &a, true, false)),
        row("pvariance", "(data, mu=None)", "The population variance.", |i, a| spread(i, &a, false, false)),
        row("stdev", "(data, xbar=None)", "The sample standard deviation.", |i, a| spread(i, &a, true, true)),
        row("pstdev", "(data, mu=None)", "The population standard deviation.", |i, a| spread(i, &a, false, true)),
        row("quantiles", "(data, *, n=4, method='exclusive')", "Cut points between n groups of equal size.", quantiles),
    ],
    populate: |interp, names| {
        let error = interp.exception_class("statistics", "StatisticsError", &interp.types().value_error);
        names.insert("StatisticsError".into(), Value::Class(error));
    },
};

fn error(interp: &Interp, message: &str) -> Box<Stop> {
    interp.error(&interp.exception_class("statistics", "StatisticsError", &interp.types().value_error), message)
}

/// A ratio of integers: what every finite number is.
struct Ratio {
    top: BigInt,
    bottom: BigInt,
}

impl Ratio {
    fn of(interp: &Interp, value: &Value) -> PyResult<Option<Ratio>> {
        Ok(Some(match value {
            Value::Int(_) | Value::Bool(_) => Ratio { top: interp.to_int(value)?.to_big(), bottom: 1.into() },
            other => {
                let x = interp.to_f64(other)?;
                if !x.is_finite() {
                    return Ok(None);
                }
                let (mantissa, exponent) = super::math::frexp(x);
                let top = BigInt::from((mantissa * 2f64.powi(53)) as i64);
                let exponent = exponent - 53;
                if exponent >= 0 {
                    Ratio { top: top << exponent as usize, bottom: 1.into() }
                } else {
                    Ratio { top, bottom: BigInt::from(1) << (-exponent) as usize }
                }
            }
        }))
    }

    fn add(self, other: Ratio) -> Ratio {
        Ratio { top: self.top * &other.bottom + other.top * &self.bottom, bottom: self.bottom * other.bottom }.reduced()
    }

    fn reduced(self) -> Ratio {
        let divisor = self.top.gcd(&self.bottom);
        if divisor.is_zero() {
            return self;
        }
        Ratio { top: self.top / &divisor, bottom: self.bottom / divisor }
    }

    fn minus(&self, other: &Ratio) -> Ratio {
        Ratio { top: &self.top * &other.bottom - &other.top * &self.bottom, bottom: &self.bottom * &other.bottom }
            .reduced()
    }

    fn squared(&self) -> Ratio {
        Ratio { top: &self.top * &self.top, bottom: &self.bottom * &self.bottom }
    }

    fn over(self, count: usize) -> Ratio {
        Ratio { top: self.top, bottom: self.bottom * BigInt::from(count) }.reduced()
    }

    /// The nearest float: scaled so that the quotient has 64 bits.
    fn to_f64(&self) -> f64 {
        let shift = self.bottom.bits() as i64 - self.top.bits() as i64 + 66;
        let (top, bottom) = if shift >= 0 {
            (&self.top << shift as usize, self.bottom.clone())
        } else {
            (self.top.clone(), &self.bottom << (-shift) as usize)
        };
        let (quotient, rest) = top.div_rem(&bottom);
        // A bit that remembers what was cut off keeps the rounding right.
        let sticky = if rest.is_zero() { BigInt::zero() } else { BigInt::from(1) };
        let exact = (quotient << 1usize) + if rest.sign() == num_bigint::Sign::Minus { -sticky } else { sticky };
        super::math::ldexp(exact.to_f64().unwrap_or(0.0), -(shift + 1))
    }
}

/// The data, converted once. A float anywhere makes the result a float.
struct Data {
    values: Vec<Value>,
    ratios: Vec<Ratio>,
    /// `None` where every value is finite; the sum otherwise.
    special: Option<f64>,
    all_integers: bool,
}

fn data(interp: &Interp, values: Vec<Value>) -> PyResult<Data> {
    let mut ratios = Vec::with_capacity(values.len());
    let mut special: Option<f64> = None;
    for value in &values {
        if matches!(value, Value::Str(_) | Value::List(_) | Value::Tuple(_)) {
            return Err(
                interp.type_error(format!("can't convert type '{}' to numerator/denominator", interp.type_name(value)))
            );
        }
        match Ratio::of(interp, value)? {
            Some(ratio) => ratios.push(ratio),
            None => special = Some(special.unwrap_or(0.0) + interp.to_f64(value)?),
        }
    }
    let all_integers = values.iter().all(|value| matches!(value, Value::Int(_) | Value::Bool(_)));
    Ok(Data { values, ratios, special, all_integers })
}

impl Data {
    fn sum(&self) -> Ratio {
        self.ratios.iter().fold(Ratio { top: 0.into(), bottom: 1.into() }, |sum, ratio| {
            sum.add(Ratio { top: ratio.top.clone(), bottom: ratio.bottom.clone() })
        })
    }

    /// A result as Python gives it: an integer for integers where it is whole.
    fn result(&self, ratio: &Ratio) -> Value {
        if self.all_integers && ratio.bottom == 1.into() {
            Value::int(ratio.top.clone())
        } else {
            Value::Float(ratio.to_f64())
        }
    }
}

fn collect(interp: &Interp, args: &Arguments) -> PyResult<Result<Vec<Value>, Value>> {
    if args.get(0).is_unknown() {
        return Ok(Err(args.get(0).clone()));
    }
    let values = interp.collect(args.get(0))?;
    Ok(match unknown(&values) {
        Some(unknown) => Err(unknown),
        None => Ok(values),
    })
}

macro_rules! values {
    ($interp:expr, $args:expr) => {
        match collect($interp, $args)? {
            Ok(values) => values,
            Err(unknown) => return Ok(unknown),
        }
    };
}

fn mean(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let data = data(interp, values!(interp, &args))?;
    if data.values.is_empty() {
        return Err(error(interp, "mean requires at least one data point"));
    }
    if let Some(special) = data.special {
        return Ok(Value::Float(special));
    }
    Ok(data.result(&data.sum().over(data.values.len())))
}

fn fmean(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let values = values!(interp, &args);
    if values.is_empty() {
        return Err(error(interp, "fmean requires at least one data point"));
    }
    let fsum = |values: Vec<Value>| -> PyResult<f64> {
        let function = interp.get_attr(&interp.import("math")?, "fsum")?;
        interp.to_f64(&interp.call_values(&function, [Value::list(values)])?)
    };
    if args.get(1).is_none() {
        let count = values.len() as f64;
        return Ok(Value::Float(fsum(values)? / count));
    }
    let weights = interp.collect(args.get(1))?;
    if weights.len() != values.len() {
        return Err(error(interp, "data and weights must be the same length"));
    }
    let products = values
        .iter()
        .zip(&weights)
        .map(|(value, weight)| interp.binary(BinaryOp::Mult, value, weight))
        .collect::<PyResult<Vec<_>>>()?;
    let total = fsum(weights)?;
    if total == 0.0 {
        return Err(error(interp, "sum of weights must be non-zero"));
    }
    Ok(Value::Float(fsum(products)? / total))
}

fn geometric_mean(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let values = values!(interp, &args);
    let mut sum = 0.0;
    for value in &values {
        let x = interp.to_f64(value)?;
        if x <= 0.0 {
            return Err(error(interp, "geometric mean requires a non-empty dataset containing positive numbers"));
        }
        sum += x.ln();
    }
    if values.is_empty() {
        return Err(error(interp, "geometric mean requires a non-empty dataset containing positive numbers"));
    }
    Ok(Value::Float((sum / values.len() as f64).exp()))
}

fn harmonic_mean(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let values = values!(interp, &args);
    if values.is_empty() {
        return Err(error(interp, "harmonic_mean requires at least one data point"));
    }
    let mut sum = 0.0;
    for value in &values {
        let x = interp.to_f64(value)?;
        if x < 0.0 {
            return Err(error(interp, "harmonic mean does not support negative values"));
        }
        if x == 0.0 {
            return Ok(Value::int(0i64));
        }
        sum += 1.0 / x;
    }
    Ok(Value::Float(values.len() as f64 / sum))
}

fn sorted(interp: &Interp, values: Vec<Value>) -> PyResult<Vec<Value>> {
    let function = super::support::builtin(interp, "sorted")?;
    interp.collect(&interp.call_values(&function, [Value::list(values)])?)
}

#[derive(Clone, Copy)]
enum Middle {
    Mean,
    Low,
    High,
}

fn median(interp: &Interp, args: &Arguments, middle: Middle) -> PyResult<Value> {
    let values = sorted(interp, values!(interp, args))?;
    let n = values.len();
    if n == 0 {
        return Err(error(interp, "no median for empty data"));
    }
    if n % 2 == 1 {
        return Ok(values[n / 2].clone());
    }
    match middle {
        Middle::Low => Ok(values[n / 2 - 1].clone()),
        Middle::High => Ok(values[n / 2].clone()),
        Middle::Mean => {
            let sum = interp.binary(BinaryOp::Add, &values[n / 2 - 1], &values[n / 2])?;
            interp.binary(BinaryOp::Div, &sum, &Value::Int(Int::Small(2)))
        }
    }
}

/// The most common values, in order of first appearance.
fn most_common(interp: &Interp, values: Vec<Value>) -> PyResult<Vec<Value>> {
    let counter =
        interp.call_values(&interp.get_attr(&interp.import("collections")?, "Counter")?, [Value::list(values)])?;
    let ranked = interp.collect(&interp.call_method(&counter, "most_common", [])?)?;
    let mut best: Option<Value> = None;
    let mut result = Vec::new();
    for pair in ranked {
        let pair = interp.collect(&pair)?;
        let count = pair[1].clone();
        match &best {
            Some(best) if !interp.equals(best, &count)? => break,
            _ => best = Some(count),
        }
        result.push(pair[0].clone());
    }
    Ok(result)
}

fn mode(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let values = values!(interp, &args);
    match most_common(interp, values)?.into_iter().next() {
        Some(value) => Ok(value),
        None => Err(error(interp, "no mode for empty data")),
    }
}

fn multimode(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let values = values!(interp, &args);
    Ok(Value::list(most_common(interp, values)?))
}

fn spread(interp: &Interp, args: &Arguments, is_sample: bool, root: bool) -> PyResult<Value> {
    let data = data(interp, values!(interp, args))?;
    let n = data.values.len();
    let least = if is_sample { 2 } else { 1 };
    if n < least {
        let name = match (is_sample, root) {
            (true, true) => "stdev",
            (true, false) => "variance",
            (false, true) => "pstdev",
            (false, false) => "pvariance",
        };
        let points = if is_sample { "two data points" } else { "one data point" };
        return Err(error(interp, &format!("{name} requires at least {points}")));
    }
    if data.special.is_some() {
        return Ok(Value::Float(f64::NAN));
    }
    let center = match args.get(1) {
        Value::None => data.sum().over(n),
        given => match Ratio::of(interp, given)? {
            Some(ratio) => ratio,
            None => return Ok(Value::Float(f64::NAN)),
        },
    };
    let squares = data
        .ratios
        .iter()
        .fold(Ratio { top: 0.into(), bottom: 1.into() }, |sum, ratio| sum.add(ratio.minus(&center).squared()));
    let variance = squares.over(if is_sample { n - 1 } else { n });
    if root {
        return Ok(Value::Float(root_of(&variance)));
    }
    Ok(data.result(&variance))
}

/// The square root of a ratio, rounded once: an integer root of at least 55 bits with a bit for what was cut off.
fn root_of(ratio: &Ratio) -> f64 {
    if ratio.top.is_zero() {
        return 0.0;
    }
    let mut shift = 2 * 64 - (ratio.top.bits() as i64 - ratio.bottom.bits() as i64);
    shift += shift.rem_euclid(2);
    let (top, bottom) = if shift >= 0 {
        (&ratio.top << shift as usize, ratio.bottom.clone())
    } else {
        (ratio.top.clone(), &ratio.bottom << (-shift) as usize)
    };
    let quotient = &top / &bottom;
    let root = quotient.sqrt();
    let exact = &root * &root == quotient && (&quotient * &bottom) == top;
    let sticky: BigInt = (root << 1usize) + i32::from(!exact);
    super::math::ldexp(sticky.to_f64().unwrap_or(0.0), -(shift / 2) - 1)
}

fn quantiles(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let values = sorted(interp, values!(interp, &args))?;
    let n = interp.to_i64(args.get(1))?;
    let method = interp.to_str(args.get(2))?;
    if n < 1 {
        return Err(error(interp, "n must be at least 1"));
    }
    let length = values.len() as i64;
    if length < 2 {
        return Err(error(interp, "must have at least two data points"));
    }
    let mix = |low: &Value, high: &Value, delta: i64| -> PyResult<Value> {
        let a = interp.binary(BinaryOp::Mult, low, &Value::int(n - delta))?;
        let b = interp.binary(BinaryOp::Mult, high, &Value::int(delta))?;
        interp.binary(BinaryOp::Div, &interp.binary(BinaryOp::Add, &a, &b)?, &Value::int(n))
    };
    let mut result = Vec::new();
    for i in 1..n {
        let (j, delta) = match &*method {
            "inclusive" => {
                let m = length - 1;
                ((i * m).div_euclid(n) + 1, (i * m).rem_euclid(n))
            }
            "exclusive" => {
                let m = length + 1;
                let j = (i * m).div_euclid(n).clamp(1, length - 1);
                (j, i * m - j * n)
            }
            other => {
                return Err(interp.value_error(format!("Unknown method: {}", interp.repr(&Value::str(other))?)));
            }
        };
        let high = values.get(j as usize).unwrap_or(&values[values.len() - 1]);
        result.push(mix(&values[j as usize - 1], high, delta)?);
    }
    Ok(Value::list(result))
}
