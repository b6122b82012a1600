//! Integer arithmetic (PTX ISA 9.7.1).

use super::{Words, map, parts};
use crate::inst::{Combine, Map};
use crate::types::{Type, extended, low};

pub(super) fn make(words: &Words<'_>, _: &[Option<u64>]) -> Option<Map> {
    let ty = words.ty()?;
    let (bits, signed) = (ty.part().bits, ty.signed());
    let high = words.has("hi");
    // A number of the type, with all of its bits in 128.
    let number = move |x: u64| if signed { i128::from(extended(x, bits)) } else { i128::from(low(x, bits)) };
    let saturated = words.has("sat");
    let clamp = move |x: i128| match saturated {
        true => x.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1) as u64,
        false => x as u64,
    };
    match words.stem {
        "add" if saturated => map(move |a, b, _, _| low(clamp(number(a) + number(b)), bits)),
        "sub" if saturated => map(move |a, b, _, _| low(clamp(number(a) - number(b)), bits)),
        "add" => parts_or(ty, |a, b, _| a.wrapping_add(b)),
        "sub" => parts_or(ty, |a, b, _| a.wrapping_sub(b)),
        "mul" | "mad" if words.has("wide") => match signed {
            true => map(move |a, b, c, _| (extended(a, bits).wrapping_mul(extended(b, bits)) as u64).wrapping_add(c)),
            false => map(move |a, b, c, _| low(a, bits).wrapping_mul(low(b, bits)).wrapping_add(c)),
        }
        .map(|wide| cut(wide, bits * 2)),
        "mul" | "mad" if high => map(move |a, b, c, _| {
            let product = match signed {
                true => (number(a) * number(b)) >> bits,
                false => ((number(a) as u128).wrapping_mul(number(b) as u128) >> bits) as i128,
            };
            low(clamp(product + if saturated { number(c) } else { i128::from(c) }), bits)
        }),
        "mul" | "mad" => map(move |a, b, c, _| low(a.wrapping_mul(b).wrapping_add(c), bits)),
        "mul24" | "mad24" => {
            let part = move |x: u64| if signed { i128::from(extended(x, 24)) } else { i128::from(low(x, 24)) };
            let down = if high { 16 } else { 0 };
            map(move |a, b, c, _| low(((part(a) * part(b)) >> down) as u64, bits).wrapping_add(c) & 0xffff_ffff)
        }
        "sad" => map(move |a, b, c, _| low((number(a) - number(b)).unsigned_abs() as u64, bits).wrapping_add(c))
            .map(|sum| cut(sum, bits)),
        // Of a division by zero PTX says nothing but that it does not stop; NVIDIA's units give all ones.
        "div" => map(move |a, b, _, _| match number(b) {
            0 => low(u64::MAX, bits),
            divisor => low((number(a) / divisor) as u64, bits),
        }),
        "rem" => map(move |a, b, _, _| match number(b) {
            0 => low(a, bits),
            divisor => low((number(a) % divisor) as u64, bits),
        }),
        "min" | "max" => {
            let most = words.stem == "max";
            let number = move |x: u64| if signed { i128::from(extended(x, bits)) } else { i128::from(low(x, bits)) };
            let relu = words.has("relu");
            parts_or(ty, move |a, b, _| {
                let of = if (number(a) > number(b)) == most { a } else { b };
                if relu && number(of) < 0 { 0 } else { of }
            })
        }
        "neg" => map(move |a, _, _, _| low(a.wrapping_neg(), bits)),
        "abs" => map(move |a, _, _, _| low(extended(a, bits).unsigned_abs(), bits)),
        "dp4a" => {
            let kinds: Vec<bool> = words.types().map(Type::signed).collect();
            let [first, second] = kinds[..] else { return None };
            map(move |a, b, c, _| {
                let part = |x: u64, n: u32, signed: bool| match signed {
                    true => extended(x >> (8 * n), 8),
                    false => low(x >> (8 * n), 8) as i64,
                };
                let sum: i64 = (0..4).map(|n| part(a, n, first) * part(b, n, second)).sum();
                low(c.wrapping_add(sum as u64), 32)
            })
        }
        _ => None,
    }
}

/// The lowest bits of what a computation gives.
fn cut(wide: Map, bits: u32) -> Map {
    Box::new(move |to, from| {
        wide(to, from);
        for value in to {
            *value = low(*value, bits);
        }
    })
}

/// The fast way where nothing is packed.
fn parts_or(ty: Type, f: impl Fn(u64, u64, u64) -> u64 + Send + Sync + 'static) -> Option<Map> {
    match (ty.packed, ty.bits) {
        (1, bits) => map(move |a, b, c, _| low(f(a, b, c), bits)),
        _ => parts(ty, f),
    }
}

/// What an atomic or a reduction over lanes makes of two integers.
pub(crate) fn combined(combine: Combine, ty: Type, was: u64, value: u64) -> u64 {
    let (bits, signed) = (ty.bits, ty.signed());
    let less = |a: u64, b: u64| match signed {
        true => extended(a, bits) < extended(b, bits),
        false => low(a, bits) < low(b, bits),
    };
    low(
        match combine {
            Combine::And => was & value,
            Combine::Or => was | value,
            Combine::Xor => was ^ value,
            Combine::Exchange | Combine::CompareAndSwap => value,
            Combine::Add => was.wrapping_add(value),
            Combine::Inc => {
                if low(was, bits) >= low(value, bits) {
                    0
                } else {
                    was + 1
                }
            }
            Combine::Dec => {
                if low(was, bits) == 0 || low(was, bits) > low(value, bits) {
                    value
                } else {
                    was - 1
                }
            }
            Combine::Min => {
                if less(value, was) {
                    value
                } else {
                    was
                }
            }
            Combine::Max => {
                if less(was, value) {
                    value
                } else {
                    was
                }
            }
        },
        bits,
    )
}
