//! Logic, shifts and fields of bits (PTX ISA 9.7.8, 9.7.1.15 to 9.7.1.24, 9.7.9.7).

use super::{Words, map};
use crate::inst::Map;
use crate::types::{extended, low};

pub(super) fn make(words: &Words<'_>, known: &[Option<u64>]) -> Option<Map> {
    let ty = words.ty()?;
    let (bits, signed) = (ty.bits, ty.signed());
    let shift = words.has("shiftamt");
    match words.stem {
        "and" => map(|a, b, _, _| a & b).map(|of| trimmed(of, bits)),
        "or" => map(|a, b, _, _| a | b).map(|of| trimmed(of, bits)),
        "xor" => map(|a, b, _, _| a ^ b).map(|of| trimmed(of, bits)),
        "not" => map(move |a, _, _, _| low(!a, bits)),
        "cnot" => map(move |a, _, _, _| u64::from(low(a, bits) == 0)),
        // Amounts larger than the width are the width.
        "shl" => map(move |a, b, _, _| low(a.checked_shl(low(b, 32).min(64) as u32).unwrap_or(0), bits)),
        "shr" if signed => map(move |a, b, _, _| low((extended(a, bits) >> low(b, 32).min(63)) as u64, bits)),
        "shr" => map(move |a, b, _, _| low(a, bits).checked_shr(low(b, 32).min(64) as u32).unwrap_or(0)),
        "shf" => {
            let (left, wraps) = (words.has("l"), words.has("wrap"));
            map(move |a, b, c, _| {
                let both = low(b, 32) << 32 | low(a, 32);
                let amount = if wraps { c & 31 } else { low(c, 32).min(32) };
                if left { low((both << amount) >> 32, 32) } else { low(both >> amount, 32) }
            })
        }
        "lop3" => {
            let table = known.get(3).copied().flatten()?;
            map(move |a, b, c, _| {
                (0..8)
                    .filter(|number| table >> number & 1 == 1)
                    .map(|number: u32| {
                        let pick = |x: u64, bit: u32| if number >> bit & 1 == 1 { x } else { !x };
                        pick(a, 2) & pick(b, 1) & pick(c, 0)
                    })
                    .fold(0, |all, some| all | low(some, 32))
            })
        }
        "prmt" => {
            let mode = ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"].iter().any(|mode| words.has(mode));
            if mode {
                return None;
            }
            map(|a, b, c, _| {
                let both = low(b, 32) << 32 | low(a, 32);
                let byte = |number: u32| {
                    let choice = c >> (4 * number) & 15;
                    let byte = both >> (8 * (choice & 7)) & 0xff;
                    // The highest bit asks for copies of the byte's sign.
                    let byte = if choice & 8 == 0 { byte } else { (byte >> 7) * 0xff };
                    byte << (8 * number)
                };
                (0..4).map(byte).sum()
            })
        }
        "bfe" => map(move |a, b, c, _| {
            let (from, length) = (b & 0xff, c & 0xff);
            let top = u64::from(bits) - 1;
            let sign = match signed && length > 0 {
                true => low(a, bits) >> (from + length - 1).min(top) & 1,
                false => 0,
            };
            let bit = |number: u64| match number < length && from + number <= top {
                true => low(a, bits) >> (from + number) & 1,
                false => sign,
            };
            (0..u64::from(bits)).map(|number| bit(number) << number).sum()
        }),
        "bfi" => map(move |a, b, c, d| {
            let (from, length) = (c & 0xff, (d & 0xff) as u32);
            let mask = low(low(u64::MAX, length).checked_shl(from as u32).unwrap_or(0), bits);
            (low(b, bits) & !mask) | (a.checked_shl(from as u32).unwrap_or(0) & mask)
        }),
        "bfind" => map(move |a, _, _, _| {
            let a = match signed && extended(a, bits) < 0 {
                true => low(!a, bits),
                false => low(a, bits),
            };
            match 63_u32.checked_sub(a.leading_zeros()) {
                None => 0xffff_ffff,
                Some(at) if shift => u64::from(bits - 1 - at),
                Some(at) => u64::from(at),
            }
        }),
        "brev" => map(move |a, _, _, _| a.reverse_bits() >> (64 - bits)),
        "clz" => map(move |a, _, _, _| u64::from(low(a, bits).leading_zeros() + bits - 64)),
        "popc" => map(move |a, _, _, _| u64::from(low(a, bits).count_ones())),
        "szext" => {
            let wraps = words.has("wrap");
            map(move |a, b, _, _| {
                let length = if wraps { (b & 31) as u32 } else { low(b, 32).min(32) as u32 };
                match (length, signed) {
                    (0, _) => 0,
                    (_, true) => low(extended(a, length) as u64, 32),
                    _ => low(a, length),
                }
            })
        }
        "bmsk" => {
            let wraps = words.has("wrap");
            map(move |a, b, _, _| {
                let (from, length) = if wraps { (a & 31, b & 31) } else { (low(a, 32).min(32), low(b, 32).min(32)) };
                low(low(u64::MAX, length as u32) << from, 32)
            })
        }
        _ => None,
    }
}

/// A register may be wider than the operation, and a constant is.
fn trimmed(of: Map, bits: u32) -> Map {
    if bits >= 64 {
        return of;
    }
    Box::new(move |to, from| {
        of(to, from);
        for value in to {
            *value = low(*value, bits);
        }
    })
}
