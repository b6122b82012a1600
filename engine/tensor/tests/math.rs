//! The elementary functions against JAX: every result bit for bit, NaN as NaN.
//!
//! The data files and what is in them: `tests/goldens/xla_math.py`.

use half::{bf16, f16};
use pallas_tensor::math::{self, stepwise};

const SINGLE: &[u8] = include_bytes!("data/math_f32.bin");
const NARROW: &[u8] = include_bytes!("data/math_16.bin");
const SUMS: &[u8] = include_bytes!("data/math_sum.bin");
/// Distance of the bit patterns in `math_16.bin`.
const STRIDE: usize = 131;

type Unary = fn(f32) -> f32;
type Binary = fn(f32, f32) -> f32;
type Truth = fn(f64) -> f64;

/// Every function of one argument, by JAX's name.
const UNARY: [(&str, Unary); 27] = [
    ("exp", math::exp),
    ("exp2", math::exp2),
    ("expm1", math::expm1),
    ("log", math::log),
    ("log1p", math::log1p),
    ("sqrt", math::sqrt),
    ("rsqrt", math::rsqrt),
    ("cbrt", math::cbrt),
    ("sin", math::sin),
    ("cos", math::cos),
    ("tan", math::tan),
    ("asin", math::asin),
    ("acos", math::acos),
    ("atan", math::atan),
    ("sinh", math::sinh),
    ("cosh", math::cosh),
    ("tanh", math::tanh),
    ("asinh", math::asinh),
    ("acosh", math::acosh),
    ("atanh", math::atanh),
    ("logistic", math::logistic),
    ("erf", math::erf),
    ("erfc", math::erfc),
    ("erf_inv", math::erf_inv),
    ("lgamma", math::lgamma),
    ("digamma", math::digamma),
    ("square", math::square),
];
const BINARY: [(&str, Binary); 2] = [("pow", math::pow), ("atan2", math::atan2)];

/// Takes a data file apart from the front.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take(&mut self, count: usize) -> &[u8] {
        let (head, rest) = self.0.split_at(count);
        self.0 = rest;
        head
    }

    fn name(&mut self) -> String {
        let text = self.take(8).iter().take_while(|&&byte| byte != 0).copied().collect();
        String::from_utf8(text).expect("names are ASCII")
    }

    fn word(&mut self) -> u32 {
        u32::from_le_bytes(self.take(4).try_into().expect("four bytes"))
    }

    fn floats(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| f32::from_bits(self.word())).collect()
    }

    fn short(&mut self) -> u16 {
        u16::from_le_bytes(self.take(2).try_into().expect("two bytes"))
    }
}

fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

#[test]
fn single_precision_is_bit_for_bit_that_of_jax() {
    let mut reader = Reader(SINGLE);
    let mut seen = 0;
    while !reader.0.is_empty() {
        let name = reader.name();
        let (arity, count) = (reader.word(), reader.word() as usize);
        let first = reader.floats(count);
        let second = if arity == 2 { reader.floats(count) } else { first.clone() };
        let expected = reader.floats(count);
        let unary = UNARY.iter().find(|(known, _)| *known == name);
        let binary = BINARY.iter().find(|(known, _)| *known == name);
        for ((&x, &y), &want) in first.iter().zip(&second).zip(&expected) {
            let got = match (unary, binary) {
                (Some((_, function)), _) => function(x),
                (_, Some((_, function))) => function(x, y),
                _ => panic!("no function {name}"),
            };
            assert!(same(got, want), "{name}({x:e}, {y:e}) = {got:e}, and JAX says {want:e}");
        }
        seen += 1;
    }
    assert_eq!(seen, UNARY.len() + BINARY.len());
}

/// A function of a 16-bit float, on `f32` values that the type has.
/// How far results may be from the true value, in units of the last place of its float. The digits are XLA's, also where its formulas
/// are farther off than two units: XLA takes `exp2(x)` for `exp(x * log(2))`.
const NEAR: [(&str, Unary, Truth, f64); 8] = [
    ("exp", math::exp, f64::exp, 5.0),
    ("exp2", math::exp2, f64::exp2, 67.0),
    ("log", math::log, f64::ln, 2.0),
    ("rsqrt", math::rsqrt, |x| 1.0 / x.sqrt(), 2.0),
    ("sin", math::sin, f64::sin, 2.0),
    ("cos", math::cos, f64::cos, 2.0),
    ("tanh", math::tanh, f64::tanh, 5.0),
    ("erf", math::erf, libm::erf, 6.0),
];

