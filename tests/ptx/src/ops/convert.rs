//! Moves and conversions (PTX ISA 9.7.9.4, 9.7.9.21).

use super::{Words, map};
use crate::formats::{Format, Round, narrow, wide};
use crate::inst::Map;
use crate::types::{Kind, Type, extended, low};

pub(super) fn make(words: &Words<'_>, _: &[Option<u64>]) -> Option<Map> {
    let types: Vec<Type> = words.types().collect();
    match (words.stem, types[..].first().copied(), types.get(1).copied()) {
        ("mov", Some(ty), _) => map(move |a, _, _, _| low(a, ty.bits)),
        ("cvt", Some(to), Some(from)) if to.packed == 2 && from.packed == 1 => joined(words, to, from),
        ("cvt", Some(to), Some(from)) if to.packed == 2 => unpacked(words, to, from),
        ("cvt", Some(to), Some(from)) => converted(words, to, from),
        _ => None,
    }
}

fn round_of(words: &Words<'_>) -> Option<Round> {
    words.modifiers.iter().find_map(|word| Round::named(word))
}

/// Two numbers into one register: the first operand is the upper one.
fn joined(words: &Words<'_>, to: Type, from: Type) -> Option<Map> {
    let part = to.part();
    let (relu, finite) = (words.has("relu"), words.has("satfinite"));
    let round = round_of(words).unwrap_or(Round::Nearest);
    let format = Format::of(part)?;
    let one = move |bits: u64| {
        let x = wide(from, bits);
        let x = if relu && x <= 0.0 { 0.0 } else { x };
        format.narrow(x, round, finite)
    };
    map(move |a, b, _, _| one(a) << part.bits | one(b))
}

/// Two small numbers to two larger ones, or the other way.
fn unpacked(words: &Words<'_>, to: Type, from: Type) -> Option<Map> {
    let (part, of) = (to.part(), from.part());
    let (relu, finite) = (words.has("relu"), words.has("satfinite"));
    let round = round_of(words).unwrap_or(Round::Nearest);
    let format = Format::of(part)?;
    let one = move |bits: u64| {
        let x = wide(of, low(bits, of.bits));
        let x = if relu && x <= 0.0 { 0.0 } else { x };
        format.narrow(x, round, finite)
    };
    map(move |a, _, _, _| one(a >> of.bits) << part.bits | one(a))
}

fn converted(words: &Words<'_>, to: Type, from: Type) -> Option<Map> {
    let round = round_of(words);
    let integral = words.modifiers.iter().any(|word| matches!(*word, "rni" | "rzi" | "rmi" | "rpi"));
    let (sat, ftz, relu, finite) = (words.has("sat"), words.has("ftz"), words.has("relu"), words.has("satfinite"));
    match (to.integer(), from.integer()) {
        (true, true) => {
            let (low_end, high_end) = ends(to);
            map(move |a, _, _, _| {
                let value = integer(a, from);
                low(if sat { value.clamp(low_end, high_end) } else { value } as u64, to.bits)
            })
        }
        (false, true) => {
            let round = round.unwrap_or(Round::Nearest);
            map(move |a, _, _, _| {
                let value = integer(a, from);
                match (to.kind, to.bits) {
                    (Kind::Float, 64) => to_double(value, round).to_bits(),
                    // As much of the number as matters: what is below goes into the last bit.
                    _ => narrow(to, odd(value), round),
                }
            })
        }
        (true, false) => {
            let round = round.unwrap_or(Round::Zero);
            let (low_end, high_end) = ends(to);
            map(move |a, _, _, _| {
                let x = flush(wide(from, a), from, ftz);
                // What lies outside is the nearest number that there is; a NaN is 0, or the sign alone where the result has 64 bits.
                if x.is_nan() {
                    return if to.bits == 64 { 1 << 63 } else { 0 };
                }
                low((whole(x, round) as i128).clamp(low_end, high_end) as u64, to.bits)
            })
        }
        (false, false) => {
            let to_round = round.unwrap_or(Round::Nearest);
            let format = Format::of(to);
            map(move |a, _, _, _| {
                let x = flush(wide(from, a), from, ftz);
                let x = match (integral, round) {
                    (true, Some(round)) => whole(x, round),
                    _ => x,
                };
                let x = if relu && x <= 0.0 { 0.0 } else { x };
                let x = if !sat {
                    x
                } else if x > 0.0 {
                    x.min(1.0)
                } else {
                    0.0
                };
                let x = flush(x, to, ftz);
                match (format, finite) {
                    (Some(format), true) => format.narrow(x, to_round, true),
                    _ => narrow(to, x, to_round),
                }
            })
        }
    }
}

fn flush(x: f64, ty: Type, ftz: bool) -> f64 {
    if ftz && ty.bits == 32 && x.abs() < f64::from(f32::MIN_POSITIVE) { 0.0_f64.copysign(x) } else { x }
}

fn integer(bits: u64, ty: Type) -> i128 {
    if ty.signed() { i128::from(extended(bits, ty.bits)) } else { i128::from(low(bits, ty.bits)) }
}

fn ends(ty: Type) -> (i128, i128) {
    match ty.signed() {
        true => (-(1 << (ty.bits - 1)), (1 << (ty.bits - 1)) - 1),
        false => (0, (1 << ty.bits) - 1),
    }
}

fn whole(x: f64, round: Round) -> f64 {
    match round {
        Round::Nearest => x.round_ties_even(),
        Round::Away => x.round(),
        Round::Zero => x.trunc(),
        Round::Down => x.floor(),
        Round::Up => x.ceil(),
    }
}

/// An integer as a number with 53 bits, rounded to odd: exact enough to be rounded again to fewer.
fn odd(value: i128) -> f64 {
    let magnitude = value.unsigned_abs() as u64;
    let unused = (64 - magnitude.leading_zeros()).saturating_sub(53);
    let kept = magnitude >> unused;
    let lost = magnitude & !(u64::MAX << unused);
    let x = (kept | u64::from(lost != 0)) as f64 * (1_u64 << unused) as f64;
    if value < 0 { -x } else { x }
}

fn to_double(value: i128, round: Round) -> f64 {
    let near = value as f64;
    let over = near as i128;
    match round {
        Round::Down if over > value => near.next_down(),
        Round::Up if over < value => near.next_up(),
        Round::Zero if over.abs() > value.abs() => {
            if value > 0 {
                near.next_down()
            } else {
                near.next_up()
            }
        }
        _ => near,
    }
}
