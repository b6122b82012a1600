//! Comparison and selection (PTX ISA 9.7.6, 9.7.7).

use super::{Words, map};
use crate::formats::wide;
use crate::inst::Map;
use crate::types::{Kind, Type, extended, low};

/// Whether a comparison holds: for `setp p|q` the operands are the two values and a predicate that they are combined with.
pub(super) fn make(words: &Words<'_>, _: &[Option<u64>]) -> Option<Map> {
    let ty = words.ty()?;
    match words.stem {
        "selp" => return map(move |a, b, p, _| low(if p & 1 == 1 { a } else { b }, ty.bits)),
        "slct" => {
            let result = words.types().next()?;
            return match ty.integer() {
                true => map(move |a, b, c, _| low(if extended(c, 32) >= 0 { a } else { b }, result.bits)),
                false => map(move |a, b, c, _| low(if wide(ty, c) >= 0.0 { a } else { b }, result.bits)),
            };
        }
        _ => {}
    }
    if ty.packed > 1 {
        return None;
    }
    let holds = comparison(words.modifiers.first()?, ty)?;
    let combine: fn(u64, u64) -> u64 = match words.modifiers.get(1) {
        Some(&"and") => |a, b| a & b,
        Some(&"or") => |a, b| a | b,
        Some(&"xor") => |a, b| a ^ b,
        _ => |a, _| a,
    };
    if words.stem == "setp" {
        return map(move |a, b, c, _| combine(u64::from(holds(a, b)), c) & 1);
    }
    // `set` gives all ones, or 1.0 where the result is a float.
    let yes = match words.types().next()? {
        Type { kind: Kind::Float, bits: 32, .. } => u64::from(1.0_f32.to_bits()),
        Type { kind: Kind::Float, bits: 16, .. } => 0x3c00,
        Type { kind: Kind::Brain, .. } => 0x3f80,
        ty => low(u64::MAX, ty.bits),
    };
    map(move |a, b, c, _| if combine(u64::from(holds(a, b)), c) & 1 == 1 { yes } else { 0 })
}

type Holds = Box<dyn Fn(u64, u64) -> bool + Send + Sync>;

fn comparison(name: &str, ty: Type) -> Option<Holds> {
    let bits = ty.bits;
    if ty.integer() {
        let signed = ty.signed();
        macro_rules! holds {
            ($op:tt) => {
                match signed {
                    true => Box::new(move |a, b| extended(a, bits) $op extended(b, bits)) as Holds,
                    false => Box::new(move |a, b| low(a, bits) $op low(b, bits)),
                }
            };
        }
        return Some(match name {
            "eq" => holds!(==),
            "ne" => holds!(!=),
            "lt" | "lo" => holds!(<),
            "le" | "ls" => holds!(<=),
            "gt" | "hi" => holds!(>),
            "ge" | "hs" => holds!(>=),
            _ => return None,
        });
    }
    // Those that end with `u` hold of NaNs, too.
    macro_rules! holds {
        ($op:tt, $of_nan:expr) => {
            Box::new(move |a, b| {
                let (a, b) = (wide(ty, a), wide(ty, b));
                if a.is_nan() || b.is_nan() { $of_nan } else { a $op b }
            }) as Holds
        };
    }
    Some(match name {
        "eq" => holds!(==, false),
        "ne" => holds!(!=, false),
        "lt" => holds!(<, false),
        "le" => holds!(<=, false),
        "gt" => holds!(>, false),
        "ge" => holds!(>=, false),
        "equ" => holds!(==, true),
        "neu" => holds!(!=, true),
        "ltu" => holds!(<, true),
        "leu" => holds!(<=, true),
        "gtu" => holds!(>, true),
        "geu" => holds!(>=, true),
        "num" => Box::new(move |a, b| !wide(ty, a).is_nan() && !wide(ty, b).is_nan()),
        "nan" => Box::new(move |a, b| wide(ty, a).is_nan() || wide(ty, b).is_nan()),
        _ => return None,
    })
}