#[test]
fn elementary_functions_are_near_the_true_value() {
    for (name, function, truth, bound) in NEAR {
        // Every 1021st float.
        let mut worst = (0.0, 0.0);
        for bits in (0..=u32::MAX).step_by(1021) {
            let x = f32::from_bits(bits);
            let expected = truth(f64::from(x));
            // Subnormal numbers are zero to XLA.
            if !x.is_normal() || !(expected as f32).is_normal() {
                continue;
            }
            let (_, exponent) = libm::frexp(expected);
            let distance = (f64::from(function(x)) - expected).abs() / libm::ldexp(1.0, exponent - 24);
            if distance.is_nan() || distance > worst.0 {
                worst = (distance, x);
            }
        }
        assert!(
            worst.0 <= bound,
            "{name}({:e}) is {:.2} units of the last place from the true value",
            worst.1,
            worst.0
        );
    }
}

fn narrow(name: &str, wide: Unary, type_name: &str, x: f32) -> f32 {
    let (greatest, round): (f32, fn(f32) -> f32) = match type_name {
        "bf16" => (bf16::MAX.to_f32(), |value| bf16::from_f32(value).to_f32()),
        _ => (f16::MAX.to_f32(), |value| f16::from_f32(value).to_f32()),
    };
    match name {
        "exp2" => stepwise::exp2(x, round),
        "expm1" if type_name == "f16" => stepwise::expm1(x, round),
        "logistic" => stepwise::logistic(x, round),
        "asin" => stepwise::asin(x, round),
        "acos" => stepwise::acos(x, round),
        "asinh" => stepwise::asinh(x, greatest, round),
        "acosh" => stepwise::acosh(x, greatest, round),
        "atanh" => stepwise::atanh(x, round),
        _ => round(wide(x)),
    }
}

#[test]
fn sixteen_bit_floats_are_rounded_where_jax_rounds() {
    let mut reader = Reader(NARROW);
    let mut seen = 0;
    while !reader.0.is_empty() {
        let (type_name, name) = (reader.name(), reader.name());
        let (_, wide) = UNARY.iter().find(|(known, _)| *known == name).expect("a known function");
        for pattern in (0..=u16::MAX).step_by(STRIDE) {
            let value = |bits| match type_name.as_str() {
                "bf16" => bf16::from_bits(bits).to_f32(),
                _ => f16::from_bits(bits).to_f32(),
            };
            let (x, want) = (value(pattern), value(reader.short()));
            let got = narrow(&name, *wide, &type_name, x);
            assert!(same(got, want), "{type_name} {name}({x:e}) = {got:e}, and JAX says {want:e}");
        }
        seen += 1;
    }
    assert_eq!(seen, 2 * UNARY.len());
}

/// `jax.jit(lambda x: x**n)` of float32 1.1, JAX 0.10.2 on the CPU: n and the result's bits.
const INTEGER_POWERS: [(i32, u32); 16] = [
    (-7, 0x3f03_5e53),
    (-3, 0x3f40_562a),
    (-2, 0x3f53_91fb),
    (-1, 0x3f68_ba2e),
    (0, 0x3f80_0000),
    (1, 0x3f8c_cccd),
    (2, 0x3f9a_e148),
    (3, 0x3faa_5e36),
    (4, 0x3fbb_67a2),
    (5, 0x3fce_2532),
    (6, 0x3fe2_c284),
    (7, 0x3ff9_6f92),
    (10, 0x4025_ffe3),
    (13, 0x405c_f207),
    (31, 0x4199_8e0b),
    (100, 0x4657_5297),
];

#[test]
fn integer_powers_multiply_by_squaring() {
    for (exponent, bits) in INTEGER_POWERS {
        let got = math::integer_pow(1.1, exponent);
        assert_eq!(got.to_bits(), bits, "1.1 ** {exponent} = {got:e}");
    }
}

/// Element `index` of every summed array, as in `xla_math.py`.
fn element(index: usize) -> f32 {
    let scrambled = (index as u32).wrapping_mul(2_654_435_761);
    (scrambled >> 8) as f32 * (1.0 / 16_777_216.0) - 0.5
}

#[test]
fn sums_are_added_in_the_order_of_jax() {
    let mut reader = Reader(SUMS);
    let mut seen = 0;
    while !reader.0.is_empty() {
        let rank = reader.word() as usize;
        let shape: Vec<usize> = (0..rank).map(|_| reader.word() as usize).collect();
        let reduced = reader.word();
        let axes: Vec<usize> = (0..rank).filter(|axis| reduced >> axis & 1 == 1).collect();
        let values: Vec<f32> = (0..shape.iter().product()).map(element).collect();
        let got = math::sum(&values, &shape, &axes);
        let expected = reader.floats(got.len());
        for (place, (got, want)) in got.iter().zip(&expected).enumerate() {
            assert!(
                got.to_bits() == want.to_bits(),
                "{shape:?} over {axes:?}, sum {place}: {got:e}, and JAX says {want:e}"
            );
        }
        seen += 1;
    }
    assert_eq!(seen, 28);
}

#[test]
fn sums_of_nothing_are_zero() {
    assert_eq!(math::sum(&[], &[0], &[0]), [0.0]);
    assert_eq!(math::sum(&[], &[2, 0], &[1]), [0.0, 0.0]);
    assert_eq!(math::sum(&[3.0], &[], &[]), [3.0]);
}
