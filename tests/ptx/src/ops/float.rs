//! Floating-point arithmetic (PTX ISA 9.7.3, 9.7.4): `f64`, `f32`, and halves with two in a register. What PTX calls approximate is
//! computed in double precision and rounded, so that a kernel's digits are better here than on a device.

use super::{Words, map, parts};
use crate::formats::{Round, fused, narrow, sum, to_f32, wide};
use crate::inst::Map;
use crate::types::{Kind, Type};

pub(super) fn make(words: &Words<'_>, _: &[Option<u64>]) -> Option<Map> {
    let ty = words.ty()?;
    let round = words.modifiers.iter().find_map(|word| Round::named(word)).unwrap_or(Round::Nearest);
    match (ty.kind, ty.bits, ty.packed) {
        (Kind::Float, 32, 1) => single(words, round),
        (Kind::Float, 64, 1) => double(words, round),
        (Kind::Float, 64, 2) => packed(words, ty, round),
        _ => packed(words, ty, round),
    }
}

#[inline(always)]
fn flushed(x: f32) -> f32 {
    if x.abs() < f32::MIN_POSITIVE { 0.0_f32.copysign(x) } else { x }
}

/// A function of numbers of 32 bits, with what `.ftz` and `.sat` do before and after.
fn lanes(words: &Words<'_>, f: impl Fn(f32, f32, f32) -> f32 + Send + Sync + 'static) -> Option<Map> {
    let (ftz, sat) = (words.has("ftz"), words.has("sat"));
    let plain = |bits: u64| f32::from_bits(bits as u32);
    let kept = |x: f32| u64::from(if x.is_nan() { crate::formats::NAN32 } else { x.to_bits() });
    match (ftz, sat) {
        (false, false) => map(move |a, b, c, _| kept(f(plain(a), plain(b), plain(c)))),
        _ => map(move |a, b, c, _| {
            let given = |bits: u64| if ftz { flushed(plain(bits)) } else { plain(bits) };
            let x = f(given(a), given(b), given(c));
            let x = if ftz { flushed(x) } else { x };
            // A NaN saturates to 0.
            kept(if !sat {
                x
            } else if x > 0.0 {
                x.min(1.0)
            } else {
                0.0
            })
        }),
    }
}

fn single(words: &Words<'_>, round: Round) -> Option<Map> {
    let near = round == Round::Nearest;
    // Double precision has more than twice the bits: rounding what it gives is rounding once.
    macro_rules! unary {
        ($f:expr) => {
            lanes(words, move |a, _, _| to_f32($f(f64::from(a)), round))
        };
    }
    match words.stem {
        "add" if near => lanes(words, |a, b, _| a + b),
        "sub" if near => lanes(words, |a, b, _| a - b),
        "mul" if near => lanes(words, |a, b, _| a * b),
        "add" => lanes(words, move |a, b, _| to_f32(sum(f64::from(a), f64::from(b)), round)),
        "sub" => lanes(words, move |a, b, _| to_f32(sum(f64::from(a), -f64::from(b)), round)),
        "mul" => lanes(words, move |a, b, _| to_f32(f64::from(a) * f64::from(b), round)),
        "fma" | "mad" => lanes(words, move |a, b, c| to_f32(fused(a, b, c), round)),
        "div" => lanes(words, move |a, b, _| to_f32(f64::from(a) / f64::from(b), round)),
        "min" | "max" => {
            let extremum = extremum(words);
            lanes(words, move |a, b, _| extremum(f64::from(a), f64::from(b)) as f32)
        }
        "neg" => lanes(words, |a, _, _| -a),
        // The sign goes, whatever it is of.
        "abs" => lanes(words, |a, _, _| a.abs()),
        "copysign" => map(|a, b, _, _| (a & 0x8000_0000) | (b & 0x7fff_ffff)),
        "rcp" => unary!(|x: f64| 1.0 / x),
        "sqrt" => unary!(f64::sqrt),
        "rsqrt" => unary!(|x: f64| 1.0 / x.sqrt()),
        "ex2" => unary!(f64::exp2),
        "lg2" => unary!(f64::log2),
        "sin" => unary!(f64::sin),
        "cos" => unary!(f64::cos),
        "tanh" => unary!(f64::tanh),
        "testp" => test(words, 23, 8),
        _ => None,
    }
}

/// The smaller or larger number; a NaN only where both are, or `.NaN` asks for it.
fn extremum(words: &Words<'_>) -> impl Fn(f64, f64) -> f64 + Send + Sync + use<> {
    let (most, nan) = (words.stem == "max", words.has("NaN"));
    let (signs, absolute) = (words.has("xorsign"), words.has("abs"));
    move |a, b| {
        let sign = a.is_sign_negative() != b.is_sign_negative();
        let (a, b) = if absolute { (a.abs(), b.abs()) } else { (a, b) };
        let of = match (a.is_nan(), b.is_nan()) {
            (true, true) => f64::NAN,
            (true, _) => {
                if nan {
                    a
                } else {
                    b
                }
            }
            (_, true) => {
                if nan {
                    b
                } else {
                    a
                }
            }
            // -0 is less than 0.
            _ => {
                if (a.total_cmp(&b) == std::cmp::Ordering::Greater) == most {
                    a
                } else {
                    b
                }
            }
        };
        if signs { of.copysign(if sign { -1.0 } else { 1.0 }) } else { of }
    }
}

fn double(words: &Words<'_>, round: Round) -> Option<Map> {
    let number = f64::from_bits;
    // A sum or product that is off is a neighbour of the right one, by the sign of what is missing.
    let moved = move |x: f64, rest: f64| {
        let up = rest > 0.0;
        match round {
            _ if rest == 0.0 || rest.is_nan() || x.is_infinite() => x,
            Round::Down if !up => x.next_down(),
            Round::Up if up => x.next_up(),
            Round::Zero if x > 0.0 && !up => x.next_down(),
            Round::Zero if x < 0.0 && up => x.next_up(),
            _ => x,
        }
    };
    let add = move |a: f64, b: f64| {
        let s = a + b;
        let t = s - a;
        moved(s, (a - (s - t)) + (b - t))
    };
    let near = round == Round::Nearest;
    match words.stem {
        "add" => map(move |a, b, _, _| add(number(a), number(b)).to_bits()),
        "sub" => map(move |a, b, _, _| add(number(a), -number(b)).to_bits()),
        "mul" => map(move |a, b, _, _| {
            let (a, b) = (number(a), number(b));
            moved(a * b, if near { 0.0 } else { a.mul_add(b, -(a * b)) }).to_bits()
        }),
        "fma" | "mad" if near => map(move |a, b, c, _| number(a).mul_add(number(b), number(c)).to_bits()),
        "fma" | "mad" => map(move |a, b, c, _| {
            let (a, b, c) = (number(a), number(b), number(c));
            let nearest = a.mul_add(b, c);
            // What is missing, by the parts of the product.
            let product = a * b;
            let rest = a.mul_add(b, -product);
            let difference = nearest - c;
            moved(nearest, (product - difference) + rest).to_bits()
        }),
        "div" if near => map(move |a, b, _, _| (number(a) / number(b)).to_bits()),
        "min" | "max" => {
            let extremum = extremum(words);
            map(move |a, b, _, _| extremum(number(a), number(b)).to_bits())
        }
        "neg" => map(move |a, _, _, _| a ^ 1 << 63),
        "abs" => map(move |a, _, _, _| a & !(1 << 63)),
        "copysign" => map(|a, b, _, _| (a & 1 << 63) | (b & !(1 << 63))),
        // Approximations have 20 bits, the lower word is 0 (PTX ISA 9.7.3.14).
        "rcp" if words.has("approx") => map(move |a, _, _, _| rough(1.0 / flat(number(a)))),
        "rsqrt" if words.has("approx") => map(move |a, _, _, _| rough(1.0 / flat(number(a)).sqrt())),
        "rcp" if near => map(move |a, _, _, _| (1.0 / number(a)).to_bits()),
        "sqrt" if near => map(move |a, _, _, _| number(a).sqrt().to_bits()),
        "testp" => test(words, 52, 11),
        _ => None,
    }
}

fn flat(x: f64) -> f64 {
    if x.abs() < f64::MIN_POSITIVE { 0.0_f64.copysign(x) } else { x }
}

fn rough(x: f64) -> u64 {
    flat(x).to_bits() & 0xffff_ffff_0000_0000
}

/// What a number is, by its bits (PTX ISA 9.7.3.1).
fn test(words: &Words<'_>, fraction: u32, exponent: u32) -> Option<Map> {
    let over = ((1_u64 << exponent) - 1) << fraction;
    let magnitude = move |x: u64| crate::types::low(x, fraction + exponent);
    let test: fn(u64, u64, u64) -> bool = match *words.modifiers.first()? {
        "finite" => |x, over, _| x < over,
        "infinite" => |x, over, _| x == over,
        "number" => |x, over, _| x <= over,
        "notanumber" => |x, over, _| x > over,
        "normal" => |x, over, least| x < over && x >= least,
        "subnormal" => |x, _, least| x < least,
        _ => return None,
    };
    map(move |a, _, _, _| u64::from(test(magnitude(a), over, 1 << fraction)))
}

/// Halves, and whatever is packed: computed in double precision, where products are exact and sums nearly so.
fn packed(words: &Words<'_>, ty: Type, round: Round) -> Option<Map> {
    let part = ty.part();
    let (relu, sat, ftz) = (words.has("relu"), words.has("sat"), words.has("ftz"));
    let least = if part.kind == Kind::Float && part.bits == 16 { 2.0_f64.powi(-14) } else { 2.0_f64.powi(-126) };
    let flush = move |x: f64| if ftz && x.abs() < least { 0.0_f64.copysign(x) } else { x };
    let given = move |bits: u64| flush(wide(part, bits));
    let kept = move |x: f64| {
        let x = if relu && x <= 0.0 { 0.0 } else { x };
        let x = if !sat {
            x
        } else if x > 0.0 {
            x.min(1.0)
        } else {
            0.0
        };
        narrow(part, flush(x), round)
    };
    let sign = 1_u64 << (part.bits - 1);
    macro_rules! unary {
        ($f:expr) => {
            parts(ty, move |a, _, _| kept($f(given(a))))
        };
    }
    match words.stem {
        "add" => parts(ty, move |a, b, _| kept(sum(given(a), given(b)))),
        "sub" => parts(ty, move |a, b, _| kept(sum(given(a), -given(b)))),
        "mul" => parts(ty, move |a, b, _| kept(given(a) * given(b))),
        "fma" => parts(ty, move |a, b, c| kept(sum(given(a) * given(b), given(c)))),
        "min" | "max" => {
            let extremum = extremum(words);
            parts(ty, move |a, b, _| kept(extremum(given(a), given(b))))
        }
        "neg" => parts(ty, move |a, _, _| a ^ sign),
        "abs" => parts(ty, move |a, _, _| a & !sign),
        "ex2" => unary!(f64::exp2),
        "tanh" => unary!(f64::tanh),
        _ => None,
    }
}
